import type { PlaceAgreement } from './candidate.js'
import type { NameComparison } from './compare-names.js'
import type { LocationHint } from './parse-location.js'
import type { Vocabulary } from './vocabulary.js'

/** Facts about the other companies found, on which the evidence of a name depends. */
export interface SiblingCounts {
  /** Companies with a name of the same core. */
  readonly exactCount: number
  /** Companies of the same core that agree better with the place. */
  readonly betterPlacedCount: number
  /** Companies of the same core with the legal form of the text, if this one has another. */
  readonly betterFormCount: number
  /** Companies with a name that begins with the words in common, including this one. */
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
  /** Rarity of a word in the registry. */
  readonly weigh: (word: string) => number
}

/**
 * The kind of evidence for an answer. `exact`: the text is the name. `within`: the text has more words. `part`: the name has more
 * words. `both`: each has more. `fuzzy`: words are spelled otherwise.
 */
export const evidenceKinds = ['exact', 'within', 'part', 'both', 'fuzzy'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

export function classifyEvidence({
  comparison: { looseWords, queryLeftover: q, nameLeftover: n, matchType },
}: Pick<Evidence, 'comparison'>): EvidenceKind {
  if (looseWords.length > 0 && matchType !== 'completed') return 'fuzzy'
  const isMore = q.hard + q.soft + q.light + q.number + q.place > 0
  const isLess = n.hard + n.soft + n.light + n.number + n.place > 0
  if (isMore && isLess) return 'both'
  if (isMore) return 'within'
  return isLess || matchType !== 'exact' ? 'part' : 'exact'
}

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
  { candidate: { tokens }, sharedCount, matchType }: NameComparison,
  vocabulary: Vocabulary,
): number {
  const counts = likeNames[matchType === 'exact' || matchType === 'completed' ? 'whole' : 'part']
  const isUsual = tokens.every((word) => vocabulary.isUsual(word))
  const count =
    sharedCount <= 1 ? counts[isUsual ? 'oneUsual' : 'oneRare'] : counts[isUsual ? 'allUsual' : 'someRare']
  return count * vocabulary.unseenShare
}
