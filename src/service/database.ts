import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../core/errors.js'
import { migrate, openSqlite, sqliteCode, type Sqlite } from '../platform/sqlite.js'
import { bounds } from './bounds.js'
import { migrations } from './schema.js'

/**
 * Opens `service.sqlite` in the folder, which is made if missing; null is memory. The file is held by this
 * process alone: two services would research the same runs.
 * Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID.
 */
export function openDatabase(folder: string | null): Sqlite {
  try {
    if (folder !== null) mkdirSync(folder, { recursive: true })
    const path = folder === null ? ':memory:' : join(folder, 'service.sqlite')
    const database = openSqlite(path, { synchronous: 'FULL', busyTimeoutMs: bounds.databaseBusyMs })
    try {
      database.pragma('locking_mode = EXCLUSIVE')
      migrate(database, migrations)
      // The lock is taken by the first write, which a migrated file would not see before the first kickoff.
      database.exec('BEGIN IMMEDIATE; COMMIT')
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    throw explain(error, folder ?? 'memory')
  }
}

function explain(error: unknown, folder: string): UserError {
  const code = sqliteCode(error)
  if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) {
    return new UserError('SERVICE_DATA_IN_USE', `another service runs on ${folder}`, {
      hint: 'stop it, or give this one a data folder of its own',
      cause: error,
    })
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new UserError(
    'SERVICE_DATA_INVALID',
    `the service's data in ${folder} cannot be opened: ${reason}`,
    {
      hint: 'the folder must be writable, and its service.sqlite made by this version or an older one',
      cause: error,
    },
  )
}
