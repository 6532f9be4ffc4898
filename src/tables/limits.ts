/** All limits of reading tables. The last word of a name is its unit. */
export const tableLimits = {
  columnsMax: 10_000,
  recordBytesMax: 16 * 1024 * 1024,
  chunkBytes: 128 * 1024,
  /** Bytes in which a byte order mark, and the NULs of UTF-16, are searched for. */
  encodingHeadBytes: 4096,
  /** Size of the text from which the delimiter is detected. */
  delimiterSampleChars: 256 * 1024,
  delimiterSampleRecords: 50,
  jsonDepthMax: 200,
  /** zstd's default limit for decoders. */
  zstdWindowBytesMax: 128 * 1024 * 1024,
  /** Longest record of a register; a longer one has a quote that is never closed. */
  scannedRecordCharsMax: 1_000_000,
  scannedColumnsMax: 2_000,
  zipMembersMax: 5_000_000,
  /** Members of a zip that is opened as a whole: the parts of a workbook. */
  zipPartsMax: 100_000,
  /** Deflate reaches at most 1032, registers 10 to 40. Small files may exceed the limit. */
  zipRatioMax: 200,
  zipSmallBytes: 50_000_000,
  zipMembersNamedMax: 5,
  /** Limit of a written zip and of each of its files; more requires an extension of the format. */
  zipBytesMax: 2 ** 32 - 1,
  /** Characters that are compressed at once. */
  packedChars: 256 * 1024,
} as const

/** All limits of reading and writing Excel files. */
export const xlsxLimits = {
  /** Limit of Excel. */
  rowsMax: 1_048_576,
  columnsMax: 16_384,
  sheetsMax: 10_000,
  mergesMax: 100_000,
  /** Excel allows 32,767 characters a cell; other programs write more. */
  charsBetweenTagsMax: 8 * 1024 * 1024,
  sharedStringCharsMax: 256 * 1024 * 1024,
  /** Limit of Excel, also for writing. */
  cellCharsMax: 32_767,
  linksMax: 65_530,
  formatsMax: 60_000,
  /** A larger sheet continues in another one. */
  sheetBytesMax: 3 * 1024 ** 3,
  /** From this value on, 64-bit numbers have lost digits. */
  exactNumberMax: 1e15,
} as const
