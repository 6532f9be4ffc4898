import { existsSync, linkSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dirname } from 'node:path'
import { UserError, type ErrorCode } from '../../core/errors.js'
import {
  buildTemporaryPath,
  listFilePlaces,
  removeStaleTemporaries,
  resolveFinalPath,
  syncPath,
} from '../../platform/files.js'
import { quoteSqlText } from '../../core/text.js'
import {
  insideFile,
  type AppendMarks,
  type ConnectorOptions,
  type Place,
  type Target,
  type TargetOptions,
  type TableName,
} from '../connector.js'
import type { FileColumn } from './local-parquet.js'
import {
  quoteTable,
  announceRemoval,
  buildDefinition,
  hasColumnChanges,
  planTable,
  type ExistingColumn,
  type PlanRules,
  type TablePlan,
  type WantedColumn,
} from './table-names.js'

export interface DatabaseFile {
  readonly path: string
  /** Shown to the user. */
  readonly label: string
  readonly use: 'input' | 'output'
  readonly options: ConnectorOptions
}

export interface OutputFile extends DatabaseFile {
  readonly use: 'output'
  readonly options: TargetOptions
}

/** Runs an action on a file, and explains its errors. Throws INPUT_NOT_FOUND for a missing input. */
export async function withFile<Result>(
  { path, use, options: { signal } }: DatabaseFile,
  action: () => Promise<Result>,
  explain: (error: unknown, code: ErrorCode) => unknown,
): Promise<Result> {
  if (use === 'input' && !existsSync(path))
    throw new UserError('INPUT_NOT_FOUND', `there is no file ${path}`, { hint: 'check the path' })
  try {
    return await action()
  } catch (error) {
    signal?.throwIfAborted()
    throw explain(error, use === 'input' ? 'INPUT_UNREADABLE' : 'OUTPUT_UNWRITABLE')
  }
}

/** Returns the places of tables in a file. Databases in files ignore the case of ASCII letters. */
export function nameTablePlaces(path: string, names: readonly string[]): readonly Place[] {
  const folded = new Set(names.map((name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())))
  return listFilePlaces(path).flatMap((file) => [...folded].map((name) => file + insideFile + name))
}

/** Remedies for errors about a statement or a file. */
export const fileHints: Readonly<Partial<Record<ErrorCode, string>>> = {
  OUTPUT_UNWRITABLE: 'correct the table, or name another one',
  OUTPUT_TABLE_UNFIT: 'correct the rows, change the column or the constraint, or name another table',
  QUERY_REFUSED: 'the query must be one SELECT that changes nothing',
  INPUT_UNREADABLE: 'check that the file is a database of this kind, and whole',
}

/** Longest wait for another process that uses a file. */
const busyMsMax = 5_000
const busyPauseMs = 100

/** Repeats an action while another process holds the file. Throws STORE_UNREACHABLE. */
export async function whenFree<Result>(
  { label, options: { signal } }: DatabaseFile,
  action: () => Result | Promise<Result>,
  /** Returns message and hint for an error about a lock; `null` for others. */
  explainLock: (error: unknown) => readonly [message: string, hint: string] | null,
): Promise<Result> {
  const endMs = performance.now() + busyMsMax
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await action()
    } catch (cause) {
      const lock = explainLock(cause)
      if (lock === null) throw cause
      if (performance.now() > endMs)
        throw new UserError('STORE_UNREACHABLE', `${label} ${lock[0]}`, { hint: lock[1], cause })
    }
    await sleep(busyPauseMs)
  }
}

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
  /** Returns the names of indexes and constraints that end with these columns. */
  listDependents(removed: readonly Existing[]): Promise<readonly string[]>
}

/** Puts the rows of a file into a table. Throws OUTPUT_TABLE_UNFIT. */
export async function writeTable<Existing extends ExistingColumn>(
  table: FileTable<Existing>,
  columns: readonly FileColumn[],
  { label, options }: OutputFile,
  isTrial: boolean,
): Promise<void> {
  const { mode } = options
  const wanted = columns.map((column) => ({ ...column, wantedType: table.toType(column) }))
  const existing = await table.listColumns()
  if (existing === null) {
    await table.run(`CREATE TABLE ${table.name} (${wanted.map(buildDefinition).join(', ')})`)
    return table.insert(wanted)
  }
  const { keepsType } = table
  const plan = planTable({ mode }, wanted, existing, { keepsType, fold: (name) => name.toLowerCase() })
  const insert = () => table.insert(plan.written)
  await announceRemoval(label, plan.removed, options, isTrial, () => table.listDependents(plan.removed))
  if (mode === 'upsert') return table.upsert(plan, existing)
  if (mode === 'replace' && hasColumnChanges(plan)) return table.changeColumns(plan, existing, insert)
  if (mode === 'replace') await table.run(`DELETE FROM ${table.name}`)
  return insert()
}

/** The name of a table in its place; the names of databases with schemas have both parts. */
export const formatPlaceName = ({ schema, name }: TableName): string =>
  schema === null ? name : `${schema}${insideFile}${name}`

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
  /** Returns the places of the table in an existing file. */
  readonly listPlaces: () => Promise<readonly Place[]>
}

export function createFileTarget(
  file: OutputFile,
  table: TableName,
  { write, withQuery, listPlaces }: FileAccess,
): Target {
  // The database is created at the end of a link, so that the link stays.
  const path = resolveFinalPath(file.path)
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
    listPlaces: async () =>
      existsSync(path) ? listPlaces() : nameTablePlaces(path, [formatPlaceName(table)]),
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

/** Returns the statements that store a mark as the only row of its table, in the SQL of all databases. */
export const buildMarkStatements = (table: string, mark: string): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS ${table} (mark text)`,
  `DELETE FROM ${table}`,
  `INSERT INTO ${table} VALUES (${quoteSqlText(mark)})`,
]

/** `execute` runs one statement in a transaction. */
export const createMarks = (
  table: string,
  read: AppendMarks['read'],
  execute: (sql: string) => Promise<void>,
): AppendMarks => ({
  read,
  update: (mark) => execute(`UPDATE ${table} SET mark = ${quoteSqlText(mark)}`),
  remove: () => execute(`DROP TABLE IF EXISTS ${table}`),
})
