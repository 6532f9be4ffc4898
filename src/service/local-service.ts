import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { createLocalAnswers, type AnswerLocally } from './http/in-process.js'
import type { Knowledge } from './knowledge.js'
import { openParts } from './parts.js'
import type { RunCount } from './runs/run-store.js'
import { openMemory } from './stores.js'

export interface LocalServiceOptions {
  readonly knowledge: Knowledge
  readonly apiKey: string
  /** Runs that are kept, those that have ended among them; more that have not are refused. */
  readonly runsMax: number
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: (line: string) => void
}

/** The interface for callers in this process. */
export interface LocalService {
  readonly answer: AnswerLocally
  runCount(): RunCount
  close(): Promise<void>
}

/**
 * The same interface without a socket and without a file. Nothing is billed, no limit a minute holds, polls of
 * runs are held until there is an answer, and what it knows of runs ends with it. Throws API_KEY_INVALID.
 */
export function startLocalService(options: LocalServiceOptions): LocalService {
  const { apiKey, runsMax } = options
  const closing = new AbortController()
  const accounts = [{ name: 'embedded', apiKey }]
  const data = openMemory({ ...options, accounts, rateLimits: 'none' }, runsMax)
  // The one caller shares the thread, and waits for answers.
  const parts = openParts(options, data, () => true)
  const { callers, limiter, random, log } = parts
  let ended: Promise<void> | undefined
  return {
    answer: createLocalAnswers(parts.handlers, {
      callers,
      limiter,
      random,
      log,
      closing: closing.signal,
    }),
    runCount: () => parts.store.count(),
    close: () => {
      closing.abort()
      return (ended ??= parts.end())
    },
  }
}
