import { UserError } from '../core/errors.js'
import type { ByteSource } from './bytes.js'
import { detectEncoding } from './encodings/detect.js'
import type { Encoding } from './encodings/names.js'
import { decodeText } from './encodings/recode.js'

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
}

/**
 * Reads the records below the header in batches, without blank lines. At a defect, `readStrictRecords` stops and
 * `createScanReader` continues; otherwise they agree.
 */
export type RecordReader<Found extends TableRecord> = (
  source: RecordSource,
  choose: ChooseColumns,
) => AsyncGenerator<readonly Found[]>
