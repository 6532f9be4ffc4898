import { nativePackageMissing } from '../platform/native-package.js'
import { parquetLimits } from './limits.js'
import type * as DuckDbApi from '@duckdb/node-api'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'

/**
 * DuckDB's own limits; what does not fit in memory goes to the temporary folder. One thread a statement: with two, a
 * join gives rows in any order.
 */
const duckDbLimits = {
  memoryBytes: 400_000_000,
  threads: 1,
  /**
   * What a chunk weighs a column: 2,048 values of 16 bytes. Chunks are given back when they are garbage, and the garbage
   * collector knows nothing of their weight.
   */
  chunkBytesPerColumn: 2_048 * 16,
} as const

/**
 * Read by DuckDB's allocator (jemalloc, where it has it) when it is loaded; set by the process that wants it, before.
 * Statements run on whichever of Node's four threads is free, and with an arena for each it kept four times what one
 * statement had needed. What lies unused for half a second goes back to the system.
 */
export const allocatorEnvironment = {
  DUCKDB_JE_MALLOC_CONF: 'narenas:1,tcache:false,dirty_decay_ms:500,muzzy_decay_ms:0',
} as const

/** Rows of a result: at most 2,048. */
export type DuckDbChunk = DuckDBDataChunk

export interface DuckDb {
  /** Runs a statement that returns nothing of interest. Throws what DuckDB throws. */
  run(sql: string): Promise<void>
  /** The same beside what runs, on a connection of its own. */
  runAside(sql: string): Promise<void>
  /** How many threads a statement may have that begins from now on. Rows of a join lose their order with more than one. */
  useThreads(count: number): Promise<void>
  /** Limits its memory from now on. What it pins cannot be put aside: too low a limit fails. */
  limitMemory(bytes: number): Promise<void>
  /** All rows of a small result. */
  all(sql: string): Promise<readonly (readonly unknown[])[]>
  /** The rows of a result as they are made, a chunk of at most 2,048 at a time. */
  stream(sql: string): AsyncGenerator<DuckDbChunk>
  /** Makes a table of one column of numbers, `"#"`, or anew. */
  createNumbers(table: string, numbers: Iterable<number>): Promise<void>
  /** Ends what is running; it throws where it is awaited. */
  interrupt(): void
  close(): void
}

/**
 * A DuckDB in memory, which loads no extension and reaches no network by itself. One instance remembers the
 * metadata of a path: never write a path, read it, and write it again in the same one. Without a temporary folder
 * nothing is put aside: a query that needs more than the limit fails.
 */
export async function openDuckDb(
  temporaryFolder: string | null,
  memoryBytes: number = duckDbLimits.memoryBytes,
): Promise<DuckDb> {
  // Loaded when it is needed: most commands read no Parquet, and it takes longer to load than they run.
  const duckDb = await import('@duckdb/node-api').catch((error: unknown) => {
    throw nativePackageMissing('@duckdb/node-bindings', error)
  })
  const instance = await duckDb.DuckDBInstance.create(':memory:', {
    threads: String(duckDbLimits.threads),
    memory_limit: memoryText(memoryBytes),
    temp_directory: temporaryFolder ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
    // What was read of a file is in the system's cache already.
    enable_external_file_cache: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  return session(duckDb, instance, connection)
}

const chunkRowsMax = 2_048

const memoryText = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)}MB`

function session(
  { DuckDBDataChunk, UINTEGER }: typeof DuckDbApi,
  instance: DuckDBInstance,
  connection: DuckDBConnection,
): DuckDb {
  const open = new Set([connection])
  const disconnect = (one: DuckDBConnection) => {
    if (open.delete(one)) one.closeSync()
  }
  return {
    run: async (sql) => {
      await connection.run(sql)
    },
    runAside: async (sql) => {
      const aside = await instance.connect()
      open.add(aside)
      try {
        await aside.run(sql)
      } finally {
        disconnect(aside)
      }
    },
    useThreads: async (count) => {
      await connection.run(`SET GLOBAL threads = ${count}`)
    },
    limitMemory: async (bytes) => {
      await connection.run(`SET GLOBAL memory_limit = ${sqlText(memoryText(bytes))}`)
    },
    all: async (sql) => (await connection.runAndReadAll(sql)).getRowsJS(),
    createNumbers: async (table, numbers) => {
      await connection.run(`CREATE OR REPLACE TABLE ${table} ("#" UINTEGER)`)
      const appender = await connection.createAppender(table)
      let values: number[] = []
      const append = () => {
        const chunk = DuckDBDataChunk.create([UINTEGER], values.length)
        chunk.setColumnValues(0, values)
        appender.appendDataChunk(chunk)
        values = []
      }
      for (const number of numbers) if (values.push(number) === chunkRowsMax) append()
      if (values.length > 0) append()
      appender.closeSync()
    },
    // A connection of its own: any other statement on the same one would cut the stream off.
    stream: async function* (sql) {
      const streaming = await instance.connect()
      open.add(streaming)
      try {
        const result = await streaming.stream(sql)
        const chunkBytes = result.columnCount * duckDbLimits.chunkBytesPerColumn
        let uncollectedBytes = 0
        for (;;) {
          const chunk = await result.fetchChunk()
          if (chunk === null || chunk.rowCount === 0) return
          yield chunk
          uncollectedBytes += chunkBytes
          if (uncollectedBytes < parquetLimits.collectEveryBytes) continue
          uncollectedBytes = 0
          collectGarbage()
        }
      } finally {
        disconnect(streaming)
      }
    },
    interrupt: () => {
      for (const one of open) one.interrupt()
    },
    close: () => {
      if (!open.has(connection)) return
      for (const one of open) disconnect(one)
      instance.closeSync()
    },
  }
}

/**
 * Gives back what is garbage, now, in a process that was started with `--expose-gc` or exposed it itself; nothing
 * elsewhere. On a machine with much memory V8 lets some hundred megabytes lie, which are the peak of the process
 * where millions of rows pass through it.
 */
export function collectGarbage(): void {
  globalThis.gc?.()
}

/** Whether a statement needed more than the bound of memory. */
export function isOutOfMemory(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^Out of Memory|could not allocate block|failed to (?:pin|allocate)/m.test(error.message)
  )
}

/** A text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as an SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A path as an SQL literal that DuckDB takes for exactly this file, never for a pattern. */
export function sqlPath(path: string): string {
  return sqlText(path.replace(/[*?[]/g, '[$&]'))
}
