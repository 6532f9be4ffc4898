import { UserError } from '../core/errors.js'
import type { ByteSource } from './bytes.js'
import { decodeText, detectEncoding, sampleOf, type DetectedEncoding, type Encoding } from './encoding.js'

/** A file of text whose encoding is known. */
export interface TextSource {
  readonly label: string
  readonly encoding: DetectedEncoding
  /** The text as chunks of valid UTF-8; each call reads the file anew. */
  chunks(): AsyncGenerator<Buffer>
}

/** Throws INPUT_EMPTY for a file that holds nothing, and what reading the bytes throws. */
export async function openText(file: ByteSource, given: Encoding | undefined): Promise<TextSource> {
  const { sample, isWhole } = await sampleOf(file.bytes())
  const encoding = detectEncoding(sample, isWhole, given)
  if (isWhole && sample.subarray(encoding.bomBytes).length === 0) throw emptyFile(file.label)
  return { label: file.label, encoding, chunks: () => decodeText(file.bytes(), encoding, file.label) }
}

export function emptyFile(label: string): UserError {
  return new UserError('INPUT_EMPTY', `${label} is empty`, { hint: 'it needs a header line and rows' })
}

/** What to tell about a file whose encoding was not simply UTF-8, or null. */
export function encodingNote({ label, encoding }: TextSource): string | null {
  switch (encoding.how) {
    case 'fallback':
      return `${label}: not UTF-8, read as windows-1252 (Latin-1); pass --encoding if that is wrong`
    case 'pattern':
      return `${label}: read as ${encoding.encoding}, judged by its NUL bytes`
    case 'bom':
      return encoding.encoding === 'utf-8' ? null : `${label}: read as ${encoding.encoding}`
    case 'given':
    case 'valid':
      return null
  }
}
