import naicsTitles from './naics.json' with { type: 'json' }
import sic from './sic.json' with { type: 'json' }
import ukSic from './uk-sic.json' with { type: 'json' }
import wordTables from './word-classes.json' with { type: 'json' }

/** NAICS 2022, at every level: two to six digits. */
const naicsLabels: ReadonlyMap<string, string> = new Map(Object.entries(naicsTitles))

/**
 * Four digits: codes of 1987, of their groups (3530 is group 353) and of the SEC. The SEC's wording takes precedence.
 */
const sicLabels: ReadonlyMap<string, string> = new Map(Object.entries(sic.titles))

/** Keyed by the first two digits of a code. */
const sicMajorGroups = new Map(Object.entries(sic.majorGroups))
const sicDivisions = new Map(Object.entries(sic.divisions))

/** Codes that the SEC added to the scheme: the group of their number does not describe them. */
const outsideTheScheme = new Set(['8880', '8888'])

/** Returns the label of a four-digit SIC code, or `null` if unknown. */
export function findSicLabel(code: string): string | null {
  return sicLabels.get(code) ?? null
}

/** Returns the division and the major group of a code, or `null` if it has none. */
export function findSicGroup(code: string): { division: string; majorGroup: string } | null {
  const group = outsideTheScheme.has(code) ? undefined : sicMajorGroups.get(code.slice(0, 2))
  if (group === undefined) return null
  return { division: sicDivisions.get(group.division) ?? '', majorGroup: group.title }
}

/** Returns the title of a NAICS 2022 code of two to six digits, or `null` if unknown. */
export function findNaicsLabel(code: string): string | null {
  return naicsLabels.get(code) ?? null
}

/** Industry labels, from the widest to the narrowest. */
export interface IndustryPath {
  readonly sector: string | null
  readonly industry: string | null
  readonly subIndustry: string | null
}

/**
 * Returns the path of the NAICS code: sector, industry group (subsector for codes of three or four digits), code.
 * Without a known NAICS code, that of the SIC code: division, major group, code; otherwise that of the first UK SIC code:
 * section, division, code. `null` if all are unknown.
 */
export function findIndustryPath(codes: {
  readonly sic: string | null
  readonly naics: string | null
  /** Example: `uk_sic_2007:46730 46740`. */
  readonly industryCodes: string | null
}): IndustryPath | null {
  return findNaicsPath(codes.naics) ?? findSicPath(codes.sic) ?? findUkPath(listUkCodes(codes.industryCodes))
}

/** Codes of companies that do not trade. */
const noTrade = new Set(['74990', '99999'])

function listUkCodes(industryCodes: string | null): string[] {
  const codes = /^uk_sic_2007:(.*)$/.exec(industryCodes ?? '')?.[1]?.split(' ') ?? []
  return codes.filter((code) => !noTrade.has(code))
}

/** Splits entries such as `"01120": "111160 Growing of rice"` into their first word and the title. */
const splitEntries = (entries: Readonly<Record<string, string>>) =>
  new Map(
    Object.entries(entries).map(([code, entry]) => {
      const at = entry.indexOf(' ')
      return [code, { key: entry.slice(0, at), title: entry.slice(at + 1) }] as const
    }),
  )

const ukSections = new Map(Object.entries(ukSic.sections))
/** `key`: section. */
const ukDivisions = splitEntries(ukSic.divisions)
/** `key`: NAICS 2022 code, or `-` if none corresponds. */
const ukCodes = splitEntries(ukSic.codes)

/** Returns the title of a five-digit UK SIC 2007 code, or `null` if unknown. */
export function findUkSicLabel(code: string): string | null {
  return ukCodes.get(code)?.title ?? null
}

function findUkPath(codes: readonly string[]): IndustryPath | null {
  for (const code of codes) {
    const division = ukDivisions.get(code.slice(0, 2))
    if (division === undefined) continue
    return {
      sector: ukSections.get(division.key) ?? null,
      industry: division.title,
      subIndustry: findUkSicLabel(code),
    }
  }
  return null
}

/** Restores the leading zero of a UK SIC code, which tables of numbers lose. */
export function padUkSicCode(code: string): string {
  return ukCodes.has(`0${code}`) ? `0${code}` : code
}

/** Keyed by four-digit codes of SIC. */
const naicsOfSic = new Map(sic.naics2022.codes.split(', ').map((pair) => pair.split(' ') as [string, string]))

/** A NAICS 2022 code that corresponds to a code of another scheme. */
interface ConcordedCode {
  readonly naics: string
  /** The code in the other scheme. */
  readonly from: string
}

/** Returns the NAICS 2022 code of the SIC code, otherwise of the first UK SIC code with one; `null` without one. */
export function findConcordedNaics({
  sic: from,
  industryCodes,
}: {
  readonly sic: string | null
  readonly industryCodes: string | null
}): ConcordedCode | null {
  const naics = from === null ? undefined : naicsOfSic.get(from)
  if (from !== null && naics !== undefined) return { naics, from }
  const british = listUkCodes(industryCodes).map((code) => ({
    naics: ukCodes.get(code)?.key ?? '-',
    from: code,
  }))
  return british.find((concorded) => concorded.naics !== '-') ?? null
}

function findNaicsPath(code: string | null): IndustryPath | null {
  const sector = code === null ? null : findNaicsLabel(code.slice(0, 2))
  if (code === null || sector === null) return null
  const industryDigits = code.length > 4 ? 4 : 3
  return {
    sector,
    industry: code.length > 2 ? findNaicsLabel(code.slice(0, industryDigits)) : null,
    subIndustry: code.length > industryDigits ? findNaicsLabel(code) : null,
  }
}

function findSicPath(code: string | null): IndustryPath | null {
  const label = code === null ? null : findSicLabel(code)
  if (code === null || label === null) return null
  const group = findSicGroup(code)
  return { sector: group?.division ?? null, industry: group?.majorGroup ?? null, subIndustry: label }
}

/** Customers and sources of revenue of a company, the most material first. */
interface BusinessModel {
  readonly marketSegments: readonly string[]
  readonly revenueModels: readonly string[]
}

const unknownModel: BusinessModel = { marketSegments: [], revenueModels: [] }

/**
 * Lines `prefix segment revenue`, with a hyphen if the code's definition does not state it: wholesalers sell to
 * businesses, retailers to households, an insurer earns premiums. A longer prefix with two hyphens overrides a shorter
 * one: drug makers may have nothing to sell yet.
 */
const tables = {
  sic: `
20 - product_sales, 21 - product_sales, 22 - product_sales, 23 - product_sales, 24 - product_sales, 25 - product_sales
26 - product_sales, 28 - product_sales, 283 - -, 29 - product_sales, 30 - product_sales, 31 - product_sales
32 - product_sales, 33 - product_sales, 34 - product_sales, 35 - product_sales, 36 - product_sales
37 - product_sales, 38 - product_sales, 39 - product_sales, 50 b2b product_sales, 51 b2b product_sales
52 b2c product_sales, 53 b2c product_sales, 54 b2c product_sales, 55 b2c product_sales, 56 b2c product_sales
57 b2c product_sales, 58 b2c product_sales, 59 b2c product_sales, 481 - subscription, 4841 - subscription
4832 - advertising, 4833 - advertising, 4911 - usage_based, 4924 - usage_based, 4931 - usage_based
4932 - usage_based, 4941 - usage_based, 602 - interest_income, 603 - interest_income, 606 - interest_income
6141 b2c interest_income, 6153 b2b interest_income, 6159 b2b interest_income, 6162 - interest_income
6163 - commissions, 6282 - management_fees, 631 - insurance_premiums, 632 - insurance_premiums
633 - insurance_premiums, 635 - insurance_premiums, 636 - insurance_premiums, 6411 - commissions
651 - rental_income, 6531 - commissions, 672 - investment_returns, 6794 - licensing, 6795 - royalties
735 - rental_income, 7363 b2b service_fees, 7377 b2b rental_income, 751 - rental_income, 7841 b2c rental_income
7997 - membership_fees, 801 - service_fees, 805 - service_fees, 806 - service_fees, 8111 - service_fees
86 - membership_fees, 8711 - service_fees, 8742 b2b service_fees`,
  naics: `
31 - product_sales, 32 - product_sales, 323 - -, 3254 - -, 33 - product_sales, 42 b2b product_sales
44 b2c product_sales, 45 b2c product_sales, 22112 - usage_based, 2212 - usage_based, 22131 - usage_based
5171 - subscription, 51611 - advertising, 51612 - advertising, 5221 - interest_income, 5222 - interest_income
52231 - commissions, 52394 - management_fees, 5241 - insurance_premiums, 5242 - commissions
525 - investment_returns, 5251 - -, 5311 - rental_income, 5312 - commissions, 532 - rental_income, 533 - licensing
5416 b2b service_fees, 5613 b2b service_fees, 722 b2c product_sales, 8139 - membership_fees`,
  uk_sic_2007: `
10 - product_sales, 11 - product_sales, 12 - product_sales, 13 - product_sales, 14 - product_sales
15 - product_sales, 16 - product_sales, 17 - product_sales, 19 - product_sales, 20 - product_sales
22 - product_sales, 23 - product_sales, 24 - product_sales, 25 - product_sales, 26 - product_sales
27 - product_sales, 28 - product_sales, 29 - product_sales, 30 - product_sales, 31 - product_sales
32 - product_sales, 35140 - usage_based, 3523 - usage_based, 36 - usage_based, 46 b2b product_sales
461 b2b commissions, 47 b2c product_sales, 561 b2c product_sales, 563 b2c product_sales, 611 - subscription
612 - subscription, 64191 - interest_income, 64192 - interest_income, 643 - investment_returns
651 - insurance_premiums, 652 - insurance_premiums, 6622 - commissions, 663 - management_fees
682 - rental_income, 6831 - commissions, 77 - rental_income, 774 - licensing, 7022 b2b service_fees
78 b2b service_fees`,
} as const
type Scheme = keyof typeof tables

/** Tables parsed on first use. */
const read = new Map<Scheme, ReadonlyMap<string, BusinessModel>>()

/**
 * Returns the business model that the codes of a company imply: NAICS before SIC before UK SIC, and the first known
 * code of a scheme. A fund earns investment returns. Empty if unknown.
 */
export function findBusinessModel(company: {
  readonly sic: string | null
  readonly naics: string | null
  /** Example: `uk_sic_2007:46730 46740`. */
  readonly industryCodes: string | null
  readonly isFund: boolean
}): BusinessModel {
  if (company.isFund) return { marketSegments: [], revenueModels: ['investment_returns'] }
  const said = [
    ...(company.naics === null ? [] : [findModel('naics', company.naics)]),
    ...(company.sic === null ? [] : [findModel('sic', company.sic)]),
    ...listUkCodes(company.industryCodes).map((code) => findModel('uk_sic_2007', code)),
  ]
  return said.find((model) => model !== unknownModel) ?? unknownModel
}

function findModel(scheme: Scheme, code: string): BusinessModel {
  const models = read.get(scheme) ?? readTable(tables[scheme])
  read.set(scheme, models)
  for (let digits = code.length; digits >= 2; digits--) {
    const model = models.get(code.slice(0, digits))
    if (model !== undefined) return model
  }
  return unknownModel
}

function readTable(table: string): Map<string, BusinessModel> {
  const models = new Map<string, BusinessModel>()
  for (const line of table.trim().split(/,\s|\n/)) {
    const [prefix = '', segment = '-', revenue = '-'] = line.split(' ')
    const toList = (word: string) => (word === '-' ? [] : [word])
    const isOpen = segment === '-' && revenue === '-'
    models.set(
      prefix,
      isOpen ? unknownModel : { marketSegments: toList(segment), revenueModels: toList(revenue) },
    )
  }
  return models
}

/** SIC codes of entities that hold money of others instead of running a business: funds, pools, trusts, shells. */
const holdingSics = new Set('6189 6211 6221 6722 6726 6732 6733 6770 6792 6794 6795 6799'.split(' '))

/**
 * True if a SIC code stands for a business. A trust that runs one, such as a real estate trust (6798), is treated as a
 * company: it is listed and employs people.
 */
export function isBusiness(sic: string | null | undefined): boolean {
  return sic !== null && sic !== undefined && /^\d{4}$/.test(sic) && !holdingSics.has(sic)
}

let industryWords: ReadonlySet<string> | null = null

/** Whether titles of industries have a folded word, in the singular or the plural. */
export function isIndustryWord(word: string): boolean {
  industryWords ??= new Set(
    [...naicsLabels.values(), ...sicLabels.values(), ...Object.values(ukSic)].flatMap(
      (title) =>
        JSON.stringify(title)
          .toLowerCase()
          .match(/[a-z]{4,}/g) ?? [],
    ),
  )
  const words = industryWords
  const stem = word.replace(/s$/, '')
  return [word, word.replace(/ies$/, 'y'), ...['', 's', 'ing', 'er', 'ers'].map((end) => stem + end)].some(
    (one) => words.has(one),
  )
}

/** Words of trades and bodies by their initials: "TM" is "thương mại", "ZŠ" is "základní škola". */
const phrasesByInitials = new Map(
  wordTables.initials
    .flatMap((line) => line.split(' '))
    .map((pair) => {
      const [initials = '', ...phrases] = pair.split('=')
      return [initials, phrases.map((phrase) => phrase.split('_'))] as const
    }),
)

/** Counts the words before `end` that are a phrase of these initials, 0 for others. */
export function countTrade(
  initials: string,
  end: number,
  getWord: (at: number) => string | undefined,
): number {
  const isBefore = (phrase: readonly string[]) =>
    phrase.every((one, at) => getWord(end - phrase.length + at) === one)
  return phrasesByInitials.get(initials)?.find(isBefore)?.length ?? 0
}

/** Returns a function that divides a word of Hangul in front of a known one with another letter: 한빛정밀 화확 for 화학. */
export function createHangulDivider(words: ReadonlyMap<string, unknown>): (text: string) => string {
  const hide = (word: string) => Array.from(word, (_, at) => `${word.slice(0, at)}*${word.slice(at + 1)}`)
  const known = new Set([...words.keys()].flatMap((word) => hide(word.normalize('NFD'))))
  return (text) =>
    text.replace(/(?<![가-힣])[가-힣]{4,}(?![가-힣])/g, (run) => {
      const ends = Array.from(run.slice(3), (_, at) => run.slice(at + 2))
      const near = ends.find((end) => hide(end.normalize('NFD')).some((one) => known.has(one)))
      const end = ends.some((one) => words.has(one)) ? '' : (near ?? '')
      return end === '' ? run : `${run.slice(0, -end.length)} ${end}`
    })
}
