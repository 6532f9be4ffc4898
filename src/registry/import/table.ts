import { UserError } from '../../core/errors.js'
import { openDelimited, openOneFile, type ByteSource, type LocatedRecord } from '../../tables/text-tables.js'
import { isWorkbook, openXlsx } from '../../tables/xlsx/xlsx-file.js'
import type { FileFormat, ImportItem, ReadOptions } from '../model/registry-rows.js'

/** The cells of a record by column name. */
export class TableRow {
  readonly #slots: ReadonlyMap<string, number>
  readonly #cells: readonly string[]

  constructor(slots: ReadonlyMap<string, number>, cells: readonly string[]) {
    this.#slots = slots
    this.#cells = cells
  }

  /** Returns trimmed text, or `null` if the cell is empty or the column is missing. */
  getText(column: string): string | null {
    const slot = this.#slots.get(column)
    if (slot === undefined) return null
    const text = (this.#cells[slot] ?? '').trim()
    return text === '' ? null : text
  }
}

export interface Table {
  /** Name of the format in errors. */
  readonly what: string
  /** Columns that the format must have; names are compared without outer spaces and case. */
  readonly required: readonly string[]
  /** Optional columns. */
  readonly wanted: readonly string[]
  /** Tab-separated files of this format have no quotes. */
  readonly tabsUnquoted?: boolean
  /** Accepts any text. */
  read(row: TableRow, line: number): ImportItem
}

/** Creates a format of files with one table. `member`: the file in a zip; `mayBeSheet`: the table may be in Excel. */
export function createTableFormat(
  table: Table,
  facts: Partial<Pick<FileFormat, 'coverage' | 'addsUp'>> & { member?: RegExp; mayBeSheet?: true } = {},
): FileFormat {
  const { coverage = 'whole', addsUp = false, member = null, mayBeSheet = false } = facts
  return {
    coverage,
    addsUp,
    async *read(path, options) {
      if (mayBeSheet && (await isWorkbook(path))) yield* readSheetItems(path, table, options)
      else yield* readTableItems(await openOneFile(path, member), table, options)
    },
  }
}

/**
 * Reads the records of a delimited file as items. Errors: those of files, REGISTRY_IMPORT_INVALID for another format.
 */
export async function* readTableItems(
  file: ByteSource,
  table: Table,
  options: ReadOptions = {},
): AsyncGenerator<readonly ImportItem[]> {
  const opened = await openDelimited(file, { encoding: options.encoding })
  for (const notice of opened.notices) options.onNotice?.(notice)
  const isUnquoted = (delimiter: string) => table.tabsUnquoted === true && delimiter === '\t'
  yield* readItems(file, table, (choose) => opened.scan(choose, { isUnquoted }))
}

/** Reads the rows of an Excel file's first visible sheet. Errors: those of `openXlsx`, REGISTRY_IMPORT_INVALID. */
async function* readSheetItems(
  path: string,
  table: Table,
  options: ReadOptions = {},
): AsyncGenerator<readonly ImportItem[]> {
  const sheet = await openXlsx(path)
  try {
    yield* readItems(sheet, table, (choose) => sheet.readRecords(choose))
    for (const notice of sheet.listNotices()) options.onNotice?.(notice)
  } finally {
    sheet.close()
  }
}

type Scan = (
  choose: (header: readonly string[]) => readonly number[],
) => AsyncIterable<readonly LocatedRecord[]>

async function* readItems(
  file: Pick<ByteSource, 'label'>,
  table: Table,
  scan: Scan,
): AsyncGenerator<readonly ImportItem[]> {
  const header: { slots: ReadonlyMap<string, number> | null } = { slots: null }
  const choose = (names: readonly string[]) => {
    header.slots = findSlots(file, table, names)
    return listColumnIndexes(names, header.slots)
  }
  for await (const records of scan(choose)) {
    const { slots } = header
    yield records.map((record) => {
      if (slots === null) throw createOtherKindError(file, table, 'it has no header')
      return readItem(record, slots, table)
    })
  }
  if (header.slots === null) throw createOtherKindError(file, table, 'it has no header')
}

function readItem(
  { cells, line, reason }: LocatedRecord,
  slots: ReadonlyMap<string, number>,
  table: Table,
): ImportItem {
  return reason === null ? table.read(new TableRow(slots, cells), line) : { kind: 'rejected', line, reason }
}

function findSlots(
  file: Pick<ByteSource, 'label'>,
  table: Table,
  header: readonly string[],
): Map<string, number> {
  const names = new Set(header.map(toColumnKey))
  const missing = table.required.find((column) => !names.has(toColumnKey(column)))
  if (missing !== undefined) throw createOtherKindError(file, table, `it has no column ${missing}`)
  const present = [...table.required, ...table.wanted].filter((column) => names.has(toColumnKey(column)))
  return new Map(present.map((column, slot) => [column, slot]))
}

/** Column index of each slot. */
function listColumnIndexes(header: readonly string[], slots: ReadonlyMap<string, number>): number[] {
  const indexes = new Map(header.map((name, index) => [toColumnKey(name), index]))
  return [...slots.keys()].map((column) => indexes.get(toColumnKey(column)) ?? -1)
}

function toColumnKey(name: string): string {
  return name.trim().toLowerCase()
}

export function createOtherKindError(
  { label }: Pick<ByteSource, 'label'>,
  { what }: Pick<Table, 'what'>,
  reason: string,
): UserError {
  return new UserError('REGISTRY_IMPORT_INVALID', `${label} is not a valid ${what}: ${reason}`, {
    hint: 'pass the format of the file; enrich registry import --help lists all formats',
  })
}
