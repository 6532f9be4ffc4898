import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { quoteSqlName, type DuckDb } from '../../parquet/duckdb.js'
import { readMemoryBytes } from '../../parquet/limits.js'
import type { Column } from '../../parquet/part-sql.js'
import type { FetchedFile, Source, SourceOptions } from '../connector.js'
import { attachedName, attachFile, explainDuckDb, isDuckDbFile } from './duckdb-file.js'
import { parseDatabaseFile } from './file-database.js'
import { assertColumnNames, buildSourceCopy, formatTextNotice, withDuckDb } from './local-parquet.js'
import {
  buildNearestHint,
  formatTable,
  parseSourceAddress,
  quoteTable,
  trimQuery,
  type Relation,
} from './table-names.js'

/** Throws ADDRESS_INVALID. */
export function openDuckDbSource(address: string, options: SourceOptions): Source {
  const { database, relation, suffix } = parseSourceAddress(address, options)
  return new DuckDbSource(parseDatabaseFile(database), relation, `${database}${suffix}`, options)
}

/** Types that Parquet does not keep, at any depth. */
const unkeptType =
  /\b(U?HUGEINT|BIGNUM|INTERVAL|BIT|ENUM|UNION|VARIANT|GEOMETRY|TIME_NS|TIME WITH TIME ZONE)\b/

const isKept = ({ type }: Column): boolean =>
  !unkeptType.test(
    type.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '').replaceAll('TIMESTAMP WITH TIME ZONE', ''),
  )

class DuckDbSource implements Source {
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
    return this.#withRows('', () => Promise.resolve())
  }

  async fetch(folder: string): Promise<readonly FetchedFile[]> {
    const path = join(folder, 'table.parquet')
    await this.#withRows(join(folder, 'duckdb'), async (duckDb, from, columns) => {
      const cells = columns.map((column) => {
        const name = quoteSqlName(column.name)
        return isKept(column) ? name : `${name}::VARCHAR AS ${name}`
      })
      const types = new Map(columns.map(({ name, type }) => [name, type]))
      await duckDb.limitMemory(readMemoryBytes(columns.length))
      await duckDb.run(buildSourceCopy(path, `SELECT ${cells.join(', ')} FROM ${from} AS q`, 'duckdb', types))
      const notice = formatTextNotice(columns.filter((column) => !isKept(column)))
      if (notice !== null) this.#options.notice(notice)
    })
    return [{ path, label: this.#label, format: 'parquet' }]
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #withRows(
    temporaryFolder: string,
    work: (duckDb: DuckDb, from: string, columns: readonly Column[]) => Promise<void>,
  ): Promise<void> {
    if (!existsSync(this.#path))
      throw new UserError('INPUT_NOT_FOUND', `there is no file ${this.#path}`, { hint: 'check the path' })
    try {
      if (!isDuckDbFile(this.#path))
        throw new UserError('INPUT_UNREADABLE', `${this.#path} is not a database of DuckDB`)
      await withDuckDb(temporaryFolder, this.#options, async (duckDb) => {
        await attachFile(duckDb, this.#path, 'READ_ONLY', { ...this.#options, label: this.#label })
        const { table, query } = this.#relation
        if (table !== null) await this.#assertExists(duckDb, table)
        const from = query === null ? quoteTable(table) : `(\n${trimQuery(query)}\n)`
        const columns = await this.#describe(duckDb, from)
        assertColumnNames(
          columns.map(({ name }) => name),
          this.#label,
        )
        await work(duckDb, from, columns)
      })
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      throw explainDuckDb(this.#label, 'INPUT_UNREADABLE', error)
    }
  }

  async #describe(duckDb: DuckDb, from: string): Promise<readonly Column[]> {
    try {
      const rows = await duckDb.all(
        `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${from} AS q)`,
      )
      return rows.map(([name, type]) => ({ name: String(name), type: String(type) }))
    } catch (error) {
      throw explainDuckDb(
        this.#label,
        this.#relation.query === null ? 'INPUT_UNREADABLE' : 'QUERY_REFUSED',
        error,
      )
    }
  }

  async #assertExists(duckDb: DuckDb, table: { schema: string | null; name: string }): Promise<void> {
    const rows = await duckDb.all(
      `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '${attachedName}'
       UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = '${attachedName}' AND NOT internal ORDER BY ALL`,
    )
    const tables = rows.map(([schema, name]) => ({ schema: String(schema), name: String(name) }))
    const fold = (text: string | null) => (text ?? 'main').toLowerCase()
    if (
      tables.some(
        ({ schema, name }) => fold(schema) === fold(table.schema) && fold(name) === fold(table.name),
      )
    )
      return
    const names = tables.map(({ schema, name }) =>
      formatTable({ schema: schema === 'main' ? null : schema, name }),
    )
    throw new UserError('INPUT_NOT_FOUND', `${this.#label}: there is no table ${formatTable(table)}`, {
      hint: buildNearestHint(formatTable(table), names),
    })
  }
}
