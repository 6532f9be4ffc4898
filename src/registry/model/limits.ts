/** Every limit of the registry's matching in one place; what lies beyond is cut, never an error. */
export const matchLimits = {
  nameCharsMax: 400,
  locationCharsMax: 300,
  contextCharsMax: 2_000,
  tokensMax: 24,
  tokenCharsMax: 60,
  variantsMax: 10,
  candidateNamesMax: 240,
  /** Reading a name out of millions costs more than comparing it; twice as many find no more on labelled queries. */
  namesByWordsMax: 120,
  tokenSpellingsMax: 4,
  /** From the beginning of a word, and as many from its end. */
  spellingsScannedMax: 8_000,
  completionsMax: 24,
  /** A name exactly as long as columns are often wide may have lost its end; one shorter, a space and the rest. */
  cutColumnChars: [31, 32, 35, 40, 50, 60],
} as const

/** Every limit of reading files of registers in one place. */
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
