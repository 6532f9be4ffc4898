/** Every limit of writing outputs; those of Parquet files are in `src/parquet/limits.ts`. The unit is the last word of the name. */
export const writerLimits = {
  /** Cells of the first rows that publishing is tried on. */
  sampleCells: 200_000,
  /** Rows whose answers are in memory at one time. */
  answerRows: 256,
  /** What an answer with its basis takes on disk, waiting and written, for the estimate of the room needed. */
  answerBytesEstimate: 2_560,
  freeBytesMin: 16 * 1024 * 1024,
  stdoutChunkBytes: 256 * 1024,
} as const
