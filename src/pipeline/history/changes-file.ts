import { UserError } from '../../core/errors.js'
import {
  publishTable,
  resolveTable,
  tryTable,
  type PlainColumn,
  type PlainRow,
  type PlainTableTarget,
  type TableRequest,
} from '../output/plain-table.js'
import type { Change } from './alarms.js'

/** Columns of a changes file, in order, with their values. */
const columns = [
  { name: 'kind', kind: 'text', of: ({ kind }) => kind },
  { name: 'row_key', kind: 'user_text', of: ({ rowKey }) => rowKey },
  { name: 'row_number', kind: 'integer', of: ({ rowNumber }) => rowNumber },
  { name: 'name', kind: 'user_text', of: ({ name }) => name },
  { name: 'field', kind: 'text', of: ({ field }) => field },
  { name: 'old', kind: 'text', of: (change) => change.old },
  { name: 'new', kind: 'text', of: (change) => change.new },
  { name: 'old_source', kind: 'text', of: ({ oldSource }) => oldSource },
  { name: 'new_source', kind: 'text', of: ({ newSource }) => newSource },
  { name: 'old_entity_id', kind: 'text', of: ({ oldEntityId }) => oldEntityId },
  { name: 'new_entity_id', kind: 'text', of: ({ newEntityId }) => newEntityId },
  { name: 'run', kind: 'integer', of: ({ run }) => run },
] as const satisfies readonly ChangeColumn[]

/** Further columns, if an own registry answers first. */
const sideColumns = [
  { name: 'old_answered_by', kind: 'text', of: ({ oldAnsweredBy = null }) => oldAnsweredBy },
  { name: 'new_answered_by', kind: 'text', of: ({ newAnsweredBy = null }) => newAnsweredBy },
] as const satisfies readonly ChangeColumn[]

type ChangeColumn = PlainColumn & { of: (change: Change) => string | number | null }

const listColumns = (hasSides: boolean): readonly ChangeColumn[] =>
  hasSides ? [...columns, ...sideColumns] : columns

/** Returns a change as an object with the columns as keys. */
export function toChangeRecord(change: Change, hasSides: boolean): Record<string, string | number | null> {
  return Object.fromEntries(listColumns(hasSides).map(({ name, of }) => [name, of(change)]))
}

const createTable = ({ hasSides }: ChangesTarget) => ({
  name: 'changes',
  columns: listColumns(hasSides).map(({ name, kind }) => ({ name, kind })),
})

/** The user's settings for a changes file. */
export interface ChangesRequest extends Omit<TableRequest, 'mode'> {
  /** Whether the columns of the sides are written; defaults to false. */
  readonly hasSides?: boolean
}

export type ChangesTarget = PlainTableTarget & { readonly hasSides: boolean }

export const createChangesTarget = ({ hasSides = false, ...request }: ChangesRequest): ChangesTarget => ({
  ...resolveTable({ ...request, mode: 'append' }),
  hasSides,
})

/** Returns the changes file of a run. Throws USAGE_INVALID for standard output, and OUTPUT_FORMAT_UNKNOWN. */
export function createChangesFile(request: ChangesRequest): ChangesTarget {
  if (request.path === '-') {
    throw new UserError('USAGE_INVALID', '--changes cannot write to standard output', {
      hint: 'name a file; enrich diff -o - writes the changes of a run to standard output',
    })
  }
  return createChangesTarget(request)
}

/** Writes a file without changes and removes it. Throws the same errors as `publishChanges`. */
export function tryChanges(target: ChangesTarget): Promise<void> {
  return tryTable(createTable(target), target)
}

/** Writes changes and publishes the file as a whole. Throws OUTPUT_UNWRITABLE and DISK_FULL. */
export function publishChanges(
  target: ChangesTarget,
  changes: AsyncIterable<readonly Change[]>,
): Promise<void> {
  return publishTable({ ...createTable(target), rows: toRows(changes, target) }, target)
}

async function* toRows(
  changes: AsyncIterable<readonly Change[]>,
  { hasSides }: ChangesTarget,
): AsyncGenerator<readonly PlainRow[]> {
  const columns = listColumns(hasSides)
  for await (const batch of changes)
    if (batch.length > 0) yield batch.map((change) => columns.map(({ of }) => of(change)))
}
