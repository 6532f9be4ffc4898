import { unreachable } from '../../core/errors.js'
import type { LineFile } from '../../parquet/line-writer.js'
import type { BasisPlace, OutputColumn } from '../rules/columns.js'
import type { AnswerLines } from './answer-lines.js'
import { BasisWriter, csvBasis } from './basis-writer.js'
import { csvStyleOf } from './csv-text.js'
import type { Answers } from './joined-rows.js'
import type { OutputFormat } from './output-format.js'
import { sinkOf } from './packed-output.js'
import { writeParquet } from './parquet.js'
import type { WrittenInput } from './sample.js'
import type { StagedFile } from './staged-file.js'
import { writeCsv, writeNdjson } from './text-outputs.js'
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
  readonly answers: AnswerLines
  /** What writing Parquet may hold in memory. */
  readonly memoryBytes: number
  /** The rows as they wait for their answers, where they do; else the input is read once more. */
  readonly rowFiles?: readonly LineFile[] | undefined
  /** The rows of the first pass. */
  readonly rowCount: number
  /** Key-value metadata of a Parquet file. */
  readonly metadata: Readonly<Record<string, string>>
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
  const { input, output } = options
  const basisSink = basisFile === null ? null : sinkOf(basisFile, output.isPacked === true)
  const style = csvStyleOf(basisFile?.path ?? '', input, output.bom === true)
  const basis =
    basisSink === null
      ? null
      : new BasisWriter(await csvBasis(basisSink, style), input.textRows([options.nameColumn]))
  try {
    const inSheetCount = await writeRows(options, basis, main)
    await main.close()
    await basisSink?.end()
    await basisFile?.close()
    return basis?.lineCount ?? inSheetCount
  } finally {
    await basis?.end()
  }
}

/** Returns the number of lines of a basis that is inside, and not nested. */
async function writeRows(
  options: WriteOptions,
  basis: BasisWriter | null,
  file: StagedFile,
): Promise<number> {
  const { input, columns, rowCount, signal, output, metadata, memoryBytes, rowFiles } = options
  const answers: Answers = { lines: options.answers, rowCount, signal, basis }
  const sink = sinkOf(file, output.isPacked === true)
  switch (output.format) {
    case 'csv':
      await writeCsv(input, columns, answers, sink, csvStyleOf(output.path, input, output.bom === true))
      await sink.end()
      return 0
    case 'ndjson':
      await writeNdjson(input, columns, answers, sink)
      await sink.end()
      return 0
    case 'parquet':
      await writeParquet({ input, columns, answers, metadata, file, memoryBytes, rowFiles })
      return 0
    case 'xlsx': {
      const basisOf = options.basis === 'inline' ? options.nameColumn : null
      return writeXlsx({ input, columns, answers, file, basisOf })
    }
    default:
      return unreachable(output.format)
  }
}
