import type { Clock } from '../../platform/clock.js'
import { bounds } from '../bounds.js'
import type { AttemptEnd, EventStore } from './event-store.js'

/** Ends of attempts that come in one turn of the event loop share one synced transaction. */
export interface EndsJournal {
  /** Resolves once the end is durable; on a full disk, when there is room again, or when `stop` is aborted. */
  append(end: AttemptEnd): Promise<void>
}

interface Parts {
  readonly events: Pick<EventStore, 'end'>
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly stop: AbortSignal
}

export function createEndsJournal({ events, clock, log, stop }: Parts): EndsJournal {
  let waiting: { readonly end: AttemptEnd; readonly resolve: () => void }[] = []
  let isFlushing = false

  const store = async (ends: readonly AttemptEnd[]): Promise<void> => {
    for (;;) {
      try {
        events.end(ends)
        return
      } catch (error) {
        log(`the ends of ${ends.length} deliveries wait to be stored: ${String(error)}`)
        if (stop.aborted) return
        await clock.sleep(bounds.deliveryRetryMs, stop)
      }
    }
  }
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await store(batch.map(({ end }) => end))
      for (const { resolve } of batch) resolve()
    }
    isFlushing = false
  }
  return {
    append: (end) =>
      new Promise((resolve) => {
        waiting.push({ end, resolve })
        if (isFlushing) return
        isFlushing = true
        setImmediate(() => void flush())
      }),
  }
}
