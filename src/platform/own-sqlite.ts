import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keepToOwner, makeFolder } from './files.js'
import {
  migrate,
  NotOursError,
  openSqlite,
  readSchemaVersion,
  type OpenSqliteOptions,
  type Sqlite,
} from './sqlite.js'

/** A kind of SQLite file created by this program. */
export interface OwnSqlite {
  /** May be ":memory:". */
  readonly path: string
  /** Identifies the kind; `null` if the file name alone does. */
  readonly applicationId: number | null
  readonly migrations: readonly string[]
  /** Translates errors for users: NotOursError, and errors of SQLite and the file system. */
  readonly explain: (error: unknown) => unknown
}

export interface OpenOwnOptions extends Omit<OpenSqliteOptions, 'readonly'> {
  /** Restricts the file to its owner. */
  readonly isPrivate?: boolean
  /** Prepares the connection before the schema is read: settings, functions. */
  readonly setUp?: (database: Sqlite) => void
  /** Wraps a required migration, for example in a lock. */
  readonly aroundMigration?: (migrate: () => void, database: Sqlite) => void
  /** Runs last, on the current schema. */
  readonly finish?: (database: Sqlite) => void
}

/**
 * Opens the file for writing; creates it with its folder and migrates it as needed. Refuses a file of another kind or a
 * newer version, without changing it. Throws the errors of `explain`.
 */
export function openOwn(own: OwnSqlite, options: OpenOwnOptions): Sqlite {
  const { isPrivate = false, setUp, aroundMigration = runDirectly, finish, ...sqlite } = options
  const { path, applicationId, migrations } = own
  return withExplainedErrors(own, () => {
    assertOwnUntouched(own)
    if (isPrivate && path !== inMemory) keepToOwner(path)
    return closeOnError(openSqlite(path, sqlite), (database) => {
      if (applicationId !== null) database.pragma(`application_id = ${applicationId}`)
      setUp?.(database)
      if (readSchemaVersion(database) !== migrations.length) {
        aroundMigration(() => {
          migrate(database, migrations)
        }, database)
      }
      finish?.(database)
    })
  })
}

export interface ReadOwnOptions {
  /** `current`: only files of this version. `any`: also files of older versions, and incomplete ones. */
  readonly versions: 'current' | 'any'
  readonly setUp?: (database: Sqlite) => void
}

/** Opens the file read-only, while another process may be writing. Throws the errors of `explain`. */
export function readOwn(own: OwnSqlite, { versions, setUp }: ReadOwnOptions): Sqlite {
  return withExplainedErrors(own, () =>
    closeOnError(openSqlite(own.path, { synchronous: 'NORMAL', readonly: true }), (database) => {
      const { isUnmade, version } = assertOwn(database, own)
      if (versions === 'current' && isUnmade) throw new NotOursError('other_kind', 'it is empty')
      if (versions === 'current' && version < own.migrations.length) {
        throw new NotOursError('older_version', `schema version ${version}`)
      }
      setUp?.(database)
    }),
  )
}

/** Creates the folder; refuses a file of another kind or version. Throws the errors of `explain`. */
export function assertOwnPath(own: OwnSqlite): void {
  withExplainedErrors(own, () => {
    assertOwnUntouched(own)
  })
}

const inMemory = ':memory:'

const runDirectly = (act: () => void): void => {
  act()
}

/** Read-only: opening for writing would switch another program's file to WAL first. */
function assertOwnUntouched(own: OwnSqlite): void {
  if (own.path === inMemory) return
  makeFolder(dirname(own.path))
  if (!existsSync(own.path) || statSync(own.path).size === 0) return
  const database = openSqlite(own.path, { synchronous: 'NORMAL', readonly: true })
  try {
    assertOwn(database, own)
  } finally {
    database.close()
  }
}

/** A file with neither id nor tables may be incomplete, from a killed or a running process. */
function assertOwn(database: Sqlite, { applicationId, migrations }: OwnSqlite) {
  // In one transaction: another process may be creating the file.
  const { id, version, isEmpty } = database.transaction(() => ({
    id: database.pragma('application_id', { simple: true }) as number,
    version: readSchemaVersion(database),
    isEmpty: database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined,
  }))()
  const isUnmade = id === 0 && isEmpty
  if (applicationId !== null && id !== applicationId && !isUnmade)
    throw new NotOursError('other_kind', `it is marked ${id}`)
  if (version < 0 || (version === 0 && !isEmpty))
    throw new NotOursError('no_version', 'it has tables but no version')
  if (version > migrations.length) throw NotOursError.createNewer(version, migrations.length)
  return { isUnmade, version }
}

function withExplainedErrors<Result>({ explain }: OwnSqlite, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw explain(error)
  }
}

function closeOnError(database: Sqlite, prepare: (database: Sqlite) => void): Sqlite {
  try {
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
