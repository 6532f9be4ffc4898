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
