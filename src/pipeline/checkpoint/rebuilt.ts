import type { Sqlite } from '../../platform/sqlite.js'
import type { Row } from './salvage.js'

/** What became of what was in a damaged checkpoint. */
export interface Rebuilt {
  checkpointId: string
  generation: number
  sequence: number
  hadHead: boolean
  lookupCount: number
  submissionCount: number
  answerCount: number
  /** Names, or custom ids where the name is lost too. */
  uncertain: string[]
  /** Paid for, and their answer was not sound: fetched again, which costs nothing. */
  fetchedAgain: string[]
  /** Known to have been there; of which lookup, nobody can tell. */
  lostSubmissionCount: number
}

/** What a submission that is sound says of its lookup. */
export const stateAfter: Readonly<Record<string, string>> = {
  accepted: 'running',
  not_created: 'new',
  rejected: 'invalid',
}

export function withDigest(database: Sqlite, row: Row): Row {
  const digest = database
    .prepare<[unknown], Buffer>('SELECT digest(CAST(? AS BLOB))')
    .pluck()
    .get(row['body'])
  const isDigested = Buffer.isBuffer(row['body_digest']) && digest?.equals(row['body_digest']) === true
  return { ...row, digested: Number(isDigested) }
}

/** The row as it was, under its number. */
export function insertRow(database: Sqlite, table: string, { position, ...row }: Row): void {
  const columns = Object.keys(row)
  database
    .prepare(
      `INSERT OR IGNORE INTO ${table} (rowid, ${columns.join(', ')}) VALUES (${['?', ...columns.map(() => '?')].join(', ')})`,
    )
    .run(table === 'answers' ? row['lookup_id'] : position, ...Object.values(row))
}
