import { UserError } from '../../core/errors.js'
import { openOwn, readOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { NotOursError, getSqliteCode, type Sqlite } from '../../platform/sqlite.js'
import { applicationId, migrations } from './schema.js'
import { computeEdition, readSources } from '../edition.js'

const storeLimits = {
  /** Lookups read pages all over the file; the default cache of 2 MB is too small. */
  cacheKibibytes: 65_536,
  /** Ids are hashes: each imported row writes to random pages of the unique indexes. */
  stagingCacheKibibytes: 262_144,
} as const

/**
 * `staging`: a new file that no other process opens and that is discarded if an import is interrupted. It is written
 * without waiting for the disk; the process that publishes it syncs it.
 */
export type StoreMode = 'readonly' | 'shared' | 'staging'

/**
 * Opens the file of a registry and creates it if it is missing, unless `readonly`. Errors: REGISTRY_NOT_FOUND,
 * REGISTRY_INVALID (not a registry, or a newer version; with `readonly` also an older version).
 */
export function openStore(
  path: string,
  mode: StoreMode,
  cacheKibibytes: number = storeLimits.cacheKibibytes,
): Sqlite {
  const registry: OwnSqlite = {
    path,
    applicationId,
    migrations,
    explain: (error) => asUserError(error, path),
  }
  const isStaging = mode === 'staging'
  const { stagingCacheKibibytes } = storeLimits
  const setUp = (database: Sqlite) => {
    database.pragma(`cache_size = -${isStaging ? stagingCacheKibibytes : cacheKibibytes}`)
  }
  if (mode === 'readonly') return readOwn(registry, { versions: 'current', setUp })
  const durability = isStaging
    ? ({ synchronous: 'OFF', journal: 'DELETE' } as const)
    : ({ synchronous: 'NORMAL' } as const)
  return openOwn(registry, { ...durability, setUp })
}

function asUserError(error: unknown, path: string): unknown {
  if (error instanceof UserError) return error
  if (error instanceof NotOursError && error.fault === 'other_kind') {
    return new UserError('REGISTRY_INVALID', `${path} is a database, but not a registry`, {
      hint: 'point --registry at a file that enrich registry load made',
    })
  }
  if (error instanceof NotOursError && error.fault === 'older_version') {
    return new UserError('REGISTRY_INVALID', `the registry ${path} was made by an older version of enrich`, {
      hint: 'import any of its files into it again, which updates it',
      cause: error,
    })
  }
  if (error instanceof NotOursError) {
    return new UserError('REGISTRY_INVALID', `the registry ${path} was made by another version of enrich`, {
      hint: 'import its sources again into a new file',
      cause: error,
    })
  }
  const code = getSqliteCode(error)
  if (/^(EROFS|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) {
    return new UserError('REGISTRY_UNWRITABLE', `the registry ${path} cannot be written`, {
      hint: 'check its folder and permissions, or pass --registry with another path',
      cause: error,
    })
  }
  if (code === 'SQLITE_CANTOPEN' || (error instanceof TypeError && error.message.includes('directory'))) {
    return new UserError('REGISTRY_NOT_FOUND', `there is no registry at ${path}`, {
      hint: 'create one with: enrich registry load FOLDER --registry PATH',
      cause: error,
    })
  }
  if (code === null && !(error instanceof Error && 'code' in error)) return error
  return new UserError('REGISTRY_INVALID', `${path} cannot be read as a registry`, {
    hint: 'the file is damaged, locked or in another format; import its sources again into a new file',
    cause: error,
  })
}

/** Reads the edition of the registry at `path` without opening the whole registry. Errors: those of `openRegistry`. */
export function readEdition(path: string): string {
  const database = openStore(path, 'readonly')
  try {
    return computeEdition(readSources(database))
  } finally {
    database.close()
  }
}
