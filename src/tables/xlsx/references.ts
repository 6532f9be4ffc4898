/** Cells by the rows, from 1, and columns, from 0, of their corners. */
export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** `C7` is column 2; null for what names no column. */
export function columnIndex(place: string): number | null {
  const letters = /^[A-Za-z]+/.exec(place)?.[0]
  if (letters === undefined) return null
  return Buffer.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1
}

/** Column 2 is `C`. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

/** `A1:C2`; null for anything else. */
export function rangeOf(reference: string): CellRange | null {
  const [, from, firstRow, to, lastRow] = /^\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)$/i.exec(reference) ?? []
  if (from === undefined || to === undefined) return null
  return {
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
    firstColumn: columnIndex(from) ?? 0,
    lastColumn: columnIndex(to) ?? 0,
  }
}
