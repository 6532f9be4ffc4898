/** Every bound of the writing side. The unit is the last word of the name. */
export const writerBounds = {
  /** Small groups keep the memory of writer and readers flat. */
  rowGroupRows: 20_000,
  /** What an answer with its basis takes on disk while it is written, for the estimate of the room needed. */
  answerBytesEstimate: 2_048,
  freeBytesMin: 16 * 1024 * 1024,
  stdoutChunkBytes: 256 * 1024,
} as const
