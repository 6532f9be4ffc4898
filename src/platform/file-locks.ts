import {
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  closeSync,
  existsSync,
  openSync,
  statSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { keepToOwner } from './files.js'
import { openSqlite, sqliteCode, type Sqlite } from './sqlite.js'
import { setTimeout } from 'node:timers/promises'

export interface ProcessLock {
  release(): void
}

/** Somebody else holds the lock; `holder` says who, for people. */
export class LockHeldError extends Error {
  constructor(
    readonly holder: string,
    cause: unknown,
  ) {
    super(`held by ${holder}`, { cause })
  }
}

/**
 * One process at a time. The lock is the operating system's, taken through SQLite on the file `path`: it ends
 * with the process that holds it, however that process ends, so a killed one blocks nobody. `path`.json says
 * who holds it. Throws LockHeldError, and what SQLite or the file system throws.
 */
export function takeLock(path: string, nowMs: number): ProcessLock {
  const holderPath = `${path}.json`
  try {
    const lock = openLock(path)
    try {
      const holder = { processId: process.pid, host: hostname(), since: new Date(nowMs).toISOString() }
      keepToOwner(holderPath)
      writeFileSync(holderPath, `${JSON.stringify(holder)}\n`)
    } catch (error) {
      lock.close()
      throw error
    }
    return { release: () => lock.close() }
  } catch (error) {
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error
    throw new LockHeldError(readHolder(holderPath), error)
  }
}

function openLock(path: string): Sqlite {
  keepToOwner(path)
  try {
    return openExclusively(path)
  } catch (error) {
    // Only the lock on it counts: what stands in the file is nothing of ours.
    if (!/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(sqliteCode(error) ?? '')) throw error
    truncateSync(path)
    rmSync(`${path}-journal`, { force: true })
    return openExclusively(path)
  }
}

function openExclusively(path: string): Sqlite {
  const lock = openSqlite(path, { synchronous: 'NORMAL', busyTimeoutMs: 0, journal: 'DELETE' })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

/**
 * Whether the process that took the lock last is still there: it may have let go of it since. Does not touch the lock,
 * which whoever takes it would find taken for that moment. False for a process of another machine.
 */
export function isHolderAlive(path: string): boolean {
  try {
    const { processId, host } = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Record<string, unknown>
    if (typeof processId !== 'number' || host !== hostname()) return false
    process.kill(processId, 0)
    return true
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readHolder(path: string): string {
  try {
    const { processId, host, since } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    return `process ${String(processId)} on ${String(host)}, since ${String(since)}`
  } catch {
    return 'another process'
  }
}

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
