import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keepToOwner, makeFolder } from './files.js'
import {
  migrate,
  NotOursError,
  openSqlite,
  versionOf,
  type OpenSqliteOptions,
  type Sqlite,
} from './sqlite.js'

/** An SQLite file of a kind that this program makes. */
export interface OwnSqlite {
  /** ":memory:" too. */
  readonly path: string
  /** Marks a file as of this kind; null where its name alone says so. */
  readonly applicationId: number | null
  readonly migrations: readonly string[]
  /** What went wrong with the file, in a user's words: NotOursError, and what SQLite and the file system throw. */
  readonly explain: (error: unknown) => unknown
}

export interface OpenOwnOptions extends Omit<OpenSqliteOptions, 'readonly'> {
  /** Kept from everybody but its owner. */
  readonly isPrivate?: boolean
  /** What a connection needs before the schema is looked at: settings, functions. */
  readonly setUp?: (database: Sqlite) => void
  /** Goes around the migration, where one is needed: under a lock, say. */
  readonly aroundMigration?: (migrate: () => void, database: Sqlite) => void
  /** The last step, on the schema of this version. */
  readonly finish?: (database: Sqlite) => void
}

/**
 * Opens the file to write, made and migrated as needed, with its folder. What is not of this kind, or was written by
 * a newer version, is refused and not touched. Throws what `explain` makes of it.
 */
export function openOwn(own: OwnSqlite, options: OpenOwnOptions): Sqlite {
  const { isPrivate = false, setUp, aroundMigration = atOnce, finish, ...sqlite } = options
  const { path, applicationId, migrations } = own
  return explained(own, () => {
    assertOwnUntouched(own)
    if (isPrivate && path !== inMemory) keepToOwner(path)
    return orClosed(openSqlite(path, sqlite), (database) => {
      if (applicationId !== null) database.pragma(`application_id = ${applicationId}`)
      setUp?.(database)
      if (versionOf(database) !== migrations.length) {
        aroundMigration(() => {
          migrate(database, migrations)
        }, database)
      }
      finish?.(database)
    })
  })
}

export interface ReadOwnOptions {
  /** `current`: only what this version wrote. `any`: also an older one's, and what is still being made. */
  readonly versions: 'current' | 'any'
  readonly setUp?: (database: Sqlite) => void
}

/** Opens the file to look at it, while another process may be writing. Throws what `explain` makes of it. */
export function readOwn(own: OwnSqlite, { versions, setUp }: ReadOwnOptions): Sqlite {
  return explained(own, () =>
    orClosed(openSqlite(own.path, { synchronous: 'NORMAL', readonly: true }), (database) => {
      const { isUnmade, version } = assertOwn(database, own)
      if (versions === 'current' && isUnmade) throw new NotOursError('other_kind', 'nothing is in it')
      if (versions === 'current' && version < own.migrations.length) {
        throw new NotOursError('older_version', `schema version ${version}`)
      }
      setUp?.(database)
    }),
  )
}

/** Makes the folder, and refuses a file that is of another kind or version. Throws what `explain` makes of it. */
export function assertOwnPath(own: OwnSqlite): void {
  explained(own, () => {
    assertOwnUntouched(own)
  })
}

const inMemory = ':memory:'

const atOnce = (act: () => void): void => {
  act()
}

/** Looked at read-only: opened to write, the file of another program would be switched to WAL first. */
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

/** A file with neither mark nor table may be on the way of being made, by a process that was killed or goes on. */
function assertOwn(database: Sqlite, { applicationId, migrations }: OwnSqlite) {
  const id = database.pragma('application_id', { simple: true }) as number
  const version = versionOf(database)
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  const isUnmade = id === 0 && isEmpty
  if (applicationId !== null && id !== applicationId && !isUnmade)
    throw new NotOursError('other_kind', `it is marked ${id}`)
  if (version < 0 || (version === 0 && !isEmpty))
    throw new NotOursError('no_version', 'it has tables, and no version')
  if (version > migrations.length) throw NotOursError.newer(version, migrations.length)
  return { isUnmade, version }
}

function explained<Result>({ explain }: OwnSqlite, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw explain(error)
  }
}

function orClosed(database: Sqlite, prepare: (database: Sqlite) => void): Sqlite {
  try {
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
