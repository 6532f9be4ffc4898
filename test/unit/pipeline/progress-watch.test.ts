import { expect, test } from 'vitest'
import type { RunEvent, Progress } from '../../../src/pipeline/history/run-summary.js'
import { watchProgress } from '../../../src/pipeline/history/progress-watch.js'
import { createEmptyPlan } from '../../../src/core/lookup-state.js'
import { createTimeline } from '../../../src/pipeline/history/run-record.js'
import { createTally } from '../../../src/pipeline/history/tally.js'
import { manualClock } from '../../support/manual-clock.js'

const minute = 60_000
const prices = { currency: 'EUR', byKind: { resolution: 50_000 } }

/** Shows the progress of a run of ten lookups that is in a certain state. */
function show(prepare: (tally: ReturnType<typeof createTally>) => void, costMaxMicros?: number): Progress {
  const clock = manualClock()
  const made = createTally()
  const seen: RunEvent[] = []
  const progress = watchProgress({
    plan: { ...createEmptyPlan(), submit: 10 },
    tally: made.tally,
    stages: [],
    prices,
    clock,
    spent: { byKind: new Map([['resolution', 2]]), byRows: 2 },
    scheduling: {
      lookupsMax: null,
      ...(costMaxMicros === undefined ? {} : { cost: { prices, costMaxMicros } }),
      limits: {
        submissionsPerWindow: 600,
        pollsPerWindow: 100,
        windowMs: minute,
        inFlightRunsMax: 2_000,
        submitConcurrency: 16,
      },
      polling: { firstAfterMs: minute },
    },
    observe: (event) => seen.push(event),
    timeline: createTimeline(),
  })
  prepare(made)
  progress.end()
  const [last] = seen.flatMap((event) => (event.type === 'progress' ? [event.progress] : [])).slice(-1)
  if (last === undefined) throw new Error('no progress was shown')
  return last
}

const running =
  (oldestMs: number) =>
  ({ counter }: ReturnType<typeof createTally>) => {
    for (let count = 0; count < 4; count++) counter.count('accepted')
    counter.watchOpenRuns(() => ({ oldestMs, runMs: 3 * minute, leftMs: 2 * minute }))
  }

test('first answers are announced by the age of the oldest run, and not once they are overdue or refused', () => {
  expect(show(running(0)).firstAnswersInMs).toBe(minute)
  expect(show(running(20_000)).firstAnswersInMs).toBe(40_000)
  expect(show(running(2 * minute)).firstAnswersInMs).toBe(0)
  expect(show(running(6 * minute)).firstAnswersInMs).toBeNull()
  const refusedPolls = show((made) => {
    running(2 * minute)(made)
    made.counter.onReply('polls', { kind: 'rate_limited' }, 0)
  })
  expect(refusedPolls.firstAnswersInMs).toBeNull()
  // Nothing was submitted: every answer of the service was a 429.
  const refused = show(({ counter }) => {
    counter.onReply('submissions', { kind: 'rate_limited' }, 0)
  })
  expect(refused.firstAnswersInMs).toBeNull()
})

test('lookups beyond the budget are held back, and the time left is that of the others', () => {
  // EUR 0.40: two were submitted by an earlier process and four by this one.
  const bounded = show(running(20_000), 400_000)
  expect(bounded).toMatchObject({ toSubmit: 2, heldBack: 4, running: 4 })
  expect(bounded.budget).toEqual({ costMax: 0.4, spent: 0.3 })
  const spent = show(running(20_000), 300_000)
  expect(spent).toMatchObject({ toSubmit: 0, heldBack: 6, etaMs: 2 * minute })
  const stopped = show((made) => {
    running(20_000)(made)
    made.counter.onStopped({ kind: 'out_of_credit', reason: 'HTTP 402' })
  })
  expect(stopped).toMatchObject({ toSubmit: 0, heldBack: 6, etaMs: 2 * minute })
})
