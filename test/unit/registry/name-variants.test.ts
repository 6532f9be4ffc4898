import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseLocation } from '../../../src/registry/match/parse-location.js'
import { matchLimits } from '../../../src/registry/model/limits.js'
import { listVariants, type VariantKind } from '../../../src/registry/normalize/name-variants.js'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'

describe('what a text may be read as', () => {
  test.each<[text: string, coreKey: string, kind: VariantKind]>([
    // Sites, departments, addresses, numbers of stores.
    ['Norvane Inc. - Plant 7', 'norvane', 'site'],
    ['Norvane - Austin', 'norvane', 'site'],
    ['Norvane Warehouse, Reno, NV', 'norvane', 'site'],
    ['Norvane Inc - Plant 7 LLC', 'norvane', 'site'],
    ['Norvane – Head Office', 'norvane', 'site'],
    ['Norvane Accounts Payable', 'norvane', 'site'],
    ['Norvane Distribution Center', 'norvane', 'site'],
    ['Norvane, Payroll', 'norvane', 'site'],
    ['Norvane Inc Store 12', 'norvane', 'site'],
    ['Norvane #1258', 'norvane', 'site'],
    ['Norvane No. 12', 'norvane', 'site'],
    ['Norvane Suite 200', 'norvane', 'site'],
    ['Quellstone 410 Oak St Reno, NV', 'quellstone', 'site'],
    ['Quellstone Inc P.O. Box 77 Reno', 'quellstone', 'site'],
    ['Quellstone, 12 Long Lane', 'quellstone', 'site'],
    ['Quellstone: Reno', 'quellstone', 'site'],
    ['Norvane - Plant 7 dba Sunny Inn', 'norvane', 'site'],
    // The registered name and the trade name, the name of today and that of yesterday.
    ['Brightlow LLC dba Sunny Inn (Tulsa)', 'brightlow', 'registered'],
    ['Brightlow LLC dba Sunny Inn (Tulsa)', 'sunnyinn', 'alias'],
    ['Brightlow LLC d/b/a Sunny Inn', 'brightlow', 'registered'],
    ['Brightlow LLC d/b/a Sunny Inn', 'sunnyinn', 'alias'],
    ['Brightlow LLC (dba Sunny Inn)', 'brightlow', 'registered'],
    ['Brightlow LLC doing business as: Sunny Inn', 'sunnyinn', 'alias'],
    ['Brightlow Ltd t/a Sunny Inn', 'brightlow', 'registered'],
    ['Brightlow Ltd T/A Sunny Inn', 'sunnyinn', 'alias'],
    ['Brightlow Ltd trading as Sunny Inn', 'sunnyinn', 'alias'],
    ['Harbel Trustees c/o Brightlow LLC', 'harbeltrustees', 'whole'],
    ['c/o Brightlow LLC', 'brightlow', 'whole'],
    ['Brightlow PLC formerly Tavrik PLC', 'brightlow', 'registered'],
    ['Brightlow PLC (f/k/a Tavrik PLC)', 'tavrik', 'alias'],
    ['Aptina Inc., (formerly Lorvane Inc.)', 'lorvane', 'alias'],
    // Securities.
    ['Ravelo PLC American Depositary Shares', 'ravelo', 'security'],
    ['Korda Inc (Class A)', 'korda', 'security'],
    ['Korda Inc Class B Common', 'korda', 'security'],
    ['Korda Inc Series C Pfd', 'korda', 'security'],
    ['Korda Corp Units, each consisting of one share', 'korda', 'security'],
    ['Korda Inc Warrants', 'korda', 'security'],
    ['Korda, Inc. Common Stock', 'korda', 'security'],
    ['Korda Fund shares of beneficial interest', 'kordafund', 'security'],
    ['Korda Hotel Trust 6.375% ', 'kordahoteltrust', 'security'],
    ['Korda Royalty Trust Trust', 'kordaroyaltytrust', 'security'],

    ['Tessel Inc. 6.1% Notes due 2040', 'tessel', 'form'],
    ['Tavrik Holdings Inc Employees Plan', 'tavrikholdings', 'form'],
    // Brackets, hyphens.
    ['Mellbrook (UK) Ltd', 'mellbrook', 'middle'],
    ['Hexavon (Marple) Ltd', 'hexavon', 'middle'],
    ['Mellbrook (Payroll)', 'mellbrook', 'bracket'],
    ['Mellbrook [Payroll]', 'mellbrook', 'bracket'],
    ['Mellbrook Ltd (Leeds', 'mellbrook', 'bracket'],
    ['Sunny Inn (Brightlow LLC)', 'sunnyinn', 'bracket'],
    ['Sunny Inn (Brightlow LLC)', 'brightlow', 'inside'],
    ['Larkmoor-Columbus', 'larkmoor', 'hyphen'],
    ['Larkmoor Foods-HQ2', 'larkmoorfoods', 'hyphen'],
    // Ends that are cut, misspelled or said twice, and remarks of registers.
    ['Korvanax Technologies Corporatio', 'korvanaxtechnology', 'cut'],
    ['Korvanax Holdings Inc. Korvanax H', 'korvanaxholdings', 'cut'],
    ['Genvo Shipping & Trading Limite', 'genvoshippingtrading', 'cut'],
    ['Korvax Core Equity Alpha Fund K', 'korvaxcoreequityalphafund', 'cut'],
    ['Korda Capital Management Inc 60', 'kordacapitalmanagement', 'cut'],
    ['Korda Apartments Corp. (MD)', 'kordaapartments', 'cut'],
    ['Tavrik Inc Limtied', 'tavrik', 'mended'],
  ])('%j may be %j, %s', (text, coreKey, kind) => {
    expect(listVariants(text)).toContainEqual(expect.objectContaining({ coreKey, kind }))
  })

  test.each([
    ['Korvanax Acquisition Corp. II', 'korvanaxacquisition'],
    ['John Tavrik Preferred Income Fund', 'johntavrik'],
    ['Incoming Calls Inc', 'calls'],
    ['Tavrik Drive Auto Receivables 2024-1', 'tavrikdriveautoreceivables'],
    ['John Korda Owner Trust 2022-C', 'johnkordaownertrust2022'],
    ['Quellstone 3 Partners', 'quellstone'],
    ['Plant Norvane', 'plant'],
    ['Noram Ltd', 'ram'],
    ['Norvane - CLO 9 LLC', 'norvane'],
    ['Norvane Warehouse Ltd', 'norvane'],
    ['Norvane: Research GmbH', 'norvane'],
    ['Norvane Unit Trusts Series 77', 'norvane'],
  ])('%j is never %j', (text, coreKey) => {
    expect(listVariants(text).map((variant) => variant.coreKey)).not.toContain(coreKey)
  })

  test.each([
    ['Norvane Tulsa', 'Tulsa, OK', 'norvane'],
    ['Norvane Salt Lake City', 'Salt Lake City, UT', 'norvane'],
    ['Norvane Tulsa', 'Reno', null],
    ['Tulsa', 'Tulsa', null],
  ])('%j, asked for in %j, is read as %j too', (text, location, coreKey) => {
    const sites = listVariants(text, parseLocation(location)?.cities).filter(({ kind }) => kind === 'site')
    expect(sites.map((variant) => variant.coreKey)).toEqual(coreKey === null ? [] : [coreKey])
  })

  test.each<[string, 'anywhere' | 'between_words' | 'nowhere']>([
    ['Northern Genvo Acquisition Corp', 'anywhere'],
    ['Northern Genvo Acquisition Cor', 'between_words'],
    ['Northern Genvo', 'nowhere'],
  ])('%j: a column may have ended it %s', (text, cut) => {
    expect(listVariants(text).map((variant) => variant.cut)).toEqual(listVariants(text).map(() => cut))
  })
})

describe('any text', () => {
  /** Pieces that the patterns look for, and such as one of them might try again and again. */
  const piece = fc.constantFrom(
    ' ',
    '   ',
    '\t',
    '\n',
    '\u00a0',
    'a',
    'x ',
    '1',
    '12 ',
    'é',
    '\u0301',
    '㍿',
    '\ufdfa',
    '株式会社',
    '(',
    '[',
    ')',
    '( ',
    '()',
    '#',
    '# ',
    '-',
    ' - ',
    '–',
    ',',
    ', ',
    '/',
    '/DE/',
    '%',
    '6.25%',
    '.',
    ':',
    'no. ',
    'no ',
    'no.',
    'po box ',
    'p.o. ',
    '1 oak ',
    'street ',
    'the ',
    'plant ',
    'dba ',
    'd/b/a ',
    't/a ',
    'c/o ',
    'formerly ',
    'class a ',
    'series ',
    'senior ',
    'notes ',
    'cumulative ',
    'limited ',
    'units ',
    'trust ',
    'inc ',
    'ltd ',
    'due ',
    'abcd-',
    'abcde',
  )
  const repeated = fc
    .tuple(piece, fc.array(piece, { minLength: 1, maxLength: 4 }), piece)
    .map(([head, body, tail]) => head + body.join('').repeat(400).slice(0, 390) + tail)
  const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), repeated)

  it('has at most a few variants, each another name, the whole first', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const variants = listVariants(text)
        expect(variants.length).toBeLessThanOrEqual(matchLimits.variantsMax)
        expect(new Set(variants.map(({ tokens }) => tokens.join(' '))).size).toBe(variants.length)
        const whole = parseName(text)
        if (/c\/o/i.test(text)) return
        if (whole.fullKey.length >= 2 && text.normalize('NFKC').length <= matchLimits.nameCharsMax)
          expect(variants[0]).toMatchObject({ kind: 'whole', coreKey: whole.coreKey })
      }),
      { numRuns: 300 },
    )
  })

  it('takes no pattern the square of its length', () => {
    fc.assert(
      fc.property(repeated, (text) => {
        // CPU, because other processes may hold this one up; the least of three, because the first one compiles the
        // patterns. The ends differ, because parsed texts are remembered. A run of blanks once took 200 ms.
        const cpuMs = ['a', 'b', 'c'].map((end) => {
          const before = process.cpuUsage()
          listVariants(text + end)
          const { user, system } = process.cpuUsage(before)
          return (user + system) / 1_000
        })
        expect(Math.min(...cpuMs)).toBeLessThan(25)
      }),
      { numRuns: 300 },
    )
  })
})
