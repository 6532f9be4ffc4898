import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { XmlError, XmlReader } from '../../platform/xml.js'
import { openFiles, openText, type ByteSource } from '../../tables/text-tables.js'
import type { FileFormat, ImportItem, ItemPiece, ReadOptions } from '../model/registry-rows.js'
import type { RegisterSource, SourceTable } from '../sources/source.js'
import { findCountryName } from '../../core/countries.js'
import { parseDate, type dateOrders, type DateOrder } from '../../core/file-formats.js'
import { parseJson, readJsonItems, createOtherKindError, readTableItems } from './table.js'
import {
  createDateScout,
  createRowReader,
  listColumns,
  mappedDates,
  patternFlags,
  readPath,
  type RowReader,
} from './mapped-row.js'

const dataFile = /\.(?:csv|tsv|txt|json|jsonl|ndjson|xml)$/i

/** Creates the format of a source whose tables are described by columns. */
export function createMappedFormat(source: RegisterSource): FileFormat {
  return {
    coverage: 'whole',
    addsUp: isAddedUp(source),
    async *read(path, options) {
      for (const table of source.tables) yield* readMappedFile(source, table, path, options)
    },
  }
}

/** Whether the rows of several tables, or several rows, make one registration. */
export const isAddedUp = ({ tables }: RegisterSource): boolean =>
  tables.length > 1 || tables.some(({ adds, formerName }) => adds || formerName !== undefined)

/**
 * Reads the files of a table, also in a zip. Errors: those of reading files, and REGISTRY_IMPORT_INVALID for a file
 * without the columns of the table.
 */
export async function* readMappedFile(
  source: RegisterSource,
  table: SourceTable,
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<ItemPiece> {
  const wanted = table.file === undefined ? dataFile : new RegExp(table.file, patternFlags)
  for await (const file of openFiles(path, wanted)) {
    const isOther = table.file !== undefined && file.label === path && !wanted.test(basename(path))
    if (isOther) continue
    const dates = await findDateOrders(file, { source, table, options })
    for (const notice of describeDateOrders(dates, null)) options.onNotice?.(notice)
    const read = createRowReader(source, table, toOrders(dates))
    yield* readRecords(file, { source, table, read, options })
  }
}

/** Reads rows until each field of dates shows the order of day and month, unless the source states it. */
async function findDateOrders(
  file: ByteSource,
  { source, table, options }: Omit<Reading, 'read'>,
): Promise<readonly DateReading[]> {
  const { jurisdiction = source.country } = source
  const home = jurisdiction === '*' ? null : jurisdiction.slice(0, 2).toUpperCase()
  const finder = new DateOrderFinder()
  const look = table.dates === undefined ? createDateScout(table, finder) : null
  if (look !== null) {
    const silent = { ...options, onNotice: undefined }
    for await (const piece of readRecords(file, { source, table, read: look, options: silent })) {
      Array.from(piece)
      if (finder.isSettled) break
    }
  }
  return mappedDates.map((field) => {
    const text = field === 'formerNames' ? undefined : table.columns?.[field]
    const column = typeof text === 'string' ? text : field
    const { dates } = table
    const found = dates === undefined ? finder.find(field, home) : { order: dates, either: null }
    return { field, column, countryCode: home, ...found }
  })
}

/** Whether a file is one of the table, or a zip with one. Errors: those of reading files. */
async function hasTableFile(table: SourceTable, path: string): Promise<boolean> {
  if (table.file === undefined) return true
  const wanted = new RegExp(table.file, patternFlags)
  if (wanted.test(basename(path))) return true
  for await (const file of openFiles(path, wanted)) return file.label !== path
  return false
}

/** A file of a source that is not there. */
export interface MissingFile {
  /** Pattern of its name. */
  readonly file: string
  /** Fields that companies lack without it. */
  readonly fields: readonly string[]
}

/** Lists the files of a source that none of the paths has. Errors: those of reading files. */
export async function listMissingFiles(
  { tables }: RegisterSource,
  paths: readonly string[],
): Promise<MissingFile[]> {
  const missing: MissingFile[] = []
  for (const table of tables) {
    const found = await Promise.all(paths.map((path) => hasTableFile(table, path)))
    const { file = '', columns = {} } = table
    if (!found.includes(true))
      missing.push({ file, fields: Object.keys(columns).filter((key) => key !== 'number') })
  }
  return missing
}

interface Reading {
  readonly source: RegisterSource
  readonly table: SourceTable
  readonly read: RowReader
  readonly options: ReadOptions
}

function readRecords(file: ByteSource, reading: Reading): AsyncGenerator<ItemPiece> {
  const { source, table, read, options } = reading
  switch (table.format) {
    case 'delimited': {
      const names = listColumns(table)
      const optional = new Set(table.optional ?? [])
      const layout = {
        encoding: table.encoding,
        delimiter: table.delimiter,
        isQuoted: table.quotes,
        columns: table.header ?? null,
      }
      return readTableItems(
        file,
        {
          what: `file of ${source.name}`,
          required: names.filter((name) => !optional.has(name)),
          wanted: names.filter((name) => optional.has(name)),
          layout,
          read: (row, line) =>
            read((column) => {
              const text = row.getText(column)
              return text === null ? [] : [text]
            }, line),
        },
        options,
      )
    }
    case 'json':
      return readJsonItems(file, ({ text, line }) => readJsonText(text, line, read), options)
    case 'json-lines':
      return readLines(file, reading, (text, line) => readJsonText(text, line, read))
    case 'fixed': {
      const positions = table.positions ?? {}
      const cut = (text: string) => (column: string) => {
        const [start = 1, length = 0] = positions[column] ?? []
        const cell = text.slice(start - 1, start - 1 + length).trim()
        return cell === '' ? [] : [cell]
      }
      return readLines(file, reading, (text, line) => read(cut(text), line))
    }
    case 'xml':
      return readXml(file, reading)
  }
}

function readJsonText(text: string, line: number, read: Reading['read']): ImportItem {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null)
    return { kind: 'rejected', line, reason: 'it is not an object of JSON' }
  return read((column) => readPath(value, column), line)
}

async function* readLines(
  file: ByteSource,
  { table, options }: Reading,
  read: (text: string, line: number) => ImportItem,
): AsyncGenerator<ItemPiece> {
  const text = await openText(file, options.encoding ?? table.encoding)
  let rest = ''
  let line = 0
  const readAll = (lines: readonly string[]) =>
    lines.flatMap((one) => {
      line++
      return one.trim() === '' ? [] : [read(one, line)]
    })
  for await (const piece of text.pieces()) {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop() ?? ''
    yield readAll(lines)
  }
  yield readAll([rest])
}

async function* readXml(file: ByteSource, { source, table, read, options }: Reading) {
  const text = await openText(file, options.encoding ?? table.encoding)
  const what = `file of ${source.name}`
  let items: ImportItem[] = []
  let count = 0
  let texts: Map<string, string[]> | null = null
  const path: string[] = []
  const add = (key: string, piece: string) => {
    if (piece.trim() === '') return
    texts?.set(key, [...(texts.get(key) ?? []), piece.trim()])
  }
  const attributes = listColumns(table).flatMap((column) => {
    const [element = '', name] = column.split('@')
    return name === undefined ? [] : [{ element: element.replace(/\/$/, ''), name, column }]
  })
  let content = ''
  const reader = new XmlReader({
    open(name, attribute) {
      content = ''
      if (texts === null && name === table.element) texts = new Map()
      else if (texts !== null) path.push(name)
      const at = path.join('/')
      for (const wanted of attributes)
        if (wanted.element === at) add(wanted.column, attribute(wanted.name) ?? '')
      return true
    },
    text: (piece) => {
      content += piece
    },
    close() {
      if (texts === null) return
      if (path.length > 0) {
        add(path.join('/'), content)
        path.pop()
      } else {
        const found: ReadonlyMap<string, readonly string[]> = texts
        count++
        items.push(read((column) => found.get(column) ?? [], count))
        texts = null
      }
      content = ''
    },
  })
  try {
    for await (const piece of text.pieces()) {
      reader.write(piece)
      yield items
      items = []
    }
    reader.close()
    yield items
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw createOtherKindError(file, { what }, error.message)
  }
  if (count === 0)
    throw createOtherKindError(file, { what: `file of ${source.name}` }, `it has no ${table.element ?? ''}`)
}

/** Identifies how the rows of a source are read: another reading of the same file gives other rows. */
export const digestMapping = ({ tables, authority, jurisdiction }: RegisterSource): string =>
  createHash('sha256')
    .update(JSON.stringify([tables, authority, jurisdiction]))
    .digest('hex')
    .slice(0, 16)

/** Order of the dates in a column of a file, and why. */
export interface DateReading extends FoundDateOrder {
  readonly field: string
  readonly column: string
  /** Country whose usual order is taken; `null` if unknown. */
  readonly countryCode: string | null
}

export const toOrders = (dates: readonly DateReading[]): Readonly<Record<string, DateOrder>> =>
  Object.fromEntries(dates.map(({ field, order }) => [field, order]))

/**
 * Says in which columns no date shows the order of day and month, and how they are read. `flag`: states the order; `null`
 * for the member of a source.
 */
export const describeDateOrders = (dates: readonly DateReading[], flag: string | null): string[] =>
  dates.flatMap(({ column, order, either, countryCode }) => {
    if (either === null) return []
    const [first, other] = order === 'dmy' ? ['day', 'mdy'] : ['month', 'dmy']
    const usual = countryCode === null ? '' : ` (${findCountryName(countryCode) ?? countryCode})`
    const door = flag === null ? `state "dates": "${other}" in the source` : `pass ${flag} ${other}`
    return [
      `dates of ${column}: none shows whether day or month is first; they are read ${first} first${usual}: ${either} is ${parseDate(either, order) ?? ''}. If that is wrong, ${door}`,
    ]
  })

/** Countries that write the month first. */
const monthFirstCountries = new Set('AS FM GU MH MP PA PH PR PW UM US VI'.split(' '))

const getUsualDateOrder = (countryCode: string | null): DateOrder =>
  monthFirstCountries.has(countryCode ?? '') ? 'mdy' : 'dmy'

/** Dates of a column: how many have a day above 12 in a place, and the first one that fits both orders. */
interface ColumnDates {
  readonly counts: Record<(typeof dateOrders)[number], number>
  either: string | null
  dateCount: number
}

/** Order of a column. `either`: a date that fits both orders, if no date of the file shows the order; otherwise `null`. */
interface FoundDateOrder {
  readonly order: DateOrder
  readonly either: string | null
}

/** Enough rows for a decision. */
const decidingRows = 1_000

/** Finds the order of day and month in the date columns of a file: one day above 12 shows it for all rows. */
export class DateOrderFinder {
  readonly #columns = new Map<string, ColumnDates>()
  #rowCount = 0

  /** Receives the cells of a row by column. */
  look(cells: Iterable<readonly [column: string, text: string | null]>): void {
    this.#rowCount++
    for (const [column, text] of cells) {
      const dates = this.#columns.get(column) ?? { counts: { dmy: 0, mdy: 0 }, either: null, dateCount: 0 }
      this.#columns.set(column, dates)
      const [day, other] = [parseDate(text, 'dmy'), parseDate(text, 'mdy')]
      if (day === null && other === null) continue
      dates.dateCount++
      if (day === null || other === null) dates.counts[day === null ? 'mdy' : 'dmy']++
      else if (day !== other) dates.either ??= text
    }
  }

  /** Further rows would not change the orders. */
  get isSettled(): boolean {
    const columns = [...this.#columns.values()]
    const isOpen = ({ counts, either }: ColumnDates) => either !== null && counts.dmy === counts.mdy
    return (
      this.#rowCount >= decidingRows &&
      !columns.some(isOpen) &&
      (columns.length === 0 || columns.some(({ dateCount }) => dateCount > 0))
    )
  }

  /** A column without an order has that of the others, otherwise the usual one of the country. */
  find(column: string, countryCode: string | null): FoundDateOrder {
    const sum = (order: (typeof dateOrders)[number]) =>
      [...this.#columns.values()].reduce((all, { counts }) => all + counts[order], 0)
    const own = this.#columns.get(column)
    for (const counts of [own?.counts, { dmy: sum('dmy'), mdy: sum('mdy') }])
      if (counts !== undefined && counts.dmy !== counts.mdy)
        return { order: counts.dmy > counts.mdy ? 'dmy' : 'mdy', either: null }
    return { order: getUsualDateOrder(countryCode), either: own?.either ?? null }
  }
}
