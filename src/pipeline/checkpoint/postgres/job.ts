import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { lookupKinds, scopeOf, type LookupKind } from '../../rules/lookup-kind.js'
import type { SharedJob, SharedStore } from './store.js'

/** The job of this input that has not ended, or a new one; this process works on it from here on. */
export async function joinJob(
  statements: PostgresStatements,
  { base, input, workerId, nowMs }: { base: string; input: string; workerId: number; nowMs: number },
): Promise<SharedJob> {
  const scopeId = await scopeIdOf(statements, base)
  await statements.query(
    `INSERT INTO enrich.jobs (scope_id, input, started_at_ms)
     SELECT $1, $2, $3 WHERE NOT EXISTS
       (SELECT FROM enrich.jobs WHERE scope_id = $1 AND input = $2 AND ended_at_ms IS NULL)
     ON CONFLICT (scope_id, input) WHERE ended_at_ms IS NULL DO NOTHING`,
    [scopeId, input, nowMs],
  )
  // Locked, so that nobody ends it before it is known that this process works on it.
  const [job] = await statements.query<{ jobId: number }>(
    `WITH job AS (SELECT job_id FROM enrich.jobs WHERE scope_id = $1 AND input = $2 AND ended_at_ms IS NULL
       FOR SHARE)
     UPDATE enrich.workers w SET job_id = job.job_id, has_ended_job = false FROM job WHERE w.worker_id = $3
     RETURNING job.job_id AS "jobId"`,
    [scopeId, input, workerId],
  )
  // It ended between the two statements: there is another one by now, or will be.
  if (job === undefined) return joinJob(statements, { base, input, workerId, nowMs })
  const { jobId } = job
  const known = await statements.query<{ scope: string; scopeId: number }>(
    `SELECT scope, scope_id AS "scopeId" FROM enrich.scopes WHERE scope = ANY($1::text[])`,
    [lookupKinds.map((kind) => scopeOf(base, kind))],
  )
  const ids = new Map(known.map((one) => [one.scope, one.scopeId]))
  const scopes = new Map<LookupKind, number>()
  for (const kind of lookupKinds) {
    const id = ids.get(scopeOf(base, kind))
    if (id === undefined) continue
    await beginCount(statements, jobId, id)
    scopes.set(kind, id)
  }
  return { jobId, base, scopes }
}

/** Makes what names a kind, with its count in the job, as needed. */
export async function beginKind(store: SharedStore, kind: LookupKind): Promise<void> {
  if (store.scopeId(kind) !== 0) return
  const scopeId = await scopeIdOf(store, scopeOf(store.job.base, kind))
  await beginCount(store, store.job.jobId, scopeId)
  store.noteScope(kind, scopeId)
}

const beginCount = (statements: PostgresStatements, jobId: number, scopeId: number) =>
  statements.query(
    'INSERT INTO enrich.job_kinds (job_id, scope_id) VALUES ($1, $2) ON CONFLICT (job_id, scope_id) DO NOTHING',
    [jobId, scopeId],
  )

async function scopeIdOf(statements: PostgresStatements, scope: string): Promise<number> {
  const find = () =>
    statements.query<{ scopeId: number }>(
      'SELECT scope_id AS "scopeId" FROM enrich.scopes WHERE scope = $1',
      [scope],
    )
  const [known] = await find()
  if (known !== undefined) return known.scopeId
  await statements.query('INSERT INTO enrich.scopes (scope) VALUES ($1) ON CONFLICT (scope) DO NOTHING', [
    scope,
  ])
  const [made] = await find()
  if (made === undefined) throw new Error(`the scope ${scope} was not made`)
  return made.scopeId
}

/** Submissions of a kind that were billed or may have been, by all processes of the job. */
export async function spentOf(store: SharedStore, kind: LookupKind): Promise<number> {
  const [row] = await store.query<{ spent: number }>(
    'SELECT reserved - reserved_before AS spent FROM enrich.job_kinds WHERE job_id = $1 AND scope_id = $2',
    [store.job.jobId, store.scopeId(kind)],
  )
  return row?.spent ?? 0
}

/** Of these, what rows ask themselves. All resolutions are asked by rows; what they do not ask, by a domain they do. */
export async function spentByRows(store: SharedStore, kind: LookupKind): Promise<number> {
  if (kind === 'resolution') return spentOf(store, kind)
  if (kind !== 'domain') return 0
  const [row] = await store.query<{ spent: number }>(
    `SELECT j.reserved_of_rows - coalesce(k.reserved, 0) AS spent FROM enrich.jobs j
     LEFT JOIN enrich.job_kinds k ON k.job_id = j.job_id AND k.scope_id = $2 WHERE j.job_id = $1`,
    [store.job.jobId, store.scopeId('resolution')],
  )
  return row?.spent ?? 0
}

/**
 * This process came to the end of the job, or of its budget. The last of those that live and work on it ends it; a job
 * in parts, whoever ends it when every part is published. Of another kind than resolutions, the count begins anew.
 */
export function endJob(store: SharedStore, kind: LookupKind, nowMs: number): Promise<void> {
  const { jobId } = store.job
  if (kind !== 'resolution')
    return store
      .query('UPDATE enrich.job_kinds SET reserved_before = reserved WHERE job_id = $1 AND scope_id = $2', [
        jobId,
        store.scopeId(kind),
      ])
      .then(() => undefined)
  return store.transaction(async (statements) => {
    await statements.query('SELECT FROM enrich.jobs WHERE job_id = $1 FOR UPDATE', [jobId])
    await statements.query('UPDATE enrich.workers SET has_ended_job = true WHERE worker_id = $1', [
      store.workerId,
    ])
    await statements.query(
      `UPDATE enrich.jobs j SET ended_at_ms = $2 WHERE j.job_id = $1 AND j.ended_at_ms IS NULL
       AND CASE WHEN j.partition_count IS NULL THEN NOT EXISTS
         (SELECT FROM enrich.workers w WHERE w.job_id = j.job_id AND NOT w.is_fenced AND w.ended_at IS NULL
          AND NOT w.has_ended_job)
       ELSE (SELECT count(*) FROM enrich.outputs o WHERE o.job_id = j.job_id) >= j.partition_count END`,
      [jobId, nowMs],
    )
  })
}
