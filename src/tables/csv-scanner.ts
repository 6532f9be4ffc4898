import { tableLimits } from './limits-and-errors.js'
import {
  type ChooseColumns,
  type LocatedRecord,
  type RecordSource,
  type TableRecord,
  pickCells,
  readTextPieces,
} from './bytes.js'

export interface CsvDialect {
  readonly delimiter: string
  /** Whether quotes enclose cells. In tab-separated files of the SEC they are text. */
  readonly quoted: boolean
  /** Whether records with more or fewer cells than the header are kept. */
  readonly keepsRagged?: boolean
  /** Number of lines of the file above the first given one. */
  readonly linesAbove?: number
  /**
   * Whether scanning stops at the first record that is not plain, because csv-parse would read it differently or reject
   * it. Plain records have as many cells as the header, lines that end with LF or CRLF, and quotes only around whole
   * cells.
   */
  readonly isStrict?: boolean
}

/**
 * Reads CSV in pieces. Built for registers with hundreds of columns of which few are needed: other cells are skipped
 * without slicing. If a record cannot be read, its first line is skipped and scanning continues with the next line,
 * unless the dialect is strict. Stray quotes inside cells are text, and so are those of `"Larkmoor" d.o.o.;…`.
 */
export class CsvScanner {
  readonly #dialect: CsvDialect
  readonly #delimiter: number
  readonly #isStrict: boolean
  readonly #recordCharsMax: number
  readonly #choose: ChooseColumns
  readonly #quotes = new CharFinder('"')
  readonly #returns = new CharFinder('\r')
  readonly #newlines = new CharFinder('\n')
  #text = ''
  #line: number
  #at = 0
  #columnCount = 0
  /** Index of each column's cell in the result, or -1; `null` to return all cells. */
  #slots: Int32Array | null = null
  #chosenCount = 0
  /** Index of the last quote in a cell of the record that text follows, or -1. */
  #quoteInText = -1
  /** Number of records read, including the header and skipped ones. */
  recordCount = 0
  /** Whether a strict scanner met a record that is not plain. It is not returned, nor are later ones. */
  hasStopped: boolean

  constructor(dialect: CsvDialect, choose: ChooseColumns) {
    this.#dialect = dialect
    this.#isStrict = dialect.isStrict === true
    // A UTF-16 unit takes at most three bytes in UTF-8.
    this.#recordCharsMax = this.#isStrict ? tableLimits.recordBytesMax / 3 : tableLimits.scannedRecordCharsMax
    this.#line = 1 + (dialect.linesAbove ?? 0)
    this.#delimiter = dialect.delimiter.charCodeAt(0)
    this.#choose = choose
    this.hasStopped = this.#isStrict && dialect.delimiter.length !== 1
  }

  /** Returns the records that are complete after this piece. A piece ends with a whole character. */
  push(piece: string): LocatedRecord[] {
    this.#text = this.#at === 0 ? this.#text + piece : this.#text.slice(this.#at) + piece
    this.#at = 0
    return this.#scan(false)
  }

  /** Returns the remaining records. */
  end(): LocatedRecord[] {
    return this.#scan(true)
  }

  /** The text after the last complete record. */
  get rest(): string {
    return this.#text.slice(this.#at)
  }

  #scan(isEnd: boolean): LocatedRecord[] {
    // An incomplete record is scanned again from its start.
    for (const next of [this.#quotes, this.#returns, this.#newlines]) next.reset()
    const records: LocatedRecord[] = []
    while (this.#at < this.#text.length && !this.hasStopped) {
      const start = this.#at
      const found = this.#findRecord(start, isEnd)
      if (found === null && !isEnd && this.#text.length - start <= this.#recordCharsMax) break
      if (this.#isStrict && !this.#isPlain(start, found)) this.hasStopped = true
      else if (found === null) records.push(this.#skipLine(start, isEnd ? unclosed : tooLong))
      else if (found === 'unclosed') records.push(this.#skipLine(start, unclosed))
      else if (found.isBlank) this.#pass(found)
      else if (this.recordCount++ > 0) records.push(this.#checkRecord(start, found))
      else {
        this.#readHeader(found.cells)
        this.#pass(found)
      }
    }
    return records
  }

  #isPlain(start: number, found: Found | 'unclosed' | null): boolean {
    if (found === null || found === 'unclosed') return false
    const { cellCount, end, isBlank } = found
    const isFirst = this.recordCount === 0
    if (isFirst && this.#text.charCodeAt(start) === byteOrderMark) return false
    const isAsWide = isBlank || isFirst || cellCount === this.#columnCount
    return isAsWide && cellCount <= tableLimits.columnsMax && end - start <= this.#recordCharsMax
  }

  #readHeader(cells: readonly string[]): void {
    const chosen = this.#choose(cells)
    this.#columnCount = cells.length
    if (chosen === null) return
    this.#slots = new Int32Array(cells.length).fill(-1)
    for (const [slot, index] of chosen.entries()) this.#slots[index] = slot
    this.#chosenCount = chosen.length
  }

  #checkRecord(start: number, found: Found): LocatedRecord {
    const line = this.#line
    if (found.cellCount === this.#columnCount || this.#dialect.keepsRagged === true) {
      this.#pass(found)
      return { cells: found.cells, line, reason: null }
    }
    const reason = `it has ${found.cellCount} cells where the header has ${this.#columnCount}`
    if (found.lineCount > 1) return this.#skipLine(start, `${reason}, over several lines`)
    this.#pass(found)
    return { cells: [], line, reason }
  }

  #pass({ end, lineCount }: Pick<Found, 'end' | 'lineCount'>): void {
    this.#line += lineCount
    this.#at = end
  }

  #skipLine(start: number, reason: string): LocatedRecord {
    const line = this.#line
    const newline = this.#text.indexOf('\n', start)
    const end = newline === -1 ? this.#text.length : newline + 1
    this.#pass({ end, lineCount: countLines(this.#text, start, end) })
    return { cells: [], line, reason }
  }

  /** Returns the record at `start`, or `null` if it does not end in the available text. `"Larkmoor" d.o.o.` is a whole cell if its line is a record then. */
  #findRecord(start: number, isEnd: boolean): Found | 'unclosed' | null {
    this.#quoteInText = -1
    const isRow = (one: Found | 'unclosed' | null): one is Found =>
      one !== null && one !== 'unclosed' && one.lineCount === 1 && one.cellCount === this.#columnCount
    const found = this.#record(start, isEnd, false)
    const line = this.#quoteInText >= 0 && !isRow(found) ? this.#record(start, isEnd, true) : null
    return isRow(line) ? line : found
  }

  /** `isLine`: quotes with text behind them are text. */
  #record(start: number, isEnd: boolean, isLine: boolean): Found | 'unclosed' | null {
    const text = this.#text
    const slots = this.#slots
    const plain = slots === null ? this.#readPlainLine(start) : null
    if (plain !== null) return plain
    const isStrict = this.#isStrict
    if (isStrict && !isEnd && this.#newlines.findFrom(text, start) === text.length) return null
    const cells: string[] = slots === null ? [] : new Array<string>(this.#chosenCount).fill('')
    let cellCount = 0
    let at = start
    for (;;) {
      const begins = this.#dialect.quoted && text.charCodeAt(at) === quote
      const quotedEnd = begins ? this.#findQuotedEnd(at, isEnd, isLine) : isText
      const isQuoted = quotedEnd !== isText
      const cellEnd = isQuoted ? quotedEnd : this.#findPlainEnd(at)
      if (cellEnd === neverClosed) return 'unclosed'
      if (cellEnd === -1 || (cellEnd >= text.length && !isEnd)) return null
      if (isStrict && !isQuoted && this.#quotes.findFrom(text, at) < cellEnd) return 'unclosed'
      const slot = slots === null ? cellCount : (slots[cellCount] ?? -1)
      if (slot >= 0 && cellEnd > at) {
        cells[slot] = isQuoted ? unquoteCell(text.slice(at + 1, cellEnd - 1)) : text.slice(at, cellEnd)
      } else if (slots === null) cells[slot] = ''
      cellCount++
      if (!isStrict && cellCount > tableLimits.scannedColumnsMax)
        return { cells, cellCount, end: cellEnd, lineCount: 1, isBlank: false }
      if (text.charCodeAt(cellEnd) === this.#delimiter) {
        at = cellEnd + 1
        continue
      }
      const end = findLineEnd(text, cellEnd, isEnd)
      if (end === -1) return null
      if (isStrict && end < text.length && text.charCodeAt(end - 1) === carriageReturn) return 'unclosed'
      const lineCount = this.#newlines.findFrom(text, start) === end - 1 ? 1 : countLines(text, start, end)
      return { cells, cellCount, end, lineCount, isBlank: cellCount === 1 && cellEnd === start }
    }
  }

  /** Returns a line that only needs to be split at delimiters; `null` for other records. */
  #readPlainLine(start: number): Found | null {
    const text = this.#text
    const newline = this.#newlines.findFrom(text, start)
    if (newline === text.length || (this.#dialect.quoted && this.#quotes.findFrom(text, start) < newline))
      return null
    const end = newline > start && text.charCodeAt(newline - 1) === carriageReturn ? newline - 1 : newline
    if (this.#returns.findFrom(text, start) < end) return null
    const cells = end === start ? [] : text.slice(start, end).split(this.#dialect.delimiter)
    const cellCount = cells.length
    if (!this.#isStrict && cellCount > tableLimits.scannedColumnsMax) return null
    return { cells, cellCount, end: newline + 1, lineCount: 1, isBlank: end === start }
  }

  #findPlainEnd(from: number): number {
    const text = this.#text
    let at = from
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === this.#delimiter || code === newline || code === carriageReturn) break
    }
    return at
  }

  /** Returns the index after the quote that closes the cell, or -1. A quote followed by text does not close it. */
  #findQuotedEnd(from: number, isEnd: boolean, isLine: boolean): number {
    const text = this.#text
    let at = from + 1
    for (;;) {
      const found = text.indexOf('"', at)
      if (found === -1) return -1
      const next = text.charCodeAt(found + 1)
      if (next === quote) {
        at = found + 2
        continue
      }
      if (Number.isNaN(next)) return isEnd ? found + 1 : -1
      if (next === this.#delimiter || next === newline || next === carriageReturn) return found + 1
      // A quote at the start of a line begins a record, so the previous one was never closed.
      if (this.#isStrict || text.charCodeAt(found - 1) === newline) return neverClosed
      if (isLine) return isText
      this.#quoteInText = found
      at = found + 1
    }
  }
}

const unclosed = 'a quote in it is never closed'
const tooLong = `it is longer than ${tableLimits.scannedRecordCharsMax} characters, probably because a quote is never closed`

interface Found {
  cells: string[]
  cellCount: number
  end: number
  lineCount: number
  isBlank: boolean
}

/** Finds the next occurrence of a character from ascending positions, and searches for each occurrence once. */
class CharFinder {
  #place = -1

  constructor(private readonly char: string) {}

  /** Call for another text, or to go back. */
  reset(): void {
    this.#place = -1
  }

  /** Returns the text's length if the character does not occur. */
  findFrom(text: string, start: number): number {
    if (this.#place >= start) return this.#place
    const found = text.indexOf(this.char, start)
    return (this.#place = found === -1 ? text.length : found)
  }
}

const neverClosed = -2
const isText = -3
const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = 0xfeff

const unquoteCell = (text: string): string => (text.includes('""') ? text.replaceAll('""', '"') : text)

/** Returns the index after the line end at `at`, or -1 if half of a CRLF may be missing. */
function findLineEnd(text: string, at: number, isEnd: boolean): number {
  if (at >= text.length) return text.length
  if (text.charCodeAt(at) !== carriageReturn) return at + 1
  if (at + 1 >= text.length && !isEnd) return -1
  return text.charCodeAt(at + 1) === newline ? at + 2 : at + 1
}

function countLines(text: string, start: number, end: number): number {
  let count = 0
  let at = text.indexOf('\n', start)
  for (; at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++
  // Old Macs end lines with CR only.
  return count === 0 && end > start ? 1 : count
}

export interface ScanOptions {
  /** Whether quotes are text in files with this delimiter; by default they enclose cells. */
  readonly isUnquoted?: (delimiter: string) => boolean
  /** Whether records with more or fewer cells than the header are kept. */
  readonly keepsRagged?: boolean
}

/** Reads the records below the header in batches, without blank lines. A bad record does not affect others. */
export function scanRecords(
  source: RecordSource,
  choose: ChooseColumns,
  { isUnquoted, keepsRagged = false }: ScanOptions = {},
): AsyncGenerator<readonly LocatedRecord[]> {
  const { delimiter, linesAbove } = source
  const quoted = isUnquoted?.(delimiter) !== true
  return scan(source, new CsvScanner({ delimiter, quoted, keepsRagged, linesAbove }, choose))
}

async function* scan(source: RecordSource, scanner: CsvScanner): AsyncGenerator<readonly LocatedRecord[]> {
  for await (const piece of readTextPieces(source.chunks())) {
    yield scanner.push(piece)
    if (scanner.hasStopped) return
  }
  yield scanner.end()
}

/**
 * Reads records like csv-parse: stops at the first defect, after the records before it, and keeps records with more or
 * fewer cells than the header. Scans a file while it is plain; then csv-parse reads it from the start, and records
 * already returned are skipped. Throws INPUT_QUOTE_UNCLOSED, INPUT_CSV_INVALID, INPUT_RECORD_TOO_LARGE and
 * INPUT_COLUMNS_TOO_MANY, each with the line.
 */
export async function* readStrictRecords(
  source: RecordSource,
  choose: ChooseColumns,
): AsyncGenerator<readonly TableRecord[]> {
  const { delimiter, linesAbove } = source
  let chosen: readonly number[] | null = null
  const chooseOnce = (header: readonly string[]) => (chosen = choose(header))
  const scanner = new CsvScanner({ delimiter, quoted: true, linesAbove, isStrict: true }, chooseOnce)
  for await (const records of scan(source, scanner)) if (scanner.recordCount > 0) yield records
  if (!scanner.hasStopped) return
  const { readParsedRecords } = await import('./parsed-records.js')
  let passedCount = 0
  for await (const records of readParsedRecords(source)) {
    let given = records.slice(Math.max(0, scanner.recordCount - passedCount))
    if (scanner.recordCount === 0 && passedCount === 0) {
      chooseOnce(records[0]?.cells ?? [])
      given = given.slice(1)
    }
    passedCount += records.length
    yield pickCells(given, chosen)
  }
}
