import type { FeatureName } from './features.js'

/** Coefficients of the logistic regression; a feature that is not named counts nothing. */
export type Weights = Readonly<Partial<Record<FeatureName, number>>>
