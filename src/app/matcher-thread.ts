import { errorText } from '../core/errors.js'
import type { Clock } from '../platform/clock.js'
import {
  type Answered,
  type Asked,
  type Opened,
  sharedAt,
  type AskMessage,
  type MatcherStart,
} from './matcher-protocol.js'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { codeFolder } from '../platform/installed-package.js'

/** A thread of its own that answers from a registry of its own, one question after the other. */
interface MatcherThread {
  send(asked: readonly Asked[]): void
  /** What was sent and is not begun is left, and gets no answer. */
  withdraw(): void
  /** The number of the question that it is at; 0 between questions. Also of one that has ended. */
  at(): number
  /** Whatever it is at; resolves when nothing of it is left. Nothing is reported of it any more. */
  end(): Promise<void>
}

/** What a thread runs. */
export interface ThreadCode {
  readonly file: URL
  /** Those of this process if left out. */
  readonly execArgv?: readonly string[]
  readonly heapMebibytesMax?: number
}

interface MatcherThreadDeps extends Omit<MatcherStart, 'shared'> {
  /** Null: the one of this package. */
  readonly code: ThreadCode | null
  readonly onOpened: (opened: Opened) => void
  readonly onAnswered: (answered: readonly Answered[]) => void
  /** It ended by itself; why, where it said so. */
  readonly onEnded: (error: unknown) => void
}

/** A question may need some megabytes; one that needs more ends its thread, and not the process. */
const heapMebibytesMax = 512

/** Null where the source runs as it is, or was bundled into another's. */
function codeOfPackage(): ThreadCode | null {
  const file = new URL('app/matcher-worker.js', codeFolder)
  return file.protocol === 'file:' && existsSync(fileURLToPath(file)) ? { file } : null
}

/** Null where threads cannot be started here. */
function startMatcherThread(deps: MatcherThreadDeps): MatcherThread | null {
  const code = deps.code ?? codeOfPackage()
  if (code === null) return null
  const { registryPath, cacheKibibytes, onOpened, onAnswered, onEnded } = deps
  const shared = new Int32Array(
    new SharedArrayBuffer(Object.keys(sharedAt).length * Int32Array.BYTES_PER_ELEMENT),
  )
  let messageNumber = 0
  const worker = new Worker(code.file, {
    name: 'matcher',
    workerData: { registryPath, cacheKibibytes, shared } satisfies MatcherStart,
    resourceLimits: { maxOldGenerationSizeMb: code.heapMebibytesMax ?? heapMebibytesMax },
    ...(code.execArgv === undefined ? {} : { execArgv: [...code.execArgv] }),
  })
  let failure: unknown = null
  let isEnding = false
  worker.on('message', (message: Opened | readonly Answered[]) => {
    if (isEnding) return
    if ('file' in message) onOpened(message)
    else onAnswered(message)
  })
  worker.on('error', (error) => {
    failure = error
  })
  worker.on('exit', (code) => {
    if (!isEnding) onEnded(failure ?? new Error(`it ended with ${code}`))
  })
  return {
    send: (asked) => {
      messageNumber++
      worker.postMessage({ messageNumber, asked } satisfies AskMessage)
    },
    withdraw: () => {
      Atomics.store(shared, sharedAt.withdrawnMessage, messageNumber)
    },
    at: () => Atomics.load(shared, sharedAt.question),
    end: async () => {
      isEnding = true
      await worker.terminate()
    },
  }
}

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
