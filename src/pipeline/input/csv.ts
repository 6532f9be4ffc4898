import { openDelimited, openFileBytes } from '../../tables/text-tables.js'
import {
  findFreeName,
  findOrAddColumn,
  createMissingColumnError,
  nameColumns,
  UnitedColumns,
} from './header-and-cells.js'
import { readFolderCells } from './file-content.js'
import type { SourceFile } from './sources.js'
import {
  splitIntoBatches,
  type InputFile,
  type InputTable,
  type TableLayout,
  type MemberRows,
  type ReadOptions,
  type TextRow,
} from './table.js'

const raggedLinesNotedMax = 5

interface CsvFile {
  readonly source: Awaited<ReturnType<typeof openDelimited>>
  /** Whether the rows are read; if not, only the header is. */
  readonly isChosen: boolean
  /** The header's cells, without added names. */
  readonly header: readonly string[]
  readonly headerCells: number
  /** Column index in the table for each position in a row. Grows with rows that are longer than the header. */
  readonly positions: number[]
  /** Cells that the names of the folders give to every row, by column index in the table. */
  readonly folderCells: ReadonlyMap<number, string | null>
  readonly short: RaggedLines
  readonly long: RaggedLines
}

interface CsvRecord {
  readonly cells: readonly string[]
  readonly line: number | null
}

interface RaggedLines {
  readonly lines: number[]
  count: number
}

/** Opens one or several CSV files as one table: columns united by name, rows in order. */
export async function openCsv(files: readonly SourceFile[], options: ReadOptions): Promise<InputTable> {
  const columns = new Map<string, number>()
  const united = new UnitedColumns()
  const opened: Omit<CsvFile, 'folderCells'>[] = []
  const own: (readonly string[])[] = []
  for (const file of files) {
    const source = await openDelimited(openFileBytes(file.path, file.label), options)
    const cells = await source.readHeader()
    const header = nameColumns(
      cells.map((text, position) => ({ text, position })),
      file.label,
    )
    const names = united.add(header)
    const positions = names.map((name) => findOrAddColumn(columns, name))
    const isChosen = options.chosen?.has(file) ?? true
    const ragged = { short: noLines(), long: noLines() }
    opened.push({ source, isChosen, header: cells, headerCells: cells.length, positions, ...ragged })
    own.push(names)
  }
  const folders = readFolderCells(files, own)
  const withFolders = opened.map((file, index) => {
    const cells = folders.cells[index] ?? []
    const folderCells = cells.map(({ name, value }) => [findOrAddColumn(columns, name), value] as const)
    return { ...file, folderCells: new Map(folderCells) }
  })
  return new CsvTable(withFolders, columns, options.rowsMax, folders.notices)
}

const noLines = (): RaggedLines => ({ lines: [], count: 0 })

class CsvTable implements InputTable {
  /** Names of positions beyond the headers, shared by all files. */
  private readonly extraNames = new Map<number, string>()
  private isFirstPass = true

  constructor(
    private readonly files: readonly CsvFile[],
    private readonly columnIndex: Map<string, number>,
    private readonly rowsMax: number | undefined,
    private readonly folderNotices: readonly string[],
  ) {}

  get layout(): TableLayout {
    const [first, ...others] = this.delimiters
    const delimiter = others.length === 0 ? (first ?? null) : null
    return { delimiter, listFiles: () => this.listFiles() }
  }

  get columns(): readonly string[] {
    return [...this.columnIndex.keys()]
  }

  /** Without those of files with one column, which have none. */
  private get delimiters(): ReadonlySet<string> {
    return new Set(this.files.flatMap(({ source }) => source.delimiter ?? []))
  }

  textRows(columns: readonly string[], isSample = false): AsyncGenerator<readonly TextRow[]> {
    const wanted = this.wanted(columns)
    return this.readBatches(isSample, (file) => {
      const getCells = createCellReader(file, wanted)
      return ({ cells }) => getCells(cells)
    })
  }

  async *objectRows(): AsyncGenerator<readonly string[]> {
    const names = this.columns
    const keys = names.map((name) => JSON.stringify(name))
    for await (const rows of this.textRows(names)) {
      yield rows.map(
        (row) => `{${keys.map((key, index) => `${key}:${JSON.stringify(row[index])}`).join(',')}}`,
      )
    }
  }

  cellRows(): AsyncGenerator<readonly TextRow[]> {
    return this.textRows(this.columns)
  }

  parquetSource(): MemberRows {
    const rows = (cellColumns: readonly string[] = []) => {
      const wanted = this.wanted(cellColumns)
      return this.readBatches(false, (file) => {
        const getCells = createCellReader(file, wanted)
        const keys = file.positions.map((column, position) => `${position === 0 ? '' : ','}"c${column}":"`)
        const folderMembers = [...file.folderCells]
          .map(([column, value]) => `,"c${column}":${JSON.stringify(value)}`)
          .join('')
        return ({ cells }) => ({
          members: formatMembers(file, keys, cells) + folderMembers,
          cells: getCells(cells),
        })
      })
    }
    return { kind: 'members', types: this.columns.map(() => 'text'), readMembers: rows }
  }

  listNotes(): readonly string[] {
    const doubts = this.listDoubts()
    return [
      ...this.folderNotices,
      ...this.files.flatMap(({ source }) => source.notices.filter((notice) => !doubts.includes(notice))),
      ...doubts,
    ]
  }

  listDoubts(): readonly string[] {
    return [
      ...this.describeDelimiters(),
      ...this.files.flatMap((file) => {
        const { label, doubts, headerLine } = file.source
        const header = headerLine === null ? 'first row' : 'header'
        return [
          ...doubts,
          ...describeRagged(label, file.short, `fewer cells than the ${header}: padded with empty ones`),
          ...describeRagged(label, file.long, `more cells than the ${header}: kept in added columns`),
        ]
      }),
    ]
  }

  private listFiles(): readonly InputFile[] {
    const names = this.columns
    return this.files.map(({ source, positions, folderCells, header }) => {
      const { label, headerLine, delimiter } = source
      const text = header.join(delimiter ?? '')
      return {
        label,
        columns: [...positions, ...folderCells.keys()].map((column) => names[column] ?? ''),
        header: headerLine === null ? null : { place: `line ${headerLine}`, cells: header, text },
      }
    })
  }

  private describeDelimiters(): string[] {
    if (this.delimiters.size < 2) return []
    const examples = [...this.delimiters].map((delimiter) => {
      const file = this.files.find(({ source }) => source.delimiter === delimiter)
      return `${JSON.stringify(delimiter)} in ${file?.source.label ?? ''}`
    })
    return [`the files have different delimiters: ${examples.join(', ')}`]
  }

  private wanted(columns: readonly string[]): readonly number[] {
    return columns.map((name) => {
      const index = this.columnIndex.get(name)
      if (index === undefined) throw createMissingColumnError(name)
      return index
    })
  }

  /** Maps the records of each file with `rowsOf`, which is called after the file's columns have grown. */
  private async *readBatches<Row>(
    isSample: boolean,
    createRowMapper: (file: CsvFile) => (record: CsvRecord) => Row,
  ): AsyncGenerator<readonly Row[]> {
    const isFirstPass = this.isFirstPass && !isSample
    if (isFirstPass) this.isFirstPass = false
    // All parts sample the first rows of the whole input, so that they see the same.
    const files = isSample ? this.files : this.files.filter(({ isChosen }) => isChosen)
    yield* splitIntoBatches(this.rows(files, createRowMapper, isFirstPass), this.rowsMax)
  }

  private async *rows<Row>(
    files: readonly CsvFile[],
    createRowMapper: (file: CsvFile) => (record: CsvRecord) => Row,
    isFirstPass: boolean,
  ): AsyncGenerator<Row[]> {
    for (const file of files) {
      for await (const records of file.source.records()) {
        const isLong = records.some(({ cells }) => cells.length > file.headerCells)
        const rows = isLong ? records.map((record) => withoutTrailing(file, record)) : records
        for (const { cells, line } of rows) {
          if (cells.length === file.headerCells || isBlankLine(cells)) continue
          this.addColumns(file, cells.length)
          if (isFirstPass && line !== null)
            note(cells.length < file.headerCells ? file.short : file.long, line)
        }
        yield rows.map(createRowMapper(file))
      }
    }
  }

  private addColumns(file: CsvFile, cellCount: number): void {
    for (let position = file.positions.length; position < cellCount; position++) {
      let name = this.extraNames.get(position)
      if (name === undefined) {
        name = findFreeName(position + 1, new Set(this.columnIndex.keys()))
        this.extraNames.set(position, name)
      }
      file.positions.push(findOrAddColumn(this.columnIndex, name))
    }
  }
}

/** Drops the empty cells after the last column, unless the header has such a cell too. */
function withoutTrailing({ header, headerCells }: CsvFile, record: CsvRecord): CsvRecord {
  const { cells } = record
  if (cells.length <= headerCells || header.at(-1) === '') return record
  const isTrailing = cells.every((cell, position) => position < headerCells || cell === '')
  return isTrailing ? { ...record, cells: cells.slice(0, headerCells) } : record
}

const isBlankLine = (cells: readonly string[]) => cells.length === 1 && cells[0]?.trim() === ''

/** Returns '' if the row is short, `null` if the file or the row has no such column. */
function getCell(file: CsvFile, cells: readonly string[], position: number): string | null {
  return cells[position] ?? (position >= 0 && position < file.headerCells ? '' : null)
}

/** Returns a function for the wanted columns of a row. */
function createCellReader(
  file: CsvFile,
  wanted: readonly number[],
): (cells: readonly string[]) => (string | null)[] {
  const positionOf = new Map(file.positions.map((column, position) => [column, position]))
  const positions = wanted.map((column) => positionOf.get(column) ?? -1)
  const absent = wanted.map((column) => file.folderCells.get(column) ?? null)
  return (cells) =>
    positions.map((position, index) => getCell(file, cells, position) ?? absent[index] ?? null)
}

/** Formats every cell as a JSON member. Each key includes the quote that opens its cell. */
function formatMembers(file: CsvFile, keys: readonly string[], cells: readonly string[]): string {
  const count = Math.max(cells.length, file.headerCells)
  let members = ''
  for (let position = 0; position < count; position++) {
    const cell = cells[position] ?? ''
    members += (keys[position] ?? '') + (isPlain.test(cell) ? cell + '"' : JSON.stringify(cell).slice(1))
  }
  return members
}

/** Text that needs no escaping in JSON: no quote, backslash, control character or lone surrogate. */
const isPlain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

function note(ragged: RaggedLines, line: number): void {
  ragged.count++
  if (ragged.lines.length < raggedLinesNotedMax) ragged.lines.push(line)
}

function describeRagged(label: string, { count, lines }: RaggedLines, what: string): string[] {
  if (count === 0) return []
  const more = count > lines.length ? ', …' : ''
  return [
    `${label}: ${count} ${count === 1 ? 'row has' : 'rows have'} ${what} (line ${lines.join(', ')}${more})`,
  ]
}
