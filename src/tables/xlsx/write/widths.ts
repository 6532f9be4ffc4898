import { displayWidth } from '../../../core/display-width.js'
import type { SheetColumn, WrittenCell, WrittenRow } from './written-row.js'

/** In characters of the font; a longer text is cut on the screen, and not in the file. */
const widthLimits = { charsMin: 8, charsMax: 60, headerCharsMax: 30, dateChars: 18, sampleRows: 200 } as const

/** How wide columns are shown: as wide as the texts of the first rows, within limits. */
export function widthsOf(columns: readonly SheetColumn[], sample: readonly WrittenRow[]): number[] {
  const rows = sample.slice(0, widthLimits.sampleRows)
  return columns.map(({ name }, index) => {
    const header = Math.min(displayWidth(name), widthLimits.headerCharsMax)
    const widest = rows.reduce((most, row) => Math.max(most, cellWidth(row[index] ?? null)), header)
    return Math.min(Math.max(widest, widthLimits.charsMin), widthLimits.charsMax) + 2
  })
}

function cellWidth(cell: WrittenCell): number {
  if (cell === null) return 0
  if (typeof cell === 'string') return textWidth(cell)
  switch (cell.kind) {
    case 'link':
      return textWidth(cell.text)
    case 'number':
      return typeof cell.format === 'number'
        ? Math.min(cell.value.length, widthLimits.dateChars)
        : widthLimits.dateChars
    case 'boolean':
    case 'error':
      return widthLimits.charsMin
  }
}

function textWidth(text: string): number {
  return displayWidth(text.slice(0, widthLimits.charsMax).split('\n', 1)[0] ?? '')
}
