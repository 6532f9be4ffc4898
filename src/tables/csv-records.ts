import { CsvError, Parser } from 'csv-parse'
import { UserError } from '../core/errors.js'
import { tableLimits } from './limits.js'

/** What the parser knows of the record it is in the middle of. */
interface OpenRecord {
  readonly record: readonly string[]
  readonly quoting: boolean
  readonly field: { toString(encoding: BufferEncoding): string }
}

export interface CsvFormat {
  readonly label: string
  readonly delimiter: string
  /** Lines of the file above the first one that is given. */
  readonly linesAbove: number
  /** Told of each record that has not as many cells as the header, with the line it begins on. */
  readonly onRagged?: (line: number, cellCount: number) => void
}

/** Keeps the records of one written chunk instead of queueing them in a stream, so nothing piles up. */
class RecordCollector extends Parser {
  records: string[][] = []
  private headerCells: number | null = null
  /** csv-parse counts a CRLF inside quotes as two lines. */
  private linesCountedTwice = 0

  constructor(private readonly format: CsvFormat) {
    super({
      bom: true,
      delimiter: format.delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: tableLimits.recordBytesMax,
    })
  }

  override push(pushed: unknown): boolean {
    if (!Array.isArray(pushed)) return true
    const cells = pushed as string[]
    for (const cell of cells) if (cell.includes('\r\n')) this.linesCountedTwice += crlfs(cell)
    this.headerCells ??= cells.length
    if (cells.length !== this.headerCells) {
      const inside = cells.reduce((sum, cell) => sum + lineBreaks(cell), 0)
      this.format.onRagged?.(this.line - inside, cells.length)
    }
    this.records.push(cells)
    return true
  }

  /** The line of the file that was reached. */
  get line(): number {
    return this.format.linesAbove + this.info.lines - this.linesCountedTwice
  }

  /** The line on which the field that is being read begins. */
  get fieldLine(): number {
    const { record, field } = this.openRecord
    const text = field.toString('utf8')
    const twice = [...record, text].reduce((sum, cell) => sum + crlfs(cell), 0)
    // The parser counts a line end when it meets what follows.
    return this.line - twice - lineBreaks(text.replace(/(?:\r\n|\n|\r)$/, ''))
  }

  get openRecord(): OpenRecord {
    // Public in the library ("backward compatibility"), left out of its types.
    return (this as unknown as { state: OpenRecord }).state
  }
}

function crlfs(text: string): number {
  return text.split('\r\n').length - 1
}

function lineBreaks(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1
}

/**
 * The records of a CSV, the header first, as many at a time as a chunk of text holds. Lines without any
 * character are skipped. Throws INPUT_QUOTE_UNCLOSED, INPUT_CSV_INVALID, INPUT_RECORD_TOO_LARGE and
 * INPUT_COLUMNS_TOO_MANY, each with the line.
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  format: CsvFormat,
): AsyncGenerator<readonly string[][]> {
  const parser = new RecordCollector(format)
  let failure: Error | null = null
  parser.on('error', (error) => (failure ??= error))
  const throwIfFailed = () => {
    if (failure !== null) throw csvFailure(failure, parser, format.label)
  }
  const settle = async (step: (done: (error?: Error | null) => void) => void) => {
    await new Promise<void>((resolve) => {
      step((error) => {
        failure ??= error ?? null
        resolve()
      })
    })
    const { records } = parser
    parser.records = []
    assertCellCount([...records, parser.openRecord.record], parser, format.label)
    return records
  }
  try {
    for await (const chunk of chunks) {
      const records = await settle((done) => parser.write(chunk, done))
      // What is right before a failure comes first: a reader that wants no more never meets it.
      if (records.length > 0) yield records
      throwIfFailed()
    }
    const records = await settle((done) => parser.end(done))
    if (records.length > 0) yield records
    throwIfFailed()
  } finally {
    parser.destroy()
  }
}

function assertCellCount(
  records: readonly (readonly string[])[],
  parser: RecordCollector,
  label: string,
): void {
  if (!records.some((cells) => cells.length > tableLimits.columnsMax)) return
  throw tooManyColumns(`${label}, at or before line ${parser.line}`)
}

export function tooManyColumns(where: string): UserError {
  return new UserError('INPUT_COLUMNS_TOO_MANY', `more than ${tableLimits.columnsMax} columns in ${where}`, {
    hint: 'is the delimiter right (--delimiter), and is it a table?',
  })
}

function csvFailure(failure: Error, parser: RecordCollector, label: string): Error {
  if (!(failure instanceof CsvError)) return failure
  const line = parser.fieldLine
  const spansLines = lineBreaks(parser.openRecord.field.toString('utf8')) > 0
  if (failure.code === 'CSV_QUOTE_NOT_CLOSED' || (failure.code === 'CSV_MAX_RECORD_SIZE' && spansLines)) {
    return new UserError(
      'INPUT_QUOTE_UNCLOSED',
      `a quote that opens on line ${line} of ${label} is never closed`,
      {
        hint: 'close it, or double it ("") if it is part of the text',
        cause: failure,
      },
    )
  }
  if (failure.code === 'CSV_MAX_RECORD_SIZE') {
    const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
    return new UserError(
      'INPUT_RECORD_TOO_LARGE',
      `a record of more than ${mebibytes} MiB in ${label}, on line ${line}`,
      {
        hint: 'is it a CSV, and are its quotes closed?',
        cause: failure,
      },
    )
  }
  return new UserError(
    'INPUT_CSV_INVALID',
    `${label} is not a valid CSV at line ${line}: ${failure.message}`,
    {
      hint: 'a cell that holds a quote must be quoted, and its quotes doubled',
      cause: failure,
    },
  )
}
