import { realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { createNativePackageError } from './native-package.js'
import { assertCanOpenFiles } from './system-limits.js'

export type Sqlite = Database.Database

type Driver = typeof Database

let loaded: Driver | null = null

/** better-sqlite3 13 includes binaries and needs Node.js 22; version 12 runs on Node.js 20. */
const driverNames =
  Number.parseInt(process.versions.node) >= 22
    ? (['better-sqlite3', 'better-sqlite3-node20'] as const)
    : (['better-sqlite3-node20'] as const)

/** Loads the driver on first use, because it takes a tenth of a command's start time. Throws NATIVE_PACKAGE_MISSING. */
export function loadDriver(): Driver {
  if (loaded !== null) return loaded
  const require = createRequire(import.meta.url)
  const failures: unknown[] = []
  for (const name of driverNames) {
    try {
      const driver = require(name) as Driver
      // Only this loads the binary.
      new driver(':memory:').close()
      return (loaded = driver)
    } catch (error) {
      failures.push(error)
    }
  }
  throw createNativePackageError(driverNames[0], failures[0])
}

/** A prepared statement, in a type that declarations can name. */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  run(...parameters: Parameters): { changes: number; lastInsertRowid: number | bigint }
  get(...parameters: Parameters): Row | undefined
  all(...parameters: Parameters): Row[]
  pluck(toggle?: boolean): this
}

/** Prepares a typed statement. `Parameters` is a tuple, or an object of named parameters. */
export function prepare<Parameters extends unknown[] | object, Row = unknown>(
  database: Sqlite,
  sql: string,
): Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row> {
  return database.prepare(sql) as Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row>
}

export interface OpenSqliteOptions {
  /**
   * FULL: a commit survives a power failure. NORMAL: it survives a killed process; for reproducible data. OFF: the
   * same, but a power failure may leave an unusable file.
   */
  synchronous: 'FULL' | 'NORMAL' | 'OFF'
  readonly?: boolean
  busyTimeoutMs?: number
  /** Defaults to WAL. */
  journal?: 'WAL' | 'DELETE' | 'OFF'
}

/** Opens a database (":memory:" too). Throws SQLite's errors, which the caller translates. */
export function openSqlite(path: string, options: OpenSqliteOptions): Sqlite {
  const database = openFile(path, options)
  try {
    if (!options.readonly) database.pragma(`journal_mode = ${options.journal ?? 'WAL'}`)
    database.pragma(`synchronous = ${options.synchronous}`)
    database.pragma('foreign_keys = ON')
    return options.readonly ? withSideFilesRemoved(database) : database
  } catch (error) {
    try {
      if (getSqliteCode(error) === 'SQLITE_CANTOPEN') assertCanOpenFiles()
    } finally {
      database.close()
    }
    throw error
  }
}

/**
 * Removes the empty write-ahead log after a read-only connection, which creates one and cannot remove it. SQLite keeps
 * the files that another connection uses.
 */
function withSideFilesRemoved(database: Sqlite): Sqlite {
  const close = database.close.bind(database)
  // The log has the path of the file, not that of a link to it.
  const path = realpathSync(database.name)
  database.close = () => {
    close()
    if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size === 0) removeSideFiles(path)
    return database
  }
  return database
}

/** The last connection that can write removes the side files when it closes. */
function removeSideFiles(path: string): void {
  try {
    const database = new (loadDriver())(path, { fileMustExist: true, timeout: 0 })
    try {
      readSchemaVersion(database)
    } finally {
      database.close()
    }
  } catch (error) {
    // Without the permission to write, they stay; they do no harm.
    if (getSqliteCode(error) === null) throw error
  }
}

function openFile(path: string, options: OpenSqliteOptions): Sqlite {
  try {
    return new (loadDriver())(path, {
      readonly: options.readonly ?? false,
      fileMustExist: options.readonly ?? false,
      timeout: options.busyTimeoutMs ?? 5_000,
    })
  } catch (error) {
    if (getSqliteCode(error) === 'SQLITE_CANTOPEN') assertCanOpenFiles()
    throw error
  }
}

/** The file is of another kind or version. */
export class NotOursError extends Error {
  constructor(
    readonly fault: 'other_kind' | 'no_version' | 'newer_version' | 'older_version',
    message: string,
  ) {
    super(message)
  }

  static createNewer(version: number, known: number): NotOursError {
    return new NotOursError('newer_version', `schema version ${version}, this version knows ${known}`)
  }
}

export const readSchemaVersion = (database: Sqlite): number =>
  database.pragma('user_version', { simple: true }) as number

/**
 * Migrates the schema from its `user_version` to `migrations.length`, each step in its own transaction; safe with
 * concurrent processes. Throws NotOursError if a newer version wrote the file.
 */
export function migrate(database: Sqlite, migrations: readonly string[]): void {
  const found = readSchemaVersion(database)
  if (found > migrations.length) throw NotOursError.createNewer(found, migrations.length)
  const step = database.transaction((migration: string, version: number) => {
    if (readSchemaVersion(database) >= version) return
    database.exec(migration)
    database.pragma(`user_version = ${version}`)
  })
  for (const [index, migration] of migrations.entries()) {
    if (index < found) continue
    step.immediate(migration, index + 1)
  }
}

/** Returns SQLite's code of an error (`SQLITE_FULL`, `SQLITE_NOTADB`, …), or `null`. */
export function getSqliteCode(error: unknown): string | null {
  return loaded !== null && error instanceof loaded.SqliteError ? error.code : null
}

/** Whether SQLite had no space for the database or its side files. */
export function isDiskFull(error: unknown): boolean {
  const code = getSqliteCode(error)
  return code !== null && /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(code)
}
