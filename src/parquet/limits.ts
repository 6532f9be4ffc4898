/** Limits of reading and writing Parquet; what DuckDB may take by the number of columns is in `memory-budget.ts`. */
export const parquetLimits = {
  /** A row group is so many rows, or fewer where they weigh more than so many bytes of JSON. */
  rowGroupRowsMax: 8_192,
  rowGroupBytesMax: 64 * 1024 * 1024,
  /** Of rows so heavy that a vector of them is more than that: who reads them holds a row group several times. */
  heavyRowGroupBytesMax: 16 * 1024 * 1024,
  /** Rows that wait as lines of JSON are so many a file, or so many bytes. */
  fileRowsMax: 8_192,
  fileBytesMax: 16 * 1024 * 1024,
  /** What DuckDB's JSON reader takes for one row, unless a row is longer. */
  lineBytesMin: 1024 * 1024,
  /** Lines are gathered before they are written. */
  writeBytes: 1024 * 1024,
  /** Garbage is collected after so many bytes of lines, or of chunks: it is most of what the process holds. */
  collectEveryBytes: 64 * 1024 * 1024,
  /** The same after lines of rows that were cut out of text: each leaves some ten times its bytes. */
  collectEveryRowBytes: 32 * 1024 * 1024,
} as const
