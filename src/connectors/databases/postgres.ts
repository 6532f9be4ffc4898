import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { formatPostgresUrl } from '../../core/server-addresses.js'
import type { StatementError } from '../../platform/postgres/postgres.js'
import { describeRefusal } from '../../platform/postgres/refusals.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { Source, SourceOptions } from '../connector.js'
import { assertColumnNames, convertCsv, formatTextNotice } from './local-parquet.js'
import { listReadPlaces, parseDatabase, withSession } from './postgres-access.js'
import { assertNameFits, findTable, listColumns, listTables, textSettings } from './postgres-plan.js'
import { describeTextColumn, describeTypedColumn } from './postgres-rows.js'
import { createMissingError, parseSourceAddress, quoteTable, createTableSource } from './table-names.js'

// Tables and queries of PostgreSQL: `postgres://user@host/database#schema.table`.
export { openPostgresTarget as openTarget } from './postgres-target.js'

/** The rows to read, with their columns in PostgreSQL's types. */
interface Rows {
  /** In SQL. */
  readonly from: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** Throws ADDRESS_INVALID and ADDRESS_HAS_SECRET. */
export function openSource(address: string, options: SourceOptions): Source {
  // Before the table, since the rest of a password with # would be taken for its name.
  const parsed = parseDatabase(address.split('#', 1)[0] ?? '', 'input')
  const { table, from, suffix } = parseSourceAddress(address, options)
  if (table !== null) assertNameFits(table)
  const label = formatPostgresUrl(parsed) + suffix
  const explain = (error: StatementError) => explainRefusal(error, label, table === null)
  const describe = async (session: PostgresSession): Promise<Rows> => {
    if (table === null) return { from, columns: await describeQuery(session, from) }
    const found = await findTable(session, table)
    if (found === null || !/[rpvmf]/.test(found.kind))
      throw createMissingError(label, table, await listTables(session))
    const columns = await listColumns(session, found)
    // Fails without the right to read, and reads no rows.
    await session.describe(`SELECT * FROM ${quoteTable(found)} LIMIT 0`)
    return { from: quoteTable(found), columns }
  }
  return createTableSource(label, options, (path, folder) => {
    const work = async (session: PostgresSession) => {
      await session.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${textSettings}`)
      const rows = await describe(session)
      assertColumnNames(rows.columns, label)
      const notice = await copyRows(session, rows, { folder, path, signal: options.signal })
      return { notice, places: await listReadPlaces(session, parsed) }
    }
    return withSession({ address: parsed, use: 'input', options }, work, explain)
  })
}

function explainRefusal({ cause, sqlState }: StatementError, label: string, isQuery: boolean): UserError {
  const isChange = sqlState === '25006'
  const { what, remedy } = isChange ? changeRefusal : describeRefusal(cause)
  const hint =
    remedy ??
    (isQuery ? 'correct the query: it must be one SELECT' : 'check the table, or read it by --query')
  return new UserError(isQuery ? 'QUERY_REFUSED' : 'INPUT_UNREADABLE', `${label}: ${what}`, { hint, cause })
}

const changeRefusal = {
  what: 'the statement would change the database',
  remedy: 'the query must be one SELECT that changes nothing',
}

/** Copies the rows, again if a value does not fit its type; returns the notice about columns kept as text. */
async function copyRows(
  session: PostgresSession,
  { columns, from }: Rows,
  { folder, path, signal }: { folder: string; path: string; signal: AbortSignal | undefined },
): Promise<string | null> {
  const csvPath = join(folder, 'table.csv')
  const asText = new Set<string>()
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const describe = ({ name, type }: Rows['columns'][number]) =>
    asText.has(name) ? null : describeTypedColumn(name, type)
  for (;;) {
    const copied = columns.map((column) => describe(column) ?? describeTextColumn(column.name))
    const cells = copied.map(({ select }) => select).join(', ')
    await session.copyOut(`COPY (SELECT 1, ${cells} FROM ${from} AS q) TO STDOUT (FORMAT csv)`, csvPath)
    const conversion = { csvPath, path, kind: 'postgres' as const, columns: copied, types }
    const misfits = await convertCsv(folder, { signal }, conversion)
    rmSync(csvPath)
    if (misfits.length === 0) return formatTextNotice(columns.filter((column) => describe(column) === null))
    for (const name of misfits) asText.add(name)
    rmSync(path, { force: true })
  }
}

async function describeQuery(session: PostgresSession, from: string): Promise<Rows['columns']> {
  const fields = await session.describe(`SELECT * FROM ${from} AS q LIMIT 0`)
  await session.query('SET LOCAL search_path = pg_catalog')
  const rows = await session.query(
    `SELECT format_type(f.id, f.modifier) AS type FROM unnest($1::oid[], $2::integer[]) WITH ORDINALITY AS f(id, modifier, number) ORDER BY f.number`,
    [fields.map(({ typeId }) => typeId), fields.map(({ typeModifier }) => typeModifier)],
  )
  await session.query('SET LOCAL search_path TO DEFAULT')
  return fields.map(({ name }, index) => ({ name, type: rows[index]?.type ?? 'text' }))
}
