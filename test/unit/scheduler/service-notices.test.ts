import { expect, test } from 'vitest'
import { watchMisdirected, watchRefusals } from '../../../src/pipeline/history/progress-watch.js'
import { systemClock } from '../../../src/platform/clock.js'
import { calculatePauseMs, createTally, watchPauses } from '../../../src/pipeline/history/tally.js'

const minuteMs = 60_000

/** The notices and their minutes, when a service refuses as it says at each full minute. */
function noticesOf(
  isRefused: (minute: number) => boolean,
  minutes: number,
): [minute: number, text: string][] {
  const { tally, counter } = createTally()
  const seen: [number, string][] = []
  let minute = 0
  const look = watchRefusals(tally.refusedSinceMs, (text) => seen.push([minute, text]))
  for (; minute <= minutes; minute++) {
    const verdict = isRefused(minute) ? { kind: 'rate_limited', waitMs: 1_000 } : { kind: 'accepted' }
    counter.onReply('submissions', verdict, minute * minuteMs)
    look(minute * minuteMs)
  }
  return seen
}

test('a service that refuses for long is named with the time and the causes, ever more rarely', () => {
  const notices = noticesOf(() => true, 60)
  expect(notices.map(([minute]) => minute)).toEqual([3, 6, 12, 24, 48])
  expect(notices[1]?.[1]).toMatch(/429 to all submissions for 6m00s.*API key.*plan.*--max-duration/)
})

test('a long wait that the service requests is reported once, with its end', () => {
  const { tally, counter } = createTally()
  const seen: string[] = []
  let monotonicMs = 0
  const clock = {
    ...systemClock,
    monotonicMs: () => monotonicMs,
    nowMs: () => Date.UTC(2026, 0, 1) + monotonicMs,
  }
  const look = watchPauses(tally, clock, (text) => seen.push(text))
  for (const waitMs of [60_000, 120_000, 3_600_000, 3_599_000]) {
    counter.onReply('submissions', { kind: 'rate_limited', waitMs }, monotonicMs)
    look()
    monotonicMs += 1_000
  }
  expect(seen).toEqual([expect.stringMatching(/429.*Retry-After.*submissions until 2026-01-01T01:00:02Z/)])
  expect(calculatePauseMs(tally, clock)).toBe(3_598_000)
})

test('a limit that is met now and then is no news', () => {
  expect(noticesOf((minute) => minute % 3 !== 0, 60)).toEqual([])
})

test('when the service goes on, that is reported once, and the next time is counted from its beginning', () => {
  const notices = noticesOf((minute) => minute < 10 || minute > 20, 24)
  expect(notices.map(([minute]) => minute)).toEqual([3, 6, 10, 24])
  expect(notices[2]?.[1]).toBe('The service accepts submissions again.')
})

test('answers of others are reported at the first, and then each time there are twice as many', () => {
  const { tally, counter } = createTally()
  for (const lookupId of [1, 2, 3]) counter.markHeld(lookupId)
  const seen: [number, string][] = []
  const look = watchMisdirected(tally, (text) => seen.push([tally.misdirected, text]))
  for (let count = 0; count < 100; count++) {
    counter.count('misdirected')
    look()
  }
  expect(seen.map(([count]) => count)).toEqual([1, 2, 4, 8, 16, 32, 64])
  expect(seen[1]?.[1]).toMatch(/^ALARM: the service sent 2 answers of other lookups.*3 lookups are held/)
})
