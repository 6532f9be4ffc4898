import type { CachedCandidate, CachedQuery, FitCache } from './fit-cache.js'
import {
  nearMargin,
  othersFloor,
  scoreFloor,
  type FirstScores,
  type FitBounds,
  type FitMatcherModule,
  type FitQuery,
} from './fit-data.js'
import { fitLogistic, scaleColumns, scoreRow, SparseBuilder, type SparseRows } from './fit-logistic.js'

export interface StageSettings {
  readonly ridge: number
  readonly decisionRidge: number
  /** Features that get no weight in either stage. */
  readonly without: ReadonlySet<string>
  /** Weight of a query in the fit, 0 for none. */
  weightOf(query: FitQuery): number
  /** Weight in stage 2. */
  decisionWeightOf(query: FitQuery): number
  /**
   * Weight of a query in the calibration: the mixture of names for which a probability is to be true. All 0: the
   * probabilities of stage 2 stay as they are.
   */
  calibrationWeightOf(query: FitQuery): number
  /** Folds that hold a query out: at least one. */
  readonly folds: readonly (readonly number[])[]
}

/** Log odds per unit of a feature. */
export interface FittedStage {
  readonly bias: number
  readonly weights: Readonly<Record<string, number>>
}

/** The answer to a query by stages that were fitted without it. */
export interface HeldOutAnswer {
  readonly cached: CachedQuery
  /** `null` if there is no candidate. */
  readonly best: CachedCandidate | null
  readonly bestScore: number
  /** Probability that the best is right, 0 to 1. */
  readonly probability: number
  /** Place of the right company by score, from 1; 0 if it is no candidate. */
  readonly rank: number
}

export interface FittedStages {
  readonly candidate: FittedStage
  readonly decision: FittedStage
  readonly answers: readonly HeldOutAnswer[]
}

/** Fits both stages on all queries, and without each fold for the answers. Scales the values of the cache in place. */
export function fitStages(cache: FitCache, matcher: FitMatcherModule, settings: StageSettings): FittedStages {
  const raw = { ...cache.rows, values: cache.rows.values.slice() }
  const firstStage = new Stage(
    cache.rows,
    cache.featureNames,
    matcher.candidateBounds,
    settings.without,
    settings.ridge,
  )
  const rowWeights = (isTaken: (at: number) => boolean): Float32Array => {
    const weights = new Float32Array(cache.rows.rowCount)
    cache.queries.forEach((cached, at) => {
      if (!isTaken(at)) return
      const weight = settings.weightOf(cached.query)
      const right = new Set(cached.candidates.filter(({ isRight }) => isRight).map(({ sameAs }) => sameAs))
      cached.candidates.forEach(({ isRight, sameAs }, place) => {
        // Another row of the right company is neither right nor wrong.
        weights[cached.start + place] = !isRight && right.has(sameAs) ? 0 : weight
      })
    })
    return weights
  }
  const labels = new Uint8Array(cache.rows.rowCount)
  for (const { start, candidates } of cache.queries)
    candidates.forEach(({ isRight }, place) => (labels[start + place] = isRight ? 1 : 0))

  const full = firstStage.fit(
    labels,
    rowWeights(() => true),
  )
  const foldCount = 1 + Math.max(...settings.folds.flat())
  const decisionRows = new SparseBuilder(matcher.decisionFeatureNames.length)
  const firsts = Array<First | null>(cache.queries.length).fill(null)
  for (let fold = 0; fold < foldCount; fold++) {
    const isHeld = (at: number) => settings.folds[at]?.includes(fold) ?? false
    const fitted = firstStage.fit(
      labels,
      rowWeights((at) => !isHeld(at)),
      full,
    )
    cache.queries.forEach((cached, at) => {
      if (settings.folds[at]?.[0] !== fold) return
      firsts[at] = pickFirst(cached, (row) => scoreRow(cache.rows, row, fitted))
    })
  }
  const rowOfQuery = cache.queries.map((cached, at) => {
    const first = firsts[at] ?? null
    if (first === null) return -1
    const features = toDense(raw, cached.start + first.place)
    decisionRows.add(matcher.buildDecisionFeatures(features, first.scores, cached.query))
    return at
  })
  const decided = rowOfQuery.filter((at) => at >= 0)
  const secondRows = decisionRows.finish()
  const secondStage = new Stage(
    secondRows,
    matcher.decisionFeatureNames,
    matcher.decisionBounds,
    settings.without,
    settings.decisionRidge,
  )
  const secondLabels = Uint8Array.from(decided, (at) => (firsts[at]?.best.isRight === true ? 1 : 0))
  const secondWeights = (isTaken: (at: number) => boolean) =>
    Float32Array.from(decided, (at) => {
      const query = cache.queries[at]?.query
      return query !== undefined && isTaken(at) ? settings.decisionWeightOf(query) : 0
    })
  const secondFull = secondStage.fit(
    secondLabels,
    secondWeights(() => true),
  )
  const odds = new Float64Array(decided.length)
  for (let fold = 0; fold < foldCount; fold++) {
    const isHeld = (at: number) => settings.folds[at]?.includes(fold) ?? false
    const weights = secondWeights((at) => !isHeld(at))
    const fitted = secondStage.fit(secondLabels, weights, secondFull)
    decided.forEach((at, row) => {
      if (settings.folds[at]?.[0] === fold) odds[row] = scoreRow(secondRows, row, fitted)
    })
  }
  const calibrationWeights = (isTaken: (at: number) => boolean) =>
    Float32Array.from(decided, (at) => {
      const query = cache.queries[at]?.query
      return query !== undefined && isTaken(at) ? settings.calibrationWeightOf(query) : 0
    })
  const probabilities = new Float64Array(cache.queries.length)
  for (let fold = 0; fold < foldCount; fold++) {
    const isHeld = (at: number) => settings.folds[at]?.includes(fold) ?? false
    const line = fitLine(
      odds,
      secondLabels,
      calibrationWeights((at) => !isHeld(at)),
    )
    decided.forEach((at, row) => {
      if (settings.folds[at]?.[0] !== fold) return
      const logOdds = line.bias + line.slope * (odds[row] ?? 0)
      const first = firsts[at]
      const start = cache.queries[at]?.start ?? 0
      const bounded = first
        ? (matcher.boundLogOdds?.(logOdds, first.scores, toDense(raw, start + first.place)) ?? logOdds)
        : logOdds
      probabilities[at] = 1 / (1 + Math.exp(-bounded))
    })
  }
  const line = fitLine(
    odds,
    secondLabels,
    calibrationWeights(() => true),
  )
  return {
    candidate: firstStage.unscale(full),
    decision: adjust(secondStage.unscale(secondFull), line),
    answers: cache.queries.map((cached, at) => {
      const first = firsts[at] ?? null
      return {
        cached,
        best: first?.best ?? null,
        bestScore: first?.scores.first ?? scoreFloor,
        probability: probabilities[at] ?? 0,
        rank: first?.rank ?? 0,
      }
    }),
  }
}

interface Line {
  readonly bias: number
  readonly slope: number
}

/** Fits how log odds of stage 2 translate into those of the calibration's rows; without any they stay. */
function fitLine(odds: Float64Array, labels: Uint8Array, weights: Float32Array): Line {
  if (!weights.some((weight) => weight > 0)) return { bias: 0, slope: 1 }
  const builder = new SparseBuilder(1)
  for (const value of odds) builder.add([value])
  const settings = { ridge: 1e-3, signs: Int8Array.of(1), fixed: Float64Array.of(Number.NaN) }
  const [slope = 1, bias = 0] = fitLogistic(builder.finish(), labels, weights, settings)
  return { bias, slope }
}

function adjust({ bias, weights }: FittedStage, line: Line): FittedStage {
  const entries = Object.entries(weights).map(([name, weight]) => [name, weight * line.slope] as const)
  return { bias: line.bias + bias * line.slope, weights: Object.fromEntries(entries) }
}

class Stage {
  readonly #scales: Float64Array
  readonly #signs: Int8Array
  readonly #fixed: Float64Array

  constructor(
    readonly rows: SparseRows,
    readonly names: readonly string[],
    bounds: FitBounds | undefined,
    without: ReadonlySet<string>,
    readonly ridge: number,
  ) {
    const known = new Set(names)
    for (const name of [...Object.keys(bounds?.signs ?? {}), ...Object.keys(bounds?.fixed ?? {})])
      if (!known.has(name)) throw new Error(`a bound is set for "${name}", which is no feature`)
    this.#scales = scaleColumns(rows)
    this.#signs = Int8Array.from(names, (name) => bounds?.signs?.[name] ?? 0)
    this.#fixed = Float64Array.from(names, (name, at) => {
      if (without.has(name)) return 0
      const fixed = bounds?.fixed?.[name]
      return fixed === undefined ? Number.NaN : fixed * (this.#scales[at] ?? 1)
    })
  }

  fit(labels: Uint8Array, weights: Float32Array, start?: Float64Array): Float64Array {
    const settings = { ridge: this.ridge, signs: this.#signs, fixed: this.#fixed }
    return fitLogistic(this.rows, labels, weights, start === undefined ? settings : { ...settings, start })
  }

  unscale(fitted: Float64Array): FittedStage {
    const entries = this.names.map((name, at) => [name, (fitted[at] ?? 0) / (this.#scales[at] ?? 1)] as const)
    return { bias: fitted[this.names.length] ?? 0, weights: Object.fromEntries(entries) }
  }
}

interface First {
  readonly place: number
  readonly best: CachedCandidate
  readonly scores: FirstScores
  readonly rank: number
}

function pickFirst({ candidates, start }: CachedQuery, scoreAt: (row: number) => number): First | null {
  const order = candidates
    .map((candidate, place) => ({ candidate, place, score: scoreAt(start + place) }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
  const [top] = order
  if (top === undefined) return null
  const others = order.filter(({ candidate }) => candidate.sameAs !== top.candidate.sameAs)
  const sum = others.reduce(
    (total, { score }) => total + Math.exp(Math.min(score, 20)),
    Math.exp(othersFloor),
  )
  return {
    place: top.place,
    best: top.candidate,
    rank: 1 + order.findIndex(({ candidate }) => candidate.isRight),
    scores: {
      first: top.score,
      rival: Math.max(scoreFloor, others[0]?.score ?? scoreFloor),
      countNear: others.filter(({ score }) => score > top.score - nearMargin).length,
      logSumOthers: Math.log(sum),
    },
  }
}

function toDense({ starts, columns, values, columnCount }: SparseRows, row: number): Float32Array {
  const dense = new Float32Array(columnCount)
  for (let at = starts[row] ?? 0, end = starts[row + 1] ?? 0; at < end; at++)
    dense[columns[at] ?? 0] = values[at] ?? 0
  return dense
}
