import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatProgressLine } from '../../../src/cli/terminal/progress-text.js'
import {
  estimateEtaMs,
  type Progress,
  type TimeLeftFacts,
} from '../../../src/pipeline/history/run-summary.js'
import { forAll } from '../../support/properties.js'

const start: TimeLeftFacts = {
  toSubmit: 0,
  running: 0,
  submissionsPerWindow: 600,
  pollsPerWindow: 100,
  windowMs: 60_000,
  inFlightRunsMax: 2_000,
  pollsPerAnswer: 1,
  runs: null,
  answersPerMs: 0,
}
const unlimited = { submissionsPerWindow: null, pollsPerWindow: null }

describe('time left', () => {
  test.each<[string, Partial<TimeLeftFacts>, number | null]>([
    ['nothing is open', {}, 0],
    ['polls are the narrow limit', { toSubmit: 600 }, 360_000],
    ['only runs are left', { running: 50 }, 30_000],
    ['an answer takes two polls', { running: 50, pollsPerAnswer: 2 }, 60_000],
    ['submissions are the narrow limit', { toSubmit: 600, pollsPerWindow: 6_000 }, 60_000],
    ['nothing limits and nothing came yet', { toSubmit: 9, ...unlimited }, null],
    [
      'nothing limits: the pace of the last minute',
      { toSubmit: 90, ...unlimited, answersPerMs: 0.01 },
      9_000,
    ],
    [
      'a slow start says nothing of the end: the last runs take as long as runs do',
      { running: 48, answersPerMs: 2 / 98_000, runs: { runMs: 60_000, leftMs: 20_000 } },
      28_800,
    ],
    [
      'the last run is still to be submitted',
      { toSubmit: 10, runs: { runMs: 60_000, leftMs: 5_000 } },
      61_000,
    ],
    [
      'a lookup beyond what may be in flight waits for a run to end',
      { toSubmit: 10, running: 10, inFlightRunsMax: 10, runs: { runMs: 60_000, leftMs: 5_000 } },
      120_000,
    ],
  ])('%s', (_, change, etaMs) => {
    expect(estimateEtaMs({ ...start, ...change })).toBe(etaMs)
  })

  test('it is null or finite, never negative, and never below what the limits allow', () => {
    const perWindow = fc.option(fc.integer({ min: 1, max: 1_000_000 }))
    const ms = fc.nat(3_600_000)
    forAll(
      100,
      [
        fc.record({
          toSubmit: fc.nat(10_000_000),
          running: fc.nat(100_000),
          submissionsPerWindow: perWindow,
          pollsPerWindow: perWindow,
          windowMs: fc.integer({ min: 1, max: 3_600_000 }),
          inFlightRunsMax: fc.integer({ min: 1, max: 10_000 }),
          pollsPerAnswer: fc.double({ min: 0, max: 100, noNaN: true }),
          runs: fc.option(fc.record({ runMs: ms, leftMs: ms })),
          answersPerMs: fc.double({ min: 0, max: 100, noNaN: true }),
        }),
      ],
      (facts) => {
        const etaMs = estimateEtaMs(facts)
        if (etaMs === null) return
        const { pollsPerWindow, toSubmit, running, windowMs } = facts
        const pollMs = pollsPerWindow === null ? 0 : ((toSubmit + running) / pollsPerWindow) * windowMs
        expect(etaMs).not.toBeNaN()
        expect(etaMs).toBeGreaterThanOrEqual(pollMs)
      },
    )
  })
})

describe('the progress line', () => {
  const progress: Progress = {
    lookups: 5_000,
    done: 1_204,
    running: 181,
    cached: 37,
    decided: 0,
    failed: 6,
    uncertain: 0,
    toSubmit: 3_615,
    heldBack: 0,
    submissionsPerMinute: 598,
    pollsPerMinute: 97,
    submitLimit: 600,
    pollLimit: 100,
    elapsedMs: 60_000,
    etaMs: 3_840_000,
    outcomes: { no_match: 64, matched: 1_103, failed: 2 },
    sofar: { elapsedMs: 60_000, submissions: 1_400, polls: 1_500, answered: 1_169, rateLimited: 0 },
    firstAnswersInMs: null,
    stages: [],
    money: null,
    budget: null,
  }

  test('it is one line, with the outcomes of this run, the most frequent first', () => {
    expect(formatProgressLine(progress)).toBe(
      '1,204/5,000 done · matched 1,103 · no_match 64 · 181 running · 37 answered before · 6 failed · submit 598/600 · poll 97/100 per min · ETA 1h04m',
    )
  })

  test('each stage has a part: what is done of what is wanted so far, and whether it was stopped', () => {
    const facts = {
      cachedCount: 1,
      decidedCount: 0,
      askedCount: 8,
      answeredCount: 5,
      failedCount: 1,
      rejectedCount: 0,
      uncertainCount: 1,
      pendingCount: 1_200,
      outcomes: { complete: 4 },
    }
    const stages: Progress['stages'] = [
      { kind: 'entity', lookupCount: 1_208, stop: null, ...facts },
      { kind: 'domain', lookupCount: 1_208, stop: { kind: 'out_of_credit', reason: 'x' }, ...facts },
    ]
    expect(formatProgressLine({ ...progress, stages })).toContain(
      'no_match 64 · entity 7/1,208 · domain 7/1,208 stopped · 181 running',
    )
  })

  test('what is none is left out', () => {
    const line = formatProgressLine({ ...progress, running: 0, cached: 0, failed: 0, outcomes: {} })
    expect(line).toBe('1,204/5,000 done · submit 598/600 · poll 97/100 per min · ETA 1h04m')
  })

  test.each([
    [60_000, 'first answers in about a minute'],
    [240_000, 'first answers in about 4 minutes'],
    [31_000, 'first answers in about 35 seconds'],
    [4_000, 'first answers in a few seconds'],
    [0, 'waiting for the first answers'],
  ])('%i ms before the first answers it says so', (firstAnswersInMs, words) => {
    expect(formatProgressLine({ ...progress, outcomes: {}, firstAnswersInMs })).toContain(
      `done · ${words} · `,
    )
  })

  test('uncertain lookups show once there are any; no limit and no estimate show as such', () => {
    const line = formatProgressLine({
      ...progress,
      uncertain: 2,
      submitLimit: null,
      pollLimit: null,
      etaMs: null,
    })
    expect(line).toBe(
      '1,204/5,000 done · matched 1,103 · no_match 64 · 181 running · 37 answered before · 6 failed · 2 uncertain · submit 598 · poll 97 per min · ETA ?',
    )
  })
})
