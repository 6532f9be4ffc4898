import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  collectGarbage,
  isOutOfMemory,
  openDuckDb,
  type Column,
  type DuckDb,
  parquetLimits,
  sliceColumns,
  countLeaves,
  planWriting,
  type PartShape,
  type WritingPlan,
} from './duckdb.js'
import { quoteSqlName } from '../core/text.js'
import {
  type LineFile,
  buildCell,
  buildPartCopy,
  buildTemporaryCopy,
  buildDisorderQuery,
  buildLinesQuery,
  buildLinesRelation,
  buildEmptyRelation,
  buildRowQueries,
  buildRowRange,
  sliceLineColumns,
  buildTemporaryRange,
  type LineColumn,
  type RowRelation,
} from './part-sql.js'
import {
  storeLines,
  type NumberedLines,
  type StoredLines,
  PartPlanner,
  type PlannedPart,
} from './part-plan.js'
import { ParquetFile, type PartSlice } from './parquet-file.js'

export { parquetLimits } from './duckdb.js'
export { computeParquetDigest, joinParquet, readParquetFacts } from './parquet-file.js'
export { buildTypedCopy, LineWriter, type LineColumn, type LineFile } from './part-sql.js'

export interface ParquetWriterDeps {
  /** Path of the file, which is created with the first rows. */
  readonly path: string
  /** Folder for temporary files, created and deleted by the writer. */
  readonly folder: string
  /** Key-value metadata of the file. */
  readonly metadata: Readonly<Record<string, string>>
  /** The first columns. */
  readonly rowColumns: readonly LineColumn[]
  readonly readsParquet: boolean
  /** The columns after them, each filled from a key of the numbered lines. */
  readonly lineColumns: readonly LineColumn[]
  /** The lines joined to rows, each once. */
  readonly lines: NumberedLines
  /** Memory limit of the process, in bytes. */
  readonly memoryBytes: number
}

/** Rows that DuckDB reads. */
export interface RowSource {
  /** Whether the relation is a plain scan. */
  readonly isScan: boolean
  readonly relation: string
  /** Cell expression of each column. `r` refers to the row. */
  readonly cells: ReadonlyMap<LineColumn, string>
  /** Estimated size of a row, in bytes. */
  readonly rowBytes: number
}

/**
 * Opens a writer of one Parquet file and stores the lines. Rows are joined with lines in parts whose lines fit in
 * memory. Throws the errors of the file system and DuckDB.
 *
 *     const writer = await openParquetWriter({ path, folder, rowColumns, lineColumns, lines, … })
 *     await writer.addFiles(files, (firstRow, rowCount) => numbers.subarray(firstRow, firstRow + rowCount))
 *     await writer.end()
 *     await writer.close()
 */
export async function openParquetWriter(deps: ParquetWriterDeps): Promise<ParquetWriter> {
  mkdirSync(deps.folder, { mode: 0o700 })
  collectGarbage()
  let duckDb: DuckDb | null = null
  try {
    const shape = getPartShape(deps)
    const plan = planWriting(shape, deps.memoryBytes, availableParallelism())
    // No temporary folder, because a join that spills loses the order of rows.
    duckDb = await openDuckDb(null, plan.limitBytes(Infinity))
    // Keeps the sides of joins, so that rows stay in order.
    await duckDb.run(`SET disabled_optimizers = 'join_order,build_side_probe_side'`)
    const { folder, lines, lineColumns: columns } = deps
    const stored = await storeLines({ duckDb, folder, columns, lines, laneCount: plan.laneCount })
    await duckDb.limitMemory(plan.limitBytes(stored.byteCounts.reduce((total, bytes) => total + bytes, 0)))
    return new ParquetWriter(deps, duckDb, stored, plan)
  } catch (error) {
    duckDb?.close()
    rmSync(deps.folder, { recursive: true, force: true })
    throw error
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
const countColumnLeaves = (columns: readonly Column[]): number[] =>
  columns.map(({ type }) => countLeaves(type))

function getPartShape({ rowColumns, lineColumns, readsParquet }: ParquetWriterDeps): PartShape {
  const leafCounts = countColumnLeaves(rowColumns)
  const widest = Math.max(...sliceColumns(leafCounts).map((slice) => sum(leafCounts.slice(...slice))))
  return {
    sliceLeafCount: Math.max(widest, sum(countColumnLeaves(lineColumns))),
    readsParquet,
  }
}

/** Writes rows in order, from files of lines or from a DuckDB relation. */
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
  ) {
    this.#deps = deps
    this.#duckDb = duckDb
    this.#lines = lines
    this.#laneCount = laneCount
    this.#whole = new ParquetFile(deps.path)
    this.#planner = new PartPlanner(lines, lineBytesMax)
  }

  /** Adds spooled rows. `numbersOf` returns the line numbers of rows. */
  async addFiles(files: readonly LineFile[], getNumbers: RowNumbers): Promise<void> {
    const write = async (parts: readonly PlannedPart[]) => {
      for (const part of parts)
        await this.#write(part, getNumbers, (from) => this.#selectFileRows(files, from))
    }
    let firstRow = 0
    for (const file of files) {
      await write(this.#planner.add(file, getNumbers(firstRow, file.rowCount)))
      firstRow += file.rowCount
    }
    await write(this.#planner.end())
  }

  /** Adds all rows of a relation. Copies several parts first: only copies give fast access to any part. */
  async addRows(source: RowSource, rowCount: number, getNumbers: RowNumbers): Promise<void> {
    const parts: PlannedPart[] = []
    for (let first = 0; first < rowCount; first += parquetLimits.rowGroupRowsMax) {
      const count = Math.min(parquetLimits.rowGroupRowsMax, rowCount - first)
      parts.push(
        ...this.#planner.add(
          { rowCount: count, byteCount: count * source.rowBytes },
          getNumbers(first, count),
        ),
      )
    }
    let copies: Promise<ReadonlyMap<string, string>> | null = null
    const getRows = async (part: PlannedPart): Promise<PartRows> => {
      if (part.rowCount === rowCount && source.isScan) return (columns) => createScan(source, columns)
      const paths = await (copies ??= this.#copyRows(source))
      return (columns) => ({
        scan: buildTemporaryRange(paths.get(columns[0]?.key ?? '') ?? '', part.firstRow, part.rowCount),
        cells: columns.map((column) => buildCell('r', column)),
      })
    }
    for (const part of [...parts, ...this.#planner.end()]) await this.#write(part, getNumbers, getRows)
  }

  /** Copies a relation to files, one for each slice of columns, by the key of the slice's first column. */
  async #copyRows({ relation, cells }: RowSource): Promise<ReadonlyMap<string, string>> {
    const paths = new Map<string, string>()
    for (const columns of sliceLineColumns(this.#deps.rowColumns)) {
      const path = join(this.#deps.folder, `rows-${paths.size}.parquet`)
      const chosen = columns.map((column) => `${cells.get(column) ?? 'NULL'} AS ${quoteSqlName(column.key)}`)
      await this.#duckDb.run(buildTemporaryCopy(path, `SELECT ${chosen.join(', ')} FROM ${relation} AS r`))
      paths.set(columns[0]?.key ?? '', path)
    }
    return paths
  }

  /** Ends the file. */
  async end(): Promise<void> {
    if (this.#whole.isEmpty) {
      const part = { firstRow: 0, rowCount: 0, groupRowsMax: 1, lineCount: 0 }
      await this.#write(
        part,
        () => [],
        () => (columns) => ({
          scan: buildEmptyRelation(columns),
          cells: columns.map((column) => buildCell('r', column)),
        }),
      )
    }
    await this.#whole.end()
  }

  /** Cancels DuckDB's statements, which then throw. */
  interrupt(): void {
    this.#duckDb.interrupt()
  }

  /** Deletes temporary files. The file is only complete after `end`. */
  async close(): Promise<void> {
    await this.#whole.close()
    this.#duckDb.close()
    rmSync(this.#deps.folder, { recursive: true, force: true })
  }

  #selectFileRows(files: readonly LineFile[], { firstRow, rowCount }: PlannedPart) {
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
      const relation = buildLinesRelation(chosen, columns)
      return {
        scan: isWhole ? relation : buildRowRange(relation, firstRow - skippedRows, rowCount),
        cells: columns.map((column) => buildCell('r', column)),
      }
    }
  }

  /** Writes a part, in two halves if it needs more memory than estimated. */
  async #write(part: PlannedPart, getNumbers: RowNumbers, rowsOf: RowSelector): Promise<void> {
    try {
      await this.#whole.append(await this.#convert(part, getNumbers, await rowsOf(part)), part.rowCount)
    } catch (error) {
      const { firstRow, rowCount, groupRowsMax } = part
      if (!isOutOfMemory(error) || rowCount <= groupRowsMax) throw error
      const half = Math.ceil(rowCount / 2 / groupRowsMax) * groupRowsMax
      await this.#write({ ...part, rowCount: half, lineCount: 0 }, getNumbers, rowsOf)
      await this.#write(
        { ...part, firstRow: firstRow + half, rowCount: rowCount - half, lineCount: 0 },
        getNumbers,
        rowsOf,
      )
    }
  }

  /** Writes the files of a part, one for each slice of columns. */
  async #convert(part: PlannedPart, getNumbers: RowNumbers, rows: PartRows): Promise<readonly PartSlice[]> {
    const { rowColumns, lineColumns } = this.#deps
    const lines = this.#lines
    const listNumbers = function* () {
      const end = part.firstRow + part.rowCount
      for (let first = part.firstRow; first < end; first += numberBatch)
        yield* Array.from(getNumbers(first, Math.min(numberBatch, end - first)))
    }
    await this.#duckDb.createNumbers('numbers', listNumbers())
    const isOfAll = part.lineCount === lines.numbers.length
    const wanted = isOfAll ? lines.numbers : Uint32Array.from(new Set(listNumbers())).sort()
    const linePaths = lines.findPaths(wanted[0] ?? 0, wanted.at(-1) ?? 0)
    if (!isOfAll) await this.#duckDb.createNumbers('wanted', wanted)
    const wantedTable = isOfAll ? null : 'wanted'
    const numbersTable = 'numbers'
    const query = { rows, numbersTable, rowColumns, lineColumns, linePaths, wantedTable }
    await this.#duckDb.useThreads(this.#laneCount)
    // The lines are most of the work, so they start first.
    const copies = buildRowQueries(query).map((select) => () => this.#copy(part, select))
    if (lineColumns.length > 0)
      copies.push(() => this.#copyByThread(part, buildLinesQuery(query, part.groupRowsMax)))
    const slices = new Array<PartSlice>(copies.length)
    const left = [...copies.entries()].reverse().values()
    const runLane = async () => {
      for (const [index, copy] of left) slices[index] = await copy()
    }
    const lanes = await Promise.allSettled(Array.from({ length: this.#laneCount }, runLane))
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
    return slices
  }

  async #copy({ groupRowsMax }: PlannedPart, select: string): Promise<PartSlice> {
    const path = this.#createPath()
    await this.#duckDb.runAside(
      buildPartCopy(path, select, { groupRowsMax, metadata: this.#deps.metadata, isByThread: false }),
    )
    return { paths: [path], byThread: null }
  }

  async #copyByThread({ groupRowsMax }: PlannedPart, select: string): Promise<PartSlice> {
    const folder = this.#createPath()
    await this.#duckDb.runAside(
      buildPartCopy(folder, select, { groupRowsMax, metadata: this.#deps.metadata, isByThread: true }),
    )
    const paths = readdirSync(folder).map((name) => join(folder, name))
    await assertOrdered(this.#duckDb, paths)
    return { paths, byThread: { groupRowsMax } }
  }

  /** A new path each time, because DuckDB caches the metadata of a path. */
  #createPath(): string {
    return join(this.#deps.folder, `${this.#sliceCount++}.parquet`)
  }
}

/** Throws if threads wrote rows in another order, which would join lines with the wrong rows. */
export async function assertOrdered(duckDb: Pick<DuckDb, 'all'>, paths: readonly string[]): Promise<void> {
  const disorder = await duckDb.all(buildDisorderQuery(paths))
  if (disorder.length > 0) throw new Error('the rows of a part are in the wrong order')
}

/** Returns the line number of each row, starting with `firstRow`, counted from 0. */
export type RowNumbers = (firstRow: number, rowCount: number) => ArrayLike<number>

type PartRows = (columns: readonly LineColumn[]) => RowRelation

type RowSelector = (part: PlannedPart) => PartRows | Promise<PartRows>

/** Line numbers requested at once. */
const numberBatch = 65_536

const createScan = ({ relation, cells }: RowSource, columns: readonly LineColumn[]): RowRelation => ({
  scan: relation,
  cells: columns.map((column) => cells.get(column) ?? 'NULL'),
})
