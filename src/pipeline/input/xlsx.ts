import { toSqlCell, type WrittenCell } from '../../tables/writers.js'
import { withHintFirst } from '../../core/errors.js'
import { openXlsx, type SheetRow, type XlsxFile } from '../../tables/xlsx/xlsx-file.js'
import { findNameColumn } from './detect-columns.js'
import { createMissingColumnError, UnitedColumns } from './header-and-cells.js'
import { readFolderCells } from './file-content.js'
import type { SourceFile } from './sources.js'
import {
  splitIntoBatches,
  toJsonText,
  type CellRow,
  type CellType,
  type InputFile,
  type InputTable,
  type TableLayout,
  type MemberRows,
  type ReadOptions,
  type TextRow,
} from './table.js'
import { findOtherTables, KindTally, readLayout, type OtherSheet, type SheetLayout } from './xlsx-sheet.js'

/** SQL types of the cells that the names of folders give. */
const folderTypes = { text: 'VARCHAR', integer: 'BIGINT', date: 'DATE' } as const

interface SheetFile {
  readonly source: SourceFile
  readonly layout: SheetLayout
  readonly sheetName: string
  /** Cells that the names of the folders give to every row, by column. */
  readonly folderCells: ReadonlyMap<string, { readonly text: string; readonly cell: WrittenCell }>
}

/** Opens one sheet of each of one or several Excel files as one table: columns united by name, rows in order. */
export async function openSheets(files: readonly SourceFile[], options: ReadOptions): Promise<InputTable> {
  const sheets: Omit<SheetFile, 'folderCells'>[] = []
  const notices: string[] = []
  const united = new UnitedColumns()
  const columns = new Map<string, KindTally>()
  let sheetHint: string | null = null
  for (const source of files) {
    const file = await openXlsx(source.path, options.sheet, source.label)
    try {
      const others = options.sheet === undefined ? await findOtherTables(file) : []
      const other = proposeSheet(others.filter(({ isBasis }) => !isBasis))
      const read = await readLayout(file, options).catch((error: unknown) => {
        throw withHintFirst(error, other?.hint ?? null)
      })
      sheetHint ??= other?.hint ?? null
      const names = united.add(read.columns.map(({ name }) => name))
      const layout = {
        ...read,
        columns: read.columns.map((column, index) => ({ ...column, name: names[index] ?? column.name })),
      }
      const hasNames = findNameColumn(layout.columns.map(({ name }) => name)) !== null
      const proposed = hasNames && other?.hasNames === false ? null : other
      sheets.push({ source, layout, sheetName: file.sheetName })
      notices.push(
        ...describeSheets(file, options.sheet, others, proposed?.hint),
        ...layout.doubts,
        ...layout.notices,
        ...file.listNotices(new Map(layout.columns.map(({ name, position }) => [position, name]))),
      )
      for (const { name, tally } of layout.columns) {
        const known = columns.get(name)
        if (known === undefined) columns.set(name, tally)
        else known.addAll(tally)
      }
    } finally {
      file.close()
    }
  }
  const folders = readFolderCells(
    files,
    sheets.map(({ layout }) => layout.columns.map(({ name }) => name)),
  )
  const withFolders = sheets.map((sheet, index) => {
    const folderCells: SheetFile['folderCells'] & Map<string, unknown> = new Map()
    for (const { name, value: text, type } of folders.cells[index] ?? []) {
      const tally = columns.get(name) ?? new KindTally()
      columns.set(name, tally)
      if (text === null) continue
      tally.add(type)
      folderCells.set(name, { text, cell: toSqlCell(text, folderTypes[type]) })
    }
    return { ...sheet, folderCells }
  })
  notices.unshift(...folders.notices)
  const types = [...columns.values()].map(({ type }) => type)
  return new SheetTable(withFolders, [...columns.keys()], types, notices, options, sheetHint)
}

/** Another sheet that most likely holds the companies. */
interface ProposedSheet {
  /** Example: `--sheet Customers reads the sheet with the column "company_name"`. */
  readonly hint: string
  readonly hasNames: boolean
}

/** Returns the first sheet with a column of names, else the widest, or `null` if no other sheet has a table. */
function proposeSheet(tables: readonly OtherSheet[]): ProposedSheet | null {
  const named = tables.find(({ nameColumn }) => nameColumn !== null)
  const [widest] = tables.toSorted((one, other) => other.columnCount - one.columnCount)
  const proposed = named ?? widest
  if (proposed === undefined) return null
  const { name, nameColumn, columnCount } = proposed
  const holds =
    nameColumn === null
      ? `a table of ${columnCount === 1 ? '1 column' : `${columnCount} columns`}`
      : `the column ${JSON.stringify(nameColumn)}`
  return { hint: `--sheet ${quoteSheet(name)} reads the sheet with ${holds}`, hasNames: nameColumn !== null }
}

/** Quotes the name for a shell. */
const quoteSheet = (name: string) =>
  /^[\p{L}\p{N}_.]+$/u.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`

function describeSheets(
  { label, sheets, sheetName, hasMacros }: XlsxFile,
  wanted: string | undefined,
  tables: readonly OtherSheet[],
  hint = '--sheet selects another',
): string[] {
  const known = new Set([sheetName, ...tables.flatMap(({ name, isBasis }) => (isBasis ? [name] : []))])
  const others = sheets.filter(({ name }) => !known.has(name))
  const named = others
    .slice(0, sheetsNamedMax)
    .map(({ name, isHidden }) => `"${name}"${isHidden ? ' (hidden)' : ''}`)
  if (others.length > sheetsNamedMax) named.push(`${others.length - sheetsNamedMax} more`)
  return [
    ...(others.length === 0 || wanted !== undefined
      ? []
      : [`${label}: the sheet "${sheetName}" is read, and not ${named.join(', ')}; ${hint}`]),
    ...(hasMacros ? [`${label}: its macros are not run; cells are read as they were saved`] : []),
  ]
}

const sheetsNamedMax = 10

class SheetTable implements InputTable {
  readonly layout: TableLayout
  /** A single file stays open, with its shared texts. Several are opened one after another. */
  private only: Promise<XlsxFile> | null = null

  constructor(
    private readonly sheets: readonly SheetFile[],
    readonly columns: readonly string[],
    private readonly types: readonly CellType[],
    private readonly notices: readonly string[],
    private readonly options: ReadOptions,
    sheetHint: string | null,
  ) {
    const [name = null, another] = new Set(sheets.map((sheet) => sheet.sheetName))
    const sheetName = another === undefined ? name : null
    this.layout = { sheetName, sheetHint, listFiles: () => this.listFiles() }
  }

  textRows(columns: readonly string[], isSample = false): AsyncGenerator<readonly TextRow[]> {
    const createRowMapper = (sheet: SheetFile) => {
      return createCellReader(sheet, columns, this.columns, ({ text }) => text)
    }
    return this.readBatches(readTexts, createRowMapper, isSample)
  }

  cellRows(): AsyncGenerator<readonly CellRow[]> {
    return this.readBatches<WrittenCell, CellRow>(
      (file) => file.cellRows(),
      (sheet) => createCellReader(sheet, this.columns, this.columns, ({ cell }) => cell),
    )
  }

  async *objectRows(): AsyncGenerator<readonly string[]> {
    const keys = this.columns.map((name) => `${JSON.stringify(name)}:`)
    for await (const rows of this.textRows(this.columns)) {
      yield rows.map(
        (row) =>
          `{${row.map((text, index) => `${keys[index] ?? ''}${this.formatJson(text, index)}`).join(',')}}`,
      )
    }
  }

  parquetSource(): MemberRows {
    const rows = (cellColumns: readonly string[] = []) =>
      this.readBatches(readTexts, (sheet) => {
        const readAll = createCellReader(sheet, this.columns, this.columns, ({ text }) => text)
        const readWanted = createCellReader(sheet, cellColumns, this.columns, ({ text }) => text)
        return (row) => ({
          members: readAll(row)
            .flatMap((text, index) => (text === null ? [] : [`"c${index}":${this.formatJson(text, index)}`]))
            .join(','),
          cells: readWanted(row),
        })
      })
    return { kind: 'members', types: this.types, readMembers: rows }
  }

  listNotes(): readonly string[] {
    return this.notices
  }

  listDoubts(): readonly string[] {
    return this.sheets.flatMap(({ layout }) => layout.doubts)
  }

  private listFiles(): readonly InputFile[] {
    return this.sheets.map(({ source: { label }, layout: { columns, header }, folderCells }) => {
      return { label, columns: [...columns.map(({ name }) => name), ...folderCells.keys()], header }
    })
  }

  close(): void {
    void this.only?.then(
      (file) => {
        file.close()
      },
      () => undefined,
    )
    this.only = null
  }

  private formatJson(text: string | null, index: number): string {
    return text === null ? 'null' : toJsonText(text, this.types[index] ?? 'text')
  }

  private readBatches<Value, Row>(
    read: (file: XlsxFile) => AsyncIterable<readonly SheetRow<Value>[]>,
    rowsOf: (sheet: SheetFile) => (row: SheetRow<Value>) => Row,
    isSample = false,
  ): AsyncGenerator<readonly Row[]> {
    const isRead = ({ source }: SheetFile) => isSample || (this.options.chosen?.has(source) ?? true)
    return splitIntoBatches(this.rows(this.sheets.filter(isRead), read, rowsOf), this.options.rowsMax)
  }

  private async *rows<Value, Row>(
    sheets: readonly SheetFile[],
    read: (file: XlsxFile) => AsyncIterable<readonly SheetRow<Value>[]>,
    rowsOf: (sheet: SheetFile) => (row: SheetRow<Value>) => Row,
  ): AsyncGenerator<Row[]> {
    for (const sheet of sheets) {
      const file = await this.open(sheet)
      try {
        let above = sheet.layout.rowsAbove
        for await (const rows of read(file)) {
          const below = rows.slice(above)
          above = Math.max(0, above - rows.length)
          if (below.length > 0) yield below.map(rowsOf(sheet))
        }
      } finally {
        if (this.sheets.length > 1) file.close()
      }
    }
  }

  private open({ source }: SheetFile): Promise<XlsxFile> {
    const open = () => openXlsx(source.path, this.options.sheet, source.label)
    return this.sheets.length > 1 ? open() : (this.only ??= open())
  }
}

const readTexts = (file: XlsxFile) => file.readRows()

/** Returns a function for the wanted columns of a row. `toValue` converts a cell of the folders. */
function createCellReader<Value>(
  { layout, folderCells }: SheetFile,
  wanted: readonly string[],
  known: readonly string[],
  toValue: (cell: { readonly text: string; readonly cell: WrittenCell }) => Value,
): (row: SheetRow<Value>) => (Value | null)[] {
  const positionOf = new Map(layout.columns.map(({ name, position }) => [name, position]))
  const places = wanted.map((name) => {
    const position = positionOf.get(name)
    if (position === undefined && !known.includes(name)) throw createMissingColumnError(name)
    const folderCell = folderCells.get(name)
    return { position: position ?? -1, absent: folderCell === undefined ? null : toValue(folderCell) }
  })
  return ({ cells }) => places.map(({ position, absent }) => cells.get(position) ?? absent)
}
