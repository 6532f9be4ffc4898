import { matchedConfidenceMin } from '../../contract/result.js'
import { calculateInterval, type Interval } from '../../core/partition.js'

/** Figures of the `matched` answers with a confidence of `accept` or more. */
interface AcceptFigures {
  readonly accept: number
  /** Lookups that these answers settle without a service. */
  readonly settledCount: number
  /** Share of all lookups, 0 to 1. */
  readonly settledShare: number
  readonly rightCount: number
  /** `null` if no lookup is settled. */
  readonly precision: number | null
  readonly precisionInterval: Interval | null
}

export interface AcceptAdvice {
  readonly lookupCount: number
  /** Required share of right answers, 0 to 1. */
  readonly precisionMin: number
  /** Lowest first. */
  readonly thresholds: readonly AcceptFigures[]
  /** Its `threshold` is the recommended `accept`, or the one that the fewest further lookups would support. */
  readonly recommendation: Recommendation
  /** Figures at this threshold; `null` without one. */
  readonly support: AcceptFigures | null
}

export const precisionMinDefault = 0.95
const acceptDefault = 95
const acceptMax = 99
const acceptsShown = [80, 90, 95, 99]
/** One wrong answer among fewer does not show that answers of this confidence are too often wrong. */
const closingCountMin = 10
const statuses: ReadonlySet<string> = new Set(['matched'])

/**
 * Recommends the lowest `accept` for which the interval of the precision begins at `precisionMin` or above. Only
 * confidences that occur are considered: about others, the answers say nothing.
 */
export function adviseAccept(answers: readonly ReviewedAnswer[], precisionMin: number): AcceptAdvice {
  const known = answers
    .filter(({ status, confidence }) => statuses.has(status) && confidence >= matchedConfidenceMin)
    .map(({ confidence }) => Math.min(acceptMax, confidence))
  const accepts = known.length === 0 ? [acceptDefault] : [...new Set(known)].sort((a, b) => a - b)
  const calculate = (thresholds: readonly number[]) => calculateThresholds(answers, statuses, thresholds)
  const figures = calculate(accepts)
  const recommendation = findRecommendation(figures, { riskMax: 1 - precisionMin, closingCountMin })
  const at = figures.find(
    ({ threshold }) => recommendation.kind !== 'too_wrong' && recommendation.threshold === threshold,
  )
  return {
    lookupCount: answers.length,
    precisionMin,
    thresholds: calculate(acceptsShown).map(toAcceptFigures),
    recommendation,
    support: at === undefined ? null : toAcceptFigures(at),
  }
}

function toAcceptFigures(figures: ThresholdFigures): AcceptFigures {
  const { threshold, sparedCount, sparedShare, wrongCount } = figures
  const rightCount = sparedCount - wrongCount
  return {
    accept: threshold,
    settledCount: sparedCount,
    settledShare: sparedShare,
    rightCount,
    precision: sparedCount === 0 ? null : rightCount / sparedCount,
    precisionInterval: calculateInterval(rightCount, sparedCount),
  }
}

/** An answer to a lookup that a reviewer decided. */
export interface ReviewedAnswer {
  readonly status: string
  readonly confidence: number
  /** The company named is the one that was accepted. */
  readonly isCorrect: boolean
}

interface ThresholdFigures {
  /** As in `review.threshold`: answers with at least this confidence are not reviewed. */
  readonly threshold: number
  /** Reviewed lookups that would not need a review. */
  readonly sparedCount: number
  /** Share of all reviewed lookups, 0 to 1. */
  readonly sparedShare: number
  /** Wrong answers among those spared. */
  readonly wrongCount: number
  readonly wrongShare: number | null
  /** Confidence interval of the share of wrong answers. */
  readonly risk: Interval | null
  /** Spared answers less than five points above the threshold; from 95, all. */
  readonly band: { readonly count: number; readonly wrongCount: number }
}

/**
 * `recommended`: the lowest threshold with a wrong share certainly below `riskMax`. `too_few`: `threshold` needs
 * `moreCount` more decisions, if equally often right. `too_wrong`: more decisions would not help.
 */
type Recommendation =
  | { readonly kind: 'recommended'; readonly threshold: number }
  | { readonly kind: 'too_few'; readonly threshold: number; readonly moreCount: number }
  | { readonly kind: 'too_wrong' }

export interface ThresholdAdvice {
  readonly reviewedCount: number
  readonly riskMax: number
  /** Lowest first. */
  readonly thresholds: readonly ThresholdFigures[]
  readonly recommendation: Recommendation
}

const thresholdMin = 50
const thresholdMax = 95
const step = 5
/** Fewest answers below the next threshold that allow a conclusion about them. */
const bandCountMin = 10
/** No threshold is recommended if it needs more decisions than this. */
const moreCountMax = 10_000
/** Tolerated share of wrong answers without review: one in twenty. */
const reviewLimits = { riskMax: 0.05, closingCountMin: 1 }

interface AdviceLimits {
  /** Tolerated share of wrong answers at or above the threshold, 0 to 1. */
  readonly riskMax: number
  /** Fewest answers in the band of a threshold that can rule out it and all lower ones. */
  readonly closingCountMin: number
}

/** Computes for each threshold the reviews it would have saved, and the share of wrong answers among them. */
export function adviseThreshold(answers: readonly ReviewedAnswer[]): ThresholdAdvice {
  const thresholds = calculateThresholds(answers, settledStatuses, listThresholds())
  return {
    reviewedCount: answers.length,
    riskMax: reviewLimits.riskMax,
    thresholds,
    recommendation: findRecommendation(thresholds, reviewLimits),
  }
}

/** Returns the figures of each threshold, for the answers of these statuses. */
function calculateThresholds(
  answers: readonly ReviewedAnswer[],
  statuses: ReadonlySet<string>,
  thresholds: readonly number[],
): ThresholdFigures[] {
  const certain = answers.filter(({ status }) => statuses.has(status))
  return thresholds.map((threshold) => calculateFiguresAt(threshold, certain, answers.length))
}

/** Answers of other statuses are always reviewed. */
const settledStatuses: ReadonlySet<string> = new Set(['matched', 'partial_match'])

const listThresholds = (): number[] =>
  Array.from({ length: (thresholdMax - thresholdMin) / step + 1 }, (_, at) => thresholdMin + at * step)

function calculateFiguresAt(
  threshold: number,
  certain: readonly ReviewedAnswer[],
  reviewedCount: number,
): ThresholdFigures {
  const spared = certain.filter(({ confidence }) => confidence >= threshold)
  const isInBand = ({ confidence }: ReviewedAnswer) =>
    threshold >= thresholdMax || confidence < threshold + step
  const band = spared.filter(isInBand)
  const wrongCount = countWrong(spared)
  return {
    threshold,
    sparedCount: spared.length,
    sparedShare: reviewedCount === 0 ? 0 : spared.length / reviewedCount,
    wrongCount,
    wrongShare: spared.length === 0 ? null : wrongCount / spared.length,
    risk: calculateInterval(wrongCount, spared.length),
    band: { count: band.length, wrongCount: countWrong(band) },
  }
}

const countWrong = (answers: readonly ReviewedAnswer[]): number =>
  answers.filter(({ isCorrect }) => !isCorrect).length

/** Finds the lowest confidence from which answers can be accepted. `thresholds`: lowest first. */
function findRecommendation(thresholds: readonly ThresholdFigures[], limits: AdviceLimits): Recommendation {
  const { riskMax } = limits
  const open = openThresholds(thresholds, limits)
  const carried = open.find(
    ({ risk, band }) => risk !== null && risk[1] <= riskMax && band.count >= bandCountMin,
  )
  if (carried !== undefined) return { kind: 'recommended', threshold: carried.threshold }
  const known = open.filter(({ band }) => band.count > 0)
  const [least] = (known.length > 0 ? known.reverse() : open)
    .filter(({ wrongShare }) => (wrongShare ?? 0) < riskMax)
    .map((figures) => ({ threshold: figures.threshold, moreCount: countMissing(figures, riskMax) }))
    .filter(({ moreCount }) => moreCount <= moreCountMax)
    .sort((a, b) => a.moreCount - b.moreCount)
  return least === undefined ? { kind: 'too_wrong' } : { kind: 'too_few', ...least }
}

function countMissing({ wrongCount, sparedCount, band }: ThresholdFigures, riskMax: number): number {
  return Math.max(countNeeded(wrongCount, sparedCount, riskMax) - sparedCount, bandCountMin - band.count)
}

/** Thresholds from the highest down, up to the first whose added answers are surely too often wrong. */
function openThresholds(
  thresholds: readonly ThresholdFigures[],
  { riskMax, closingCountMin }: AdviceLimits,
): readonly ThresholdFigures[] {
  const closed = thresholds.findLastIndex(({ band }) => {
    const risk = calculateInterval(band.wrongCount, band.count)
    return risk !== null && risk[0] > riskMax && band.count >= closingCountMin
  })
  return thresholds.slice(closed + 1)
}

/** Answers needed to be sure of at most `riskMax` wrong, at the present share; `Infinity` if too large. */
function countNeeded(wrongCount: number, count: number, riskMax: number): number {
  const share = count === 0 ? 0 : wrongCount / count
  const isSure = (many: number) => (calculateInterval(share * many, many)?.[1] ?? 1) <= riskMax
  if (!isSure(count + moreCountMax)) return Infinity
  let [least, most] = [count, Math.max(1, count)]
  while (!isSure(most)) [least, most] = [most, most * 2]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (isSure(middle)) most = middle
    else least = middle
  }
  return most
}
