import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isPastDeadline,
  nextPoll,
  pollDueAtMs,
  type PollableRun,
  type PollingPace,
} from '../../../src/core/polling.js'

const pace: PollingPace = { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 }
const fresh: PollableRun = {
  openedAtMs: 1_000,
  submittedAtMs: 1_000,
  lastPolledAtMs: null,
  notBeforeMs: 0,
  isBeingPolled: false,
}

describe('when a run is asked for', () => {
  test.each([
    ['not before it can be finished', {}, 61_000],
    ['an interval after the last poll', { lastPolledAtMs: 70_000 }, 80_000],
    ['not before a pause ends', { lastPolledAtMs: 70_000, notBeforeMs: 95_000 }, 95_000],
    ['a pause that is over changes nothing', { lastPolledAtMs: 70_000, notBeforeMs: 75_000 }, 80_000],
    ['one submitted long ago is due at once', { submittedAtMs: -500_000, openedAtMs: 1_000 }, 0],
  ])('%s', (_, change, dueAtMs) => {
    expect(pollDueAtMs({ ...fresh, ...change }, pace)).toBe(dueAtMs)
  })

  test('a run taken over has its whole deadline before it again', () => {
    const old = { ...fresh, submittedAtMs: 1_000, openedAtMs: 10_000_000 }
    expect(isPastDeadline(old, pace, 10_000_000 + 3_599_999)).toBe(false)
    expect(isPastDeadline(old, pace, 10_000_000 + 3_600_000)).toBe(true)
    expect(isPastDeadline({ ...fresh, openedAtMs: 0, submittedAtMs: 500 }, pace, 3_600_499)).toBe(false)
  })
})

describe('which run is asked for next', () => {
  const run = fc.record({
    openedAtMs: fc.nat(1_000_000),
    submittedAtMs: fc.nat(1_000_000),
    lastPolledAtMs: fc.option(fc.nat(1_000_000)),
    notBeforeMs: fc.nat(1_000_000),
    isBeingPolled: fc.boolean(),
  })

  test('the one that has been due longest, and never one that is being asked', () => {
    fc.assert(
      fc.property(fc.array(run), (runs) => {
        const next = nextPoll(runs, pace)
        const waiting = runs.filter(({ isBeingPolled }) => !isBeingPolled)
        if (next === null) {
          expect(waiting).toEqual([])
          return
        }
        expect(waiting).toContain(next.run)
        expect(next.dueAtMs).toBe(Math.min(...waiting.map((one) => pollDueAtMs(one, pace))))
      }),
    )
  })

  test('one run is never due sooner than an interval after its last poll', () => {
    fc.assert(
      fc.property(run, (one) => {
        const earliestMs =
          one.lastPolledAtMs === null
            ? one.submittedAtMs + pace.firstAfterMs
            : one.lastPolledAtMs + pace.intervalMs
        expect(pollDueAtMs(one, pace)).toBeGreaterThanOrEqual(earliestMs)
      }),
    )
  })
})
