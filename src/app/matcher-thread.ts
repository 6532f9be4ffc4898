import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { codeFolder } from '../platform/package-folder.js'
import {
  sharedAt,
  type Answered,
  type AskMessage,
  type Asked,
  type MatcherStart,
  type Opened,
} from './matcher-questions.js'

/** A thread of its own that answers from a registry of its own, one question after the other. */
export interface MatcherThread {
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

export interface MatcherThreadDeps extends Omit<MatcherStart, 'shared'> {
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
export function startMatcherThread(deps: MatcherThreadDeps): MatcherThread | null {
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
