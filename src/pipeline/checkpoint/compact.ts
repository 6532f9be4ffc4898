import { existsSync, statSync } from 'node:fs'
import type { Sqlite } from '../../platform/sqlite.js'
import { damaged } from './damage-error.js'
import { damageText, findDamage } from './find-damage.js'
import { explained, lockCheckpoint, openToWrite } from './open.js'

/** What a checkpoint took of the disk, with its log. */
export interface Compaction {
  path: string
  bytesBefore: number
  bytesAfter: number
  /** Somebody reads it: what was freed is given back when nobody does any more. */
  isRead: boolean
}

/**
 * Writes the checkpoint anew without the room that nothing is in any more, in place, in one transaction: killed at any
 * point, or on a full disk, it is as it was. It stays the same file, so its head still fits. Throws CHECKPOINT_* and
 * DISK_FULL.
 */
export function compactCheckpoint(path: string, nowMs: number): Compaction {
  const lock = lockCheckpoint(path, nowMs)
  try {
    return explained(path, () => {
      const bytesBefore = bytesOf(path)
      const database = openToWrite(path)
      try {
        const wrong = findDamage(database, 'all')
        if (wrong.length > 0) throw damaged(path, undefined, damageText(wrong))
        database.exec('VACUUM')
        const isRead = !moveLog(database)
        return { path, bytesBefore, bytesAfter: bytesOf(path), isRead }
      } finally {
        database.close()
      }
    })
  } finally {
    lock.release()
  }
}

/** From the log into the file, which then has its new size. False where somebody reads what was before. */
function moveLog(database: Sqlite): boolean {
  const [moved] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return moved?.busy === 0
}

const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0)
