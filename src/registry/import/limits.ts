/** Every bound of reading files of registers in one place. */
export const importLimits = {
  /** A CSV record; one that goes on longer has a quote that is never closed. */
  csvRecordCharsMax: 1_000_000,
  csvColumnsMax: 2_000,
  jsonElementCharsMax: 8_000_000,
  jsonDepthMax: 100,
  /** A file of a zip that is read as one piece. */
  zipMemberBytesMax: 64_000_000,
  zipMembersMax: 5_000_000,
  /** Deflate cannot do better than 1032; registers come to 10 to 40. Small files may. */
  zipRatioMax: 200,
  zipSmallBytes: 50_000_000,
  membersNamedMax: 5,
  namesMax: 60,
  identifiersMax: 40,
  idCharsMax: 100,
  progressEveryRows: 5_000,
  /** Of rejections and of drops, so many are kept; all are counted. */
  reasonsKeptMax: 20,
} as const
