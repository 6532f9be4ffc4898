import { UserError } from '../../core/errors.js'
import { CsvScanner, type CsvDialect, type ScannedRecord } from './csv-scanner.js'
import type { ImportItem } from './item.js'
import type { TextFile } from './open-file.js'
import { textPieces } from './text-pieces.js'

/** The cells of a record by the names of their columns. */
export class TableRow {
  readonly #slots: ReadonlyMap<string, number>
  readonly #cells: readonly string[]

  constructor(slots: ReadonlyMap<string, number>, cells: readonly string[]) {
    this.#slots = slots
    this.#cells = cells
  }

  /** Trimmed; null where the cell is empty or the file has no such column. */
  text(column: string): string | null {
    const slot = this.#slots.get(column)
    if (slot === undefined) return null
    const text = (this.#cells[slot] ?? '').trim()
    return text === '' ? null : text
  }
}

export interface Table {
  /** What such a file is called, for errors. */
  readonly what: string
  /** Without these columns it is another file. Names count without outer spaces, in any case. */
  readonly required: readonly string[]
  /** Others that are read where they are there. */
  readonly wanted: readonly string[]
  /** Tab-separated files of this kind know no quotes. */
  readonly tabsUnquoted?: boolean
  /** Total: any text gives an item. */
  read(row: TableRow, line: number): ImportItem
}

/** The records of a delimited file as items. Errors: those of files, REGISTRY_IMPORT_INVALID for another kind. */
export async function* tableItems(
  file: TextFile,
  table: Table,
  pieces: AsyncIterable<string> = textPieces(file),
): AsyncGenerator<readonly ImportItem[]> {
  let scanner: CsvScanner | null = null
  const header: { slots: ReadonlyMap<string, number> | null } = { slots: null }
  let head = ''
  const itemsOf = (records: readonly ScannedRecord[]) =>
    records.map((record) => {
      if (header.slots === null) throw otherKind(file, table, 'it has no header')
      return itemOf(record, header.slots, table)
    })
  const start = (): CsvScanner =>
    new CsvScanner(dialectOf(head, table), (names) => {
      header.slots = slotsOf(file, table, names)
      return columnsOf(names, header.slots)
    })
  for await (const piece of pieces) {
    if (scanner === null) {
      head += piece
      if (!/[\r\n]/.test(head) && head.length < headCharsMax) continue
      scanner = start()
      yield itemsOf(scanner.push(head))
    } else yield itemsOf(scanner.push(piece))
  }
  scanner ??= start()
  // Of a file of one line, nothing was scanned yet.
  if (header.slots === null) yield itemsOf(scanner.push(head))
  yield itemsOf(scanner.end())
  if (header.slots === null) throw otherKind(file, table, 'it has no header')
}

/** Of a file so much is looked at before it is read. */
export const headCharsMax = 262_144

function itemOf(
  { cells, line, reason }: ScannedRecord,
  slots: ReadonlyMap<string, number>,
  table: Table,
): ImportItem {
  return reason === null ? table.read(new TableRow(slots, cells), line) : { kind: 'rejected', line, reason }
}

export function dialectOf(head: string, { tabsUnquoted = false }: Pick<Table, 'tabsUnquoted'>): CsvDialect {
  const line = (head.split(/[\r\n]/, 1)[0] ?? '').replace(/"[^"]*"/g, '')
  let delimiter = ','
  for (const other of ['\t', ';', '|']) {
    if (line.split(other).length > line.split(delimiter).length) delimiter = other
  }
  return { delimiter, quoted: !(tabsUnquoted && delimiter === '\t') }
}

function slotsOf(file: TextFile, table: Table, header: readonly string[]): Map<string, number> {
  const names = new Set(header.map(columnKey))
  const missing = table.required.find((column) => !names.has(columnKey(column)))
  if (missing !== undefined) throw otherKind(file, table, `it has no column ${missing}`)
  const present = [...table.required, ...table.wanted].filter((column) => names.has(columnKey(column)))
  return new Map(present.map((column, slot) => [column, slot]))
}

/** Of each slot, the index of its column. */
function columnsOf(header: readonly string[], slots: ReadonlyMap<string, number>): number[] {
  const indexes = new Map(header.map((name, index) => [columnKey(name), index]))
  return [...slots.keys()].map((column) => indexes.get(columnKey(column)) ?? -1)
}

function columnKey(name: string): string {
  return name.trim().toLowerCase()
}

export function otherKind(
  { label }: Pick<TextFile, 'label'>,
  { what }: Pick<Table, 'what'>,
  reason: string,
): UserError {
  return new UserError('REGISTRY_IMPORT_INVALID', `${label} is no ${what}: ${reason}`, {
    hint: 'name the format the file has; enrich registry import --help lists them',
  })
}
