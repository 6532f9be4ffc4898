import type { PlaceAgreement } from './place-agreement.js'
import { cap, type Evidence } from './evidence.js'
import { skipJoiningWords } from './other-words.js'
import type { NameComparison } from './compare-names.js'
import { isLargeCity } from '../normalize/places.js'
import { toStem } from '../normalize/normalize-name.js'
import { getUsualCount, hasOtherMeaning } from './word-classes.js'
import { isCountryWord } from './place-readings.js'
import { featureNames, partOfFeatures, type FeatureName, type FeaturePart } from './features.js'
import fittedModel from './fitted-model.json' with { type: 'json' }
import type { Vocabulary } from './vocabulary.js'

/**
 * A model in two stages. `company`: weights of a company's features; the sum is its score. `decision`: weights of the
 * features of the best company, compared with the others; the sum is the log-odds that it is right. From bench/fit-align.ts.
 */
export interface Model {
  readonly company: Readonly<Partial<Record<FeatureName, number>>>
  readonly decision: Readonly<Partial<Record<DecisionFeatureName, number>>>
}

/** A model as two arrays, in the order of the features. */
export interface Coefficients {
  readonly company: readonly number[]
  readonly decision: readonly number[]
}

/** A company with its evidence and its score. */
export interface ScoredCompany {
  readonly evidence: Evidence
  readonly features: readonly number[]
  readonly score: number
}

/** Features of the first stage that tell more about the best company than its score does. */
const repeatedNames = [
  'missingFormStated',
  'missingCountry',
  'tellingBeforeForm',
  'tellingInsideForm',
  'bodyLeft',
  'guest',
  'companyLeft',
  'countryLeft',
  'embedded',
  'fuzzyBoth',
  'kindExact',
  'kindWithin',
  'kindPart',
  'kindBoth',
  'kindFuzzy',
  'fullName',
  'foundForm',
  'foundFormOneWord',
  'foundApart',
  'completed',
  'prefix',
  'acronym',
  'equalShare',
  'missingGeneric',
  'missingTail',
  'tellingInside',
  'tellingApart',
  'genericBefore',
  'genericBehind',
  'placeBehind',
  'misspelledFirst',
  'misspelledAll',
  'fuzzyOneWord',
  'numbersDiffer',
  'formSoftConflict',
  'formHardConflict',
  'formForeign',
  'formForeignExact',
  'formConflictExact',
  'oneWordShort',
  'oneWordPart',
  'noTelling',
  'rarity',
  'family',
  'ownsRarest',
  'otherInTown',
  'postal',
  'city',
  'country',
  'noPlaceAsked',
  'registeredElsewhere',
  'otherCountry',
  'otherCountryWhole',
  'listed',
  'otherName',
  'formerName',
  'context',
] as const satisfies readonly FeatureName[]

const repeatedAt = repeatedNames.map((name) => featureNames.indexOf(name))

/** Features of the scores of all companies. */
const scoreFeatureNames = ['start', 'score', 'gap', 'rival', 'nearRivals', 'others', 'gapToOthers'] as const

export type DecisionFeatureName = (typeof scoreFeatureNames)[number] | (typeof repeatedNames)[number]
export const decisionFeatureNames: readonly DecisionFeatureName[] = [...scoreFeatureNames, ...repeatedNames]

export function toCoefficients(model: Model): Coefficients {
  return {
    company: featureNames.map((name) => model.company[name] ?? 0),
    decision: decisionFeatureNames.map((name) => model.decision[name] ?? 0),
  }
}

/** The coefficients in production. */
export const fittedCoefficients: Coefficients = toCoefficients(fittedModel)

/** Returns the dot product of features and coefficients, both in the same order. */
export function computeScore(features: readonly number[], coefficients: readonly number[]): number {
  let score = 0
  for (let at = 0; at < features.length; at++) score += (features[at] ?? 0) * (coefficients[at] ?? 0)
  return score
}

/** Scores beyond these tell nothing more. */
const scoreMax = 9
const bound = (score: number): number => Math.max(-scoreMax, Math.min(scoreMax, score))
/** In a registry of few companies none may be near. */
const rivalMin = -5
/** A rival whose score is less by at most this may be meant as well. */
const nearGap = 1.5
/** Stands for a company that was not found. */
const noneScore = -3

/** Returns the log of the sum of the odds, and of that of a company that was not found. */
export const sumScores = (scores: readonly number[]): number =>
  Math.log(scores.reduce((total, score) => total + Math.exp(bound(score)), Math.exp(noneScore)))

/**
 * Computes the features of the best company and of the scores of the others (without those that are the same company in another
 * register), in the order of `decisionFeatureNames`.
 */
export function computeDecisionFeatures(
  features: ArrayLike<number>,
  ownScore: number,
  otherScores: readonly number[],
): number[] {
  const score = bound(ownScore)
  const rival = otherScores.reduce((most, other) => Math.max(most, bound(other)), rivalMin)
  const others = sumScores(otherScores)
  const near = otherScores.filter((other) => bound(other) > score - nearGap).length
  return [
    1,
    score,
    cap(score - rival, scoreMax),
    rival,
    cap(near, 5),
    others,
    score - others,
    ...repeatedAt.map((at) => features[at] ?? 0),
  ]
}

export const toShare = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** Doubts that no list teaches: their weights are set by hand, in the score. */
const doubtsByHand = [
  'missingFormStated',
  'missingCountry',
  'tellingBeforeForm',
  'tellingInsideForm',
  'bodyLeft',
  'guest',
  'embedded',
  'fuzzyBoth',
  'formForeignExact',
  'oneWordShort',
  'pluralOneWord',
  'cutOneWord',
  'otherInTownOnly',
  'genericPart',
  'otherTownPart',
] as const satisfies readonly FeatureName[]
const doubtsAt = doubtsByHand.map((name) => featureNames.indexOf(name))

/**
 * Bounds the log-odds of the best company: of two that fit alike none is likelier than the other, and no company is much
 * likelier than its own score says, nor likelier at all with a doubt that is set by hand. `others`: the log of the sum of
 * the others' odds.
 */
export function boundLogOdds(
  logOdds: number,
  { features, score, others }: { features: ArrayLike<number>; score: number; others: number },
): number {
  const isDoubted = doubtsAt.some((at) => (features[at] ?? 0) > 0)
  const bounded = Math.min(logOdds, leadWeight * (score - others), score + (isDoubted ? 0 : trustMax))
  return bounded > acceptedFrom ? acceptedFrom + acceptedSlope * (bounded - acceptedFrom) : bounded
}

/** Bounded answers are right more often than their log-odds say, from the least that are accepted on. */
const acceptedFrom = 0.4
const acceptedSlope = 1.2
const leadWeight = 1.5
const trustMax = 2

/** Evidence for this company alone: another one of its name may be anywhere, and is seldom listed. */
const ownParts: ReadonlySet<FeaturePart> = new Set(['place', 'context'])
const prominenceParts: ReadonlySet<FeaturePart> = new Set(['listed', 'known to registers'])

/**
 * Other companies whose names fit a text as well, among 100,000 names: averages, counted in registers of that size by the
 * number of words and whether all of them are usual in names. `whole`: the text is the whole name; `part`: another match.
 */
const likeNames = {
  whole: { oneUsual: 0.3, oneRare: 0.04, allUsual: 0.06, someRare: 0.02 },
  part: { oneUsual: 10, oneRare: 0.8, allUsual: 9, someRare: 0.3 },
} as const

/** Number of texts with one more word of a name that name another company, for each one that names the company found. */
const longerNameCount = 0.8

/** The companies of like names that a small registry lacks: how many on average, 0 from 100,000 names; and whether they are in the place too. */
function estimateUnseenRivals(
  { place: agreement, comparison }: Evidence,
  vocabulary: Vocabulary,
): { count: number; areNear: boolean } {
  const { candidate, sharedCount, alignment, matchType } = comparison
  const shared = alignment.pairs.map(({ nameAt }) => candidate.tokens[nameAt] ?? '')
  const isOneWord = sharedCount - shared.filter(isCountryWord).length <= 1
  const isWhole = matchType === 'exact' || matchType === 'completed'
  const town = toStem(candidate.place.cityKey)
  const isOfTown = (word: string) => town.length > 3 && word.startsWith(town)
  const isUsual =
    isWhole || candidate.prominence.tickers === '' || candidate.kind === 'former'
      ? shared.every((word) => isOfTown(word) || vocabulary.isUsual(word))
      : candidate.tokens.every((word) => getUsualCount(word) > 0)
  const counts = likeNames[isWhole ? 'whole' : 'part']
  const count = isOneWord
    ? counts[isUsual ? 'oneUsual' : 'oneRare']
    : counts[isUsual ? 'allUsual' : 'someRare']
  const isBeginning = isOneWord && isUsual && !isWhole
  const areNear = isBeginning && (!/^(?:postal|city)$/.test(agreement) || shared.some(isOfTown))
  if (isPartOfLongerName(comparison))
    return { count: Math.max(count, longerNameCount) * vocabulary.unseenShare, areNear: true }
  return { count: count * vocabulary.unseenShare, areNear }
}

/**
 * Scores the companies of like names that a small registry lacks; `null` for a large one. Each would fit the text as well as
 * the company found, except for its place and its prominence: an exact name in another country says little if few names are held.
 */
export function scoreUnseen(
  { evidence, features, score }: ScoredCompany,
  vocabulary: Vocabulary,
  coefficients: Coefficients,
): number | null {
  const { count, areNear } = estimateUnseenRivals(evidence, vocabulary)
  if (count === 0) return null
  if (areNear) return score + Math.log(count)
  const own = sumParts(features, ownParts, coefficients) + elsewhereWeights[evidence.place]
  const prominence = Math.max(0, sumParts(features, prominenceParts, coefficients))
  const isListed = evidence.comparison.candidate.prominence.tickers !== ''
  return score - Math.max(0, own) - prominence - (isListed ? listedWeight : 0) + Math.log(count)
}

/** Doubt about a company elsewhere, if this one is in the place of the query: log-odds. */
const elsewhereWeights: Readonly<Record<PlaceAgreement, number>> = {
  postal: 4,
  city: 3,
  region: 2,
  country: 1,
  registered_there: 1,
  none: 0,
  form_of_country: 0,
  registered_elsewhere: 0,
  town_abroad: 0,
  region_conflict: 0,
  country_conflict: 0,
}
/** Few companies are listed. */
const listedWeight = 1

function sumParts(
  features: readonly number[],
  parts: ReadonlySet<FeaturePart>,
  { company }: Coefficients,
): number {
  return partOfFeatures.reduce(
    (sum, part, at) => (parts.has(part) ? sum + (features[at] ?? 0) * (company[at] ?? 0) : sum),
    0,
  )
}

const repeatedParts = repeatedNames.map((name) => partOfFeatures[featureNames.indexOf(name)])

/** A part of the log-odds of the best company. `other candidates`: what the other companies' scores take. */
export type DecisionPart = FeaturePart | 'other candidates' | 'start'

/** Divides the log-odds of the best company among the parts of its evidence; the sum is the log-odds. */
export function weighParts(
  features: readonly number[],
  decisionFeatures: readonly number[],
  { company, decision }: Coefficients = fittedCoefficients,
): ReadonlyMap<DecisionPart, number> {
  const weights = new Map<DecisionPart, number>()
  const add = (part: DecisionPart, weight: number) => weights.set(part, (weights.get(part) ?? 0) + weight)
  const value = (name: (typeof scoreFeatureNames)[number]) =>
    decisionFeatures[scoreFeatureNames.indexOf(name)] ?? 0
  const weight = (name: (typeof scoreFeatureNames)[number]) => decision[scoreFeatureNames.indexOf(name)] ?? 0
  // The gaps count for the company as far as its own score makes them.
  const ofScore = weight('score') + weight('gap') + weight('gapToOthers')
  const total = computeScore(features, company)
  // Scores are bounded.
  const scale = total === 0 ? 1 : value('score') / total
  for (const [at, part] of partOfFeatures.entries()) {
    const added = (features[at] ?? 0) * (company[at] ?? 0) * ofScore * scale
    if (added !== 0) add(part === 'name' && featureNames[at] === 'always' ? 'start' : part, added)
  }
  for (const [at, part] of repeatedParts.entries()) {
    const place = scoreFeatureNames.length + at
    const added = (decisionFeatures[place] ?? 0) * (decision[place] ?? 0)
    if (added !== 0 && part !== undefined) add(part, added)
  }
  add('start', (decision[0] ?? 0) * (decisionFeatures[0] ?? 0))
  const whole = computeScore(decisionFeatures, decision)
  const told = [...weights.values()].reduce((sum, one) => sum + one, 0)
  add('other candidates', whole - told)
  return weights
}

/**
 * True if a word of a name is next to the name found, without a sign between them: "Larkmoor Trans Insurance" for Larkmoor
 * Trans Ltd. Whether another company has the longer name is known only from a registry that would have it.
 */
export function isPartOfLongerName({ left, text, alignment: { start, end } }: NameComparison): boolean {
  if (text.isSecurity) return false
  const isOfName = (at: number, separator: string | undefined, classes: string) => {
    const one = separator === '' ? left.find((word) => word.at === at) : undefined
    if (one === undefined || hasOtherMeaning(one.word.text)) return false
    return (
      one.role !== 'repeated' &&
      one.role !== 'ticker' &&
      one.role !== 'series' &&
      classes.includes(one.word.wordClass)
    )
  }
  const next = skipJoiningWords(text, end)
  const { text: word = '', written = '' } = text.words[next] ?? {}
  const isTown = isLargeCity(word) || isLargeCity(written)
  return (
    (!isTown && isOfName(next, text.words[next]?.separator, 'telling generic light')) ||
    isOfName(start - 1, text.words[start]?.separator, 'telling generic light place')
  )
}
