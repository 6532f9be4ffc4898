import { isGenericWord, isLightWord } from '../normalize/generic-words.js'
import { tellingCountries } from '../normalize/legal-forms.js'
import type { LinkRow, StatedFacts } from './link-row.js'
import { matchWeightOf, type ComparisonLevels, type Veto } from './match-weights.js'

/** How much a word tells, in nats: the logarithm of how few names hold it. */
export type WordWeight = (word: string) => number

/** Two registrations of different sources compared. */
export interface Comparison {
  readonly a: LinkRow
  readonly b: LinkRow
  readonly levels: ComparisonLevels
  readonly bits: number
  readonly vetoes: readonly Veto[]
}

/** `group`: all registrations whose names have one core, those two among them. */
export function compareRows(
  a: LinkRow,
  b: LinkRow,
  group: readonly LinkRow[],
  weightOf: WordWeight,
): Comparison {
  const levels: ComparisonLevels = {
    name: nameLevel(a, b),
    rarity: a.isPerson || b.isPerson ? 'everyday' : rarityLevel(a, weightOf),
    uniqueness: uniquenessLevel(a, b, group),
    family: familyLevel(a, b, group),
    country: countryLevel(a, b) === 'same' ? 'same' : 'unknown',
    state: stateLevel(a, b),
    place: placeLevel(a, b),
    form_country: formCountryLevel(a, b),
    prominence: a.isProminent || b.isProminent ? 'listed' : 'unknown',
    formed: formedLevel(a, b),
    tax_number: taxLevel(a, b),
    standing: a.hasEnded === b.hasEnded ? 'equal' : 'one_ended',
  }
  return { a, b, levels, bits: matchWeightOf(levels), vetoes: vetoesOf(a, b) }
}

/** What two registrations state that one company cannot be, the most telling first. */
export function vetoesOf(a: StatedFacts, b: StatedFacts): Veto[] {
  const found: Veto[] = []
  if (a.isBritishBranch || b.isBritishBranch) found.push('british_branch')
  if (numbersDiffer(a, b)) found.push('other_numbers')
  if (countryLevel(a, b) === 'other') found.push('other_country')
  if (a.homeState !== '' && b.homeState !== '' && a.homeState !== b.homeState) found.push('other_state')
  if (a.numbers !== b.numbers) found.push('other_series')
  return found
}

/** In a register that numbers both, none of the numbers of one is one of the other's. */
function numbersDiffer(a: StatedFacts, b: StatedFacts): boolean {
  for (const [register, numbers] of a.numbersByRegister) {
    const others = b.numbersByRegister.get(register)
    if (others !== undefined && !shareAny(numbers, others)) return true
  }
  return false
}

function isOneFullName(a: LinkRow, b: LinkRow): boolean {
  return a.name.bareKey === b.name.bareKey && a.formKey === b.formKey
}

function nameLevel(a: LinkRow, b: LinkRow): ComparisonLevels['name'] {
  if (a.formKey !== b.formKey) {
    const isOneBare = a.formKey === '' || b.formKey === ''
    return isOneBare && a.name.bareKey === b.name.bareKey ? 'form_on_one_side' : 'other_form'
  }
  if (a.name.bareKey !== b.name.bareKey) return 'abbreviated'
  return a.formKey === '' ? 'full_without_form' : 'full'
}

/** Nats of all words together; a word that names a trade or a shape tells next to nothing beside another. */
const rarityNats = { veryRare: 16, rare: 9, telling: 7 } as const
const genericNatsMax = 1

function rarityLevel({ name }: LinkRow, weightOf: WordWeight): ComparisonLevels['rarity'] {
  let nats = 0
  for (const word of new Set(name.tokens)) {
    const weight = weightOf(word)
    nats += isGenericWord(word) || isLightWord(word) ? Math.min(weight, genericNatsMax) : weight
  }
  if (nats >= rarityNats.veryRare) return 'very_rare'
  if (nats >= rarityNats.rare) return 'rare'
  return nats >= rarityNats.telling ? 'telling' : 'everyday'
}

function othersOf(a: LinkRow, b: LinkRow, group: readonly LinkRow[]): LinkRow[] {
  return group.filter(
    ({ entityNumber, sourceNumber }) =>
      entityNumber !== a.entityNumber &&
      entityNumber !== b.entityNumber &&
      (sourceNumber === a.sourceNumber || sourceNumber === b.sourceNumber),
  )
}

function uniquenessLevel(a: LinkRow, b: LinkRow, group: readonly LinkRow[]): ComparisonLevels['uniqueness'] {
  const namesakes = othersOf(a, b, group).filter(
    (other) => isOneFullName(other, a) || isOneFullName(other, b),
  )
  if (namesakes.length === 0) return 'only'
  const fitting = namesakes.filter(
    (other) => vetoesOf(other, other.sourceNumber === a.sourceNumber ? b : a).length === 0,
  )
  return fitting.length === 0 ? 'only_that_fits' : 'several'
}

function familyLevel(a: LinkRow, b: LinkRow, group: readonly LinkRow[]): ComparisonLevels['family'] {
  const isOtherForm = (other: LinkRow) => !isOneFullName(other, a) && !isOneFullName(other, b)
  return othersOf(a, b, group).some(isOtherForm) ? 'several_forms' : 'alone'
}

/** Two homes are compared where both are stated; else whatever is known of either, home or seat. */
function countryLevel(a: StatedFacts, b: StatedFacts): 'same' | 'unknown' | 'other' {
  if (a.homes.size > 0 && b.homes.size > 0) return shareAny(a.homes, b.homes) ? 'same' : 'other'
  const [ofA, ofB] = [countriesOf(a), countriesOf(b)]
  if (ofA.size === 0 || ofB.size === 0) return 'unknown'
  return shareAny(ofA, ofB) ? 'same' : 'other'
}

function countriesOf({ homes, seat }: StatedFacts): ReadonlySet<string> {
  return seat === '' ? homes : new Set([...homes, seat])
}

function shareAny(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true
  return false
}

function stateLevel(a: LinkRow, b: LinkRow): ComparisonLevels['state'] {
  if (a.homeState === '' || a.homeState !== b.homeState) return 'unknown'
  return a.homeState === 'US-DE' ? 'delaware' : 'same'
}

function placeLevel(a: LinkRow, b: LinkRow): ComparisonLevels['place'] {
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

/** Forms of English words are used all over the world, and so are those of no country. */
const englishForm = /limited|company|corporation|incorporated|^(?:llc|llp|lp|plc|na|dac|ulc)$/

function formCountryLevel(a: LinkRow, b: LinkRow): ComparisonLevels['form_country'] {
  if (a.formKey !== b.formKey || a.formKey === '') return 'unknown'
  const known = new Set([...countriesOf(a), ...countriesOf(b)])
  const countries = tellingCountries(a.name.formCountries)
  if (countries.some((country) => known.has(country))) return 'fits'
  if (englishForm.test(a.formKey)) return countryLevel(a, b) === 'unknown' ? 'worldwide' : 'unknown'
  return countries.length === 0 || known.size === 0 ? 'unknown' : 'elsewhere'
}

const yearDays = 366
const dayMs = 86_400_000
/** Numbers tell the month about, and companies of a group are registered before they are formed anew. */
const tooLateYears = 2

function formedLevel(a: LinkRow, b: LinkRow): ComparisonLevels['formed'] {
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

function taxLevel(a: LinkRow, b: LinkRow): ComparisonLevels['tax_number'] {
  if (a.taxNumbers.size === 0 || b.taxNumbers.size === 0) return 'unknown'
  return shareAny(a.taxNumbers, b.taxNumbers) ? 'same' : 'other'
}
