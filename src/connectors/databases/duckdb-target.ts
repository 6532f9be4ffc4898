import { existsSync, rmSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { quoteSqlName, quoteSqlText, type DuckDb } from '../../parquet/duckdb.js'
import type { TableName } from '../address.js'
import type { Target, TargetOptions } from '../connector.js'
import { attachedName, attachFile, explainDuckDb, isDuckDbFile } from './duckdb-file.js'
import { parseDatabaseFile } from './file-database.js'
import {
  assertKeys,
  buildFileRelation,
  readFileColumns,
  withDuckDb,
  type FileColumn,
} from './local-parquet.js'
import { formatTable, parseTargetAddress } from './table-names.js'
import {
  hasColumnChanges,
  planTable,
  type ExistingColumn,
  type TablePlan,
  type WantedColumn,
} from './table-plan.js'

/** Throws ADDRESS_INVALID and USAGE_INVALID. */
export function openDuckDbTarget(address: string, options: TargetOptions): Target {
  const { database, table } = parseTargetAddress(address, options)
  return new DuckDbTarget(parseDatabaseFile(database), { ...table, schema: table.schema ?? 'main' }, options)
}

interface TableColumn extends ExistingColumn {
  readonly isNullable: boolean
  readonly default: string | null
  readonly comment: string | null
}

/**
 * Everything is one transaction. A table is replaced in place, so that its indexes, constraints and comments stay. With
 * other columns it is created again, since DuckDB does not change columns of indexed tables.
 */
class DuckDbTarget implements Target {
  readonly #path: string
  readonly #table: TableName & { readonly schema: string }
  readonly #options: TargetOptions
  readonly #label: string

  constructor(path: string, table: TableName & { readonly schema: string }, options: TargetOptions) {
    this.#path = path
    this.#table = table
    this.#options = options
    const named = table.schema === 'main' ? { schema: null, name: table.name } : table
    this.#label = `duckdb:${path}#${formatTable(named)}`
  }

  async tryWriting(samplePath: string): Promise<void> {
    const isNew = !existsSync(this.#path)
    try {
      await this.#write(samplePath, 'ROLLBACK')
    } finally {
      if (isNew && existsSync(this.#path))
        for (const path of [this.#path, `${this.#path}.wal`]) rmSync(path, { force: true })
    }
  }

  publish(path: string): Promise<void> {
    return this.#write(path, 'COMMIT')
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #write(path: string, end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const { mode, keyColumn } = this.#options
    try {
      if (existsSync(this.#path) && !isDuckDbFile(this.#path))
        throw new UserError('OUTPUT_UNWRITABLE', `${this.#path} is not a database of DuckDB`)
      await withDuckDb(`${path}.duckdb`, this.#options, async (duckDb) => {
        const columns = await readFileColumns(duckDb, path, 'duckdb')
        if (mode === 'upsert' && keyColumn !== null) await assertKeys(duckDb, path, keyColumn, columns)
        await attachFile(duckDb, this.#path, 'READ_WRITE', { ...this.#options, label: this.#label })
        await this.#useSchema(duckDb)
        await duckDb.run('BEGIN')
        await this.#writeRows(duckDb, path, columns)
        await duckDb.run(end)
      })
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      throw explainDuckDb(this.#label, 'OUTPUT_UNWRITABLE', error)
    }
  }

  async #useSchema(duckDb: DuckDb): Promise<void> {
    const { schema } = this.#table
    const found = await duckDb.all(
      `SELECT 1 FROM duckdb_schemas() WHERE database_name = '${attachedName}' AND lower(schema_name) = lower(${quoteSqlText(schema)})`,
    )
    if (found.length === 0) {
      throw new UserError('OUTPUT_UNWRITABLE', `${this.#label}: there is no schema ${schema}`, {
        hint: `run CREATE SCHEMA ${quoteSqlName(schema)}, or name another one`,
      })
    }
    await duckDb.run(`USE ${attachedName}.${quoteSqlName(schema)}`)
  }

  async #writeRows(duckDb: DuckDb, path: string, columns: readonly FileColumn[]): Promise<void> {
    const { mode } = this.#options
    const table = quoteSqlName(this.#table.name)
    const wanted = columns.map((column) => ({ ...column, wantedType: toDuckDbType(column) }))
    const existing = await this.#listColumns(duckDb)
    if (existing === null) {
      await duckDb.run(`CREATE TABLE ${table} (${wanted.map(define).join(', ')})`)
      await duckDb.run(`INSERT INTO ${table} BY NAME ${buildSelect(path, wanted)}`)
      return
    }
    const plan = planTable({ mode }, wanted, existing, { keepsType, fold: (name) => name.toLowerCase() })
    const select = buildSelect(path, plan.written)
    if (mode === 'upsert') {
      await this.#upsert(duckDb, plan.written, existing, select)
      return
    }
    if (mode === 'replace') {
      if (hasColumnChanges(plan)) {
        await this.#createAgain(duckDb, plan, existing, select)
        return
      }
      await duckDb.run(`DELETE FROM ${table}`)
    }
    await duckDb.run(`INSERT INTO ${table} BY NAME ${select}`)
  }

  /** Deletes and inserts the rows with known keys, because UPDATE keeps all of them in memory. */
  async #upsert(
    duckDb: DuckDb,
    written: readonly WantedColumn[],
    existing: readonly TableColumn[],
    select: string,
  ): Promise<void> {
    const table = quoteSqlName(this.#table.name)
    const key = quoteSqlName(this.#options.keyColumn ?? '')
    const names = new Set(written.map(({ name }) => name.toLowerCase()))
    const others = existing.filter(({ name }) => !names.has(name.toLowerCase()))
    const cells = ['s.*', ...others.map(({ name }) => `t.${quoteSqlName(name)}`)]
    const join = `(${select}) AS s JOIN ${table} AS t ON t.${key} = s.${key}`
    await duckDb.run(`CREATE TEMP TABLE enrich_stage AS SELECT ${cells.join(', ')} FROM ${join}`)
    await duckDb.run(
      `INSERT INTO ${table} BY NAME SELECT s.* FROM (${select}) AS s ANTI JOIN ${table} USING (${key})`,
    )
    await duckDb.run(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM enrich_stage)`)
    await duckDb.run(`INSERT INTO ${table} BY NAME FROM enrich_stage`)
  }

  /** SQL that selects the rows of the table in DuckDB's lists. */
  get #own(): string {
    const { schema, name } = this.#table
    return `database_name = '${attachedName}' AND lower(schema_name) = lower(${quoteSqlText(schema)}) AND lower(table_name) = lower(${quoteSqlText(name)})`
  }

  /** Returns `null` if there is no table. */
  async #listColumns(duckDb: DuckDb): Promise<readonly TableColumn[] | null> {
    const rows = await duckDb.all(
      `SELECT column_name, data_type, is_nullable, column_default, comment FROM duckdb_columns() WHERE ${this.#own} ORDER BY column_index`,
    )
    if (rows.length === 0) return null
    const tables = await duckDb.all(`SELECT 1 FROM duckdb_tables() WHERE ${this.#own}`)
    if (tables.length === 0)
      throw new UserError('OUTPUT_UNWRITABLE', `${this.#label} is a view`, { hint: 'name a table' })
    return rows.map((row) => {
      const [name, type, isNullable, initial, comment] = row as [
        string,
        string,
        boolean,
        string | null,
        string | null,
      ]
      return {
        name,
        type,
        isGenerated: false,
        fillsItself: initial !== null,
        isNullable,
        default: initial,
        comment,
      }
    })
  }

  async #createAgain(
    duckDb: DuckDb,
    { removed, retyped, added }: TablePlan<TableColumn>,
    existing: readonly TableColumn[],
    select: string,
  ): Promise<void> {
    const table = quoteSqlName(this.#table.name)
    const newTypes = new Map(retyped.map(({ old, column }) => [old.name, column.wantedType]))
    const kept = existing.filter((column) => !removed.includes(column))
    const names = new Set(kept.map(({ name }) => name))
    const indexes = await duckDb.all(
      `SELECT sql, expressions FROM duckdb_indexes() WHERE ${this.#own} AND sql IS NOT NULL`,
    )
    const [described] = await duckDb.all(`SELECT comment FROM duckdb_tables() WHERE ${this.#own}`)
    const constraints = await duckDb.all(
      `SELECT constraint_text, constraint_column_names FROM duckdb_constraints() WHERE ${this.#own} AND constraint_type <> 'NOT NULL'`,
    )
    const definitions = kept.map((column) => {
      const type = newTypes.get(column.name) ?? column.type
      const initial = column.default === null ? '' : ` DEFAULT ${column.default}`
      return `${quoteSqlName(column.name)} ${type}${initial}${column.isNullable ? '' : ' NOT NULL'}`
    })
    const lasting = constraints.filter(([, columns]) =>
      (columns as string[]).every((name) => names.has(name)),
    )
    const parts = [...definitions, ...added.map(define), ...lasting.map(([text]) => String(text))]
    await duckDb.run(`DROP TABLE ${table}`)
    await duckDb.run(`CREATE TABLE ${table} (${parts.join(', ')})`)
    await duckDb.run(`INSERT INTO ${table} BY NAME ${select}`)
    for (const [sql, expressions] of indexes) {
      const gone = removed.some(({ name }) => String(expressions).includes(name))
      if (!gone) await duckDb.run(String(sql))
    }
    await this.#comment(duckDb, `TABLE ${table}`, described?.[0])
    for (const { name, comment } of kept)
      await this.#comment(duckDb, `COLUMN ${table}.${quoteSqlName(name)}`, comment)
  }

  async #comment(duckDb: DuckDb, on: string, text: unknown): Promise<void> {
    if (typeof text === 'string') await duckDb.run(`COMMENT ON ${on} IS ${quoteSqlText(text)}`)
  }
}

const define = ({ name, wantedType }: WantedColumn): string => `${quoteSqlName(name)} ${wantedType}`

const buildSelect = (path: string, columns: readonly WantedColumn[]): string => {
  const cells = columns.map(({ name, type, wantedType }) => {
    const cell = quoteSqlName(name)
    return type === wantedType ? cell : `${cell}::${wantedType} AS ${cell}`
  })
  return `SELECT ${cells.join(', ')} FROM ${buildFileRelation(path)}`
}

/** Returns the original type, if its text can only be a type. */
function toDuckDbType({ type, originalType }: FileColumn): string {
  const bare = originalType?.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '')
  return originalType !== null && bare !== undefined && /^[\w\s()[\],]+$/.test(bare) ? originalType : type
}

const integers = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT']

function keepsType({ type }: ExistingColumn, wantedType: string): boolean {
  if (type === wantedType || type === 'VARCHAR') return true
  return integers.includes(wantedType) && integers.indexOf(type) > integers.indexOf(wantedType)
}
