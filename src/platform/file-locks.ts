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
import { openSqlite, getSqliteCode, type Sqlite } from './sqlite.js'
import { setTimeout } from 'node:timers/promises'

export interface ProcessLock {
  release(): void
}

/** Another process holds the lock; `holder` describes it for users. */
export class LockHeldError extends Error {
  constructor(
    readonly holder: string,
    cause: unknown,
  ) {
    super(`held by ${holder}`, { cause })
  }
}

/**
 * Takes a lock for one process. It is an operating-system lock, taken through SQLite on the file `path`: it ends with
 * its process, even if killed. `path`.json names the holder. Throws LockHeldError, and errors of SQLite and the file
 * system.
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
    if (getSqliteCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error
    throw new LockHeldError(readHolder(holderPath), error)
  }
}

function openLock(path: string): Sqlite {
  keepToOwner(path)
  try {
    return openExclusively(path)
  } catch (error) {
    // Only the lock matters: the file's content is not ours.
    if (!/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(getSqliteCode(error) ?? '')) throw error
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
 * Whether the process that last took the lock still runs; it may have released the lock. Does not touch the lock, which
 * would block others for a moment. False for a process of another machine.
 */
export function isHolderAlive(path: string): boolean {
  try {
    const { processId, host } = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Record<string, unknown>
    if (typeof processId !== 'number' || host !== hostname()) return false
    process.kill(processId, 0)
    return true
  } catch (error) {
    // The process belongs to another user.
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

/** Another process held the lock until the timeout. */
export class FileLockedError extends Error {}

/**
 * Runs `act` while holding a short-lived lock on the file `path`, which is created and removed again. The
 * operating-system lock, taken through SQLite, ends with its process. Throws FileLockedError after `waitMsMax`, errors
 * of SQLite and the file system, and those of `act`.
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
        // Removed while locked: a process with an open handle finds another file or none, and tries again.
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
    // Never opens an existing file: closing it would release this process's own lock on it.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    before = readInode(path)
    lock = openSqlite(path, { synchronous: 'OFF', busyTimeoutMs: 0, journal: 'DELETE' })
    lock.exec('BEGIN EXCLUSIVE')
    // The locked file may have been removed before it was locked: then another file is the lock by now.
    if (before !== null && before === readInode(path)) return lock
    lock.close()
    return null
  } catch (error) {
    lock?.close()
    const code = getSqliteCode(error)
    // If the holder removes the file while SQLite opens it, SQLite reports a disk error.
    const isRemoved = code === 'SQLITE_IOERR_FSTAT' || (code !== null && before !== readInode(path))
    if (code?.startsWith('SQLITE_BUSY') === true || isRemoved) return null
    throw error
  }
}

function readInode(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
}

/** On Windows an open file cannot be removed; it stays, which is harmless. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}
