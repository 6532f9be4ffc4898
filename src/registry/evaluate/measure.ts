import { calculateInterval, type Interval } from '../../core/partition.js'

/** The result of one labelled query. */
export interface Judgement {
  readonly stratum: string
  /** According to the label, the company is in the registry. */
  readonly isPositive: boolean
  /** 0 if no company was named. */
  readonly confidence: number
  /** Named as certain: as the answer, or as the candidate for a fund or other body that is never an answer. */
  readonly isAccepted: boolean
  /** The company named, as answer or as candidate, is the expected one. */
  readonly isCorrect: boolean
  /** Rank of the expected company among all found, from 1; `null` if not found. */
  readonly rank: number | null
  readonly latencyMs: number
}

export interface StratumFigures {
  readonly queryCount: number
  readonly positiveCount: number
  readonly acceptedCount: number
  readonly correctCount: number
  /** Accepts of queries whose company is in no file. */
  readonly falseAcceptCount: number
  /** Share of accepts that are correct; `null` without accepts. */
  readonly precision: number | null
  readonly precisionInterval: Interval | null
  /** Share of positives that are accepted and correct; `null` without positives. */
  readonly recall: number | null
  readonly recallInterval: Interval | null
  readonly falseAcceptShare: number | null
  /** Share of positives whose company ranks first, or in the first five, whether accepted or not. */
  readonly top1Recall: number | null
  readonly top5Recall: number | null
}

interface CalibrationBin {
  readonly confidenceMin: number
  readonly confidenceMax: number
  readonly count: number
  readonly meanConfidence: number
  /** Share that is correct, 0 to 1. */
  readonly accuracy: number
  readonly accuracyInterval: Interval | null
}

/** The result of a query whose right company was excluded. */
export interface ExcludedJudgement {
  readonly isAccepted: boolean
  /** The company named has a name of the excluded one: another registration of it, or a namesake. */
  readonly isNamesake: boolean
}

interface LeaveOutFigures {
  /** Share of the right companies that were excluded, 0 to 1. */
  readonly share: number
  readonly queryCount: number
  readonly acceptedCount: number
  /** Accepts of companies that are not namesakes. */
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
  /** Queries for which a company was named, as answer or candidate; the others have no confidence. */
  readonly calibration: CalibrationError & {
    readonly bins: readonly CalibrationBin[]
    /** Bins by the meaning of a confidence, narrower at the high end, which most answers reach. */
    readonly bands: readonly CalibrationBin[]
    readonly accepted: CalibrationError
  }
  /** `null` if no company was excluded. */
  readonly leaveOut: LeaveOutFigures | null
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly max: number }
}

export function measure(
  judgements: readonly Judgement[],
  leftOut: { readonly share: number; readonly judgements: readonly ExcludedJudgement[] } | null = null,
): EvaluationReport {
  const named = judgements.filter(({ confidence }) => confidence > 0)
  return {
    overall: calculateFigures(judgements),
    strata: groupFigures(judgements, ({ stratum }) => stratum),
    calibration: {
      ...calculateErrors(named),
      bins: buildEqualWidthBins(named),
      bands: buildBands(named),
      accepted: calculateErrors(named.filter(({ isAccepted }) => isAccepted)),
    },
    leaveOut: leftOut === null ? null : calculateLeaveOutFigures(leftOut.share, leftOut.judgements),
    latencyMs: {
      p50: calculateQuantile(judgements, 0.5),
      p95: calculateQuantile(judgements, 0.95),
      max: calculateQuantile(judgements, 1),
    },
  }
}

export function groupFigures<One extends Judgement>(
  judgements: readonly One[],
  getGroup: (judgement: One) => string,
): Readonly<Record<string, StratumFigures>> {
  const groups = [...new Set(judgements.map(getGroup))].sort()
  return Object.fromEntries(
    groups.map((name) => [name, calculateFigures(judgements.filter((one) => getGroup(one) === name))]),
  )
}

function calculateErrors(named: readonly NamedAnswer[]): CalibrationError {
  return {
    count: named.length,
    expectedError: calculateCalibrationError(buildEqualWidthBins(named)),
    expectedErrorEqualMass: calculateCalibrationError(buildEqualMassBins(named)),
  }
}

function calculateLeaveOutFigures(part: number, judgements: readonly ExcludedJudgement[]): LeaveOutFigures {
  const queryCount = judgements.length
  const accepted = judgements.filter(({ isAccepted }) => isAccepted)
  const others = accepted.filter(({ isNamesake }) => !isNamesake)
  return {
    share: part,
    queryCount,
    acceptedCount: accepted.length,
    acceptedBesideNamesakesCount: others.length,
    acceptedShare: share(accepted.length, queryCount),
    acceptedShareInterval: calculateInterval(accepted.length, queryCount),
    acceptedShareBesideNamesakes: share(others.length, queryCount),
    acceptedShareBesideNamesakesInterval: calculateInterval(others.length, queryCount),
  }
}

function calculateFigures(judgements: readonly Judgement[]): StratumFigures {
  const positives = judgements.filter(({ isPositive }) => isPositive)
  const accepted = judgements.filter(({ isAccepted }) => isAccepted)
  const correct = accepted.filter(({ isCorrect }) => isCorrect)
  const falseAccepts = accepted.filter(({ isPositive }) => !isPositive)
  const countWithin = (rankMax: number) =>
    positives.filter(({ rank }) => rank !== null && rank <= rankMax).length
  return {
    queryCount: judgements.length,
    positiveCount: positives.length,
    acceptedCount: accepted.length,
    correctCount: correct.length,
    falseAcceptCount: falseAccepts.length,
    precision: share(correct.length, accepted.length),
    precisionInterval: calculateInterval(correct.length, accepted.length),
    recall: share(correct.length, positives.length),
    recallInterval: calculateInterval(correct.length, positives.length),
    falseAcceptShare: share(falseAccepts.length, judgements.length - positives.length),
    top1Recall: share(countWithin(1), positives.length),
    top5Recall: share(countWithin(5), positives.length),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

const binCount = 10

type NamedAnswer = Pick<Judgement, 'confidence' | 'isCorrect'>

/** Lower ends of the bands: guesses, then reviewed answers, then accepted ones. */
const bandStarts = [0, 20, 50, 65, 80, 85, 90, 95, 98]

function buildBands(named: readonly NamedAnswer[]): CalibrationBin[] {
  return bandStarts
    .map((start, at) => {
      const end = (bandStarts[at + 1] ?? 101) - 1
      return buildBin(
        named.filter(({ confidence }) => confidence >= start && confidence < end + 1),
        start,
        end,
      )
    })
    .filter(({ count }) => count > 0)
}

function buildEqualWidthBins(named: readonly NamedAnswer[]): CalibrationBin[] {
  const width = 100 / binCount
  return Array.from({ length: binCount }, (_, index) => {
    const isLast = index === binCount - 1
    const inside = named.filter(
      ({ confidence }) =>
        confidence >= index * width && (confidence < (index + 1) * width || (isLast && confidence <= 100)),
    )
    return buildBin(inside, index * width, (index + 1) * width)
  }).filter(({ count }) => count > 0)
}

/** Bins are as equal as possible: queries of one confidence stay together. */
function buildEqualMassBins(named: readonly NamedAnswer[]): CalibrationBin[] {
  const sorted = [...named].sort((a, b) => a.confidence - b.confidence)
  const bins: NamedAnswer[][] = []
  let open: NamedAnswer[] = []
  for (const [at, one] of sorted.entries()) {
    const isSettled = one.confidence !== sorted[at - 1]?.confidence
    if (isSettled && open.length >= sorted.length / binCount) {
      bins.push(open)
      open = []
    }
    open.push(one)
  }
  if (open.length > 0) bins.push(open)
  return bins.map((inside) => buildBin(inside, inside[0]?.confidence ?? 0, inside.at(-1)?.confidence ?? 0))
}

function buildBin(
  inside: readonly NamedAnswer[],
  confidenceMin: number,
  confidenceMax: number,
): CalibrationBin {
  const count = inside.length
  const sum = inside.reduce((total, { confidence }) => total + confidence, 0)
  const correct = inside.filter(({ isCorrect }) => isCorrect).length
  return {
    confidenceMin,
    confidenceMax,
    count,
    meanConfidence: count === 0 ? 0 : sum / count,
    accuracy: count === 0 ? 0 : correct / count,
    accuracyInterval: calculateInterval(correct, count),
  }
}

/** Mean distance between stated confidence and accuracy, weighted by the size of the bins. */
function calculateCalibrationError(bins: readonly CalibrationBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return 0
  const distance = bins.reduce(
    (sum, { count, meanConfidence, accuracy }) => sum + count * Math.abs(meanConfidence / 100 - accuracy),
    0,
  )
  return distance / total
}

function calculateQuantile(judgements: readonly Judgement[], part: number): number {
  const sorted = judgements.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
}
