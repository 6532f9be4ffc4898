import type { DatabaseFacts, FoundHead } from '../rules/checkpoint-standing.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { placeOf } from './head-file.js'

type OwnRow = Pick<DatabaseFacts, 'checkpointId' | 'generation' | 'sequence' | 'closedHeadNs'> & {
  hasHadHead: 0 | 1
}

/** What the database says of itself, to be held against the head; null before it has a name. */
export function readFacts(database: Sqlite, path: string, found: FoundHead): DatabaseFacts | null {
  return database.transaction(() => {
    const row = database
      .prepare<[], OwnRow>(
        `SELECT id AS checkpointId, generation, sequence, had_head AS hasHadHead,
           closed_head_ns AS closedHeadNs FROM checkpoint`,
      )
      .get()
    if (row === undefined) return null
    const last = database
      .prepare<[], { submissionCount: number; submittedAtMs: number }>(
        'SELECT rowid AS submissionCount, intended_at_ms AS submittedAtMs FROM submissions ORDER BY rowid DESC LIMIT 1',
      )
      .get()
    const chainAt = database
      .prepare<[number], string>('SELECT chain FROM submissions WHERE rowid = ?')
      .pluck()
    return {
      ...row,
      hasHadHead: row.hasHadHead === 1,
      submissionCount: last?.submissionCount ?? 0,
      submittedAtMs: last?.submittedAtMs ?? null,
      chainAtHead: (found.kind === 'found' && chainAt.get(found.head.submissionCount)) || null,
      place: placeOf(path),
    }
  })()
}
