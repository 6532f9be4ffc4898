import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Awaitable } from '../core/awaitable.js'
import type { Clock } from './clock.js'

export interface DueWorkDeps {
  readonly clock: Clock
  /** Takes up what is due by now: short work at once, longer work by `begin`. */
  readonly takeUp: (loop: InFlight) => void | Promise<void>
  /** When the next is due, by the wall clock; -Infinity: there is more to take up now. */
  readonly nextDueAtMs: () => Awaitable<number>
  /** Pieces of longer work at a time. */
  readonly inFlightMax?: number
  /** However far off the next is, it is looked for again after this: somebody may have set the clock. */
  readonly idleMsMax: number
  /** Wait after a failure: of a look, before the next look; of a piece, before it may be begun again. */
  readonly retryMs: number
  readonly onFailure: (error: unknown) => void
}

/** The longer work that is under way. */
export interface InFlight {
  /** Aborted when the loop is stopped. */
  readonly stopping: AbortSignal
  /** How many more may be begun. */
  room(): number
  has(key: number): boolean
  /** The end of a piece wakes the loop; its error is reported, and costs that piece alone. */
  begin(key: number, piece: () => Promise<void>): void
}

export interface DueWorkLoop {
  /** Something is due then: a loop that sleeps longer wakes. */
  expect(dueAtMs: number): void
  /** There may be something to take up. */
  wake(): void
  /** Takes up nothing more, and resolves when nothing is in flight. */
  stop(): Promise<void>
}

// Node would make an error, with its stack, for each wake.
const woken = Symbol('woken')

/** Works off what is due, beside whatever else goes on in this thread: until it is stopped. */
export function startDueWorkLoop(deps: DueWorkDeps): DueWorkLoop {
  const { clock, takeUp, nextDueAtMs, idleMsMax, retryMs, onFailure } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  let isWoken = false
  let sleepsUntilMs = -Infinity
  // Of what is expected while it is asked what is due next, and is not in the answer.
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
      // What asks for this thread meanwhile comes first, and what ends meanwhile is seen by the same look.
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
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      isWoken = false
      await look()
    }
    await inFlight.ended()
  }
  const worked = nextTurn().then(work)

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
  // Each piece may listen, and Node warns of more than ten.
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
