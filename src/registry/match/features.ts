import type { ScoredName } from './score.js'

/** How the company decided for stands among the others that were found. */
export interface MarginFeatures {
  /** Other companies that fit as well. */
  readonly rivalCount: number
  /** Points to the next other company; `marginPointsMax` where there is none near. */
  readonly marginPoints: number
}

export const marginPointsMax = 12

/** A name weighs from 2 (one everyday word) to 40 (five rare ones); beyond this more changes nothing. */
const tellingWeightMax = 25

type Fact = (best: ScoredName, margin: MarginFeatures) => number | boolean

const isPlaced = ({ place }: ScoredName) => place === 'postal' || place === 'city'
const isNear = ({ matchType }: ScoredName) => matchType === 'near'

/** What the probability is made of. Yes is 1, no is 0; the others stay within about 0 to 3. */
const facts = {
  always: () => 1,
  // How the name agrees.
  completed: ({ matchType }) => matchType === 'completed',
  missing: ({ missingShare }) => missingShare * 2,
  acronym: ({ matchType }) => matchType === 'acronym',
  near: (best) => isNear(best),
  difference: ({ similarity }) => (1 - similarity) * 5,
  partRead: ({ variant }) => variant === 'part',
  cutRead: ({ variant }) => variant === 'cut',
  asideRead: ({ variant }) => variant === 'aside',
  wordsOnOneSide: (best) => isNear(best) && best.isSubset,
  lightWordsOnOneSide: ({ isLonger }) => isLonger,
  misspelled: ({ isMisspelled }) => isMisspelled,
  beginsOtherwise: ({ firstAgrees }) => !firstAgrees,
  numbersDiffer: ({ numbersAgree }) => !numbersAgree,
  oneOfSeries: ({ isOneOfSeries }) => isOneOfSeries,
  otherName: ({ candidate }) => candidate.kind === 'other',
  formerName: ({ candidate }) => candidate.kind === 'former',
  fullLegalName: ({ isFullLegalName }) => isFullLegalName,
  // The legal form.
  unstatedPartnership: ({ form }) => form === 'unstated_partnership',
  formSoftConflict: ({ form }) => form === 'soft_conflict',
  formHardConflict: ({ form }) => form === 'hard_conflict',
  // How rare the name is.
  telling: ({ tellingWeight }) => Math.min(tellingWeight, tellingWeightMax) / 10,
  generic: ({ isGeneric }) => isGeneric,
  oneWord: ({ candidate }) => candidate.tokens.length === 1,
  // The place.
  placed: (best) => isPlaced(best),
  sameRegion: ({ place }) => place === 'region',
  sameCountry: ({ place }) => place === 'country',
  townAbroad: ({ place }) => place === 'town_abroad',
  otherRegion: ({ place }) => place === 'region_conflict',
  otherCountry: ({ place }) => place === 'country_conflict',
  nearAndPlaced: (best) => isNear(best) && isPlaced(best),
  oneSidedAndPlaced: (best) => isNear(best) && best.isSubset && isPlaced(best),
  // The others.
  rivals: (_best, { rivalCount }) => Math.log2(1 + rivalCount),
  closeSecond: (_best, { marginPoints }) => 1 - Math.min(marginPoints, marginPointsMax) / marginPointsMax,
} as const satisfies Record<string, Fact>

export type FeatureName = keyof typeof facts

export const featureNames = Object.keys(facts) as FeatureName[]

/** The facts of a match as numbers, in the order of `featureNames`. */
export function featuresOf(best: ScoredName, margin: MarginFeatures): number[] {
  return featureNames.map((name) => Number((facts[name] as Fact)(best, margin)))
}
