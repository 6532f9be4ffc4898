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
  try {
    return openOnce(path, options)
  } catch (error) {
    if (getSqliteCode(error) !== 'SQLITE_READONLY_ROLLBACK') throw error
    rollBackKilled(path)
    return openOnce(path, options)
  }
}

/** Undoes the transaction of a killed process, which a read-only connection cannot do. */
function rollBackKilled(path: string): void {
  const database = openFile(path, { synchronous: 'FULL' })
  try {
    database.pragma('user_version')
  } finally {
    database.close()
  }
}

function openOnce(path: string, options: OpenSqliteOptions): Sqlite {
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

/** Texts by the start of SQLite's code; `$1` is what the message names after its first colon. */
const faultTexts: readonly (readonly [code: string, text: string])[] = [
  ['SQLITE_CONSTRAINT_NOTNULL', 'the column $1 must not be empty (NOT NULL)'],
  ['SQLITE_CONSTRAINT_UNIQUE', '$1 does not allow two rows with the same value'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', '$1 does not allow two rows with the same value'],
  ['SQLITE_CONSTRAINT_CHECK', 'the check $1 refuses a row'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'a foreign key refuses a row: the row to which it refers does not exist'],
  ['SQLITE_CONSTRAINT_TRIGGER', 'a trigger refuses a row'],
  ['SQLITE_CONSTRAINT_DATATYPE', 'a value does not fit the type of its column'],
  ['SQLITE_CONSTRAINT', 'a constraint refuses a row'],
  ['SQLITE_NOTADB', 'it is not a database of SQLite, or it is encrypted'],
  ['SQLITE_CORRUPT', 'the database is damaged'],
  ['SQLITE_READONLY', 'this user has no right to write the file or its folder'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened'],
  ['SQLITE_PERM', 'this user has no right to use the file'],
  ['SQLITE_IOERR_SHORT_READ', 'the file is cut off'],
  ['SQLITE_IOERR', 'its disk cannot be read or written'],
  ['SQLITE_FULL', 'its disk is full'],
  ['SQLITE_NOMEM', 'it needs more memory than there is'],
  ['SQLITE_TOOBIG', 'a value is too large'],
  ['SQLITE_BUSY', 'another process locks it'],
  ['SQLITE_LOCKED', 'another process locks it'],
  ['SQLITE_MISMATCH', 'a value does not fit the type of its column'],
  ['SQLITE_SCHEMA', 'its tables changed meanwhile'],
]

/** Texts for errors of a statement, and for those of the driver. SQLite gives them as text only. */
const statementTexts: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^no such table: (.+)/, 'the table $1 does not exist'],
  [/^no such column: (.+)/, 'the column $1 does not exist'],
  [/has no column named (.+)/, 'the column $1 does not exist'],
  [/^no such function: (.+)/, 'the function $1 does not exist'],
  [/^wrong number of arguments to function (.+)/, 'the function $1 takes another number of arguments'],
  [/^ambiguous column name: (.+)/, 'the name $1 is ambiguous: put the name of its table before it'],
  [/^near "(.+)": syntax error/, 'the syntax is wrong at $1'],
  [/^incomplete input/, 'the statement is not complete'],
  [/^malformed JSON/, 'a text is not valid JSON'],
  [/^integer overflow/, 'a number is out of range'],
  [/directory does not exist/, 'its folder does not exist'],
  [/more than one statement/, 'it has several statements'],
  [/contains no statements/, 'it has no statement'],
  [/does not return data/, 'the statement returns no rows'],
  [/parameter/, 'it contains a parameter, which has no value here'],
]

/** Explains an error of SQLite or its driver in one clause, without values of rows. */
export function describeSqliteError(error: Error): string {
  const code = getSqliteCode(error) ?? ''
  const found = faultTexts.find(([start]) => code.startsWith(start))?.[1]
  if (found !== undefined) return found.replace('$1', () => error.message.replace(/^[^:]*: /, ''))
  for (const [pattern, text] of statementTexts) {
    const match = pattern.exec(error.message)
    if (match !== null) return text.replace('$1', () => match[1] ?? '')
  }
  // A text in single quotes may be the value of a row.
  return `SQLite refused it: "${error.message.replace(/'[^']*'/g, '…').slice(0, quotedCharsMax)}"`
}

const quotedCharsMax = 300
