import { matchedConfidenceMin } from '../src/contract/result.js'

/** The share of the answer to a query that was not fitted on, and whether it was right. */
export interface HeldOut {
  readonly share: number
  readonly isRight: boolean
  readonly weight: number
}

/** Where the line may bend: closer together where most answers are. */
const bends = [
  0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.96, 0.98, 0.99, 0.997, 1,
]
const confidenceMax = 99
/** The line rises from what is accepted over at least so much of a share. */
const rampMin = 0.03
/**
 * Answers that each band below what is accepted has besides its own: they are right as often as their share says. So a
 * few answers move little.
 */
const priorWeight = 5
const justBelow = 1e-6

/**
 * A line that rises from share to confidence: how often answers of such a share were right (isotonic regression over
 * bands of shares, with a prior), held below what is accepted for shares below `acceptShare`, and from there on above it.
 */
export function cornersOf(heldOut: readonly HeldOut[], acceptShare: number): [number, number][] {
  const ends = [...new Set([...bends, acceptShare])].sort((a, b) => a - b)
  const bands = countBands(heldOut, ends).map(({ start, end, total, right }) => {
    const middle = Number(((start + end) / 2).toFixed(4))
    const prior = end <= acceptShare ? priorWeight : 0
    return { middle, total: total + prior, right: right + prior * middle }
  })
  const rising = isotonic(bands)
  const below = rising.filter(({ middle }) => middle < acceptShare)
  // A bend right behind it would leave values out between what is accepted and what is sure.
  const above = rising.filter(({ middle }) => middle > acceptShare + rampMin)
  const percent = (rate: number) => Math.round(1000 * rate) / 10
  const corners: [number, number][] = [
    [0, 0],
    ...below.map(({ middle, rate }): [number, number] => [
      middle,
      Math.min(percent(rate), matchedConfidenceMin - 1),
    ]),
    [Number((acceptShare - justBelow).toFixed(6)), matchedConfidenceMin - 1],
    ...(acceptShare === neverAccepted ? [] : [[acceptShare, matchedConfidenceMin] as [number, number]]),
    ...above.map(({ middle, rate }): [number, number] => [
      middle,
      Math.max(matchedConfidenceMin, Math.min(percent(rate), confidenceMax)),
    ]),
    [1, acceptShare === neverAccepted ? matchedConfidenceMin - 1 : confidenceMax],
  ]
  return corners.filter((corner, at) => !isBetweenEqual(corner, corners[at - 1], corners[at + 1]))
}

/** A corner of a level stretch that does not end it. */
function isBetweenEqual(
  [, own]: readonly [number, number],
  before?: readonly [number, number],
  after?: readonly [number, number],
): boolean {
  return before?.[1] === own && after?.[1] === own
}

interface Band {
  readonly middle: number
  readonly total: number
  readonly right: number
}

/** Weights of the answers between each end and the next. */
function countBands(heldOut: readonly HeldOut[], ends: readonly number[]) {
  return ends.slice(1).map((end, at) => {
    const start = ends[at] ?? 0
    const inside = heldOut.filter(({ share }) => share > start && share <= end)
    const total = inside.reduce((sum, { weight }) => sum + weight, 0)
    const right = inside.reduce((sum, { weight, isRight }) => sum + (isRight ? weight : 0), 0)
    return { start, end, total, right }
  })
}

/** The least share from which answers are right so often; 1 where too few are. */
export function acceptShareOf(heldOut: readonly HeldOut[], rate: number): number {
  const ends = bends.filter((bend) => bend >= acceptShareMin)
  const bands = countBands(heldOut, ends).map((band) => ({ ...band, middle: band.start }))
  const accepted = isotonic(bands).filter((band) => band.rate >= rate)
  const from = accepted[0]?.middle ?? neverAccepted
  const isProven = heldOutWeightFrom(heldOut, from) >= acceptedWeightMin
  return isProven ? from : neverAccepted
}

const heldOutWeightFrom = (heldOut: readonly HeldOut[], from: number): number =>
  heldOut.reduce((sum, { share, weight }) => (share > from ? sum + weight : sum), 0)

/** Likelier than all else by half. */
const acceptShareMin = 0.6
/** Fewer answers prove nothing. */
const acceptedWeightMin = 20
const neverAccepted = 1

/** Neighbours whose rates fall instead of rising are put together until none does. */
function isotonic(bands: readonly Band[]): { middle: number; rate: number }[] {
  const groups: { bands: Band[]; total: number; right: number }[] = []
  for (const band of bands) {
    if (band.total === 0) continue
    groups.push({ bands: [band], total: band.total, right: band.right })
    for (;;) {
      const [before, last] = groups.slice(-2)
      if (before === undefined || last === undefined || groups.length < 2) break
      if (before.right / before.total < last.right / last.total) break
      groups.splice(-2, 2, {
        bands: [...before.bands, ...last.bands],
        total: before.total + last.total,
        right: before.right + last.right,
      })
    }
  }
  return groups.flatMap(({ bands: inside, total, right }) =>
    inside.map(({ middle }) => ({ middle, rate: right / total })),
  )
}
