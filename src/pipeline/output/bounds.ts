/** Every bound of the writing side. The unit is the last word of the name. */
export const writerBounds = {
  /** A part of a Parquet output is one row group: so many bytes of rows, or so many rows, whatever comes first. */
  partBytesMax: 6 * 1024 * 1024,
  partRowsMax: 20_480,
  /** More bytes where there are many leaf columns: each part takes as long as its columns are many. */
  partBytesPerLeaf: 2 * 1024,
  /** What DuckDB's JSON reader takes for one row, unless a row is longer. */
  lineBytesMin: 1024 * 1024,
  /** Cells of the first rows that publishing is tried on. */
  sampleCells: 200_000,
  /** Rows whose answers are in memory at one time. */
  answerRows: 256,
  /** Garbage is collected after so many bytes of lines: it is most of what the process holds. */
  collectEveryBytes: 64 * 1024 * 1024,
  /** What is gathered before it is written. */
  writeBytes: 1024 * 1024,
  /** What an answer with its basis takes on disk while it is written, for the estimate of the room needed. */
  answerBytesEstimate: 2_048,
  freeBytesMin: 16 * 1024 * 1024,
  stdoutChunkBytes: 256 * 1024,
} as const
