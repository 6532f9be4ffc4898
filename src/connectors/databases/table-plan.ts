import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../core/text.js'
import type { TargetOptions } from '../connector.js'
import { formatList, type FileColumn } from './local-parquet.js'

/** A column of an existing table. */
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
