import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  findBusinessModel,
  findConcordedNaics,
  findIndustryPath,
  findNaicsLabel,
  findSicGroup,
  findSicLabel,
  findUkSicLabel,
  padUkSicCode,
} from '../../../src/registry/reference/industry-codes.js'

type Texts = Readonly<Record<string, string>>

const readReference = (file: string) => readFileSync(`src/registry/reference/${file}`, 'utf8')
const ukSic = JSON.parse(readReference('uk-sic.json')) as { sections: Texts; divisions: Texts; codes: Texts }

/** Sectors of NAICS, or longer codes, in which a section of UK SIC has activities. 624410: nursery schools. */
const sectorsOfSection = new Map(
  `A 11, B 21, C 31 32 33 811 488 238290, D 22, E 22 562, F 23, G 42 44 45 8111, H 48 49, I 72, J 51 5415, K 52 551 5311,
   L 53, M 54 551114 81292, N 53 56, O 92, P 61 624410, Q 62, R 71 519210, S 81, T 81, U 92`
    .split(/,\s+/)
    .map((entry) => [entry.slice(0, 1), entry.split(' ').slice(1)] as const),
)

describe('titles of codes', () => {
  const findLabel = { SIC: findSicLabel, NAICS: findNaicsLabel, 'UK SIC': findUkSicLabel }
  test.each<[scheme: keyof typeof findLabel, code: string, title: string | null]>([
    ['SIC', '0100', 'Agricultural production: crops'],
    ['SIC', '3571', 'Electronic computers'],
    // No code of the SEC's list: of the scheme of 1987, and of one of its groups.
    ['SIC', '5065', 'Electronic parts and equipment, not elsewhere classified'],
    ['SIC', '3530', 'Construction, mining and materials handling'],
    ['SIC', '6770', 'Blank checks'],
    ['SIC', '8888', 'Foreign governments'],
    ['SIC', '9995', 'Non-operating establishments'],
    ['SIC', '0000', null],
    ['SIC', '12', null],
    ['NAICS', '11', 'Agriculture, Forestry, Fishing and Hunting'],
    ['NAICS', '32', 'Manufacturing'],
    ['NAICS', '1133', 'Logging'],
    ['NAICS', '11331', 'Logging'],
    ['NAICS', '113310', 'Logging'],
    ['NAICS', '334111', 'Electronic Computer Manufacturing'],
    ['NAICS', '928120', 'International Affairs'],
    ['NAICS', '999999', null],
    ['NAICS', '3341119', null],
    ['NAICS', '', null],
    ['UK SIC', '01110', 'Growing of cereals (except rice), leguminous crops and oil seeds'],
    ['UK SIC', '47730', 'Dispensing chemist in specialised stores'],
    ['UK SIC', '74990', 'Non-trading company'],
    ['UK SIC', '98000', 'Residents property management'],
    ['UK SIC', '99999', 'Dormant company'],
    ['UK SIC', '6201', null],
    ['UK SIC', '46000', null],
  ])('%s %s is %s', (scheme, code, title) => {
    expect(findLabel[scheme](code)).toBe(title)
  })

  /** Pairs as they stand in the file: of a code that stands twice, parsed JSON shows one. */
  const titlesIn = (file: string) =>
    [...readReference(file).matchAll(/^ *"(\d+)": "(.*)",?$/gm)].map(([, code = '', title = '']) => ({
      code,
      title,
    }))

  test.each([
    ['sic.json', /^\d{4} [A-Z].*[\w)]$/, 1_517],
    ['naics.json', /^\d{2,6} [A-Z].*[\w)]$/, 2_129],
    ['uk-sic.json', /^\d{2} [A-U] [A-Z]|^\d{5} (?:-|\d{2,6}) [A-Z].*[\w).]$/, 88 + 731],
  ])('every code of %s has one title', (file, entry, count) => {
    const titles = titlesIn(file)
    expect(titles).toHaveLength(count)
    expect(new Set(titles.map(({ code }) => code)).size).toBe(count)
    expect(titles.filter(({ code, title }) => !entry.test(`${code} ${title}`))).toEqual([])
  })

  test('each code of UK SIC has a title of its own, in a division and a section of the scheme', () => {
    const { sections, divisions } = ukSic
    const titles = titlesIn('uk-sic.json').filter(({ code }) => code.length > 2)
    const codes = titles.map(({ code }) => code)
    expect(new Set(titles.map(({ title }) => title.replace(/^\S+ /, ''))).size).toBe(731)
    expect([...new Set(codes.map((code) => code.slice(0, 2)))]).toEqual(Object.keys(divisions).sort())
    const letters = new Set(Object.values(divisions).map((division) => division.slice(0, 1)))
    expect([...letters].sort()).toEqual(Object.keys(sections))
    expect(codes).toEqual([...codes].sort())
  })

  test('every code leads to a sector', () => {
    const codes = titlesIn('sic.json').map(({ code }) => code)
    expect(codes.filter((code) => findSicGroup(code) === null)).toEqual(['8880', '8888'])
    // At five levels: 24 numbers of sectors, 96 subsectors, 308 groups, 689 industries, 1,012 of six digits.
    const counts = [2, 3, 4, 5, 6].map((digits) => {
      const max = 10 ** digits
      return Array.from({ length: max }, (_, at) => String(at).padStart(digits, '0')).filter(
        (code) => findNaicsLabel(code) !== null,
      ).length
    })
    expect(counts).toEqual([24, 96, 308, 689, 1_012])
  })
})

describe('sector, industry and sub-industry', () => {
  test.each([
    [
      '334111',
      [
        'Manufacturing',
        'Computer and Peripheral Equipment Manufacturing',
        'Electronic Computer Manufacturing',
      ],
    ],
    [
      '3341',
      [
        'Manufacturing',
        'Computer and Electronic Product Manufacturing',
        'Computer and Peripheral Equipment Manufacturing',
      ],
    ],
    ['334', ['Manufacturing', 'Computer and Electronic Product Manufacturing', null]],
    ['44', ['Retail Trade', null, null]],
  ])('of NAICS %s are %j', (naics, [sector, industry, subIndustry]) => {
    expect(findIndustryPath({ naics, sic: '2111', industryCodes: null })).toEqual({
      sector,
      industry,
      subIndustry,
    })
  })

  test('of SIC are division, major group and code, where no NAICS code is known', () => {
    expect(findIndustryPath({ naics: '99', sic: '3571', industryCodes: null })).toEqual({
      sector: 'Manufacturing',
      industry: 'Industrial and commercial machinery and computer equipment',
      subIndustry: 'Electronic computers',
    })
    expect(findIndustryPath({ naics: null, sic: '8888', industryCodes: null })).toEqual({
      sector: null,
      industry: null,
      subIndustry: 'Foreign governments',
    })
    expect(findIndustryPath({ naics: null, sic: '0000', industryCodes: null })).toBeNull()
  })

  test('of UK SIC are section, division and code; a company that does not trade has none', () => {
    const findUkPath = (codes: string) =>
      findIndustryPath({ naics: null, sic: null, industryCodes: `uk_sic_2007:${codes}` })
    expect(findUkPath('62012')).toEqual({
      sector: 'Information and communication',
      industry: 'Computer programming, consultancy and related activities',
      subIndustry: 'Business and domestic software development',
    })
    expect(findUkPath('99999 46730')).toMatchObject({ sector: expect.stringMatching(/^Wholesale/) as string })
    expect(findUkPath('74990')).toBeNull()
  })
})

describe('NAICS 2022 codes that correspond to others', () => {
  test.each([
    ['2834', null, '325412'],
    ['6770', null, null],
    [null, 'uk_sic_2007:62012', '541511'],
    [null, 'uk_sic_2007:46900', '42'],
    // Ships are repaired in manufacturing, boats in other services.
    [null, 'uk_sic_2007:33150', null],
    [null, 'uk_sic_2007:99999', null],
    [null, 'uk_sic_2007:00009', null],
    [null, 'uk_sic_2007:33150 62012', '541511'],
    ['6770', 'uk_sic_2007:62012', '541511'],
    // The American code comes first: 2211 is fabrics, not a British code of forestry.
    ['2211', 'uk_sic_2007:62012', '313210'],
  ])('SIC %j, %j: %j', (sic, industryCodes, naics) => {
    expect(findConcordedNaics({ sic, industryCodes })?.naics ?? null).toBe(naics)
  })

  test('every one is a code of NAICS 2022, and every other code has a title', () => {
    const { naics2022 } = JSON.parse(readReference('sic.json')) as { naics2022: { codes: string } }
    const pairs = naics2022.codes.split(', ').map((pair) => pair.split(' '))
    expect(new Set(pairs.map(([from]) => from)).size).toBe(pairs.length)
    for (const [from = '', naics = ''] of pairs) {
      expect(findSicLabel(from), from).not.toBeNull()
      expect(findNaicsLabel(naics), from).not.toBeNull()
    }
    const mapped = Object.values(ukSic.codes).filter((entry) => !entry.startsWith('- '))
    expect(mapped.filter((entry) => findNaicsLabel(entry.split(' ')[0] ?? '') === null)).toEqual([])
    expect(mapped).toHaveLength(726)
  })

  test('a code of UK SIC leads to a sector of NAICS that its section has', () => {
    const strange = Object.entries(ukSic.codes).filter(([code, entry]) => {
      const sectors = sectorsOfSection.get(ukSic.divisions[code.slice(0, 2)]?.slice(0, 1) ?? '') ?? []
      return !entry.startsWith('-') && !sectors.some((sector) => entry.startsWith(sector))
    })
    expect(strange).toEqual([])
  })

  test('only British codes lose a leading zero', () => {
    expect(['1110', '2211', '9100', '62012'].map(padUkSicCode)).toEqual(['01110', '2211', '09100', '62012'])
  })
})

describe('business model', () => {
  const company = { sic: null, naics: null, industryCodes: null, isFund: false }
  test.each([
    [{ sic: '5331' }, ['b2c'], ['product_sales']],
    [{ sic: '5045' }, ['b2b'], ['product_sales']],
    [{ sic: '6021' }, [], ['interest_income']],
    [{ sic: '4911' }, [], ['usage_based']],
    [{ naics: '524126', sic: '5331' }, [], ['insurance_premiums']],
    [{ industryCodes: 'uk_sic_2007:64191 64999' }, [], ['interest_income']],
    [{ industryCodes: 'uk_sic_2007:99999 46730' }, ['b2b'], ['product_sales']],
    [{ isFund: true, sic: '5331' }, [], ['investment_returns']],
    // A drug maker may have nothing to sell yet, and software is sold in more ways than one.
    [{ sic: '2834' }, [], []],
    [{ sic: '7372' }, [], []],
    [{ industryCodes: 'nace:4673' }, [], []],
    [{}, [], []],
  ])('of %j is %j and %j', (parts, marketSegments, revenueModels) => {
    expect(findBusinessModel({ ...company, ...parts })).toEqual({ marketSegments, revenueModels })
  })
})
