/** Limits of matching. Input beyond them is cut and never an error. */
export const matchLimits = {
  nameCharsMax: 400,
  locationCharsMax: 300,
  contextCharsMax: 2_000,
  tokensMax: 24,
  tokenCharsMax: 60,
  /** Ways to read one text: its script, as given. */
  textsMax: 4,
  candidateNamesMax: 240,
  /** Reading a name costs more than comparing it; twice as many do not improve results on labelled queries. */
  namesByWordsMax: 120,
  /** Names read per clause of words. A clause that may match more gets another word. */
  clauseNamesMax: 100,
  tokenSpellingsMax: 8,
  /** Scanned from the beginning of a word, and again from its end. */
  spellingsScannedMax: 8_000,
  completionsMax: 24,
  /** Scanned for one abbreviated word, and returned. */
  abbreviationsScannedMax: 20_000,
  expansionsMax: 12,
  /** Names aligned with a text, the closest by a cheap bound. */
  alignedNamesMax: 64,
  /** Usual widths of columns: a name of exactly this length, or one shorter plus a space, may be truncated. */
  cutColumnChars: [31, 32, 35, 40, 50, 60],
} as const

/** Fewer names than for matching: a search only shows them, so it needs no evidence on rivals. */
export const searchLimits = { candidateNamesMax: 120, namesByWordsMax: 80, clauseNamesMax: 50 } as const

/** Limits of reading register files. */
export const importLimits = {
  jsonElementCharsMax: 8_000_000,
  jsonDepthMax: 100,
  /** Applies to a zip member that is read as one piece. */
  zipMemberBytesMax: 64_000_000,
  namesMax: 60,
  identifiersMax: 40,
  idCharsMax: 100,
  progressEveryRows: 5_000,
  /** Number of rejections and of drops that are kept; all are counted. */
  reasonsKeptMax: 20,
  /** Number of different dropped values that are counted apart, and of the lines that are kept of each. */
  droppedValuesMax: 1_000,
  linesKeptMax: 3,
} as const
