import { errorText } from '../core/error-text.js'
import type { Clock } from '../platform/clock.js'
import type { Answered, Asked, Opened } from './matcher-questions.js'
import { startMatcherThread, type MatcherThread, type MatcherThreadDeps } from './matcher-thread.js'

const placeLimits = {
  /** What a thread has before it, so that it need not wait for this one, which may be busy for so long. */
  questionsMax: 24,
  /** A question that takes longer has its thread to itself: what waits behind it goes elsewhere. */
  heldUpMs: 20,
  /** A thread that ends so often in a row, with no answer between, is not started again. */
  failuresMax: 3,
  restartMs: 100,
} as const

export interface PlaceDeps extends Pick<MatcherThreadDeps, 'registryPath' | 'cacheKibibytes' | 'code'> {
  /** The file that is answered from: a thread that opens another one is sent away. */
  readonly file: string
  /** A question that takes longer is given up, and its thread ended. */
  readonly questionMsMax: number
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly onAnswered: (answered: readonly Answered[]) => void
  /** They are to be asked again, as if they had not been. */
  readonly onReturned: (asked: readonly Asked[]) => void
  readonly onGivenUp: (asked: Asked, why: 'too_long' | 'thread_ended') => void
  /** It takes questions, or takes none any more. */
  readonly onChanged: () => void
}

/** `starting`: none of its threads has opened the registry yet. `gone`: none will be started again. */
type PlaceState = 'starting' | 'open' | 'restarting' | 'gone'

/** A place for a thread, which may have several after one another. */
export class Place {
  readonly #deps: PlaceDeps
  readonly #inFlight = new Map<number, Asked>()
  readonly #closing = new AbortController()
  #state: PlaceState = 'starting'
  #thread: MatcherThread | null = null
  #outbox: Asked[] = []
  /** Threads that ended since the last answer. */
  #failureCount = 0
  /** Which question the thread was at when it was looked at, and since when that is known. */
  #seen = { at: 0, sinceMs: 0 }
  #isHeldUp = false

  constructor(deps: PlaceDeps) {
    this.#deps = deps
    this.#start()
  }

  get state(): PlaceState {
    return this.#state
  }

  /** How many questions it has; null where it takes none. */
  get load(): number | null {
    const takesMore = this.#inFlight.size < placeLimits.questionsMax
    return this.#state === 'open' && !this.#isHeldUp && takesMore ? this.#inFlight.size : null
  }

  give(asked: Asked): void {
    this.#inFlight.set(asked.number, asked)
    this.#outbox.push(asked)
  }

  /** What was given since goes out, in one message. */
  send(): void {
    if (this.#outbox.length === 0) return
    this.#thread?.send(this.#outbox)
    this.#outbox = []
  }

  /** Sees to a question that takes long. */
  look(): void {
    if (this.#state !== 'open') return
    const at = this.#thread?.at() ?? 0
    const nowMs = this.#deps.clock.monotonicMs()
    if (at === 0 || at !== this.#seen.at) {
      this.#seen = { at, sinceMs: nowMs }
      this.#holdUp(false)
      return
    }
    const ranMs = nowMs - this.#seen.sinceMs
    if (ranMs >= this.#deps.questionMsMax) {
      this.#giveUpOn(at, 'too_long')
      void this.#thread?.end()
      this.#replace()
    } else if (ranMs >= placeLimits.heldUpMs && !this.#isHeldUp) {
      this.#holdUp(true)
      this.#returnAllBut(at)
    }
  }

  async end(): Promise<void> {
    this.#state = 'gone'
    this.#closing.abort()
    await this.#thread?.end()
  }

  #start(): void {
    this.#seen = { at: 0, sinceMs: 0 }
    this.#isHeldUp = false
    const thread = startMatcherThread({
      ...this.#deps,
      onOpened: (opened) => {
        this.#opened(opened)
      },
      onAnswered: (answered) => {
        this.#answered(answered)
      },
      onEnded: (error) => {
        this.#deps.log(`a thread that matches names ended: ${errorText(error)}`)
        this.#failureCount++
        this.#giveUpOn(thread?.at() ?? 0, 'thread_ended')
        this.#replace()
      },
    })
    this.#thread = thread
    if (thread === null) this.#state = 'gone'
  }

  #opened({ file }: Opened): void {
    const isSame = file === this.#deps.file
    this.#state = isSame ? 'open' : 'gone'
    if (!isSame) {
      this.#deps.log(
        'the file of the registry was replaced: answers come from the one before until the next start',
      )
      void this.#thread?.end()
    }
    this.#deps.onChanged()
  }

  #answered(answered: readonly Answered[]): void {
    this.#failureCount = 0
    for (const { number } of answered) {
      this.#inFlight.delete(number)
      if (number === this.#seen.at) this.#isHeldUp = false
    }
    this.#deps.onAnswered(answered)
  }

  /** What it had goes elsewhere; where threads end again and again none is started. */
  #replace(): void {
    const isHopeless = this.#failureCount >= placeLimits.failuresMax
    if (isHopeless) this.#state = 'gone'
    else if (this.#state === 'open') this.#state = 'restarting'
    this.#returnAllBut(null)
    if (isHopeless) return
    void this.#deps.clock.sleep(placeLimits.restartMs * this.#failureCount, this.#closing.signal).then(() => {
      if (this.#state !== 'gone') this.#start()
    })
  }

  #giveUpOn(number: number, why: 'too_long' | 'thread_ended'): void {
    const asked = this.#inFlight.get(number)
    this.#inFlight.delete(number)
    if (asked !== undefined) this.#deps.onGivenUp(asked, why)
  }

  #returnAllBut(except: number | null): void {
    const returned = [...this.#inFlight.values()].filter(({ number }) => number !== except)
    for (const { number } of returned) this.#inFlight.delete(number)
    this.#outbox = []
    this.#thread?.withdraw()
    this.#deps.onReturned(returned)
  }

  #holdUp(isHeldUp: boolean): void {
    const isFreed = this.#isHeldUp && !isHeldUp
    this.#isHeldUp = isHeldUp
    if (isFreed) this.#deps.onChanged()
  }
}
