import { tableLimits } from './limits.js'

const candidates = [',', '\t', ';', '|'] as const

/**
 * The delimiter of a CSV by its first records: a candidate under which quotes stand where they may, that
 * cuts most records into as many cells as the header; of equals, the one that cuts more. A file that no
 * candidate cuts has one column, and a comma does for it.
 */
export function sniffDelimiter(text: string): string {
  let best = { delimiter: ',', score: 0, cells: 1 }
  for (const delimiter of candidates) {
    const { cellCounts, quotesAreRight } = scan(text, delimiter)
    const cells = cellCounts[0] ?? 1
    if (cells < 2) continue
    const alike = cellCounts.filter((count) => count === cells).length / cellCounts.length
    const score = quotesAreRight ? alike + 1 : alike
    if (score > best.score || (score === best.score && cells > best.cells)) best = { delimiter, score, cells }
  }
  return best.delimiter
}

type Place = 'start' | 'bare' | 'quoted' | 'closed'

/** Cells of each of the first records; the last one is left out where the sample may have cut it. */
function scan(text: string, delimiter: string): { cellCounts: readonly number[]; quotesAreRight: boolean } {
  const cellCounts: number[] = []
  let quotesAreRight = true
  let cells = 1
  let place: Place = 'start'
  for (const char of text) {
    if (place === 'quoted') {
      if (char === '"') place = 'closed'
    } else if (char === '\n' || char === '\r') {
      if (cells > 1 || place !== 'start') cellCounts.push(cells)
      if (cellCounts.length === tableLimits.delimiterSampleRecords) break
      cells = 1
      place = 'start'
    } else if (char === delimiter) {
      cells++
      place = 'start'
    } else if (char === '"' && place !== 'bare') {
      // At the start of a cell it opens; after a closing quote it is the second of a doubled one.
      place = 'quoted'
    } else {
      if (char === '"' || place === 'closed') quotesAreRight = false
      place = 'bare'
    }
  }
  if (cellCounts.length === 0 && (cells > 1 || place !== 'start')) cellCounts.push(cells)
  return { cellCounts, quotesAreRight }
}
