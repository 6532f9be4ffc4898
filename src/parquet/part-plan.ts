import { parquetLimits } from './limits.js'
import { rm } from 'node:fs/promises'
import { collectGarbage, type DuckDb } from './duckdb.js'
import { LineWriter, copyWaiting, linesRelation, numberKey, type LineColumn } from './part-sql.js'

/** Rows that are read together. */
export interface RowBlock {
  readonly rowCount: number
  readonly byteCount: number
}

/** Rows that one `COPY` makes row groups of. */
export interface PlannedPart {
  readonly firstRow: number
  readonly rowCount: number
  readonly groupRowsMax: number
  /** How many lines stand behind these rows, each counted once. */
  readonly lineCount: number
}

/** Lines by their numbers, which ascend, and what each weighs. */
interface LineWeights {
  readonly numbers: Uint32Array
  readonly byteCounts: Uint32Array
}

/** Rows that DuckDB handles at one time. */
const vectorRows = 2_048

/**
 * Cuts rows into parts, as large as their lines fit in memory: each part reads its lines anew. Blocks stay whole,
 * unless rows of one are so heavy that a vector of them, or their lines, would be too much: then parts of their own
 * are cut out of it, as light as a row group may be.
 */
export class PartPlanner {
  readonly #weights: LineWeights
  /** What the lines behind the rows of a part may weigh: they are joined in memory. */
  readonly #lineBytesMax: number
  /** The part that last counted a line. */
  readonly #countedIn: Uint32Array
  #partNumber = 1
  #rowCount = 0
  #open = { rowCount: 0, lineBytes: 0, lineCount: 0, groupRowsMax: 0 }

  constructor(weights: LineWeights, lineBytesMax: number) {
    this.#weights = weights
    this.#lineBytesMax = lineBytesMax
    this.#countedIn = new Uint32Array(weights.numbers.length)
  }

  /** The next rows, with the number of each one's line. Gives the parts that end before them, or within them. */
  add(block: RowBlock, lineNumbers: ArrayLike<number>): PlannedPart[] {
    const indexes = Array.from(lineNumbers, (number) => this.#indexOf(number))
    const groupRowsMax = this.#groupRowsMax(block, indexes)
    const parts: PlannedPart[] = []
    if (groupRowsMax === null) return [...this.end(), ...this.#cutByRow(block, indexes)]
    if (this.#open.groupRowsMax !== groupRowsMax || !this.#takes(indexes)) parts.push(...this.end())
    if (!this.#takes(indexes)) return [...parts, ...this.#cutByRow(block, indexes)]
    this.#open.groupRowsMax = groupRowsMax
    this.#open.rowCount += block.rowCount
    for (const index of indexes) this.#count(index)
    return parts
  }

  /** The last part, or none. */
  end(): PlannedPart[] {
    const { rowCount, groupRowsMax, lineCount } = this.#open
    this.#open = { rowCount: 0, lineBytes: 0, lineCount: 0, groupRowsMax: 0 }
    this.#partNumber++
    if (rowCount === 0) return []
    const firstRow = this.#rowCount
    this.#rowCount += rowCount
    return [{ firstRow, rowCount, groupRowsMax, lineCount }]
  }

  /** Null where rows that DuckDB handles at one time are too heavy for a row group. */
  #groupRowsMax({ rowCount, byteCount }: RowBlock, indexes: readonly number[]): number | null {
    const { rowGroupRowsMax, rowGroupBytesMax, heavyRowGroupBytesMax } = parquetLimits
    let heaviestRowBytes = 0
    for (let start = 0; start < rowCount; start += vectorRows) {
      const vector = indexes.slice(start, start + vectorRows)
      const lineBytes = vector.reduce((sum, index) => sum + this.#bytesOf(index), 0)
      heaviestRowBytes = Math.max(heaviestRowBytes, byteCount / rowCount + lineBytes / vector.length)
    }
    let rows: number = rowGroupRowsMax
    const bytesMax =
      vectorRows * heaviestRowBytes > rowGroupBytesMax ? heavyRowGroupBytesMax : rowGroupBytesMax
    while (rows * heaviestRowBytes > bytesMax && rows > 1) rows /= 2
    return rows < Math.min(vectorRows, rowCount) ? null : rows
  }

  /** Whether the open part may grow by a block. */
  #takes(indexes: readonly number[]): boolean {
    const fresh = new Set(indexes.filter((index) => this.#countedIn[index] !== this.#partNumber))
    let bytes = this.#open.lineBytes
    for (const index of fresh) bytes += this.#bytesOf(index)
    return bytes <= this.#lineBytesMax
  }

  /** Parts of a heavy block: each one row group, and no heavier than that, but for a single row. */
  #cutByRow({ rowCount, byteCount }: RowBlock, indexes: readonly number[]): PlannedPart[] {
    const { rowGroupRowsMax, heavyRowGroupBytesMax } = parquetLimits
    const bytesMax = Math.min(heavyRowGroupBytesMax, this.#lineBytesMax)
    const parts: PlannedPart[] = []
    let partBytes = 0
    for (const index of indexes) {
      const bytes = byteCount / rowCount + this.#bytesOf(index)
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
    this.#open.lineBytes += this.#bytesOf(index)
    this.#open.lineCount++
  }

  #bytesOf(index: number): number {
    return this.#weights.byteCounts[index] ?? 0
  }

  #indexOf(number: number): number {
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

interface StoreDeps {
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
