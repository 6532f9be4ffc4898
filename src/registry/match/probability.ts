import { calibration } from './calibration.js'
import { featureNames, featuresOf, type MarginFeatures } from './features.js'
import type { ScoredName } from './score.js'
import type { Weights } from './weights.js'

/** How likely it is that the company decided for is the one meant, 0 to 1. */
export function probabilityOf(
  best: ScoredName,
  margin: MarginFeatures,
  weights: Weights = calibration.weights,
): number {
  const features = featuresOf(best, margin)
  const sum = featureNames.reduce((total, name, at) => total + (weights[name] ?? 0) * (features[at] ?? 0), 0)
  return sigmoid(sum)
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value))
}
