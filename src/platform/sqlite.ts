import Database from 'better-sqlite3'
import { assertCanOpenFiles } from './process-limits.js'

export type Sqlite = Database.Database
/** A prepared statement, in a type that declarations can name. */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  run(...parameters: Parameters): { changes: number; lastInsertRowid: number | bigint }
  get(...parameters: Parameters): Row | undefined
  all(...parameters: Parameters): Row[]
  pluck(toggle?: boolean): this
}

/** `Parameters` is a tuple, or the object of named ones. */
export function prepare<Parameters extends unknown[] | object, Row = unknown>(
  database: Sqlite,
  sql: string,
): Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row> {
  return database.prepare(sql) as Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row>
}

export interface OpenSqliteOptions {
  /**
   * FULL: a commit survives a power cut. NORMAL: it survives a killed process; for what can be made again. OFF:
   * that too, but a power cut may leave a file that is no database any more.
   */
  synchronous: 'FULL' | 'NORMAL' | 'OFF'
  readonly?: boolean
  busyTimeoutMs?: number
  /** WAL unless said otherwise. */
  journal?: 'WAL' | 'DELETE' | 'OFF'
}

/** Opens a database (":memory:" too). Throws what SQLite throws: the caller knows what the file means. */
export function openSqlite(path: string, options: OpenSqliteOptions): Sqlite {
  const database = opened(path, options)
  try {
    if (!options.readonly) database.pragma(`journal_mode = ${options.journal ?? 'WAL'}`)
    database.pragma(`synchronous = ${options.synchronous}`)
    database.pragma('foreign_keys = ON')
    return database
  } catch (error) {
    try {
      if (sqliteCode(error) === 'SQLITE_CANTOPEN') assertCanOpenFiles()
    } finally {
      database.close()
    }
    throw error
  }
}

function opened(path: string, options: OpenSqliteOptions): Sqlite {
  try {
    return new Database(path, {
      readonly: options.readonly ?? false,
      fileMustExist: options.readonly ?? false,
      timeout: options.busyTimeoutMs ?? 5_000,
    })
  } catch (error) {
    if (sqliteCode(error) === 'SQLITE_CANTOPEN') assertCanOpenFiles()
    throw error
  }
}

/** The file was written by a version that knows more than this one. */
export class SchemaTooNewError extends Error {}

/**
 * SQL or a function, applied in one transaction; or work in transactions of its own, for what is too much for one:
 * killed at any point, it is begun again and goes on.
 */
export type Migration = string | ((database: Sqlite) => void) | { inBatches: (database: Sqlite) => void }

/**
 * Brings the schema from its `user_version` to `migrations.length`, each step in a transaction of its own.
 * Returns the version found. Throws SchemaTooNewError when the file was written by a newer version.
 */
export function migrate(database: Sqlite, migrations: readonly Migration[]): number {
  const found = database.pragma('user_version', { simple: true }) as number
  if (found > migrations.length) {
    throw new SchemaTooNewError(`schema version ${found}, this version knows ${migrations.length}`)
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < found) continue
    if (typeof migration === 'object') migration.inBatches(database)
    database.transaction(() => {
      if (typeof migration === 'string') database.exec(migration)
      else if (typeof migration === 'function') migration(database)
      database.pragma(`user_version = ${index + 1}`)
    })()
  }
  return found
}

/** SQLite's own code of an error (`SQLITE_FULL`, `SQLITE_NOTADB`, …), or null. */
export function sqliteCode(error: unknown): string | null {
  return error instanceof Database.SqliteError ? error.code : null
}

/** Whether SQLite found no room, for the database or for what it keeps beside it. */
export function isDiskFull(error: unknown): boolean {
  const code = sqliteCode(error)
  return code !== null && /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(code)
}
