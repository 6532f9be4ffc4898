/** Every limit of reading Excel files. */
export const xlsxLimits = {
  /** Excel's own. */
  rowsMax: 1_048_576,
  columnsMax: 16_384,
  sheetsMax: 10_000,
  /** Excel's own is 32,767 characters a cell; other programs write more. */
  charsBetweenTagsMax: 8 * 1024 * 1024,
  sharedStringCharsMax: 256 * 1024 * 1024,
  /** From here on a number of 64 bits has lost digits. */
  exactNumberMax: 1e15,
} as const
