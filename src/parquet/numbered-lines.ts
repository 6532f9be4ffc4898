import { rm } from 'node:fs/promises'
import { collectGarbage, type DuckDb } from './duckdb.js'
import { parquetLimits } from './limits.js'
import { LineWriter } from './line-writer.js'
import { copyWaiting, linesRelation, numberKey, type LineColumn } from './part-sql.js'
import type { LineWeights } from './part-plan.js'

/** What stands behind rows, which name it by its number: lines of JSON, each an object, as text or as UTF-8. */
export interface NumberedLines {
  /** Ascending, each once. */
  readonly numbers: Uint32Array
  /** The lines of these numbers, in their order. */
  readonly lines: () => Iterable<string | Buffer>
}

/** Lines that DuckDB has read once, with the types they are to have: Parquet files in the order of their numbers. */
export interface StoredLines extends LineWeights {
  /** The files that hold any of the lines from one number to another. */
  readonly pathsOf: (first: number, last: number) => readonly string[]
}

const numberColumn: LineColumn = { key: numberKey, name: numberKey, type: 'UINTEGER' }

export interface StoreDeps {
  readonly duckDb: DuckDb
  readonly folder: string
  readonly columns: readonly LineColumn[]
  readonly lines: NumberedLines
  /** Statements that run at one time. */
  readonly laneCount: number
}

/** Stores lines in a folder: some are read in DuckDB while the next are made. */
export async function storeLines(deps: StoreDeps): Promise<StoredLines> {
  const { duckDb, folder, columns, laneCount } = deps
  const { numbers, lines } = deps.lines
  const byteCounts = new Uint32Array(numbers.length)
  const files: { path: string; firstNumber: number; lastNumber: number }[] = []
  const writer = new LineWriter(folder, 'lines-')
  const storing: Promise<void>[] = []
  let index = 0
  let firstIndex = 0
  let uncollectedBytes = 0
  const store = async () => {
    uncollectedBytes += writer.byteCount
    const file = await writer.cut()
    const path = `${file.path}.parquet`
    files.push({ path, firstNumber: numbers[firstIndex] ?? 0, lastNumber: numbers[index - 1] ?? 0 })
    firstIndex = index
    if (storing.length === laneCount) await storing.shift()
    if (uncollectedBytes > parquetLimits.collectEveryBytes) {
      uncollectedBytes = 0
      collectGarbage()
    }
    const relation = linesRelation([file], [numberColumn, ...columns])
    const stored = duckDb.runAside(copyWaiting(path, `SELECT * FROM ${relation}`)).then(() => rm(file.path))
    // Thrown where it is awaited.
    stored.catch(() => undefined)
    storing.push(stored)
  }
  try {
    for (const line of lines()) {
      const bytesBefore = writer.byteCount
      const members = typeof line === 'string' ? line.slice(1) : line.subarray(1)
      writer.add(`{"${numberKey}":${numbers[index]}`, members.length === 1 ? '' : ',', members)
      byteCounts[index++] = writer.byteCount - bytesBefore
      if (writer.isFull) await store()
      else if (writer.isFlushDue) await writer.flush()
    }
    if (index !== numbers.length) throw new Error(`${index} lines for ${numbers.length} numbers`)
    if (writer.rowCount > 0) await store()
    await Promise.all(storing)
  } finally {
    await Promise.allSettled(storing)
    await writer.close()
  }
  const pathsOf = (first: number, last: number) =>
    files
      .filter(({ firstNumber, lastNumber }) => firstNumber <= last && lastNumber >= first)
      .map(({ path }) => path)
  return { numbers, byteCounts, pathsOf }
}
