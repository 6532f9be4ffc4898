import { sigmoid } from '../src/registry/match/probability.js'

export interface Sample {
  readonly features: readonly number[]
  readonly isCorrect: boolean
  readonly weight: number
}

const iterationsMax = 60
const stepMin = 1e-9

/**
 * Logistic regression by Newton's method with a ridge on every coefficient but the first, which must be that
 * of a feature that is always 1. The same samples give the same coefficients.
 */
export function fitLogistic(samples: readonly Sample[], ridge: number): number[] {
  const size = samples[0]?.features.length ?? 0
  const weights = new Array<number>(size).fill(0)
  for (let iteration = 0; iteration < iterationsMax; iteration++) {
    const { gradient, hessian } = derivatives(samples, weights, ridge)
    const step = solve(hessian, gradient)
    for (const at of weights.keys()) weights[at] = (weights[at] ?? 0) - (step[at] ?? 0)
    if (step.every((value) => Math.abs(value) < stepMin)) break
  }
  return weights
}

function derivatives(
  samples: readonly Sample[],
  weights: readonly number[],
  ridge: number,
): { gradient: number[]; hessian: number[][] } {
  const size = weights.length
  const gradient = weights.map((weight, at) => (at === 0 ? 0 : ridge * weight))
  const hessian = weights.map((_, row) =>
    weights.map((_, column) => (row === column && row > 0 ? ridge : row === column ? 1e-9 : 0)),
  )
  for (const { features, isCorrect, weight } of samples) {
    const probability = sigmoid(features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0))
    const error = weight * (probability - Number(isCorrect))
    const spread = weight * probability * (1 - probability)
    for (let row = 0; row < size; row++) {
      const value = features[row] ?? 0
      if (value === 0) continue
      gradient[row] = (gradient[row] ?? 0) + error * value
      const line = hessian[row] ?? []
      for (let column = 0; column < size; column++)
        line[column] = (line[column] ?? 0) + spread * value * (features[column] ?? 0)
    }
  }
  return { gradient, hessian }
}

/** Gauss with the largest pivot; the ridge keeps the matrix from being singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0])
  const size = rows.length
  const cell = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let at = 0; at < size; at++) {
    let pivot = at
    for (let row = at + 1; row < size; row++)
      if (Math.abs(cell(row, at)) > Math.abs(cell(pivot, at))) pivot = row
    const [upper, lower] = [rows[at] ?? [], rows[pivot] ?? []]
    rows[at] = lower
    rows[pivot] = upper
    for (let row = 0; row < size; row++) {
      const factor = row === at ? 0 : cell(row, at) / cell(at, at)
      if (factor === 0) continue
      rows[row] = (rows[row] ?? []).map((value, column) => value - factor * cell(at, column))
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1))
}
