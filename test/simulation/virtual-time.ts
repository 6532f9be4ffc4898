import { AsyncLocalStorage } from 'node:async_hooks'
import FakeTimers, { type Clock } from '@sinonjs/fake-timers'

const { setTimeout, setInterval, setImmediate } = globalThis
const realTimers = { setTimeout, setInterval, setImmediate } as Readonly<
  Record<'setTimeout' | 'setInterval' | 'setImmediate', (...args: unknown[]) => unknown>
>
const scopes = new AsyncLocalStorage<VirtualTime>()
const letPromisesRun = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Rounds in which nothing but promises happened: far beyond what any step needs. */
const idleRoundsMax = 1_000

/** Time that stands still unless it is told to pass; every timer of the process obeys it. */
export class VirtualTime {
  readonly #clock: Clock
  #isWorld = false
  jumpCount = 0

  constructor(startMs: number) {
    this.#clock = FakeTimers.install({
      now: startMs,
      toFake: [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
        'clearImmediate',
        'Date',
        'performance',
      ],
      loopLimit: 1_000_000_000,
      // What slept before the world began may be woken in it.
      shouldClearNativeTimers: true,
    })
    for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const) this.#leaveToOthers(name)
  }

  /** Runs a world of its own: what dead processes of earlier worlds still do sets no timer in it. */
  run<Result>(world: () => Promise<Result>): Promise<Result> {
    this.#isWorld = true
    return scopes.run(this, world)
  }

  #leaveToOthers(name: 'setTimeout' | 'setInterval' | 'setImmediate'): void {
    const own = globalThis[name] as (...args: unknown[]) => unknown
    const set = (...args: unknown[]): unknown =>
      this.#isWorld && scopes.getStore() !== this ? realTimers[name](...args) : own(...args)
    Object.assign(globalThis, { [name]: set })
  }

  get nowMs(): number {
    return this.#clock.now
  }

  /** The wall clock jumps; timers and the monotonic clock do not see it. */
  jump(deltaMs: number): void {
    this.jumpCount++
    this.#clock.setSystemTime(this.#clock.now + deltaMs)
  }

  /**
   * Lets time pass until the promise settles or `until` says so. Throws when `virtualMsMax` have passed, or
   * when nothing is left that could ever happen: the run would hang. `until` is told whether time passes: how many
   * rounds come in which it does not, is up to the disk and the other processes of this machine.
   */
  async runUntil(
    promise: Promise<unknown>,
    until: (timePasses: boolean) => boolean,
    virtualMsMax: number,
  ): Promise<void> {
    const state = { settled: false }
    promise.then(
      () => (state.settled = true),
      () => (state.settled = true),
    )
    let passedMs = 0
    let idleRounds = 0
    for (;;) {
      await letPromisesRun()
      const timePasses = this.#clock.countTimers() > 0
      if (state.settled || until(timePasses)) return
      if (!timePasses) {
        if (++idleRounds > idleRoundsMax)
          throw new Error('the run hangs: no timer is set and nothing is in flight')
        continue
      }
      idleRounds = 0
      const before = performance.now()
      this.#clock.next()
      passedMs += performance.now() - before
      if (passedMs > virtualMsMax)
        throw new Error(`the run did not end within ${virtualMsMax} ms of virtual time`)
    }
  }

  end(): void {
    this.#clock.uninstall()
  }
}
