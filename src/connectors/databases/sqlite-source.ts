import { existsSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { FetchedFile, Source, SourceOptions } from '../connector.js'
import { parseDatabaseFile } from './file-database.js'
import {
  assertColumnNames,
  convertCsv,
  explainDiskFull,
  formatList,
  type CsvColumn,
} from './local-parquet.js'
import { explainSqlite, openSqliteFile, whenFree } from './sqlite-file.js'
import {
  buildNearestHint,
  formatTable,
  parseSourceAddress,
  quoteTable,
  trimQuery,
  type Relation,
} from './table-names.js'

/** Throws ADDRESS_INVALID. */
export function openSqliteSource(address: string, options: SourceOptions): Source {
  const { database, relation, suffix } = parseSourceAddress(address, options)
  return new SqliteSource(parseDatabaseFile(database), relation, `${database}${suffix}`, options)
}

type Value = bigint | number | string | Buffer | null

/** A statement that reads all rows. */
interface Rows {
  readonly names: readonly string[]
  /** Declared types; `null` for expressions. */
  readonly types: readonly (string | null)[]
  iterate(): IterableIterator<readonly Value[]>
}

/** Rows that are read at once. */
const batchRows = 1_000

class SqliteSource implements Source {
  readonly #path: string
  readonly #relation: Relation
  readonly #label: string
  readonly #options: SourceOptions

  constructor(path: string, relation: Relation, label: string, options: SourceOptions) {
    this.#path = path
    this.#relation = relation
    this.#label = label
    this.#options = options
  }

  check(): Promise<void> {
    return this.#withRows(() => Promise.resolve())
  }

  async fetch(folder: string): Promise<readonly FetchedFile[]> {
    const path = join(folder, 'table.parquet')
    const csvPath = join(folder, 'table.csv')
    await this.#withRows(async (rows) => {
      const classes = await this.#writeCsv(rows, csvPath)
      const declared = rows.names.flatMap((name, index) => {
        const type = rows.types[index]
        return type ? [[name, type] as const] : []
      })
      const columns = rows.names.map((name, index) => ({
        name,
        ...(classes[index] ?? new StorageClasses()).toColumn(),
      }))
      await convertCsv(folder, this.#options, {
        csvPath,
        path,
        kind: 'sqlite',
        columns,
        types: new Map(declared),
      })
      rmSync(csvPath)
      const mixed = columns.filter(({ isMixed }) => isMixed).map(({ name }) => name)
      if (mixed.length > 0)
        this.#options.notice(`Columns with values of several types are kept as text: ${formatList(mixed)}`)
    })
    return [{ path, label: this.#label, format: 'parquet' }]
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #withRows(work: (rows: Rows) => Promise<void>): Promise<void> {
    if (!existsSync(this.#path))
      throw new UserError('INPUT_NOT_FOUND', `there is no file ${this.#path}`, { hint: 'check the path' })
    let database: Sqlite | null = null
    try {
      const opened = (database = openSqliteFile(this.#path, true))
      await work(await whenFree(this.#label, this.#options, () => this.#prepare(opened)))
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      throw explainSqlite(this.#label, 'INPUT_UNREADABLE', explainDiskFull(error))
    } finally {
      database?.close()
    }
  }

  #prepare(database: Sqlite): Rows {
    const { table, query } = this.#relation
    if (table !== null) this.#assertExists(database, table.name)
    try {
      const from = query === null ? quoteTable(table) : `(\n${trimQuery(query)}\n)`
      const statement = database.prepare(`SELECT * FROM ${from}`).raw(true)
      const columns = statement.columns()
      const names = columns.map(({ name }) => name)
      assertColumnNames(names, this.#label)
      // Reads the file, which may be locked.
      statement.get()
      return {
        names,
        types: columns.map(({ type }) => type),
        iterate: () => statement.iterate() as IterableIterator<readonly Value[]>,
      }
    } catch (error) {
      if (query === null || isBusy(error)) throw error
      throw explainSqlite(this.#label, 'QUERY_REFUSED', error)
    }
  }

  #assertExists(database: Sqlite, name: string): void {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'`,
      )
      .pluck()
      .all() as string[]
    if (tables.some((table) => table.toLowerCase() === name.toLowerCase())) return
    throw new UserError('INPUT_NOT_FOUND', `${this.#label}: there is no table ${name}`, {
      hint: buildNearestHint(
        name,
        tables.map((table) => formatTable({ schema: null, name: table })),
      ),
    })
  }

  async #writeCsv(rows: Rows, path: string): Promise<readonly StorageClasses[]> {
    const classes = rows.names.map(() => new StorageClasses())
    const file = await open(path, 'w', 0o600)
    try {
      let lines: string[] = []
      const flush = async () => {
        this.#options.signal?.throwIfAborted()
        await file.write(lines.join(''))
        lines = []
      }
      for (const row of rows.iterate()) {
        const cells = row.map((value, index) => classes[index]?.add(value) ?? '')
        if (lines.push(`1,${cells.join(',')}\n`) === batchRows) await flush()
      }
      await flush()
    } finally {
      await file.close()
    }
    return classes
  }
}

const isBusy = (error: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED)/.test((error as { code?: string }).code ?? '')

/** The storage classes of a column's values: SQLite has types per value. */
class StorageClasses {
  readonly #found = new Set<'integer' | 'real' | 'text' | 'blob'>()
  #hasLargeIntegers = false

  /** Returns the value as a cell of CSV. */
  add(value: Value): string {
    if (value === null) return ''
    if (typeof value === 'string') {
      this.#found.add('text')
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

  toColumn(): Omit<CsvColumn, 'name'> & { readonly isMixed: boolean } {
    const [only = 'text', ...others] = this.#found
    const isNumeric = [only, ...others].every((found) => found === 'integer' || found === 'real')
    if (others.length > 0 && (!isNumeric || this.#hasLargeIntegers))
      return { type: 'VARCHAR', convert: (text) => text, isMixed: true }
    if (only === 'blob')
      return { type: 'BLOB', convert: (text) => `unhex(substr(${text}, 3))`, isMixed: false }
    if (only === 'text') return { type: 'VARCHAR', convert: (text) => text, isMixed: false }
    const type = only === 'integer' && others.length === 0 ? 'BIGINT' : 'DOUBLE'
    return { type, convert: (text) => `${text}::${type}`, isMixed: false }
  }
}
