import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { UserError } from '../../../core/errors.js'
import { keepToOwner } from '../../../platform/files.js'
import { assertOwnPath, openOwn, readOwn, type OwnSqlite } from '../../../platform/own-sqlite.js'
import { LockHeldError, takeLock, type ProcessLock } from '../../../platform/file-locks.js'
import {
  isDiskFull,
  migrate,
  NotOursError,
  openSqlite,
  getSqliteCode,
  readSchemaVersion,
  type Sqlite,
} from '../../../platform/sqlite.js'
import { createDamagedError, createMovedError } from '../checkpoint-errors.js'
import { readHead, HeadFile } from './head-file.js'
import { getHeadPath } from '../paths.js'
import { keepChecksums, registerChecksums, buildChecksumSql } from '../tables.js'
import { applicationId, migrations, schemaVersion } from './schema.js'
import { HeadKeeper, type HeadDeps } from './head-keeper.js'

/**
 * Schema version of a moved checkpoint, beyond any real one, so that earlier versions of the program refuse it too; the
 * target is in the table `moved`.
 */
const movedVersion = 1_000_000

/** Added to the generation when a migration is undone, so that new custom ids never repeat old ones. */
export const generationsApart = 1_000

/** Returns the target of a moved checkpoint; `null` if it was not moved. Changes nothing. */
export function readMoveTarget(path: string): string | null {
  // Its folder may be missing too.
  if (!existsSync(path)) return null
  try {
    const database = openSqlite(path, { synchronous: 'NORMAL', readonly: true })
    try {
      if (readSchemaVersion(database) < movedVersion) return null
      return database.prepare<[], string>('SELECT place FROM moved').pluck().get() ?? null
    } finally {
      database.close()
    }
  } catch (error) {
    // Not one of our files: opening it reports the error.
    if (getSqliteCode(error) === null) throw error
    return null
  }
}

/** Marks an open, locked checkpoint as moved. If killed, it is unchanged or moved. Throws CHECKPOINT_*. */
export function markMoved(database: Sqlite, deps: HeadDeps, place: string, nowMs: number): void {
  withExplainedErrors(deps.path, () => {
    writeMovedMark(database, deps, place, nowMs)
  })
}

function writeMovedMark(database: Sqlite, deps: HeadDeps, place: string, nowMs: number): void {
  const { path } = deps
  const keeper = new HeadKeeper(database, readHead(path), deps)
  keeper.assertOwn()
  keeper.close()
  const found = readHead(path)
  if (found.kind !== 'found') throw new Error('the head file is missing after it was written')
  // Until the end it looks as after a kill, when the change time of the head is not checked.
  database.exec('UPDATE checkpoint SET closed_head_ns = NULL')
  const closedNs = new HeadFile(path, { ...found.head, version: movedVersion + schemaVersion }).close()
  database.transaction(() => {
    database.exec('CREATE TABLE moved (place TEXT NOT NULL, moved_at_ms INTEGER NOT NULL) STRICT')
    database.prepare('INSERT INTO moved VALUES (?, ?)').run(place, nowMs)
    database.prepare('UPDATE checkpoint SET closed_head_ns = ?').run(closedNs)
    database.pragma(`user_version = ${movedVersion + schemaVersion}`)
  })()
}

/** Removes the mark, and starts a new range of custom ids. Throws CHECKPOINT_*. */
export function removeMovedMark(path: string): void {
  withExplainedErrors(path, () => {
    const database = openSqlite(path, { synchronous: 'FULL' })
    try {
      registerChecksums(database)
      database.transaction(() => {
        database.exec('DROP TABLE moved')
        database.exec(`UPDATE checkpoint SET generation = generation + ${generationsApart}`)
        database.exec(`UPDATE checkpoint SET checksum = ${buildChecksumSql('checkpoint')}`)
        database.pragma(`user_version = ${readSchemaVersion(database) - movedVersion}`)
      })()
    } finally {
      database.close()
    }
  })
}

const buildFileKind = (path: string): OwnSqlite => ({
  path,
  applicationId,
  migrations,
  explain: (error) => explainCheckpointError(path, error),
})

/** Creates the folder if missing; refuses a file that is not a checkpoint, without changing it. Throws CHECKPOINT_*. */
export function assertCheckpointPath(path: string): void {
  assertFile(path)
  assertOwnPath(buildFileKind(path))
}

/** Locks the checkpoint for this process. Throws CHECKPOINT_IN_USE, which names the holder. */
export function lockCheckpoint(path: string, nowMs: number): ProcessLock {
  return withExplainedErrors(path, () => takeLock(`${path}.lock`, nowMs))
}

/** Opens the checkpoint for writing; creates it if missing. Throws CHECKPOINT_* and DISK_FULL. */
export function openToWrite(path: string): Sqlite {
  assertFile(path)
  return openOwn(buildFileKind(path), {
    synchronous: 'FULL',
    isPrivate: true,
    setUp: (database) => {
      database.pragma('temp_store = FILE')
      registerChecksums(database)
    },
    finish: keepChecksums,
  })
}

/** Creates an empty checkpoint at a temporary path, without syncing: a power failure may leave a partial file. */
export function makeCheckpointFile(path: string): Sqlite {
  keepToOwner(path)
  const database = openSqlite(path, { synchronous: 'OFF', journal: 'DELETE' })
  try {
    database.pragma(`application_id = ${applicationId}`)
    registerChecksums(database)
    migrate(database, migrations)
    keepChecksums(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens the checkpoint read-only, while another process may be writing. Returns `null` if it does not exist. Refuses a
 * checkpoint whose creation was interrupted, unless `unfinished` is set.
 */
export function openToRead(path: string, unfinished: 'unfinished' | 'refused' = 'refused'): Sqlite | null {
  if (!existsSync(path)) return null
  assertFile(path)
  return readOwn(buildFileKind(path), {
    versions: 'any',
    setUp: (database) => {
      registerChecksums(database)
      if (readSchemaVersion(database) > 0 || unfinished === 'unfinished') return
      throw new UserError('CHECKPOINT_INVALID', `the creation of the checkpoint ${path} was interrupted`, {
        hint: 'run `enrich` once with this checkpoint, then try again',
      })
    },
  })
}

function assertFile(path: string): void {
  withExplainedErrors(path, () => {
    if (!existsSync(path) || statSync(path).isFile()) return
    throw new UserError('CHECKPOINT_INVALID', `the checkpoint ${path} is not a file`, {
      hint: 'pass --checkpoint with the path of a new or existing checkpoint file',
    })
  })
}

/** Whether a file that SQLite cannot read was a checkpoint: it has a head file, or our application id. */
function isOurFile(path: string): boolean {
  if (existsSync(getHeadPath(path))) return true
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

/** Offset of `application_id` in an SQLite file. */
const markOffset = 68

function createInvalidError(path: string, cause?: unknown): UserError {
  return new UserError('CHECKPOINT_INVALID', `${path} is not a checkpoint of enrich`, {
    hint: 'pass --checkpoint with another path; this file was not changed',
    cause,
  })
}

export function createDiskFullError(path: string, cause?: unknown): UserError {
  return new UserError('DISK_FULL', `no space left for the checkpoint ${path}`, {
    hint: 'free some space and run the same command again: all confirmed work is saved',
    cause,
  })
}

/** Translates errors of SQLite and the file system for users. */
export function withExplainedErrors<Result>(path: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw explainCheckpointError(path, error)
  }
}

export function explainCheckpointError(path: string, error: unknown): unknown {
  if (error instanceof UserError) return error
  if (error instanceof NotOursError) return explainNotOurs(path, error)
  if (error instanceof LockHeldError) {
    return createInUseError(
      path,
      error.holder,
      'wait for that process to end; with another --checkpoint, a hosted service bills every lookup again',
      error,
    )
  }
  const code = getSqliteCode(error) ?? (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ|IOERR_CORRUPTFS)/.test(code))
    return isOurFile(path) ? createDamagedError(path, error) : createInvalidError(path, error)
  if (isDiskFull(error) || code === 'ENOSPC') return createDiskFullError(path, error)
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
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return createInUseError(
      path,
      'another process',
      'wait for it to end; with another --checkpoint, a hosted service bills every lookup again',
      error,
    )
  return error
}

/** An unknown application id or version is damage, unless the head file shows that a newer program wrote it. */
function explainNotOurs(path: string, cause: NotOursError): UserError {
  if (cause.fault === 'other_kind')
    return existsSync(getHeadPath(path)) ? createDamagedError(path) : createInvalidError(path)
  if (cause.fault !== 'newer_version') return createDamagedError(path)
  const to = readMoveTarget(path)
  if (to !== null) return createMovedError(path, to)
  const found = withExplainedErrors(path, () => readHead(path))
  if (found.kind === 'found' && found.head.version <= schemaVersion) return createDamagedError(path)
  const message = `the checkpoint ${path} was written by a newer version of enrich`
  return new UserError('CHECKPOINT_TOO_NEW', message, {
    hint: 'use that version, or another --checkpoint',
    cause,
  })
}

function createInUseError(path: string, holder: string, hint: string, cause: unknown): UserError {
  return new UserError('CHECKPOINT_IN_USE', `the checkpoint ${path} is in use by ${holder}`, { hint, cause })
}
