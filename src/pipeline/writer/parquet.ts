import { mkdirSync, rmSync } from 'node:fs'
import type { ColumnKind, OutputColumn } from '../../core/columns.js'
import { openDuckDb, sqlName, sqlPath, sqlText, type DuckDb } from '../../platform/duckdb.js'
import { collectGarbage } from '../../platform/memory.js'
import type { CellType, Input, MemberRows, SqlRelation } from '../reader/input.js'
import { writerBounds } from './bounds.js'
import { joinAnswers, rowCountChanged, takeLines, type Answers } from './joined-rows.js'
import { StagedFile } from './staged-file.js'

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
  json: 'VARCHAR',
}

export interface ParquetOutput {
  readonly input: Input
  readonly columns: readonly OutputColumn[]
  readonly answers: Answers
  readonly metadata: Readonly<Record<string, string>>
  readonly file: StagedFile
}

/**
 * The answers go to a temporary NDJSON in the order of the rows, and one COPY of DuckDB joins them to the
 * input by position. Parquet columns pass through with their types; others are handed over in the same file.
 */
export async function writeParquet(output: ParquetOutput): Promise<void> {
  const { file, answers } = output
  // Named after the output, so that the next run finds and removes what a killed one left of them.
  const lines = new StagedFile(file.path, '.ndjson')
  const writer = new LineWriter(lines)
  const overflow = `${file.temporary}.duckdb`
  mkdirSync(overflow)
  const duckDb = await openDuckDb(overflow)
  const interrupt = () => {
    duckDb.interrupt()
  }
  answers.signal?.addEventListener('abort', interrupt, { once: true })
  try {
    const source = output.input.parquetSource()
    const select =
      source.kind === 'relation'
        ? await joinRelation(duckDb, source, output, writer)
        : await joinMembers(source, output, writer)
    answers.signal?.throwIfAborted()
    collectGarbage()
    const group = rowGroup(output, writer)
    await duckDb.limitMemory(Math.max(writerBounds.copyBytesMin, group.bytes * writerBounds.groupsInMemory))
    await duckDb.run(
      `COPY (${select}) TO ${sqlText(file.temporary)} (${copyOptions(output.metadata, group.rows)})`,
    )
  } catch (error) {
    answers.signal?.throwIfAborted()
    throw error
  } finally {
    answers.signal?.removeEventListener('abort', interrupt)
    duckDb.close()
    await lines.discard()
    rmSync(overflow, { recursive: true, force: true })
  }
}

function copyOptions(metadata: Readonly<Record<string, string>>, groupRows: number): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${sqlText(key)}: ${sqlText(value)}`)
  const options = ['FORMAT parquet', 'COMPRESSION zstd', `ROW_GROUP_SIZE ${groupRows}`]
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return options.join(', ')
}

/** Rows in a multiple of DuckDB's vectors, and what such a group weighs: wide rows make heavy groups. */
function rowGroup({ input, answers }: ParquetOutput, writer: LineWriter): { rows: number; bytes: number } {
  const { rowGroupBytes, rowGroupRowsMin, rowGroupRowsMax } = writerBounds
  // Parquet columns are not in the lines; unpacked they are some times as large as in their file.
  const inputBytes =
    input.format === 'parquet' ? 4 * input.files.reduce((sum, { bytes }) => sum + bytes, 0) : 0
  const rowBytes = (writer.byteCount + inputBytes) / Math.max(1, answers.rowCount)
  const fitting = Math.floor(rowGroupBytes / rowBytes / rowGroupRowsMin) * rowGroupRowsMin
  const rows = Math.min(rowGroupRowsMax, Math.max(rowGroupRowsMin, fitting))
  return { rows, bytes: rows * rowBytes }
}

/** Both sides of the join are counted first: it would fill the shorter one up with nulls. */
async function joinRelation(
  duckDb: DuckDb,
  source: SqlRelation,
  { columns, answers }: ParquetOutput,
  writer: LineWriter,
): Promise<string> {
  const [[rowCount] = []] = await duckDb.all(`SELECT count(*) FROM ${source.sql}`)
  if (Number(rowCount) !== answers.rowCount) throw rowCountChanged()
  const batchRows = 1_000
  for (let first = 0; first < answers.rowCount; first += batchRows) {
    await writer.write(await takeLines(answers, first, Math.min(batchRows, answers.rowCount - first)))
  }
  const structure = columns.map(({ name, kind }) => `${sqlName(name)}: ${sqlText(answerTypes[kind])}`)
  const ours = columns.map(({ name, outputName }) => `answer.${sqlName(name)} AS ${sqlName(outputName)}`)
  const answersRead = await writer.readJson(structure)
  if (ours.length === 0) return `SELECT * FROM ${source.sql}`
  return `SELECT input.*, ${ours.join(', ')} FROM ${source.sql} AS input POSITIONAL JOIN ${answersRead} AS answer`
}

async function joinMembers(
  source: MemberRows,
  { input, columns, answers }: ParquetOutput,
  writer: LineWriter,
): Promise<string> {
  for await (const { rows, answerLines } of joinAnswers(source.rows(), answers)) {
    await writer.write(
      rows.map((members, index) => `{${members}${members === '' ? '' : ','}"a":${answerLines[index] ?? ''}}`),
    )
  }
  const fields = columns.map(({ name, kind }) => `${sqlName(name)} ${answerTypes[kind]}`)
  const structure = source.types.map((type, index) => `c${index}: ${sqlText(cellTypes[type])}`)
  if (fields.length > 0) structure.push(`a: ${sqlText(`STRUCT(${fields.join(', ')})`)}`)
  const theirs = input.columns.map((name, index) => {
    return `${source.types[index] === 'json' ? `c${index}::JSON` : `c${index}`} AS ${sqlName(name)}`
  })
  const ours = columns.map(
    ({ name, outputName }) => `struct_extract(a, ${sqlText(name)}) AS ${sqlName(outputName)}`,
  )
  return `SELECT ${[...theirs, ...ours].join(', ')} FROM ${await writer.readJson(structure)}`
}

/** Writes lines and remembers how long they are in all, and the longest: DuckDB must be told. */
class LineWriter {
  byteCount = 0
  private lineBytesMax = 0
  private uncollectedBytes = 0

  constructor(private readonly file: StagedFile) {}

  async write(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      // A UTF-16 unit is at most three bytes of UTF-8.
      if (line.length * 3 > this.lineBytesMax) {
        this.lineBytesMax = Math.max(this.lineBytesMax, Buffer.byteLength(line))
      }
    }
    const text = `${lines.join('\n')}\n`
    this.byteCount += text.length
    await this.file.write(text)
    this.uncollectedBytes += text.length
    if (this.uncollectedBytes < writerBounds.collectEveryBytes) return
    this.uncollectedBytes = 0
    collectGarbage()
  }

  async readJson(structure: readonly string[]): Promise<string> {
    await this.file.close()
    const objectBytesMax = Math.max(this.lineBytesMax + 1024, 1024 * 1024)
    const columns = structure.length === 0 ? `{"a": 'JSON'}` : `{${structure.join(', ')}}`
    return (
      `read_json(${sqlPath(this.file.temporary)}, format = 'newline_delimited', columns = ${columns}, ` +
      `maximum_object_size = ${objectBytesMax}, compression = 'uncompressed')`
    )
  }
}
