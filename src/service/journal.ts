import type { NewRun, RunStore } from './run-store.js'

/** Group commit: the kickoffs that arrive in one turn of the event loop share one synced transaction. */
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

  return {
    append: (run) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ run, resolve, reject })
      }),
  }
}
