import { UserError } from '../../core/errors.js'
import type { ByteSource } from '../../tables/bytes.js'
import { CsvScanner } from '../../tables/csv-scanner.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { layoutOf } from '../../tables/layout.js'
import { openOneFile } from '../../tables/open-file.js'
import { textPieces } from '../../tables/text-pieces.js'
import { openText } from '../../tables/text-source.js'

/** What a file begins with. */
export interface FileSample {
  /** As far as it was read; the file is whole where `isWhole`. */
  readonly text: string
  readonly isWhole: boolean
  readonly encoding: Encoding
  /** Of a table: the names of its columns, and rows with as many cells. Empty for anything else. */
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export const sampleLimits = { bytesMax: 262_144, rowsMax: 2_000 } as const

/**
 * Reads the beginning of a file. Errors: those of files, INPUT_EMPTY, INPUT_NUL_BYTE, REGISTRY_IMPORT_INVALID for a
 * zip of several files.
 */
export async function readSample(path: string, encoding?: Encoding): Promise<FileSample> {
  const file = await openOneFile(path, null)
  const { head, isWhole } = await headOf(file)
  const source = await openHead({ label: file.label, bytes: () => only(head) }, encoding)
  let text = ''
  for await (const piece of textPieces(source.chunks())) text += piece
  return { text, isWhole, encoding: source.encoding, ...tableIn(text, isWhole, file.label) }
}

/** The first bytes of a file, up to the end of a line where there is one. */
async function headOf(file: ByteSource): Promise<{ head: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of file.bytes()) {
    chunks.push(chunk)
    byteCount += chunk.length
    if (byteCount <= sampleLimits.bytesMax) continue
    const head = Buffer.concat(chunks).subarray(0, sampleLimits.bytesMax)
    const end = head.lastIndexOf('\n')
    return { head: end === -1 ? head : head.subarray(0, end + 1), isWhole: false }
  }
  return { head: Buffer.concat(chunks), isWhole: true }
}

// eslint-disable-next-line @typescript-eslint/require-await -- a file is read in pieces, this one is one piece
async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Headers and ids are ASCII: where the encoding cannot be told from the beginning, any will do to look at it. */
async function openHead(head: ByteSource, encoding: Encoding | undefined) {
  try {
    return await openText(head, encoding)
  } catch (error) {
    if (error instanceof UserError && error.code.startsWith('INPUT_ENCODING_'))
      return openText(head, 'utf-8+windows-1252')
    throw error
  }
}

function tableIn(text: string, isWhole: boolean, label: string): Pick<FileSample, 'header' | 'rows'> {
  let header: readonly string[] = []
  const { delimiter, linesAbove } = layoutOf(text, /\.tsv(\.gz|\.zst)?$/i.test(label) ? '\t' : undefined)
  const scanner = new CsvScanner({ delimiter, quoted: true, linesAbove }, (names) => {
    header = names.map((name) => name.trim())
    return names.map((_, index) => index)
  })
  const records = scanner.push(belowLines(text, linesAbove))
  if (isWhole) records.push(...scanner.end())
  const rows = records.filter(({ reason }) => reason === null).slice(0, sampleLimits.rowsMax)
  return { header, rows: rows.map(({ cells }) => cells) }
}

function belowLines(text: string, count: number): string {
  const above = new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\n|\\r)){${count}}`)
  return text.replace(above, '')
}
