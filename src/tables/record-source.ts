import { UserError } from '../core/errors.js'
import type { ByteSource } from './bytes.js'
import { detectEncoding } from './encodings/detect.js'
import type { Encoding } from './encodings/names.js'
import { decodeText } from './encodings/recode.js'

/** A file of text whose encoding is known. */
export interface TextSource {
  readonly label: string
  readonly encoding: Encoding
  /** What to tell about an encoding that was not simply UTF-8, or null. */
  readonly notice: string | null
  /** The text as chunks of valid UTF-8; each call reads the file anew. */
  chunks(): AsyncGenerator<Buffer>
}

/**
 * Reads all of a file, unless its encoding is given, to tell it. Throws INPUT_EMPTY for a file that holds
 * nothing, INPUT_ENCODING_MIXED, INPUT_ENCODING_UNSURE, and what reading the bytes throws.
 */
export async function openText(file: ByteSource, given: Encoding | undefined): Promise<TextSource> {
  const { label } = file
  const detected = await detectEncoding(file, given)
  if (detected === null) throw emptyFile(label)
  const { encoding, notice } = detected
  return { label, encoding, notice, chunks: () => decodeText(file.bytes(), detected, label) }
}

export function emptyFile(label: string): UserError {
  return new UserError('INPUT_EMPTY', `${label} is empty`, { hint: 'it needs a header line and rows' })
}

/** Chunks of valid UTF-8 that end with whole characters, as strings. */
export async function* textPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.toString('utf8')
}

/** A record of a table: the cells chosen, or why it is none. */
export interface TableRecord {
  readonly cells: readonly string[]
  /**
   * The line it begins on; the first line of a file is 1. Null where csv-parse read it, unless it has fewer or more cells
   * than the header.
   */
  readonly line: number | null
  readonly reason: string | null
}

/** A record of a reader that counts the lines of all. */
export interface LocatedRecord extends TableRecord {
  readonly line: number
}

/** Given the header, says which of its columns are wanted, by index; null: all cells of each record. It may throw. */
export type ChooseColumns = (header: readonly string[]) => readonly number[] | null

/** The text of a delimited file. */
export interface RecordSource {
  readonly label: string
  readonly delimiter: string
  /** Lines of the file above the first one that is given. */
  readonly linesAbove: number
  /** From the header on, as UTF-8; each call reads it anew. */
  chunks(): AsyncIterable<Buffer>
}

/**
 * The records below the header, as many at a time as a chunk of text holds; lines without any character are none.
 * Readers differ in what a defect costs, and agree on all else: `strictRecords` ends at it, `scannedRecords` goes on.
 */
export type RecordReader<Found extends TableRecord> = (
  source: RecordSource,
  choose: ChooseColumns,
) => AsyncGenerator<readonly Found[]>
