import { rmSync, statSync, writeFileSync } from 'node:fs'
import { keepToOwner } from '../../../platform/files.js'
import type { Random } from '../../../platform/random.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type { FoundHead } from '../../figures/checkpoint-standing.js'
import { scopeOf, type LookupKind } from '../../lookups/lookup-kind.js'
import type { HeadDeps } from './head-keeper.js'

export interface OpenCheckpointDeps extends HeadDeps {
  /** Whose answers: see schema.ts. */
  scope: string
  /** Names the job: an input that is enriched over as many processes as it takes. */
  job: string
  nowMs: number
  random: Random
}

/** Whose lookups those of one kind are, and whose submissions. */
export interface KindIds {
  scopeId: number
  jobId: number
}

/** Names the run in the checkpoint, and sorts out what a killed process left behind. */
export function beginRun(database: Sqlite, deps: OpenCheckpointDeps): KindIds {
  const ids = kindIds(database, deps, 'resolution')
  recoverIntended(database)
  // In the order in which they are wanted, a kind at a time; `is_first` are the questions of rows, and `is_decided`
  // those of them that a person answered.
  database.exec(
    `CREATE TEMP TABLE wanted (
       scope_id INTEGER NOT NULL,
       position INTEGER NOT NULL,
       lookup_id INTEGER NOT NULL UNIQUE,
       is_first INTEGER NOT NULL,
       is_decided INTEGER NOT NULL,
       PRIMARY KEY (scope_id, position)
     ) WITHOUT ROWID`,
  )
  return ids
}

export function hasScope(
  database: Sqlite,
  { scope }: Pick<OpenCheckpointDeps, 'scope'>,
  kind: LookupKind,
): boolean {
  return (
    database.prepare('SELECT 1 FROM scopes NOT INDEXED WHERE scope = ?').get(scopeOf(scope, kind)) !==
    undefined
  )
}

/** The scope and the job of a kind of lookups, made as needed. */
export function kindIds(
  database: Sqlite,
  deps: Pick<OpenCheckpointDeps, 'scope' | 'job' | 'nowMs'>,
  kind: LookupKind,
): KindIds {
  const scope = scopeId(database, scopeOf(deps.scope, kind))
  return { scopeId: scope, jobId: openJob(database, scope, deps) }
}

/** The checkpoint's name; one that was lost with its file comes from the head, so that what it submitted is known again. */
export function checkpointId(
  database: Sqlite,
  deps: Pick<OpenCheckpointDeps, 'random' | 'nowMs'>,
  found: FoundHead,
): string {
  const known = database.prepare<[], string>('SELECT id FROM checkpoint').pluck().get()
  if (known !== undefined) return known
  const id = found.kind === 'found' ? found.head.checkpointId : deps.random.id('')
  database.prepare('INSERT INTO checkpoint (id, created_at_ms) VALUES (?, ?)').run(id, deps.nowMs)
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
function openJob(database: Sqlite, scopeId: number, deps: Pick<OpenCheckpointDeps, 'job' | 'nowMs'>): number {
  const open = database
    .prepare<[number, string], number>(
      'SELECT job_id FROM jobs WHERE scope_id = ? AND input = ? AND ended_at_ms IS NULL',
    )
    .pluck()
    .get(scopeId, deps.job)
  if (open !== undefined) return open
  const insert = database.prepare('INSERT INTO jobs (scope_id, input, started_at_ms) VALUES (?, ?, ?)')
  return Number(insert.run(scopeId, deps.job, deps.nowMs).lastInsertRowid)
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

/** An answer to a submission takes some 12 KiB to write down: room for all that can be in flight. */
const reserveBytes = 1024 * 1024

/** Room kept on the checkpoint's disk for what was billed before the disk was full. */
export interface Reserve {
  readonly isHeld: boolean
  /** Gives the room up, once; false where it was given up before. */
  readonly release: () => boolean
}

/** Takes the room, in a file beside the checkpoint that a killed process may have left. Throws ENOSPC. */
export function keepReserve(checkpointPath: string): Reserve {
  const path = `${checkpointPath}.reserve`
  let isHeld = true
  const release = () => {
    const wasHeld = isHeld
    isHeld = false
    rmSync(path, { force: true })
    return wasHeld
  }
  try {
    keepToOwner(path)
    if (statSync(path, { throwIfNoEntry: false })?.size !== reserveBytes)
      writeFileSync(path, Buffer.alloc(reserveBytes, 1))
  } catch (error) {
    release()
    throw error
  }
  return {
    get isHeld() {
      return isHeld
    },
    release,
  }
}
