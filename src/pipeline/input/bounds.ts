/** The bounds of an input as one table; those of each file are in `src/tables/limits.ts`. */
export const readerBounds = {
  batchRows: 1_000,
  raggedLinesNoted: 5,
  filesMax: 10_000,
} as const
