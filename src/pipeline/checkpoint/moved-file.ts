import { existsSync } from 'node:fs'
import { openSqlite, sqliteCode, versionOf, type Sqlite } from '../../platform/sqlite.js'
import { HeadFile, readHead } from './head-file.js'
import { HeadKeeper, type HeadDeps } from './head-keeper.js'
import { checksumSql } from './row-checksums.js'
import { schemaVersion } from './schema.js'

/**
 * A checkpoint that has moved bears a version that no schema reaches, so that earlier versions of the program refuse it
 * as well; where it went stands in a table of its own.
 */
const movedVersion = 1_000_000

/**
 * The names of what the other one submits count on from its own; those of a checkpoint whose move is undone begin so far
 * above that they never meet.
 */
export const generationsApart = 1_000

/** Where the checkpoint in this file went; null where it has not moved. Changes nothing. */
export function movedTo(path: string): string | null {
  // Nor, perhaps, its folder.
  if (!existsSync(path)) return null
  try {
    const database = openSqlite(path, { synchronous: 'NORMAL', readonly: true })
    try {
      if (versionOf(database) < movedVersion) return null
      return database.prepare<[], string>('SELECT place FROM moved').pluck().get() ?? null
    } finally {
      database.close()
    }
  } catch (error) {
    // None of ours: whoever opens it says what is wrong.
    if (sqliteCode(error) === null) throw error
    return null
  }
}

/** Marks an open checkpoint, which its caller has locked. Killed at any point, it is as it was, or has moved. */
export function markMoved(database: Sqlite, deps: HeadDeps, place: string, nowMs: number): void {
  const { path } = deps
  const keeper = new HeadKeeper(database, readHead(path), deps)
  keeper.assertOwn()
  keeper.close()
  const found = readHead(path)
  if (found.kind !== 'found') throw new Error('the head was written, and is not there')
  // In between it is as after a kill, when nothing is held against the time of the head's last change.
  database.exec('UPDATE checkpoint SET closed_head_ns = NULL')
  const closedNs = new HeadFile(path, { ...found.head, version: movedVersion + schemaVersion }).close()
  database.transaction(() => {
    database.exec('CREATE TABLE moved (place TEXT NOT NULL, moved_at_ms INTEGER NOT NULL) STRICT')
    database.prepare('INSERT INTO moved VALUES (?, ?)').run(place, nowMs)
    database.prepare('UPDATE checkpoint SET closed_head_ns = ?').run(closedNs)
    database.pragma(`user_version = ${movedVersion + schemaVersion}`)
  })()
}

/** Opened as it is, with the functions of checksums: the mark goes, and names of submissions begin anew. */
export function unmarkMoved(database: Sqlite): void {
  database.transaction(() => {
    database.exec('DROP TABLE moved')
    database.exec(`UPDATE checkpoint SET generation = generation + ${generationsApart}`)
    database.exec(`UPDATE checkpoint SET checksum = ${checksumSql('checkpoint')}`)
    database.pragma(`user_version = ${versionOf(database) - movedVersion}`)
  })()
}
