/** What came of one labelled query. */
export interface Judgement {
  readonly stratum: string
  /** The company is in the registry, by its label. */
  readonly isPositive: boolean
  /** 0 where nothing was named. */
  readonly confidence: number
  /** Named as certain, as answer or, where it is a fund or another body that cannot be one, as candidate. */
  readonly isAccepted: boolean
  /** The company named, as answer or as candidate, is the expected one. */
  readonly isCorrect: boolean
  /** Place of the expected company among all found, from 1; null where it is not among the first five. */
  readonly rank: number | null
  readonly latencyMs: number
}

export interface StratumFigures {
  readonly queryCount: number
  readonly positiveCount: number
  readonly acceptedCount: number
  readonly correctCount: number
  /** Accepts on queries whose company is in no file. */
  readonly falseAcceptCount: number
  /** Correct among accepted; null where nothing was accepted. */
  readonly precision: number | null
  /** Accepted and correct among positives; null where there are none. */
  readonly recall: number | null
  readonly falseAcceptShare: number | null
  readonly top5Recall: number | null
}

interface CalibrationBin {
  readonly confidenceMin: number
  readonly confidenceMax: number
  readonly count: number
  readonly meanConfidence: number
  /** Share that is correct, 0 to 1. */
  readonly accuracy: number
}

export interface EvaluationReport {
  readonly overall: StratumFigures
  readonly strata: Readonly<Record<string, StratumFigures>>
  readonly calibration: {
    /** Queries for which a company was named, as answer or as candidate: others state no confidence. */
    readonly count: number
    /** Ten bins of equal width, 0.0 to 1.0. */
    readonly expectedError: number
    /** At most ten bins of equal mass. */
    readonly expectedErrorEqualMass: number
    readonly bins: readonly CalibrationBin[]
  }
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly max: number }
}

export function measure(judgements: readonly Judgement[]): EvaluationReport {
  const strata = [...new Set(judgements.map(({ stratum }) => stratum))].sort()
  const named = judgements.filter(({ confidence }) => confidence > 0)
  const bins = equalWidthBins(named)
  return {
    overall: figuresOf(judgements),
    strata: Object.fromEntries(
      strata.map((name) => [name, figuresOf(judgements.filter(({ stratum }) => stratum === name))]),
    ),
    calibration: {
      count: named.length,
      expectedError: calibrationError(bins),
      expectedErrorEqualMass: calibrationError(equalMassBins(named)),
      bins,
    },
    latencyMs: {
      p50: quantile(judgements, 0.5),
      p95: quantile(judgements, 0.95),
      max: quantile(judgements, 1),
    },
  }
}

function figuresOf(judgements: readonly Judgement[]): StratumFigures {
  const positives = judgements.filter(({ isPositive }) => isPositive)
  const accepted = judgements.filter(({ isAccepted }) => isAccepted)
  const correct = accepted.filter(({ isCorrect }) => isCorrect)
  const falseAccepts = accepted.filter(({ isPositive }) => !isPositive)
  const inFirstFive = positives.filter(({ rank }) => rank !== null)
  return {
    queryCount: judgements.length,
    positiveCount: positives.length,
    acceptedCount: accepted.length,
    correctCount: correct.length,
    falseAcceptCount: falseAccepts.length,
    precision: share(correct.length, accepted.length),
    recall: share(correct.length, positives.length),
    falseAcceptShare: share(falseAccepts.length, judgements.length - positives.length),
    top5Recall: share(inFirstFive.length, positives.length),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

const binCount = 10

type Named = Pick<Judgement, 'confidence' | 'isCorrect'>

function equalWidthBins(named: readonly Named[]): CalibrationBin[] {
  const width = 100 / binCount
  return Array.from({ length: binCount }, (_, index) => {
    const isLast = index === binCount - 1
    const inside = named.filter(
      ({ confidence }) =>
        confidence >= index * width && (confidence < (index + 1) * width || (isLast && confidence <= 100)),
    )
    return binOf(inside, index * width, (index + 1) * width)
  }).filter(({ count }) => count > 0)
}

/** As equal as they can be made where queries of one confidence stay together. */
function equalMassBins(named: readonly Named[]): CalibrationBin[] {
  const sorted = [...named].sort((a, b) => a.confidence - b.confidence)
  const bins: Named[][] = []
  let open: Named[] = []
  for (const [at, one] of sorted.entries()) {
    const isSettled = one.confidence !== sorted[at - 1]?.confidence
    if (isSettled && open.length >= sorted.length / binCount) {
      bins.push(open)
      open = []
    }
    open.push(one)
  }
  if (open.length > 0) bins.push(open)
  return bins.map((inside) => binOf(inside, inside[0]?.confidence ?? 0, inside.at(-1)?.confidence ?? 0))
}

function binOf(inside: readonly Named[], confidenceMin: number, confidenceMax: number): CalibrationBin {
  const count = inside.length
  const sum = inside.reduce((total, { confidence }) => total + confidence, 0)
  const correct = inside.filter(({ isCorrect }) => isCorrect).length
  return {
    confidenceMin,
    confidenceMax,
    count,
    meanConfidence: count === 0 ? 0 : sum / count,
    accuracy: count === 0 ? 0 : correct / count,
  }
}

/** Mean distance between what was stated and what came true, weighted by how often it was stated. */
function calibrationError(bins: readonly CalibrationBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return 0
  const distance = bins.reduce(
    (sum, { count, meanConfidence, accuracy }) => sum + count * Math.abs(meanConfidence / 100 - accuracy),
    0,
  )
  return distance / total
}

function quantile(judgements: readonly Judgement[], part: number): number {
  const sorted = judgements.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
}
