import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isPastDeadline,
  findNextPoll,
  type PollableRun,
  type PollSupply,
} from '../../../src/pipeline/scheduler/polling.js'
import type { PollingPace } from '../../../src/pipeline/scheduler/scheduling.js'
import { RunDurations } from '../../../src/pipeline/scheduler/run-durations.js'
import { forAll } from '../../support/properties.js'

const pace: PollingPace = { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 }
const fresh: PollableRun = {
  openedAtMs: 1_000,
  submittedAtMs: 1_000,
  lastPolledAtMs: null,
  seenRunningAtMs: null,
  notBeforeMs: 0,
  isBeingPolled: false,
  isScout: false,
}
/** Polls of a hundred a minute, and nothing left to submit. */
const plenty: PollSupply = {
  durations: new RunDurations(60_000),
  pollsPerMs: 100 / 60_000,
  submittingMsLeft: 0,
  toSubmitCount: 0,
}
const scarce: PollSupply = { ...plenty, toSubmitCount: 10_000, submittingMsLeft: 1_000_000 }
const unlearned: PollSupply = { ...plenty, durations: null, pollsPerMs: null }

const seenRunningAt = (atMs: number) => ({ lastPolledAtMs: atMs, seenRunningAtMs: atMs })
const planOf = (runs: readonly PollableRun[], supply: PollSupply, nowMs = 0) =>
  findNextPoll(new Map(runs.entries()), pace, supply, nowMs)
const dueAtMs = (run: Partial<PollableRun>, supply: PollSupply) =>
  planOf([{ ...fresh, ...run }], supply)?.dueAtMs

test.each([
  ['not before it can be finished', {}, 61_000],
  ['an interval after the last poll', { lastPolledAtMs: 70_000 }, 80_000],
  ['not before a pause ends', { lastPolledAtMs: 70_000, notBeforeMs: 95_000 }, 95_000],
  ['a pause that is over changes nothing', { lastPolledAtMs: 70_000, notBeforeMs: 75_000 }, 80_000],
])('when a run is asked for, without anything learned: %s', (_, change, expected) => {
  expect(dueAtMs(change, unlearned)).toBe(expected)
})

test('without limits, the first run that is due is polled, however long others are due', () => {
  const runs = [
    { ...fresh, submittedAtMs: 50_000, isBeingPolled: true },
    { ...fresh, submittedAtMs: 50_000 },
    { ...fresh, submittedAtMs: 0 },
  ]
  expect(planOf(runs, unlearned, 500_000)?.run).toBe(runs[1])
  expect(planOf(runs, { ...unlearned, pollsPerMs: 1 }, 500_000)?.run).toBe(runs[2])
})

describe('when a run is asked for, with what was learned', () => {
  test('polls stay scarce until all can be asked by the time at which the youngest has ended', () => {
    const olderMs = 260_000
    const runs = Array.from({ length: 300 }, (_, index): PollableRun => ({
      ...fresh,
      submittedAtMs: index,
      openedAtMs: index,
      isScout: index === 299,
    }))
    // Three minutes of polls, for runs that have all but certainly ended: the oldest is asked, and no scout.
    expect(planOf(runs, plenty, olderMs)).toMatchObject({ run: { submittedAtMs: 0 }, dueAtMs: olderMs })
    // At their submission there is time enough: nothing is asked yet.
    expect(planOf(runs, plenty, 300)?.dueAtMs).toBeGreaterThan(60_000)
  })

  test('while polls are plenty, at about the moment when it has more likely ended than not', () => {
    const dueMs = dueAtMs({ submittedAtMs: 0, openedAtMs: 0 }, { ...plenty, toSubmitCount: 8 })
    expect(dueMs).toBeGreaterThan(150_000)
    expect(dueMs).toBeLessThan(230_000)
  })

  test('the last few and the scouts are asked sooner', () => {
    const usualMs = dueAtMs({}, { ...plenty, toSubmitCount: 8 }) ?? 0
    expect(dueAtMs({}, plenty)).toBeLessThan(usualMs)
    expect(dueAtMs({ isScout: true }, { ...plenty, toSubmitCount: 8 })).toBeLessThan(usualMs)
  })

  test('while polls are scarce, as soon as there is any chance: an idle turn never comes back', () => {
    expect(dueAtMs({ submittedAtMs: 0, openedAtMs: 0 }, scarce)).toBeLessThan(63_000)
  })

  test('a run older than any so far is asked again after a share of its age', () => {
    const dueMs = dueAtMs({ submittedAtMs: 0, openedAtMs: 0, ...seenRunningAt(400_000) }, plenty)
    expect(dueMs).toBeCloseTo(420_000, -2)
  })
})

describe('which run is asked for next', () => {
  const polls = fc.option(
    fc.record({ atMs: fc.integer({ min: 500_000, max: 1_000_000 }), isSeen: fc.boolean() }),
  )
  const run = fc
    .record({
      openedAtMs: fc.nat(1_000_000),
      submittedAtMs: fc.nat(500_000),
      lastPoll: polls,
      notBeforeMs: fc.nat(1_000_000),
      isBeingPolled: fc.boolean(),
      isScout: fc.boolean(),
    })
    .map(({ lastPoll, ...one }) => ({
      ...one,
      lastPolledAtMs: lastPoll?.atMs ?? null,
      seenRunningAtMs: lastPoll?.isSeen === true ? lastPoll.atMs : null,
    }))
  const supply = fc.constantFrom(plenty, scarce, unlearned)

  test('the one that is due first, and never one that is being asked', () => {
    forAll(100, [fc.array(run), supply], (runs, supplied) => {
      const next = planOf(runs, supplied)
      const waiting = runs.filter(({ isBeingPolled }) => !isBeingPolled)
      if (next === null) {
        expect(waiting).toEqual([])
        return
      }
      expect(waiting).toContain(next.run)
      // Each judged among as many as there are, the number deciding how scarce polls are.
      const others = runs.map((one) => ({ ...one, isBeingPolled: true }))
      for (const [index, one] of runs.entries()) {
        if (one.isBeingPolled) continue
        expect(planOf(others.with(index, one), supplied)?.dueAtMs).toBeGreaterThanOrEqual(next.dueAtMs)
      }
    })
  })

  test('no run is due sooner than an interval after its last poll, nor much later than after twice its age', () => {
    forAll(100, [run, supply], (one, supplied) => {
      const next = planOf([{ ...one, isBeingPolled: false }], supplied)
      const earliestMs =
        one.lastPolledAtMs === null
          ? one.submittedAtMs + pace.firstAfterMs
          : one.lastPolledAtMs + pace.intervalMs
      expect(next?.dueAtMs).toBeGreaterThanOrEqual(earliestMs)
      if (one.seenRunningAtMs === null) return
      const leastGapMs = one.seenRunningAtMs + 16_000
      const latestMs = Math.max(
        one.seenRunningAtMs * 2 - one.submittedAtMs,
        earliestMs,
        leastGapMs,
        one.notBeforeMs,
      )
      expect(next?.dueAtMs).toBeLessThanOrEqual(latestMs + 1)
    })
  })

  test('a run that was polled without a result goes behind those that were not: none starves', () => {
    const asked = { ...fresh, submittedAtMs: 0, openedAtMs: 0, ...seenRunningAt(300_000) }
    const waiting = { ...fresh, submittedAtMs: 100_000, openedAtMs: 100_000 }
    expect(planOf([asked, waiting], scarce, 310_000)?.run).toBe(waiting)
    const overdue = { ...asked, ...seenRunningAt(900_000) }
    expect(planOf([overdue, waiting], scarce, 1_000_000)?.run).toBe(waiting)
  })

  test('a poll that was refused or failed has seen nothing: the run is as likely to have ended as before', () => {
    const old = { ...fresh, submittedAtMs: 0, openedAtMs: 0 }
    const younger = { ...fresh, submittedAtMs: 50_000, openedAtMs: 50_000 }
    const refused = { ...old, lastPolledAtMs: 240_000 }
    expect(planOf([refused, younger], scarce, 251_000)?.run).toBe(refused)
    expect(planOf([{ ...old, ...seenRunningAt(240_000) }, younger], scarce, 251_000)?.run).toBe(younger)
    const unasked = dueAtMs({ ...old, lastPolledAtMs: null }, plenty) ?? 0
    expect(dueAtMs(refused, plenty)).toBe(Math.max(unasked, 250_000))
  })

  test('while polls are scarce, the one most likely to have ended', () => {
    const asked = { ...fresh, submittedAtMs: 0, openedAtMs: 0, ...seenRunningAt(60_500) }
    const younger = { ...fresh, submittedAtMs: 20_000, openedAtMs: 20_000 }
    expect(planOf([asked, younger], scarce, 180_000)?.run).toBe(asked)
  })
})

test('a run taken over has its whole deadline before it again', () => {
  const old = { ...fresh, submittedAtMs: 1_000, openedAtMs: 10_000_000 }
  expect(isPastDeadline(old, pace, 10_000_000 + 3_599_999)).toBe(false)
  expect(isPastDeadline(old, pace, 10_000_000 + 3_600_000)).toBe(true)
  expect(isPastDeadline({ ...fresh, openedAtMs: 0, submittedAtMs: 500 }, pace, 3_600_499)).toBe(false)
})
