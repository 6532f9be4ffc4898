import { cutToWidth, displayWidth } from '../../core/display-width.js'
import { progressParts, type Progress } from '../../pipeline/rules/progress.js'

const barCellsMax = 20
const barCellsMin = 5

/** The progress on one line of a terminal: a bar as wide as there is room for, then the numbers. */
export function progressBar(progress: Progress, columnCount: number): string {
  // A terminal wraps a line that fills it.
  const columnsMax = Math.max(0, columnCount - 1)
  const line = fittingLine(progress, columnsMax - barCellsMin - 3) ?? fittingLine(progress, columnsMax)
  if (line === null) return cutToWidth(shortest(progress), columnsMax)
  const cells = Math.min(barCellsMax, columnsMax - displayWidth(line) - 3)
  return cells < barCellsMin ? line : `[${bar(progress, cells)}] ${line}`
}

/** Without the parts that there is no room for; null where not even what is done and the time left fit. */
function fittingLine(progress: Progress, columnsMax: number): string | null {
  const parts = progressParts(progress)
  for (;;) {
    const line = parts.map(({ text }) => text).join(' · ')
    if (displayWidth(line) <= columnsMax) return line
    if (parts.length <= 2) return null
    const weightMin = Math.min(...parts.map(({ weight }) => weight))
    parts.splice(
      parts.findIndex(({ weight }) => weight === weightMin),
      1,
    )
  }
}

function shortest({ done, lookups }: Progress): string {
  return `${Math.floor((done / Math.max(1, lookups)) * 100)}% of ${lookups.toLocaleString('en-US')}`
}

function bar({ done, lookups }: Progress, cells: number): string {
  const filled = lookups === 0 ? cells : Math.floor((done / lookups) * cells)
  return '#'.repeat(filled) + '-'.repeat(cells - filled)
}
