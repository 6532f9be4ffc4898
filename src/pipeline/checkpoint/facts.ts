import { existsSync, statSync } from 'node:fs'
import type { DatabaseFacts, FoundHead, Standing } from '../rules/checkpoint-standing.js'
import { judgeStanding } from '../rules/checkpoint-standing.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { UserError } from '../../core/errors.js'
import { standingError } from './damage-error.js'
import { placeOf, readHead } from './head-file.js'
import { openToRead } from './open.js'

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

/** How a checkpoint stands to its head, looked at from beside; a run may be writing it. */
export function standingOf(path: string): { standing: Standing; found: FoundHead } {
  // The head first: it is written after what it tells of.
  const found = readHead(path)
  if (!existsSync(path) || statSync(path).size === 0) return { standing: judgeStanding(found, null), found }
  const database = openToRead(path, 'unfinished')
  if (database === null) return { standing: judgeStanding(found, null), found }
  try {
    const version = database.pragma('user_version', { simple: true }) as number
    const facts = version === 0 ? null : readFacts(database, path, found)
    return { standing: judgeStanding(found, facts), found }
  } finally {
    database.close()
  }
}

/** What a run with this checkpoint would stop for, or null. A copy is of no matter where nothing is billed. */
export function problemOf(path: string, isBilled: boolean): UserError | null {
  return problemIn(path, standingOf(path).standing, isBilled)
}

export function problemIn(path: string, standing: Standing, isBilled: boolean): UserError | null {
  return standing.kind === 'copied' && !isBilled ? null : standingError(path, standing)
}
