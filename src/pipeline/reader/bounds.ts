/** Every bound of the reading side. The unit is the last word of the name. */
export const readerBounds = {
  batchRows: 1_000,
  columnsMax: 10_000,
  recordBytesMax: 16 * 1024 * 1024,
  chunkBytes: 128 * 1024,
  /** How much of a file its encoding is judged by. */
  encodingSampleBytes: 1024 * 1024,
  /** How much of a file its delimiter is judged by. */
  delimiterSampleChars: 256 * 1024,
  delimiterSampleRecords: 50,
  jsonDepthMax: 200,
  /** zstd's own limit for a decoder that was not told otherwise. */
  zstdWindowBytesMax: 128 * 1024 * 1024,
  raggedLinesNoted: 5,
  filesMax: 10_000,
} as const
