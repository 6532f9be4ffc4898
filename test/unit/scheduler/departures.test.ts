import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharedTurns } from '../../../src/pipeline/checkpoint/records.js'
import { createPace, type Pace } from '../../../src/platform/pace.js'
import { createSharedPace } from '../../../src/pipeline/scheduler/kind-paces.js'
import { systemClock } from '../../../src/platform/clock.js'
import { VirtualTime } from '../../simulation/virtual-time.js'

const [perWindow, windowMs] = [600, 60_000]
const never = new AbortController().signal

let time: VirtualTime
beforeEach(() => {
  time = new VirtualTime(Date.UTC(2026, 0, 1))
})
afterEach(() => {
  time.end()
})

/** Turns as PostgreSQL gives them: one after another, over all who ask. */
function turnsInMemory(): SharedTurns {
  let nextAtMs = systemClock.monotonicMs()
  let givenCount = 0
  return {
    take: (spacingMs) => {
      const nowMs = systemClock.monotonicMs()
      nextAtMs = Math.max(nextAtMs + spacingMs, nowMs)
      return Promise.resolve({ waitMs: nextAtMs - nowMs, givenCount: ++givenCount })
    },
    pause: () => Promise.resolve(),
    pausedMs: () => Promise.resolve(0),
  }
}

/** Between a turn and when its request leaves; times from the beginning. */
type Commit = (turnAtMs: number) => number

/** When requests left, in milliseconds from the beginning, of processes that start as fast as they may. */
async function departuresOf(paces: readonly Pace[], forMs: number, commitMs: Commit): Promise<number[]> {
  const beganAtMs = systemClock.monotonicMs()
  const sinceMs = () => systemClock.monotonicMs() - beganAtMs
  const departures: number[] = []
  const depart = async (leave: () => boolean) => {
    await systemClock.sleep(commitMs(sinceMs()))
    if (leave()) departures.push(sinceMs())
  }
  const starting = paces.map(async (pace) => {
    while (sinceMs() < forMs) {
      const right = await pace.waitForTurn(never)
      void depart(() => right.leave())
    }
  })
  await time.runUntil(Promise.all(starting), () => false, forMs * 2)
  return departures
}

/** The most that left in any window: a limit that is counted by calendar minutes lies in one of these. */
function mostInWindow(departures: readonly number[]): number {
  return Math.max(
    ...departures.map((fromMs) => departures.filter((ms) => ms >= fromMs && ms < fromMs + windowMs).length),
  )
}

/** A disk, or PostgreSQL, that stands still for so long, and lets all go at once that waited. */
const haltedAt =
  (haltMs: number, forMs: number, elseMs = 10): Commit =>
  (turnAtMs) =>
    turnAtMs >= haltMs && turnAtMs < haltMs + forMs ? haltMs + forMs - turnAtMs : elseMs

describe('requests whose intention is written late', () => {
  test.each([[300], [1_000], [5_000], [20_000]])(
    'of one process, held up for %d ms: no window takes more than is allowed',
    async (forMs) => {
      const pace = createPace(systemClock, perWindow, windowMs)
      const departures = await departuresOf([pace], 240_000, haltedAt(70_000, forMs))
      expect(mostInWindow(departures)).toBeLessThanOrEqual(perWindow)
      expect(departures.length).toBeGreaterThan(0.99 * 4 * perWindow - (2 * forMs * perWindow) / windowMs)
    },
  )

  test.each([[300], [1_000], [5_000], [20_000]])(
    'of several processes that share a limit, held up for %d ms: the same',
    async (forMs) => {
      const turns = turnsInMemory()
      const paces = [1, 2].map(() => createSharedPace(systemClock, turns, perWindow, windowMs))
      const departures = await departuresOf(paces, 240_000, haltedAt(70_000, forMs))
      expect(mostInWindow(departures)).toBeLessThanOrEqual(perWindow)
      expect(departures.length).toBeGreaterThan(0.99 * 4 * perWindow - (2 * forMs * perWindow) / windowMs)
    },
  )

  test('who is always late leaves after a while, and then with every turn', async () => {
    const pace = createSharedPace(systemClock, turnsInMemory(), perWindow, windowMs)
    const departures = await departuresOf([pace], 180_000, () => 700)
    expect(mostInWindow(departures)).toBeLessThanOrEqual(perWindow)
    expect(departures.length).toBeGreaterThan(0.99 * ((180_000 - 11_000) / windowMs) * perWindow)
  })
})
