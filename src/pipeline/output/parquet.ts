import { openParquetWriter, type ParquetWriter } from '../../parquet/parquet-writer.js'
import { inputChanged, type CellType, type ChunkRows, type Input, type MemberRows } from '../input/input.js'
import type { ColumnKind, OutputColumn } from '../rules/columns.js'
import { joinAnswers, takeLines, type Answers } from './joined-rows.js'
import { writerLimits } from './limits.js'
import type { StagedFile } from './staged-file.js'

const struct = (fields: readonly string[], last = '') =>
  `STRUCT(${fields.map((field) => `"${field}" VARCHAR`).join(', ')}${last})`
const citationType = struct(['url', 'excerpt', 'source_type'], ', "authority_tier" INTEGER')

const answerTypes: Readonly<Record<ColumnKind, string>> = {
  text: 'VARCHAR',
  integer: 'INTEGER',
  timestamp: 'TIMESTAMPTZ',
  boolean: 'BOOLEAN',
  factors: `${struct(['code', 'type', 'description', 'impact'])}[]`,
  actions: `${struct(['code', 'description'])}[]`,
  basis: `${struct(['field', 'value', 'confidence', 'reasoning'], `, "citations" ${citationType}[]`)}[]`,
}

const cellTypes: Readonly<Record<CellType, string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  json: 'JSON',
}

export interface ParquetOutput {
  readonly input: Pick<Input, 'columns' | 'parquetSource'>
  readonly columns: readonly OutputColumn[]
  readonly answers: Answers
  readonly metadata: Readonly<Record<string, string>>
  readonly file: StagedFile
}

/** Parquet columns of the input pass through DuckDB alone; cells of text travel with the answers, in the same lines. */
export async function writeParquet(output: ParquetOutput): Promise<void> {
  const { file, answers, columns, input } = output
  const source = input.parquetSource()
  const hasChunks = source.kind === 'chunks'
  const theirs = hasChunks ? [] : memberColumns(input.columns, source)
  const ours = columns.map(({ name, outputName, kind }) => ({
    key: name,
    name: outputName,
    type: answerTypes[kind],
  }))
  const writer = await openParquetWriter({
    sink: file,
    // Named after the output, so that the next run finds and removes what a killed one left.
    folder: `${file.temporary}.parts`,
    metadata: { ...output.metadata, ...(hasChunks ? source.metadata : {}) },
    chunkColumns: hasChunks ? source.columns : [],
    chunkRowBytes: hasChunks ? source.bytesEstimate / Math.max(1, answers.rowCount) : 0,
    lineColumns: [...theirs, ...ours],
  })
  const interrupt = () => {
    writer.interrupt()
  }
  answers.signal?.addEventListener('abort', interrupt, { once: true })
  try {
    if (hasChunks) await writeChunks(source, answers, writer)
    else await writeMembers(source, answers, writer)
    await writer.end()
  } catch (error) {
    answers.signal?.throwIfAborted()
    throw error
  } finally {
    answers.signal?.removeEventListener('abort', interrupt)
    await writer.close()
  }
}

function memberColumns(names: readonly string[], { types }: MemberRows) {
  return types.map((type, index) => ({ key: `c${index}`, name: names[index] ?? '', type: cellTypes[type] }))
}

async function writeMembers(source: MemberRows, answers: Answers, writer: ParquetWriter): Promise<void> {
  for await (const { rows, answerLines } of joinAnswers(source.rows(), answers)) {
    for (const [index, members] of rows.entries()) {
      // An answer line is an object, too: the rest of one behind the members of the row.
      writer.addLine('{', members, members === '' ? '' : ',', answerLines[index]?.slice(1) ?? '')
      if (writer.isDue) await writer.settle()
    }
  }
}

async function writeChunks(source: ChunkRows, answers: Answers, writer: ParquetWriter): Promise<void> {
  let first = 0
  for await (const chunk of source.chunks()) {
    const end = first + chunk.rowCount
    if (end > answers.rowCount) throw inputChanged('the input')
    await writer.addChunk(chunk)
    while (first < end) {
      const answerLines = await takeLines(answers, first, Math.min(writerLimits.answerRows, end - first))
      for (const line of answerLines) {
        writer.addLine(line)
        if (writer.isDue) await writer.settle()
      }
      first += answerLines.length
    }
  }
  if (first !== answers.rowCount) throw inputChanged('the input')
}
