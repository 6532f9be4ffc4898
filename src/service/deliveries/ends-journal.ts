import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { createGatheredCommits } from '../../platform/gathered-commits.js'
import { ConnectionLostError } from '../../platform/postgres/postgres.js'
import { limits } from '../limits.js'
import type { AnyEventStore, AttemptEnd } from './event-store.js'

/** Ends of attempts that come at about the same time share one synced transaction. */
export interface EndsJournal {
  /** Resolves once the end is durable; on a full disk, when there is room again, or when `stop` is aborted. */
  append(end: AttemptEnd): Promise<void>
}

export interface EndsJournalDeps {
  readonly events: Pick<AnyEventStore, 'end'>
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly stop: AbortSignal
}

export function createEndsJournal({ events, clock, log, stop }: EndsJournalDeps): EndsJournal {
  const store = async (ends: readonly AttemptEnd[]): Promise<void> => {
    for (;;) {
      try {
        await events.end(ends)
        return
      } catch (error) {
        // That the database is away is said once, by who watches it.
        if (!(error instanceof ConnectionLostError))
          log(`the ends of ${ends.length} deliveries wait to be stored: ${errorText(error)}`)
        if (stop.aborted) return
        await clock.sleep(limits.deliveryRetryMs, stop)
      }
    }
  }
  const commits = createGatheredCommits(async (ends: readonly AttemptEnd[]) => {
    await store(ends)
    return ends.map(() => ({ value: undefined }))
  })
  return { append: commits.add }
}
