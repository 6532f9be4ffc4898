import type { ByteSource } from './bytes.js'
import { parseCsv } from './csv-records.js'
import { CsvScanner, type ScannedRecord } from './csv-scanner.js'
import type { Encoding } from './encodings/names.js'
import { layoutOf, type Layout } from './layout.js'
import { tableLimits } from './limits.js'
import { textPieces } from './text-pieces.js'
import { openText, type TextSource } from './text-source.js'

export interface DelimitedOptions {
  readonly encoding?: Encoding | undefined
  /** Found if left out. */
  readonly delimiter?: string | undefined
}

/** A file of cells between delimiters, its encoding, delimiter and header found. */
export interface DelimitedFile {
  readonly label: string
  readonly delimiter: string
  /** What to tell the user before anything is done with the rows: a guessed encoding, lines left out. */
  readonly notices: readonly string[]
  /**
   * Its records, the header first, as csv-parse reads them: whatever is wrong ends the reading. `onRagged` is
   * told of each record that has not as many cells as the header. Throws the codes of `parseCsv`.
   */
  strictRecords(onRagged?: (line: number, cellCount: number) => void): AsyncGenerator<readonly string[][]>
  /**
   * Its records below the header as the scanner for registers reads them: a bad one costs itself alone.
   * `choose` is given the header and says which columns are wanted, by index; it may throw.
   */
  scannedRecords(
    choose: (header: readonly string[]) => readonly number[],
    options?: ScanOptions,
  ): AsyncGenerator<readonly ScannedRecord[]>
}

interface ScanOptions {
  /** Whether quotes are text in a file of this delimiter; they enclose cells if left out. */
  readonly isUnquoted?: (delimiter: string) => boolean
  /** Whether records with fewer or more cells than the header are kept as they are. */
  readonly keepsRagged?: boolean
}

/** Throws INPUT_EMPTY, INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE, and what reading the bytes throws. */
export async function openDelimited(
  file: ByteSource,
  { encoding, delimiter }: DelimitedOptions,
): Promise<DelimitedFile> {
  const text = await openText(file, encoding)
  const told = delimiter ?? (/\.tsv(\.gz|\.zst)?$/i.test(file.label) ? '\t' : undefined)
  return fileOf(text, layoutOf(await beginningOf(text), told))
}

async function beginningOf(text: TextSource): Promise<string> {
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of text.chunks()) {
    parts.push(chunk.toString('utf8'))
    bytes += chunk.length
    if (bytes >= tableLimits.delimiterSampleChars) break
  }
  return parts.join('')
}

function fileOf(text: TextSource, layout: Layout): DelimitedFile {
  const { label } = text
  const { delimiter, linesAbove } = layout
  const chunks = () => withoutLines(text.chunks(), linesAbove)
  return {
    label,
    delimiter,
    notices: [...(text.notice === null ? [] : [text.notice]), ...titleNotice(label, layout)],
    strictRecords: (onRagged) =>
      parseCsv(chunks(), { label, delimiter, linesAbove, ...(onRagged === undefined ? {} : { onRagged }) }),
    async *scannedRecords(choose, { isUnquoted, keepsRagged = false } = {}) {
      const quoted = isUnquoted?.(delimiter) !== true
      const scanner = new CsvScanner({ delimiter, quoted, keepsRagged, linesAbove }, choose)
      for await (const piece of textPieces(chunks())) yield scanner.push(piece)
      yield scanner.end()
    },
  }
}

function titleNotice(label: string, { titleLines }: Layout): string[] {
  if (titleLines === 0) return []
  const were = titleLines === 1 ? '1 line above the header was' : `${titleLines} lines above the header were`
  return [`${label}: ${were} left out`]
}

/** Leaves out the first lines; they end with LF, CRLF or CR. */
async function* withoutLines(chunks: AsyncGenerator<Buffer>, count: number): AsyncGenerator<Buffer> {
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
