import type { LineFile } from '../../parquet/line-writer.js'
import { openParquetWriter, type ParquetWriter, type RowNumbers } from '../../parquet/parquet-writer.js'
import type { LineColumn } from '../../parquet/part-sql.js'
import { inputChanged, type CellType, type MemberRows, type RelationRows } from '../input/input.js'
import { columnKinds } from '../rules/column-kinds.js'
import type { OutputColumn } from '../rules/columns.js'
import { assertAllRows, takeLines, type Answers } from './joined-rows.js'
import { writerLimits } from './limits.js'
import { RowSpool } from './row-spool.js'
import type { WrittenInput } from './sample.js'
import type { StagedFile } from './staged-file.js'

const cellTypes: Readonly<Record<CellType, string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  json: 'JSON',
}

export interface ParquetOutput {
  readonly input: Pick<WrittenInput, 'columns' | 'parquetSource'>
  readonly columns: readonly OutputColumn[]
  readonly answers: Answers
  readonly metadata: Readonly<Record<string, string>>
  readonly file: StagedFile
  readonly memoryBytes: number
  readonly rowFiles: readonly LineFile[] | undefined
}

/** Each answer is read once and joined in DuckDB. Columns of a Parquet input never leave it; others wait as lines. */
export async function writeParquet(output: ParquetOutput): Promise<void> {
  const { file, answers, columns, input, memoryBytes } = output
  const source = input.parquetSource()
  const rowColumns = rowColumnsOf(input.columns, source)
  const writer = await openParquetWriter({
    path: file.temporary,
    // Named after the output, so that the next run finds and removes what a killed one left.
    folder: `${file.temporary}.parts`,
    metadata: { ...output.metadata, ...(source.kind === 'relation' ? source.metadata : {}) },
    rowColumns,
    readsParquet: source.kind === 'relation',
    lineColumns: columns.map(({ name, outputName, kind }) => ({
      key: name,
      name: outputName,
      type: columnKinds[kind].sqlType,
    })),
    lines: answers.lines?.distinct() ?? nothingBehind,
    memoryBytes,
  })
  const interrupt = () => {
    writer.interrupt()
  }
  answers.signal?.addEventListener('abort', interrupt, { once: true })
  try {
    if (source.kind === 'relation') await writeRelation(source, rowColumns, answers, writer)
    else if (output.rowFiles === undefined) await writeMembers(source, output, writer)
    else await writer.addFiles(output.rowFiles, numbersOf(answers))
    await writer.end()
    const basisRowCount = answers.basis === null ? 0 : (answers.rowCount ?? 0)
    for (let first = 0; first < basisRowCount; first += writerLimits.answerRows)
      await takeLines(answers, first, Math.min(writerLimits.answerRows, basisRowCount - first))
  } catch (error) {
    answers.signal?.throwIfAborted()
    throw error
  } finally {
    answers.signal?.removeEventListener('abort', interrupt)
    await writer.close()
  }
}

/** Rows that have all their columns themselves. */
const nothingBehind = { numbers: Uint32Array.of(0), lines: () => ['{}'] }

function rowColumnsOf(names: readonly string[], source: RelationRows | MemberRows): readonly LineColumn[] {
  if (source.kind === 'relation')
    return source.columns.map(({ name, type }, index) => ({ key: `c${index}`, name, type }))
  return source.types.map((type, index) => ({
    key: `c${index}`,
    name: names[index] ?? '',
    type: cellTypes[type],
  }))
}

/** Numbers exactly as many as rows: a missing one would shift every row after it. Throws on abort. */
function numbersOf({ lines, rowCount, signal }: Answers): RowNumbers {
  return (first, count) => {
    signal?.throwIfAborted()
    if (first + count > (rowCount ?? Infinity)) throw inputChanged('the input')
    const numbers = lines?.numbers(first, count) ?? new Uint32Array(count)
    if (numbers.length !== count)
      throw new Error(`${numbers.length} answers for ${count} rows from row ${first}`)
    return numbers
  }
}

async function writeMembers(
  source: MemberRows,
  { answers, file }: ParquetOutput,
  writer: ParquetWriter,
): Promise<void> {
  const numbers = numbersOf(answers)
  const spool = new RowSpool(file.path, '')
  try {
    let first = 0
    for await (const rows of source.rows()) {
      answers.signal?.throwIfAborted()
      await spool.add(rows)
      first += rows.length
    }
    assertAllRows(answers, first)
    await spool.end()
    await writer.addFiles(spool.files, numbers)
  } finally {
    await spool.remove()
  }
}

async function writeRelation(
  source: RelationRows,
  rowColumns: readonly LineColumn[],
  answers: Answers,
  writer: ParquetWriter,
): Promise<void> {
  const rowCount = await source.rowCount()
  assertAllRows(answers, rowCount)
  const { relation, isScan, columns, bytesEstimate } = source
  const cells = new Map(rowColumns.map((column, index) => [column, columns[index]?.cells ?? 'NULL']))
  const rowBytes = bytesEstimate / Math.max(1, rowCount)
  await writer.addRows({ relation, isScan, cells, rowBytes }, rowCount, numbersOf(answers))
}
