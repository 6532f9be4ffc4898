import { existsSync, linkSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { buildTemporaryPath, removeStaleTemporaries, syncPath } from '../../platform/files.js'
import { UserError } from '../../core/errors.js'
import { quoteSqlText } from '../../parquet/duckdb.js'
import type { TableName } from '../address.js'
import type { AppendMarks, Target, TargetOptions } from '../connector.js'
import { buildMarkStatements, createMarks } from './append-mark.js'
import type { OutputFile } from './file-database.js'
import type { FileColumn } from './local-parquet.js'
import { quoteTable } from './table-names.js'
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

/** Rows of a file to write, and how the transaction ends. */
interface FileWrite {
  readonly source: string
  /** Statements that store the mark of the rows. */
  readonly markStatements: readonly string[]
  readonly end: 'COMMIT' | 'ROLLBACK'
}

type Query = (sql: string) => Promise<readonly (readonly unknown[])[]>

interface FileAccess {
  /** Writes in one transaction. */
  readonly write: (file: OutputFile, write: FileWrite) => Promise<void>
  readonly withQuery: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>
}

/** Creates a target of a table in a file. */
export function createFileTarget(
  file: OutputFile,
  table: TableName,
  { write, withQuery }: FileAccess,
): Target {
  const { path } = file
  const { markTable: name = null } = file.options
  const markTable = name === null ? null : { schema: table.schema, name }
  const toStatements = (mark: string | undefined) =>
    markTable === null || mark === undefined ? [] : buildMarkStatements(quoteTable(markTable), mark)
  /** Writes a new file under a temporary name: a process that fails or is killed leaves no part of a database. */
  const createFile = async (request: FileWrite): Promise<void> => {
    removeStaleTemporaries(path)
    const temporary = buildTemporaryPath(path)
    try {
      await write({ ...file, path: temporary }, request)
      // DuckDB keeps committed rows there if it cannot move them into the file.
      if (existsSync(`${temporary}.wal`)) {
        throw new UserError('DISK_FULL', `no space left for ${file.label}`, {
          hint: 'free some space and run the same command again',
        })
      }
      if (request.end === 'ROLLBACK') return
      // Fails if another process has created the file meanwhile.
      linkSync(temporary, path)
      syncPath(dirname(path))
    } finally {
      for (const end of ['', '.wal', '-journal']) rmSync(temporary + end, { force: true })
    }
  }
  const writeOrCreate = async (request: FileWrite): Promise<void> => {
    const hasFolder = existsSync(`${dirname(path)}/.`)
    if (existsSync(path) || !hasFolder) return write(file, request)
    try {
      await createFile(request)
    } catch (error) {
      const { syscall } = error as NodeJS.ErrnoException
      if (syscall !== 'link') throw error
      await write(file, request)
    }
  }
  return {
    tryWriting: (source) => writeOrCreate({ source, markStatements: toStatements(''), end: 'ROLLBACK' }),
    publish: (source, mark) => writeOrCreate({ source, markStatements: toStatements(mark), end: 'COMMIT' }),
    marks: markTable === null ? undefined : createFileMarks(path, table, markTable, withQuery),
    close: () => Promise.resolve(),
  }
}

function createFileMarks(
  path: string,
  table: TableName,
  markTable: TableName,
  withQuery: FileAccess['withQuery'],
): AppendMarks {
  const mark = quoteTable(markTable)
  const read = async (query: Query) => {
    for (const { name } of [table, markTable]) {
      // DuckDB has this view, too.
      const exists = `SELECT 1 FROM sqlite_master WHERE lower(name) = lower(${quoteSqlText(name)})`
      if ((await query(exists)).length === 0) return null
    }
    const [row] = await query(`SELECT mark FROM ${mark}`)
    return row === undefined ? null : String(row[0])
  }
  const execute = (sql: string) =>
    withQuery(async (query) => {
      await query(sql)
    })
  return createMarks(mark, () => (existsSync(path) ? withQuery(read) : Promise.resolve(null)), execute)
}
