import { setImmediate } from 'node:timers/promises'
import { CsvError, Parser } from 'csv-parse'
import { UserError } from '../core/errors.js'
import { createTooManyColumnsError, tableLimits } from './limits-and-errors.js'
import type { RecordSource, TableRecord } from './bytes.js'

/**
 * Reads all records, including the header, with csv-parse. Throws the same errors as `readStrictRecords`. Quotes within a cell
 * that is not enclosed in quotes are text: the file is read again, and what was already returned is skipped.
 */
export async function* readParsedRecords(source: RecordSource): AsyncGenerator<readonly TableRecord[]> {
  let passedCount = 0
  let stray: unknown
  try {
    for await (const records of parseRecords(source, new CsvParsing(source, false))) {
      passedCount += records.length
      yield records
    }
    return
  } catch (error) {
    if (!isStrayQuote(error)) throw error
    stray = error
  }
  let isDoubtful = false
  for await (const records of parseRecords(source, new CsvParsing(source, true))) {
    const own = records.slice(passedCount)
    passedCount = Math.max(0, passedCount - records.length)
    const begun = own.flatMap(({ cells }) => cells.filter((cell) => cell.startsWith('"')))
    // The quote of another row may have closed it: rows would be lost in the cell.
    if (begun.some((cell) => /[\r\n]/.test(cell))) throw stray
    isDoubtful ||= begun.length > 0
    if (own.length > 0) yield own
  }
  const [, line = ''] = /at line (\d+)/.exec(String(stray)) ?? []
  source.onStrayQuotes?.(Number(line), isDoubtful)
}

async function* parseRecords(
  source: RecordSource,
  parsing: CsvParsing,
): AsyncGenerator<readonly TableRecord[]> {
  try {
    for await (const chunk of source.chunks()) {
      const records = await parsing.write(chunk)
      // Valid records are returned first, so that a reader that stops early never sees the error.
      if (records.length > 0) yield records
      await parsing.throwIfFailed()
    }
    const records = await parsing.end()
    if (records.length > 0) yield records
    await parsing.throwIfFailed()
    parsing.reportLineEnds()
  } finally {
    parsing.close()
  }
}

const isStrayQuote = (error: unknown): boolean =>
  error instanceof UserError && error.cause instanceof CsvError && error.cause.code in csvDefects

/** A record with more or fewer cells than the first. csv-parse reports it separately from uniform records. */
interface RaggedRecord {
  readonly cells: readonly string[]
  /** Number of uniform records before it. */
  readonly index: number
  /** The parser's line count at the record. */
  readonly lines: number
}

interface Failure {
  readonly error: Error
  readonly index: number
  /** Bytes that were passed to the parser before the failing chunk. */
  readonly bytesBefore: number
}

/** Collects the records of one chunk at a time, so that a stream does not accumulate them. */
class CsvParsing {
  readonly #source: RecordSource
  readonly #parser: Parser
  #uniform: string[][] = []
  #ragged: RaggedRecord[] = []
  #uniformCount = 0
  #writtenBytes = 0
  /** csv-parse counts a CRLF inside quotes as two lines. */
  #linesCountedTwice = 0
  #failure: Failure | null = null
  readonly #ends = new LineEndCounter()
  /** Single carriage returns in quotes, which end no line. */
  #returnsInCells = 0

  constructor(source: RecordSource, hasStrayQuotes: boolean) {
    this.#source = source
    this.#parser = new Parser({
      bom: true,
      relax_quotes: hasStrayQuotes,
      delimiter: source.delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      max_record_size: tableLimits.recordBytesMax,
      // Cells beyond the limit are not split, which bounds records of delimiters only.
      ignore_last_delimiters: tableLimits.columnsMax + 1,
      skip_records_with_error: true,
      on_skip: (error) => {
        if (error !== undefined) this.#note(error)
        return undefined
      },
    })
    this.#parser.on('data', (cells: string[]) => this.#uniform.push(cells))
    this.#parser.on('error', (error) => {
      this.#note(error)
    })
  }

  /** Returns the records completed by this chunk. Throws INPUT_COLUMNS_TOO_MANY. */
  async write(chunk: Buffer): Promise<readonly TableRecord[]> {
    this.#ends.add(chunk)
    await this.#step((done) => this.#parser.write(chunk, done))
    this.#writtenBytes += chunk.length
    return this.#take()
  }

  async end(): Promise<readonly TableRecord[]> {
    await this.#step((done) => this.#parser.end(done))
    return this.#take()
  }

  async throwIfFailed(): Promise<void> {
    if (this.#failure !== null) throw await createCsvError(this.#failure, this.#source)
  }

  /** Call at the end. */
  reportLineEnds(): void {
    const { returnCount, firstReturnLine, hasFeeds } = this.#ends
    const count = returnCount - this.#returnsInCells
    if (count > 0 && hasFeeds)
      this.#source.onMixedLineEnds?.(count, this.#source.linesAbove + firstReturnLine)
  }

  close(): void {
    this.#parser.destroy()
  }

  async #step(step: (done: (error?: Error | null) => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      step(() => {
        resolve()
      })
    })
    // The stream starts to flow a moment after its creation.
    while (this.#parser.readableLength > 0 && !this.#parser.destroyed) await setImmediate()
  }

  #note(error: Error): void {
    if (this.#failure !== null) return
    const index = this.#parser.info.records
    if (error instanceof CsvError && error.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH')
      this.#ragged.push({ cells: error['record'] as string[], index, lines: Number(error['lines']) })
    else this.#failure = { error, index, bytesBefore: this.#writtenBytes }
  }

  /** Returns new records in order, without those after a failure. */
  #take(): readonly TableRecord[] {
    const records: TableRecord[] = []
    const takeRagged = () => {
      for (; this.#ragged[0]?.index === this.#uniformCount; this.#ragged.shift())
        records.push(this.#locateRecord(this.#ragged[0]))
    }
    for (const cells of this.#uniform) {
      takeRagged()
      if (this.#failure?.index === this.#uniformCount) break
      this.#countLines(cells)
      this.#uniformCount++
      records.push({ cells, line: null, reason: null })
    }
    takeRagged()
    this.#uniform = []
    this.#assertCellCount(records)
    return records
  }

  #locateRecord({ cells, lines }: RaggedRecord): TableRecord {
    this.#countLines(cells)
    const inside = cells.reduce((sum, cell) => sum + countLineBreaks(cell), 0)
    return { cells, line: this.#toLine(lines) - inside, reason: null }
  }

  #countLines(cells: readonly string[]): void {
    for (const cell of cells) {
      if (!cell.includes('\r')) continue
      const pairCount = cell.split('\r\n').length - 1
      this.#linesCountedTwice += pairCount
      this.#returnsInCells += cell.split('\r').length - 1 - pairCount
    }
  }

  #toLine(lines: number): number {
    return this.#source.linesAbove + lines - this.#linesCountedTwice
  }

  #assertCellCount(records: readonly TableRecord[]): void {
    const { error } = this.#failure ?? {}
    const isCut = error instanceof CsvError && Number(error['column']) >= tableLimits.columnsMax
    if (!isCut && !records.some(({ cells }) => cells.length > tableLimits.columnsMax)) return
    const line = this.#toLine(this.#parser.info.lines)
    throw createTooManyColumnsError(`${this.#source.label}, at or before line ${line}`)
  }
}

/** Counts the carriage returns that no line feed follows. */
class LineEndCounter {
  returnCount = 0
  /** Counted from 1, from the header on. */
  firstReturnLine = 0
  #feedCount = 0
  #isAfterReturn = false

  get hasFeeds(): boolean {
    return this.#feedCount > 0
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return
    if (this.#isAfterReturn && chunk[0] !== lineFeed) this.#addReturn(chunk, 0)
    for (let at = chunk.indexOf(carriageReturn); at !== -1; at = chunk.indexOf(carriageReturn, at + 1))
      if (at < chunk.length - 1 && chunk[at + 1] !== lineFeed) this.#addReturn(chunk, at)
    this.#isAfterReturn = chunk.at(-1) === carriageReturn
    this.#feedCount += countFeeds(chunk)
  }

  #addReturn(chunk: Buffer, at: number): void {
    if (this.returnCount++ === 0)
      this.firstReturnLine = 1 + this.#feedCount + countFeeds(chunk.subarray(0, at))
  }
}

function countFeeds(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}

function countLineBreaks(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1
}

/** Texts for the codes of csv-parse. */
const csvDefects: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote is followed by other text',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'a closing quote is followed by other text',
  INVALID_OPENING_QUOTE: 'a quote opens in the middle of a cell',
}

async function createCsvError({ error, bytesBefore }: Failure, source: RecordSource): Promise<Error> {
  if (!(error instanceof CsvError)) return error
  const { label } = source
  const { line, spansLines } = await openField(source, error, bytesBefore)
  const createError = (code: UserError['code'], message: string, hint: string) =>
    new UserError(code, message, { hint, cause: error })
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || (error.code === 'CSV_MAX_RECORD_SIZE' && spansLines)) {
    return createError(
      'INPUT_QUOTE_UNCLOSED',
      `a quote that opens on line ${line} of ${label} is never closed`,
      'close it, or double it ("") if it is part of the text',
    )
  }
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
    return createError(
      'INPUT_RECORD_TOO_LARGE',
      `a record of more than ${mebibytes} MiB in ${label}, on line ${line}`,
      'check that it is CSV and that its quotes are closed',
    )
  }
  return createError(
    'INPUT_CSV_INVALID',
    `${label} is not a valid CSV at line ${line}: ${csvDefects[error.code] ?? 'its quotes or delimiters cannot be read'}`,
    'quote cells that contain quotes, and double these quotes',
  )
}

const lineFeed = 10
const carriageReturn = 13

/**
 * Finds the line of the cell in which csv-parse failed by reading the text again: the error gives the byte where the
 * last complete cell ended. `spansLines`: whether the cell has a line end before `bytesMax`.
 */
async function openField(
  source: RecordSource,
  error: CsvError,
  bytesMax: number,
): Promise<{ line: number; spansLines: boolean }> {
  const cellsEnd = Number(error['bytes'])
  const isFirstCell = Number(error['column']) === 0
  let line = source.linesAbove + 1
  let hasBegun = false
  let lastByte = 0
  let position = 0
  for await (const chunk of source.chunks()) {
    for (const byte of chunk) {
      const isBreak = byte === carriageReturn || byte === lineFeed
      // Blank lines before a record do not belong to it.
      hasBegun ||= position >= cellsEnd && !(isFirstCell && isBreak)
      if (hasBegun && (isBreak || position >= bytesMax)) return { line, spansLines: position < bytesMax }
      if (byte === carriageReturn || (byte === lineFeed && lastByte !== carriageReturn)) line++
      lastByte = byte
      position++
    }
  }
  return { line, spansLines: false }
}
