import { describe, expect, test } from 'vitest'
import { formatProgressBar } from '../../src/cli/terminal/reporter.js'
import { measureWidth } from '../../src/core/text.js'
import type { StageFacts, Progress } from '../../src/pipeline/history/run-summary.js'

const progress: Progress = {
  lookups: 5_000,
  done: 1_204,
  running: 181,
  cached: 37,
  decided: 0,
  failed: 0,
  uncertain: 0,
  toSubmit: 3_615,
  heldBack: 0,
  submissionsPerMinute: 598,
  pollsPerMinute: 97,
  submitLimit: 600,
  pollLimit: 100,
  elapsedMs: 60_000,
  etaMs: 3_840_000,
  outcomes: { matched: 1_103, no_match: 64 },
  sofar: { elapsedMs: 60_000, submissions: 1_400, polls: 1_500, answered: 1_169, rateLimited: 0 },
  firstAnswersInMs: null,
  stages: [],
  money: null,
  budget: null,
}

describe('the bar of a terminal', () => {
  test('has every number where there is room', () => {
    expect(formatProgressBar(progress, 160)).toBe(
      '[####|--------------] 1,204/5,000 done · matched 1,103 · no_match 64 · 181 running · 37 answered before · submit 598/600 · poll 97/100 per min · ETA 1h04m',
    )
  })

  test('keeps what is done and the time left on a narrow one, and never fills the line', () => {
    for (let columnCount = 32; columnCount < 170; columnCount++) {
      const line = formatProgressBar(progress, columnCount)
      expect(line.length).toBeLessThan(columnCount)
      expect(line).toContain('1,204/5,000 done')
      expect(line).toContain('ETA 1h04m')
    }
    expect(formatProgressBar(progress, 80)).toMatchInlineSnapshot(
      `"[##|------] 1,204/5,000 done · matched 1,103 · 181 running · ETA 1h04m"`,
    )
    expect(formatProgressBar(progress, 50)).toMatchInlineSnapshot(`"[#|----] 1,204/5,000 done · ETA 1h04m"`)
  })

  test('says the share done where there is no room for more, and never breaks', () => {
    expect(formatProgressBar(progress, 20)).toBe('| 24% of 5,000')
    for (let columnCount = 0; columnCount < 32; columnCount++)
      expect(formatProgressBar(progress, columnCount).length).toBeLessThanOrEqual(
        Math.max(0, columnCount - 1),
      )
  })

  test('before the first answers, says when they can be there before it says how many are asked', () => {
    const before = { ...progress, done: 0, cached: 0, outcomes: {}, firstAnswersInMs: 58_000 }
    expect(formatProgressBar(before, 80)).toMatchInlineSnapshot(
      `"[|--------] 0/5,000 done · first answers in about a minute · ETA 1h04m"`,
    )
  })

  test('an unknown outcome takes its columns, and no more than there are', () => {
    const odd = { ...progress, outcomes: { ['照合済み'.repeat(3)]: 1_103, matched: 12 } }
    for (let columnCount = 30; columnCount < 170; columnCount++)
      expect(measureWidth(formatProgressBar(odd, columnCount))).toBeLessThan(columnCount)
  })

  test('is full only when all is done, and full when there is nothing to do', () => {
    expect(formatProgressBar({ ...progress, done: 4_999 }, 160)).toContain('[##################|]')
    expect(formatProgressBar({ ...progress, lookups: 0, done: 0 }, 160)).toContain('[###################]')
  })

  test('keeps its width in a terminal of one width, from the first lookup to the last', () => {
    for (const lookups of [12, 5_000, 1_234_567]) {
      for (let columnCount = 20; columnCount < 210; columnCount++) {
        const widths = [0, 0.001, 0.3, 0.7, 0.999, 1].map((share, at) => {
          const done = Math.floor(lookups * share)
          const outcomes = { matched: done, no_match: at * 1_000 }
          const etaMs = [null, 5_000, 3_840_000, 200_000_000, 59_000, 0][at] ?? null
          const line = formatProgressBar(
            { ...progress, lookups, done, outcomes, etaMs, running: at * 333 },
            columnCount,
          )
          expect(measureWidth(line)).toBeLessThan(columnCount)
          return /^\[.*\] /.exec(line)?.[0].length ?? 0
        })
        expect([columnCount, new Set(widths).size]).toEqual([columnCount, 1])
      }
    }
  })

  test.each([20, 40, 60, 80, 100, 120, 200])(
    'of %i columns moves each second before the first answers, and stands still at the end',
    (columnCount) => {
      const waiting = { ...progress, done: 0, cached: 0, outcomes: {}, etaMs: 180_000 }
      const at = (elapsedMs: number) => formatProgressBar({ ...waiting, elapsedMs }, columnCount)
      for (let second = 1; second < 9; second++) expect(at(second * 1_000)).not.toBe(at((second + 1) * 1_000))
      const ended = { ...waiting, done: 5_000, etaMs: 0 }
      expect(formatProgressBar({ ...ended, elapsedMs: 1_000 }, columnCount)).toBe(
        formatProgressBar({ ...ended, elapsedMs: 2_000 }, columnCount),
      )
    },
  )

  test('is of all that is asked: also where rows ask by domains alone', () => {
    const domain: StageFacts = {
      kind: 'domain',
      lookupCount: 400,
      cachedCount: 0,
      decidedCount: 0,
      askedCount: 100,
      answeredCount: 100,
      failedCount: 0,
      rejectedCount: 0,
      uncertainCount: 0,
      pendingCount: 300,
      outcomes: {},
      stop: null,
    }
    const byDomain = { ...progress, lookups: 0, done: 0, stages: [domain] }
    expect(formatProgressBar(byDomain, 160)).toMatch(/^\[####\|-{14}\] 0\/0 done/)
    expect(formatProgressBar(byDomain, 16)).toBe('| 25% of 400')
  })
})
