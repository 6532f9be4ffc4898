import { parquetLimits, collectGarbage, type DuckDb } from './duckdb.js'
import { rm } from 'node:fs/promises'
import { LineWriter, buildTemporaryCopy, buildLinesRelation, numberKey, type LineColumn } from './part-sql.js'

/** Rows that are read together. */
export interface RowBlock {
  readonly rowCount: number
  readonly byteCount: number
}

/** Rows that one `COPY` writes. */
export interface PlannedPart {
  readonly firstRow: number
  readonly rowCount: number
  readonly groupRowsMax: number
  /** Number of distinct lines of these rows. */
  readonly lineCount: number
}

/** Line numbers in ascending order, with the lines' sizes. */
interface LineWeights {
  readonly numbers: Uint32Array
  readonly byteCounts: Uint32Array
}

/** Rows in a vector of DuckDB. */
const vectorRows = 2_048

/**
 * Divides rows into parts as large as memory allows for their lines; each part reads its lines again. Blocks are not
 * divided, unless a vector of their rows or their lines exceeds the limits. Such a block becomes separate parts with
 * small row groups.
 */
export class PartPlanner {
  readonly #weights: LineWeights
  /** Limit for the total size of a part's lines, which are joined in memory. */
  readonly #lineBytesMax: number
  /** The last part that counted each line. */
  readonly #countedIn: Uint32Array
  #partNumber = 1
  #rowCount = 0
  #open = { rowCount: 0, lineBytes: 0, lineCount: 0, groupRowsMax: 0 }

  constructor(weights: LineWeights, lineBytesMax: number) {
    this.#weights = weights
    this.#lineBytesMax = lineBytesMax
    this.#countedIn = new Uint32Array(weights.numbers.length)
  }

  /** Adds the next rows, with their line numbers. Returns the parts completed before or within them. */
  add(block: RowBlock, lineNumbers: ArrayLike<number>): PlannedPart[] {
    const indexes = Array.from(lineNumbers, (number) => this.#findLine(number))
    const groupRowsMax = this.#calculateGroupRows(block, indexes)
    const parts: PlannedPart[] = []
    if (groupRowsMax === null) return [...this.end(), ...this.#cutByRow(block, indexes)]
    if (this.#open.groupRowsMax !== groupRowsMax || !this.#canTake(indexes)) parts.push(...this.end())
    if (!this.#canTake(indexes)) return [...parts, ...this.#cutByRow(block, indexes)]
    this.#open.groupRowsMax = groupRowsMax
    this.#open.rowCount += block.rowCount
    for (const index of indexes) this.#count(index)
    return parts
  }

  /** Returns the last part, if there are rows. */
  end(): PlannedPart[] {
    const { rowCount, groupRowsMax, lineCount } = this.#open
    this.#open = { rowCount: 0, lineBytes: 0, lineCount: 0, groupRowsMax: 0 }
    this.#partNumber++
    if (rowCount === 0) return []
    const firstRow = this.#rowCount
    this.#rowCount += rowCount
    return [{ firstRow, rowCount, groupRowsMax, lineCount }]
  }

  /** Returns `null` if a vector of the rows is too large for a row group. */
  #calculateGroupRows({ rowCount, byteCount }: RowBlock, indexes: readonly number[]): number | null {
    const { rowGroupRowsMax, rowGroupBytesMax, heavyRowGroupBytesMax } = parquetLimits
    let heaviestRowBytes = 0
    for (let start = 0; start < rowCount; start += vectorRows) {
      const vector = indexes.slice(start, start + vectorRows)
      const lineBytes = vector.reduce((sum, index) => sum + this.#getLineBytes(index), 0)
      heaviestRowBytes = Math.max(heaviestRowBytes, byteCount / rowCount + lineBytes / vector.length)
    }
    let rows: number = rowGroupRowsMax
    const bytesMax =
      vectorRows * heaviestRowBytes > rowGroupBytesMax ? heavyRowGroupBytesMax : rowGroupBytesMax
    while (rows * heaviestRowBytes > bytesMax && rows > 1) rows /= 2
    return rows < Math.min(vectorRows, rowCount) ? null : rows
  }

  /** Returns whether a block fits in the open part. */
  #canTake(indexes: readonly number[]): boolean {
    const fresh = new Set(indexes.filter((index) => this.#countedIn[index] !== this.#partNumber))
    let bytes = this.#open.lineBytes
    for (const index of fresh) bytes += this.#getLineBytes(index)
    return bytes <= this.#lineBytesMax
  }

  /** Splits a heavy block into parts of one row group within the limit, except for single rows. */
  #cutByRow({ rowCount, byteCount }: RowBlock, indexes: readonly number[]): PlannedPart[] {
    const { rowGroupRowsMax, heavyRowGroupBytesMax } = parquetLimits
    const bytesMax = Math.min(heavyRowGroupBytesMax, this.#lineBytesMax)
    const parts: PlannedPart[] = []
    let partBytes = 0
    for (const index of indexes) {
      const bytes = byteCount / rowCount + this.#getLineBytes(index)
      if (this.#open.rowCount === rowGroupRowsMax || partBytes + bytes > bytesMax) {
        parts.push(...this.end())
        partBytes = 0
      }
      partBytes += bytes
      this.#open.rowCount++
      this.#open.groupRowsMax = rowGroupRowsMax
      this.#count(index)
    }
    return [...parts, ...this.end()]
  }

  #count(index: number): void {
    if (this.#countedIn[index] === this.#partNumber) return
    this.#countedIn[index] = this.#partNumber
    this.#open.lineBytes += this.#getLineBytes(index)
    this.#open.lineCount++
  }

  #getLineBytes(index: number): number {
    return this.#weights.byteCounts[index] ?? 0
  }

  #findLine(number: number): number {
    const { numbers } = this.#weights
    let low = 0
    let high = numbers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((numbers[middle] ?? 0) < number) low = middle + 1
      else high = middle
    }
    if (numbers[low] !== number) throw new Error(`there is no line ${number} for a row`)
    return low
  }
}

/** Lines of JSON objects, as text or UTF-8, that rows refer to by number. */
export interface NumberedLines {
  /** Ascending, without duplicates. */
  readonly numbers: Uint32Array
  /** Returns the lines in the order of `numbers`. */
  readonly lines: () => Iterable<string | Buffer>
}

/** Lines that DuckDB has decoded once to Parquet files, in the order of their numbers. */
export interface StoredLines extends LineWeights {
  /** Returns the files that contain lines of a range of numbers. */
  readonly findPaths: (first: number, last: number) => readonly string[]
}

const numberColumn: LineColumn = { key: numberKey, name: numberKey, type: 'UINTEGER' }

interface StoreDeps {
  readonly duckDb: DuckDb
  readonly folder: string
  readonly columns: readonly LineColumn[]
  readonly lines: NumberedLines
  /** Number of concurrent statements. */
  readonly laneCount: number
}

/** Stores lines in a folder. DuckDB reads one file while the next is written. */
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
    const relation = buildLinesRelation([file], [numberColumn, ...columns])
    const stored = duckDb
      .runAside(buildTemporaryCopy(path, `SELECT * FROM ${relation}`))
      .then(() => rm(file.path))
    // The error is thrown where the promise is awaited.
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
  const listPaths = (first: number, last: number) =>
    files
      .filter(({ firstNumber, lastNumber }) => firstNumber <= last && lastNumber >= first)
      .map(({ path }) => path)
  return { numbers, byteCounts, findPaths: listPaths }
}
