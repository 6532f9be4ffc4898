import { judgeStanding, type DatabaseFacts, type FoundHead } from '../rules/checkpoint-standing.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { HeadFile, placeOf, readHead } from './head-file.js'
import { checksumSql } from './row-checksums.js'
import { schemaVersion } from './schema.js'

type OwnRow = Pick<DatabaseFacts, 'checkpointId' | 'generation' | 'sequence' | 'closedHeadNs'> & {
  hasHadHead: 0 | 1
}

/** What the database says of itself, to be held against the head; null before it has a name. */
export function readFacts(database: Sqlite, path: string, found: FoundHead): DatabaseFacts | null {
  return database.transaction(() => {
    const isProven =
      database.prepare("SELECT 1 FROM pragma_table_info('checkpoint') WHERE name = 'sequence'").get() !==
      undefined
    const row = database
      .prepare<[], OwnRow>(
        isProven
          ? `SELECT id AS checkpointId, generation, sequence, had_head AS hasHadHead,
               closed_head_ns AS closedHeadNs FROM checkpoint`
          : `SELECT id AS checkpointId, 0 AS generation, 0 AS sequence, 0 AS hasHadHead,
               NULL AS closedHeadNs FROM checkpoint`,
      )
      .get()
    if (row === undefined) return null
    const last = database
      .prepare<[], { submissionCount: number; submittedAtMs: number }>(
        'SELECT rowid AS submissionCount, intended_at_ms AS submittedAtMs FROM submissions ORDER BY rowid DESC LIMIT 1',
      )
      .get()
    const chainAt = isProven
      ? database.prepare<[number], string>('SELECT chain FROM submissions WHERE rowid = ?').pluck()
      : null
    return {
      ...row,
      hasHadHead: row.hasHadHead === 1,
      submissionCount: last?.submissionCount ?? 0,
      submittedAtMs: last?.submittedAtMs ?? null,
      chainAtHead: (found.kind === 'found' && chainAt?.get(found.head.submissionCount)) || null,
      place: placeOf(path),
    }
  })()
}

/**
 * Before a migration: the head says which version writes, so that an older one finds the file newer than itself, and not
 * damaged, wherever the migration is killed. Nothing else changes: a copy is seen to be one as before.
 */
export function stampHead(database: Sqlite, path: string): void {
  const found = readHead(path)
  if (found.kind !== 'found' || found.head.version >= schemaVersion) return
  const facts = readFacts(database, path, found)
  // Of a copy, what does not fit goes on not fitting.
  const isClosed = facts !== null && facts.closedHeadNs !== null && judgeStanding(found, facts).kind === 'ok'
  const setClosed = database.prepare<{ closed: string | null }>(
    `UPDATE checkpoint SET closed_head_ns = @closed,
       checksum = ${checksumSql('checkpoint').replace('closed_head_ns', '@closed')}
     WHERE checksum IS ${checksumSql('checkpoint')}`,
  )
  // In between it is as after a kill, when nothing is held against the time of the head's last change.
  if (isClosed && setClosed.run({ closed: null }).changes === 0) return
  const closed = new HeadFile(path, { ...found.head, version: schemaVersion }).close()
  if (isClosed) setClosed.run({ closed })
}
