import type { HistoryReader } from '../../../src/pipeline/history/remembered-runs.js'
import type { HistoryWriter } from '../../../src/pipeline/history/history-writer.js'
import { openHistory } from '../../../src/pipeline/history/history-reader.js'
import { lookAtHistory } from '../../../src/pipeline/history/history-copy.js'
import { SharedHistory } from '../../../src/pipeline/history/shared-history.js'
import { HistoryStore } from '../../../src/pipeline/history/sqlite-history.js'
import { withCleanup } from '../../../src/platform/close-stack.js'
import { systemClock } from '../../../src/platform/clock.js'
import { systemRandom } from '../../../src/platform/random.js'
import { tmpdir } from 'node:os'
import { SharedPlace, type OpenedShared } from '../checkpoint/shared-place.js'
import { checkpointFolder } from '../checkpoint/support.js'

/** Where runs are remembered, whichever way. */
export interface HistoryPlace {
  /** What one more run writes by. */
  store(): Promise<HistoryWriter>
  /** What is read of it, with all rows of a run. */
  reading<Result>(run: number, read: (history: HistoryReader) => Result): Promise<Result>
  /** Bytes that each output takes. */
  outputSizes(): Promise<number[]>
  /** Nothing is remembered from here on. */
  clear(): void
  remove(): Promise<void> | void
}

export function fileHistory(): HistoryPlace {
  let at = checkpointFolder()
  let store: HistoryStore | null = null
  return {
    store: () => Promise.resolve((store ??= new HistoryStore(at.open().store))),
    reading: (_, read) => {
      const history = openHistory(at.path())
      if (history === null) throw new Error('there is no checkpoint')
      try {
        return Promise.resolve(read(history))
      } finally {
        history.close()
      }
    },
    outputSizes: () => {
      at.close()
      return at
        .open()
        .store.updateHistory(
          (database) =>
            database
              .prepare('SELECT length(packed) FROM history_outputs ORDER BY output_id')
              .pluck()
              .all() as number[],
        )
    },
    clear: () => {
      at.remove()
      at = checkpointFolder()
      store = null
    },
    remove: () => {
      at.remove()
    },
  }
}

export interface SharedHistoryPlace extends HistoryPlace {
  /** The same, with the process that it is. */
  join(): Promise<Omit<OpenedShared, 'store'> & { readonly store: SharedHistory }>
  asked: (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>
}

/** Each writer is of a process of its own. `programs` is of `findPostgres`. */
export function sharedHistory(programs: string): SharedHistoryPlace {
  const place = new SharedPlace(programs)
  const opened: OpenedShared[] = []
  let count = 0
  const name = () => `history ${count}`
  const join = async () => {
    const one = await place.open(name())
    opened.push(one)
    return { ...one, store: new SharedHistory(one.store, one.copy) }
  }
  const closeAll = async () => {
    for (const one of opened.splice(0)) await one.checkpoint.close()
  }
  const asked = (text: string, values?: readonly unknown[]) =>
    place.asked(name(), ({ query }) => query<Record<string, unknown>>(text, values))
  return {
    join,
    asked,
    store: async () => (await join()).store,
    reading: async (run, read) => {
      const url = await place.url(name())
      return withCleanup(async (closeLater) => {
        const deps = { url, folder: tmpdir(), clock: systemClock, random: systemRandom }
        const history = await lookAtHistory(deps, closeLater)
        if (history === null) throw new Error('there is no checkpoint')
        await history.copyForReading({ newer: run, older: null, isListed: () => true })
        return read(history)
      })
    },
    outputSizes: async () => {
      const rows = await asked('SELECT length(packed) AS size FROM enrich.history_outputs ORDER BY output_id')
      return rows.map(({ size }) => Number(size))
    },
    clear: () => {
      count++
    },
    remove: async () => {
      await closeAll()
      await place.remove()
    },
  }
}
