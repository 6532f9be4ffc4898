import { matchedConfidenceMin } from '../../contract/result.js'
import { calculateInterval, type Interval } from '../../core/interval.js'
import {
  calculateThresholds,
  findRecommendation,
  type Recommendation,
  type ReviewedAnswer,
  type ThresholdFigures,
} from './thresholds.js'

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
