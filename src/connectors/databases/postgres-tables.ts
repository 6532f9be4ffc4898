import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../parquet/duckdb.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { TableName } from '../address.js'
import { quoteTable } from './table-names.js'
import type { ExistingColumn } from './table-plan.js'

/** Longest name in PostgreSQL, which cuts longer ones. */
export const nameBytesMax = 63

/** A table or a view. */
export interface FoundTable {
  readonly oid: string
  readonly schema: string
  readonly name: string
  /** `r` table, `p` partitioned table, `v` view, `m` materialized view, `f` foreign table; others have no rows. */
  readonly kind: string
}

/** Finds a table, without a schema in the search path of the session; `null` if missing. */
export async function findTable(session: PostgresSession, table: TableName): Promise<FoundTable | null> {
  const [row] = await session.query(
    `SELECT c.oid::text, n.nspname AS schema, c.relname AS name, c.relkind AS kind
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.oid = pg_catalog.to_regclass($1)`,
    [quoteTable(table)],
  )
  const { oid, schema, name, kind } = row ?? {}
  if (!oid || !schema || !name || !kind) return null
  return { oid, schema, name, kind }
}

/** Lists tables by their names as users write them. */
export async function listTables(session: PostgresSession): Promise<readonly string[]> {
  const rows = await session.query(
    `SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END AS name
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^(pg_|information_schema$)'
     ORDER BY 1 LIMIT 10000`,
  )
  return rows.map(({ name }) => name ?? '')
}

/** Its type is the text of `format_type`; types of extensions and users have their schema. */
export interface TableColumn extends ExistingColumn {
  /** PostgreSQL's category of the type: `S` text, `N` number, `D` time, … */
  readonly category: string
  /** Whether an identity that accepts no UPDATE. */
  readonly isAlwaysIdentity: boolean
  readonly number: string
}

/** Lists the columns of a table. Changes `search_path` of the transaction, so that types of users have their schema. */
export async function listColumns(
  session: PostgresSession,
  { oid }: FoundTable,
): Promise<readonly TableColumn[]> {
  await session.query('SET LOCAL search_path = pg_catalog')
  const rows = await session.query(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, t.typcategory AS category,
       a.attgenerated <> '' AS generated, a.attidentity = 'a' AS always,
       a.atthasdef OR a.attidentity <> '' AS fills, a.attnum::text AS number
     FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [oid],
  )
  await session.query('SET LOCAL search_path TO DEFAULT')
  return rows.map((row) => ({
    name: row.name ?? '',
    type: row.type ?? '',
    category: row.category ?? '',
    isGenerated: row.generated === 't',
    isAlwaysIdentity: row.always === 't',
    fillsItself: row.fills === 't',
    number: row.number ?? '',
  }))
}

/** Settings of a transaction that make all texts independent of the server's settings. */
export const textSettings = `SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`

/** Throws ADDRESS_INVALID for a name that PostgreSQL would cut. */
export function assertNameFits({ schema, name }: TableName): void {
  const long = [schema ?? '', name].find((part) => Buffer.byteLength(part) > nameBytesMax)
  if (long === undefined) return
  throw new UserError(
    'ADDRESS_INVALID',
    `the name ${quoteSqlName(long)} is longer than ${nameBytesMax} bytes`,
    { hint: 'PostgreSQL has no longer names' },
  )
}
