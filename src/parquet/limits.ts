/** Limits of reading and writing Parquet; what DuckDB may take by the number of columns is in `memory-budget.ts`. */
export const parquetLimits = {
  /** A part of a file that is written is one row group: so many bytes of rows, or so many rows, whatever comes first. */
  partBytesMax: 6 * 1024 * 1024,
  partRowsMax: 20_480,
  /** More bytes where there are many leaf columns: each part takes as long as its columns are many. */
  partBytesPerLeaf: 2 * 1024,
  /** What DuckDB's JSON reader takes for one row, unless a row is longer. */
  lineBytesMin: 1024 * 1024,
  /** Lines are gathered before they are written. */
  writeBytes: 1024 * 1024,
  /** Garbage is collected after so many bytes of lines, or of chunks: it is most of what the process holds. */
  collectEveryBytes: 64 * 1024 * 1024,
} as const
