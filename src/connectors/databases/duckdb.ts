import { join } from 'node:path'
import type { Column, DuckDb } from '../../parquet/duckdb.js'
import { quoteSqlName, quoteSqlText } from '../../core/text.js'
import { getErrorText, UserError } from '../../core/errors.js'
import {
  parseDatabaseFile,
  type TableName,
  type Source,
  type SourceOptions,
  type Target,
  type TargetOptions,
} from '../connector.js'
import {
  attachedName,
  explainDuckDb,
  findDuckDbTable,
  listDuckDbTables,
  watchReading,
  withDuckDbFile,
} from './duckdb-file.js'
import {
  assertColumnNames,
  buildFileRelation,
  buildSourceCopy,
  describeColumns,
  formatTextNotice,
  readFileColumns,
  type FileColumn,
} from './local-parquet.js'
import {
  createMissingError,
  formatTable,
  mentionsName,
  parseSourceAddress,
  parseTargetAddress,
  quoteTable,
  createTableSource,
  buildDefinition,
  createViewError,
  type ExistingColumn,
  type TablePlan,
  type WantedColumn,
} from './table-names.js'
import { createFileTarget, writeTable, type FileTable } from './file-database.js'

// Tables and queries of DuckDB: `duckdb:FILE#schema.table`.

/** Types that Parquet does not keep, at any depth. */
const unkeptType =
  /\b(U?HUGEINT|BIGNUM|INTERVAL|BIT|ENUM|UNION|VARIANT|GEOMETRY|TIME_NS|TIME WITH TIME ZONE)\b/

const isKept = ({ type }: Column): boolean =>
  !unkeptType.test(
    type.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '').replaceAll('TIMESTAMP WITH TIME ZONE', ''),
  )

/** Throws ADDRESS_INVALID. */
export function openSource(address: string, options: SourceOptions): Source {
  const { database, table, from, suffix } = parseSourceAddress(address, options)
  const file = { path: parseDatabaseFile(database), label: database + suffix, use: 'input', options } as const
  const { label } = file
  return createTableSource(label, options, (path, folder) =>
    withDuckDbFile(file, join(folder, 'duckdb'), async (duckDb) => {
      if (table !== null) await assertExists(duckDb, table, label)
      const columns = await describeColumns(duckDb, `${from} AS q`).catch((error: unknown) => {
        throw table === null ? explainDuckDb(label, 'QUERY_REFUSED', error) : error
      })
      assertColumnNames(columns, label)
      const cells = columns.map((column) => {
        const name = quoteSqlName(column.name)
        // Parquet has no seconds, and DuckDB does not convert their infinity.
        if (column.type === 'TIMESTAMP_S')
          return `CASE WHEN isfinite(${name}) THEN ${name}::TIMESTAMP ELSE ${name}::VARCHAR::TIMESTAMP END AS ${name}`
        return isKept(column) ? name : `${name}::VARCHAR AS ${name}`
      })
      const types = new Map(columns.map(({ name, type }) => [name, type]))
      await duckDb.reserveForReading(columns.length)
      const select = `SELECT ${cells.join(', ')} FROM ${from} AS q`
      const reading = await watchReading(duckDb, from)
      await duckDb.run(buildSourceCopy(path, select, 'duckdb', types)).catch((error: unknown) => {
        throw table === null && isOfStatement(error) ? explainDuckDb(label, 'QUERY_REFUSED', error) : error
      })
      return {
        notice: formatTextNotice(columns.filter((column) => !isKept(column))),
        places: await reading.listPlaces(file.path, table),
      }
    }),
  )
}

/** Whether the values that a statement reads caused the error. */
const isOfStatement = (error: unknown): boolean =>
  /^(Conversion|Invalid Input|Out of Range|Mismatch Type) Error/.test(getErrorText(error))

async function assertExists(duckDb: DuckDb, table: TableName, label: string): Promise<void> {
  const tables = await listDuckDbTables(duckDb)
  if (findDuckDbTable(tables, table) !== undefined) return
  const names = tables.map(({ schema, name }) =>
    formatTable({ schema: schema === 'main' ? null : schema, name }),
  )
  throw createMissingError(label, table, names)
}

/** Throws ADDRESS_INVALID and USAGE_INVALID. */
export function openTarget(address: string, options: TargetOptions): Target {
  const { database, table } = parseTargetAddress(address, options)
  const path = parseDatabaseFile(database)
  const { name } = table
  const schema = table.schema ?? 'main'
  const label = `duckdb:${path}#${formatTable({ schema: schema === 'main' ? null : schema, name })}`
  const file = { path, label, use: 'output', options } as const
  return createFileTarget(
    file,
    { schema, name },
    {
      write: (place, { source, markStatements, end }) =>
        withDuckDbFile(place, `${source}.duckdb`, async (duckDb) => {
          const columns = await readFileColumns(duckDb, source, 'duckdb', options)
          const target = new DuckDbTable(duckDb, { schema, name, label }, source, options.keyColumn)
          await target.useSchema()
          await duckDb.run('BEGIN')
          await writeTable(target, columns, file, end === 'ROLLBACK')
          for (const statement of markStatements) await duckDb.run(statement)
          await duckDb.run(end)
        }),
      listPlaces: () =>
        withDuckDbFile(file, '', async (duckDb) => {
          const found = findDuckDbTable(await listDuckDbTables(duckDb), { schema, name })
          const from = found === undefined ? '(SELECT 1)' : quoteTable(found)
          return (await watchReading(duckDb, from)).listPlaces(path, { schema, name })
        }),
      withQuery: (work) => withDuckDbFile(file, '', (duckDb) => work((sql) => duckDb.all(sql))),
    },
  )
}

interface TableColumn extends ExistingColumn {
  readonly isNullable: boolean
  readonly default: string | null
  readonly comment: string | null
}

/** A table is replaced in place, so that its indexes, constraints and comments stay. */
class DuckDbTable implements FileTable<TableColumn> {
  readonly name: string
  /** SQL that selects the rows of the table in DuckDB's lists. */
  readonly #own: string

  constructor(
    private readonly duckDb: DuckDb,
    private readonly place: { readonly schema: string; readonly name: string; readonly label: string },
    private readonly source: string,
    private readonly keyColumn: string | null,
  ) {
    const { schema, name } = place
    this.name = quoteSqlName(name)
    this.#own = `database_name = '${attachedName}' AND lower(schema_name) = lower(${quoteSqlText(schema)}) AND lower(table_name) = lower(${quoteSqlText(name)})`
  }

  async useSchema(): Promise<void> {
    const { schema, label } = this.place
    const found = await this.duckDb.all(
      `SELECT 1 FROM duckdb_schemas() WHERE database_name = '${attachedName}' AND lower(schema_name) = lower(${quoteSqlText(schema)})`,
    )
    if (found.length === 0) {
      throw new UserError('OUTPUT_UNWRITABLE', `${label}: there is no schema ${schema}`, {
        hint: `run CREATE SCHEMA ${quoteSqlName(schema)}, or name another one`,
      })
    }
    await this.duckDb.run(`USE ${attachedName}.${quoteSqlName(schema)}`)
  }

  run(sql: string): Promise<void> {
    return this.duckDb.run(sql)
  }

  /** Returns the original type, if its text can only be a type. */
  toType({ type, originalType }: FileColumn): string {
    const bare = originalType?.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '')
    return originalType !== null && bare !== undefined && /^[\w\s()[\],]+$/.test(bare) ? originalType : type
  }

  keepsType({ type }: TableColumn, wantedType: string): boolean {
    if (type === wantedType || type === 'VARCHAR') return true
    return integers.includes(wantedType) && integers.indexOf(type) > integers.indexOf(wantedType)
  }

  async listColumns(): Promise<readonly TableColumn[] | null> {
    const rows = await this.duckDb.all(
      `SELECT column_name, data_type, is_nullable, column_default, comment FROM duckdb_columns() WHERE ${this.#own} ORDER BY column_index`,
    )
    if (rows.length === 0) return null
    const tables = await this.duckDb.all(`SELECT 1 FROM duckdb_tables() WHERE ${this.#own}`)
    if (tables.length === 0)
      throw new UserError('OUTPUT_UNWRITABLE', `${this.place.label} is a view`, { hint: 'name a table' })
    return rows.map((row) => {
      const [name, type, isNullable, initial, comment] = row as [
        string,
        string,
        boolean,
        string | null,
        string | null,
      ]
      const fillsItself = initial !== null
      return { name, type, isGenerated: false, fillsItself, isNullable, default: initial, comment }
    })
  }

  insert(columns: readonly WantedColumn[]): Promise<void> {
    return this.run(`INSERT INTO ${this.name} BY NAME ${this.#buildSelect(columns)}`)
  }

  /** Deletes and inserts the rows with known keys, because UPDATE keeps all of them in memory. */
  async upsert({ written }: TablePlan<TableColumn>, existing: readonly TableColumn[]): Promise<void> {
    const table = this.name
    const select = this.#buildSelect(written)
    const key = quoteSqlName(this.keyColumn ?? '')
    const names = new Set(written.map(({ name }) => name.toLowerCase()))
    const others = existing.filter(({ name }) => !names.has(name.toLowerCase()))
    const cells = ['s.*', ...others.map(({ name }) => `t.${quoteSqlName(name)}`)]
    const join = `(${select}) AS s JOIN ${table} AS t ON t.${key} = s.${key}`
    await this.run(`CREATE TEMP TABLE enrich_stage AS SELECT ${cells.join(', ')} FROM ${join}`)
    await this.run(
      `INSERT INTO ${table} BY NAME SELECT s.* FROM (${select}) AS s ANTI JOIN ${table} USING (${key})`,
    )
    await this.run(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM enrich_stage)`)
    await this.run(`INSERT INTO ${table} BY NAME FROM enrich_stage`)
  }

  /** Creates the table again, since DuckDB does not change columns of indexed tables. */
  async changeColumns(
    { removed, retyped, added }: TablePlan<TableColumn>,
    existing: readonly TableColumn[],
    insert: () => Promise<void>,
  ): Promise<void> {
    const { duckDb, name: table } = this
    const newTypes = new Map(retyped.map(({ old, column }) => [old.name, column.wantedType]))
    const kept = existing.filter((column) => !removed.includes(column))
    const names = new Set(kept.map(({ name }) => name))
    const indexes = await duckDb.all(
      `SELECT sql, expressions FROM duckdb_indexes() WHERE ${this.#own} AND sql IS NOT NULL`,
    )
    const [described] = await duckDb.all(`SELECT comment, sql FROM duckdb_tables() WHERE ${this.#own}`)
    if (String(described?.[1]).includes('GENERATED ALWAYS AS')) {
      const text = `${this.place.label} has generated columns, so that its other columns cannot be changed`
      throw new UserError('OUTPUT_UNWRITABLE', text, {
        hint: 'create it with the columns of the output, or name another table',
      })
    }
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
    const broken = await this.#findBrokenViews()
    const parts = [...definitions, ...added.map(buildDefinition), ...lasting.map(([text]) => String(text))]
    await this.run(`DROP TABLE ${table}`)
    await this.run(`CREATE TABLE ${table} (${parts.join(', ')})`)
    const [view] = (await this.#findBrokenViews()).filter((one) => !broken.includes(one))
    if (view !== undefined) {
      const names = [...removed, ...retyped.map(({ old }) => old)].map(({ name }) => name).join(', ')
      throw createViewError(this.place.label, view, names)
    }
    await insert()
    for (const [sql, expressions] of indexes) {
      const gone = removed.some(({ name }) => mentionsName(String(expressions), name))
      if (!gone) await this.run(String(sql))
    }
    const comments = [
      [`TABLE ${table}`, described?.[0]],
      ...kept.map(({ name, comment }) => [`COLUMN ${table}.${quoteSqlName(name)}`, comment]),
    ]
    for (const [on, text] of comments)
      if (typeof text === 'string') await this.run(`COMMENT ON ${String(on)} IS ${quoteSqlText(text)}`)
  }

  async listDependents(removed: readonly TableColumn[]): Promise<readonly string[]> {
    const rows = await this.duckDb.all(
      `SELECT index_name, expressions FROM duckdb_indexes() WHERE ${this.#own} AND sql IS NOT NULL
       UNION ALL SELECT constraint_text, constraint_column_names::VARCHAR FROM duckdb_constraints()
       WHERE ${this.#own} AND constraint_type <> 'NOT NULL' ORDER BY ALL`,
    )
    const isLost = (text: unknown) => removed.some(({ name }) => mentionsName(String(text), name))
    return rows.flatMap(([name, text]) => (isLost(text) ? [String(name)] : []))
  }

  /** DuckDB does not check views when their tables change. */
  async #findBrokenViews(): Promise<readonly string[]> {
    const views = await this.duckDb.all(
      `SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = '${attachedName}' AND NOT internal`,
    )
    const broken: string[] = []
    for (const [schema, name] of views) {
      const view = quoteTable({ schema: String(schema), name: String(name) })
      await this.duckDb.all(`DESCRIBE SELECT * FROM ${view}`).catch(() => broken.push(view))
    }
    return broken
  }

  #buildSelect(columns: readonly WantedColumn[]): string {
    const cells = columns.map(({ name, type, wantedType }) => {
      const cell = quoteSqlName(name)
      return type === wantedType ? cell : `${cell}::${wantedType} AS ${cell}`
    })
    return `SELECT ${cells.join(', ')} FROM ${buildFileRelation(this.source)}`
  }
}

const integers = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT']
