import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../parquet/duckdb.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { TargetOptions, WriteMode } from '../connector.js'
import type { FileColumn } from './local-parquet.js'
import { nameBytesMax, type FoundTable, type TableColumn } from './postgres-tables.js'
import { toPostgresType } from './postgres-types.js'
import { quoteTable } from './table-names.js'

/** A column of the file, with its type in a new table. */
export interface TypedColumn extends FileColumn {
  readonly wantedType: string
}

/** How the file is put into an existing table. */
export interface WritingPlan {
  /** Columns of the file that are written; generated columns are not. */
  readonly columns: readonly TypedColumn[]
  /** Columns that an upsert changes in existing rows. */
  readonly updated: readonly TypedColumn[]
  /** Actions of ALTER TABLE that give the table the columns of the file. */
  readonly actions: readonly string[]
  /** Columns that the actions remove or change. */
  readonly changed: readonly TableColumn[]
  /** Rights that are needed on the table. */
  readonly rights: readonly string[]
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
): Promise<readonly TypedColumn[]> {
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

/** Throws OUTPUT_TABLE_UNFIT if the mode needs columns that the table does not have. */
export function planWriting(
  { mode, keyColumn }: Pick<TargetOptions, 'mode' | 'keyColumn'>,
  columns: readonly TypedColumn[],
  existing: readonly TableColumn[],
): WritingPlan {
  const found = new Map(existing.map((column) => [column.name, column]))
  const missing = columns.filter(({ name }) => !found.has(name))
  const written = columns.filter(({ name }) => found.get(name)?.isGenerated !== true)
  if (mode !== 'replace') {
    assertNoneMissing(missing.map(({ name }) => name))
    const updated = written.filter(({ name }) => name !== keyColumn && !found.get(name)?.isAlwaysIdentity)
    const rights = mode === 'append' ? ['INSERT'] : ['SELECT', 'INSERT', 'UPDATE']
    return { columns: written, updated, actions: [], changed: [], rights }
  }
  const names = new Set(columns.map(({ name }) => name))
  // Columns that fill themselves are the user's own.
  const surplus = existing.filter(({ name, fillsItself }) => !names.has(name) && !fillsItself)
  const retyped = written.filter((column) => {
    const old = found.get(column.name)
    return old !== undefined && !keepsType(old, column.wantedType)
  })
  const actions = [
    ...surplus.map(({ name }) => `DROP COLUMN ${quoteSqlName(name)}`),
    ...missing.map(({ name, wantedType }) => `ADD COLUMN ${quoteSqlName(name)} ${wantedType}`),
    ...retyped.map(
      ({ name, wantedType }) =>
        `ALTER COLUMN ${quoteSqlName(name)} TYPE ${wantedType} USING NULL::${wantedType}`,
    ),
  ]
  const changed = [
    ...surplus,
    ...existing.filter(({ name }) => retyped.some((column) => column.name === name)),
  ]
  return { columns: written, updated: [], actions, changed, rights: ['INSERT', 'DELETE'] }
}

/** Throws OUTPUT_TABLE_UNFIT unless the list is empty. */
export function assertNoneMissing(missing: readonly string[]): void {
  if (missing.length === 0) return
  throw new UserError('OUTPUT_TABLE_UNFIT', `the table has no column ${missing.join(', ')}`, {
    hint: 'add the columns to the table, or choose the columns of the output by --columns',
  })
}

const integers = ['smallint', 'integer', 'bigint', 'numeric']

/** Whether an existing column keeps every value of the wanted type, or refuses it; it never rounds or cuts. */
export function keepsType({ type, category }: TableColumn, wanted: string): boolean {
  if (type === wanted || category === 'S') return true
  if (wanted === 'text') return !'NDTBAG'.includes(category) && type !== 'bytea'
  if (/^jsonb?$/.test(wanted)) return /^jsonb?$/.test(type)
  return integers.includes(wanted) && integers.indexOf(type) > integers.indexOf(wanted)
}

/** Throws OUTPUT_UNWRITABLE and ACCESS_DENIED if the table cannot be written as planned. */
export async function assertWritable(
  session: PostgresSession,
  table: FoundTable,
  { rights, actions, changed }: WritingPlan,
  mode: WriteMode,
): Promise<void> {
  const name = quoteTable(table)
  if (table.kind !== 'r' && table.kind !== 'p') {
    throw new UserError('OUTPUT_UNWRITABLE', `${name} is a view or a foreign table`, { hint: 'name a table' })
  }
  const [row] = await session.query(
    `SELECT current_user AS role, row_security_active($1::oid) AS secured, pg_has_role(relowner, 'USAGE') AS owner,
       ARRAY(SELECT r FROM unnest($2::text[]) AS r WHERE NOT has_table_privilege($1::oid, r))::text AS lacking,
       (SELECT min(conrelid::regclass::text) FROM pg_constraint
        WHERE confrelid = $1::oid AND contype = 'f' AND conrelid <> confrelid) AS referrer,
       (SELECT string_agg(DISTINCT v.oid::regclass::text, ', ')
        FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid JOIN pg_class v ON v.oid = w.ev_class
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = $1::oid
          AND d.refobjsubid = ANY ($3::integer[])) AS views
     FROM pg_class WHERE oid = $1::oid`,
    [table.oid, rights, changed.map(({ number }) => Number(number))],
  )
  const deny = (what: string, hint: string) => new UserError('ACCESS_DENIED', `${name}: ${what}`, { hint })
  const role = quoteSqlName(row?.role ?? '')
  const lacking = (row?.lacking ?? '{}').slice(1, -1)
  if (lacking !== '')
    throw deny(`the role ${role} lacks ${lacking}`, `GRANT ${lacking} ON ${name} TO ${role}`)
  if (row?.secured === 't')
    throw deny(`row-level security limits the role ${role}`, 'write as the owner of the table')
  if (actions.length > 0 && row?.owner !== 't')
    throw deny(
      `its columns differ, and the role ${role} is not its owner`,
      `GRANT the owner's role to ${role}`,
    )
  if (mode === 'replace' && row?.referrer) {
    throw new UserError(
      'OUTPUT_UNWRITABLE',
      `${name} cannot be replaced: rows of ${row.referrer} refer to it`,
      {
        hint: 'use --mode upsert, which removes no rows',
      },
    )
  }
  if (!row?.views) return
  const names = changed.map((column) => column.name).join(', ')
  throw new UserError(
    'OUTPUT_UNWRITABLE',
    `${name} cannot be replaced: ${row.views} uses the columns ${names}`,
    {
      hint: 'the new table has them no more, or with another type: drop the view first, or write another table',
    },
  )
}
