import { getErrorText } from '../core/errors.js'
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
import { codeFolder } from '../platform/native-package.js'

/** A worker thread with its registry, which answers one question after the other. */
interface MatcherThread {
  send(asked: readonly Asked[]): void
  /** Withdraws questions that are not started; they get no answer. */
  withdraw(): void
  /** Number of the current question, also after the end; 0 between questions. */
  at(): number
  /** Terminates the thread, and stops its events. Resolves when it has ended. */
  end(): Promise<void>
}

export interface ThreadCode {
  readonly file: URL
  /** Defaults to those of this process. */
  readonly execArgv?: readonly string[]
  readonly heapMebibytesMax?: number
}

interface MatcherThreadDeps extends Omit<MatcherStart, 'shared'> {
  /** `null` for the code of this package. */
  readonly code: ThreadCode | null
  readonly onOpened: (opened: Opened) => void
  readonly onAnswered: (answered: readonly Answered[]) => void
  /** The thread ended without being told to. */
  readonly onEnded: (error: unknown) => void
}

/** A question that needs more memory ends its thread, but not the process. */
const heapMebibytesMax = 512

/** `null` if the source runs without a build, or was bundled into another program. */
function findPackageCode(): ThreadCode | null {
  const file = new URL('app/matcher-worker.js', codeFolder)
  return file.protocol === 'file:' && existsSync(fileURLToPath(file)) ? { file } : null
}

function startMatcherThread(deps: MatcherThreadDeps): MatcherThread | null {
  const code = deps.code ?? findPackageCode()
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
  /** Maximum number of queued questions of a thread, so that it does not wait for the main thread. */
  questionsMax: 24,
  /** After this time, the questions queued behind a slow one go to other threads. */
  heldUpMs: 20,
  /** Maximum number of consecutive ends of a thread without an answer. */
  failuresMax: 3,
  restartMs: 100,
} as const

export interface ThreadSlotDeps extends Pick<MatcherThreadDeps, 'registryPath' | 'cacheKibibytes' | 'code'> {
  /** The required file; a thread that opens another one is ended. */
  readonly file: string
  /** Maximum duration of a question; afterwards its thread is ended. */
  readonly questionMsMax: number
  readonly clock: Clock
  readonly log: (line: string) => void
}

/** Receives the events of a slot. */
export interface ThreadSlotListener {
  readonly onAnswered: (answered: readonly Answered[]) => void
  /** The questions must be sent again. */
  readonly onReturned: (asked: readonly Asked[]) => void
  readonly onGivenUp: (asked: Asked, why: 'too_long' | 'thread_ended') => void
  /** The thread starts or stops accepting questions. */
  readonly onChanged: () => void
}

/** `starting`: no thread has opened the registry yet. `gone`: no thread is started again. */
type SlotState = 'starting' | 'open' | 'restarting' | 'gone'

/** A slot for a thread, which is replaced after it ends. */
export class ThreadSlot {
  readonly #deps: ThreadSlotDeps
  readonly #listener: ThreadSlotListener
  readonly #inFlight = new Map<number, Asked>()
  readonly #closing = new AbortController()
  #state: SlotState = 'starting'
  #thread: MatcherThread | null = null
  #outbox: Asked[] = []
  /** Number of threads that ended since the last answer. */
  #failureCount = 0
  /** The current question at the last check, and the time at which it was first seen. */
  #seen = { at: 0, sinceMs: 0 }
  #isHeldUp = false

  constructor(deps: ThreadSlotDeps, listener: ThreadSlotListener) {
    this.#deps = deps
    this.#listener = listener
    this.#start()
  }

  get state(): SlotState {
    return this.#state
  }

  /** Number of its questions; `null` if it accepts none. */
  get load(): number | null {
    const takesMore = this.#inFlight.size < placeLimits.questionsMax
    return this.#state === 'open' && !this.#isHeldUp && takesMore ? this.#inFlight.size : null
  }

  give(asked: Asked): void {
    this.#inFlight.set(asked.number, asked)
    this.#outbox.push(asked)
  }

  /** Sends the collected questions in one message. */
  send(): void {
    if (this.#outbox.length === 0) return
    this.#thread?.send(this.#outbox)
    this.#outbox = []
  }

  /** Handles a question that takes too long. */
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
        this.#onOpened(opened)
      },
      onAnswered: (answered) => {
        this.#onAnswered(answered)
      },
      onEnded: (error) => {
        this.#deps.log(`a thread that matches names ended: ${getErrorText(error)}`)
        this.#failureCount++
        this.#giveUpOn(thread?.at() ?? 0, 'thread_ended')
        this.#replace()
      },
    })
    this.#thread = thread
    if (thread === null) this.#state = 'gone'
  }

  #onOpened({ file }: Opened): void {
    const isSame = file === this.#deps.file
    this.#state = isSame ? 'open' : 'gone'
    if (!isSame) {
      this.#deps.log(
        'the file of the registry was replaced: answers come from the one before until the next start',
      )
      void this.#thread?.end()
    }
    this.#listener.onChanged()
  }

  #onAnswered(answered: readonly Answered[]): void {
    this.#failureCount = 0
    for (const { number } of answered) {
      this.#inFlight.delete(number)
      if (number === this.#seen.at) this.#isHeldUp = false
    }
    this.#listener.onAnswered(answered)
  }

  /** Returns its questions, and starts a new thread unless too many ended. */
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
    if (asked !== undefined) this.#listener.onGivenUp(asked, why)
  }

  #returnAllBut(except: number | null): void {
    const returned = [...this.#inFlight.values()].filter(({ number }) => number !== except)
    for (const { number } of returned) this.#inFlight.delete(number)
    this.#outbox = []
    this.#thread?.withdraw()
    this.#listener.onReturned(returned)
  }

  #holdUp(isHeldUp: boolean): void {
    const isFreed = this.#isHeldUp && !isHeldUp
    this.#isHeldUp = isHeldUp
    if (isFreed) this.#listener.onChanged()
  }
}
