import type { Random } from '../../platform/random.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { FoundHead } from '../rules/checkpoint-standing.js'
import type { HeadDeps } from './head-keeper.js'

export interface OpenCheckpointDeps extends HeadDeps {
  /** Whose answers: see schema.ts. */
  scope: string
  /** Names the job: an input that is enriched over as many processes as it takes. */
  job: string
  nowMs: number
  random: Random
}

/** Names the run in the checkpoint, and sorts out what a killed process left behind. */
export function beginRun(database: Sqlite, options: OpenCheckpointDeps): { scopeId: number; jobId: number } {
  const scope = scopeId(database, options.scope)
  const job = openJob(database, scope, options)
  recoverIntended(database)
  database.exec('CREATE TEMP TABLE wanted (position INTEGER PRIMARY KEY, lookup_id INTEGER NOT NULL UNIQUE)')
  return { scopeId: scope, jobId: job }
}

/** The checkpoint's name; one that was lost with its file comes from the head, so that what it submitted is known again. */
export function checkpointId(
  database: Sqlite,
  options: Pick<OpenCheckpointDeps, 'random' | 'nowMs'>,
  found: FoundHead,
): string {
  const known = database.prepare<[], string>('SELECT id FROM checkpoint').pluck().get()
  if (known !== undefined) return known
  const id = found.kind === 'found' ? found.head.checkpointId : options.random.id('')
  database.prepare('INSERT INTO checkpoint (id, created_at_ms) VALUES (?, ?)').run(id, options.nowMs)
  return id
}

/** Read from the table, not by its index: a damaged one would make every lookup of a known scope look new. */
function scopeId(database: Sqlite, scope: string): number {
  const known = database
    .prepare<[string], number>('SELECT scope_id FROM scopes NOT INDEXED WHERE scope = ?')
    .pluck()
    .get(scope)
  return known ?? Number(database.prepare('INSERT INTO scopes (scope) VALUES (?)').run(scope).lastInsertRowid)
}

/** The job of this input that has not ended, or a new one. */
function openJob(database: Sqlite, scopeId: number, options: OpenCheckpointDeps): number {
  const open = database
    .prepare<[number, string], number>(
      'SELECT job_id FROM jobs WHERE scope_id = ? AND input = ? AND ended_at_ms IS NULL',
    )
    .pluck()
    .get(scopeId, options.job)
  if (open !== undefined) return open
  const insert = database.prepare('INSERT INTO jobs (scope_id, input, started_at_ms) VALUES (?, ?, ?)')
  return Number(insert.run(scopeId, options.job, options.nowMs).lastInsertRowid)
}

/** The lock is ours, so nobody is submitting: an intention that stands was left by a process that died. */
function recoverIntended(database: Sqlite): void {
  const reason = 'the process ended before the answer to the submission came'
  database.transaction(() => {
    database
      .prepare(`UPDATE submissions SET verdict = 'uncertain', reason = ? WHERE verdict = 'intended'`)
      .run(reason)
    database
      .prepare(`UPDATE lookups SET state = 'uncertain', failure = ? WHERE state = 'intended'`)
      .run(reason)
  })()
}
