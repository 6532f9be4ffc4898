import type { ByteSource } from './bytes.js'
import type { Encoding } from './encodings/names.js'
import { tableLimits } from './limits.js'
import {
  type ChooseColumns,
  type RecordReader,
  type TableRecord,
  openText,
  type TextSource,
} from './record-source.js'

/** Layout of a delimited file, detected from its start. */
interface Layout {
  readonly delimiter: string
  /** Number of lines above the header, which are not part of the table. */
  readonly linesAbove: number
  /** The lines among these that the user should know about: titles, not `sep=`. */
  readonly titleLines: number
}

/** Excel's first line, which names the delimiter. */
const separatorLine = /^"?sep=(.)"?(?:\r\n|\n|\r)/i

const delimiters = [',', '\t', ';', '|'] as const

/**
 * Detects the delimiter and the lines above the header from the first text of a file. `known`: the delimiter that the
 * user or the file extension gives; it takes precedence over a `sep=` line.
 */
export function detectLayout(sample: string, known: string | undefined): Layout {
  const named = separatorLine.exec(sample)
  const above = named === null ? 0 : 1
  const rest = named === null ? sample : sample.slice(named[0].length)
  const told = known ?? named?.[1]
  const tries = (told === undefined ? delimiters : [told]).flatMap(
    (delimiter) => findTitles(rest, delimiter) ?? [],
  )
  const [best] = tries.sort((one, other) => other.width - one.width)
  return {
    delimiter: told ?? best?.delimiter ?? detectDelimiter(rest),
    linesAbove: above + (best?.titleLines ?? 0),
    titleLines: best?.titleLines ?? 0,
  }
}

const titleLimits = {
  /** Highest number of lines above a table. */
  linesMax: 30,
  /** A title has one filled cell, a caption like "Generated on;2026-11-20" has two. */
  filledCellsMax: 2,
  /** Fewer columns may occur by chance: a comma in a name splits it in two. */
  widthMin: 3,
  rowsMin: 2,
} as const

interface TitledHeader {
  readonly delimiter: string
  readonly width: number
  readonly titleLines: number
}

/**
 * Finds the header below the titles of a report; `null` if the first record is the header. Only applies if no other
 * reading is possible: the records from the header on have the same width; header cells are filled, distinct words;
 * each line above has at most two filled cells.
 */
function findTitles(text: string, delimiter: string): TitledHeader | null {
  const records = sampleRecords(text, delimiter)
  const headerAt = findHeaderBelowTitles(records, titleLimits.widthMin)
  const header = records[headerAt ?? -1]
  return header === undefined ? null : { delimiter, width: header.cells.length, titleLines: header.line - 1 }
}

/**
 * Returns the index of the header in the first records of a table if titles precede it, else `null`. `isTitle` returns
 * whether a record can only be a title.
 */
export function findHeaderBelowTitles(
  records: readonly SampleRecord[],
  widthMin: number,
  isTitle: (record: SampleRecord) => boolean = () => false,
): number | null {
  const width = records.at(-1)?.cells.length ?? 0
  const headerAt = records.findIndex((record) => isHeader(record, width))
  const header = records[headerAt]
  if (header === undefined || width < widthMin || header.line > titleLimits.linesMax + 1) return null
  const above = records.slice(0, headerAt)
  const below = records.slice(headerAt + 1)
  const isTitled =
    above.length > 0 &&
    below.length >= titleLimits.rowsMin &&
    below.every(({ cells }) => cells.length === width) &&
    above.every(
      (record) => countFilled(record) <= titleLimits.filledCellsMax && countFilled(record) < width,
    ) &&
    (above.every(isTitle) || isApart(above, header, below))
  return isTitled ? headerAt : null
}

/** Returns whether all cells are filled, distinct and words. */
export function isHeader({ cells }: SampleRecord, width: number): boolean {
  return (
    cells.length === width &&
    new Set(cells).size === width &&
    cells.every((cell) => /\p{L}/u.test(cell) && !/@/.test(cell) && cell === cell.trim())
  )
}

/** A single title directly above the header may itself be the header of a ragged table: then the rows decide. */
function isApart(
  above: readonly SampleRecord[],
  header: SampleRecord,
  below: readonly SampleRecord[],
): boolean {
  const last = above.at(-1)
  if (last === undefined) return false
  const hasGap = countFilled(last) === 0 || header.line - last.line > last.lineCount
  return hasGap || above.length > 1 || hasNumbersBelow(header, below)
}

/** Returns whether a column has a word as its header and a digit in every cell. */
function hasNumbersBelow({ cells }: SampleRecord, below: readonly SampleRecord[]): boolean {
  return cells.some(
    (name, at) => !/\d/.test(name) && below.every((record) => /\d/.test(record.cells[at] ?? '')),
  )
}

function countFilled({ cells }: SampleRecord): number {
  return cells.filter((cell) => cell.trim() !== '').length
}

const candidates = [',', '\t', ';', '|'] as const

/**
 * Detects the delimiter of a CSV by its first records: one with which quotes are in valid places and most records have
 * as many cells as the header; among equals, the one with more cells. A file with one column gets a comma.
 */
function detectDelimiter(text: string): string {
  let best = { delimiter: ',', score: 0, cells: 1 }
  for (const delimiter of candidates) {
    const { records, quotesAreRight } = scan(text, delimiter)
    const cells = records[0]?.cells.length ?? 1
    if (cells < 2) continue
    const alike = records.filter((record) => record.cells.length === cells).length / records.length
    const score = quotesAreRight ? alike + 1 : alike
    if (score > best.score || (score === best.score && cells > best.cells)) best = { delimiter, score, cells }
  }
  return best.delimiter
}

export interface SampleRecord {
  readonly cells: readonly string[]
  /** Number of the first line of the record, counted from 1. */
  readonly line: number
  readonly lineCount: number
}

/** Returns the first records of a text, without blank lines and a record that may be cut. */
function sampleRecords(text: string, delimiter: string): readonly SampleRecord[] {
  return scan(text, delimiter).records
}

type Place = 'start' | 'bare' | 'quoted' | 'closed'

function scan(
  text: string,
  delimiter: string,
): { records: readonly SampleRecord[]; quotesAreRight: boolean } {
  const records: SampleRecord[] = []
  let quotesAreRight = true
  let cells: string[] = []
  let cell = ''
  let place: Place = 'start'
  let line = 1
  let startLine = 1
  let last = ''
  const endRecord = () => {
    if (cells.length > 0 || place !== 'start') {
      records.push({ cells: [...cells, cell], line: startLine, lineCount: line - startLine + 1 })
    }
    cells = []
    cell = ''
    place = 'start'
  }
  for (const char of text) {
    const isBreak = char === '\r' || (char === '\n' && last !== '\r')
    if (place === 'quoted') {
      if (char === '"') place = 'closed'
      else cell += char
    } else if (char === '\n' || char === '\r') {
      endRecord()
      if (records.length === tableLimits.delimiterSampleRecords) break
      startLine = isBreak ? line + 1 : line
    } else if (char === delimiter) {
      cells.push(cell)
      cell = ''
      place = 'start'
    } else if (char === '"' && place !== 'bare') {
      // Opens a cell at its start; after a closing quote, it is the second of a doubled quote.
      if (place === 'closed') cell += char
      place = 'quoted'
    } else {
      if (char === '"' || place === 'closed') quotesAreRight = false
      place = 'bare'
      cell += char
    }
    if (isBreak) line++
    last = char
  }
  if (records.length === 0) endRecord()
  return { records, quotesAreRight }
}

export interface DelimitedOptions {
  readonly encoding?: Encoding | undefined
  /** Detected by default. */
  readonly delimiter?: string | undefined
}

/** A delimited file with detected encoding, delimiter and header. */
export interface DelimitedFile {
  readonly label: string
  readonly delimiter: string
  /** Notices for the user before the rows are read: a detected encoding, skipped lines. */
  readonly notices: readonly string[]
  /** Reads the records below the header, from the start at each call. Throws errors of `reader` and `choose`. */
  records<Found extends TableRecord>(
    reader: RecordReader<Found>,
    choose: ChooseColumns,
  ): AsyncGenerator<readonly Found[]>
}

/** Throws INPUT_EMPTY, INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE and the errors of reading bytes. */
export async function openDelimited(
  file: ByteSource,
  { encoding, delimiter }: DelimitedOptions,
): Promise<DelimitedFile> {
  const text = await openText(file, encoding)
  const told = delimiter ?? (/\.tsv(\.gz|\.zst)?$/i.test(file.label) ? '\t' : undefined)
  return createDelimitedFile(text, detectLayout(await readStart(text), told))
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
  const { delimiter, linesAbove } = layout
  const chunks = () => skipLines(text.chunks(), linesAbove)
  return {
    label,
    delimiter,
    notices: [...(text.notice === null ? [] : [text.notice]), ...describeTitles(label, layout)],
    records: (reader, choose) => reader({ label, delimiter, linesAbove, chunks }, choose),
  }
}

function describeTitles(label: string, { titleLines }: Layout): string[] {
  if (titleLines === 0) return []
  const were = titleLines === 1 ? '1 line above the header was' : `${titleLines} lines above the header were`
  return [`${label}: ${were} left out`]
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
