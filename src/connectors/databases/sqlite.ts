import { isUtf8 } from 'node:buffer'
import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { plural, quoteSqlName } from '../../core/text.js'
import type { Sqlite } from '../../platform/sqlite.js'
import {
  parseDatabaseFile,
  type TableName,
  type Place,
  type Source,
  type SourceOptions,
} from '../connector.js'
import { assertColumnNames, convertCsv, formatList, type CsvColumn } from './local-parquet.js'
import { explainSqlite, isBusy, listSqlitePlaces, whenSqliteFree, withSqliteFile } from './sqlite-file.js'
import { createMissingError, formatTable, parseSourceAddress, createTableSource } from './table-names.js'

// Tables and queries of SQLite: `sqlite:FILE#table`.
export { openSqliteTarget as openTarget } from './sqlite-target.js'

type Value = bigint | number | string | Buffer | null

/** A statement that reads all rows. */
interface Rows {
  readonly places: readonly Place[]
  /** The declared type is `null` for expressions. */
  readonly columns: readonly { readonly name: string; readonly type: string | null }[]
  readonly iterate: () => IterableIterator<readonly Value[]>
}

/** Rows that are read at once. */
const batchRows = 1_000

/** Throws ADDRESS_INVALID. */
export function openSource(address: string, options: SourceOptions): Source {
  const { database: place, table, from, suffix } = parseSourceAddress(address, options)
  const file = { path: parseDatabaseFile(place), label: place + suffix, use: 'input', options } as const
  const { label } = file
  const prepare = (database: Sqlite): Rows => {
    if (table !== null) assertExists(database, table, label)
    try {
      const statement = database.prepare(`SELECT * FROM ${from}`).raw(true)
      const columns = statement.columns()
      assertColumnNames(columns, label)
      // Reads the file, which may be locked.
      statement.get()
      const places = listSqlitePlaces(database, file.path, from, table)
      return { places, columns, iterate: () => statement.iterate() as IterableIterator<readonly Value[]> }
    } catch (error) {
      if (table !== null || isBusy(error)) throw error
      throw explainSqlite(label, 'QUERY_REFUSED', error)
    }
  }
  return createTableSource(label, options, (path, folder) =>
    withSqliteFile(file, async (database) => {
      const rows = await whenSqliteFree(file, () => prepare(database))
      const csvPath = join(folder, 'table.csv')
      const classes = await writeCsv(rows, csvPath, options)
      const unsure = rows.columns.filter((_, index) => classes[index]?.hasReplacements === true)
      for (const { name } of unsure) assertUtf8(database, from, name, label)
      const declared = rows.columns.flatMap(({ name, type }) => (type ? [[name, type] as const] : []))
      const columns = rows.columns.map(({ name }, index) => ({
        name,
        ...(classes[index] ?? new StorageClasses()).toColumn(),
      }))
      const types = new Map(declared)
      await convertCsv(folder, options, { csvPath, path, kind: 'sqlite', columns, types })
      rmSync(csvPath)
      const mixed = columns.filter(({ isMixed }) => isMixed).map(({ name }) => name)
      const text = `Columns with values of several types are kept as text: ${formatList(mixed)}`
      return { notice: mixed.length === 0 ? null : text, places: rows.places }
    }),
  )
}

function assertExists(database: Sqlite, table: TableName, label: string): void {
  const names = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'`,
    )
    .pluck()
    .all() as string[]
  if (names.some((name) => name.toLowerCase() === table.name.toLowerCase())) return
  throw createMissingError(
    label,
    table,
    names.map((name) => formatTable({ schema: null, name })),
  )
}

/** SQLite stores any bytes as text. Throws INPUT_ENCODING_WRONG for a column whose text is not UTF-8. */
function assertUtf8(database: Sqlite, from: string, column: string, label: string): void {
  // SQLite itself converts the text of other databases.
  if (database.pragma('encoding', { simple: true }) !== 'UTF-8') return
  const name = quoteSqlName(column)
  const bytes = database
    .prepare(`SELECT CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) END FROM ${from}`)
    .pluck()
    .iterate() as IterableIterator<Buffer | null>
  let [rowNumber, first, count] = [0, 0, 0]
  for (const text of bytes) {
    rowNumber++
    if (text === null || isUtf8(text)) continue
    first ||= rowNumber
    count++
  }
  if (count === 0) return
  throw new UserError(
    'INPUT_ENCODING_WRONG',
    `${label}: the column ${JSON.stringify(column)} has text that is not UTF-8 in ${plural(count, 'row')}, first in row ${first}`,
    {
      hint: 'convert this text to UTF-8; or write the table to a CSV file, such as with sqlite3 -header -csv, and run the file with --encoding',
    },
  )
}

async function writeCsv(
  { columns, iterate }: Pick<Rows, 'columns' | 'iterate'>,
  path: string,
  { signal }: Pick<SourceOptions, 'signal'>,
): Promise<readonly StorageClasses[]> {
  const classes = columns.map(() => new StorageClasses())
  const file = await open(path, 'w', 0o600)
  try {
    let lines: string[] = []
    const flush = async () => {
      signal?.throwIfAborted()
      await file.write(lines.join(''))
      lines = []
    }
    for (const row of iterate()) {
      const cells = row.map((value, index) => classes[index]?.add(value) ?? '')
      if (lines.push(`1,${cells.join(',')}\n`) === batchRows) await flush()
    }
    await flush()
  } finally {
    await file.close()
  }
  return classes
}

/** The storage classes of a column's values: SQLite has types per value. */
class StorageClasses {
  readonly #found = new Set<'integer' | 'real' | 'text' | 'blob'>()
  #hasLargeIntegers = false
  /** Whether a text has U+FFFD, which the driver also puts in place of bytes that are not UTF-8. */
  hasReplacements = false

  /** Returns the value as a cell of CSV. */
  add(value: Value): string {
    if (value === null) return ''
    if (typeof value === 'string') {
      this.#found.add('text')
      this.hasReplacements ||= value.includes('\ufffd')
      return `"${value.replaceAll('"', '""')}"`
    }
    if (typeof value === 'bigint') {
      this.#found.add('integer')
      if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) this.#hasLargeIntegers = true
      return String(value)
    }
    if (typeof value === 'number') {
      this.#found.add('real')
      const text = Object.is(value, -0) ? '-0' : String(value)
      return /^-?\d+$/.test(text) ? `${text}.0` : text
    }
    this.#found.add('blob')
    return `\\x${value.toString('hex')}`
  }

  /** The type fits all values, which were seen before. */
  toColumn(): Omit<CsvColumn, 'name'> & { readonly isMixed: boolean } {
    const isMisfit = null
    const [only = 'text', ...others] = this.#found
    const isNumeric = [only, ...others].every((found) => found === 'integer' || found === 'real')
    if (others.length > 0 && (!isNumeric || this.#hasLargeIntegers))
      return { type: 'VARCHAR', convert: (text) => text, isMisfit, isMixed: true }
    if (only === 'blob')
      return { type: 'BLOB', convert: (text) => `unhex(substr(${text}, 3))`, isMisfit, isMixed: false }
    if (only === 'text') return { type: 'VARCHAR', convert: (text) => text, isMisfit, isMixed: false }
    const type = only === 'integer' && others.length === 0 ? 'BIGINT' : 'DOUBLE'
    return { type, convert: (text) => `${text}::${type}`, isMisfit, isMixed: false }
  }
}
