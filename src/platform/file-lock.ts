import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { openSqlite, sqliteCode, type Sqlite } from './sqlite.js'

const retryMs = 10

/** Somebody else held it all the time. */
export class FileLockedError extends Error {}

/**
 * One process at a time, for moments: acts while it holds a lock on the file `path`, made for it and removed again. The
 * lock is the operating system's, taken through SQLite: it ends with the process that holds it. Throws FileLockedError
 * after `waitMsMax`, what SQLite and the file system throw, and what `act` throws.
 */
export async function withFileLock<Result>(
  path: string,
  waitMsMax: number,
  act: () => Promise<Result>,
): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    const lock = tryLock(path)
    if (lock !== null) {
      try {
        return await act()
      } finally {
        // Removed while it is locked: whoever has it open by now finds another file there, or none, and tries again.
        remove(path)
        lock.close()
      }
    }
    if (waitedMs >= waitMsMax) throw new FileLockedError(`${path} is locked`)
    await setTimeout(retryMs)
  }
}

function tryLock(path: string): Sqlite | null {
  let lock: Sqlite | null = null
  let before: bigint | null = null
  try {
    // Never opened where it is there: closing it would end the lock that this process may have on it.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    before = inodeOf(path)
    lock = openSqlite(path, { synchronous: 'OFF', busyTimeoutMs: 0, journal: 'DELETE' })
    lock.exec('BEGIN EXCLUSIVE')
    // The one that is locked may have been removed before it was: then another is the lock by now.
    if (before !== null && before === inodeOf(path)) return lock
    lock.close()
    return null
  } catch (error) {
    lock?.close()
    const code = sqliteCode(error)
    // A file that whoever held the lock removes while SQLite opens it is a disk error to SQLite.
    const isRemoved = code === 'SQLITE_IOERR_FSTAT' || (code !== null && before !== inodeOf(path))
    if (code?.startsWith('SQLITE_BUSY') === true || isRemoved) return null
    throw error
  }
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
}

/** Where an open file cannot be removed (Windows), it stays, and nobody minds. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}
