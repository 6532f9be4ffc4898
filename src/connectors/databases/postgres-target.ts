import { UserError, type ErrorCode } from '../../core/errors.js'
import { formatPostgresUrl } from '../../core/server-addresses.js'
import { quoteSqlName } from '../../parquet/duckdb.js'
import type { StatementError } from '../../platform/postgres/postgres.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { TableName } from '../address.js'
import type { Target, TargetOptions } from '../connector.js'
import { assertKeys, formatList, readFileColumns, withDuckDb, type FileColumn } from './local-parquet.js'
import {
  commit,
  getServerDetails,
  getServerMessage,
  parseDatabase,
  withSession,
  type PostgresAccess,
} from './postgres-access.js'
import {
  assertNamesFit,
  assertNotOurs,
  assertWritable,
  buildActions,
  planPostgresTable,
  resolveTypes,
  type PostgresPlan,
} from './postgres-plan.js'
import { sendRows } from './postgres-rows.js'
import { assertNameFits, findTable, listColumns, textSettings, type FoundTable } from './postgres-tables.js'
import { formatTable, parseTargetAddress, quoteTable } from './table-names.js'
import { hasColumnChanges, type WantedColumn } from './table-plan.js'

/** Throws ADDRESS_INVALID, ADDRESS_HAS_SECRET and USAGE_INVALID. */
export function openPostgresTarget(address: string, options: TargetOptions): Target {
  // Before the table, since the rest of a password with # would be taken for its name.
  const parsed = parseDatabase(address.split('#', 1)[0] ?? '', 'output')
  const { table } = parseTargetAddress(address, options)
  assertNameFits(table)
  return new PostgresTarget({ address: parsed, use: 'output', options }, table, options)
}

/** A temporary table, which ends with its transaction. */
const stage = 'pg_temp.enrich_stage'

/** Longest wait for a lock on the table. */
const lockTimeoutMs = 60_000

/** A file to write, with its columns. */
interface FileToWrite {
  readonly path: string
  readonly columns: readonly FileColumn[]
}

/**
 * Everything is one transaction: a killed run leaves nothing behind. A table is replaced in place, by DELETE and COPY:
 * its indexes, grants, comments, views, policies and triggers stay, and readers are only blocked if columns change.
 * TRUNCATE would block readers, and older snapshots would see an empty table. VACUUM frees the space of deleted rows.
 */
class PostgresTarget implements Target {
  readonly #access: PostgresAccess
  readonly #table: TableName
  readonly #options: TargetOptions
  readonly #label: string
  #exists = false

  constructor(access: PostgresAccess, table: TableName, options: TargetOptions) {
    this.#access = access
    this.#table = table
    this.#options = options
    this.#label = `${formatPostgresUrl(access.address)}#${formatTable(table)}`
  }

  async tryWriting(samplePath: string): Promise<void> {
    const file = await this.#readFile(samplePath)
    const work = async (session: PostgresSession) => {
      const { table, columns } = await this.#begin(session, file)
      const unknown = columns.filter(
        ({ originalType, wantedType }) => ![null, wantedType].includes(originalType),
      )
      if (unknown.length > 0) {
        const names = formatList(unknown.map(({ name, originalType }) => `${name} (${originalType ?? ''})`))
        this.#options.notice(
          `The server of the output has no such type, so the type of new columns changes: ${names}`,
        )
      }
      if (table === null) await this.#create(session, columns, file)
      else {
        const plan = await this.#plan(session, table, columns)
        await this.#fillStage(session, table, plan, file)
      }
      await session.query('ROLLBACK')
    }
    await withSession(this.#access, work, this.#explain)
  }

  async publish(path: string): Promise<void> {
    const file = await this.#readFile(path)
    const work = async (session: PostgresSession) => {
      const { table, columns } = await this.#begin(session, file)
      if (table === null) await this.#create(session, columns, file)
      else await this.#write(session, table, columns, file)
      await commit(session)
    }
    await withSession(this.#access, work, this.#explain)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #readFile(path: string): Promise<FileToWrite> {
    const { mode, keyColumn } = this.#options
    return withDuckDb(`${path}.duckdb`, this.#options, async (duckDb) => {
      const columns = await readFileColumns(duckDb, path, 'postgres')
      assertNamesFit(columns)
      if (mode === 'upsert' && keyColumn !== null) await assertKeys(duckDb, path, keyColumn, columns)
      return { path, columns }
    })
  }

  async #begin(session: PostgresSession, { columns }: FileToWrite) {
    await session.query(`BEGIN; ${textSettings}; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    const table = await findTable(session, this.#table)
    this.#exists = table !== null
    return { table, columns: await resolveTypes(session, columns) }
  }

  async #plan(
    session: PostgresSession,
    table: FoundTable,
    columns: readonly WantedColumn[],
  ): Promise<PostgresPlan> {
    const plan = planPostgresTable(this.#options, columns, await listColumns(session, table))
    await assertNotOurs(session, table.schema)
    await assertWritable(session, table, plan, this.#options.mode)
    return plan
  }

  async #create(
    session: PostgresSession,
    columns: readonly WantedColumn[],
    { path }: FileToWrite,
  ): Promise<void> {
    const schema = await this.#findSchema(session)
    await assertNotOurs(session, schema)
    const table = quoteTable({ schema, name: this.#table.name })
    const definitions = columns.map(({ name, wantedType }) => `${quoteSqlName(name)} ${wantedType}`)
    await session.query(`CREATE TABLE ${table} (${definitions.join(', ')})`)
    await sendRows(session, { path, columns, table, isNew: true }, this.#options)
  }

  async #findSchema(session: PostgresSession): Promise<string> {
    const { schema } = this.#table
    const [row] = await session.query(
      'SELECT coalesce((SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = $1), CASE WHEN $1::text IS NULL THEN current_schema() END) AS name',
      [schema],
    )
    if (row?.name) return row.name
    throw new UserError(
      'OUTPUT_UNWRITABLE',
      `${this.#label}: there is no schema ${schema ?? 'in the search path'}`,
      {
        hint: `run CREATE SCHEMA ${quoteSqlName(schema ?? 'public')}, or name another one`,
      },
    )
  }

  async #write(
    session: PostgresSession,
    found: FoundTable,
    columns: readonly WantedColumn[],
    file: FileToWrite,
  ): Promise<void> {
    const { mode } = this.#options
    const table = quoteTable(found)
    const rows = { path: file.path, columns, table, isNew: false }
    // Before the columns are read. Both kinds of locks let others read.
    if (mode !== 'append')
      await session.query(
        `LOCK TABLE ${table} IN ${mode === 'replace' ? 'EXCLUSIVE' : 'SHARE ROW EXCLUSIVE'} MODE`,
      )
    const plan = await this.#plan(session, found, columns)
    const send = () => sendRows(session, { ...rows, columns: plan.written }, this.#options)
    const deleteRows = `DELETE FROM ${found.kind === 'r' ? 'ONLY ' : ''}${table}`
    if (mode === 'append') await send()
    else if (mode === 'upsert') {
      await this.#fillStage(session, found, plan, file)
      await this.#upsert(session, table, plan)
    } else if (!hasColumnChanges(plan)) {
      await session.query(deleteRows)
      await send()
    } else {
      // ALTER TABLE blocks readers, so the rows are on the server by then.
      await this.#fillStage(session, found, plan, file)
      await session.query(deleteRows)
      await session.query(`ALTER TABLE ${table} ${buildActions(plan).join(', ')}`)
      await session.query(buildInsert(table, plan))
    }
  }

  /** Copies the rows into a temporary table with the columns and constraints of the table. */
  async #fillStage(
    session: PostgresSession,
    table: FoundTable,
    plan: PostgresPlan,
    { path }: FileToWrite,
  ): Promise<void> {
    const including = ['DEFAULTS', 'CONSTRAINTS', 'GENERATED', 'IDENTITY'].map((kind) => `INCLUDING ${kind}`)
    await session.query(
      `CREATE TEMPORARY TABLE enrich_stage (LIKE ${quoteTable(table)} ${including.join(' ')}) ON COMMIT DROP`,
    )
    if (hasColumnChanges(plan)) await session.query(`ALTER TABLE ${stage} ${buildActions(plan).join(', ')}`)
    await sendRows(session, { path, columns: plan.written, table: stage, isNew: true }, this.#options)
  }

  async #upsert(session: PostgresSession, table: string, plan: PostgresPlan): Promise<void> {
    const { keyColumn } = this.#options
    const key = quoteSqlName(keyColumn ?? '')
    await session.query(`ANALYZE ${stage}`)
    const updated = plan.written.filter(({ name }) => name !== keyColumn && !plan.fixedNames.includes(name))
    const values = updated.map(({ name }) => `${quoteSqlName(name)} = s.${quoteSqlName(name)}`)
    if (values.length > 0)
      await session.query(
        `UPDATE ${table} AS t SET ${values.join(', ')} FROM ${stage} AS s WHERE t.${key} = s.${key}`,
      )
    await session.query(
      `${buildInsert(table, plan)} WHERE NOT EXISTS (SELECT FROM ${table} AS t WHERE t.${key} = s.${key})`,
    )
  }

  readonly #explain = (error: StatementError): UserError => {
    const { sqlState } = error
    const { where, detail } = getServerDetails(error)
    const text = [getServerMessage(error), detail].filter((part) => part !== '').join('; ')
    const create = (code: ErrorCode, what: string, hint?: string) =>
      new UserError(code, `${this.#label}: ${what}`, { ...(hint !== undefined && { hint }), cause: error })
    if (sqlState === '25006')
      return create(
        'OUTPUT_UNWRITABLE',
        `the server does not accept writes: ${text}`,
        'connect to the primary, or end the read-only mode',
      )
    if (sqlState.startsWith('53'))
      return create(
        'OUTPUT_UNWRITABLE',
        `the server has no space left: ${text}`,
        'free disk space on the server',
      )
    if (sqlState === '55P03')
      return create(
        'OUTPUT_UNWRITABLE',
        'another session holds a lock on the table',
        'see pg_stat_activity for the session',
      )
    if (!/^2[23]/.test(sqlState)) return create('OUTPUT_UNWRITABLE', text)
    const column = /, column (.+?)(?:: |$)/.exec(where)?.[1]
    const what = column === undefined ? text : `a value of the column ${column} does not fit: ${text}`
    return create(this.#exists ? 'OUTPUT_TABLE_UNFIT' : 'OUTPUT_UNWRITABLE', what)
  }
}

function buildInsert(table: string, { written }: PostgresPlan): string {
  const names = written.map(({ name }) => quoteSqlName(name))
  const values = names.map((name) => `s.${name}`)
  return `INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE SELECT ${values.join(', ')} FROM ${stage} AS s`
}
