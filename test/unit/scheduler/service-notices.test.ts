import { expect, test } from 'vitest'
import { watchMisdirected, watchRefusals } from '../../../src/pipeline/history/progress-watch.js'
import { createTally } from '../../../src/pipeline/history/tally.js'

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
    counter.onReply('submissions', isRefused(minute), minute * minuteMs)
    look(minute * minuteMs)
  }
  return seen
}

test('a service that refuses for long is named with the time and the causes, ever more rarely', () => {
  const notices = noticesOf(() => true, 60)
  expect(notices.map(([minute]) => minute)).toEqual([3, 6, 12, 24, 48])
  expect(notices[1]?.[1]).toMatch(/429 to all submissions for 6m00s.*API key.*plan.*--max-duration/)
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
