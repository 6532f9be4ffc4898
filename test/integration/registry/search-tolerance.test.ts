import { beforeAll, describe, expect, it, test } from 'vitest'
import type { Registry } from '../../../src/registry/registry.js'
import { registryOf, sampleRows, type Row } from '../../support/registry.js'

const rows: readonly Row[] = [
  ...sampleRows,
  { id: 'nord', name: 'Nordlicht Maschinenbau GmbH', city: 'Hamburg', country: 'DE' },
  { id: 'ruda', name: 'Zakłady Hutnicze Ruda Sp. z o.o.', city: 'Katowice', country: 'PL' },
  { id: 'romashka', name: 'ООО «Ромашка Строй»', other_names: 'Romashka Stroy LLC', country: 'RU' },
  { id: 'ellin', name: 'Ελληνική Ναυτιλιακή Α.Ε.', other_names: 'Hellenic Shipping S.A.', country: 'GR' },
  { id: 'toyo', name: '東洋電機株式会社', other_names: 'Toyo Electric Co., Ltd.', country: 'JP' },
  { id: 'brew', name: 'Old Harbour Brewing Company Inc.', city: 'Boston', country: 'US' },
  // So that everyday words are everyday here too.
  ...Array.from({ length: 90 }, (_, index) => ({
    id: `bank${index}`,
    name: `${['First', 'Second', 'United'][index % 3] ?? ''} National ${index} Bank`,
    country: 'US',
  })),
]

let registry: Registry

beforeAll(() => {
  registry = registryOf(rows)
})

const firstFor = (name: string) => registry.search({ name, limit: 5 }).hits[0]?.legalName

describe('a search finds a company', () => {
  test.each([
    ['a letter left out', 'Nordlcht Maschinenbau', 'Nordlicht Maschinenbau GmbH'],
    ['a letter doubled', 'Nordlichtt Maschinenbau GmbH', 'Nordlicht Maschinenbau GmbH'],
    ['letters swapped', 'Nordlicht Machsinenbau', 'Nordlicht Maschinenbau GmbH'],
    ['two errors in a long word', 'Nordlicht Maschienenbaau', 'Nordlicht Maschinenbau GmbH'],
    ['its end cut off', 'International Business Machi', 'International Business Machines Corporation'],
    ['its end cut off in a word nobody knows', 'Old Harbour Brew', 'Old Harbour Brewing Company Inc.'],
    ['initials', 'I.B.M.', 'International Business Machines Corporation'],
    ['other order', 'Maschinenbau Nordlicht', 'Nordlicht Maschinenbau GmbH'],
    ['a word left out', 'Old Brewing', 'Old Harbour Brewing Company Inc.'],
    ['words closed up', 'OldHarbour Brewing', 'Old Harbour Brewing Company Inc.'],
    ['a form without its last dot', 'Old Harbour Brewing L.L.C', 'Old Harbour Brewing Company Inc.'],
    ['another legal form', 'Nordlicht Maschinenbau AG', 'Nordlicht Maschinenbau GmbH'],
    ['the form left out, and its accents', 'zaklady hutnicze ruda', 'Zakłady Hutnicze Ruda Sp. z o.o.'],
    ['a form in another spelling', 'Zakłady Hutnicze Ruda spzoo', 'Zakłady Hutnicze Ruda Sp. z o.o.'],
    ['Cyrillic letters', 'Ромашка Строй', 'ООО «Ромашка Строй»'],
    ['Cyrillic letters in Latin', 'Romashka Stroy', 'ООО «Ромашка Строй»'],
    ['Greek letters', 'Ελληνική Ναυτιλιακή', 'Ελληνική Ναυτιλιακή Α.Ε.'],
    ['a Greek name in English', 'Hellenic Shipping', 'Ελληνική Ναυτιλιακή Α.Ε.'],
    ['Japanese letters without the form', '東洋電機', '東洋電機株式会社'],
    ['a Japanese name in English', 'Toyo Electric', '東洋電機株式会社'],
    ['a former name', 'Computing Tabulating Recording', 'International Business Machines Corporation'],
  ])('in spite of, or by, %s', (_, name, legalName) => {
    expect(firstFor(name)).toBe(legalName)
  })

  it('of everyday words alone, though many share them', () => {
    expect(firstFor('Second National 40 Bank')).toBe('Second National 40 Bank')
    expect(firstFor('National 40 Second')).toBe('Second National 40 Bank')
  })

  test.each(['qqqqqqqq', 'Zzxcv Bnmlk', '???', '日', 'a'.repeat(5_000), 'x '.repeat(400)])(
    'nowhere for %j',
    (name) => {
      expect(registry.search({ name, limit: 5 }).hits).toEqual([])
    },
  )
})
