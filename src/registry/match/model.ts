import { calibration } from './calibration.js'
import {
  evidenceKinds,
  estimateUnseenRivals,
  type Evidence,
  type EvidenceKind,
  queryFeatureNames,
  type QueryFeatureName,
} from './evidence.js'
import { featureNames, partOfFeatures, type FeatureName, type FeaturePart } from './features.js'
import type { NameComparison } from './compare-names.js'
import type { Vocabulary } from './vocabulary.js'

/** Coefficients by feature; a missing one counts as 0. Data written by bench/fit-model.ts. */
export interface Model {
  readonly company: Readonly<Partial<Record<FeatureName, number>>>
  readonly none: Readonly<Partial<Record<QueryFeatureName, number>>>
  readonly confidence: ConfidenceCurves
}

/** Confidence (0 to 100) by share: points of a piecewise linear, rising curve, in order. */
export type ConfidenceCurve = readonly (readonly [share: number, confidence: number])[]
/** The curve for each kind of evidence. */
export type ConfidenceCurves = Readonly<Record<EvidenceKind, ConfidenceCurve>>

export const repeatLine = (line: ConfidenceCurve): ConfidenceCurves =>
  Object.fromEntries(evidenceKinds.map((kind) => [kind, line])) as Record<EvidenceKind, ConfidenceCurve>

/** A model as two arrays, in the order of the features. */
export interface Coefficients {
  readonly company: readonly number[]
  readonly none: readonly number[]
  readonly confidence: ConfidenceCurves
}

export function toCoefficients(model: Model): Coefficients {
  return {
    company: featureNames.map((name) => model.company[name] ?? 0),
    none: queryFeatureNames.map((name) => model.none[name] ?? 0),
    confidence: model.confidence,
  }
}

/** The coefficients in production. */
export const fittedCoefficients: Coefficients = toCoefficients(calibration)

/** Returns the dot product of features and coefficients, both in the same order. */
export function computeScore(features: readonly number[], coefficients: readonly number[]): number {
  let score = 0
  for (let at = 0; at < features.length; at++) score += (features[at] ?? 0) * (coefficients[at] ?? 0)
  return score
}

/**
 * Distributes the probability by softmax over all companies and "no match". Two companies with equal evidence get
 * equal shares.
 */
export function computeShares(
  scores: readonly number[],
  noneScore: number,
): { shares: number[]; noneShare: number } {
  const highest = Math.max(noneScore, ...scores)
  const powers = scores.map((score) => Math.exp(score - highest))
  const nonePower = Math.exp(noneScore - highest)
  const total = powers.reduce((sum, power) => sum + power, nonePower)
  return { shares: powers.map((power) => power / total), noneShare: nonePower / total }
}

/** Returns the score of an alternative that is one of two. */
export const addScores = (one: number, other: number): number =>
  Math.max(one, other) + Math.log1p(Math.exp(-Math.abs(one - other)))

/** The evidence for a company, with its features and score. */
interface ScoredEvidence {
  readonly evidence: Evidence
  readonly features: readonly number[]
  readonly score: number
}

/** Evidence for this company alone: another one of its name may be anywhere, and is seldom listed. */
const ownParts: ReadonlySet<FeaturePart> = new Set(['place', 'context'])
const prominenceParts: ReadonlySet<FeaturePart> = new Set(['listed', 'known to registers'])

/**
 * Scores the companies of like names that a small registry lacks. Each would fit the text as well as the best company
 * found, except for its place and its prominence: an exact name in another country says little if few names are held.
 */
export function scoreUnseen(
  companies: readonly ScoredEvidence[],
  vocabulary: Vocabulary,
  coefficients: Coefficients,
): number {
  return companies.reduce((most, { evidence, features, score }) => {
    const count = estimateUnseenRivals(evidence.comparison, vocabulary)
    if (count === 0) return most
    const own = sumParts(features, ownParts, coefficients)
    const prominence = Math.max(0, sumParts(features, prominenceParts, coefficients))
    return Math.max(most, score - own - prominence + Math.log(count))
  }, -Infinity)
}

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

/** How often the parent is meant by a name that begins that of its finance or service company. */
const parentShare = 0.75

/**
 * Moves most of the share of a finance or service company to its parent, whose initials the text is and which is listed or in
 * the same town: "IBM" is rather International Business Machines than IBM Credit LLC. Returns the likeliest first.
 */
export function favorParents<Company extends { readonly evidence: Evidence; readonly share: number }>(
  ranked: readonly Company[],
): (Company & { readonly groupWeight: number })[] {
  const shares = new Map(ranked.map((company) => [company, company.share]))
  for (const arm of ranked.filter(({ evidence }) => evidence.comparison.isInHouse)) {
    const parent = ranked.find(({ evidence: { comparison } }) =>
      isParent(comparison, arm.evidence.comparison),
    )
    if (parent === undefined) continue
    shares.set(parent, (shares.get(parent) ?? 0) + arm.share * parentShare)
    shares.set(arm, arm.share * (1 - parentShare))
  }
  return ranked
    .map((company) => {
      const share = shares.get(company) ?? company.share
      return { ...company, share, groupWeight: share === company.share ? 0 : Math.log(share / company.share) }
    })
    .sort((a, b) => b.share - a.share)
}

function isParent({ matchType, candidate }: NameComparison, arm: NameComparison): boolean {
  const isInTown = candidate.place.cityKey !== '' && candidate.place.cityKey === arm.candidate.place.cityKey
  return matchType === 'acronym' && (candidate.prominence.isListed || isInTown)
}

/** Returns the precision of answers with this share in whole percent, as fitted on held-out queries. */
export function estimateConfidence(share: number, corners: ConfidenceCurve): number {
  let [fromShare, fromConfidence] = corners[0] ?? [0, 0]
  for (const [toShare, toConfidence] of corners) {
    if (share <= toShare) {
      const part = toShare === fromShare ? 1 : (share - fromShare) / (toShare - fromShare)
      return Math.round(fromConfidence + Math.max(0, part) * (toConfidence - fromConfidence))
    }
    ;[fromShare, fromConfidence] = [toShare, toConfidence]
  }
  return Math.round(fromConfidence)
}
