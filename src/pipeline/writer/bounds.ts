/** Every bound of the writing side. The unit is the last word of the name. */
export const writerBounds = {
  /** Small groups keep the memory of writer and readers flat: so many bytes of rows, between two counts. */
  rowGroupBytes: 16 * 1024 * 1024,
  rowGroupRowsMin: 2_048,
  rowGroupRowsMax: 20_480,
  /** Each thread fills one, and others wait to be written in order. */
  groupsInMemory: 6,
  /** What DuckDB may take for the writing, and more where its groups are heavier. */
  copyBytesMin: 200_000_000,
  /** Garbage is collected after so many bytes of lines: it is most of what the process holds. */
  collectEveryBytes: 128 * 1024 * 1024,
  /** What an answer with its basis takes on disk while it is written, for the estimate of the room needed. */
  answerBytesEstimate: 2_048,
  freeBytesMin: 16 * 1024 * 1024,
  stdoutChunkBytes: 256 * 1024,
} as const
