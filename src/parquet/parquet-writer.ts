import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  collectGarbage,
  isOutOfMemory,
  openDuckDb,
  sqlName,
  sqlText,
  type DuckDb,
  type DuckDbChunk,
} from './duckdb.js'
import type { LineFile } from './line-writer.js'
import {
  columnSlices,
  isTableTall,
  leafCountOf,
  planWriting,
  type PartShape,
  type WritingPlan,
} from './memory-budget.js'
import { storeLines, type NumberedLines, type StoredLines } from './numbered-lines.js'
import { ParquetFile } from './parquet-file.js'
import { PartPlanner, type PlannedPart } from './part-plan.js'
import {
  copyPart,
  linesRelation,
  noRows,
  numberKey,
  partQueries,
  rowRange,
  type Column,
  type LineColumn,
} from './part-sql.js'

export interface ParquetWriterDeps {
  /** Where the file is made, once there is anything of it. */
  readonly path: string
  /** For what comes and goes: made, and removed with all that is in it. */
  readonly folder: string
  /** Key-value metadata of the file. */
  readonly metadata: Readonly<Record<string, string>>
  /** The first columns. Where rows come as chunks, these hold them in this order, and then the number of each row's line. */
  readonly rowColumns: readonly LineColumn[]
  readonly hasChunks: boolean
  /** The columns behind them, one key of each numbered line a column. */
  readonly lineColumns: readonly LineColumn[]
  /** The lines behind the rows, each once. */
  readonly lines: NumberedLines
  /** What the process may hold while it writes. */
  readonly memoryBytes: number
}

/** Rows beyond which a table of many columns would take another block for each of them. */
const flatTableRowsMax = 2_048

/**
 * Opens a writer of one Parquet file, and stores the lines behind its rows. Rows are joined with their lines, as many
 * at a time as have lines that fit in memory. Throws what writing and DuckDB throw.
 */
export async function openParquetWriter(deps: ParquetWriterDeps): Promise<ParquetWriter> {
  mkdirSync(deps.folder, { mode: 0o700 })
  collectGarbage()
  let duckDb: DuckDb | null = null
  try {
    const shape = shapeOf(deps)
    const plan = planWriting(shape, deps.memoryBytes, availableParallelism())
    // No temporary folder: a join that puts rows aside gives them back in another order.
    duckDb = await openDuckDb(null, plan.limitBytes(Infinity))
    // Sides stay as they are written: rows go past the lines, in order.
    await duckDb.run(`SET disabled_optimizers = 'join_order,build_side_probe_side'`)
    if (deps.hasChunks) await duckDb.run(`ATTACH ${sqlText(join(deps.folder, 'rows.duckdb'))} AS spool`)
    const stored = await storeLines(duckDb, deps.folder, deps.lineColumns, deps.lines)
    await duckDb.limitMemory(plan.limitBytes(stored.byteCounts.reduce((total, bytes) => total + bytes, 0)))
    return new ParquetWriter(deps, duckDb, stored, plan, shape)
  } catch (error) {
    duckDb?.close()
    rmSync(deps.folder, { recursive: true, force: true })
    throw error
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
const leafCountsOf = (columns: readonly Column[]): number[] => columns.map(({ type }) => leafCountOf(type))

function shapeOf({ rowColumns, lineColumns, hasChunks }: ParquetWriterDeps): PartShape {
  const leafCounts = leafCountsOf(rowColumns)
  const widest = Math.max(...columnSlices(leafCounts).map((slice) => sum(leafCounts.slice(...slice))))
  return {
    sliceLeafCount: widest + sum(leafCountsOf(lineColumns)),
    tableLeafCount: hasChunks ? sum(leafCounts) : 0,
  }
}

/** Rows are added in order, as files of lines or as chunks of DuckDB's. */
export class ParquetWriter {
  readonly #deps: ParquetWriterDeps
  readonly #duckDb: DuckDb
  readonly #lines: StoredLines
  readonly #whole: ParquetFile
  readonly #planner: PartPlanner
  readonly #laneCount: number
  #sliceCount = 0

  constructor(
    deps: ParquetWriterDeps,
    duckDb: DuckDb,
    lines: StoredLines,
    { lineBytesMax, laneCount }: WritingPlan,
    { tableLeafCount }: PartShape,
  ) {
    this.#deps = deps
    this.#duckDb = duckDb
    this.#lines = lines
    this.#laneCount = laneCount
    this.#whole = new ParquetFile(deps.path)
    const rowsMax = isTableTall(tableLeafCount) ? Infinity : flatTableRowsMax
    this.#planner = new PartPlanner(lines, { lineBytesMax, rowsMax })
  }

  /** Adds rows that wait in files, `{"#":<number of its line>,…}` each; `numbersOf` gives these numbers. */
  async addFiles(files: readonly LineFile[], numbersOf: RowNumbers): Promise<void> {
    const write = async (parts: readonly PlannedPart[]) => {
      for (const part of parts) await this.#write(part, numbersOf, (from) => this.#rowsOfFiles(files, from))
    }
    let firstRow = 0
    for (const file of files) {
      await write(this.#planner.add(file, numbersOf(firstRow, file.rowCount)))
      firstRow += file.rowCount
    }
    await write(this.#planner.end())
  }

  /** Adds rows as they are read, which wait in a table until a part is full; gives their number. */
  async addChunks(
    chunks: AsyncIterable<DuckDbChunk>,
    chunkRowBytes: number,
    numbersOf: RowNumbers,
  ): Promise<number> {
    const table = new RowTable(this.#duckDb, this.#deps.rowColumns)
    const write = async (parts: readonly PlannedPart[]) => {
      for (const part of parts) {
        table.settle()
        await this.#write(
          part,
          numbersOf,
          (from) => () => rowRange(table.name, from.firstRow - table.firstRow, from.rowCount),
        )
      }
    }
    for await (const chunk of chunks) {
      const { rowCount } = chunk
      const firstRow = table.firstRow + table.rowCount
      const block = { rowCount, byteCount: rowCount * chunkRowBytes }
      const parts = this.#planner.add(block, numbersOf(firstRow, rowCount))
      const before = parts.filter((part) => part.firstRow < firstRow)
      await write(before)
      if (before.length > 0) await table.drop()
      await table.append(chunk)
      const within = parts.slice(before.length)
      await write(within)
      if (within.length > 0) await table.drop()
    }
    // What the rows were read with is garbage: the last part, often the only one, needs the room.
    collectGarbage()
    await write(this.#planner.end())
    await table.drop()
    return table.firstRow
  }

  /** Ends the file. */
  async end(): Promise<void> {
    if (this.#whole.isEmpty) {
      const part = { firstRow: 0, rowCount: 0, groupRowsMax: 1, lineCount: 0 }
      await this.#write(
        part,
        () => [],
        () => noRows,
      )
    }
    await this.#whole.end()
  }

  /** Ends what DuckDB is doing; who awaits it gets an error. */
  interrupt(): void {
    this.#duckDb.interrupt()
  }

  /** Removes what came and went; the file is whole only after `end`. */
  async close(): Promise<void> {
    await this.#whole.close()
    this.#duckDb.close()
    rmSync(this.#deps.folder, { recursive: true, force: true })
  }

  #rowsOfFiles(files: readonly LineFile[], { firstRow, rowCount }: PlannedPart) {
    let row = 0
    let skippedRows = 0
    const chosen = files.filter((file) => {
      const start = row
      row += file.rowCount
      if (row <= firstRow) skippedRows = row
      return start < firstRow + rowCount && row > firstRow
    })
    const isWhole = sum(chosen.map((file) => file.rowCount)) === rowCount
    return (columns: readonly LineColumn[]) => {
      const relation = linesRelation(chosen, columns)
      return isWhole ? relation : rowRange(relation, firstRow - skippedRows, rowCount)
    }
  }

  /** Where a part takes more memory than was reckoned, it is cut in two. */
  async #write(part: PlannedPart, numbersOf: RowNumbers, rowsOf: RowsOf): Promise<void> {
    try {
      await this.#whole.append(await this.#convert(part, numbersOf, rowsOf(part)), part.rowCount)
    } catch (error) {
      const { firstRow, rowCount, groupRowsMax } = part
      if (!isOutOfMemory(error) || rowCount <= groupRowsMax) throw error
      const half = Math.ceil(rowCount / 2 / groupRowsMax) * groupRowsMax
      await this.#write({ ...part, rowCount: half, lineCount: 0 }, numbersOf, rowsOf)
      await this.#write(
        { ...part, firstRow: firstRow + half, rowCount: rowCount - half, lineCount: 0 },
        numbersOf,
        rowsOf,
      )
    }
  }

  /** The files of a part, each some of its columns. */
  async #convert(
    part: PlannedPart,
    numbersOf: RowNumbers,
    rows: (columns: readonly LineColumn[]) => string,
  ): Promise<readonly string[]> {
    const { rowColumns, lineColumns, folder, metadata } = this.#deps
    const lines = this.#lines
    const isOfAll = part.lineCount === lines.numbers.length
    const wanted = isOfAll
      ? lines.numbers
      : Uint32Array.from(new Set(Array.from(numbersOf(part.firstRow, part.rowCount)))).sort()
    const linePaths = lines.pathsOf(wanted[0] ?? 0, wanted.at(-1) ?? 0)
    if (!isOfAll) await this.#duckDb.createNumbers('wanted', wanted)
    const wantedTable = isOfAll ? null : 'wanted'
    const selects = partQueries({ rows, rowColumns, lineColumns, linePaths, wantedTable })
    // Paths of their own: DuckDB remembers what it knows of one.
    const paths = selects.map(() => join(folder, `${this.#sliceCount++}.parquet`))
    const left = selects.entries()
    const lane = async () => {
      for (const [index, select] of left)
        await this.#duckDb.runAside(copyPart(paths[index] ?? '', select, part, metadata))
    }
    const lanes = await Promise.allSettled(Array.from({ length: this.#laneCount }, lane))
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
    return paths
  }
}

/** The number of each row's line, from a row on, counted from 0. */
export type RowNumbers = (firstRow: number, rowCount: number) => ArrayLike<number>

type RowsOf = (part: PlannedPart) => (columns: readonly LineColumn[]) => string

/** Rows of chunks that wait: in a file of DuckDB's, whose blocks need not stay in memory. */
class RowTable {
  /** Of the whole, counted from 0. */
  firstRow = 0
  rowCount = 0
  readonly #duckDb: DuckDb
  readonly #columns: string
  #number = 0
  #appender: Awaited<ReturnType<DuckDb['appendTo']>> | null = null

  constructor(duckDb: DuckDb, columns: readonly LineColumn[]) {
    this.#duckDb = duckDb
    this.#columns = [
      ...columns.map(({ key, type }) => `${sqlName(key)} ${type}`),
      `${sqlName(numberKey)} UINTEGER`,
    ].join(', ')
  }

  get name(): string {
    return `spool.${this.#table}`
  }

  async append(chunk: DuckDbChunk): Promise<void> {
    if (this.rowCount === 0) await this.#duckDb.run(`CREATE TABLE ${this.name} (${this.#columns})`)
    this.#appender ??= await this.#duckDb.appendTo(this.#table, 'spool')
    this.#appender.append(chunk)
    this.rowCount += chunk.rowCount
  }

  /** Makes what was appended visible. */
  settle(): void {
    this.#appender?.close()
    this.#appender = null
  }

  async drop(): Promise<void> {
    this.settle()
    if (this.rowCount === 0) return
    await this.#duckDb.run(`DROP TABLE ${this.name}`)
    this.firstRow += this.rowCount
    this.rowCount = 0
    this.#number++
  }

  get #table(): string {
    return `rows_${this.#number}`
  }
}
