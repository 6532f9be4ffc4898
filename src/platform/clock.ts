import { randomBytes } from 'node:crypto'

/** Time as an argument. `nowMs` is Unix time; `monotonicMs` never decreases and measures delays. */
export interface Clock {
  nowMs(): number
  monotonicMs(): number
  /** Resolves after `delayMs`, or at once when the signal aborts; never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** setTimeout takes a 32-bit delay; a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve()
        return
      }
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      // Timers use whole milliseconds; rounding down would wake too early.
      const timer = setTimeout(finish, Math.min(Math.max(0, Math.ceil(delayMs)), timerMsMax))
      signal?.addEventListener('abort', finish, { once: true })
    }),
}

const rung = Symbol('rung')

/** Lets one waiter sleep until a ring or a timeout. A ring without a waiter is remembered. */
export class WakeSignal {
  readonly #clock: Clock
  #rings = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly ring = (): void => {
    // A fixed reason: Node.js would create an error with a stack for each ring.
    this.#rings.abort(rung)
  }

  /** Waits at most `delayMs`; returns at once if it rang since the last wait. */
  async wait(delayMs = Infinity): Promise<void> {
    await this.#clock.sleep(delayMs, this.#rings.signal)
    if (this.#rings.signal.aborted) this.#rings = new AbortController()
  }
}

/** Runs an action whose signal aborts after `msMax` by the clock, or with one of `signals`. */
export async function withTimeout<Result>(
  { clock, msMax, signals = [] }: { clock: Clock; msMax: number; signals?: readonly AbortSignal[] },
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const finished = new AbortController()
  const end = () => {
    ending.abort()
  }
  void clock.sleep(msMax, finished.signal).then(() => {
    if (!finished.signal.aborted) end()
  })
  for (const signal of signals) {
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  }
  try {
    return await action(ending.signal)
  } finally {
    finished.abort()
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Randomness as an argument: a fraction in [0, 1), and unguessable ids. */
export interface Random {
  fraction(): number
  /** Returns `prefix` and 24 characters of 0-9 and a-z: 124 bits. */
  id(prefix: string): string
}

/** Returns a generator of fractions in [0, 1), determined by the seed (mulberry32). */
export function createSeededFractions(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Buffered: a separate draw for each id would take several times as long as the id. */
let stock = randomBytes(0)
let usedCount = 0

function nextByte(): number {
  if (usedCount >= stock.length) [stock, usedCount] = [randomBytes(4_096), 0]
  return stock[usedCount++] ?? 0
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  id: (prefix) => {
    let id = prefix
    while (id.length < prefix.length + 24) {
      // 252 is the largest multiple of 36 in a byte: every character is equally likely.
      const byte = nextByte()
      if (byte < 252) id += alphabet.charAt(byte % 36)
    }
    return id
  },
}
