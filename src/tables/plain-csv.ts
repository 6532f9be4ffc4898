import { tableLimits } from './limits.js'

const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Cuts CSV into records as csv-parse does, at a fraction of its cost, and leaves to it all that is not plain: whatever it would
 * refuse, report or read in a way of its own is `unplain` from that record on. Plain are records of as many cells as the
 * first, on lines that end with LF or CRLF, quotes closed where a cell ends.
 */
export class PlainCsv {
  readonly #delimiter: string
  #text = ''
  #at = 0
  #hasBegun = false
  #cellCount = 0
  /** The next of their kind at or behind where it was looked for last; the text's length where there is none. */
  #nextQuote = 0
  #nextReturn = 0
  /** Whether a record was met that is not plain: it and what follows are not given. */
  isUnplain: boolean

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    this.isUnplain = delimiter.length !== 1
  }

  /** The records that are complete with this piece of text, which ends with a whole character. */
  push(piece: string): string[][] {
    this.#text = this.#text.slice(this.#at) + piece
    this.#at = this.#nextQuote = this.#nextReturn = 0
    if (!this.#hasBegun && this.#text.charCodeAt(0) === 0xfeff) this.#at = 1
    this.#hasBegun ||= this.#text.length > 0
    return this.#records()
  }

  /** The last record, whose line may lack its end. */
  end(): string[][] {
    const records = this.#at < this.#text.length ? this.push('\n') : []
    // A quote was never closed.
    if (this.#at < this.#text.length) this.isUnplain = true
    return records
  }

  #records(): string[][] {
    const records: string[][] = []
    while (!this.isUnplain) {
      const lineEnd = this.#text.indexOf('\n', this.#at)
      if (lineEnd === -1) break
      const cells = this.#quoteFrom(this.#at) > lineEnd ? this.#line(lineEnd) : this.#quoted()
      if (cells === null) break
      if (cells.length === 0) continue
      if (this.#cellCount === 0) this.#cellCount = cells.length
      if (cells.length !== this.#cellCount || cells.length > tableLimits.columnsMax) this.isUnplain = true
      else records.push(cells)
    }
    // A UTF-16 unit is at most three bytes of UTF-8.
    if (3 * (this.#text.length - this.#at) > tableLimits.recordBytesMax) this.isUnplain = true
    return records
  }

  /** The cells of a line without a quote, none of an empty one; null where it is not plain. */
  #line(lineEnd: number): string[] | null {
    const start = this.#at
    const end =
      this.#text.charCodeAt(lineEnd - 1) === carriageReturn && lineEnd > start ? lineEnd - 1 : lineEnd
    if (this.#returnFrom(start) < end || 3 * (end - start) > tableLimits.recordBytesMax) return this.#refuse()
    this.#at = lineEnd + 1
    return end === start ? [] : this.#text.slice(start, end).split(this.#delimiter)
  }

  /** The cells of a record with quotes in it; null where it is not complete, or not plain. */
  #quoted(): string[] | null {
    const text = this.#text
    const cells: string[] = []
    let at = this.#at
    for (;;) {
      const isQuoted = text.charCodeAt(at) === quote
      const end = isQuoted ? this.#quotedEnd(at) : this.#cellEnd(at)
      if (end === -1 || end >= text.length) return null
      cells.push(isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end))
      const behind = text.charCodeAt(end)
      if (behind === this.#delimiter.charCodeAt(0)) {
        at = end + 1
        continue
      }
      const isReturn = behind === carriageReturn
      // Half of a CRLF may be missing.
      if (isReturn && end + 1 >= text.length) return null
      if (text.charCodeAt(isReturn ? end + 1 : end) !== newline) return this.#refuse()
      if (3 * (end - this.#at) > tableLimits.recordBytesMax) return this.#refuse()
      this.#at = end + (isReturn ? 2 : 1)
      return cells
    }
  }

  /** Behind the quote that closes the cell; -1 where the text ends before. */
  #quotedEnd(from: number): number {
    let at = from + 1
    for (;;) {
      const found = this.#text.indexOf('"', at)
      if (found === -1) return -1
      if (this.#text.charCodeAt(found + 1) !== quote) return found + 1
      at = found + 2
    }
  }

  /** -1 where a quote stands inside. */
  #cellEnd(from: number): number {
    const text = this.#text
    const delimiter = this.#delimiter.charCodeAt(0)
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === delimiter || code === newline || code === carriageReturn) return at
      if (code === quote) {
        this.isUnplain = true
        return -1
      }
    }
    return text.length
  }

  #refuse(): null {
    this.isUnplain = true
    return null
  }

  #quoteFrom(at: number): number {
    if (this.#nextQuote >= at && this.#nextQuote > 0) return this.#nextQuote
    const found = this.#text.indexOf('"', at)
    return (this.#nextQuote = found === -1 ? this.#text.length : found)
  }

  #returnFrom(at: number): number {
    if (this.#nextReturn >= at && this.#nextReturn > 0) return this.#nextReturn
    const found = this.#text.indexOf('\r', at)
    return (this.#nextReturn = found === -1 ? this.#text.length : found)
  }
}
