import { describe, expect, test } from 'vitest'
import { parseSeveralNames } from '../../../src/registry/normalize/parsed-name.js'

describe('a text of several names', () => {
  test.each([
    ['Norvane Inc. / Larkmoor Foods Ltd', ['Norvane Inc.', 'Larkmoor Foods Ltd']],
    ['Norvane Corp. & Larkmoor Co', ['Norvane Corp.', 'Larkmoor Co']],
    ['NORVANE, INC.\\LARKMOOR GROUP INC', ['NORVANE, INC.', 'LARKMOOR GROUP INC']],
    ['Norvane GmbH & Co. KG; Larkmoor AG', ['Norvane GmbH & Co. KG', 'Larkmoor AG']],
    ['NORVANE INC, LARKMOOR BANCORP, INC.', ['NORVANE INC', 'LARKMOOR BANCORP, INC.']],
    ['Norvane LLP and Larkmoor & Calder LLP', ['Norvane LLP', 'Larkmoor & Calder LLP']],
    ['Norvane Ltd - Larkmoor plc', ['Norvane Ltd', 'Larkmoor plc']],
  ])('%j names each by its legal form', (text, names) => {
    expect(parseSeveralNames(text)).toEqual({ names, areStated: true })
  })

  test.each([
    ['Norvane / Larkmoor', ['Norvane', 'Larkmoor']],
    ['Norvane | Larkmoor Inc', ['Norvane', 'Larkmoor Inc']],
  ])('%j may name several: what is held tells', (text, names) => {
    expect(parseSeveralNames(text)).toEqual({ names, areStated: false })
  })

  test.each([
    'Norvane & Co. Inc.',
    'Norvane Co. & Sons Ltd',
    'Norvane GmbH & Co. KG',
    'Norvane A/S',
    'Norvane Bank, N.A.',
    'Norvane & Co/MN',
    'Larkmoor & Calder Companies, Inc.',
    'Norvane and Larkmoor LLP',
    'Norvane LLC, a Delaware limited liability company',
    'Norvane Ltd t/a Larkmoor Ltd',
    'Norvane Ltd c/o Larkmoor Ltd',
    'Norvane Ltd on behalf of Larkmoor Ltd',
    'Norvane Inc f/k/a Larkmoor Inc',
    '',
    '/ ; |',
  ])('%j names one', (text) => {
    expect(parseSeveralNames(text)).toBeNull()
  })
})
