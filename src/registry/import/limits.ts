/** Every bound of reading files of registers in one place. */
export const importLimits = {
  jsonElementCharsMax: 8_000_000,
  jsonDepthMax: 100,
  /** A file of a zip that is read as one piece. */
  zipMemberBytesMax: 64_000_000,
  namesMax: 60,
  identifiersMax: 40,
  idCharsMax: 100,
  progressEveryRows: 5_000,
  /** Of rejections and of drops, so many are kept; all are counted. */
  reasonsKeptMax: 20,
} as const
