import { progressLine, type Progress } from '../core/progress.js'

const barCellsMax = 20
const barCellsMin = 5

/** What a narrow terminal goes without, in this order; what is done and the time left always stay. */
const lessWanted = [/^0 cached$/, /^0 failed$/, /^poll /, /^submit /, / cached$/, / running$/, / failed$/]

/** The progress on one line of a terminal: a bar as wide as there is room for, then the numbers. */
export function progressBar(progress: Progress, columnCount: number): string {
  // A terminal wraps a line that fills it.
  const charsMax = columnCount - 1
  let parts = progressLine(progress).split(' · ')
  for (const unwanted of lessWanted) {
    if (parts.join(' · ').length + barCellsMin + 3 <= charsMax) break
    parts = parts.filter((part) => !unwanted.test(part))
  }
  const line = parts.join(' · ')
  const cells = Math.min(barCellsMax, charsMax - line.length - 3)
  return (cells < barCellsMin ? line : `[${bar(progress, cells)}] ${line}`).slice(0, charsMax)
}

function bar({ done, lookups }: Progress, cells: number): string {
  const filled = lookups === 0 ? cells : Math.floor((done / lookups) * cells)
  return '#'.repeat(filled) + '-'.repeat(cells - filled)
}
