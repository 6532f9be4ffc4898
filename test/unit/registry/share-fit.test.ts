import { describe, expect, it, test } from 'vitest'
import { cornersOf, type HeldOut } from '../../../bench/confidence-line.js'
import { fitShares, sparse, type ShareSample } from '../../../bench/share-fit.js'
import { matchedConfidenceMin } from '../../../src/contract/result.js'
import { createSeededFractions } from '../../../src/platform/random.js'
import { estimateConfidence, computeScore, computeShares } from '../../../src/registry/match/model.js'

describe('the fit of shares', () => {
  const companyTruth = [2, -1.5, 0.8]
  const noneTruth = [0.5, -1]

  /** Queries whose right company, or none, is drawn by the shares of known coefficients. */
  function drawn(count: number): ShareSample[] {
    const fraction = createSeededFractions(11)
    return Array.from({ length: count }, () => {
      const companies = Array.from({ length: 3 }, () => [
        fraction() < 0.5 ? 1 : 0,
        fraction() * 2,
        fraction() * 2,
      ])
      const none = [1, fraction() < 0.5 ? 1 : 0]
      const { shares } = computeShares(
        companies.map((features) => computeScore(features, companyTruth)),
        computeScore(none, noneTruth),
      )
      let left = fraction()
      const right = shares.findIndex((share) => (left -= share) < 0)
      return {
        weight: 1,
        none,
        companies: companies.map((row, at) => ({ options: [sparse(row)], isRight: at === right })),
      }
    })
  }

  it('finds the coefficients that chance was made from, the same each time', () => {
    const samples = drawn(8_000)
    const fitted = fitShares(samples, 3, 2, 0.1)
    for (const [at, truth] of [...companyTruth, ...noneTruth].entries())
      expect(Math.abs((fitted[at] ?? NaN) - truth), `coefficient ${String(at)}`).toBeLessThan(0.2)
    expect(fitShares(samples, 3, 2, 0.1)).toEqual(fitted)
  })

  it('finds them from another start too', () => {
    const samples = drawn(2_000)
    const fitted = fitShares(samples, 3, 2, 0.1)
    const other = fitShares(samples, 3, 2, 0.1, [1, 1, 1, 1, 1])
    for (const [at, value] of fitted.entries())
      expect(Math.abs(value - (other[at] ?? NaN))).toBeLessThan(0.05)
  })

  it('a stronger ridge holds coefficients nearer to 0, but for that of "always"', () => {
    const samples = drawn(500)
    const length = (ridge: number) => Math.hypot(...fitShares(samples, 3, 2, ridge).slice(0, 3))
    expect(length(100)).toBeLessThan(length(1))
    const bare = (isRight: boolean, weight: number): ShareSample => {
      return { weight, none: [1], companies: [{ options: [sparse([0])], isRight }] }
    }
    const [, always = NaN] = fitShares([bare(true, 1), bare(false, 3)], 1, 1, 1_000)
    expect(always).toBeCloseTo(Math.log(3), 1)
  })

  it('of several right companies it is enough that one is likely', () => {
    const companies = [sparse([1, 0]), sparse([0, 1]), sparse([0, 0])].map((row, at) => ({
      options: [row],
      isRight: at < 2,
    }))
    const samples = [{ weight: 1, none: [1], companies }]
    const [first = 0, second = 0] = fitShares(samples, 2, 1, 0.01)
    expect(first).toBeGreaterThan(0)
    expect(first).toBeCloseTo(second, 3)
  })

  it('of the ways to compare a company the likeliest counts', () => {
    const company = { options: [sparse([0, 3]), sparse([1, 0])], isRight: true }
    const other = { options: [sparse([0, 1])], isRight: false }
    const [good = 0, bad = 0] = fitShares(
      [{ weight: 5, none: [1], companies: [company, other] }],
      2,
      1,
      0.1,
      [1, -1, 0],
    )
    expect(good).toBeGreaterThan(0)
    expect(bad).toBeLessThan(0)
  })
})

describe('the line from share to confidence', () => {
  /** Answers of which as many are right as their share says, or as `rate` makes of it. */
  function heldOut(rate: (share: number) => number): HeldOut[] {
    const fraction = createSeededFractions(3)
    return Array.from({ length: 20_000 }, () => {
      const share = fraction()
      return { share, isRight: fraction() < rate(share), weight: 1 }
    })
  }

  test.each<[string, (share: number) => number]>([
    ['shares that mean what they say', (share) => share],
    ['shares that say too little', (share) => Math.sqrt(share)],
    ['shares that say too much', (share) => share ** 3],
    ['shares that fall where they should rise', (share) => (share > 0.3 && share < 0.4 ? 0.9 : share)],
    ['shares that say nothing', () => 0.5],
  ])('rises, whatever was held out: %s', (_what, rate) => {
    const corners = cornersOf(heldOut(rate), 0.8)
    expect(corners[0]).toEqual([0, 0])
    expect(corners.at(-1)?.[0]).toBe(1)
    for (const [at, [share, confidence]] of corners.slice(1).entries()) {
      expect(share).toBeGreaterThanOrEqual(corners[at]?.[0] ?? NaN)
      expect(confidence).toBeGreaterThanOrEqual(corners[at]?.[1] ?? NaN)
    }
    expect(estimateConfidence(0.799, corners)).toBeLessThan(matchedConfidenceMin)
    expect(estimateConfidence(0.8, corners)).toBeGreaterThanOrEqual(matchedConfidenceMin)
  })

  it('says how often answers of a share were right', () => {
    const corners = cornersOf(heldOut(Math.sqrt), 0.9)
    for (const share of [0.25, 0.35, 0.45])
      expect(Math.abs(estimateConfidence(share, corners) / 100 - Math.sqrt(share))).toBeLessThan(0.05)
  })

  it('a few doubtful answers move it little from their share', () => {
    const few = [0.05, 0.15, 0.25].map((share) => ({ share, isRight: true, weight: 1 }))
    const corners = cornersOf(few, 0.6)
    expect(estimateConfidence(0.05, corners)).toBeLessThan(25)
    expect(estimateConfidence(0.35, corners)).toBeLessThan(45)
  })

  it('of no answers it is the bound alone', () => {
    const corners = cornersOf([], 0.8)
    expect([0, 0.799, 0.8, 1].map((share) => estimateConfidence(share, corners))).toEqual([0, 79, 80, 99])
  })
})
