import { expect, test } from 'vitest'
import { watchProgress } from '../../../src/pipeline/history/progress-watch.js'
import { createTimeline } from '../../../src/pipeline/history/run-record.js'
import { createTally } from '../../../src/pipeline/history/tally.js'
import { manualClock } from '../../support/manual-clock.js'

test('requests that keep a limit are never shown as more a minute than the limit', async () => {
  const clock = manualClock()
  const { tally, counter } = createTally()
  const rates: number[] = []
  const watched = watchProgress({
    tally,
    clock,
    stages: [],
    prices: null,
    spent: null,
    timeline: createTimeline(),
    plan: { submit: 5_000, poll: 0, answered: 0, decided: 0, invalid: 0, uncertain: 0, failed: 0 },
    scheduling: {
      limits: {
        submissionsPerWindow: 600,
        pollsPerWindow: 600,
        windowMs: 60_000,
        inFlightRunsMax: 2_000,
        submitConcurrency: 16,
      },
      polling: { firstAfterMs: 0 },
      lookupsMax: null,
    },
    observe: (event) => {
      if (event.type === 'progress') rates.push(event.progress.submissionsPerMinute)
    },
  })
  // 600 in 60.04 seconds: some seconds hold 10 of them, some 11.
  let sentCount = 0
  while (clock.monotonicMs() < 90_000) {
    for (; (sentCount * 60_040) / 600 <= clock.monotonicMs(); sentCount++) counter.count('submissions')
    clock.advance(7)
    await Promise.resolve()
    await Promise.resolve()
  }
  watched.end()
  expect(rates.length).toBeGreaterThan(80)
  expect(Math.max(...rates)).toBeLessThanOrEqual(600)
  expect(Math.min(...rates.slice(5))).toBeGreaterThan(580)
})
