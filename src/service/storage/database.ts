import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorText, UserError } from '../../core/errors.js'
import { makeFolder } from '../../platform/files.js'
import { openOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { LockHeldError, takeLock, type ProcessLock } from '../../platform/file-locks.js'
import { isDiskFull, getSqliteCode, type Sqlite } from '../../platform/sqlite.js'
import { limits } from '../limits.js'
import { migrations } from './schema.js'

const fileName = 'service.sqlite'

/**
 * Locks the folder against a second service, which would research the same runs, and creates it if missing. Other
 * processes may still use the accounts; see `openDatabaseForCommand`. `null` means memory. Throws SERVICE_DATA_IN_USE,
 * which names the holder, and SERVICE_DATA_INVALID.
 */
export function lockDataFolder(folder: string | null, nowMs: number): ProcessLock {
  if (folder === null) return { release: () => undefined }
  return withExplanation(folder, () => {
    makeFolder(folder)
    return takeLock(join(folder, 'service.lock'), nowMs)
  })
}

/**
 * Opens `service.sqlite` in the folder, created and migrated as needed. Only its owner may read it, because it
 * contains signing secrets. `null` means memory. The caller must hold the folder's lock. Throws SERVICE_DATA_IN_USE,
 * SERVICE_DATA_INVALID, DISK_FULL.
 */
export function openDatabase(folder: string | null): Sqlite {
  return openOwn(describeDatabase(folder), {
    synchronous: 'FULL',
    isPrivate: true,
    busyTimeoutMs: limits.databaseBusyMs,
  })
}

/**
 * Opens `service.sqlite`, also while a service runs on it. Migrates it only if none runs. Throws
 * SERVICE_DATA_NOT_FOUND if it does not exist and must not be created, SERVICE_DATA_IN_USE if it would have to be
 * migrated under a running service, SERVICE_DATA_INVALID.
 */
export function openDatabaseForCommand(folder: string, nowMs: number, whereNone: 'make' | 'refuse'): Sqlite {
  if (whereNone === 'refuse' && !existsSync(join(folder, fileName))) throw createNotFoundError(folder)
  return openOwn(describeDatabase(folder), {
    synchronous: 'FULL',
    isPrivate: true,
    busyTimeoutMs: limits.databaseBesideBusyMs,
    aroundMigration: (migrate) => {
      withServiceLock(folder, nowMs, migrate)
    },
  })
}

/** Opens the database like `openDatabaseForCommand`, uses it, and closes it. Errors of SQLite are reported the same way. */
export async function withDatabaseForCommand(
  folder: string,
  nowMs: number,
  whereNone: 'make' | 'refuse',
  use: (database: Sqlite) => void | Promise<void>,
): Promise<void> {
  const database = openDatabaseForCommand(folder, nowMs, whereNone)
  try {
    await use(database)
  } catch (error) {
    throw getSqliteCode(error) === null ? error : explain(error, folder)
  } finally {
    database.close()
  }
}

const describeDatabase = (folder: string | null): OwnSqlite => ({
  path: folder === null ? ':memory:' : join(folder, fileName),
  applicationId: null,
  migrations,
  explain: (error) => explain(error, folder ?? 'memory'),
})

function withServiceLock(folder: string, nowMs: number, action: () => void): void {
  try {
    const lock = takeLock(join(folder, 'service.lock'), nowMs)
    try {
      action()
    } finally {
      lock.release()
    }
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error
    throw new UserError('SERVICE_DATA_IN_USE', `an older service runs on ${folder}: ${error.holder}`, {
      hint: 'start it again with this version, then repeat the command',
      cause: error,
    })
  }
}

/** Runs `open`, and explains errors of SQLite and the file system in words for users. */
export function withExplanation<Result>(folder: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    throw explain(error, folder)
  }
}

function explain(error: unknown, folder: string): UserError {
  if (error instanceof UserError) return error
  if (error instanceof LockHeldError) {
    return new UserError('SERVICE_DATA_IN_USE', `another service runs on ${folder}: ${error.holder}`, {
      hint: 'stop it, or use another data folder',
      cause: error,
    })
  }
  const code = getSqliteCode(error)
  if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) {
    return new UserError('SERVICE_DATA_IN_USE', `the service's data in ${folder} is in use`, {
      hint: 'an older service or another command uses it: wait until it ends, or use another data folder',
      cause: error,
    })
  }
  if (isDiskFull(error)) {
    return new UserError('DISK_FULL', `no space left for the service's data in ${folder}`, {
      hint: 'free some space; acknowledged work is safe',
      cause: error,
    })
  }
  const reason = getErrorText(error)
  return new UserError(
    'SERVICE_DATA_INVALID',
    `the service's data in ${folder} cannot be opened: ${reason}`,
    {
      hint: 'the folder must be writable, and its service.sqlite created by this version or an older one',
      cause: error,
    },
  )
}

function createNotFoundError(folder: string): UserError {
  return new UserError('SERVICE_DATA_NOT_FOUND', `there is no service's data in ${folder}`, {
    hint: 'pass --data with the folder of enrich serve, or create the first account: enrich accounts add NAME',
  })
}
