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
  /** Place of the expected company among all found, from 1; null where it is not found. */
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
  readonly precisionInterval: Interval | null
  /** Accepted and correct among positives; null where there are none. */
  readonly recall: number | null
  readonly recallInterval: Interval | null
  readonly falseAcceptShare: number | null
  /** Positives whose company is the likeliest of those found, accepted or not, and among the five likeliest. */
  readonly top1Recall: number | null
  readonly top5Recall: number | null
}

/** Where a share lies, with 95 % of certainty. */
export type Interval = readonly [least: number, most: number]

interface CalibrationBin {
  readonly confidenceMin: number
  readonly confidenceMax: number
  readonly count: number
  readonly meanConfidence: number
  /** Share that is correct, 0 to 1. */
  readonly accuracy: number
  readonly accuracyInterval: Interval | null
}

/** What came of a query whose right company was taken out of the registry. */
export interface LeftOutJudgement {
  readonly isAccepted: boolean
  /** The company named bears a name of the one taken out: another registration of it, or one of the same name. */
  readonly isNamesake: boolean
}

export interface LeaveOutFigures {
  /** The part of the right companies that were taken out, 0 to 1. */
  readonly share: number
  readonly queryCount: number
  readonly acceptedCount: number
  /** Accepted, and not for a namesake. */
  readonly acceptedBesideNamesakesCount: number
  readonly acceptedShare: number | null
  readonly acceptedShareInterval: Interval | null
  readonly acceptedShareBesideNamesakes: number | null
  readonly acceptedShareBesideNamesakesInterval: Interval | null
}

interface CalibrationError {
  readonly count: number
  /** Ten bins of equal width, 0.0 to 1.0. */
  readonly expectedError: number
  /** At most ten bins of equal mass. */
  readonly expectedErrorEqualMass: number
}

export interface EvaluationReport {
  readonly overall: StratumFigures
  readonly strata: Readonly<Record<string, StratumFigures>>
  /** Of queries for which a company was named, as answer or as candidate: others state no confidence. */
  readonly calibration: CalibrationError & {
    readonly bins: readonly CalibrationBin[]
    /** By what a confidence means to who reads it; narrower where most answers are. */
    readonly bands: readonly CalibrationBin[]
    readonly accepted: CalibrationError
  }
  /** Null where nothing was left out. */
  readonly leaveOut: LeaveOutFigures | null
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly max: number }
}

export function measure(
  judgements: readonly Judgement[],
  leftOut: { readonly share: number; readonly judgements: readonly LeftOutJudgement[] } | null = null,
): EvaluationReport {
  const named = judgements.filter(({ confidence }) => confidence > 0)
  return {
    overall: figuresOf(judgements),
    strata: figuresBy(judgements, ({ stratum }) => stratum),
    calibration: {
      ...errorsOf(named),
      bins: equalWidthBins(named),
      bands: bandsOf(named),
      accepted: errorsOf(named.filter(({ isAccepted }) => isAccepted)),
    },
    leaveOut: leftOut === null ? null : leaveOutFigures(leftOut.share, leftOut.judgements),
    latencyMs: {
      p50: quantile(judgements, 0.5),
      p95: quantile(judgements, 0.95),
      max: quantile(judgements, 1),
    },
  }
}

/** The figures of each group, by what it is called. */
export function figuresBy<One extends Judgement>(
  judgements: readonly One[],
  groupOf: (judgement: One) => string,
): Readonly<Record<string, StratumFigures>> {
  const groups = [...new Set(judgements.map(groupOf))].sort()
  return Object.fromEntries(
    groups.map((name) => [name, figuresOf(judgements.filter((one) => groupOf(one) === name))]),
  )
}

function errorsOf(named: readonly Named[]): CalibrationError {
  return {
    count: named.length,
    expectedError: calibrationError(equalWidthBins(named)),
    expectedErrorEqualMass: calibrationError(equalMassBins(named)),
  }
}

function leaveOutFigures(part: number, judgements: readonly LeftOutJudgement[]): LeaveOutFigures {
  const queryCount = judgements.length
  const accepted = judgements.filter(({ isAccepted }) => isAccepted)
  const others = accepted.filter(({ isNamesake }) => !isNamesake)
  return {
    share: part,
    queryCount,
    acceptedCount: accepted.length,
    acceptedBesideNamesakesCount: others.length,
    acceptedShare: share(accepted.length, queryCount),
    acceptedShareInterval: interval(accepted.length, queryCount),
    acceptedShareBesideNamesakes: share(others.length, queryCount),
    acceptedShareBesideNamesakesInterval: interval(others.length, queryCount),
  }
}

function figuresOf(judgements: readonly Judgement[]): StratumFigures {
  const positives = judgements.filter(({ isPositive }) => isPositive)
  const accepted = judgements.filter(({ isAccepted }) => isAccepted)
  const correct = accepted.filter(({ isCorrect }) => isCorrect)
  const falseAccepts = accepted.filter(({ isPositive }) => !isPositive)
  const within = (rankMax: number) => positives.filter(({ rank }) => rank !== null && rank <= rankMax).length
  return {
    queryCount: judgements.length,
    positiveCount: positives.length,
    acceptedCount: accepted.length,
    correctCount: correct.length,
    falseAcceptCount: falseAccepts.length,
    precision: share(correct.length, accepted.length),
    precisionInterval: interval(correct.length, accepted.length),
    recall: share(correct.length, positives.length),
    recallInterval: interval(correct.length, positives.length),
    falseAcceptShare: share(falseAccepts.length, judgements.length - positives.length),
    top1Recall: share(within(1), positives.length),
    top5Recall: share(within(5), positives.length),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Of a normal distribution: 95 % lie within so many deviations. */
const deviations95 = 1.959964

/** Wilson's interval: it holds for few queries too, and for shares of nearly all. Null where there were none. */
export function interval(part: number, whole: number): Interval | null {
  if (whole === 0) return null
  const mean = part / whole
  const square = deviations95 ** 2
  const scale = 1 + square / whole
  const middle = (mean + square / (2 * whole)) / scale
  const half = (deviations95 / scale) * Math.sqrt((mean * (1 - mean) + square / (4 * whole)) / whole)
  return [Math.max(0, Math.min(mean, middle - half)), Math.min(1, Math.max(mean, middle + half))]
}

const binCount = 10

type Named = Pick<Judgement, 'confidence' | 'isCorrect'>

/** Where bands begin: what is only a guess, what may be looked at, and what is accepted. */
const bandStarts = [0, 20, 50, 65, 80, 85, 90, 95, 98]

function bandsOf(named: readonly Named[]): CalibrationBin[] {
  return bandStarts
    .map((start, at) => {
      const end = (bandStarts[at + 1] ?? 101) - 1
      return binOf(
        named.filter(({ confidence }) => confidence >= start && confidence < end + 1),
        start,
        end,
      )
    })
    .filter(({ count }) => count > 0)
}

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
    accuracyInterval: interval(correct, count),
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
