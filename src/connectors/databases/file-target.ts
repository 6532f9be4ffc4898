import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { buildTemporaryPath, removeStaleTemporaries } from '../../platform/files.js'
import type { Target, TargetOptions } from '../connector.js'
import type { DatabaseFile } from './file-database.js'
import type { FileColumn } from './local-parquet.js'
import {
  buildDefinition,
  hasColumnChanges,
  planTable,
  type PlanRules,
  type ExistingColumn,
  type TablePlan,
  type WantedColumn,
} from './table-plan.js'

/** A table of a database file, in an open transaction. */
export interface FileTable<Existing extends ExistingColumn> {
  /** In SQL. */
  readonly name: string
  run(sql: string): unknown
  toType(column: FileColumn): string
  readonly keepsType: PlanRules<Existing>['keepsType']
  /** Returns `null` if there is no table. */
  listColumns(): Promise<readonly Existing[] | null>
  insert(columns: readonly WantedColumn[]): Promise<void>
  /** Gives the table the columns of the file, and replaces its rows by those that `insert` adds. */
  changeColumns(
    plan: TablePlan<Existing>,
    existing: readonly Existing[],
    insert: () => Promise<void>,
  ): Promise<void>
  upsert(plan: TablePlan<Existing>, existing: readonly Existing[]): Promise<void>
}

/** Puts the rows of a file into a table. Throws OUTPUT_TABLE_UNFIT. */
export async function writeTable<Existing extends ExistingColumn>(
  table: FileTable<Existing>,
  columns: readonly FileColumn[],
  { mode }: Pick<TargetOptions, 'mode'>,
): Promise<void> {
  const wanted = columns.map((column) => ({ ...column, wantedType: table.toType(column) }))
  const existing = await table.listColumns()
  if (existing === null) {
    await table.run(`CREATE TABLE ${table.name} (${wanted.map(buildDefinition).join(', ')})`)
    return table.insert(wanted)
  }
  const { keepsType } = table
  const plan = planTable({ mode }, wanted, existing, { keepsType, fold: (name) => name.toLowerCase() })
  const insert = () => table.insert(plan.written)
  if (mode === 'upsert') return table.upsert(plan, existing)
  if (mode === 'replace' && hasColumnChanges(plan)) return table.changeColumns(plan, existing, insert)
  if (mode === 'replace') await table.run(`DELETE FROM ${table.name}`)
  return insert()
}

type WriteFile = (file: DatabaseFile, source: string, end: 'COMMIT' | 'ROLLBACK') => Promise<void>

/** Creates a target from a function that writes the rows of `source` in one transaction. */
export const createFileTarget = (file: DatabaseFile, write: WriteFile): Target => ({
  tryWriting: async (samplePath) => {
    const { path } = file
    const hasFolder = existsSync(`${dirname(path)}/.`)
    if (existsSync(path) || !hasFolder) return write(file, samplePath, 'ROLLBACK')
    // Another process may create the file meanwhile, so that it must not be removed afterwards.
    removeStaleTemporaries(path)
    const tried = buildTemporaryPath(path)
    try {
      await write({ ...file, path: tried }, samplePath, 'ROLLBACK')
    } finally {
      for (const end of ['', '.wal', '-journal']) rmSync(tried + end, { force: true })
    }
  },
  publish: (source) => write(file, source, 'COMMIT'),
  close: () => Promise.resolve(),
})
