import { UserError } from '../../core/errors.js'
import type { DuckDb } from '../../parquet/duckdb.js'
import { quoteSqlName } from '../../core/text.js'
import { buildJsonText, getNestedKind } from '../../parquet/parquet-files.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { parseDatabaseFile, type Target, type TargetOptions } from '../connector.js'
import { createFileTarget, writeTable, type FileTable } from './file-database.js'
import {
  buildFileRelation,
  describeColumns,
  formatList,
  readFileColumns,
  withDuckDb,
  type FileColumn,
} from './local-parquet.js'
import { assertNotOurs, listSqlitePlaces, whenSqliteFree, withSqliteFile } from './sqlite-file.js'
import {
  mentionsName,
  parseTargetAddress,
  buildDefinition,
  type ExistingColumn,
  type TablePlan,
  type WantedColumn,
} from './table-names.js'

/** Throws ADDRESS_INVALID and USAGE_INVALID. */
export function openSqliteTarget(address: string, options: TargetOptions): Target {
  const { database: place, table } = parseTargetAddress(address, options)
  if (table.schema !== null) {
    throw new UserError('ADDRESS_INVALID', 'SQLite has no schemas', {
      hint: 'quote a name with a dot: #"my.table"',
    })
  }
  const path = parseDatabaseFile(place)
  const label = `sqlite:${path}#${table.name}`
  const file = { path, label, use: 'output', options } as const
  const target = createFileTarget(file, table, {
    write: (place, { source, markStatements, end }) =>
      withSqliteFile(place, async (database) => {
        // A new file has a temporary name meanwhile.
        await whenSqliteFree(place, () => {
          assertNotOurs(path)
        })
        const execute = (sql: string) => whenSqliteFree(place, () => database.prepare(sql).run())
        database.pragma('synchronous = FULL')
        await execute('BEGIN IMMEDIATE')
        await withDuckDb(`${source}.duckdb`, options, async (duckDb) => {
          const columns = await readFileColumns(duckDb, source, 'sqlite', options)
          const target = new SqliteTable(database, duckDb, { name: table.name, label }, source, options)
          await writeTable(target, columns, file, end === 'ROLLBACK')
        })
        for (const statement of markStatements) await execute(statement)
        await execute(end)
      }),
    listPlaces: () =>
      withSqliteFile(file, (database) =>
        whenSqliteFree(file, () => listSqlitePlaces(database, path, quoteSqlName(table.name), table)),
      ),
    withQuery: (work) =>
      withSqliteFile(file, (database) =>
        work((sql) =>
          whenSqliteFree(file, () => {
            const statement = database.prepare(sql)
            if (statement.reader) return statement.raw().all() as unknown[][]
            statement.run()
            return []
          }),
        ),
      ),
  })
  return {
    ...target,
    tryWriting: async (samplePath, inputPaths = []) => {
      await target.tryWriting(samplePath)
      await withDuckDb(`${samplePath}.duckdb`, options, async (duckDb) => {
        for (const inputPath of inputPaths) await reportNaN(duckDb, inputPath, options)
      })
    },
  }
}

/** SQLite has no NaN, and stores NULL instead. */
async function reportNaN(
  duckDb: DuckDb,
  path: string,
  { notice }: Pick<TargetOptions, 'notice'>,
): Promise<void> {
  const relation = buildFileRelation(path)
  const columns = (await describeColumns(duckDb, relation)).filter(({ type }) => isFloat(type))
  if (columns.length === 0) return
  const checks = columns.map(({ name }) => `coalesce(bool_or(isnan(${quoteSqlName(name)})), false)`)
  const [found] = await duckDb.all(`SELECT ${checks.join(', ')} FROM ${relation}`)
  const names = columns.filter((_column, index) => found?.[index] === true).map(({ name }) => name)
  if (names.length > 0) notice(`SQLite has no NaN, and stores NULL instead: ${formatList(names)}`)
}

const isFloat = (type: string): boolean => type === 'FLOAT' || type === 'DOUBLE'

type Plan = TablePlan<ExistingColumn>

/** A table is replaced in place: its indexes, triggers and views stay. */
class SqliteTable implements FileTable<ExistingColumn> {
  readonly name: string

  constructor(
    private readonly database: Sqlite,
    private readonly duckDb: DuckDb,
    private readonly place: { readonly name: string; readonly label: string },
    private readonly source: string,
    private readonly options: TargetOptions,
  ) {
    this.name = quoteSqlName(place.name)
  }

  run(sql: string): void {
    this.database.prepare(sql).run()
  }

  /** SQLite keeps some types unchanged; all others are text, which keeps their digits. */
  toType({ type, originalType }: FileColumn): string {
    return originalType !== null && plainType.test(originalType) ? originalType : toCell('', type).kind
  }

  /** A column of numbers would change texts like 007, and one of texts would shorten numbers. */
  keepsType({ type }: ExistingColumn, wantedType: string): boolean {
    const [own, wanted] = [getAffinity(type), getAffinity(wantedType)]
    if (own === wanted || own === 'BLOB' || wanted === 'BLOB') return true
    if (wanted === 'TEXT') return false
    return own !== 'TEXT' || wanted === 'INTEGER'
  }

  listColumns(): Promise<readonly ExistingColumn[] | null> {
    const { database, place, options } = this
    const found = database
      .prepare('SELECT type FROM sqlite_schema WHERE lower(name) = lower(?)')
      .pluck()
      .get(place.name) as string | undefined
    if (found === undefined) return Promise.resolve(null)
    if (found !== 'table')
      throw new UserError('OUTPUT_UNWRITABLE', `${place.label} is a ${found}`, { hint: 'name a table' })
    if (options.mode === 'replace') this.#assertNotReferred()
    const rows = database
      .prepare('SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)')
      .all(place.name) as {
      name: string
      type: string
      dflt_value: string | null
      pk: bigint
      hidden: bigint
    }[]
    const columns = rows.map(({ name, type, dflt_value, pk, hidden }) => {
      const isRowId = pk === 1n && type.toUpperCase() === 'INTEGER'
      const isGenerated = hidden === 2n || hidden === 3n
      return { name, type, isGenerated, fillsItself: isGenerated || isRowId || dflt_value !== null }
    })
    return Promise.resolve(columns)
  }

  #assertNotReferred(): void {
    const { name, label } = this.place
    const referrer = this.database
      .prepare(
        `SELECT m.name FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
         WHERE m.type = 'table' AND lower(f."table") = lower(?) AND lower(m.name) <> lower(?)`,
      )
      .pluck()
      .get(name, name) as string | undefined
    if (referrer === undefined) return
    throw new UserError('OUTPUT_UNWRITABLE', `${label} cannot be replaced: rows of ${referrer} refer to it`, {
      hint: 'use --mode upsert, which removes no rows',
    })
  }

  async insert(columns: readonly WantedColumn[], table = this.name): Promise<void> {
    const names = columns.map(({ name }) => quoteSqlName(name))
    const insert = this.database.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    const cells = columns.map(({ name, type }) => toCell(quoteSqlName(name), type).sql)
    const select = `SELECT ${cells.join(', ')} FROM ${buildFileRelation(this.source)}`
    for await (const chunk of this.duckDb.stream(select)) {
      const values = columns.map((_column, index) => chunk.getColumnValues(index))
      for (let row = 0; row < chunk.rowCount; row++)
        insert.run(values.map((column) => toBinding(column[row])))
    }
  }

  /** Indexes, except on removed columns, and triggers are created again. */
  changeColumns(
    { removed, added, retyped }: Plan,
    existing: readonly ExistingColumn[],
    insert: () => Promise<void>,
  ): Promise<void> {
    const { name: table } = this
    const kept = this.database
      .prepare(
        `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND lower(tbl_name) = lower(?) AND sql IS NOT NULL`,
      )
      .all(this.place.name) as { type: string; name: string; sql: string }[]
    this.run(`DELETE FROM ${table}`)
    for (const object of kept) this.run(`DROP ${object.type} ${quoteSqlName(object.name)}`)
    // A table needs a column at any time.
    const keepsNone = removed.length + retyped.length === existing.length
    if (keepsNone) this.run(`ALTER TABLE ${table} ADD COLUMN enrich_stage TEXT`)
    for (const column of [...removed, ...retyped.map(({ old }) => old)])
      this.run(`ALTER TABLE ${table} DROP COLUMN ${quoteSqlName(column.name)}`)
    for (const column of [...retyped.map(({ column }) => column), ...added])
      this.run(`ALTER TABLE ${table} ADD COLUMN ${buildDefinition(column)}`)
    if (keepsNone) this.run(`ALTER TABLE ${table} DROP COLUMN enrich_stage`)
    for (const { type, sql } of kept) {
      try {
        this.run(sql)
      } catch (error) {
        if (type !== 'index' || !/no such column/.test(String(error))) throw error
      }
    }
    return insert()
  }

  listDependents(removed: readonly ExistingColumn[]): Promise<readonly string[]> {
    const indexes = this.database
      .prepare(
        `SELECT m.name, m.sql, group_concat(i.name, char(10)) AS columns
         FROM sqlite_schema m, pragma_index_info(m.name) i
         WHERE m.type = 'index' AND lower(m.tbl_name) = lower(?) GROUP BY m.name`,
      )
      .all(this.place.name) as { name: string; sql: string | null; columns: string | null }[]
    const isLost = ({ sql, columns }: (typeof indexes)[number]) =>
      removed.some(({ name }) =>
        mentionsName(`${columns ?? ''}\n${sql?.slice(sql.indexOf('(')) ?? ''}`, name),
      )
    return Promise.resolve(indexes.filter(isLost).map(({ name }) => name))
  }

  async upsert({ written }: Plan, existing: readonly ExistingColumn[]): Promise<void> {
    const table = this.name
    const types = new Map(existing.map(({ name, type }) => [name.toLowerCase(), type]))
    const names = written.map(({ name }) => quoteSqlName(name))
    const definitions = written.map(
      ({ name }) => `${quoteSqlName(name)} ${types.get(name.toLowerCase()) ?? ''}`,
    )
    this.run(`CREATE TEMP TABLE enrich_stage (${definitions.join(', ')})`)
    await this.insert(written, 'temp.enrich_stage')
    const key = quoteSqlName(this.options.keyColumn ?? '')
    this.run(`CREATE INDEX temp.enrich_stage_key ON enrich_stage (${key})`)
    const values = names.filter((name) => name !== key).map((name) => `${name} = s.${name}`)
    if (values.length > 0)
      this.run(
        `UPDATE ${table} SET ${values.join(', ')} FROM temp.enrich_stage AS s WHERE ${table}.${key} = s.${key}`,
      )
    const list = names.join(', ')
    this.run(
      `INSERT INTO ${table} (${list}) SELECT ${list} FROM temp.enrich_stage WHERE ${key} NOT IN (SELECT ${key} FROM ${table} WHERE ${key} IS NOT NULL)`,
    )
  }
}

/** Declared types as a table definition may have them. */
const plainType = /^[\w ]*(\(\s*[+-]?\d+\s*(,\s*[+-]?\d+\s*)?\))?$/

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
  if (isFloat(type)) return { kind: 'REAL', sql: `${value}::DOUBLE` }
  if (type === 'BLOB') return { kind: 'BLOB', sql: value }
  const sql = getNestedKind(type) === null ? `${value}::VARCHAR` : buildJsonText(value, type)
  return { kind: 'TEXT', sql: `'.' || ${sql}` }
}

/** Returns SQLite's affinity of a declared type. */
function getAffinity(type: string): 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL' | 'NUMERIC' {
  if (/INT/i.test(type)) return 'INTEGER'
  if (/CHAR|CLOB|TEXT/i.test(type)) return 'TEXT'
  if (type === '' || /BLOB/i.test(type)) return 'BLOB'
  return /REAL|FLOA|DOUB/i.test(type) ? 'REAL' : 'NUMERIC'
}

function toBinding(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(1)
  return typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : value
}
