import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { keepToOwner } from './durable-files.js'
import { openSqlite, sqliteCode, type Sqlite } from './sqlite.js'

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
