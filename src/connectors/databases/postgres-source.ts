import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { formatPostgresUrl } from '../../core/server-addresses.js'
import type { StatementError } from '../../platform/postgres/postgres.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { FetchedFile, Source, SourceOptions } from '../connector.js'
import { assertColumnNames, convertCsv, formatTextNotice } from './local-parquet.js'
import { getServerMessage, parseDatabase, withSession, type PostgresAccess } from './postgres-access.js'
import { assertNameFits, findTable, listColumns, listTables, textSettings } from './postgres-tables.js'
import { describeTextColumn, describeTypedColumn, type CopiedColumn } from './postgres-types.js'
import {
  buildNearestHint,
  formatTable,
  parseSourceAddress,
  quoteTable,
  trimQuery,
  type Relation,
} from './table-names.js'

/** Throws ADDRESS_INVALID and ADDRESS_HAS_SECRET. */
export function openPostgresSource(address: string, options: SourceOptions): Source {
  // Before the table, since the rest of a password with # would be taken for its name.
  const parsed = parseDatabase(address.split('#', 1)[0] ?? '', 'input')
  const { relation, suffix } = parseSourceAddress(address, options)
  if (relation.table !== null) assertNameFits(relation.table)
  return new PostgresSource(
    { address: parsed, use: 'input', options },
    relation,
    formatPostgresUrl(parsed) + suffix,
  )
}

/** A column of the rows to read, in PostgreSQL's type. */
interface SourceColumn {
  readonly name: string
  readonly type: string
}

class PostgresSource implements Source {
  readonly #access: PostgresAccess
  readonly #relation: Relation
  readonly #label: string

  constructor(access: PostgresAccess, relation: Relation, label: string) {
    this.#access = access
    this.#relation = relation
    this.#label = label
  }

  async check(): Promise<void> {
    await withSession(this.#access, (session) => this.#open(session), this.#explain)
  }

  async fetch(folder: string): Promise<readonly FetchedFile[]> {
    const path = join(folder, 'table.parquet')
    const { options } = this.#access
    const kept = await withSession(
      this.#access,
      async (session) => {
        const { columns, from } = await this.#open(session)
        return this.#copy(session, columns, from, { folder, path })
      },
      this.#explain,
    )
    const notice = formatTextNotice(kept)
    if (notice !== null) options.notice(notice)
    return [{ path, label: this.#label, format: 'parquet' }]
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** Starts the transaction of a snapshot, and describes the rows. Throws INPUT_NOT_FOUND. */
  async #open(session: PostgresSession): Promise<{ columns: readonly SourceColumn[]; from: string }> {
    await session.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${textSettings}`)
    const { table, query } = this.#relation
    if (query !== null) {
      const from = `(\n${trimQuery(query)}\n)`
      const columns = await describeQuery(session, from)
      assertColumnNames(
        columns.map(({ name }) => name),
        this.#label,
      )
      return { columns, from }
    }
    const found = await findTable(session, table)
    if (found === null) {
      throw new UserError('INPUT_NOT_FOUND', `${this.#label}: there is no table ${formatTable(table)}`, {
        hint: buildNearestHint(formatTable(table), await listTables(session)),
      })
    }
    const columns = await listColumns(session, found)
    assertColumnNames(
      columns.map(({ name }) => name),
      this.#label,
    )
    const from = quoteTable(found)
    // Fails without the right to read, and reads no rows.
    await session.describe(`SELECT * FROM ${from} LIMIT 0`)
    return { columns, from }
  }

  /** Copies the rows; returns the columns that are kept as text. Copies again if a value does not fit its type. */
  async #copy(
    session: PostgresSession,
    columns: readonly SourceColumn[],
    from: string,
    { folder, path }: { folder: string; path: string },
  ): Promise<readonly SourceColumn[]> {
    const csvPath = join(folder, 'table.csv')
    const asText = new Set<string>()
    const types = new Map(columns.map(({ name, type }) => [name, type]))
    for (;;) {
      const copied = columns.map((column) => describeCopy(column, asText))
      const cells = copied.map(({ select }) => select).join(', ')
      await session.copyOut(`COPY (SELECT 1, ${cells} FROM ${from} AS q) TO STDOUT (FORMAT csv)`, csvPath)
      const conversion = { csvPath, path, kind: 'postgres' as const, columns: copied, types }
      const misfits = await convertCsv(folder, this.#access.options, conversion)
      rmSync(csvPath)
      if (misfits.length === 0) {
        return columns.filter(
          ({ name, type }) => asText.has(name) || describeTypedColumn(name, type) === null,
        )
      }
      for (const name of misfits) asText.add(name)
      rmSync(path, { force: true })
    }
  }

  readonly #explain = (error: StatementError): UserError => {
    const isQuery = this.#relation.query !== null
    return new UserError(
      isQuery ? 'QUERY_REFUSED' : 'INPUT_UNREADABLE',
      `${this.#label}: ${getServerMessage(error)}`,
      { ...(isQuery && { hint: 'the query must be one SELECT that changes nothing' }), cause: error },
    )
  }
}

function describeCopy({ name, type }: SourceColumn, asText: ReadonlySet<string>): CopiedColumn {
  const typed = asText.has(name) ? null : describeTypedColumn(name, type)
  return typed ?? describeTextColumn(name)
}

async function describeQuery(session: PostgresSession, from: string): Promise<readonly SourceColumn[]> {
  const fields = await session.describe(`SELECT * FROM ${from} AS q LIMIT 0`)
  await session.query('SET LOCAL search_path = pg_catalog')
  const rows = await session.query(
    `SELECT format_type(f.id, f.modifier) AS type FROM unnest($1::oid[], $2::integer[]) WITH ORDINALITY AS f(id, modifier, number) ORDER BY f.number`,
    [fields.map(({ typeId }) => typeId), fields.map(({ typeModifier }) => typeModifier)],
  )
  await session.query('SET LOCAL search_path TO DEFAULT')
  return fields.map(({ name }, index) => ({ name, type: rows[index]?.type ?? 'text' }))
}
