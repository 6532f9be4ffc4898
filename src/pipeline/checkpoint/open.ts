import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../../core/errors.js'
import { makeFolder } from '../../platform/durable-files.js'
import { keepToOwner } from '../../platform/owner-only.js'
import {
  isDiskFull,
  SchemaTooNewError,
  migrate,
  openSqlite,
  sqliteCode,
  type Sqlite,
} from '../../platform/sqlite.js'
import { damaged } from './damage-error.js'
import { headPath, readHead } from './head-file.js'
import { keepChecksums, registerChecksums } from './row-checksums.js'
import { applicationId, migrations } from './schema.js'

/** The folder is made as needed; what is not a checkpoint is refused and not touched. Throws CHECKPOINT_*. */
export function assertCheckpointPath(path: string): void {
  explained(path, () => {
    makeFolder(dirname(path))
    assertFile(path)
    assertOursUntouched(path)
  })
}

/** Opens the checkpoint to write, made and migrated as needed. Throws CHECKPOINT_* and DISK_FULL. */
export function openToWrite(path: string): Sqlite {
  assertCheckpointPath(path)
  return explained(path, () => {
    keepToOwner(path)
    const database = openSqlite(path, { synchronous: 'FULL' })
    try {
      database.pragma(`application_id = ${applicationId}`)
      database.pragma('temp_store = FILE')
      registerChecksums(database)
      assertSoundToMigrate(database, path)
      migrate(database, migrations)
      keepChecksums(database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** What is damaged is not built on: its checksums would prove the damage. */
function assertSoundToMigrate(database: Sqlite, path: string): void {
  const version = database.pragma('user_version', { simple: true }) as number
  if (version === 0 || version >= migrations.length) return
  if (database.pragma('integrity_check', { simple: true }) !== 'ok') throw damaged(path)
}

/**
 * Opens the checkpoint to look at it, while another process may be writing. Null where there is none. One that
 * was never finished being made is refused unless it is asked for.
 */
export function openToRead(path: string, unfinished: 'unfinished' | 'refused' = 'refused'): Sqlite | null {
  if (!existsSync(path)) return null
  return explained(path, () => {
    assertFile(path)
    const database = openSqlite(path, { synchronous: 'NORMAL', readonly: true })
    try {
      assertOurs(database, path)
      assertVersion(database, path)
      registerChecksums(database)
      const version = database.pragma('user_version', { simple: true }) as number
      if (version === 0 && unfinished === 'refused') {
        throw new UserError('CHECKPOINT_INVALID', `the checkpoint ${path} was never finished being made`, {
          hint: 'run `enrich` once with this checkpoint, then look again',
        })
      }
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

function assertFile(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) {
    throw new UserError('CHECKPOINT_INVALID', `the checkpoint ${path} is not a file`, {
      hint: 'pass --checkpoint with a file to make or to go on with',
    })
  }
}

/** Looked at read-only: opened to write, the file of another program would be switched to WAL first. */
function assertOursUntouched(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return
  const database = openSqlite(path, { synchronous: 'FULL', readonly: true })
  try {
    assertOurs(database, path)
    assertVersion(database, path)
  } finally {
    database.close()
  }
}

/** A version that nobody wrote is damage: the head says who wrote last, and what is begun has no table yet. */
function assertVersion(database: Sqlite, path: string): void {
  const version = database.pragma('user_version', { simple: true }) as number
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (version < 0 || (version === 0 && tables > 0)) throw damaged(path)
  if (version <= migrations.length) return
  const found = readHead(path)
  if (found.kind === 'found' && found.head.version <= migrations.length) throw damaged(path)
  throw new SchemaTooNewError(`schema version ${version}`)
}

function assertOurs(database: Sqlite, path: string): void {
  const id = database.pragma('application_id', { simple: true }) as number
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (id === applicationId || (id === 0 && tables === 0)) return
  throw existsSync(headPath(path)) ? damaged(path) : notACheckpoint(path)
}

/** Whether a file that SQLite cannot read was one of ours: it has a head beside it, or bears our mark. */
function wasOurs(path: string): boolean {
  if (existsSync(headPath(path))) return true
  const mark = Buffer.alloc(4)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, mark, 0, mark.length, markOffset)
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
  return mark.readUInt32BE() === applicationId
}

/** Of `application_id` in an SQLite file. */
const markOffset = 68

function notACheckpoint(path: string, cause?: unknown): UserError {
  return new UserError('CHECKPOINT_INVALID', `${path} is not a checkpoint of enrich`, {
    hint: 'pass --checkpoint with another path; this file was not touched',
    cause,
  })
}

export function diskFull(path: string, cause?: unknown): UserError {
  return new UserError('DISK_FULL', `no space left for the checkpoint ${path}`, {
    hint: 'free some space; what was acknowledged is safe, and the same command goes on',
    cause,
  })
}

/** Says in a user's words what SQLite or the file system refused. */
export function explained<Result>(path: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw explainCheckpointError(path, error)
  }
}

export function explainCheckpointError(path: string, error: unknown): unknown {
  if (error instanceof UserError) return error
  if (error instanceof SchemaTooNewError) {
    return new UserError(
      'CHECKPOINT_TOO_NEW',
      `the checkpoint ${path} was written by a newer version of enrich`,
      {
        hint: 'use that version, or another --checkpoint',
        cause: error,
      },
    )
  }
  const code = sqliteCode(error) ?? (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ|IOERR_CORRUPTFS)/.test(code))
    return wasOurs(path) ? damaged(path, error) : notACheckpoint(path, error)
  if (isDiskFull(error) || code === 'ENOSPC') return diskFull(path, error)
  if (
    /^(SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_IOERR|EACCES|EROFS|EPERM|ENOTDIR|EEXIST|ENOENT|EISDIR)/.test(
      code,
    )
  ) {
    return new UserError('CHECKPOINT_UNWRITABLE', `the checkpoint ${path} cannot be written`, {
      hint: 'check its folder and permissions, or pass --checkpoint with another path',
      cause: error,
    })
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new UserError('CHECKPOINT_IN_USE', `the checkpoint ${path} is in use by another process`, {
      hint: 'wait for it to end, or pass another --checkpoint',
      cause: error,
    })
  }
  return error
}
