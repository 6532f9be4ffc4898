import { tableLimits } from './limits.js'
import type { ChooseColumns, LocatedRecord, RecordReader } from './records.js'
import { textPieces } from './text-source.js'

export interface CsvDialect {
  readonly delimiter: string
  /** Whether quotes enclose cells; in the tab-separated files of the SEC they are text. */
  readonly quoted: boolean
  /** Whether a record with fewer or more cells than the header is kept as it is. */
  readonly keepsRagged?: boolean
  /** Lines of the file above the first one that is given. */
  readonly linesAbove?: number
}

/**
 * Reads CSV piece by piece. Made for registers of hundreds of columns of which few are wanted: cells not
 * chosen are passed over without being cut out. A record that cannot be read costs its first line, and
 * reading goes on with the next. Stray quotes inside cells are text.
 */
export class CsvScanner {
  readonly #dialect: CsvDialect
  readonly #delimiter: number
  readonly #choose: ChooseColumns
  #text = ''
  #line: number
  #at = 0
  #columnCount = 0
  #hasHeader = false
  /** Of each column, where its cell goes; null where all cells are wanted. */
  #slots: Int32Array | null = null
  #chosenCount = 0

  constructor(dialect: CsvDialect, choose: ChooseColumns) {
    this.#dialect = dialect
    this.#line = 1 + (dialect.linesAbove ?? 0)
    this.#delimiter = dialect.delimiter.charCodeAt(0)
    this.#choose = choose
  }

  /** The records that are complete with this piece of text. */
  push(piece: string): LocatedRecord[] {
    this.#text = this.#at === 0 ? this.#text + piece : this.#text.slice(this.#at) + piece
    this.#at = 0
    return this.#scan(false)
  }

  /** What was left. */
  end(): LocatedRecord[] {
    return this.#scan(true)
  }

  #scan(isEnd: boolean): LocatedRecord[] {
    const records: LocatedRecord[] = []
    while (this.#at < this.#text.length) {
      const start = this.#at
      const found = this.#record(start, isEnd)
      if (found === 'unclosed') {
        records.push(this.#skipLine(start, unclosed))
        continue
      }
      if (found === null) {
        const isTooLong = this.#text.length - start > tableLimits.scannedRecordCharsMax
        if (!isTooLong && !isEnd) break
        records.push(this.#skipLine(start, isEnd ? unclosed : tooLong))
        continue
      }
      if (found.isBlank) this.#pass(start, found.end)
      else if (!this.#hasHeader) {
        this.#readHeader(found.cells)
        this.#pass(start, found.end)
      } else records.push(this.#checked(start, found))
    }
    return records
  }

  #readHeader(cells: readonly string[]): void {
    const chosen = this.#choose(cells)
    this.#hasHeader = true
    this.#columnCount = cells.length
    if (chosen === null) return
    this.#slots = new Int32Array(cells.length).fill(-1)
    for (const [slot, index] of chosen.entries()) this.#slots[index] = slot
    this.#chosenCount = chosen.length
  }

  #checked(start: number, found: Found): LocatedRecord {
    const line = this.#line
    if (found.cellCount === this.#columnCount || this.#dialect.keepsRagged === true) {
      this.#pass(start, found.end)
      return { cells: found.cells, line, reason: null }
    }
    const reason = `it has ${found.cellCount} cells where the header has ${this.#columnCount}`
    if (newlines(this.#text, start, found.end) > 1) {
      return this.#skipLine(start, `${reason}, over several lines`)
    }
    this.#pass(start, found.end)
    return { cells: [], line, reason }
  }

  #pass(start: number, end: number): void {
    this.#line += newlines(this.#text, start, end)
    this.#at = end
  }

  #skipLine(start: number, reason: string): LocatedRecord {
    const line = this.#line
    const newline = this.#text.indexOf('\n', start)
    this.#pass(start, newline === -1 ? this.#text.length : newline + 1)
    return { cells: [], line, reason }
  }

  /** The record that begins at `start`, or null where it does not end in the text at hand. */
  #record(start: number, isEnd: boolean): Found | 'unclosed' | null {
    const text = this.#text
    const slots = this.#slots
    const cells: string[] = slots === null ? [] : new Array<string>(this.#chosenCount).fill('')
    let cellCount = 0
    let at = start
    for (;;) {
      const isQuoted = this.#dialect.quoted && text.charCodeAt(at) === quote
      const cellEnd = isQuoted ? this.#quotedEnd(at, isEnd) : this.#plainEnd(at)
      if (cellEnd === neverClosed) return 'unclosed'
      if (cellEnd === -1 || (cellEnd >= text.length && !isEnd)) return null
      const slot = slots === null ? cellCount : (slots[cellCount] ?? -1)
      if (slot >= 0 && cellEnd > at) {
        cells[slot] = isQuoted ? unquoted(text.slice(at + 1, cellEnd - 1)) : text.slice(at, cellEnd)
      } else if (slots === null) cells[slot] = ''
      cellCount++
      if (cellCount > tableLimits.scannedColumnsMax) return { cells, cellCount, end: cellEnd, isBlank: false }
      if (text.charCodeAt(cellEnd) === this.#delimiter) {
        at = cellEnd + 1
        continue
      }
      const end = lineEnd(text, cellEnd, isEnd)
      if (end === -1) return null
      return { cells, cellCount, end, isBlank: cellCount === 1 && cellEnd === start }
    }
  }

  #plainEnd(from: number): number {
    const text = this.#text
    let at = from
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === this.#delimiter || code === newline || code === carriageReturn) break
    }
    return at
  }

  /** The index after the quote that closes the cell, or -1. A quote with text behind it closes nothing. */
  #quotedEnd(from: number, isEnd: boolean): number {
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
      // A quote that begins a line begins a record: the one before was never closed.
      if (text.charCodeAt(found - 1) === newline) return neverClosed
      at = found + 1
    }
  }
}

const unclosed = 'a quote is opened in it and never closed'
const tooLong = `it goes on for more than ${tableLimits.scannedRecordCharsMax} characters, as after a quote that is never closed`

interface Found {
  cells: string[]
  cellCount: number
  end: number
  isBlank: boolean
}

const neverClosed = -2
const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d

function unquoted(text: string): string {
  return text.includes('""') ? text.replaceAll('""', '"') : text
}

/** The index after the end of the line that a cell ends at; -1 where half of a CRLF may be missing. */
function lineEnd(text: string, at: number, isEnd: boolean): number {
  if (at >= text.length) return text.length
  if (text.charCodeAt(at) !== carriageReturn) return at + 1
  if (at + 1 >= text.length && !isEnd) return -1
  return text.charCodeAt(at + 1) === newline ? at + 2 : at + 1
}

function newlines(text: string, start: number, end: number): number {
  let count = 0
  let at = text.indexOf('\n', start)
  for (; at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++
  // Old Macs end lines with a carriage return alone.
  return count === 0 && end > start ? 1 : count
}

export interface ScanOptions {
  /** Whether quotes are text in a file of this delimiter; they enclose cells if left out. */
  readonly isUnquoted?: (delimiter: string) => boolean
  /** Whether records with fewer or more cells than the header are kept as they are. */
  readonly keepsRagged?: boolean
}

/** Records as the scanner reads them: a bad one costs itself alone. */
export function scannedRecords({
  isUnquoted,
  keepsRagged = false,
}: ScanOptions = {}): RecordReader<LocatedRecord> {
  return async function* (text, choose) {
    const { delimiter, linesAbove } = text
    const quoted = isUnquoted?.(delimiter) !== true
    const scanner = new CsvScanner({ delimiter, quoted, keepsRagged, linesAbove }, choose)
    for await (const piece of textPieces(text.chunks())) yield scanner.push(piece)
    yield scanner.end()
  }
}
