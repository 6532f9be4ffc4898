import { calibration } from './calibration.js'
import { evidenceKinds, type EvidenceKind, queryFeatureNames, type QueryFeatureName } from './evidence.js'
import { featureNames, type FeatureName } from './features.js'

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
