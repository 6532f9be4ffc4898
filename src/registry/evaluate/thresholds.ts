import { interval, type Interval } from './measure.js'

/** An answer to a lookup that a person settled. */
export interface ReviewedAnswer {
  readonly status: string
  readonly confidence: number
  /** The company named is the one that was accepted. */
  readonly isCorrect: boolean
}

export interface ThresholdFigures {
  /** As `review.threshold` has it: an answer that is this certain, or more, is not reviewed. */
  readonly threshold: number
  /** Reviewed lookups that would not have been reviewed. */
  readonly sparedCount: number
  /** Of all that were reviewed, 0 to 1. */
  readonly sparedShare: number
  /** Of those spared. */
  readonly wrongCount: number
  readonly wrongShare: number | null
  /** Where the share of wrong ones lies. */
  readonly risk: Interval | null
  /** Of those spared the ones below the next threshold. */
  readonly band: { readonly count: number; readonly wrongCount: number }
}

/**
 * `recommended`: the lowest threshold whose answers are surely wrong no more often than `riskMax`. `too_few`: from
 * `threshold` on so many more are needed, as right as those so far. `too_wrong`: no number of them would do.
 */
export type Recommendation =
  | { readonly kind: 'recommended'; readonly threshold: number }
  | { readonly kind: 'too_few'; readonly threshold: number; readonly moreCount: number }
  | { readonly kind: 'too_wrong' }

export interface ThresholdAdvice {
  readonly reviewedCount: number
  readonly riskMax: number
  /** The lowest first. */
  readonly thresholds: readonly ThresholdFigures[]
  readonly recommendation: Recommendation
}

const thresholdMin = 50
const thresholdMax = 95
const step = 5
/** So many answers below the next threshold have to be known: of fewer nothing follows for them. */
const bandCountMin = 10
/** Whoever would have to settle more than this for an advice is told that there is none. */
const moreCountMax = 10_000
/** What a team may let through unseen: of twenty answers one is wrong. */
const riskMax = 0.05

/** What each threshold would have spared the reviewers, and how much of that would have been wrong. */
export function adviseThreshold(answers: readonly ReviewedAnswer[]): ThresholdAdvice {
  const certain = answers.filter(({ status }) => settledStatuses.has(status))
  const thresholds = thresholdList().map((threshold) => figuresAt(threshold, certain, answers.length))
  return {
    reviewedCount: answers.length,
    riskMax,
    thresholds,
    recommendation: recommend(thresholds),
  }
}

/** Answers of other statuses are reviewed however certain they are. */
const settledStatuses: ReadonlySet<string> = new Set(['matched', 'partial_match'])

const thresholdList = (): number[] =>
  Array.from({ length: (thresholdMax - thresholdMin) / step + 1 }, (_, at) => thresholdMin + at * step)

function figuresAt(
  threshold: number,
  certain: readonly ReviewedAnswer[],
  reviewedCount: number,
): ThresholdFigures {
  const spared = certain.filter(({ confidence }) => confidence >= threshold)
  const isInBand = ({ confidence }: ReviewedAnswer) =>
    threshold === thresholdMax || confidence < threshold + step
  const band = spared.filter(isInBand)
  const wrongCount = countWrong(spared)
  return {
    threshold,
    sparedCount: spared.length,
    sparedShare: reviewedCount === 0 ? 0 : spared.length / reviewedCount,
    wrongCount,
    wrongShare: spared.length === 0 ? null : wrongCount / spared.length,
    risk: interval(wrongCount, spared.length),
    band: { count: band.length, wrongCount: countWrong(band) },
  }
}

const countWrong = (answers: readonly ReviewedAnswer[]): number =>
  answers.filter(({ isCorrect }) => !isCorrect).length

function recommend(thresholds: readonly ThresholdFigures[]): Recommendation {
  const open = openThresholds(thresholds)
  const carried = open.find(
    ({ risk, band }) => risk !== null && risk[1] <= riskMax && band.count >= bandCountMin,
  )
  if (carried !== undefined) return { kind: 'recommended', threshold: carried.threshold }
  const known = open.filter(({ band }) => band.count > 0)
  const [least] = (known.length > 0 ? known.reverse() : open)
    .filter(({ wrongShare }) => (wrongShare ?? 0) < riskMax)
    .map((figures) => ({ threshold: figures.threshold, moreCount: countMissing(figures) }))
    .filter(({ moreCount }) => moreCount <= moreCountMax)
    .sort((a, b) => a.moreCount - b.moreCount)
  return least === undefined ? { kind: 'too_wrong' } : { kind: 'too_few', ...least }
}

function countMissing({ wrongCount, sparedCount, band }: ThresholdFigures): number {
  return Math.max(countNeeded(wrongCount, sparedCount) - sparedCount, bandCountMin - band.count)
}

/** From the highest down, until the answers that one more would let through are surely wrong more often. */
function openThresholds(thresholds: readonly ThresholdFigures[]): readonly ThresholdFigures[] {
  const closed = thresholds.findLastIndex(({ band }) => {
    const risk = interval(band.wrongCount, band.count)
    return risk !== null && risk[0] > riskMax
  })
  return thresholds.slice(closed + 1)
}

/** Of how many answers, as many of a hundred wrong as so far, it would be sure that no more than `riskMax` are wrong. */
function countNeeded(wrongCount: number, count: number): number {
  const share = count === 0 ? 0 : wrongCount / count
  const isSure = (many: number) => (interval(share * many, many)?.[1] ?? 1) <= riskMax
  let [least, most] = [count, Math.max(1, count)]
  while (!isSure(most)) [least, most] = [most, most * 2]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (isSure(middle)) most = middle
    else least = middle
  }
  return most
}
