import type { HistoryReader, OpenHistory } from '../../../src/pipeline/history/run-record.js'
import { HistoryWriter } from '../../../src/pipeline/history/run-history.js'
import { openHistory } from '../../../src/pipeline/history/read-history.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { SharedPlace, type OpenedShared } from '../checkpoint/shared-place.js'
import { checkpointFolder } from '../checkpoint/support.js'

const Database = loadDriver()

/** Where runs are remembered, whichever way. */
export interface HistoryPlace {
  /** What one more run writes by. */
  store(): Promise<HistoryWriter>
  /** What is read of it. */
  reading<Result>(read: (history: HistoryReader) => Promise<Result>): Promise<Result>
  /** Bytes that each output takes. */
  outputSizes(): Promise<number[]>
  /** Nothing is remembered from here on. */
  clear(): void
  remove(): Promise<void> | void
}

async function readAndClose<Result>(
  history: OpenHistory | null,
  read: (history: HistoryReader) => Promise<Result>,
): Promise<Result> {
  if (history === null) throw new Error('there is no checkpoint')
  try {
    return await read(history)
  } finally {
    await history.close()
  }
}

export function fileHistory(): HistoryPlace {
  let at = checkpointFolder()
  let store: HistoryWriter | null = null
  return {
    store: () => Promise.resolve((store ??= new HistoryWriter(at.open().store.history))),
    reading: async (read) => readAndClose(await openHistory(at.path()), read),
    outputSizes: () => {
      const database = new Database(at.path(), { readonly: true })
      try {
        const sizes = database
          .prepare('SELECT length(packed) FROM history_outputs ORDER BY output_id')
          .pluck()
        return Promise.resolve(sizes.all() as number[])
      } finally {
        database.close()
      }
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
  join(): Promise<Omit<OpenedShared, 'store'> & { readonly store: HistoryWriter }>
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
    return { ...one, store: new HistoryWriter(one.checkpoint.store.history) }
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
    reading: async (read) => {
      const deps = { clock: systemClock, random: systemRandom }
      return readAndClose(await openHistory(await place.url(name()), deps), read)
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
