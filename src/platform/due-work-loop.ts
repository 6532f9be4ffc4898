import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Awaitable } from '../core/awaitable.js'
import type { Clock } from './clock.js'

export interface DueWorkDeps {
  readonly clock: Clock
  /** Processes all due work: short work directly, longer work through `begin`. */
  readonly takeUp: (loop: InFlight) => void | Promise<void>
  /** Returns when the next work is due, by the wall clock; -Infinity if more is due now. */
  readonly nextDueAtMs: () => Awaitable<number>
  /** Maximum number of longer tasks at once. */
  readonly inFlightMax?: number
  /** Longest sleep, because the wall clock may be changed. */
  readonly idleMsMax: number
  /** Delay after a failed check before the next one, and after a failed task before it may start again. */
  readonly retryMs: number
  readonly onFailure: (error: unknown) => void
}

/** The longer tasks in progress. */
export interface InFlight {
  /** Aborted when the loop is stopped. */
  readonly stopping: AbortSignal
  /** Returns how many more may start. */
  room(): number
  has(key: number): boolean
  /** Starts a task; its end wakes the loop. Its error is reported, and affects this task only. */
  begin(key: number, piece: () => Promise<void>): void
}

export interface DueWorkLoop {
  /** Wakes the loop no later than this time. */
  expect(dueAtMs: number): void
  /** Wakes the loop to check for work. */
  wake(): void
  /** Starts nothing more; resolves when nothing is in flight. */
  stop(): Promise<void>
}

// A fixed abort reason: Node.js would create an error with a stack for each wake.
const woken = Symbol('woken')

/** Processes due work in the background until it is stopped. */
export function startDueWorkLoop(deps: DueWorkDeps): DueWorkLoop {
  const { clock, takeUp, nextDueAtMs, idleMsMax, retryMs, onFailure } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  let isWoken = false
  let sleepsUntilMs = -Infinity
  // Earliest time passed to `expect` while `nextDueAtMs` is running, and so missing from its result.
  let expectedAtMs = Infinity
  let sleep = new AbortController()
  const wake = () => {
    isWoken = true
    sleep.abort(woken)
  }
  const inFlight = createInFlight({ ...deps, signal, wake })

  const sleepFor = async (delayMs: number): Promise<void> => {
    if (isWoken || signal.aborted || delayMs <= 0) return
    sleep = new AbortController()
    sleepsUntilMs = clock.nowMs() + delayMs
    await clock.sleep(delayMs, sleep.signal)
    sleepsUntilMs = -Infinity
  }
  const look = async (): Promise<void> => {
    try {
      await takeUp(inFlight)
      // Lets other tasks of this thread run first; the same check then sees what they finished.
      await nextTurn()
      expectedAtMs = Infinity
      const nextMs = await nextDueAtMs()
      await sleepFor(Math.min(Math.min(nextMs, expectedAtMs) - clock.nowMs(), idleMsMax))
    } catch (error) {
      onFailure(error)
      isWoken = false
      await sleepFor(retryMs)
    }
  }
  const runLoop = async (): Promise<void> => {
    while (!signal.aborted) {
      isWoken = false
      await look()
    }
    await inFlight.ended()
  }
  const worked = nextTurn().then(runLoop)

  return {
    expect: (dueAtMs) => {
      expectedAtMs = Math.min(expectedAtMs, dueAtMs)
      if (dueAtMs < sleepsUntilMs) wake()
    },
    wake,
    stop: () => {
      stopping.abort()
      wake()
      return worked
    },
  }
}

function createInFlight(
  deps: Pick<DueWorkDeps, 'clock' | 'inFlightMax' | 'retryMs' | 'onFailure'> & {
    readonly signal: AbortSignal
    readonly wake: () => void
  },
): InFlight & { ended(): Promise<void> } {
  const { clock, inFlightMax = 0, retryMs, onFailure, signal, wake } = deps
  // Each task may listen, and Node.js warns at more than ten listeners.
  setMaxListeners(0, signal)
  const pieces = new Map<number, Promise<void>>()
  const run = async (key: number, piece: () => Promise<void>): Promise<void> => {
    try {
      await piece()
    } catch (error) {
      onFailure(error)
      await clock.sleep(retryMs, signal)
    }
    pieces.delete(key)
    wake()
  }
  return {
    stopping: signal,
    room: () => inFlightMax - pieces.size,
    has: (key) => pieces.has(key),
    begin: (key, piece) => {
      if (pieces.has(key) || pieces.size >= inFlightMax) throw new Error(`no room for ${key} in flight`)
      pieces.set(key, run(key, piece))
    },
    ended: async () => {
      await Promise.all(pieces.values())
    },
  }
}
