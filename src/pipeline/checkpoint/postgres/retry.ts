import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import { ConnectionLostError, sqlStateOf } from '../../../platform/postgres/postgres.js'
import { backoffMs } from '../../pace/backoff.js'

/** A server that is started again is back within seconds; one that fails over, within a minute or two. */
const awayMsMax = 300_000
const awayPolicy = { delayMsBase: 100, delayMsMax: 5_000 }
const conflictPolicy = { delayMsBase: 5, delayMsMax: 250 }
const conflictsMax = 50

/** Deadlock, serialization failure. */
const lockConflicts: ReadonlySet<string | null> = new Set(['40P01', '40001'])
/** Besides, what another process made at the same moment: seen, when it is looked at again. */
export const anyConflict: ReadonlySet<string | null> = new Set([...lockConflicts, '23505'])

export interface RepeatingDeps {
  readonly clock: Clock
  readonly random: Random
}

/**
 * Does what may be done twice until it is done: after a connection broke, with growing pauses, for minutes; after a
 * conflict with another process, soon. `work` is called with whether an earlier try may have taken effect.
 */
export async function repeated<Result>(
  { clock, random }: RepeatingDeps,
  work: (mayHaveTakenEffect: boolean) => Promise<Result>,
  conflicts = lockConflicts,
): Promise<Result> {
  let mayHaveTakenEffect = false
  let awaySinceMs: number | null = null
  let conflictCount = 0
  for (let failures = 1; ; failures++) {
    try {
      return await work(mayHaveTakenEffect)
    } catch (error) {
      if (error instanceof ConnectionLostError) {
        mayHaveTakenEffect ||= error.mayHaveTakenEffect
        awaySinceMs ??= clock.monotonicMs()
        if (clock.monotonicMs() - awaySinceMs >= awayMsMax) throw error
        await clock.sleep(backoffMs(awayPolicy, failures, random.fraction()))
      } else if (conflicts.has(sqlStateOf(error)) && ++conflictCount <= conflictsMax) {
        awaySinceMs = null
        await clock.sleep(backoffMs(conflictPolicy, conflictCount, random.fraction()))
      } else throw error
    }
  }
}

/**
 * Does something again and again, so long after it last began, or when it ended if that is later; what it throws is
 * its own to note. It keeps no process alive. Gives what ends it, once what is under way has ended.
 */
export function startRepeating(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false
  let working: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const plan = (delayMs: number) => {
    timer = setTimeout(() => {
      const begunAtMs = performance.now()
      working = work().finally(() => {
        if (!isStopped) plan(Math.max(0, begunAtMs + everyMs - performance.now()))
      })
    }, delayMs).unref()
  }
  plan(everyMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
    return working
  }
}
