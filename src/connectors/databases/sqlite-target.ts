import { existsSync, rmSync, statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { quoteSqlName, type DuckDb } from '../../parquet/duckdb.js'
import { getNestedKind } from '../../parquet/read-sql.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { Target, TargetOptions } from '../connector.js'
import { parseDatabaseFile } from './file-database.js'
import {
  assertKeys,
  buildFileRelation,
  readFileColumns,
  withDuckDb,
  type FileColumn,
} from './local-parquet.js'
import { assertNotOurs, explainSqlite, openSqliteFile, whenFree } from './sqlite-file.js'
import { parseTargetAddress } from './table-names.js'
import {
  hasColumnChanges,
  planTable,
  type ExistingColumn,
  type TablePlan,
  type WantedColumn,
} from './table-plan.js'

/** Throws ADDRESS_INVALID and USAGE_INVALID. */
export function openSqliteTarget(address: string, options: TargetOptions): Target {
  const { database, table } = parseTargetAddress(address, options)
  if (table.schema !== null) {
    throw new UserError('ADDRESS_INVALID', 'SQLite has no schemas', {
      hint: 'quote a name with a dot: #"my.table"',
    })
  }
  return new SqliteTarget(parseDatabaseFile(database), table.name, options)
}

type Plan = TablePlan<ExistingColumn>

/** Everything is one transaction, and tables are replaced in place: their indexes, triggers and views stay. */
class SqliteTarget implements Target {
  readonly #path: string
  readonly #table: string
  readonly #options: TargetOptions
  readonly #label: string

  constructor(path: string, table: string, options: TargetOptions) {
    this.#path = path
    this.#table = table
    this.#options = options
    this.#label = `sqlite:${path}#${table}`
  }

  async tryWriting(samplePath: string): Promise<void> {
    const isNew = !existsSync(this.#path)
    await this.#write(samplePath, 'ROLLBACK')
    if (isNew && existsSync(this.#path) && statSync(this.#path).size === 0) rmSync(this.#path)
  }

  publish(path: string): Promise<void> {
    return this.#write(path, 'COMMIT')
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #write(path: string, end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    let database: Sqlite | null = null
    try {
      await whenFree(this.#label, this.#options, () => {
        assertNotOurs(this.#path)
      })
      const opened = (database = openSqliteFile(this.#path, false))
      const execute = (sql: string) => whenFree(this.#label, this.#options, () => opened.prepare(sql).run())
      opened.pragma('synchronous = FULL')
      await execute('BEGIN IMMEDIATE')
      await withDuckDb(`${path}.duckdb`, this.#options, async (duckDb) => {
        const { mode, keyColumn } = this.#options
        const columns = await readFileColumns(duckDb, path, 'sqlite')
        if (mode === 'upsert' && keyColumn !== null) await assertKeys(duckDb, path, keyColumn, columns)
        await this.#writeRows(opened, duckDb, path, columns)
      })
      await execute(end)
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      throw explainSqlite(this.#label, 'OUTPUT_UNWRITABLE', error)
    } finally {
      // Also rolls back an open transaction.
      database?.close()
    }
  }

  async #writeRows(
    database: Sqlite,
    duckDb: DuckDb,
    path: string,
    columns: readonly FileColumn[],
  ): Promise<void> {
    const { mode } = this.#options
    const table = quoteSqlName(this.#table)
    const wanted = columns.map((column) => ({ ...column, wantedType: toSqliteType(column) }))
    const existing = this.#listColumns(database)
    const insertInto = (name: string, written: readonly WantedColumn[]) =>
      insertRows({ database, duckDb, path, table: name, columns: written })
    if (existing === null) {
      database.prepare(`CREATE TABLE ${table} (${wanted.map(define).join(', ')})`).run()
      await insertInto(table, wanted)
      return
    }
    const plan = planTable({ mode }, wanted, existing, { keepsType, fold: (name) => name.toLowerCase() })
    if (mode === 'append') await insertInto(table, plan.written)
    else if (mode === 'replace') {
      this.#assertNotReferred(database)
      if (hasColumnChanges(plan)) changeColumns(database, this.#table, plan)
      database.prepare(`DELETE FROM ${table}`).run()
      await insertInto(table, plan.written)
    } else {
      const types = new Map(existing.map(({ name, type }) => [name.toLowerCase(), type]))
      const definitions = plan.written.map(
        ({ name }) => `${quoteSqlName(name)} ${types.get(name.toLowerCase()) ?? ''}`,
      )
      database.prepare(`CREATE TEMP TABLE enrich_stage (${definitions.join(', ')})`).run()
      await insertInto('temp.enrich_stage', plan.written)
      this.#upsert(database, plan)
    }
  }

  /** Returns `null` if there is no table. */
  #listColumns(database: Sqlite): readonly ExistingColumn[] | null {
    const found = database
      .prepare('SELECT type FROM sqlite_schema WHERE lower(name) = lower(?)')
      .pluck()
      .get(this.#table) as string | undefined
    if (found === undefined) return null
    if (found !== 'table')
      throw new UserError('OUTPUT_UNWRITABLE', `${this.#label} is a ${found}`, { hint: 'name a table' })
    const rows = database
      .prepare('SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)')
      .all(this.#table) as {
      name: string
      type: string
      dflt_value: string | null
      pk: bigint
      hidden: bigint
    }[]
    return rows.map(({ name, type, dflt_value, pk, hidden }) => {
      const isRowId = pk === 1n && type.toUpperCase() === 'INTEGER'
      const isGenerated = hidden === 2n || hidden === 3n
      return { name, type, isGenerated, fillsItself: isGenerated || isRowId || dflt_value !== null }
    })
  }

  #assertNotReferred(database: Sqlite): void {
    const referrer = database
      .prepare(
        `SELECT m.name FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
         WHERE m.type = 'table' AND lower(f."table") = lower(?) AND lower(m.name) <> lower(?)`,
      )
      .pluck()
      .get(this.#table, this.#table) as string | undefined
    if (referrer === undefined) return
    throw new UserError(
      'OUTPUT_UNWRITABLE',
      `${this.#label} cannot be replaced: rows of ${referrer} refer to it`,
      {
        hint: 'use --mode upsert, which removes no rows',
      },
    )
  }

  #upsert(database: Sqlite, { written }: Plan): void {
    const { keyColumn } = this.#options
    const table = quoteSqlName(this.#table)
    const key = quoteSqlName(keyColumn ?? '')
    database.prepare(`CREATE INDEX temp.enrich_stage_key ON enrich_stage (${key})`).run()
    const names = written.map(({ name }) => quoteSqlName(name))
    const values = names.filter((name) => name !== key).map((name) => `${name} = s.${name}`)
    if (values.length > 0) {
      const update = `UPDATE ${table} SET ${values.join(', ')} FROM temp.enrich_stage AS s WHERE ${table}.${key} = s.${key}`
      database.prepare(update).run()
    }
    const list = names.join(', ')
    const insert = `INSERT INTO ${table} (${list}) SELECT ${list} FROM temp.enrich_stage WHERE ${key} NOT IN (SELECT ${key} FROM ${table} WHERE ${key} IS NOT NULL)`
    database.prepare(insert).run()
  }
}

const define = ({ name, wantedType }: WantedColumn): string => `${quoteSqlName(name)} ${wantedType}`

/** Declared types as a table definition may have them. */
const plainType = /^[\w ]*(\(\s*[+-]?\d+\s*(,\s*[+-]?\d+\s*)?\))?$/

/** Types that SQLite keeps as they are; all others are text, which keeps their digits. */
function toSqliteType({ type, originalType }: FileColumn): string {
  if (originalType !== null && plainType.test(originalType)) return originalType
  const { kind } = toCell('', type)
  return kind
}

const integerTypes = new Set([
  'BOOLEAN',
  'TINYINT',
  'UTINYINT',
  'SMALLINT',
  'USMALLINT',
  'INTEGER',
  'UINTEGER',
  'BIGINT',
])

/**
 * Returns the SQL of DuckDB for a value that SQLite keeps, with its type. Texts start with a dot, since DuckDB's driver
 * removes a byte order mark at the start.
 */
function toCell(value: string, type: string): { readonly kind: string; readonly sql: string } {
  if (integerTypes.has(type)) return { kind: 'INTEGER', sql: `${value}::BIGINT` }
  if (type === 'FLOAT' || type === 'DOUBLE') return { kind: 'REAL', sql: `${value}::DOUBLE` }
  if (type === 'BLOB') return { kind: 'BLOB', sql: value }
  const sql = getNestedKind(type) === null ? `${value}::VARCHAR` : `to_json(${value})::VARCHAR`
  return { kind: 'TEXT', sql: `'.' || ${sql}` }
}

/** Returns SQLite's affinity of a declared type. */
function getAffinity(type: string): 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL' | 'NUMERIC' {
  if (/INT/i.test(type)) return 'INTEGER'
  if (/CHAR|CLOB|TEXT/i.test(type)) return 'TEXT'
  if (type === '' || /BLOB/i.test(type)) return 'BLOB'
  return /REAL|FLOA|DOUB/i.test(type) ? 'REAL' : 'NUMERIC'
}

/** A column of numbers would change texts like 007, and one of texts would shorten numbers. */
function keepsType({ type }: ExistingColumn, wantedType: string): boolean {
  const [own, wanted] = [getAffinity(type), getAffinity(wantedType)]
  if (own === wanted || own === 'BLOB' || wanted === 'BLOB') return true
  if (wanted === 'TEXT') return false
  return own !== 'TEXT' || wanted === 'INTEGER'
}

/** Changes the columns of a table. Indexes, except on removed columns, and triggers are created again. */
function changeColumns(database: Sqlite, name: string, { removed, added, retyped }: Plan): void {
  const table = quoteSqlName(name)
  const kept = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND lower(tbl_name) = lower(?) AND sql IS NOT NULL`,
    )
    .all(name) as { type: string; name: string; sql: string }[]
  for (const object of kept) database.prepare(`DROP ${object.type} ${quoteSqlName(object.name)}`).run()
  for (const column of [...removed, ...retyped.map(({ old }) => old)])
    database.prepare(`ALTER TABLE ${table} DROP COLUMN ${quoteSqlName(column.name)}`).run()
  for (const column of [...retyped.map(({ column }) => column), ...added])
    database.prepare(`ALTER TABLE ${table} ADD COLUMN ${define(column)}`).run()
  for (const { type, sql } of kept) {
    try {
      database.prepare(sql).run()
    } catch (error) {
      if (type !== 'index' || !/no such column/.test(String(error))) throw error
    }
  }
}

interface RowsToInsert {
  readonly database: Sqlite
  readonly duckDb: DuckDb
  readonly path: string
  /** In SQL. */
  readonly table: string
  readonly columns: readonly FileColumn[]
}

async function insertRows({ database, duckDb, path, table, columns }: RowsToInsert): Promise<void> {
  const names = columns.map(({ name }) => quoteSqlName(name))
  const insert = database.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const cells = columns.map(({ name, type }) => toCell(quoteSqlName(name), type).sql)
  for await (const chunk of duckDb.stream(`SELECT ${cells.join(', ')} FROM ${buildFileRelation(path)}`)) {
    const values = columns.map((_column, index) => chunk.getColumnValues(index))
    for (let row = 0; row < chunk.rowCount; row++) insert.run(values.map((column) => toBinding(column[row])))
  }
}

function toBinding(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(1)
  return typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : value
}
