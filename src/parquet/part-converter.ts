import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { collectGarbage, type DuckDb } from './duckdb.js'
import { writeMemoryBytes, type PartShape } from './memory-budget.js'
import { parquetLimits } from './limits.js'
import type { LineFile } from './line-writer.js'
import { ParquetFile, type ParquetSink } from './parquet-file.js'
import { copyTo } from './part-sql.js'

export interface PartConverterDeps {
  readonly duckDb: DuckDb
  /** For what comes and goes. */
  readonly folder: string
  readonly sink: ParquetSink
  readonly metadata: Readonly<Record<string, string>>
  readonly shape: PartShape
}

/** Makes row groups of a file from parts, in the order they are added: one in DuckDB while the next is made. */
export class PartConverter {
  hasAny = false
  private readonly whole: ParquetFile
  private converting: Promise<void> = Promise.resolve()
  private memoryBytes = 0
  private uncollectedBytes: number = parquetLimits.collectEveryBytes

  constructor(private readonly deps: PartConverterDeps) {
    this.whole = new ParquetFile(deps.sink, join(deps.folder, 'row-groups'))
  }

  /**
   * Takes what the queries make of the lines, as many rows: each some of the columns, in order. `after` is run once
   * the rows are read. Waits for the part before, and throws what became of it.
   */
  async add(lines: LineFile, selects: readonly string[], after: string | null = null): Promise<void> {
    await this.converting
    this.hasAny = true
    this.collect(lines.byteCount)
    this.converting = this.convert(lines, selects, after)
    // Thrown where it is awaited.
    this.converting.catch(() => undefined)
  }

  /** Waits for the last part and ends the file. */
  async end(): Promise<void> {
    await this.converting
    await this.whole.end()
  }

  /** Waits until DuckDB is at rest. */
  async close(): Promise<void> {
    await this.converting.catch(() => undefined)
    await this.whole.close()
  }

  private async convert(lines: LineFile, selects: readonly string[], after: string | null): Promise<void> {
    const { duckDb, metadata, shape } = this.deps
    await this.allow(lines.byteCount)
    const slices: Buffer[] = []
    for (const [index, select] of selects.entries()) {
      // A path of its own: DuckDB remembers what it knows of one.
      const path = `${lines.path}.${index}.parquet`
      await duckDb.run(copyTo(path, select, metadata, shape.leafCount))
      slices.push(await readFile(path))
      await rm(path)
    }
    if (after !== null) await duckDb.run(after)
    await rm(lines.path)
    await this.whole.append(slices, lines.rowCount)
  }

  /** What was read of the input until now is garbage, and so are the lines of the parts before. */
  private collect(partBytes: number): void {
    this.uncollectedBytes += partBytes
    if (this.uncollectedBytes < parquetLimits.collectEveryBytes) return
    this.uncollectedBytes = 0
    collectGarbage()
  }

  /** DuckDB's memory follows the columns, and the heaviest part. */
  private async allow(partBytes: number): Promise<void> {
    const bytes = writeMemoryBytes(this.deps.shape, partBytes)
    if (bytes <= this.memoryBytes) return
    await this.deps.duckDb.limitMemory(bytes)
    this.memoryBytes = bytes
  }
}
