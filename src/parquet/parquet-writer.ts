import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDuckDb, sqlName, type DuckDb, type DuckDbChunk } from './duckdb.js'
import { parquetLimits } from './limits.js'
import { LineWriter } from './line-writer.js'
import { columnSlices, isTableTall, leafCountOf, writeMemoryBytes, type PartShape } from './memory-budget.js'
import { PartConverter } from './part-converter.js'
import type { ParquetSink } from './parquet-file.js'
import { besideChunks, fromLines, type Column, type LineColumn } from './part-sql.js'

export interface ParquetWriterDeps {
  /** Takes the bytes of the file, in order. */
  readonly sink: ParquetSink
  /** For what comes and goes: made, and removed with all that is in it. */
  readonly folder: string
  /** Key-value metadata of the file. */
  readonly metadata: Readonly<Record<string, string>>
  /** The first columns, where their rows come as chunks of DuckDB's; empty where lines hold the rows whole. */
  readonly chunkColumns: readonly Column[]
  /** What a row of the chunks weighs, roughly, once it is unpacked. */
  readonly chunkRowBytes: number
  /** The columns behind them, one key of each line's object a column. */
  readonly lineColumns: readonly LineColumn[]
}

/**
 * Opens a writer of one Parquet file. Rows go part by part to temporary lines of JSON, which DuckDB makes a row group
 * of, with the types they are to have, while the next part is gathered. Throws what writing and DuckDB throw.
 */
export async function openParquetWriter(deps: ParquetWriterDeps): Promise<ParquetWriter> {
  mkdirSync(deps.folder)
  try {
    const duckDb = await openDuckDb(join(deps.folder, 'overflow'))
    const shape = shapeOf(deps)
    // The table beside the parts takes its share before the first of them is made.
    await duckDb.limitMemory(writeMemoryBytes(shape, 0))
    return new ParquetWriter(deps, duckDb, shape)
  } catch (error) {
    rmSync(deps.folder, { recursive: true, force: true })
    throw error
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
const leafCountsOf = (columns: readonly Column[]): number[] => columns.map(({ type }) => leafCountOf(type))

function shapeOf({ chunkColumns, lineColumns }: ParquetWriterDeps): PartShape {
  const [tableLeafCounts, lineLeafCounts] = [leafCountsOf(chunkColumns), leafCountsOf(lineColumns)]
  const hasTable = chunkColumns.length > 0
  const sliced = hasTable ? tableLeafCounts : lineLeafCounts
  const widest = Math.max(...columnSlices(sliced).map((slice) => sum(sliced.slice(...slice))))
  const lineLeafCount = sum(lineLeafCounts)
  return {
    leafCount: sum(tableLeafCounts) + lineLeafCount,
    sliceLeafCount: hasTable ? widest + lineLeafCount : widest,
    tableLeafCount: sum(tableLeafCounts),
  }
}

/** Rows are added in order: chunks first, where there are any, then a line for each of their rows. */
export class ParquetWriter {
  readonly #deps: ParquetWriterDeps
  readonly #duckDb: DuckDb
  readonly #shape: PartShape
  readonly #lines: LineWriter
  readonly #parts: PartConverter
  /**
   * The rows of chunks wait in a table of DuckDB's. Parts are cut out of it by position, wherever they are full; the
   * table ends, and with it a part, before it is as heavy as one.
   */
  #table = { number: 0, rowCount: 0, cutRowCount: 0 }

  constructor(deps: ParquetWriterDeps, duckDb: DuckDb, shape: PartShape) {
    const { folder, sink, metadata } = deps
    this.#deps = deps
    this.#duckDb = duckDb
    this.#shape = shape
    this.#lines = new LineWriter(folder)
    this.#parts = new PartConverter({ duckDb, folder, sink, metadata, shape })
  }

  /** Adds the first columns of some rows; the line of each is to follow before the next chunk. */
  async addChunk(chunk: DuckDbChunk): Promise<void> {
    if (this.#table.rowCount === 0) await this.#createTable()
    await this.#duckDb.append(this.#tableName, chunk)
    this.#table.rowCount += chunk.rowCount
  }

  /** Adds a row, or what is behind its chunk: one JSON object, put together from texts. `settle` where it is due. */
  addLine(...texts: readonly string[]): void {
    this.#lines.add(...texts)
  }

  get isDue(): boolean {
    return this.#lines.isFlushDue || this.#isPartFull
  }

  async settle(): Promise<void> {
    if (this.#isPartFull) await this.#cut()
    else await this.#lines.flush()
  }

  /** Makes the last part, and ends the file. */
  async end(): Promise<void> {
    if (!this.#parts.hasAny && this.#lines.rowCount === 0 && this.#hasTable) await this.#createTable()
    if (!this.#parts.hasAny || this.#lines.rowCount > 0) await this.#cut()
    await this.#parts.end()
  }

  /** Ends what DuckDB is doing; who awaits it gets an error. */
  interrupt(): void {
    this.#duckDb.interrupt()
  }

  /** Removes what came and went; the file is whole only after `end`. */
  async close(): Promise<void> {
    await this.#parts.close()
    await this.#lines.close()
    this.#duckDb.close()
    rmSync(this.#deps.folder, { recursive: true, force: true })
  }

  get #hasTable(): boolean {
    return this.#deps.chunkColumns.length > 0
  }

  get #tableName(): string {
    return `part_rows_${this.#table.number}`
  }

  async #createTable(): Promise<void> {
    const columns = this.#deps.chunkColumns.map(({ name, type }) => `${sqlName(name)} ${type}`)
    await this.#duckDb.createTable(this.#tableName, columns.join(', '))
  }

  get #isPartFull(): boolean {
    const { rowCount, byteCount } = this.#lines
    if (!this.#hasTable) return this.#isFull(rowCount, byteCount)
    const { chunkRowBytes } = this.#deps
    const table = this.#table
    const isTableUsedUp = rowCount > 0 && rowCount === table.rowCount - table.cutRowCount
    return (
      this.#isFull(rowCount, byteCount + rowCount * chunkRowBytes) ||
      (isTableUsedUp &&
        (!isTableTall(this.#shape.tableLeafCount) ||
          this.#isFull(table.rowCount, table.rowCount * chunkRowBytes)))
    )
  }

  #isFull(rowCount: number, byteCount: number): boolean {
    const { partRowsMax, partBytesMax, partBytesPerLeaf } = parquetLimits
    const bytesMax = Math.max(partBytesMax, this.#shape.leafCount * partBytesPerLeaf)
    return rowCount >= partRowsMax || byteCount >= bytesMax
  }

  async #cut(): Promise<void> {
    const { chunkColumns, lineColumns } = this.#deps
    const lines = await this.#lines.cut()
    if (!this.#hasTable) {
      await this.#parts.add(lines, fromLines(lineColumns, lines))
      return
    }
    const table = this.#tableName
    const rows = { table, firstRow: this.#table.cutRowCount, columns: chunkColumns }
    this.#table.cutRowCount += lines.rowCount
    const isUsedUp = this.#table.cutRowCount === this.#table.rowCount
    await this.#parts.add(
      lines,
      besideChunks(rows, lineColumns, lines),
      isUsedUp ? `DROP TABLE ${table}` : null,
    )
    if (isUsedUp) this.#table = { number: this.#table.number + 1, rowCount: 0, cutRowCount: 0 }
  }
}
