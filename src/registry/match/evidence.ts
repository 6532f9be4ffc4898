import type { NameComparison } from './compare-names.js'
import { isInCountry, type PlaceAgreement } from './candidate.js'
import type { LocationHint } from './parse-location.js'
import type { Vocabulary } from './vocabulary.js'

/** Facts about the other companies found, on which the evidence of a name depends. */
export interface SiblingCounts {
  /** Companies with a name of the same core. */
  readonly exactCount: number
  /** Companies in the town of the query whose names continue this one. */
  readonly longerThereCount: number
  /** Companies of the same core that agree better with the place. */
  readonly betterPlacedCount: number
  /** Companies with a name that begins with the variant's words, including this one. */
  readonly prefixCount: number
  readonly listedPrefixCount: number
  /** How many of these agree with the place at least as well as this one. */
  readonly placedPrefixCount: number
  /** Companies whose names the text may be truncated from. */
  readonly completedCount: number
  /** How many of these belong to a series, with the number cut off. */
  readonly seriesCount: number
  /**
   * Companies whose names begin with the first two words of the text: the more, the likelier a missing one is meant.
   */
  readonly familyCount: number
  /** How few names the registry has; see Vocabulary. */
  readonly fewness: number
  /** No other company has the rarest word in common in its name. */
  readonly ownsRarestWord: boolean
}

/** The evidence for one company and one query. */
export interface Evidence {
  readonly comparison: NameComparison
  readonly place: PlaceAgreement
  readonly hint: LocationHint | null
  readonly siblings: SiblingCounts
  /** Number of context words that the company's facts contain, apart from its name. */
  readonly contextCount: number
}

/** Facts of a query that do not depend on candidates. */
interface QueryFacts {
  readonly tokens: readonly string[]
  readonly isFormStated: boolean
  readonly isTruncated: boolean
  readonly hint: LocationHint | null
  readonly vocabulary: Vocabulary
}

type QueryFeature = (facts: QueryFacts) => number | boolean

export const cap = (value: number, max: number): number => Math.min(value, max)
export const toTenths = (weight: number, max: number): number => cap(weight, max) / 10
export const hasTown = (hint: LocationHint | null): boolean => hint?.namesTown ?? false

/** Features of "no match": evidence on whether the company is in the registry at all. */
const queryFeatures = {
  always: () => 1,
  formStated: ({ isFormStated }) => isFormStated,
  oneWord: ({ tokens }) => tokens.length === 1,
  words: ({ tokens }) => cap(tokens.length, 8) / 4,
  unknownWords: ({ tokens, vocabulary }) =>
    cap(tokens.filter((word) => vocabulary.estimateCount(word) === 0).length, 3),
  rarity: ({ tokens, vocabulary }) =>
    toTenths(
      tokens.reduce((sum, word) => sum + vocabulary.weight(word), 0),
      40,
    ),
  rarest: ({ tokens, vocabulary }) =>
    toTenths(Math.max(0, ...tokens.map((word) => vocabulary.weight(word))), 12),
  // Usually common words that the registry lacks: it covers little of the queried field.
  missingWords: ({ tokens, vocabulary }) =>
    cap(
      tokens.filter((word) => vocabulary.countNames(word) === 0 && vocabulary.estimateCount(word) > 0).length,
      3,
    ),
  fewHeld: ({ vocabulary }) => vocabulary.fewness,
  columnCut: ({ isTruncated }) => isTruncated,
  noLocation: ({ hint }) => hint === null,
  townStated: ({ hint }) => hasTown(hint),
  britain: ({ hint }) => hint?.countries.has('GB') ?? false,
  america: ({ hint }) => hint?.countries.has('US') ?? false,
} as const satisfies Record<string, QueryFeature>

export type QueryFeatureName = keyof typeof queryFeatures
export const queryFeatureNames = Object.keys(queryFeatures) as QueryFeatureName[]
const queryFeatureList: readonly QueryFeature[] = Object.values(queryFeatures)

/** Computes the features of "no match" for a query, in the order of `queryFeatureNames`. */
export function computeQueryFeatures(facts: QueryFacts): number[] {
  return queryFeatureList.map((feature) => Number(feature(facts)))
}

/**
 * The kind of evidence for an answer. Answers of one share are right at a different rate for each kind. `exact_told`: the
 * name, with its legal form or its town. `part`: the name or the text has more words. `part_weak`: the query is one word that
 * begins the name and its town is not known to be the company's; or the text has more words that identify another company,
 * or a country. `near`: a similar name. `piece`: only a piece of the text. `abroad`: the company's country does not have the
 * legal form of the query, or the query is its bare name in another country.
 */
export const evidenceKinds = ['exact_told', 'exact', 'part', 'part_weak', 'near', 'piece', 'abroad'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

/**
 * Other companies whose names fit a text as well, among 100,000 names: averages, counted in registers of that size by the
 * number of words and whether all of them are usual in names. `whole`: the text is the whole name; `part`: another match.
 */
const likeNames = {
  whole: { oneUsual: 0.3, oneRare: 0.04, allUsual: 0.06, someRare: 0.02 },
  part: { oneUsual: 10, oneRare: 0.8, allUsual: 9, someRare: 0.3 },
} as const

/** Returns how many companies that fit the text as well a small registry lacks, on average; 0 from 100,000 names. */
export function estimateUnseenRivals(
  { variant: { tokens }, matchType }: NameComparison,
  vocabulary: Vocabulary,
): number {
  const counts = likeNames[matchType === 'exact' || matchType === 'completed' ? 'whole' : 'part']
  const isUsual = tokens.every((word) => vocabulary.isUsual(word))
  const count =
    tokens.length === 1 ? counts[isUsual ? 'oneUsual' : 'oneRare'] : counts[isUsual ? 'allUsual' : 'someRare']
  return count * vocabulary.unseenShare
}

const wholeKinds: ReadonlySet<string> = new Set(['whole', 'cut', 'mended', 'security'])

export function classifyEvidence(evidence: Evidence): EvidenceKind {
  const { comparison, place, hint } = evidence
  const { variant, matchType, form, queryLeftover } = comparison
  const isInTown = place === 'postal' || place === 'city'
  if (isAbroad(evidence)) return 'abroad'
  if (!wholeKinds.has(variant.kind)) return 'piece'
  if (matchType === 'exact') {
    if (form === 'same' || isInTown) return 'exact_told'
    return isCommonNickname(comparison) || hasNamesakesThere(evidence) ? 'part_weak' : 'exact'
  }
  if (matchType === 'near') return 'near'
  const isElsewhere = variant.tokens.length === 1 && hasTown(hint) && !isInTown
  const saysMore = queryLeftover.soft + queryLeftover.hard + queryLeftover.country > 0
  return isElsewhere || saysMore ? 'part_weak' : 'part'
}

/** Weight of a word that is in more than one of 1,000 names. */
const commonWeightMax = 7

/** A single common word, like "United", that is not the registered name: many companies are called so somewhere. */
const isCommonNickname = ({ variant, candidate, rarestWeight }: NameComparison): boolean =>
  candidate.kind !== 'legal' && variant.tokens.length === 1 && rarestWeight < commonWeightMax

/** One word, and companies in the town of the query have longer names with it: "Ipsos" in London is not "IPSOS/ADR". */
const hasNamesakesThere = ({ comparison: { variant }, place, siblings }: Evidence): boolean =>
  variant.tokens.length === 1 && !isInCountry(place) && siblings.longerThereCount > 0

function isAbroad({ comparison, place }: Evidence): boolean {
  const { variant, matchType, form, isFormStated, candidate } = comparison
  if (form === 'foreign') return true
  if (matchType !== 'exact' || place !== 'country_conflict' || isFormStated) return false
  // One word is also the name of other companies.
  if (variant.tokens.length === 1) return true
  const isWholeLegalName = candidate.kind === 'legal' && variant.fullKey === candidate.fullKey
  // The name of a listed company is known in other countries too.
  return !isWholeLegalName && !candidate.prominence.isListed
}
