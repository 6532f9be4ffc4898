import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Awaitable } from './sql-program.js'
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

// A fixed abort reason: Node.js would create an error with a stack for each wake.
const woken = Symbol('woken')

/** Processes due work in the background until it is stopped. Starts immediately. */
export class DueWorkLoop {
  readonly #deps: DueWorkDeps
  readonly #stopping = new AbortController()
  readonly #inFlight: InFlight
  readonly #worked: Promise<void>
  #isWoken = false
  #sleepsUntilMs = -Infinity
  /** Earliest time passed to `expect` while `nextDueAtMs` is running, and so missing from its result. */
  #expectedAtMs = Infinity
  #sleep = new AbortController()

  constructor(deps: DueWorkDeps) {
    this.#deps = deps
    this.#inFlight = new InFlight(deps, this.#stopping.signal, () => {
      this.wake()
    })
    this.#worked = nextTurn().then(() => this.#run())
  }

  /** Wakes the loop no later than this time. */
  expect(dueAtMs: number): void {
    this.#expectedAtMs = Math.min(this.#expectedAtMs, dueAtMs)
    if (dueAtMs < this.#sleepsUntilMs) this.wake()
  }

  /** Wakes the loop to check for work. */
  wake(): void {
    this.#isWoken = true
    this.#sleep.abort(woken)
  }

  /** Starts nothing more; resolves when nothing is in flight. */
  stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    return this.#worked
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isWoken = false
      await this.#look()
    }
    await this.#inFlight.ended()
  }

  async #look(): Promise<void> {
    const { clock, takeUp, nextDueAtMs, idleMsMax, retryMs, onFailure } = this.#deps
    try {
      await takeUp(this.#inFlight)
      // Lets other tasks of this thread run first; the same check then sees what they finished.
      await nextTurn()
      this.#expectedAtMs = Infinity
      const nextMs = await nextDueAtMs()
      await this.#sleepFor(Math.min(Math.min(nextMs, this.#expectedAtMs) - clock.nowMs(), idleMsMax))
    } catch (error) {
      onFailure(error)
      this.#isWoken = false
      await this.#sleepFor(retryMs)
    }
  }

  async #sleepFor(delayMs: number): Promise<void> {
    if (this.#isWoken || this.#stopping.signal.aborted || delayMs <= 0) return
    const { clock } = this.#deps
    this.#sleep = new AbortController()
    this.#sleepsUntilMs = clock.nowMs() + delayMs
    await clock.sleep(delayMs, this.#sleep.signal)
    this.#sleepsUntilMs = -Infinity
  }
}

/** The longer tasks in progress. */
export class InFlight {
  /** Aborted when the loop is stopped. */
  readonly stopping: AbortSignal
  readonly #deps: Pick<DueWorkDeps, 'clock' | 'inFlightMax' | 'retryMs' | 'onFailure'>
  readonly #wake: () => void
  readonly #pieces = new Map<number, Promise<void>>()

  constructor(deps: DueWorkDeps, stopping: AbortSignal, wake: () => void) {
    // Each task may listen, and Node.js warns at more than ten listeners.
    setMaxListeners(0, stopping)
    this.stopping = stopping
    this.#deps = deps
    this.#wake = wake
  }

  /** Returns how many more may start. */
  room(): number {
    return (this.#deps.inFlightMax ?? 0) - this.#pieces.size
  }

  has(key: number): boolean {
    return this.#pieces.has(key)
  }

  /** Starts a task; its end wakes the loop. Its error is reported, and affects this task only. */
  begin(key: number, piece: () => Promise<void>): void {
    if (this.has(key) || this.room() <= 0) throw new Error(`no room for ${key} in flight`)
    this.#pieces.set(key, this.#run(key, piece))
  }

  /** Resolves when all tasks have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#pieces.values())
  }

  async #run(key: number, piece: () => Promise<void>): Promise<void> {
    const { clock, retryMs, onFailure } = this.#deps
    try {
      await piece()
    } catch (error) {
      onFailure(error)
      await clock.sleep(retryMs, this.stopping)
    }
    this.#pieces.delete(key)
    this.#wake()
  }
}

/** Orders work by round robin over accounts: the first of each account, then the second of each, and so on. */
export function interleaveAccounts<Work extends { readonly accountNumber: number }>(
  works: readonly Work[],
): Work[] {
  const placed = new Map<number, number>()
  return works
    .map((work) => {
      const place = placed.get(work.accountNumber) ?? 0
      placed.set(work.accountNumber, place + 1)
      return { work, place }
    })
    .sort((one, other) => one.place - other.place)
    .map(({ work }) => work)
}

interface AccountQueues<Work> {
  /** Returns the accounts with open work, in the order of their numbers. */
  readonly accounts: () => readonly number[]
  /** Returns the first due work of an account. */
  readonly read: (accountNumber: number, nowMs: number, countMax: number) => Work[]
}

/** Returns a function that takes due work by round robin over accounts. Each call starts with another account. */
export function createRoundRobin<Work extends { readonly accountNumber: number }>({
  accounts,
  read,
}: AccountQueues<Work>): (nowMs: number, countMax: number) => Work[] {
  let callCount = 0
  return (nowMs, countMax) => {
    const open = accounts()
    const start = callCount++ % Math.max(open.length, 1)
    const turns = [...open.slice(start), ...open.slice(0, start)]
    const shareMax = Math.ceil(countMax / Math.max(open.length, 1))
    const shares = turns.map((account) => read(account, nowMs, shareMax))
    const takenCount = shares.reduce((sum, { length }) => sum + length, 0)
    // The rest of a share that an account does not need goes to the others.
    const queues =
      takenCount === countMax || open.length === 1
        ? shares
        : shares.map((share, index) =>
            share.length < shareMax ? share : read(turns[index] ?? 0, nowMs, countMax),
          )
    return interleaveAccounts(queues.flat()).slice(0, countMax)
  }
}
