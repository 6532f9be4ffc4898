import { createNativePackageError } from '../platform/native-package.js'
import { quoteSqlText } from '../core/text.js'
import type * as DuckDbApi from '@duckdb/node-api'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'

export { describeDuckDbError } from './duckdb-errors.js'

/** Limits of DuckDB. One thread a statement: with two, joins lose the order of rows. */
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

/** Smallest memory limit for an output. */
export const memoryBytesMin = 400_000_000

export interface Column {
  readonly name: string
  readonly type: string
}

export interface DuckDb {
  /** Runs a statement and ignores its result. Throws DuckDB's errors. */
  run(sql: string): Promise<void>
  /** Runs a statement concurrently on a separate connection. */
  runAside(sql: string): Promise<void>
  /** Sets the number of threads for later statements. With more than one, joins lose the order of rows. */
  useThreads(count: number): Promise<void>
  /** Sets the memory limit. Pinned memory cannot be spilled, so too low a limit causes errors. */
  limitMemory(bytes: number): Promise<void>
  /** Sets the memory limit for reading this number of leaf columns, and for `extraBytes` of other data. */
  reserveForReading(leafCount: number, extraBytes?: number): Promise<void>
  /** Returns all rows of a small result. */
  all(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Yields the rows of a result in chunks of at most 2,048. */
  stream(sql: string): AsyncGenerator<DuckDBDataChunk>
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
 *
 *     const duckDb = await openDuckDb(folder)
 *     const [row] = await duckDb.all(`SELECT count(*) FROM read_parquet(${quoteSqlPath(path)})`)
 *     duckDb.close()
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
  const limitMemory = async (bytes: number) => {
    await connection.run(`SET GLOBAL memory_limit = ${quoteSqlText(formatMemory(bytes))}`)
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
    limitMemory,
    reserveForReading: (leafCount, extraBytes = 0) => limitMemory(readMemoryBytes(leafCount) + extraBytes),
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

/** Formats a path as an SQL literal without wildcards. */
export function quoteSqlPath(path: string): string {
  return quoteSqlText(path.replace(/[*?[]/g, '[$&]'))
}

export const parquetLimits = {
  /** Limits of a row group, in rows and in bytes of JSON. */
  rowGroupRowsMax: 8_192,
  rowGroupBytesMax: 64 * 1024 * 1024,
  /** Limit for rows so large that a vector of them exceeds it: readers hold several copies of a row group. */
  heavyRowGroupBytesMax: 16 * 1024 * 1024,
  /** Limits of a file of spooled lines. */
  fileRowsMax: 8_192,
  fileBytesMax: 16 * 1024 * 1024,
  /** Buffer of DuckDB's JSON reader for a row, unless a row is longer. */
  lineBytesMin: 1024 * 1024,
  /** Size of the write buffer. */
  writeBytes: 1024 * 1024,
  /** Bytes of lines or chunks after which garbage is collected: it is most of the process's memory. */
  collectEveryBytes: 64 * 1024 * 1024,
  /** The same for lines made from text rows, which leave about ten times their size as garbage. */
  collectEveryRowBytes: 32 * 1024 * 1024,
} as const

/**
 * Estimated memory of DuckDB by number of columns, most of which is reserved regardless of the rows. Only used as
 * limits: actual use follows the size of a part. Chosen in 2026-11 above measurements with 50 to 10,000 columns of few,
 * distinct and mixed values.
 */
const budget = {
  /** Reading: a scan, and 2,048 rows as JSON text. */
  readBytes: 400_000_000,
  readBytesPerLeaf: 350_000,
  /** Writing, for each statement: column buffers, dictionaries for text, and a row group. */
  writeBytes: 60_000_000,
  writeBytesMin: 150_000_000,
  writeBytesPerLeaf: 250_000,
  /** The rest of the process. */
  processBytes: 200_000_000,
  /** Size of a joined line relative to its text: without keys, with string lengths. */
  joinedPerLineByte: 0.85,
  lineBytesMin: 32_000_000,
  /** Memory that DuckDB reserves and does not use. */
  spareBytes: 60_000_000,
  narrowLeavesMax: 80,
  /** Leaf columns of the input that one statement writes, because the memory of a statement grows with them. */
  sliceLeavesMax: 400,
} as const

/** Returns the memory limit for reading Parquet with this number of leaf columns. */
function readMemoryBytes(leafCount: number): number {
  return budget.readBytes + Math.max(0, leafCount - budget.narrowLeavesMax) * budget.readBytesPerLeaf
}

export interface PartShape {
  /** Highest number of leaf columns of the output in one statement. */
  readonly sliceLeafCount: number
  readonly readsParquet: boolean
}

/** Splits columns by their leaf counts, so that no statement writes too many. Returns start and end of each. */
export function sliceColumns(leafCounts: readonly number[]): readonly (readonly [number, number])[] {
  const slices: [number, number][] = [[0, 0]]
  let leaves = 0
  for (const [index, count] of leafCounts.entries()) {
    const slice = slices.at(-1)
    if (slice === undefined || (leaves + count > budget.sliceLeavesMax && slice[1] > slice[0])) {
      slices.push([index, index + 1])
      leaves = count
    } else {
      slice[1] = index + 1
      leaves += count
    }
  }
  return slices
}

export interface WritingPlan {
  /** Number of concurrent statements. */
  readonly laneCount: number
  /** Returns DuckDB's memory limit for joining lines of this size. With a higher one, it would spill tables. */
  limitBytes(lineBytes: number): number
  /** Highest total size of lines joined at once. */
  readonly lineBytesMax: number
}

/** Plans how to write within a memory limit. If the columns alone need more, they get it. */
export function planWriting(
  { sliceLeafCount, readsParquet }: PartShape,
  memoryBytes: number,
  coreCount: number,
): WritingPlan {
  const leafBytes = budget.writeBytesPerLeaf + (readsParquet ? budget.readBytesPerLeaf : 0)
  const laneBytes = Math.max(budget.writeBytesMin, budget.writeBytes + sliceLeafCount * leafBytes)
  const availableBytes = memoryBytes - budget.processBytes
  const laneCount = coreCount > 1 && availableBytes >= 4 * laneBytes ? 2 : 1
  const lanesBytes = laneCount * laneBytes
  const lineBytesMax = Math.max(budget.lineBytesMin, availableBytes - lanesBytes) / budget.joinedPerLineByte
  return {
    laneCount,
    lineBytesMax,
    limitBytes: (lineBytes) =>
      lanesBytes + budget.spareBytes + Math.min(lineBytes, lineBytesMax) * budget.joinedPerLineByte,
  }
}

/** Returns the number of leaf columns of an SQL type: one, except for structs and maps. */
export function countLeaves(type: string): number {
  // Quoted names and coordinate systems, and the digits of a decimal, may contain commas.
  const plain = type.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, 'x').replace(/DECIMAL\(\d+,\d+\)/g, 'DECIMAL')
  return plain.split(',').length
}
