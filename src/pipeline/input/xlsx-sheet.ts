import { UserError } from '../../core/errors.js'
import type { ScannedCell, SheetRow, XlsxFile } from '../../tables/xlsx/xlsx-file.js'
import { findNameColumn } from './detect-columns.js'
import { nameColumns, type HeaderCell } from './header-and-cells.js'
import type { CellType, HeaderRow } from './table.js'

type CellKind = ScannedCell['kind']

/** The kinds of cells seen in a column; they decide its type in Parquet. */
export class KindTally {
  private readonly kinds = new Set<CellKind>()

  add(kind: CellKind): void {
    this.kinds.add(kind)
  }

  /** Adds the kinds of another column. */
  addAll({ kinds }: KindTally): void {
    for (const kind of kinds) this.kinds.add(kind)
  }

  /** The narrowest type that fits all cells; text if they differ or there are no cells. */
  get type(): CellType {
    const [first = 'text', second, third] = [...this.kinds].sort()
    if (second === undefined) return first
    if (third !== undefined) return 'text'
    if (first === 'double' && second === 'integer') return 'double'
    return first === 'date' && second === 'timestamp' ? 'timestamp' : 'text'
  }
}

/** The position of a table in its sheet. */
export interface SheetLayout {
  /** Number of non-empty rows up to and including the header. */
  readonly rowsAbove: number
  readonly columns: readonly SheetColumn[]
  /** `null` if the first row is not a header. */
  readonly header: HeaderRow | null
  readonly notices: readonly string[]
  /** Why the reading is doubtful: rows left out. */
  readonly doubts: readonly string[]
}

interface SheetColumn {
  readonly name: string
  /** In the sheet, counted from 0. */
  readonly position: number
  readonly tally: KindTally
}

/** The header is searched for in these rows. */
const sampleRowsMax = 50

interface LayoutOptions {
  readonly rowsMax?: number | undefined
  readonly hasHeader?: boolean | undefined
}

/**
 * Reads a sheet to its end, to find its non-empty columns, their kinds, merged cells and every defect of the file.
 * Kinds are taken from the first `rowsMax` rows below the header. Throws INPUT_HEADER_UNCLEAR, INPUT_EMPTY,
 * INPUT_COLUMNS_DUPLICATE, INPUT_COLUMNS_TOO_MANY and all errors of reading the file.
 */
export async function readLayout(
  file: XlsxFile,
  { rowsMax = Infinity, hasHeader = true }: LayoutOptions,
): Promise<SheetLayout> {
  const tallies = new Map<number, KindTally>()
  let laterRowCount = 0
  let lastRows: SheetRow<ScannedCell>[] = []
  const scanned = await file.scan(sampleRowsMax, (row) => {
    if (laterRowCount++ + sampleRowsMax <= rowsMax) tallyRow(row, tallies)
    lastRows = [...lastRows.slice(-footerRowsMax), row]
  })
  const { firstRows: sample, header, merges } = scanned
  const where = `${file.label}, sheet "${file.sheetName}"`
  if (!hasHeader && sample.length > 0) {
    for (const row of sample.slice(0, rowsMax)) tallyRow(row, tallies)
    const columns = listColumns(undefined, tallies, where)
    return { rowsAbove: 0, columns, header: null, notices: describeMerges(where, merges), doubts: [] }
  }
  switch (header.kind) {
    case 'none':
      throw new UserError('INPUT_EMPTY', `${where} is empty`, { hint: 'it needs a header and rows' })
    case 'unclear':
      throw new UserError(
        'INPUT_HEADER_UNCLEAR',
        `row ${header.row} of ${where} is not a clear header: ${header.reason}`,
        {
          hint: 'give each column a unique name in one row: unmerge its cells, and delete the rows above it',
        },
      )
    case 'header': {
      for (const row of sample.slice(header.index + 1).slice(0, rowsMax)) tallyRow(row, tallies)
      const headerRow = sample[header.index]
      return {
        rowsAbove: header.index + 1,
        columns: listColumns(headerRow, tallies, where),
        header: describeHeader(headerRow),
        notices: describeMerges(
          where,
          merges.filter(({ lastRow }) => lastRow > (headerRow?.row ?? 0)),
        ),
        doubts: [
          ...describeTitles(where, header.index, headerRow?.row ?? 1),
          ...(tallies.size > 1 ? describeFooter(where, [...sample.slice(header.index), ...lastRows]) : []),
        ],
      }
    }
  }
}

/** A sheet that is not read, with the content of its first rows. */
export interface OtherSheet {
  readonly name: string
  /** Header of the column with company names, or `null`. */
  readonly nameColumn: string | null
  readonly columnCount: number
  /** A run wrote it: the sources of the rows of another sheet. */
  readonly isBasis: boolean
}

/** The first columns of the sheet with the sources of the rows. */
const basisHeader = 'row_number,name,run_id,field'

/** Finds the other visible sheets that have a header and a row, or the header of a basis, among the first ten. */
export async function findOtherTables(file: XlsxFile): Promise<OtherSheet[]> {
  const others = file.sheets.filter(({ name, isHidden }) => name !== file.sheetName && !isHidden)
  const found: OtherSheet[] = []
  for (const { name } of others.slice(0, otherSheetsMax)) {
    const table = await file.findTable(name, sampleRowsMax)
    const texts = table?.header.filter((text) => text.trim() !== '') ?? []
    const isBasis = texts.join(',').startsWith(basisHeader)
    if (isBasis || (table?.hasRows === true && texts.length > 0))
      found.push({ name, nameColumn: findNameColumn(texts), columnCount: texts.length, isBasis })
  }
  return found
}

const otherSheetsMax = 10

function tallyRow({ cells }: SheetRow<ScannedCell>, tallies: Map<number, KindTally>): void {
  for (const [position, { kind }] of cells) {
    let tally = tallies.get(position)
    if (tally === undefined) tallies.set(position, (tally = new KindTally()))
    tally.add(kind)
  }
}

/** Returns the columns that have a name or a value below it. */
function listColumns(
  header: SheetRow<ScannedCell> | undefined,
  tallies: ReadonlyMap<number, KindTally>,
  where: string,
): SheetColumn[] {
  const positions = [...new Set([...(header?.cells.keys() ?? []), ...tallies.keys()])].sort((a, b) => a - b)
  const cells = positions.map((position): HeaderCell => ({
    text: cleanName(header?.cells.get(position)?.text ?? ''),
    position,
  }))
  const names = nameColumns(cells, where)
  return cells.map(({ position }, index) => ({
    name: names[index] ?? '',
    position,
    tally: tallies.get(position) ?? new KindTally(),
  }))
}

/** Spaces alone do not count as a name. */
const cleanName = (text: string) => (text.trim() === '' ? '' : text)

function describeHeader(header: SheetRow<ScannedCell> | undefined): HeaderRow | null {
  if (header === undefined) return null
  const cells = [...header.cells.values()].map(({ text }) => text)
  return { place: `row ${header.row}`, cells, text: cells.join(', ') }
}

function describeTitles(where: string, rowCount: number, headerRow: number): string[] {
  if (rowCount === 0) return []
  const were = rowCount === 1 ? '1 row above the header was' : `${rowCount} rows above the header were`
  return [`${where}: ${were} left out (the header is row ${headerRow})`]
}

const footerRowsMax = 3

/** Describes the last rows if they are below a blank one, and have one cell each. */
function describeFooter(where: string, rows: readonly SheetRow<ScannedCell>[]): string[] {
  const at = rows.findLastIndex(({ row }, index) => index > 0 && row > (rows[index - 1]?.row ?? 0) + 1)
  const below = at < 1 ? [] : rows.slice(at)
  const [first] = below
  if (first === undefined || below.length > footerRowsMax || below.some(({ cells }) => cells.size > 1))
    return []
  return [`${where}: row ${first.row}, below a blank one, has only one cell: it seems to be a footer`]
}

function describeMerges(where: string, { length }: readonly unknown[]): string[] {
  if (length === 0) return []
  const groups = length === 1 ? '1 group of merged cells has' : `${length} groups of merged cells have`
  return [`${where}: ${groups} a value in the first cell only; the others are read as empty`]
}
