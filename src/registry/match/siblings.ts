import type { CandidateName } from './candidate.js'
import { hasTown, type PlaceAgreement } from './place-agreement.js'
import type { NameComparison } from './compare-names.js'
import { isCountryLeft, type Evidence, type SiblingCounts } from './evidence.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import type { Vocabulary } from './vocabulary.js'

/** Higher ranks agree better. */
export const placeRank = {
  postal: 4,
  city: 3,
  region: 2,
  country: 1,
  none: 1,
  registered_there: 1,
  registered_elsewhere: 1,
  form_of_country: 1,
  town_abroad: 1,
  region_conflict: 0,
  country_conflict: 0,
} as const satisfies Record<PlaceAgreement, number>

const isAbroad = (place: PlaceAgreement): boolean =>
  place === 'registered_elsewhere' || place === 'country_conflict' || place === 'town_abroad'

/** Evidence before the other companies were counted. */
export type EvidencePair = Omit<Evidence, 'siblings'>

/** Among companies of one name, a town next to it in the text is as good as one in a field: "Larkmoor Ltd, Leeds". */
export function withTownsOfText(pairs: readonly EvidencePair[]): readonly EvidencePair[] {
  const whole = pairs.flatMap(({ comparison: one }) => (one.matchType === 'exact' ? [one.candidate] : []))
  const hasNamesake = ({ coreKey: key, entityNumber: own }: CandidateName) =>
    whole.some((one) => one.coreKey === key && one.entityNumber !== own)
  const open = /^(?:none|region|country|registered_there)$/
  return pairs.map((pair) => {
    const { candidate, matchType, left } = pair.comparison
    const isOpen = pair.hint?.namesTown !== true && open.test(pair.place)
    const words = left.filter(({ role, position }) => role === 'place' && position !== 'inside')
    if (words.length === 0 || matchType !== 'exact' || !isOpen || !hasNamesake(candidate)) return pair
    const towns = [...words.map(({ word }) => word.text), words.map(({ word }) => word.text).join('')]
    return hasTown(new Set(towns), candidate.place) ? { ...pair, place: 'city' } : pair
  })
}

interface PlacedCompany {
  readonly rank: number
  readonly isListed: boolean
}

/** Counts the companies with the same name, with a name that begins alike, and with a name the text may be truncated from. */
export function countSiblings(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (pair: EvidencePair) => SiblingCounts {
  const exact = new Map<string, Map<number, number>>()
  const namedSo = new Map<string, Set<number>>()
  const formed = new Map<string, Set<number>>()
  const completed = new Set<number>()
  const series = new Set<number>()
  const beginnings = new Map<string, Map<number, PlacedCompany>>()
  for (const { comparison, place } of pairs) {
    const { matchType, candidate, isTruncated, isOneOfSeries, text, form, isFormStated } = comparison
    if (matchType === 'exact') {
      if (!isAbroad(place))
        getOrCreate(namedSo, candidate.coreKey, () => new Set<number>()).add(candidate.entityNumber)
      raiseRank(
        getOrCreate(exact, candidate.coreKey, () => new Map<number, number>()),
        candidate,
        placeRank[place],
      )
      if (form === 'same' && isFormStated)
        getOrCreate(formed, candidate.coreKey, () => new Set<number>()).add(candidate.entityNumber)
    }
    if (matchType === 'completed') completed.add(candidate.entityNumber)
    // A text that ends with a number identifies one member of the series.
    if (isTruncated && isOneOfSeries && !isNumberWord(text.words.at(-1)?.text ?? ''))
      series.add(candidate.entityNumber)
    const head = getHead(comparison)
    if (head === null) continue
    const companies = getOrCreate(beginnings, head, () => new Map<number, PlacedCompany>())
    const rank = Math.max(companies.get(candidate.entityNumber)?.rank ?? 0, placeRank[place])
    companies.set(candidate.entityNumber, { rank, isListed: candidate.prominence.tickers !== '' })
  }
  const ownsWord = createOwnershipCheck(pairs, vocabulary)
  const familyCount = countFamily(pairs)
  const headCounts = new Map([...beginnings].map(([head, companies]) => [head, countPlaced(companies)]))
  return ({ comparison, place }) => {
    const { candidate, rarestWord, form } = comparison
    const head = getHead(comparison)
    const {
      count = 0,
      listedCount = 0,
      countFrom = [],
    } = (head === null ? undefined : headCounts.get(head)) ?? {}
    const sameForm = formed.get(candidate.coreKey)?.size ?? 0
    return {
      exactCount: exact.get(candidate.coreKey)?.size ?? 0,
      namedSoCount:
        head === null || candidate.coreKey === head.replaceAll(' ', '')
          ? 0
          : (namedSo.get(head.replaceAll(' ', ''))?.size ?? 0),
      betterPlacedCount: countBetter(exact.get(candidate.coreKey), candidate, placeRank.region),
      betterFormCount: form === 'same' ? 0 : sameForm,
      completedCount: completed.size,
      seriesCount: series.size,
      familyCount,
      prefixCount: Math.max(1, count),
      listedPrefixCount: listedCount,
      placedPrefixCount: countFrom[placeRank[place]] ?? 0,
      townPrefixCount: countFrom[placeRank.city] ?? 0,
      ownsRarestWord: rarestWord !== null && ownsWord(candidate.entityNumber, rarestWord),
    }
  }
}

/** The words of the name that the text has, if the name begins with them. */
function getHead({ alignment, candidate, isTailMissing }: NameComparison): string | null {
  if (alignment.missing.length > 0 && !isTailMissing) return null
  return candidate.tokens.slice(0, candidate.tokens.length - alignment.missing.length).join(' ')
}

/** Counts the companies, the listed ones, and those with at least each rank of place. */
function countPlaced(companies: ReadonlyMap<number, PlacedCompany>) {
  const placed = [...companies.values()]
  return {
    count: placed.length,
    listedCount: placed.filter(({ isListed }) => isListed).length,
    countFrom: Array.from(
      { length: placeRank.postal + 1 },
      (_, least) => placed.filter(({ rank }) => rank >= least).length,
    ),
  }
}

/** The registration with the best place counts for a company. */
function raiseRank(ranks: Map<number, number>, { entityNumber }: CandidateName, rank: number): void {
  ranks.set(entityNumber, Math.max(ranks.get(entityNumber) ?? 0, rank))
}

/** Counts companies with at least `rankMin` and a better place than this one: sharing a country is not distinctive. */
function countBetter(
  ranks: ReadonlyMap<number, number> = new Map(),
  { entityNumber }: CandidateName,
  rankMin: number,
): number {
  const own = ranks.get(entityNumber) ?? 0
  return [...ranks.values()].filter((rank) => rank >= rankMin && rank > own).length
}

/** Counts companies whose names begin with the first two words of the text, as in a family of funds. */
function countFamily(pairs: readonly EvidencePair[]): number {
  const [first, second] = (pairs[0]?.comparison.text.words ?? []).filter(
    ({ wordClass }) => wordClass !== 'stop',
  )
  if (first === undefined || second === undefined) return 0
  const members = pairs.filter(
    ({ comparison: { candidate } }) =>
      candidate.tokens[0] === first.text && candidate.tokens[1] === second.text,
  )
  return new Set(members.map(({ comparison }) => comparison.candidate.entityNumber)).size
}

/** Returns a check whether one company has all names with a word, as far as they were found. */
function createOwnershipCheck(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (entityNumber: number, word: string) => boolean {
  const names = new Map<number, Set<CandidateName>>()
  for (const { comparison } of pairs)
    getOrCreate(names, comparison.candidate.entityNumber, () => new Set()).add(comparison.candidate)
  return (entityNumber, word) => {
    const total = vocabulary.countNames(word)
    if (vocabulary.estimateCount(word) > ownedNamesMax) return false
    const own = [...(names.get(entityNumber) ?? [])].filter(({ tokens }) => tokens.includes(word))
    return own.length >= total
  }
}

/** A word in more names belongs to several companies. */
const ownedNamesMax = 8

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

const otherForms = new Set<string>(['soft_conflict', 'hard_conflict', 'foreign'])
/**
 * Returns what a text with the name of a company states that is not the company's: a legal form, or a country. Then it may
 * name another company of the group. `null` if neither differs.
 */
export function findGroupDifference(comparison: NameComparison): 'form' | 'country' | null {
  if (isCountryLeft({ comparison })) return 'country'
  return comparison.isFormStated && otherForms.has(comparison.form) ? 'form' : null
}
