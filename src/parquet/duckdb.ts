import { createNativePackageError } from '../platform/native-package.js'
import { parquetLimits } from './limits.js'
import type * as DuckDbApi from '@duckdb/node-api'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'

/**
 * Limits of DuckDB; data beyond the memory limit goes to the temporary folder. One thread a statement, because with
 * two, joins lose the order of rows.
 */
const duckDbLimits = {
  memoryBytes: 400_000_000,
  threads: 1,
  /**
   * Estimated size of a chunk a column: 2,048 values of 16 bytes. Chunks are freed as garbage, but the garbage
   * collector does not know their size.
   */
  chunkBytesPerColumn: 2_048 * 16,
} as const

/**
 * Settings of DuckDB's allocator (jemalloc), which must be in the environment before DuckDB is loaded. Statements run
 * on any of Node's four threads, and with an arena for each, the process kept four times the memory of one statement.
 * Memory unused for half a second goes back to the system.
 */
export const allocatorEnvironment = {
  DUCKDB_JE_MALLOC_CONF: 'narenas:1,tcache:false,dirty_decay_ms:500,muzzy_decay_ms:0',
} as const

/** At most 2,048 rows of a result. */
export type DuckDbChunk = DuckDBDataChunk

export interface DuckDb {
  /** Runs a statement and ignores its result. Throws DuckDB's errors. */
  run(sql: string): Promise<void>
  /** Runs a statement concurrently on a separate connection. */
  runAside(sql: string): Promise<void>
  /** Sets the number of threads for later statements. With more than one, joins lose the order of rows. */
  useThreads(count: number): Promise<void>
  /** Sets the memory limit. Pinned memory cannot be spilled, so too low a limit causes errors. */
  limitMemory(bytes: number): Promise<void>
  /** Returns all rows of a small result. */
  all(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Yields the rows of a result in chunks of at most 2,048. */
  stream(sql: string): AsyncGenerator<DuckDbChunk>
  /** Creates or replaces a table with one column of numbers, `"#"`. */
  createNumbers(table: string, numbers: Iterable<number>): Promise<void>
  /** Cancels running statements, which then throw. */
  interrupt(): void
  close(): void
}

/**
 * Opens an in-memory DuckDB that loads no extensions and makes no network requests. An instance caches the metadata of
 * a path: never write a path again after reading it in the same instance. Without a temporary folder, queries fail at
 * the memory limit.
 */
export async function openDuckDb(
  temporaryFolder: string | null,
  memoryBytes: number = duckDbLimits.memoryBytes,
): Promise<DuckDb> {
  // Loaded only if needed: loading takes longer than most commands, which read no Parquet.
  const duckDb = await import('@duckdb/node-api').catch((error: unknown) => {
    throw createNativePackageError('@duckdb/node-bindings', error)
  })
  const instance = await duckDb.DuckDBInstance.create(':memory:', {
    threads: String(duckDbLimits.threads),
    memory_limit: formatMemory(memoryBytes),
    temp_directory: temporaryFolder ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
    // The system's cache already has the file's data.
    enable_external_file_cache: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  return createSession(duckDb, instance, connection)
}

const chunkRowsMax = 2_048

const formatMemory = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)}MB`

function createSession(
  { DuckDBDataChunk, UINTEGER }: typeof DuckDbApi,
  instance: DuckDBInstance,
  connection: DuckDBConnection,
): DuckDb {
  const open = new Set([connection])
  const closeConnection = (one: DuckDBConnection) => {
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
        closeConnection(aside)
      }
    },
    useThreads: async (count) => {
      await connection.run(`SET GLOBAL threads = ${count}`)
    },
    limitMemory: async (bytes) => {
      await connection.run(`SET GLOBAL memory_limit = ${quoteSqlText(formatMemory(bytes))}`)
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
    // A separate connection, because another statement on the same one would end the stream.
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
        closeConnection(streaming)
      }
    },
    interrupt: () => {
      for (const one of open) one.interrupt()
    },
    close: () => {
      if (!open.has(connection)) return
      for (const one of open) closeConnection(one)
      instance.closeSync()
    },
  }
}

/**
 * Collects garbage if the process exposes the collector (`--expose-gc`), else does nothing. With much memory, V8 keeps
 * some hundred megabytes of garbage, the peak of a process that handles millions of rows.
 */
export function collectGarbage(): void {
  globalThis.gc?.()
}

/** Returns whether a statement exceeded the memory limit. */
export function isOutOfMemory(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^Out of Memory|could not allocate block|failed to (?:pin|allocate)/m.test(error.message)
  )
}

/** Formats a text as an SQL literal. */
export function quoteSqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Formats a name as an SQL identifier. */
export function quoteSqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Formats a path as an SQL literal without wildcards. */
export function quoteSqlPath(path: string): string {
  return quoteSqlText(path.replace(/[*?[]/g, '[$&]'))
}
