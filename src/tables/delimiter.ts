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
    const { records, quotesAreRight } = scan(text, delimiter)
    const cells = records[0]?.cells.length ?? 1
    if (cells < 2) continue
    const alike = records.filter((record) => record.cells.length === cells).length / records.length
    const score = quotesAreRight ? alike + 1 : alike
    if (score > best.score || (score === best.score && cells > best.cells)) best = { delimiter, score, cells }
  }
  return best.delimiter
}

export interface SampleRecord {
  readonly cells: readonly string[]
  /** The line it begins on; the first line of the text is 1. */
  readonly line: number
  readonly lineCount: number
}

/** The first records of a text; blank lines are none, and one that the sample may have cut is left out. */
export function sampleRecords(text: string, delimiter: string): readonly SampleRecord[] {
  return scan(text, delimiter).records
}

type Place = 'start' | 'bare' | 'quoted' | 'closed'

function scan(
  text: string,
  delimiter: string,
): { records: readonly SampleRecord[]; quotesAreRight: boolean } {
  const records: SampleRecord[] = []
  let quotesAreRight = true
  let cells: string[] = []
  let cell = ''
  let place: Place = 'start'
  let line = 1
  let startLine = 1
  let last = ''
  const endRecord = () => {
    if (cells.length > 0 || place !== 'start') {
      records.push({ cells: [...cells, cell], line: startLine, lineCount: line - startLine + 1 })
    }
    cells = []
    cell = ''
    place = 'start'
  }
  for (const char of text) {
    const isBreak = char === '\r' || (char === '\n' && last !== '\r')
    if (place === 'quoted') {
      if (char === '"') place = 'closed'
      else cell += char
    } else if (char === '\n' || char === '\r') {
      endRecord()
      if (records.length === tableLimits.delimiterSampleRecords) break
      startLine = isBreak ? line + 1 : line
    } else if (char === delimiter) {
      cells.push(cell)
      cell = ''
      place = 'start'
    } else if (char === '"' && place !== 'bare') {
      // At the start of a cell it opens; after a closing quote it is the second of a doubled one.
      if (place === 'closed') cell += char
      place = 'quoted'
    } else {
      if (char === '"' || place === 'closed') quotesAreRight = false
      place = 'bare'
      cell += char
    }
    if (isBreak) line++
    last = char
  }
  if (records.length === 0) endRecord()
  return { records, quotesAreRight }
}
