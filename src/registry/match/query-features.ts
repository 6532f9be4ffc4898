import type { LocationHint } from './place.js'
import type { Vocabulary } from './vocabulary.js'

/** What is known of a query before any company is looked at. */
export interface QueryFacts {
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
