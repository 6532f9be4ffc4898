import { Gathering } from '../../platform/gather.js'
import type { NewRun, RunStore } from './run-store.js'

/** Group commit: the kickoffs that arrive at about the same time share one synced transaction. */
export interface Journal {
  /** Resolves once the run is durable; rejects if it is not stored, and then nothing was billed. */
  append(run: NewRun): Promise<void>
}

interface Waiting {
  readonly run: NewRun
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createJournal(store: Pick<RunStore, 'insert'>): Journal {
  let waiting: Waiting[] = []

  const flush = () => {
    const batch = waiting
    waiting = []
    try {
      store.insert(batch.map(({ run }) => run))
    } catch (error) {
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { resolve } of batch) resolve()
  }

  const gathering = new Gathering(flush)

  return {
    append: (run) =>
      new Promise((resolve, reject) => {
        waiting.push({ run, resolve, reject })
        gathering.request()
      }),
  }
}
