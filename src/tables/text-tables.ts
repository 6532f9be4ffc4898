import { plural } from '../core/text.js'
import { detectPacking, openFileBytes, type ByteSource } from './bytes.js'
import { readStrictRecords, scanRecords, type ScanOptions } from './csv-scanner.js'
import { detectEncoding } from './encodings/detect.js'
import type { Encoding } from '../core/file-formats.js'
import { decodeText } from './encodings/recode.js'
import { createEmptyFileError, tableLimits } from './limits-and-errors.js'
import { detectLayout, hasRightQuotes, noDelimiter, type Layout } from './layout.js'
import {
  readTextPieces,
  type ChooseColumns,
  type LocatedRecord,
  type RecordSource,
  type TableRecord,
} from './bytes.js'

export { detectPacking, openFileBytes, type ByteSource } from './bytes.js'
export { CsvScanner } from './csv-scanner.js'
export type { LocatedRecord } from './bytes.js'

/**
 * Opens the only data file of a path: the file itself, plain, `.gz` or `.zst`, or the zip member that matches `wanted`
 * (`null`: any data file). Compression is detected by content. Throws INPUT_NOT_FOUND, INPUT_IS_FOLDER,
 * INPUT_UNREADABLE, INPUT_COMPRESSION_CORRUPT, and REGISTRY_IMPORT_INVALID for a zip with no such file or several.
 *
 *     const table = await openDelimited(await openOneFile('companies.csv.gz', null), {})
 *     for await (const records of table.scan((header) => [header.indexOf('name')]))
 *       for (const { cells } of records) console.log(cells[0])
 */
export async function openOneFile(path: string, wanted: RegExp | null): Promise<ByteSource> {
  if ((await detectPacking(path, path)) !== 'zip') return openFileBytes(path, path)
  const { openOnlyMember } = await import('./zip-reader.js')
  return openOnlyMember(path, wanted ?? dataFile)
}

const dataFile = /\.(?:csv|tsv|txt|json)$/i

/** Yields the zip members that match `wanted`, or the file itself. Read each before the next one. */
export async function* openFiles(path: string, wanted: RegExp): AsyncGenerator<ByteSource> {
  if ((await detectPacking(path, path)) !== 'zip') {
    yield openFileBytes(path, path)
    return
  }
  const { readZipMembers } = await import('./zip-reader.js')
  for await (const member of readZipMembers(path)) {
    if (wanted.test(member.name)) yield { label: `${path}:${member.name}`, bytes: () => member.read() }
  }
}

/** A text file with a known encoding. */
export interface TextSource {
  readonly label: string
  readonly encoding: Encoding
  /** Notice about an encoding other than UTF-8, or `null`. */
  readonly notice: string | null
  /** Reads the text in pieces, each of whole characters, from the start at each call. */
  pieces(): AsyncGenerator<string>
  /**
   * Reads the non-blank lines of NDJSON, trimmed, in batches. Throws INPUT_RECORD_TOO_LARGE and, with `check`,
   * INPUT_JSON_INVALID with the line.
   */
  objectLines(check: boolean): AsyncGenerator<readonly string[]>
  /** Reads the objects of one JSON array, each as one line, in batches. Throws like `objectLines`, and for other JSON. */
  arrayObjects(check: boolean): AsyncGenerator<readonly string[]>
}

/**
 * Opens a text file. Reads all of it to detect the encoding, unless it is given. Throws INPUT_EMPTY,
 * INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE and the errors of reading bytes.
 */
export async function openText(file: ByteSource, given: Encoding | undefined): Promise<TextSource> {
  const { encoding, notice, ...text } = await decodeFile(file, given)
  return {
    label: file.label,
    encoding,
    notice,
    pieces: () => readTextPieces(text.chunks()),
    async *objectLines(check) {
      yield* (await import('./json-records.js')).readLines(text, check)
    },
    async *arrayObjects(check) {
      yield* (await import('./json-records.js')).readArray(text, check)
    },
  }
}

interface DecodedText {
  readonly label: string
  readonly encoding: Encoding
  readonly notice: string | null
  chunks(): AsyncGenerator<Buffer>
}

async function decodeFile(file: ByteSource, given: Encoding | undefined): Promise<DecodedText> {
  const { label } = file
  const detected = await detectEncoding(file, given)
  if (detected === null) throw createEmptyFileError(label)
  const { encoding, notice } = detected
  return { label, encoding, notice, chunks: () => decodeText(file.bytes(), detected, label) }
}

export interface DelimitedOptions {
  readonly encoding?: Encoding | undefined
  /** Detected by default. */
  readonly delimiter?: string | undefined
  /** If false, the first line is a row, and the columns are named `column_1`, `column_2` and so on. */
  readonly hasHeader?: boolean | undefined
}

/** A delimited file with detected encoding, delimiter and header. */
export interface DelimitedFile {
  readonly label: string
  /** `null` for a file with one column. */
  readonly delimiter: string | null
  /** Number of the line of the header, counted from 1; `null` for a file without a header. */
  readonly headerLine: number | null
  /** Notices for the user before the rows are read: a detected encoding, and the doubts. */
  readonly notices: readonly string[]
  /** Why the reading of the file is doubtful: an uncertain delimiter, lines left out, and once read, mixed line ends. */
  readonly doubts: readonly string[]
  /** Returns the cells of the header. Throws INPUT_EMPTY without one, and the errors of `records`. */
  readHeader(): Promise<readonly string[]>
  /**
   * Reads the records below the header in batches, without blank lines, from the start at each call. Stops at the first
   * defect, after the records before it. Throws errors of `choose`, INPUT_QUOTE_UNCLOSED, INPUT_CSV_INVALID,
   * INPUT_RECORD_TOO_LARGE and INPUT_COLUMNS_TOO_MANY, each with the line.
   */
  records(choose?: ChooseColumns): AsyncGenerator<readonly TableRecord[]>
  /** The same, but continues after a defect: the record has the reason. */
  scan(choose: ChooseColumns, options?: ScanOptions): AsyncGenerator<readonly LocatedRecord[]>
}

/** Throws INPUT_EMPTY, INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE and the errors of reading bytes. */
export async function openDelimited(
  file: ByteSource,
  { encoding, delimiter, hasHeader }: DelimitedOptions,
): Promise<DelimitedFile> {
  const text = await decodeFile(file, encoding)
  const isNamedTsv = /\.tsv(\.gz|\.zst)?$/i.test(file.label)
  const start = await readStart(text)
  const layout = detectLayout(start, { delimiter, isNamedTsv, hasHeader: hasHeader ?? true })
  if (layout.names?.length === 0) throw createEmptyFileError(file.label)
  return createDelimitedFile(text, layout, hasBackslashQuotes(start, layout))
}

/** Returns whether the quotes in cells have a backslash in front: the start of the file can only be read so. */
function hasBackslashQuotes(start: string, layout: Layout): boolean {
  const isCut = start.length >= tableLimits.delimiterSampleChars
  const text = isCut ? start.slice(0, start.lastIndexOf('\n') + 1) : start
  if (!text.includes('\\"') || hasRightQuotes(text, layout)) return false
  const doubler = new QuoteDoubler(layout.delimiter)
  return hasRightQuotes(doubler.push(Buffer.from(text)).toString('utf8'), layout)
}

/**
 * Doubles the quotes in cells that have a backslash in front, as Spark and MySQL write them: `"a \"b\""` is `"a ""b"""`.
 * Lines and lengths stay the same, and other backslashes are text.
 */
class QuoteDoubler {
  readonly #delimiter: number
  #place: 'start' | 'bare' | 'quoted' | 'closed' = 'start'
  /** A backslash at the end of the last chunk. */
  #held: Buffer = Buffer.alloc(0)

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  get held(): Buffer {
    return this.#held
  }

  push(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#held, chunk])
    this.#held = Buffer.alloc(0)
    for (let at = 0; at < bytes.length; at++) {
      if (this.#place === 'quoted' && bytes[at] === backslash) {
        if (at + 1 === bytes.length) {
          this.#held = bytes.subarray(at)
          return bytes.subarray(0, at)
        }
        if (bytes[at + 1] === quote) bytes[at] = quote
        if (bytes[at + 1] === quote || bytes[at + 1] === backslash) at++
      } else this.#place = this.#pass(bytes[at])
    }
    return bytes
  }

  #pass(byte: number | undefined): 'start' | 'bare' | 'quoted' | 'closed' {
    if (this.#place === 'quoted') return byte === quote ? 'closed' : 'quoted'
    // Behind a closing quote, it is the second of a doubled quote.
    if (byte === quote && this.#place !== 'bare') return 'quoted'
    return byte === this.#delimiter || byte === 10 || byte === 13 ? 'start' : 'bare'
  }
}

const quote = 0x22
const backslash = 0x5c

async function* doubleQuotes(chunks: AsyncGenerator<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
  const doubler = new QuoteDoubler(delimiter)
  for await (const chunk of chunks) yield doubler.push(chunk)
  if (doubler.held.length > 0) yield doubler.held
}

async function readStart(text: DecodedText): Promise<string> {
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of text.chunks()) {
    parts.push(chunk.toString('utf8'))
    bytes += chunk.length
    if (bytes >= tableLimits.delimiterSampleChars) break
  }
  return parts.join('')
}

function createDelimitedFile(text: DecodedText, layout: Layout, hasBackslashes: boolean): DelimitedFile {
  const { label } = text
  const { delimiter, linesAbove, names } = layout
  // A file without a header gets one, for readers that expect it.
  const header = names === null ? '' : `${names.join(delimiter)}\n`
  const chunks = async function* () {
    if (header !== '') yield Buffer.from(header)
    const lines = skipLines(text.chunks(), linesAbove)
    yield* hasBackslashes ? doubleQuotes(lines, delimiter) : lines
  }
  const doubts = [...describeTitles(layout), ...layout.doubts].map((doubt) => `${label}: ${doubt}`)
  let mixed: string[] = []
  const onMixedLineEnds = (returnCount: number, firstLine: number) => {
    // With several columns, a row that is cut has fewer cells.
    if (delimiter !== noDelimiter) return
    const lines = plural(returnCount, 'line ends', 'lines end')
    const text = `${lines} with a single carriage return, and others with a line feed: a row begins after each`
    mixed = [`${label}: ${text} (the first is line ${firstLine})`]
  }
  let stray: { readonly text: string; readonly isDoubtful: boolean } | null = null
  const onStrayQuotes = (firstLine: number, isDoubtful: boolean) => {
    const text = `${label}: some cells have quotes inside, which stay part of the text (the first is line ${firstLine})`
    stray = { text, isDoubtful }
  }
  const source = {
    label,
    delimiter,
    onMixedLineEnds,
    onStrayQuotes,
    linesAbove: names === null ? linesAbove : linesAbove - 1,
    chunks,
  }
  return {
    label,
    delimiter: delimiter === noDelimiter ? null : delimiter,
    headerLine: names === null ? linesAbove + 1 : null,
    get notices() {
      return [
        ...(text.notice === null ? [] : [text.notice]),
        ...(hasBackslashes
          ? [
              `${label}: a backslash in front of a quote in a cell is left out, as in files of Spark and MySQL`,
            ]
          : []),
        ...doubts,
        ...mixed,
        ...(stray === null ? [] : [stray.text]),
      ]
    },
    get doubts() {
      return [...doubts, ...mixed, ...(stray?.isDoubtful === true ? [stray.text] : [])]
    },
    readHeader: () => readHeader(source),
    records: (choose = () => null) => readStrictRecords(source, choose),
    scan: (choose, options) => scanRecords(source, choose, options),
  }
}

async function readHeader(source: RecordSource): Promise<readonly string[]> {
  const headers: (readonly string[])[] = []
  const choose = (cells: readonly string[]) => {
    headers.push(cells)
    return null
  }
  const records = readStrictRecords(source, choose)
  try {
    await records.next()
  } finally {
    await records.return(undefined)
  }
  const [header] = headers
  if (header === undefined) throw createEmptyFileError(source.label)
  return header
}

function describeTitles({ titleLines, linesAbove }: Layout): string[] {
  if (titleLines === 0) return []
  const were = titleLines === 1 ? '1 line above the header was' : `${titleLines} lines above the header were`
  return [`${were} left out (the header is line ${linesAbove + 1})`]
}

/** Skips the first lines, which end with LF, CRLF or CR. */
async function* skipLines(chunks: AsyncGenerator<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count
  let lastWasCr = false
  for await (const chunk of chunks) {
    let at = 0
    for (; at < chunk.length && (left > 0 || (lastWasCr && chunk[at] === 10)); at++) {
      const byte = chunk[at]
      if (byte === 13 || (byte === 10 && !lastWasCr)) left--
      lastWasCr = byte === 13
    }
    if (at < chunk.length) yield at === 0 ? chunk : chunk.subarray(at)
  }
}
