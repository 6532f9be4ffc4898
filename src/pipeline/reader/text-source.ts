import { UserError } from '../../core/errors.js'
import { readBytes } from './bytes.js'
import { decodeText, detectEncoding, sampleOf, type DetectedEncoding, type Encoding } from './encoding.js'
import type { SourceFile } from './sources.js'

/** A file of text whose encoding is known. */
export interface TextSource {
  readonly file: SourceFile
  readonly encoding: DetectedEncoding
  /** The text as chunks of valid UTF-8; each call reads the file anew. */
  chunks(): AsyncGenerator<Buffer>
}

/** Throws INPUT_EMPTY for a file that holds nothing, and what reading the bytes throws. */
export async function openText(file: SourceFile, given: Encoding | undefined): Promise<TextSource> {
  const { sample, isWhole } = await sampleOf(readBytes(file))
  const encoding = detectEncoding(sample, isWhole, given)
  if (isWhole && sample.subarray(encoding.bomBytes).length === 0) throw emptyFile(file)
  return { file, encoding, chunks: () => decodeText(readBytes(file), encoding, file.label) }
}

export function emptyFile(file: SourceFile): UserError {
  return new UserError('INPUT_EMPTY', `${file.label} is empty`, { hint: 'it needs a header line and rows' })
}

/** What to tell about a file whose encoding was not simply UTF-8, or null. */
export function encodingNote({ file, encoding }: TextSource): string | null {
  switch (encoding.how) {
    case 'fallback':
      return `${file.label}: not UTF-8, read as windows-1252 (Latin-1); pass --encoding if that is wrong`
    case 'pattern':
      return `${file.label}: read as ${encoding.encoding}, judged by its NUL bytes`
    case 'bom':
      return encoding.encoding === 'utf-8' ? null : `${file.label}: read as ${encoding.encoding}`
    case 'given':
    case 'valid':
      return null
  }
}
