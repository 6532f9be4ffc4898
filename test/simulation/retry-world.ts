import type { Retry } from '../../src/pipeline/checkpoint/records.js'
import { Chance } from './chance.js'
import type { OnDisk } from './invariants.js'

/** Processes that are retries; their choices are those of a chance of their own. */
export interface RetryWorld {
  readonly chance: Chance
  /** Statuses of the process that lives now; none for a plain run. */
  statuses: readonly string[]
  /** What each retry may pay for once more: its job and a name. */
  readonly allowed: Set<string>
  begunCount: number
  continuedCount: number
}

export const openRetryWorld = (seed: number): RetryWorld => ({
  chance: new Chance(seed + 3_000_000_019),
  statuses: [],
  allowed: new Set(),
  begunCount: 0,
  continuedCount: 0,
})

export const isRetrying = (retries: RetryWorld | null): boolean => (retries?.statuses.length ?? 0) > 0

/** Chooses whether the next process is a retry. The last ones are plain runs: they find all answers. */
export function chooseRetry(retries: RetryWorld, mayDie: boolean): readonly string[] {
  const { chance } = retries
  retries.statuses =
    mayDie && chance.happens(0.6)
      ? chance.pick([['matched'], ['matched', 'merged'], ['failed'], ['error']])
      : []
  return retries.statuses
}

/**
 * By the user's word, each retry may pay once more for each lookup that has one of its statuses when one of its processes
 * starts, however many processes carry it out.
 */
export function allowRetry(
  retries: RetryWorld,
  retry: Retry,
  { lookups }: OnDisk,
  resubmittable: Map<string, number>,
): void {
  if (retry.isContinued) retries.continuedCount++
  else retries.begunCount++
  for (const { kind, name, state, outcome } of lookups) {
    // A run that needs attention is retried as an error; a process that was killed may have left an answer reopened.
    const status =
      state === 'running' ? 'error' : state === 'failed' ? 'failed' : state === 'intended' ? null : outcome
    const key = `${retry.job} ${name}`
    if (kind !== 'resolution' || status === null || retries.allowed.has(key)) continue
    if (!retries.statuses.includes(status)) continue
    retries.allowed.add(key)
    resubmittable.set(name, (resubmittable.get(name) ?? 0) + 1)
  }
}
