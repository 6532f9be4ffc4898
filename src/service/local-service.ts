import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { createLocalAnswers, type AnswerLocally } from './http/in-process.js'
import type { Knowledge } from './knowledge.js'
import { openParts } from './service-parts.js'
import type { RunCount } from './runs/run-store.js'
import { openMemory } from './stores.js'

export interface LocalServiceOptions {
  readonly knowledge: Knowledge
  readonly apiKey: string
  /** Runs that are kept, including ended ones. Once all of them are still open, a new one is refused. */
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
 * Starts the same interface without a socket and without files. Nothing is billed, no rate limit applies, polls wait
 * for the end of their run or build, and runs are lost at the end. Throws API_KEY_INVALID.
 */
export function startLocalService(options: LocalServiceOptions): LocalService {
  const { apiKey, runsMax } = options
  const closing = new AbortController()
  const accounts = [{ name: 'embedded', apiKey }]
  const data = openMemory({ ...options, accounts, rateLimits: 'none' }, runsMax)
  // The only caller shares the thread and waits for answers.
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
