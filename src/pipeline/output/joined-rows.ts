import type { LineFile } from '../../parquet/part-sql.js'
import type { TableSink } from '../../tables/csv-writer.js'
import { inputChanged, type TextRow } from '../input/input.js'
import type { BasisPlace, OutputColumn } from '../answers/columns.js'
import { basisCells, type BasisCells } from './answer-cells.js'
import type { AnswerLines } from './answer-lines.js'
import { writerLimits, type OutputFormat } from './output-format.js'
import type { WrittenInput } from './sample.js'

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
 * Every row joined with its answer, in order, a few at a time: answers are heavy. Throws INPUT_CHANGED where there are
 * not as many rows as there were, and on abort.
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
    if (first + batch.length > rowCount) throw inputChanged('the input')
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

/** Throws INPUT_CHANGED where there are not as many rows as there were. */
export function assertAllRows({ rowCount }: WriteOptions, foundCount: number): void {
  if (rowCount !== null && foundCount !== rowCount) throw inputChanged('the input')
}

/** Answer lines exactly as many as rows: a missing one would shift every row after it. Throws on abort. */
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

/** Writes the basis while the output is written; names come from a reading of the input beside it. */
export class BasisWriter {
  /** Lines below the header. */
  lineCount = 0
  private readonly names: AsyncIterator<readonly TextRow[]>
  private ahead: readonly TextRow[] = []

  constructor(
    private readonly sink: TableSink<BasisCells>,
    nameRows: AsyncIterable<readonly TextRow[]>,
  ) {
    this.names = nameRows[Symbol.asyncIterator]()
  }

  async add(first: number, answerLines: readonly string[]): Promise<void> {
    const names = await this.take(answerLines.length)
    const rows = answerLines.flatMap((line, index) =>
      basisCells(line, first + index + 1, names[index]?.[0] ?? null),
    )
    this.lineCount += rows.length
    if (rows.length > 0) await this.sink.add(rows)
  }

  /** Closes the input, also where it was not read to its end. */
  async end(): Promise<void> {
    await this.names.return?.()
  }

  private async take(count: number): Promise<readonly TextRow[]> {
    while (this.ahead.length < count) {
      const next = await this.names.next()
      if (next.done === true) throw inputChanged('the input')
      this.ahead = [...this.ahead, ...next.value]
    }
    const taken = this.ahead.slice(0, count)
    this.ahead = this.ahead.slice(count)
    return taken
  }
}
