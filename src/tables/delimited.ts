import { UserError } from '../core/errors.js'
import { plural } from '../core/text.js'
import type { ByteSource } from './bytes.js'
import { detectEncoding } from './encodings/detect.js'
import type { Encoding } from './encodings/names.js'
import { decodeText } from './encodings/recode.js'
import { detectLayout, noDelimiter, type Layout } from './layout.js'
import { tableLimits } from './limits.js'

/** A text file with a known encoding. */
export interface TextSource {
  readonly label: string
  readonly encoding: Encoding
  /** Notice about an encoding other than UTF-8, or `null`. */
  readonly notice: string | null
  /** Reads the text as chunks of valid UTF-8, from the start at each call. */
  chunks(): AsyncGenerator<Buffer>
}

/**
 * Opens a text file. Reads all of it to detect the encoding, unless it is given. Throws INPUT_EMPTY,
 * INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE and the errors of reading bytes.
 */
export async function openText(file: ByteSource, given: Encoding | undefined): Promise<TextSource> {
  const { label } = file
  const detected = await detectEncoding(file, given)
  if (detected === null) throw createEmptyFileError(label)
  const { encoding, notice } = detected
  return { label, encoding, notice, chunks: () => decodeText(file.bytes(), detected, label) }
}

export function createEmptyFileError(label: string): UserError {
  return new UserError('INPUT_EMPTY', `${label} is empty`, { hint: 'it needs a header line and rows' })
}

/** Converts chunks of valid UTF-8, which end with whole characters, to strings. */
export async function* readTextPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.toString('utf8')
}

/** A record of a table: the chosen cells, or the reason why it is invalid. */
export interface TableRecord {
  readonly cells: readonly string[]
  /** First line of the record, counted from 1. `null` for records from csv-parse with as many cells as the header. */
  readonly line: number | null
  readonly reason: string | null
}

/** A record from a reader that counts all lines. */
export interface LocatedRecord extends TableRecord {
  readonly line: number
}

/** Returns the indexes of the required columns of a header, or `null` for all columns. May throw. */
export type ChooseColumns = (header: readonly string[]) => readonly number[] | null

/** The text of a delimited file. */
export interface RecordSource {
  readonly label: string
  readonly delimiter: string
  /** Number of lines of the file above the first given one. */
  readonly linesAbove: number
  /** Reads UTF-8 from the header on, from the start at each call. */
  chunks(): AsyncIterable<Buffer>
  /** Receives the number of lines that end with a single carriage return if others end with a line feed. */
  onMixedLineEnds?(returnCount: number, firstLine: number): void
}

/**
 * Reads the records below the header in batches, without blank lines. At a defect, `readStrictRecords` stops and
 * `createScanReader` continues; otherwise they agree.
 */
export type RecordReader<Found extends TableRecord> = (
  source: RecordSource,
  choose: ChooseColumns,
) => AsyncGenerator<readonly Found[]>

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
  /** Reads the records below the header, from the start at each call. Throws errors of `reader` and `choose`. */
  records<Found extends TableRecord>(
    reader: RecordReader<Found>,
    choose: ChooseColumns,
  ): AsyncGenerator<readonly Found[]>
}

/** Throws INPUT_EMPTY, INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE and the errors of reading bytes. */
export async function openDelimited(
  file: ByteSource,
  { encoding, delimiter, hasHeader }: DelimitedOptions,
): Promise<DelimitedFile> {
  const text = await openText(file, encoding)
  const isNamedTsv = /\.tsv(\.gz|\.zst)?$/i.test(file.label)
  const layout = detectLayout(await readStart(text), { delimiter, isNamedTsv, hasHeader: hasHeader ?? true })
  if (layout.names?.length === 0) throw createEmptyFileError(file.label)
  return createDelimitedFile(text, layout)
}

async function readStart(text: TextSource): Promise<string> {
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of text.chunks()) {
    parts.push(chunk.toString('utf8'))
    bytes += chunk.length
    if (bytes >= tableLimits.delimiterSampleChars) break
  }
  return parts.join('')
}

function createDelimitedFile(text: TextSource, layout: Layout): DelimitedFile {
  const { label } = text
  const { delimiter, linesAbove, names } = layout
  // A file without a header gets one, for readers that expect it.
  const header = names === null ? '' : `${names.join(delimiter)}\n`
  const chunks = async function* () {
    if (header !== '') yield Buffer.from(header)
    yield* skipLines(text.chunks(), linesAbove)
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
  const source = {
    label,
    delimiter,
    onMixedLineEnds,
    linesAbove: names === null ? linesAbove : linesAbove - 1,
    chunks,
  }
  return {
    label,
    delimiter: delimiter === noDelimiter ? null : delimiter,
    headerLine: names === null ? linesAbove + 1 : null,
    get notices() {
      return [...(text.notice === null ? [] : [text.notice]), ...doubts, ...mixed]
    },
    get doubts() {
      return [...doubts, ...mixed]
    },
    records: (reader, choose) => reader(source, choose),
  }
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
