import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../core/text.js'
import {
  parseTableAddress,
  type TableName,
  type Place,
  type Source,
  type SourceOptions,
  type TargetOptions,
} from '../connector.js'
import { formatList, type FileColumn } from './local-parquet.js'

export interface ExistingColumn {
  readonly name: string
  readonly type: string
  /** Computed from other columns; cannot be written. */
  readonly isGenerated: boolean
  /** Whether rows may leave it out: it has a default, an identity or an expression. Such columns are the user's own. */
  readonly fillsItself: boolean
}

/** A column of the file, with its type in a new table. */
export interface WantedColumn extends FileColumn {
  readonly wantedType: string
}

export const buildDefinition = ({ name, wantedType }: WantedColumn): string =>
  `${quoteSqlName(name)} ${wantedType}`

/** How the columns of a file are put into an existing table. */
export interface TablePlan<Existing extends ExistingColumn> {
  /** Columns of the file that are written. */
  readonly written: readonly WantedColumn[]
  /** Columns of the file that the table gets. */
  readonly added: readonly WantedColumn[]
  /** Columns of the table that are removed. */
  readonly removed: readonly Existing[]
  /** Columns of the table that would round or cut values, and get the type of the file. */
  readonly retyped: readonly { readonly old: Existing; readonly column: WantedColumn }[]
}

export interface PlanRules<Existing> {
  /** Whether a column keeps every value of the wanted type, or refuses it. */
  readonly keepsType: (existing: Existing, wantedType: string) => boolean
  /** Makes names equal that the database does not distinguish. */
  readonly fold: (name: string) => string
}

/**
 * Plans the columns: `replace` gives the table those of the file, the other modes need them all. Throws
 * OUTPUT_TABLE_UNFIT.
 */
export function planTable<Existing extends ExistingColumn>(
  { mode }: Pick<TargetOptions, 'mode'>,
  columns: readonly WantedColumn[],
  existing: readonly Existing[],
  { keepsType, fold }: PlanRules<Existing>,
): TablePlan<Existing> {
  const found = new Map(existing.map((column) => [fold(column.name), column]))
  const wanted = new Set(columns.map(({ name }) => fold(name)))
  const added = columns.filter(({ name }) => !found.has(fold(name)))
  const written = columns.filter(({ name }) => found.get(fold(name))?.isGenerated !== true)
  if (mode !== 'replace') {
    if (added.length === 0) return { written, added, removed: [], retyped: [] }
    const names = added.map(({ name }) => name).join(', ')
    throw new UserError('OUTPUT_TABLE_UNFIT', `the table has no column ${names}`, {
      hint: 'add the columns to the table, or choose the columns of the output by --columns',
    })
  }
  const removed = existing.filter(({ name, fillsItself }) => !wanted.has(fold(name)) && !fillsItself)
  const retyped = written.flatMap((column) => {
    const old = found.get(fold(column.name))
    return old === undefined || keepsType(old, column.wantedType) ? [] : [{ old, column }]
  })
  return { written, added, removed, retyped }
}

/**
 * Handles columns that a table loses by being replaced. `listDependents` returns the names of the indexes and constraints
 * that go with them. Reports only in a trial, and not again when the rows are written. Throws OUTPUT_TABLE_UNFIT.
 */
export async function announceRemoval(
  label: string,
  removed: readonly ExistingColumn[],
  { removedColumns = 'refuse', notice }: Pick<TargetOptions, 'removedColumns' | 'notice'>,
  isTrial: boolean,
  listDependents: () => Promise<readonly string[]>,
): Promise<void> {
  if (removed.length === 0 || removedColumns === 'ignore' || (removedColumns === 'report' && !isTrial)) return
  const names = removed.map(({ name }) => name)
  const dependents = await listDependents()
  const columns = `the ${names.length === 1 ? 'column' : 'columns'} ${formatList(names)}`
  const behind = dependents.length === 0 ? '' : `, with the indexes and constraints ${formatList(dependents)}`
  const lost = columns + behind
  if (removedColumns === 'report') {
    notice(`${label} loses ${lost}, because the output does not have them`)
    return
  }
  throw new UserError('OUTPUT_TABLE_UNFIT', `${label} would lose ${lost}: the output does not have them`, {
    hint: 'pass --drop-columns to remove them; to keep them, pass --mode upsert, give them default values, or name another table',
  })
}

export const hasColumnChanges = ({ added, removed, retyped }: TablePlan<ExistingColumn>): boolean =>
  added.length + removed.length + retyped.length > 0

/** Returns the error for views that use columns which are removed, or get another type. */
export const createViewError = (label: string, views: string, columns: string): UserError =>
  new UserError('OUTPUT_UNWRITABLE', `${label} cannot be replaced: ${views} uses the columns ${columns}`, {
    hint: 'the new table has them no more, or with another type: drop the view first, or write another table',
  })

export const quoteTable = ({ schema, name }: TableName): string =>
  schema === null ? quoteSqlName(name) : `${quoteSqlName(schema)}.${quoteSqlName(name)}`

/** Whether a text in SQL contains a name as a whole, in any case. */
export function mentionsName(sql: string, name: string): boolean {
  const text = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${text}(?![\\p{L}\\p{N}_$])`, 'iu').test(sql)
}

/** Returns a table's name as users write it: quoted only if needed. */
export function formatTable({ schema, name }: TableName): string {
  const format = (part: string) => (/[."]/.test(part) ? quoteSqlName(part) : part)
  return schema === null ? format(name) : `${format(schema)}.${format(name)}`
}

export interface SourceAddress {
  /** The address without its table. */
  readonly database: string
  /** Null: a query is read. */
  readonly table: TableName | null
  /** The table or the query, in SQL. */
  readonly from: string
  /** Text after the database in labels. */
  readonly suffix: string
}

/** Throws ADDRESS_INVALID unless there is either a table or a query. */
export function parseSourceAddress(address: string, { query }: Pick<SourceOptions, 'query'>): SourceAddress {
  const { database, table } = parseTableAddress(address)
  if (query === null && table !== null)
    return { database, table, from: quoteTable(table), suffix: `#${formatTable(table)}` }
  // A final semicolon is removed, so that the query can be part of a statement.
  if (query !== null && table === null)
    return { database, table, from: `(\n${query.replace(/[\s;]+$/, '')}\n)`, suffix: ' (query)' }
  throw new UserError(
    'ADDRESS_INVALID',
    table === null ? 'the address names no table' : 'the address names a table, and a query is given too',
    { hint: 'write #table at the end of the address, or pass --query FILE' },
  )
}

/** Throws ADDRESS_INVALID and USAGE_INVALID. */
export function parseTargetAddress(
  address: string,
  { mode, keyColumn }: Pick<TargetOptions, 'mode' | 'keyColumn'>,
): { readonly database: string; readonly table: TableName } {
  const { database, table } = parseTableAddress(address)
  if (table === null) {
    throw new UserError('ADDRESS_INVALID', 'the address names no table', {
      hint: 'write #table or #schema.table at the end of the address',
    })
  }
  if (mode === 'upsert' && keyColumn === null) {
    throw new UserError('USAGE_INVALID', '--mode upsert needs a column with the key of each row', {
      hint: 'pass --row-key',
    })
  }
  return { database, table }
}

/** Returns the error for a missing table, with the tables that have the most similar names. */
export function createMissingError(label: string, table: TableName, names: readonly string[]): UserError {
  const wanted = formatTable(table)
  const ranked = names.map((name) => ({
    name,
    distance: measureDistance(wanted.toLowerCase(), name.toLowerCase()),
  }))
  ranked.sort((one, other) => one.distance - other.distance)
  const nearest = ranked.slice(0, 5).map(({ name }) => name)
  return new UserError('INPUT_NOT_FOUND', `${label}: there is no table ${wanted}`, {
    hint:
      nearest.length === 0
        ? 'the database has no tables that you may see'
        : `tables with similar names: ${nearest.join(', ')}`,
  })
}

/** Returns the number of changed characters between two names. */
function measureDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const change = one[at - 1] === other[to - 1] ? 0 : 1
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + change))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

interface CopiedTable {
  /** Notice for the user, or `null`. */
  readonly notice: string | null
  readonly places: readonly Place[]
}

/** Copies the rows to `path`; temporary files may be in `folder`. */
type CopyTable = (path: string, folder: string) => Promise<CopiedTable>

export const createTableSource = (
  label: string,
  { notice, query }: SourceOptions,
  copy: CopyTable,
): Source => ({
  fetch: async (folder) => {
    const path = join(folder, 'table.parquet')
    const copied = await copy(path, folder)
    if (copied.notice !== null) notice(copied.notice)
    return [{ path, label, format: 'parquet', places: copied.places, isQuery: query !== null }]
  },
  close: () => Promise.resolve(),
})
