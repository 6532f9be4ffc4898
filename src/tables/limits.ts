/** Every limit of reading files of tables in one place. The unit is the last word of the name. */
export const tableLimits = {
  columnsMax: 10_000,
  recordBytesMax: 16 * 1024 * 1024,
  chunkBytes: 128 * 1024,
  /** How much of a file is looked at for a byte order mark, and for the NULs of UTF-16. */
  encodingHeadBytes: 4096,
  /** How much of a file its delimiter is judged by. */
  delimiterSampleChars: 256 * 1024,
  delimiterSampleRecords: 50,
  jsonDepthMax: 200,
  /** zstd's own limit for a decoder that was not told otherwise. */
  zstdWindowBytesMax: 128 * 1024 * 1024,
  /** A record of a register; one that goes on longer has a quote that is never closed. */
  scannedRecordCharsMax: 1_000_000,
  scannedColumnsMax: 2_000,
  zipMembersMax: 5_000_000,
  /** Files of a zip that is opened as a whole: the parts of a workbook. */
  zipPartsMax: 100_000,
  /** Deflate cannot do better than 1032; registers come to 10 to 40. Small files may. */
  zipRatioMax: 200,
  zipSmallBytes: 50_000_000,
  zipMembersNamedMax: 5,
  /** Of a zip that is written, and of each file in it: more needs an extension of the format. */
  zipBytesMax: 2 ** 32 - 1,
  /** Text that is packed at a time. */
  packedChars: 256 * 1024,
} as const

/** Every limit of reading and writing Excel files. */
export const xlsxLimits = {
  /** Excel's own. */
  rowsMax: 1_048_576,
  columnsMax: 16_384,
  sheetsMax: 10_000,
  mergesMax: 100_000,
  /** Excel's own is 32,767 characters a cell; other programs write more. */
  charsBetweenTagsMax: 8 * 1024 * 1024,
  sharedStringCharsMax: 256 * 1024 * 1024,
  /** Excel's own, and what is written at most. */
  cellCharsMax: 32_767,
  linksMax: 65_530,
  formatsMax: 60_000,
  /** Then the next sheet begins. */
  sheetBytesMax: 3 * 1024 ** 3,
  /** From here on a number of 64 bits has lost digits. */
  exactNumberMax: 1e15,
} as const
