import { tableLimits } from './limits-and-errors.js'

/** Layout of a delimited file, detected from its start. */
export interface Layout {
  readonly delimiter: string
  /** Number of lines above the header, which are not part of the table. */
  readonly linesAbove: number
  /** The lines among these that the user should know about: titles, not `sep=`. */
  readonly titleLines: number
  /** Names of the columns of a file without a header; `null` for a file with one. */
  readonly names: readonly string[] | null
  /** Why the delimiter is uncertain; empty if it is certain. */
  readonly doubts: readonly string[]
}

/** Facts about a file that its text does not show. */
interface LayoutHints {
  /** The delimiter that the user gives; takes precedence over a `sep=` line. */
  readonly delimiter?: string | undefined
  /** Whether the file is named .tsv. */
  readonly isNamedTsv?: boolean
  /** Defaults to true. */
  readonly hasHeader?: boolean
}

/** Excel's first line, which names the delimiter. */
const separatorLine = /^"?sep=(.)"?(?:\r\n|\n|\r)/i

const delimiters = [',', '\t', ';', '|', '^', '~', '\u0001'] as const

const delimiterNames: Readonly<Record<string, string>> = {
  ',': 'comma',
  '\t': 'tab',
  ';': 'semicolon',
  '|': 'vertical bar',
  '^': 'circumflex',
  '~': 'tilde',
  '\u0001': 'character U+0001',
}

/** Delimiter of a file with one column: a character that no text has. */
export const noDelimiter = '\0'

/**
 * Detects the delimiter and the lines above the header from the first text of a file. A delimiter that the header does
 * not have is not the delimiter: then each line is one cell.
 */
export function detectLayout(sample: string, hints: LayoutHints): Layout {
  const named = separatorLine.exec(sample)
  const above = named === null ? 0 : 1
  const rest = named === null ? sample : sample.slice(named[0].length)
  const told = hints.delimiter ?? named?.[1]
  if (hints.hasHeader === false) return detectWithoutHeader(rest, told ?? null, above)
  const tries = told === undefined ? delimiters : [told]
  const isWhole = tries.some((delimiter) => {
    const [first, ...below] = sampleRecords(rest, delimiter)
    const isAlike = below.every(({ cells }) => cells.length === first?.cells.length)
    return first !== undefined && isAlike && namesColumns(first, below, titleLimits.widthMin)
  })
  const titled = isWhole ? [] : tries.flatMap((delimiter) => findTitles(rest, delimiter) ?? [])
  const [best] = titled.sort((one, other) => other.share - one.share || other.width - one.width)
  const linesAbove = above + (best?.titleLines ?? 0)
  const isTabbed = hints.isNamedTsv === true && hasCells(rest, '\t')
  const delimiter = told ?? best?.delimiter ?? (isTabbed ? '\t' : detectDelimiter(rest))
  const doubts: string[] = []
  if (told === undefined && hints.isNamedTsv === true && delimiter !== '\t' && delimiter !== noDelimiter)
    doubts.push(`it is named .tsv, and its header has no tab: read with the ${delimiterNames[delimiter]}`)
  if (delimiter === noDelimiter) doubts.push(...describeSplitRows(rest, linesAbove))
  return { delimiter, linesAbove, titleLines: best?.titleLines ?? 0, names: null, doubts }
}

const hasCells = (text: string, delimiter: string) =>
  (sampleRecords(text, delimiter)[0]?.cells.length ?? 1) > 1

const titleLimits = {
  /** Highest number of lines above a table. */
  linesMax: 30,
  /** A title has one filled cell, a caption like "Generated on;2026-11-20" has two. */
  filledCellsMax: 2,
  /** Fewer columns may occur by chance: a comma in a name splits it in two. */
  widthMin: 3,
  rowsMin: 2,
} as const

interface TitledHeader {
  readonly delimiter: string
  readonly width: number
  /** Share of the records below that have this width. */
  readonly share: number
  readonly titleLines: number
}

/**
 * Finds the header below the titles of a report; `null` if the first record is the header. Only applies if no other
 * reading is likely: nearly all records below the header have its width; header cells are filled, distinct words or signs;
 * each line above has at most two filled cells.
 */
function findTitles(text: string, delimiter: string): TitledHeader | null {
  const records = sampleRecords(text, delimiter)
  const headerAt = findHeaderBelowTitles(records, titleLimits.widthMin)
  const header = records[headerAt ?? -1]
  if (header === undefined || headerAt === null) return null
  const { length: width } = cutBlankEnd(header.cells)
  const share = listRows(records.slice(headerAt + 1), width).length / (records.length - headerAt - 1)
  return { delimiter, width, share, titleLines: header.line - 1 }
}

/**
 * Returns the index of the header in the first records of a table if titles precede it, else `null`. `isTitle` returns
 * whether a record can only be a title.
 */
export function findHeaderBelowTitles(
  records: readonly SampleRecord[],
  widthMin: number,
  isTitle: (record: SampleRecord) => boolean = () => false,
): number | null {
  const headerAt = records.findIndex((record, at) => namesColumns(record, records.slice(at + 1), widthMin))
  const header = records[headerAt]
  if (header === undefined || header.line > titleLimits.linesMax + 1) return null
  const above = records.slice(0, headerAt)
  const { length: width } = cutBlankEnd(header.cells)
  const below = records.slice(headerAt + 1)
  const rows = listRows(below, width)
  // A first record of two cells may itself be the header of a ragged table.
  const isSure = rows.length === below.length || countFilled(records[0] ?? header) === 1
  const isTitled =
    above.length > 0 &&
    isSure &&
    above.every(
      (record) => countFilled(record) <= titleLimits.filledCellsMax && countFilled(record) < width,
    ) &&
    (above.every(isTitle) || isApart(above, header, rows))
  return isTitled ? headerAt : null
}

/** Whether a record names the columns of the records below it: one of these may be ragged, and a few of many. */
function namesColumns(record: SampleRecord, below: readonly SampleRecord[], widthMin: number): boolean {
  const { length: width } = cutBlankEnd(record.cells)
  if (width < widthMin || below.length < titleLimits.rowsMin || !isHeader(record)) return false
  return below.length - listRows(below, width).length <= Math.max(1, below.length * (1 - alikeMin))
}

/** Lists the records of a table: after its last column, their cells are empty. */
const listRows = (records: readonly SampleRecord[], width: number): readonly SampleRecord[] =>
  records.filter(({ cells }) => cells.length >= width && cutBlankEnd(cells).length <= width)

/** Drops the empty cells at the end of a record. */
const cutBlankEnd = (cells: readonly string[]): readonly string[] =>
  cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1)

/** Returns whether all cells up to the last filled one are distinct words, or signs of a column. A first one may number the rows: `1` or empty. */
export function isHeader(record: SampleRecord): boolean {
  const cells = cutBlankEnd(record.cells)
  return (
    new Set(cells).size === cells.length &&
    cells.every((cell, at) => {
      const isWord = (/\p{L}/u.test(cell) && !/@/.test(cell)) || signOfColumn.test(cell)
      return (isWord || (at === 0 && /^[№#]?\d?$/.test(cell))) && cell === cell.trim()
    })
  )
}

/** Signs that name a column without a letter. */
const signOfColumn = /^[(（]?[〒〶№℡☎☏✆✉📞📧📠#%‰\p{Sc}]+\ufe0f?[)）]?$/u

/** A single title directly above the header may itself be the header of a ragged table: then the rows decide. */
function isApart(
  above: readonly SampleRecord[],
  header: SampleRecord,
  rows: readonly SampleRecord[],
): boolean {
  const last = above.at(-1)
  if (last === undefined) return false
  const hasGap = countFilled(last) === 0 || header.line - last.line > last.lineCount
  return hasGap || above.length > 1 || hasNumbersBelow(header, rows)
}

/** Returns whether a column has a word as its header and a digit in every cell. */
function hasNumbersBelow({ cells }: SampleRecord, rows: readonly SampleRecord[]): boolean {
  return cells.some(
    (name, at) => !/\d/.test(name) && rows.every((record) => /\d/.test(record.cells[at] ?? '')),
  )
}

const countFilled = ({ cells }: SampleRecord): number => cells.filter((cell) => cell.trim() !== '').length

/**
 * Detects the delimiter of a CSV by its first records: one that the header has, with which quotes are in valid places
 * and most records have as many cells as the header. Among equals, one that is not followed by spaces in the header,
 * then the one with more cells.
 */
function detectDelimiter(text: string): string {
  let best = { delimiter: noDelimiter, score: 0, tightness: 0, cells: 1 }
  for (const delimiter of delimiters) {
    const { records, quotesAreRight } = scan(text, delimiter)
    const [header] = records
    const cells = header?.cells.length ?? 1
    if (header === undefined || cells < 2) continue
    const alike = records.filter((record) => record.cells.length === cells).length / records.length
    const score = quotesAreRight ? alike + 1 : alike
    const found = { delimiter, score, tightness: isSpaced([header], delimiter) ? 0 : 1, cells }
    const difference =
      found.score - best.score || found.tightness - best.tightness || found.cells - best.cells
    if (difference > 0) best = found
  }
  return best.delimiter === noDelimiter ? (findTrailing(text) ?? noDelimiter) : best.delimiter
}

/** Returns whether every delimiter is followed by a space, like the commas of a text. */
const isSpaced = (records: readonly SampleRecord[], delimiter: string): boolean =>
  delimiter !== '\t' && records.every(({ cells }) => cells.slice(1).every((cell) => /^\s+\S/.test(cell)))

/** Finds a delimiter that only ends rows, under a header of one cell. */
function findTrailing(text: string): string | null {
  const found = delimiters.find((delimiter) => {
    const rows = sampleRecords(text, delimiter).slice(1)
    const ended = rows.filter(({ cells }) => cells.length > 1)
    return (
      ended.length >= Math.max(1, rows.length / 2) &&
      ended.every(({ cells }) => cells.slice(1).every((cell) => cell === ''))
    )
  })
  return found ?? null
}

/** Share of the rows that must have as many cells, in a file without a header or under a header of one cell. */
const alikeMin = 0.8

/** Explains why lines that are read as one cell may have several. */
function describeSplitRows(text: string, linesAbove: number, headerCount = 1): string[] {
  for (const delimiter of delimiters) {
    const rows = sampleRecords(text, delimiter).slice(headerCount)
    const { split, alike } = findSplit(rows)
    const isText = isSpaced(split, delimiter) && (headerCount === 1 || alike.length < rows.length)
    if (split.length === 0 || isText) continue
    const isSplit = delimiter === '\t' || alike.length >= rows.length * alikeMin
    if (!isSplit) continue
    const lines = split.slice(0, linesNamedMax).map(({ line }) => line + linesAbove)
    const more = split.length > lines.length ? ', …' : ''
    const where = `${split.length} of the first ${rows.length} rows (line ${lines.join(', ')}${more})`
    const header = headerCount === 1 ? 'its header has one column, and ' : ''
    return [`${header}${where} contain a ${delimiterNames[delimiter]}: each line is read as one cell`]
  }
  return []
}

const linesNamedMax = 5

/** Returns the rows with several cells, and those with the most frequent number of cells. */
function findSplit(rows: readonly SampleRecord[]): {
  split: readonly SampleRecord[]
  alike: readonly SampleRecord[]
} {
  const split = rows.filter(({ cells }) => cells.length > 1)
  const byWidth = new Map<number, SampleRecord[]>()
  for (const row of split) byWidth.set(row.cells.length, [...(byWidth.get(row.cells.length) ?? []), row])
  const [alike = []] = [...byWidth.values()].sort((one, other) => other.length - one.length)
  return { split, alike }
}

/** Detects the delimiter of a file whose first line is a row, and names its columns. */
function detectWithoutHeader(text: string, told: string | null, linesAbove: number): Layout {
  let best = { delimiter: noDelimiter, share: 0, width: 1 }
  for (const delimiter of told === null ? delimiters : [told]) {
    const { records, quotesAreRight } = scan(text, delimiter)
    const { split, alike } = findSplit(records)
    const share = alike.length / Math.max(1, records.length)
    const width = alike[0]?.cells.length ?? 1
    const isFit = quotesAreRight && share >= alikeMin && !isSpaced(split, delimiter)
    if (told !== null || (isFit && (share > best.share || (share === best.share && width > best.width))))
      best = { delimiter, share, width }
  }
  const { delimiter, width } = best
  const isEmpty = sampleRecords(text, delimiter).length === 0
  const names = isEmpty ? [] : Array.from({ length: width }, (_, index) => `column_${index + 1}`)
  const doubts = delimiter === noDelimiter ? describeSplitRows(text, linesAbove, 0) : []
  return { delimiter, linesAbove, titleLines: 0, names, doubts }
}

export interface SampleRecord {
  readonly cells: readonly string[]
  /** Number of the first line of the record, counted from 1. */
  readonly line: number
  readonly lineCount: number
}

/** Returns the first records of a text, without blank lines and a record that may be cut. */
function sampleRecords(text: string, delimiter: string): readonly SampleRecord[] {
  return scan(text, delimiter).records
}

/** Returns whether quotes only enclose whole cells, and all records from the header on have as many cells. */
export function hasRightQuotes(text: string, { delimiter, linesAbove }: Layout): boolean {
  const { records, quotesAreRight, isOpen } = scan(text, delimiter, Infinity)
  const table = records.filter(({ line }) => line > linesAbove)
  return quotesAreRight && !isOpen && table.every(({ cells }) => cells.length === table[0]?.cells.length)
}

type Place = 'start' | 'bare' | 'quoted' | 'closed'

function scan(
  text: string,
  delimiter: string,
  recordsMax: number = tableLimits.delimiterSampleRecords,
): { records: readonly SampleRecord[]; quotesAreRight: boolean; isOpen: boolean } {
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
      if (records.length === recordsMax) break
      startLine = isBreak ? line + 1 : line
    } else if (char === delimiter) {
      cells.push(cell)
      cell = ''
      place = 'start'
    } else if (char === '"' && place !== 'bare') {
      // Opens a cell at its start; after a closing quote, it is the second of a doubled quote.
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
  const isOpen = place === 'quoted'
  if (records.length === 0) endRecord()
  return { records, quotesAreRight, isOpen }
}
