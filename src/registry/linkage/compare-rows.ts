import { isGenericWord, isLightWord } from '../normalize/normalize-name.js'
import { getDistinctiveCountries } from '../normalize/legal-forms.js'
import type { LinkRow, StatedFacts } from './link-row.js'

/**
 * Evidence of each comparison level that two registrations are one company, in bits: positive for, negative against.
 * Set by hand on open registers (SEC, GLEIF, Companies House) and checked pair by pair.
 */
export const matchWeights = {
  name: {
    full: weigh(7, 'the same words and the same legal form'),
    full_without_form: weigh(
      5,
      'the same words, and neither states a form: other companies may have added one',
    ),
    form_on_one_side: weigh(
      -1,
      'a company and its subsidiary often differ by the form alone: a place must agree',
    ),
    abbreviated: weigh(
      -3,
      'the same only with words spelled out: "Tetra Tech" and "Tetra Technologies" are two',
    ),
    other_form: weigh(-12, 'two forms are two legal persons, unless nearly all else agrees'),
  },
  rarity: {
    very_rare: weigh(4, 'words that hardly any other name has'),
    rare: weigh(3, 'a word that few names have'),
    telling: weigh(2, 'a word that some dozens of names have'),
    everyday: weigh(-4, 'common words ("First Bank"), or the name of a person'),
  },
  uniqueness: {
    only: weigh(2, 'no other registration of that name in either source'),
    only_that_fits: weigh(1, 'others of that name are ruled out by place or number'),
    several: weigh(-1, 'others of that name in one of the sources'),
  },
  family: {
    alone: weigh(0, 'no other form of the name in either source'),
    several_forms: weigh(-1, 'a group that has the name in several forms and countries'),
  },
  country: {
    same: weigh(3, 'what both state of home or seat agrees'),
    unknown: weigh(0, 'one of them states neither'),
  },
  state: {
    same: weigh(4, 'incorporated in one state or province'),
    delaware: weigh(1, 'most American companies of note are incorporated there'),
    unknown: weigh(0, 'one of them states none'),
  },
  place: {
    postcode: weigh(8, 'the same postal code'),
    town: weigh(5, 'the same town'),
    region: weigh(2, 'the same state, province or county'),
    unknown: weigh(0, 'nothing to compare: an address left out, or that of a registered agent'),
    other_town: weigh(-1, 'seat and registered office differ, and companies move'),
    other_region: weigh(-2, 'the same, and less often so far away'),
  },
  form_country: {
    fits: weigh(1, 'the form is one of the country that the other side states'),
    unknown: weigh(0, 'nothing to compare'),
    worldwide: weigh(-1, 'a form that many countries know, and it is not known which is meant'),
    elsewhere: weigh(-3, 'the form is one of other countries: a subsidiary of the same name'),
  },
  prominence: {
    listed: weigh(1, 'a listed company, or a registrant with an industry: seldom one of many of its name'),
    unknown: weigh(0, 'most registrations say neither'),
  },
  formed: {
    same_day: weigh(5, 'formed on one day'),
    unknown: weigh(0, 'one of them does not say'),
    other_year: weigh(-5, 'formed years apart'),
    too_late: weigh(-7, 'formed years after the other was registered: a successor that took the name'),
  },
  tax_number: {
    same: weigh(8, 'one employer identification number'),
    unknown: weigh(0, 'one of them states none'),
    other: weigh(-6, 'two numbers; files mistake them now and then'),
  },
  standing: {
    equal: weigh(0, 'neither has ended, or both have'),
    one_ended: weigh(-3, 'the one that has ended is more likely a predecessor'),
  },
} as const

interface MatchWeight {
  readonly bits: number
  readonly reason: string
}

function weigh(bits: number, reason: string): MatchWeight {
  return { bits, reason }
}

type Table = typeof matchWeights
type ComparisonName = keyof Table
/** The level of each comparison. */
type ComparisonLevels = { readonly [Name in ComparisonName]: keyof Table[Name] }

/** Fewest bits for joining two registrations. */
export const thresholdBits = 10
/** A pair with a rival that is at most this much weaker is ambiguous. */
export const rivalMarginBits = 3

export function sumMatchWeights(levels: ComparisonLevels): number {
  let bits = 0
  for (const [comparison, level] of Object.entries(levels)) {
    const known: Readonly<Record<string, MatchWeight>> = matchWeights[comparison as ComparisonName]
    bits += known[level]?.bits ?? 0
  }
  return bits
}

/** Formats the levels with a weight, the highest absolute weight first: `name full +7, state other -4`. */
export function formatLevels(levels: ComparisonLevels): string {
  return Object.entries(levels)
    .map(([comparison, level]) => {
      const known: Readonly<Record<string, MatchWeight>> = matchWeights[comparison as ComparisonName]
      return { text: `${comparison} ${level}`.replaceAll('_', ' '), bits: known[level]?.bits ?? 0 }
    })
    .filter(({ bits }) => bits !== 0)
    .sort((a, b) => Math.abs(b.bits) - Math.abs(a.bits))
    .map(({ text, bits }) => `${text} ${bits > 0 ? '+' : ''}${bits}`)
    .join(', ')
}

/** Reasons that keep two registrations of one name apart, whatever else agrees; the first one is reported. */
export const vetoes = {
  british_branch: 'a registration at Companies House of a company whose seat is elsewhere (FC, BR, SF, …)',
  other_numbers: 'they have different LEIs, CIKs or numbers of one register',
  other_country: 'what they state of home and seat are different countries',
  other_state: 'they state two states of incorporation',
  other_series: 'their names number two things: funds, trusts, series',
} as const
export type Veto = keyof typeof vetoes

/** Returns the weight of a word in nats: the negative logarithm of the share of names with it. */
export type WordWeight = (word: string) => number

/** The comparison of two registrations of different sources. */
export interface Comparison {
  readonly a: LinkRow
  readonly b: LinkRow
  readonly levels: ComparisonLevels
  readonly bits: number
  readonly vetoes: readonly Veto[]
}

/**
 * Compares two registrations and weighs the evidence that they are one company. `group`: all registrations whose names
 * have one core, including these two.
 */
export function compareRows(
  a: LinkRow,
  b: LinkRow,
  group: readonly LinkRow[],
  getWeight: WordWeight,
): Comparison {
  const levels: ComparisonLevels = {
    name: compareNames(a, b),
    rarity: a.isPerson || b.isPerson ? 'everyday' : compareRarity(a, getWeight),
    uniqueness: compareUniqueness(a, b, group),
    family: compareFamily(a, b, group),
    country: compareCountries(a, b) === 'same' ? 'same' : 'unknown',
    state: compareStates(a, b),
    place: comparePlaces(a, b),
    form_country: compareFormCountries(a, b),
    prominence: a.isProminent || b.isProminent ? 'listed' : 'unknown',
    formed: compareFormation(a, b),
    tax_number: compareTaxNumbers(a, b),
    standing: a.hasEnded === b.hasEnded ? 'equal' : 'one_ended',
  }
  return { a, b, levels, bits: sumMatchWeights(levels), vetoes: findVetoes(a, b) }
}

/** Returns the contradictions between two registrations, the strongest first. */
export function findVetoes(a: StatedFacts, b: StatedFacts): Veto[] {
  const found: Veto[] = []
  if (a.isBritishBranch || b.isBritishBranch) found.push('british_branch')
  if (hasOtherNumbers(a, b)) found.push('other_numbers')
  if (compareCountries(a, b) === 'other') found.push('other_country')
  if (a.homeState !== '' && b.homeState !== '' && a.homeState !== b.homeState) found.push('other_state')
  if (a.numbers !== b.numbers) found.push('other_series')
  return found
}

/** True if a register that numbers both has no number in common for them. */
function hasOtherNumbers(a: StatedFacts, b: StatedFacts): boolean {
  for (const [register, numbers] of a.numbersByRegister) {
    const others = b.numbersByRegister.get(register)
    if (others !== undefined && !shareAny(numbers, others)) return true
  }
  return false
}

function isOneFullName(a: LinkRow, b: LinkRow): boolean {
  return a.name.bareKey === b.name.bareKey && a.formKey === b.formKey
}

function compareNames(a: LinkRow, b: LinkRow): ComparisonLevels['name'] {
  if (a.formKey !== b.formKey) {
    const isOneBare = a.formKey === '' || b.formKey === ''
    return isOneBare && a.name.bareKey === b.name.bareKey ? 'form_on_one_side' : 'other_form'
  }
  if (a.name.bareKey !== b.name.bareKey) return 'abbreviated'
  return a.formKey === '' ? 'full_without_form' : 'full'
}

/** Nats of all words together; a word for a trade or a shape adds little to others. */
const rarityNats = { veryRare: 16, rare: 9, telling: 7 } as const
const genericNatsMax = 1

function compareRarity({ name }: LinkRow, getWeight: WordWeight): ComparisonLevels['rarity'] {
  let nats = 0
  for (const word of new Set(name.tokens)) {
    const weight = getWeight(word)
    nats += isGenericWord(word) || isLightWord(word) ? Math.min(weight, genericNatsMax) : weight
  }
  if (nats >= rarityNats.veryRare) return 'very_rare'
  if (nats >= rarityNats.rare) return 'rare'
  return nats >= rarityNats.telling ? 'telling' : 'everyday'
}

function listOthers(a: LinkRow, b: LinkRow, group: readonly LinkRow[]): LinkRow[] {
  return group.filter(
    ({ entityNumber, sourceNumber }) =>
      entityNumber !== a.entityNumber &&
      entityNumber !== b.entityNumber &&
      (sourceNumber === a.sourceNumber || sourceNumber === b.sourceNumber),
  )
}

function compareUniqueness(
  a: LinkRow,
  b: LinkRow,
  group: readonly LinkRow[],
): ComparisonLevels['uniqueness'] {
  const namesakes = listOthers(a, b, group).filter(
    (other) => isOneFullName(other, a) || isOneFullName(other, b),
  )
  if (namesakes.length === 0) return 'only'
  const fitting = namesakes.filter(
    (other) => findVetoes(other, other.sourceNumber === a.sourceNumber ? b : a).length === 0,
  )
  return fitting.length === 0 ? 'only_that_fits' : 'several'
}

function compareFamily(a: LinkRow, b: LinkRow, group: readonly LinkRow[]): ComparisonLevels['family'] {
  const isOtherForm = (other: LinkRow) => !isOneFullName(other, a) && !isOneFullName(other, b)
  return listOthers(a, b, group).some(isOtherForm) ? 'several_forms' : 'alone'
}

/** Compares countries of registration if both are stated, otherwise those of registration and seat. */
function compareCountries(a: StatedFacts, b: StatedFacts): 'same' | 'unknown' | 'other' {
  if (a.homes.size > 0 && b.homes.size > 0) return shareAny(a.homes, b.homes) ? 'same' : 'other'
  const [ofA, ofB] = [listCountries(a), listCountries(b)]
  if (ofA.size === 0 || ofB.size === 0) return 'unknown'
  return shareAny(ofA, ofB) ? 'same' : 'other'
}

function listCountries({ homes, seat }: StatedFacts): ReadonlySet<string> {
  return seat === '' ? homes : new Set([...homes, seat])
}

function shareAny(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true
  return false
}

function compareStates(a: LinkRow, b: LinkRow): ComparisonLevels['state'] {
  if (a.homeState === '' || a.homeState !== b.homeState) return 'unknown'
  return a.homeState === 'US-DE' ? 'delaware' : 'same'
}

function comparePlaces(a: LinkRow, b: LinkRow): ComparisonLevels['place'] {
  const [one, other] = [a.place, b.place]
  if (one === null || other === null || (a.seat !== '' && b.seat !== '' && a.seat !== b.seat))
    return 'unknown'
  if (one.postal !== '' && one.postal === other.postal) return 'postcode'
  const isRegionKnown = one.region !== '' && other.region !== ''
  if (isRegionKnown && one.region !== other.region) return 'other_region'
  if (one.city !== '' && one.city === other.city) return 'town'
  if (isRegionKnown) return 'region'
  return one.city !== '' && other.city !== '' ? 'other_town' : 'unknown'
}

/** Forms in English are used worldwide, as are forms without a country. */
const englishForm = /limited|company|corporation|incorporated|^(?:llc|llp|lp|plc|na|dac|ulc)$/

function compareFormCountries(a: LinkRow, b: LinkRow): ComparisonLevels['form_country'] {
  if (a.formKey !== b.formKey || a.formKey === '') return 'unknown'
  const known = new Set([...listCountries(a), ...listCountries(b)])
  const countries = getDistinctiveCountries(a.name.formCountries)
  if (countries.some((country) => known.has(country))) return 'fits'
  if (englishForm.test(a.formKey)) return compareCountries(a, b) === 'unknown' ? 'worldwide' : 'unknown'
  return countries.length === 0 || known.size === 0 ? 'unknown' : 'elsewhere'
}

const yearDays = 366
const dayMs = 86_400_000
/** Numbers give the month only roughly, and groups register companies before they reorganize. */
const tooLateYears = 2

function compareFormation(a: LinkRow, b: LinkRow): ComparisonLevels['formed'] {
  if (isFormedAfter(a, b) || isFormedAfter(b, a)) return 'too_late'
  if (a.formedOn === null || b.formedOn === null) return 'unknown'
  if (a.formedOn === b.formedOn) return 'same_day'
  const apartMs = Math.abs(Date.parse(a.formedOn) - Date.parse(b.formedOn))
  return apartMs > yearDays * dayMs ? 'other_year' : 'unknown'
}

function isFormedAfter({ formedAfter }: LinkRow, { registeredBy }: LinkRow): boolean {
  if (formedAfter === null || registeredBy === null) return false
  const [year = '', month = ''] = registeredBy.split('-')
  return formedAfter > `${Number(year) + tooLateYears}-${month}`
}

function compareTaxNumbers(a: LinkRow, b: LinkRow): ComparisonLevels['tax_number'] {
  if (a.taxNumbers.size === 0 || b.taxNumbers.size === 0) return 'unknown'
  return shareAny(a.taxNumbers, b.taxNumbers) ? 'same' : 'other'
}
