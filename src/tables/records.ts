/** Converts chunks of valid UTF-8, which end with whole characters, to strings. */
export async function* readTextPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.toString('utf8')
}

/** Text as chunks of valid UTF-8, read from the start at each call. */
export interface TextChunks {
  readonly label: string
  chunks(): AsyncIterable<Buffer>
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

/** The text of a delimited file, from the header on. */
export interface RecordSource extends TextChunks {
  readonly delimiter: string
  /** Number of lines of the file above the first given one. */
  readonly linesAbove: number
  /** Receives the number of lines that end with a single carriage return if others end with a line feed. */
  onMixedLineEnds?(returnCount: number, firstLine: number): void
}
