import { createGatheredCommits } from '../../platform/gathered-commits.js'
import type { NewRun, RunStore } from './run-store.js'

/** Group commit: the kickoffs that arrive at about the same time share one synced transaction. */
export interface Journal {
  /** Resolves once the run is durable; rejects if it is not stored, and then nothing was billed. */
  append(run: NewRun): Promise<void>
}

export function createJournal(store: Pick<RunStore, 'insert'>): Journal {
  const commits = createGatheredCommits((runs: readonly NewRun[]) => {
    store.insert(runs)
    return runs.map(() => ({ value: undefined }))
  })
  return { append: commits.add }
}

/** For a store in memory, where nothing is gained by waiting for company. */
export function directJournal(store: Pick<RunStore, 'insert'>): Journal {
  return {
    // eslint-disable-next-line @typescript-eslint/require-await -- what the store throws is a rejection
    append: async (run) => {
      store.insert([run])
    },
  }
}
