import { existsSync } from 'node:fs'
import { UserError, type ErrorCode } from '../../core/errors.js'
import { isSqliteFile } from '../../platform/files.js'
import type { TableName, Place } from '../connector.js'
import { describeSqliteError, getSqliteCode, loadDriver, type Sqlite } from '../../platform/sqlite.js'
import { fileHints, nameTablePlaces, whenFree, withFile, type DatabaseFile } from './file-database.js'
import { explainDiskFull } from './local-parquet.js'

/** Opens a file of any program, without changing its journal mode. Throws the errors of SQLite and the file system. */
function openSqliteFile(path: string, readonly: boolean): Sqlite {
  const Driver = loadDriver()
  // The driver waits without letting other work run, so `whenSqliteFree` waits instead.
  const database = new Driver(path, { readonly, fileMustExist: readonly, timeout: 0 })
  database.defaultSafeIntegers(true)
  if (readonly && needsRecovery(database)) {
    // A killed process left a journal, which only a connection that may write rolls back.
    const recovering = openSqliteFile(path, false)
    needsRecovery(recovering)
    recovering.close()
  }
  return database
}

function needsRecovery(database: Sqlite): boolean {
  try {
    database.pragma('schema_version')
    return false
  } catch (error) {
    return getSqliteCode(error)?.startsWith('SQLITE_READONLY') === true
  }
}

/** Opens a file for `work`; closing it rolls back an open transaction. Throws the errors of `explainSqlite`. */
export function withSqliteFile<Result>(
  file: DatabaseFile,
  work: (database: Sqlite) => Promise<Result>,
): Promise<Result> {
  const { path, label, use } = file
  const open = async () => {
    const database = openSqliteFile(path, use === 'input')
    try {
      return await work(database)
    } finally {
      database.close()
    }
  }
  return withFile(file, open, (error, code) =>
    explainSqlite(label, code, explainDiskFull(error, use === 'output' ? label : null)),
  )
}

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(getSqliteCode(error) ?? '')

const lockTexts = [
  'is locked by another process',
  'run the same command again when the other process has finished',
] as const

/** Repeats an action while another process locks the file. Throws STORE_UNREACHABLE. */
export const whenSqliteFree = <Result>(file: DatabaseFile, action: () => Result): Promise<Result> =>
  whenFree(file, action, (error) => (isBusy(error) ? lockTexts : null))

/** Explains an error of SQLite; `code` is for those about the statement or the file. */
export function explainSqlite(label: string, code: ErrorCode, error: unknown): unknown {
  if (error instanceof UserError) return error
  const sqliteCode = getSqliteCode(error)
  // The driver's own errors: a missing folder, several statements.
  if (sqliteCode === null && !(error instanceof TypeError || error instanceof RangeError)) return error
  const isUnfit = code === 'OUTPUT_UNWRITABLE' && sqliteCode?.startsWith('SQLITE_CONSTRAINT') === true
  const known = isUnfit ? 'OUTPUT_TABLE_UNFIT' : code
  const isTooWide = code === 'OUTPUT_UNWRITABLE' && /^too many columns/.test((error as Error).message)
  return new UserError(known, `${label}: ${describeSqliteError(error as Error)}`, {
    hint: isTooWide ? tooWideHint : fileHints[known],
    cause: error,
  })
}

const tooWideHint =
  'a table of SQLite has at most 2,000 columns: leave out columns of the input, such as with --query, or write a file or a table of DuckDB'

/** Suffixes of files next to our databases. */
const sideFile = /(-wal|-shm|-journal|\.lock|\.lock\.json|\.reserve|\.head)$/

/** First three bytes of the application ids of checkpoint, inbox, registry and review store. */
const ownMark = 0x656e72

/** Throws OUTPUT_IS_OURS for a database of this program, or a file next to a database. */
export function assertNotOurs(path: string): void {
  const database = path.replace(sideFile, '')
  const isOurs =
    database !== path ? isSqliteFile(database) : existsSync(path) && isSqliteFile(path) && isOwnDatabase(path)
  if (!isOurs) return
  throw new UserError('OUTPUT_IS_OURS', `the output ${path} is a file of enrich`, {
    hint: 'name another output: these files contain data that was paid for',
  })
}

function isOwnDatabase(path: string): boolean {
  const database = openSqliteFile(path, true)
  try {
    const id = Number(database.pragma('application_id', { simple: true }))
    if (id >>> 8 === ownMark) return true
    // The service's data has no id.
    const tables = `'accounts', 'api_keys', 'runs', 'ledger', 'webhook_secrets'`
    const [row] = database
      .prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name IN (${tables})`)
      .all() as { n: bigint }[]
    return row?.n === 5n
  } finally {
    database.close()
  }
}

/**
 * Lists the tables that a table, a view or a query in SQL reads: SQLite's program opens their pages. `table`, if given, is
 * listed even if it does not exist, or has no pages.
 */
export function listSqlitePlaces(
  database: Sqlite,
  path: string,
  from: string,
  table: TableName | null,
): readonly Place[] {
  const find = (condition: string, value: unknown) =>
    database.prepare(`SELECT tbl_name FROM sqlite_schema WHERE ${condition}`).pluck().get(value) as
      string | undefined
  const named = table === null ? undefined : find('lower(name) = lower(?)', table.name)
  const isMissing = table !== null && named === undefined
  const program = isMissing
    ? []
    : (database.prepare(`EXPLAIN SELECT * FROM ${from}`).all() as { opcode: string; p2: bigint }[])
  const opened = program.filter(({ opcode }) => opcode === 'OpenRead')
  const read = opened.flatMap(({ p2 }) => find('rootpage = ?', p2) ?? [])
  return nameTablePlaces(path, [...read, ...(table === null ? [] : [named ?? table.name])])
}
