import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputColumn } from '../rules/columns.js'
import { openDuckDb, sqlName, type DuckDb } from '../../parquet/duckdb.js'
import {
  columnSlices,
  isTableTall,
  leafCountOf,
  writeMemoryBytes,
  type PartShape,
} from '../../parquet/memory-budget.js'
import { inputChanged, type ChunkRows, type Input, type MemberRows } from '../input/input.js'
import { writerBounds } from './bounds.js'
import { joinAnswers, takeLines, type Answers } from './joined-rows.js'
import { LineWriter } from './line-writer.js'
import { PartConverter } from './part-converter.js'
import { answerLeafCount, besideRows, fromMembers } from './parquet-sql.js'
import type { StagedFile } from './staged-file.js'

export interface ParquetOutput {
  readonly input: Pick<Input, 'columns' | 'parquetSource'>
  readonly columns: readonly OutputColumn[]
  readonly answers: Answers
  readonly metadata: Readonly<Record<string, string>>
  readonly file: StagedFile
}

/**
 * Rows and answers go part by part to a temporary NDJSON, which DuckDB makes a Parquet of, with the types they are
 * to have, while the next one is written; the output is put together from their row groups. Parquet columns
 * pass through DuckDB alone.
 */
export async function writeParquet(output: ParquetOutput): Promise<void> {
  const { file, answers } = output
  const source = output.input.parquetSource()
  const shape = shapeOf(source, output.columns)
  // Named after the output, so that the next run finds and removes what a killed one left.
  const folder = `${file.temporary}.parts`
  mkdirSync(folder)
  const duckDb = await openDuckDb(join(folder, 'overflow'))
  const lines = new LineWriter(folder)
  const metadata = { ...output.metadata, ...(source.kind === 'chunks' ? source.metadata : {}) }
  const parts = new PartConverter({ duckDb, folder, file, metadata, shape })
  const interrupt = () => {
    duckDb.interrupt()
  }
  answers.signal?.addEventListener('abort', interrupt, { once: true })
  try {
    // The table beside the parts takes its share before the first of them is made.
    await duckDb.limitMemory(writeMemoryBytes(shape, 0))
    if (source.kind === 'chunks') await writeChunks(duckDb, source, output, lines, parts, shape)
    else await writeMembers(source, output, lines, parts, shape)
    await parts.end()
  } catch (error) {
    answers.signal?.throwIfAborted()
    throw error
  } finally {
    answers.signal?.removeEventListener('abort', interrupt)
    await parts.close()
    await lines.close()
    duckDb.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function shapeOf(source: ChunkRows | MemberRows, columns: readonly OutputColumn[]): PartShape {
  const ours = answerLeafCount(columns)
  const leafCounts =
    source.kind === 'members'
      ? source.types.map(() => 1)
      : source.columns.map(({ type }) => leafCountOf(type))
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const slices = columnSlices(leafCounts).map((slice) => sum(leafCounts.slice(...slice)))
  const theirs = sum(leafCounts)
  return {
    leafCount: theirs + ours,
    sliceLeafCount: Math.max(...slices) + ours,
    tableLeafCount: source.kind === 'members' ? 0 : theirs,
  }
}

const isFull = (rowCount: number, byteCount: number, { leafCount }: PartShape): boolean =>
  rowCount >= writerBounds.partRowsMax ||
  byteCount >= Math.max(writerBounds.partBytesMax, leafCount * writerBounds.partBytesPerLeaf)

/** The rows travel with their answers, in the same lines. */
async function writeMembers(
  source: MemberRows,
  { input, columns, answers }: ParquetOutput,
  lines: LineWriter,
  parts: PartConverter,
  shape: PartShape,
): Promise<void> {
  const cut = async () => {
    const part = await lines.cut()
    await parts.add(part, fromMembers(input.columns, source.types, columns, part))
  }
  for await (const { rows, answerLines } of joinAnswers(source.rows(), answers)) {
    for (const [index, members] of rows.entries()) {
      // An answer line is an object, too: the rest of one behind the members of the row.
      lines.add('{', members, members === '' ? '' : ',', answerLines[index]?.slice(1) ?? '')
      if (isFull(lines.rowCount, lines.byteCount, shape)) await cut()
      else if (lines.isFlushDue) await lines.flush()
    }
  }
  if (lines.rowCount > 0 || !parts.hasAny) await cut()
}

/**
 * The rows go to a table as DuckDB read them, the answers to lines beside it. Parts are cut out of the table by
 * position, wherever they are full; the table ends, and with it a part, before it is as heavy as one.
 */
async function writeChunks(
  duckDb: DuckDb,
  source: ChunkRows,
  { columns, answers }: ParquetOutput,
  lines: LineWriter,
  parts: PartConverter,
  shape: PartShape,
): Promise<void> {
  const rowBytes = source.bytesEstimate / Math.max(1, answers.rowCount)
  const definition = source.columns.map(({ name, type }) => `${sqlName(name)} ${type}`).join(', ')
  let table = { number: 0, rowCount: 0, cutRows: 0 }
  let first = 0
  const cut = async () => {
    const part = await lines.cut()
    const name = `input_${table.number}`
    const rows = { table: name, firstRow: table.cutRows, columns: source.columns }
    table.cutRows += part.rowCount
    const isLast = table.cutRows === table.rowCount
    await parts.add(part, besideRows(rows, columns, part), isLast ? `DROP TABLE ${name}` : null)
    if (isLast) table = { number: table.number + 1, rowCount: 0, cutRows: 0 }
  }
  for await (const chunk of source.chunks()) {
    if (table.rowCount === 0) await duckDb.createTable(`input_${table.number}`, definition)
    await duckDb.append(`input_${table.number}`, chunk)
    table.rowCount += chunk.rowCount
    const end = first + chunk.rowCount
    if (end > answers.rowCount) throw inputChanged('the input')
    while (first < end) {
      const answerLines = await takeLines(answers, first, Math.min(writerBounds.answerRows, end - first))
      for (const line of answerLines) {
        lines.add(line)
        if (isFull(lines.rowCount, lines.byteCount + lines.rowCount * rowBytes, shape)) await cut()
        else if (lines.isFlushDue) await lines.flush()
      }
      first += answerLines.length
    }
    const isTableFull =
      !isTableTall(shape.tableLeafCount) || isFull(table.rowCount, table.rowCount * rowBytes, shape)
    if (lines.rowCount > 0 && isTableFull) await cut()
  }
  if (first !== answers.rowCount) throw inputChanged('the input')
  if (lines.rowCount > 0) await cut()
}
