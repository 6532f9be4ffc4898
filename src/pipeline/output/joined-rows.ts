import type { LineFile } from '../../parquet/parquet-writer.js'
import type { WrittenCell } from '../../tables/writers.js'
import {
  createInputChangedError,
  type Input,
  type InputLayout,
  type InputRows,
  type TextRow,
} from '../input/input.js'
import type { BasisPlace, OutputColumn } from '../answers/columns.js'
import { listBasisRows, type BasisCells } from './answer-cells.js'
import type { AnswerLines } from './answer-lines.js'
import { writerLimits, type OutputFormat, type RemoteOutput } from './output-format.js'

/** The parts of an input that writers need. */
export interface WrittenInput extends Pick<Input, 'columns' | 'files'> {
  readonly layout: Pick<InputLayout, 'delimiter' | 'sheetName' | 'sheetColumns'>
  readonly rows: WrittenRows
}

interface WrittenRows extends Pick<InputRows, 'texts' | 'objects' | 'parquet'> {
  /** Reads each row as cells of an Excel sheet. */
  cells(): AsyncIterable<readonly (readonly WrittenCell[])[]>
}

/** The content and form of an output. */
export interface WriteOptions {
  readonly input: WrittenInput
  /** `path` is `-` for standard output. */
  readonly output: {
    readonly path: string
    readonly format: OutputFormat
    readonly isPacked?: boolean | undefined
    readonly bom?: boolean | undefined
    /** Null or absent if the path is no address. */
    readonly remote?: RemoteOutput | null
    readonly columns: readonly OutputColumn[]
    readonly basis: BasisPlace
    /** Memory limit for writing Parquet, in bytes. */
    readonly memoryBytes: number
  }
  /** Input column that fills the basis file's name column. */
  readonly nameColumn: string
  /** `null` if rows are written without answers. */
  readonly answers: AnswerLines | null
  /** Rows that were spooled for Parquet; without them, the input is read again. */
  readonly rowFiles?: readonly LineFile[] | undefined
  /** Number of rows in the first pass; `null` if there was none. */
  readonly rowCount: number | null
  /** Key-value metadata of a Parquet file. */
  readonly metadata: Readonly<Record<string, string>>
  /** An additional sheet after the rows; ignored by formats without sheets. */
  readonly sheetBehind?: Pick<WrittenInput, 'layout' | 'rows'> | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Joins rows with their answers, in order, a few at once because answers are large. Throws INPUT_CHANGED if the number
 * of rows has changed, and on abort.
 */
export async function* joinAnswers<Row>(
  batches: AsyncIterable<readonly Row[]>,
  options: WriteOptions,
  basis: BasisWriter | null,
  join: (row: Row, line: string) => Row,
): AsyncGenerator<readonly Row[]> {
  const rowCount = options.rowCount ?? Infinity
  let first = 0
  for await (const batch of batches) {
    if (first + batch.length > rowCount) throw createInputChangedError('the input')
    if (options.answers === null) {
      options.signal?.throwIfAborted()
      if (batch.length > 0) yield batch
      continue
    }
    for (let start = 0; start < batch.length; start += writerLimits.answerRows) {
      const rows = batch.slice(start, start + writerLimits.answerRows)
      const lines = await takeLines(options, basis, first, rows.length)
      yield rows.map((row, index) => join(row, lines[index] ?? ''))
      first += rows.length
    }
  }
  assertAllRows(options, first)
}

/** Throws INPUT_CHANGED if the number of rows has changed. */
export function assertAllRows({ rowCount }: WriteOptions, foundCount: number): void {
  if (rowCount !== null && foundCount !== rowCount) throw createInputChangedError('the input')
}

/** Reads exactly one answer line for each row, because a missing line would shift all later rows. Throws on abort. */
export async function takeLines(
  { answers, signal }: WriteOptions,
  basis: BasisWriter | null,
  first: number,
  count: number,
): Promise<readonly string[]> {
  signal?.throwIfAborted()
  const lines = answers?.read(first, count) ?? []
  if (lines.length !== count)
    throw new Error(`${lines.length} answer lines for ${count} rows from row ${first}`)
  await basis?.add(first, lines)
  return lines
}

/** Writes the basis along with the output. Names come from a second pass over the input. */
export class BasisWriter {
  /** Lines below the header. */
  lineCount = 0
  private readonly names: AsyncIterator<readonly TextRow[]>
  private ahead: readonly TextRow[] = []

  constructor(
    private readonly sink: { add(rows: readonly BasisCells[]): Promise<void> },
    nameRows: AsyncIterable<readonly TextRow[]>,
  ) {
    this.names = nameRows[Symbol.asyncIterator]()
  }

  async add(first: number, answerLines: readonly string[]): Promise<void> {
    const names = await this.take(answerLines.length)
    const rows = answerLines.flatMap((line, index) =>
      listBasisRows(line, first + index + 1, names[index]?.[0] ?? null),
    )
    this.lineCount += rows.length
    if (rows.length > 0) await this.sink.add(rows)
  }

  /** Closes the input, even if it was not read to its end. */
  async end(): Promise<void> {
    await this.names.return?.()
  }

  private async take(count: number): Promise<readonly TextRow[]> {
    while (this.ahead.length < count) {
      const next = await this.names.next()
      if (next.done === true) throw createInputChangedError('the input')
      this.ahead = [...this.ahead, ...next.value]
    }
    const taken = this.ahead.slice(0, count)
    this.ahead = this.ahead.slice(count)
    return taken
  }
}
