import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../core/text.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { TargetOptions, WriteMode, TableName } from '../connector.js'
import type { FileColumn } from './local-parquet.js'
import { toPostgresType } from './postgres-rows.js'
import {
  createViewError,
  hasColumnChanges,
  planTable,
  type ExistingColumn,
  type TablePlan,
  type WantedColumn,
  quoteTable,
} from './table-names.js'

export interface PostgresPlan extends TablePlan<TableColumn> {
  /** Columns that accept no UPDATE. */
  readonly fixedNames: readonly string[]
}

const systemColumns = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** Throws OUTPUT_COLUMN_UNFIT for names that PostgreSQL does not have. */
export function assertNamesFit(columns: readonly FileColumn[]): void {
  for (const { name } of columns) {
    const why =
      name === ''
        ? 'a column has no name'
        : Buffer.byteLength(name) > nameBytesMax
          ? `the name of the column ${name} is longer than ${nameBytesMax} bytes`
          : systemColumns.has(name)
            ? `${name} is the name of a system column`
            : null
    if (why !== null)
      throw new UserError('OUTPUT_COLUMN_UNFIT', `PostgreSQL cannot keep a column: ${why}`, {
        hint: 'rename it',
      })
  }
}

/** Finds the types of the columns: the original ones, as far as the server has them. */
export async function resolveTypes(
  session: PostgresSession,
  columns: readonly FileColumn[],
): Promise<readonly WantedColumn[]> {
  const originals = columns.map(({ originalType }) => originalType)
  // Only the text of one type name has a result, so it is safe in a statement.
  const rows = await session.query(
    'SELECT pg_catalog.to_regtype(t.name) IS NOT NULL AS known FROM pg_catalog.unnest($1::text[]) WITH ORDINALITY AS t(name, number) ORDER BY t.number',
    [originals],
  )
  return columns.map((column, index) => {
    const { originalType, type } = column
    const isKnown = originalType !== null && rows[index]?.known === 't'
    return { ...column, wantedType: isKnown ? originalType : toPostgresType(type) }
  })
}

/** Throws OUTPUT_TABLE_UNFIT. */
export function planPostgresTable(
  options: Pick<TargetOptions, 'mode'>,
  columns: readonly WantedColumn[],
  existing: readonly TableColumn[],
): PostgresPlan {
  const plan = planTable(options, columns, existing, { keepsType, fold: (name) => name })
  const fixed = existing.filter(({ isAlwaysIdentity }) => isAlwaysIdentity)
  return { ...plan, fixedNames: fixed.map(({ name }) => name) }
}

/** Returns the actions of ALTER TABLE that give a table the columns of the file. */
export const buildActions = ({ removed, added, retyped }: PostgresPlan): readonly string[] => [
  ...removed.map(({ name }) => `DROP COLUMN ${quoteSqlName(name)}`),
  ...added.map(({ name, wantedType }) => `ADD COLUMN ${quoteSqlName(name)} ${wantedType}`),
  ...retyped.map(
    ({ column: { name, wantedType } }) =>
      `ALTER COLUMN ${quoteSqlName(name)} TYPE ${wantedType} USING NULL::${wantedType}`,
  ),
]

const neededRights: Readonly<Record<WriteMode, readonly string[]>> = {
  replace: ['INSERT', 'DELETE'],
  append: ['INSERT'],
  upsert: ['SELECT', 'INSERT', 'UPDATE'],
}

const integers = ['smallint', 'integer', 'bigint', 'numeric']

/** Whether an existing column keeps every value of the wanted type, or refuses it; it never rounds or cuts. */
function keepsType({ type, category }: TableColumn, wanted: string): boolean {
  if (type === wanted || category === 'S') return true
  if (wanted === 'text') return !'NDTBAG'.includes(category) && type !== 'bytea'
  if (/^jsonb?$/.test(wanted)) return /^jsonb?$/.test(type)
  return integers.includes(wanted) && integers.indexOf(type) > integers.indexOf(wanted)
}

const otherKinds: Readonly<Record<string, string>> = {
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
  S: 'a sequence',
  i: 'an index',
  c: 'a type',
}

/** Throws OUTPUT_UNWRITABLE and ACCESS_DENIED if the table cannot be written as planned. */
export async function assertWritable(
  session: PostgresSession,
  table: FoundTable,
  plan: PostgresPlan,
  mode: WriteMode,
): Promise<void> {
  const name = quoteTable(table)
  const changed = [...plan.removed, ...plan.retyped.map(({ old }) => old)]
  const other =
    /^(pg_.*|information_schema)$/.test(table.schema) && !table.schema.startsWith('pg_temp')
      ? 'a system table'
      : table.kind === 'r' || table.kind === 'p'
        ? null
        : (otherKinds[table.kind] ?? 'no table')
  if (other !== null)
    throw new UserError('OUTPUT_UNWRITABLE', `${name} is ${other}`, { hint: 'name a table of your own' })
  const [row] = await session.query(
    `SELECT current_user AS role, row_security_active($1::oid) AS secured, pg_has_role(relowner, 'USAGE') AS owner,
       ARRAY(SELECT r FROM unnest($2::text[]) AS r WHERE NOT has_table_privilege($1::oid, r))::text AS lacking,
       (SELECT min(conrelid::regclass::text) FROM pg_constraint
        WHERE confrelid = $1::oid AND contype = 'f' AND conrelid <> confrelid) AS referrer,
       (SELECT min(rulename) FROM pg_rewrite WHERE ev_class = $1::oid AND ev_enabled <> 'D') AS rule,
       (SELECT string_agg(DISTINCT v.oid::regclass::text, ', ')
        FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid JOIN pg_class v ON v.oid = w.ev_class
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = $1::oid
          AND d.refobjsubid = ANY ($3::integer[])) AS views
     FROM pg_class WHERE oid = $1::oid`,
    [table.oid, neededRights[mode], changed.map(({ number }) => Number(number))],
  )
  const deny = (what: string, hint: string) => new UserError('ACCESS_DENIED', `${name}: ${what}`, { hint })
  const role = quoteSqlName(row?.role ?? '')
  const lacking = (row?.lacking ?? '{}').slice(1, -1)
  if (lacking !== '')
    throw deny(`the role ${role} lacks ${lacking}`, `GRANT ${lacking} ON ${name} TO ${role}`)
  if (row?.secured === 't')
    throw deny(`row-level security limits the role ${role}`, 'write as the owner of the table')
  if (row?.rule) {
    throw new UserError('OUTPUT_UNWRITABLE', `${name}: the rule ${row.rule} changes what is written`, {
      hint: 'drop the rule, or use a trigger instead',
    })
  }
  if (hasColumnChanges(plan) && row?.owner !== 't')
    throw deny(
      `its columns differ, and the role ${role} is not its owner`,
      `GRANT the owner's role to ${role}`,
    )
  if (mode === 'replace' && row?.referrer) {
    throw new UserError(
      'OUTPUT_UNWRITABLE',
      `${name} cannot be replaced: rows of ${row.referrer} refer to it`,
      { hint: 'use --mode upsert, which removes no rows' },
    )
  }
  if (!row?.views) return
  throw createViewError(name, row.views, changed.map((column) => column.name).join(', '))
}

/** Throws OUTPUT_IS_OURS for a schema with a checkpoint, or with the data of our service. */
export async function assertNotOurs(session: PostgresSession, schema: string): Promise<void> {
  const found = await session.query(
    `SELECT FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND a.attname = 'schema_version'
       AND (n.nspname, c.relname) IN (('enrich', 'checkpoint'), ('enrich_service', 'service'))`,
    [schema],
  )
  if (found.length === 0) return
  throw new UserError('OUTPUT_IS_OURS', `the schema ${schema} contains tables of enrich`, {
    hint: 'name a table in another schema: these tables contain data that was paid for',
  })
}

/** Longest name in PostgreSQL, which cuts longer ones. */
const nameBytesMax = 63

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
interface TableColumn extends ExistingColumn {
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

/** Returns the names of the indexes and constraints that the server drops with columns. */
export async function listDependents(
  session: PostgresSession,
  { oid }: FoundTable,
  removed: readonly TableColumn[],
): Promise<readonly string[]> {
  const rows = await session.query(
    `SELECT c.relname AS name FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::oid AND (i.indkey::smallint[] && $2::smallint[] OR EXISTS (
       SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = i.indexrelid
         AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = $1::oid AND d.refobjsubid = ANY ($2::integer[])))
     UNION SELECT conname FROM pg_catalog.pg_constraint WHERE conrelid = $1::oid AND conkey && $2::smallint[] AND contype <> 'n'
     ORDER BY name`,
    [oid, removed.map(({ number }) => Number(number))],
  )
  return rows.map(({ name }) => name ?? '')
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
