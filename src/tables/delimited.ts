import type { ByteSource } from './bytes.js'
import type { Encoding } from './encodings/names.js'
import { layoutOf, type Layout } from './layout.js'
import { tableLimits } from './limits.js'
import type { ChooseColumns, RecordReader, TableRecord } from './records.js'
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
  /** Its records below the header; each call reads the file anew. Throws what the reader throws, and what `choose` does. */
  records<Found extends TableRecord>(
    reader: RecordReader<Found>,
    choose: ChooseColumns,
  ): AsyncGenerator<readonly Found[]>
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
    records: (reader, choose) => reader({ label, delimiter, linesAbove, chunks }, choose),
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
