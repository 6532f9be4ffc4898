import { readerBounds } from './bounds.js'

const candidates = [',', '\t', ';', '|'] as const

/**
 * The delimiter of a CSV by its first records: the candidate that cuts most records into as many cells as
 * the header; of equals, the one that cuts more. Delimiters inside quotes do not count. A file that no
 * candidate cuts has one column, and a comma does for it.
 */
export function sniffDelimiter(text: string): string {
  let best = { delimiter: ',', score: 0, cells: 1 }
  for (const delimiter of candidates) {
    const counts = cellCounts(text, delimiter)
    const cells = counts[0] ?? 1
    if (cells < 2) continue
    const score = counts.filter((count) => count === cells).length / counts.length
    if (score > best.score || (score === best.score && cells > best.cells)) best = { delimiter, score, cells }
  }
  return best.delimiter
}

/** Cells of each of the first records; the last one is left out where the sample may have cut it. */
export function cellCounts(text: string, delimiter: string): readonly number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isFieldStart = true
  let isEmpty = true
  for (let index = 0; index < text.length && counts.length < readerBounds.delimiterSampleRecords; index++) {
    const char = text.charAt(index)
    if (isQuoted) {
      if (char === '"') isQuoted = false
    } else if (char === '"' && (isFieldStart || text.charAt(index - 1) === '"')) {
      isQuoted = true
      isEmpty = false
    } else if (char === '\n' || char === '\r') {
      if (!isEmpty) counts.push(cells)
      cells = 1
      isEmpty = true
    } else {
      isEmpty = false
      if (char === delimiter) cells++
    }
    isFieldStart = !isQuoted && (char === delimiter || char === '\n' || char === '\r')
  }
  if (counts.length === 0 && !isEmpty) counts.push(cells)
  return counts
}
