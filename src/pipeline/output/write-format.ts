import { unreachable } from '../../core/errors.js'
import type { LineFile } from '../../parquet/line-writer.js'
import { csvStyleOf, openCsvSink } from '../../tables/csv-text.js'
import type { TextRow } from '../input/input.js'
import type { BasisPlace, OutputColumn } from '../rules/columns.js'
import { basisFileColumns, csvBasisRow, csvCells, jsonMembersOf } from './answer-cells.js'
import type { AnswerLines } from './answer-lines.js'
import { BasisWriter, joinAnswers, type Answers } from './joined-rows.js'
import type { OutputFormat } from './output-format.js'
import { writeParquet } from './parquet.js'
import type { WrittenInput } from './sample.js'
import { sinkOf, type OutputSink, type StagedFile } from './staged-file.js'
import { writeXlsx } from './xlsx.js'

/** What is written, and how. */
export interface WriteOptions {
  readonly input: WrittenInput
  /** `path` is `-` for standard output. */
  readonly output: {
    readonly path: string
    readonly format: OutputFormat
    readonly isPacked?: boolean | undefined
    readonly bom?: boolean | undefined
  }
  readonly columns: readonly OutputColumn[]
  readonly basis: BasisPlace
  /** Whose text stands in the basis file's name column. */
  readonly nameColumn: string
  /** Null where rows have all that is written of them. */
  readonly answers: AnswerLines | null
  /** What writing Parquet may hold in memory. */
  readonly memoryBytes: number
  /** The rows as they wait for their answers, where they do; else the input is read once more. */
  readonly rowFiles?: readonly LineFile[] | undefined
  /** The rows of the first pass; null where there was none. */
  readonly rowCount: number | null
  /** Key-value metadata of a Parquet file. */
  readonly metadata: Readonly<Record<string, string>>
  /** A sheet behind the rows; other formats have no place for it. */
  readonly sheetBehind?: Pick<WrittenInput, 'sheetName' | 'sheetColumns' | 'cellRows'> | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Each row's answer is asked for once, and goes to the output and to the basis in the same pass. Returns the number of
 * lines of a basis that is not nested.
 */
export async function writeFormat(
  options: WriteOptions,
  main: StagedFile,
  basisFile: StagedFile | null,
): Promise<number> {
  if (basisFile === null) {
    const basisLineCount = await writeRows(options, null, main)
    await main.close()
    return basisLineCount
  }
  const { input, output } = options
  const sink = sinkOf(basisFile, output.isPacked === true)
  const csv = await openCsvSink(
    sink,
    basisFileColumns,
    csvStyleOf(basisFile.path, input, output.bom === true),
  )
  const basis = new BasisWriter(
    { add: (rows) => csv.add(rows.map(csvBasisRow)) },
    input.textRows([options.nameColumn]),
  )
  try {
    await writeRows(options, basis, main)
    await main.close()
    await sink.end()
    await basisFile.close()
    return basis.lineCount
  } finally {
    await basis.end()
  }
}

/** Returns the number of lines of a basis that is inside, and not nested. */
async function writeRows(
  options: WriteOptions,
  basis: BasisWriter | null,
  file: StagedFile,
): Promise<number> {
  const { input, columns, rowCount, signal, output, metadata, memoryBytes, rowFiles, sheetBehind } = options
  const answers: Answers = { lines: options.answers, rowCount, signal, basis }
  const sink = sinkOf(file, output.isPacked === true)
  switch (output.format) {
    case 'csv':
      await writeCsv(options, answers, sink)
      await sink.end()
      return 0
    case 'ndjson':
      await writeNdjson(options, answers, sink)
      await sink.end()
      return 0
    case 'parquet':
      await writeParquet({ input, columns, answers, metadata, file, memoryBytes, rowFiles })
      return 0
    case 'xlsx': {
      const basisOf = options.basis === 'inline' ? options.nameColumn : null
      return writeXlsx({ input, columns, answers, file, basisOf, sheetBehind })
    }
    default:
      return unreachable(output.format)
  }
}

/** The user's cells as they are, then ours. */
async function writeCsv(
  { input, columns, output }: WriteOptions,
  answers: Answers,
  sink: OutputSink,
): Promise<void> {
  const header = [...input.columns, ...columns.map(({ outputName }) => outputName)]
  const csv = await openCsvSink(sink, header, csvStyleOf(output.path, input, output.bom === true))
  const join = (row: TextRow, line: string) => [...row, ...csvCells(line, columns)]
  for await (const rows of joinAnswers(input.textRows(), answers, join)) await csv.add(rows)
}

/** One object a line: the user's own text with our members before its last brace. */
async function writeNdjson(
  { input, columns }: WriteOptions,
  answers: Answers,
  sink: OutputSink,
): Promise<void> {
  await sink.write('')
  const join = (object: string, line: string) => splice(object, jsonMembersOf(line, columns))
  for await (const lines of joinAnswers(input.objectRows(), answers, join))
    await sink.write(`${lines.join('\n')}\n`)
}

function splice(object: string, members: string): string {
  if (members === '') return object
  const before = object.slice(0, object.lastIndexOf('}')).trimEnd()
  return `${before}${before.endsWith('{') && before.length === 1 ? '' : ','}${members}}`
}
