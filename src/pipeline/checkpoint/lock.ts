import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { UserError } from '../../core/errors.js'
import { openSqlite, sqliteCode } from '../../platform/sqlite.js'
import { explainCheckpointError } from './open.js'

/**
 * One process at a time. The lock is the operating system's, taken through SQLite on a file beside the
 * checkpoint: it ends with the process that holds it, however that process ends, so a killed one blocks
 * nobody. Throws CHECKPOINT_IN_USE, which says who holds it.
 */
export function lockCheckpoint(path: string, nowMs: number): { release(): void } {
  const lockPath = `${path}.lock`
  const holderPath = `${path}.lock.json`
  try {
    const lock = openSqlite(lockPath, { synchronous: 'NORMAL', busyTimeoutMs: 0, journal: 'DELETE' })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      const holder = { processId: process.pid, host: hostname(), since: new Date(nowMs).toISOString() }
      writeFileSync(holderPath, `${JSON.stringify(holder)}\n`)
    } catch (error) {
      lock.close()
      throw error
    }
    return { release: () => lock.close() }
  } catch (error) {
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') === true)
      throw inUse(path, readHolder(holderPath), error)
    throw explainCheckpointError(path, error)
  }
}

function inUse(path: string, holder: string, cause: unknown): UserError {
  return new UserError('CHECKPOINT_IN_USE', `the checkpoint ${path} is in use by ${holder}`, {
    hint: 'wait for that process to end, or pass another --checkpoint',
    cause,
  })
}

function readHolder(path: string): string {
  try {
    const { processId, host, since } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    return `process ${String(processId)} on ${String(host)}, since ${String(since)}`
  } catch {
    return 'another process'
  }
}
