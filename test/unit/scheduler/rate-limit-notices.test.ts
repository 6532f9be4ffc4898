import { expect, test } from 'vitest'
import { watchRefusals } from '../../../src/pipeline/scheduler/rate-limit-notices.js'
import { createTally, noteAnswer } from '../../../src/pipeline/scheduler/tally.js'

const minuteMs = 60_000

/** Minutes at which something is told, when a service refuses as it says at each full minute. */
function told(isRefused: (minute: number) => boolean, minutes: number): [minute: number, text: string][] {
  const tally = createTally()
  const seen: [number, string][] = []
  let minute = 0
  const look = watchRefusals(tally.refusedSinceMs, (text) => seen.push([minute, text]))
  for (; minute <= minutes; minute++) {
    noteAnswer(tally, 'submissions', isRefused(minute), minute * minuteMs)
    look(minute * minuteMs)
  }
  return seen
}

test('a service that refuses for long is named with the time and the causes, ever more rarely', () => {
  const notices = told(() => true, 60)
  expect(notices.map(([minute]) => minute)).toEqual([3, 6, 12, 24, 48])
  expect(notices[1]?.[1]).toMatch(/429 to all submissions for 6m00s.*API key.*plan.*--max-duration/)
})

test('a limit that is met now and then is no news', () => {
  expect(told((minute) => minute % 3 !== 0, 60)).toEqual([])
})

test('when the service goes on, that is told once, and the next time is counted from its beginning', () => {
  const notices = told((minute) => minute < 10 || minute > 20, 24)
  expect(notices.map(([minute]) => minute)).toEqual([3, 6, 10, 24])
  expect(notices[2]?.[1]).toBe('The service takes submissions again.')
})
