import type { NameComparison } from './compare-names.js'
import type { LocationHint, PlaceAgreement } from './place-agreement.js'
import type { Vocabulary } from './vocabulary.js'

/** The companies among which one is chosen, as far as a name's evidence depends on the others. */
export interface Siblings {
  /** Companies with a name of this very core. */
  readonly exactCount: number
  /** Companies in the very town asked for whose names go on from this one. */
  readonly longerThereCount: number
  /** Companies of this very core that agree with the place better than this one does. */
  readonly betterPlacedCount: number
  /** Companies that have a name which begins with the variant's words, this one included. */
  readonly prefixCount: number
  readonly listedPrefixCount: number
  /** Of those with such a name, how many agree with the place as well as this one does. */
  readonly placedPrefixCount: number
  /** Companies whose names the text may have been cut out of. */
  readonly completedCount: number
  /** Of these, one of a series each, with its number behind the end of the column. */
  readonly seriesCount: number
  /** Companies found whose names begin with the first two words of the text: the more, the likelier is one not held. */
  readonly familyCount: number
  /** How few names the registry holds; see Vocabulary. */
  readonly fewness: number
  /** No other company has the rarest word in common in its name. */
  readonly ownsRarestWord: boolean
}

/** All that is known of one company for one query. */
export interface Evidence {
  readonly comparison: NameComparison
  readonly place: PlaceAgreement
  readonly hint: LocationHint | null
  readonly siblings: Siblings
  /** Words of the caller's context that are known of the company besides its name. */
  readonly contextCount: number
}

/** What is known of a query before any company is looked at. */
interface QueryFacts {
  readonly tokens: readonly string[]
  readonly isFormStated: boolean
  readonly isTruncated: boolean
  readonly hint: LocationHint | null
  readonly vocabulary: Vocabulary
}

type QueryFeature = (facts: QueryFacts) => number | boolean

export const capped = (value: number, max: number): number => Math.min(value, max)
export const tenths = (weight: number, max: number): number => capped(weight, max) / 10
export const wantsTown = (hint: LocationHint | null): boolean => hint?.namesTown ?? false

/** Of "none of them": what a query says of whether its company is in the registry at all. */
const queryFeatures = {
  always: () => 1,
  formStated: ({ isFormStated }) => isFormStated,
  oneWord: ({ tokens }) => tokens.length === 1,
  words: ({ tokens }) => capped(tokens.length, 8) / 4,
  unknownWords: ({ tokens, vocabulary }) =>
    capped(tokens.filter((word) => vocabulary.expectedCount(word) === 0).length, 3),
  rarity: ({ tokens, vocabulary }) =>
    tenths(
      tokens.reduce((sum, word) => sum + vocabulary.weight(word), 0),
      40,
    ),
  rarest: ({ tokens, vocabulary }) =>
    tenths(Math.max(0, ...tokens.map((word) => vocabulary.weight(word))), 12),
  // Words of many names that none held has: the registry covers little of what is asked for.
  missingWords: ({ tokens, vocabulary }) =>
    capped(
      tokens.filter((word) => vocabulary.nameCount(word) === 0 && vocabulary.expectedCount(word) > 0).length,
      3,
    ),
  fewHeld: ({ vocabulary }) => vocabulary.fewness,
  columnCut: ({ isTruncated }) => isTruncated,
  noLocation: ({ hint }) => hint === null,
  townStated: ({ hint }) => wantsTown(hint),
  britain: ({ hint }) => hint?.countries.has('GB') ?? false,
  america: ({ hint }) => hint?.countries.has('US') ?? false,
} as const satisfies Record<string, QueryFeature>

export type QueryFeatureName = keyof typeof queryFeatures
export const queryFeatureNames = Object.keys(queryFeatures) as QueryFeatureName[]
const queryFeatureList: readonly QueryFeature[] = Object.values(queryFeatures)

/** In the order of `queryFeatureNames`. */
export function queryFeaturesOf(facts: QueryFacts): number[] {
  return queryFeatureList.map((feature) => Number(feature(facts)))
}

/**
 * What an answer rests on: how often answers of one share are right differs between these. `exact_told`: the name, and a
 * legal form or a town besides. `part`: the name goes on, or the text does. `part_weak`: a text of a single word begins the
 * name, and a town is asked for that is not known to be the company's; or the text goes on with words that tell another
 * company, or a country. `near`: they are only alike. `piece`: of the text only a piece is looked at.
 */
export const evidenceKinds = ['exact_told', 'exact', 'part', 'part_weak', 'near', 'piece'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

const wholeKinds: ReadonlySet<string> = new Set(['whole', 'cut', 'mended', 'security'])

export function evidenceKindOf({ comparison, place, hint }: Evidence): EvidenceKind {
  const { variant, matchType, form, queryLeftover } = comparison
  const isInTown = place === 'postal' || place === 'city'
  if (!wholeKinds.has(variant.kind)) return 'piece'
  if (matchType === 'exact') return form === 'same' || isInTown ? 'exact_told' : 'exact'
  if (matchType === 'near') return 'near'
  const isElsewhere = variant.tokens.length === 1 && wantsTown(hint) && !isInTown
  const saysMore = queryLeftover.soft + queryLeftover.hard + queryLeftover.country > 0
  return isElsewhere || saysMore ? 'part_weak' : 'part'
}
