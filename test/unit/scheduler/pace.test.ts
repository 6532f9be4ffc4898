import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPace, type Pace } from '../../../src/platform/pace.js'
import { systemClock } from '../../../src/platform/clock.js'
import { VirtualTime } from '../../simulation/virtual-time.js'

const minuteMs = 60_000
const never = new AbortController().signal

let time: VirtualTime
beforeEach(() => {
  time = new VirtualTime(Date.UTC(2026, 0, 1))
})
afterEach(() => {
  time.end()
})

/** When the first turns of a pace come, in milliseconds from now. */
async function turnsMs(
  count: number,
  perWindow: number | null,
  startedAgoMs: readonly number[],
): Promise<number[]> {
  const beganAtMs = systemClock.monotonicMs()
  const starts = startedAgoMs.map((agoMs) => beganAtMs - agoMs)
  const pace = createPace(systemClock, perWindow, minuteMs, starts)
  const turns: number[] = []
  const taking = (async () => {
    while (turns.length < count) {
      await pace.waitForTurn(never)
      turns.push(systemClock.monotonicMs() - beganAtMs)
    }
  })()
  await time.runUntil(taking, () => false, 10 * minuteMs)
  return turns
}

describe('a pace after an earlier process', () => {
  test('keeps the distance to the last start of that process', async () => {
    const [first = 0, second = 0] = await turnsMs(2, 100, [1_400, 800, 200])
    expect(first).toBeGreaterThanOrEqual(400)
    expect(first).toBeLessThan(410)
    expect(second - first).toBeGreaterThanOrEqual(600)
  })

  test.each([
    ['nothing left before', 100, []],
    ['the last start is long ago', 100, [50_000, 601]],
    ['there is no limit', null, [0]],
  ])('starts at once when %s', async (_, perWindow, startedAgoMs) => {
    expect(await turnsMs(1, perWindow, startedAgoMs)).toEqual([0])
  })

  test('takes what that process used for its own, not for the use of others', () => {
    const beganAtMs = systemClock.monotonicMs()
    const earlier = Array.from({ length: 80 }, (_, index) => beganAtMs - (80 - index) * 601)
    const evenPerMs = createPace(systemClock, 100, minuteMs).getStartsPerMs()
    for (const [starts, isSlower] of [
      [earlier, false],
      [[], true],
    ] as const) {
      const pace = createPace(systemClock, 100, minuteMs, starts)
      pace.follow({ limit: 100, remaining: 20, resetMs: 30_000 })
      expect((pace.getStartsPerMs() ?? 0) < (evenPerMs ?? 0), `${starts.length} starts`).toBe(isSlower)
    }
  })
})

test.each([
  [
    'after a pause that several waited through',
    (pace: Pace) => {
      pace.pause(10_000)
    },
  ],
  [
    'after a refusal',
    (pace: Pace) => {
      pace.onRateLimited(10_000)
    },
  ],
  [
    'when the wall clock is set an hour forward',
    () => {
      time.jump(3_600_000)
    },
  ],
  [
    'when the wall clock is set an hour back',
    () => {
      time.jump(-3_600_000)
    },
  ],
])('Starts keep their distance %s', async (_, disturb) => {
  const beganAtMs = systemClock.monotonicMs()
  const pace = createPace(systemClock, 60, minuteMs)
  const turns: number[] = []
  const taking = [1, 2, 3, 4].map(async () => {
    await pace.waitForTurn(never)
    turns.push(systemClock.monotonicMs() - beganAtMs)
    if (turns.length === 1) disturb(pace)
  })
  await time.runUntil(Promise.all(taking), () => false, 10 * minuteMs)
  const distances = turns.slice(1).map((turnMs, index) => turnMs - (turns[index] ?? 0))
  expect(Math.min(...distances)).toBeGreaterThanOrEqual(1_000)
  // A clock that is set back is no pause of an hour.
  expect(Math.max(...turns)).toBeLessThan(20_000)
})
