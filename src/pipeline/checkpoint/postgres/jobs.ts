import { type PostgresStatements, replaceNuls } from '../../../platform/postgres/postgres.js'
import { toScope, lookupKinds, type LookupKind } from '../../../core/lookup-state.js'
import { toRetryJob } from '../../../core/partition.js'
import { RunKinds, type Retry } from '../records.js'
import { Reopening, type SharedJob, type SharedStore } from './store.js'
import type { KeyedLookup } from '../lookup.js'
import type { LookupId } from '../../../core/lookup-identity.js'

interface JoinedJob {
  readonly base: string
  readonly input: string
  /** Statuses that a retry submits again; missing or empty for any other run. */
  readonly retried?: readonly string[] | undefined
  readonly workerId: number
  readonly nowMs: number
}

/**
 * Joins the open job of this input, or of its retry that is not complete, or creates one; registers this worker with it.
 */
export async function joinJob(statements: PostgresStatements, joined: JoinedJob): Promise<SharedJob> {
  const { base, retried = [], workerId, nowMs } = joined
  const scopeId = await ensureScopeId(statements, base)
  const retry = retried.length === 0 ? null : await joinRetry(statements, scopeId, { ...joined, retried })
  const input = retry?.job ?? joined.input
  await ensureOpenJob(statements, scopeId, input, nowMs)
  // Locked, so that the job cannot end before this worker is registered.
  const [job] = await statements.query<{ jobId: number }>(
    `WITH job AS (SELECT job_id FROM enrich.jobs WHERE scope_id = $1 AND input = $2 AND ended_at_ms IS NULL
       FOR SHARE)
     UPDATE enrich.workers w SET job_id = job.job_id, has_ended_job = false FROM job WHERE w.worker_id = $3
     RETURNING job.job_id AS "jobId"`,
    [scopeId, input, workerId],
  )
  // It ended between the two statements: join its successor.
  if (job === undefined) return joinJob(statements, joined)
  const { jobId } = job
  const known = await statements.query<{ scope: string; scopeId: number }>(
    `SELECT scope, scope_id AS "scopeId" FROM enrich.scopes WHERE scope = ANY($1::text[])`,
    [lookupKinds.map((kind) => toScope(base, kind))],
  )
  const ids = new Map(known.map((one) => [one.scope, one.scopeId]))
  const kinds = new RunKinds<{ readonly scopeId: number }>()
  for (const kind of lookupKinds) {
    const id = ids.get(toScope(base, kind))
    if (id === undefined) continue
    await beginCount(statements, jobId, id)
    kinds.set(kind, { scopeId: id })
  }
  return { jobId, base, kinds, retry, reopening: new Reopening() }
}

const ensureOpenJob = (statements: PostgresStatements, scopeId: number, input: string, nowMs: number) =>
  statements.query(
    `INSERT INTO enrich.jobs (scope_id, input, started_at_ms)
     SELECT $1, $2, $3 WHERE NOT EXISTS
       (SELECT FROM enrich.jobs WHERE scope_id = $1 AND input = $2 AND ended_at_ms IS NULL)
     ON CONFLICT (scope_id, input) WHERE ended_at_ms IS NULL DO NOTHING`,
    [scopeId, input, nowMs],
  )

/** Continues the retry of these statuses that is not complete, or begins one. */
async function joinRetry(
  statements: PostgresStatements,
  scopeId: number,
  { input, retried, nowMs }: Pick<JoinedJob, 'input' | 'nowMs'> & { readonly retried: readonly string[] },
): Promise<Retry> {
  const name = toRetryJob(input, retried, null)
  const find = () =>
    statements.query<{ jobId: number; startedAtMs: number; endedAtMs: number | null }>(
      `SELECT job_id AS "jobId", started_at_ms AS "startedAtMs", ended_at_ms AS "endedAtMs" FROM enrich.jobs
       WHERE scope_id = $1 AND input = $2 ORDER BY ended_at_ms IS NOT NULL, job_id DESC LIMIT 1`,
      [scopeId, name],
    )
  const [last] = await find()
  await ensureOpenJob(statements, scopeId, name, nowMs)
  const [row] = await find()
  if (row === undefined) throw new Error('a retry was not created')
  const { jobId, startedAtMs } = row
  const [isContinued, isRepeated] = [last?.endedAtMs === null, typeof last?.endedAtMs === 'number']
  return { job: toRetryJob(input, retried, jobId), jobId, startedAtMs, isContinued, isRepeated }
}

/** Ends the retry, unless another live worker of its job has not come to its end. */
export async function endRetry({ query, job, worker }: SharedStore, nowMs: number): Promise<void> {
  if (job.retry === null) return
  await query(
    `UPDATE enrich.jobs SET ended_at_ms = $2 WHERE job_id = $1 AND NOT EXISTS
       (SELECT FROM enrich.workers w WHERE w.job_id = $3 AND w.worker_id <> $4
        AND NOT w.is_fenced AND w.ended_at IS NULL AND NOT w.has_ended_job)`,
    [job.retry.jobId, nowMs, job.jobId, worker.id],
  )
}

/** Creates the scope of a kind and its count in the job, if missing. */
async function beginKind(store: SharedStore, kind: LookupKind): Promise<void> {
  const { jobId, base, kinds } = store.job
  if (kinds.get(kind) !== null) return
  const scopeId = await ensureScopeId(store, toScope(base, kind))
  await beginCount(store, jobId, scopeId)
  kinds.set(kind, { scopeId })
}

const beginCount = (statements: PostgresStatements, jobId: number, scopeId: number) =>
  statements.query(
    'INSERT INTO enrich.job_kinds (job_id, scope_id) VALUES ($1, $2) ON CONFLICT (job_id, scope_id) DO NOTHING',
    [jobId, scopeId],
  )

async function ensureScopeId(statements: PostgresStatements, scope: string): Promise<number> {
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
  if (made === undefined) throw new Error(`the scope ${scope} was not created`)
  return made.scopeId
}

/** Counts the billed and possibly billed submissions of a kind, by all workers of the job. */
export async function readSpent(store: SharedStore, kind: LookupKind): Promise<number> {
  const [row] = await store.query<{ spent: number }>(
    'SELECT reserved - reserved_before AS spent FROM enrich.job_kinds WHERE job_id = $1 AND scope_id = $2',
    [store.job.jobId, store.job.kinds.getScopeId(kind)],
  )
  return row?.spent ?? 0
}

/** The part of `readSpent` that belongs to row lookups: all resolutions, and the domain lookups that rows contain. */
export async function readSpentByRows(store: SharedStore, kind: LookupKind): Promise<number> {
  if (kind === 'resolution') return readSpent(store, kind)
  if (kind !== 'domain') return 0
  const [row] = await store.query<{ spent: number }>(
    `SELECT j.reserved_of_rows - coalesce(k.reserved, 0) AS spent FROM enrich.jobs j
     LEFT JOIN enrich.job_kinds k ON k.job_id = j.job_id AND k.scope_id = $2 WHERE j.job_id = $1`,
    [store.job.jobId, store.job.kinds.getScopeId('resolution')],
  )
  return row?.spent ?? 0
}

/**
 * Marks the job as ended for this worker (completed, or budget exhausted). The last live worker ends the job; a
 * partitioned job ends once every part is published. For other kinds than resolutions, the count starts again, unless
 * the job is partitioned or another process of it is active.
 */
export function endJob(store: SharedStore, kind: LookupKind, nowMs: number): Promise<void> {
  const { jobId } = store.job
  if (kind !== 'resolution')
    return store
      .query(
        `UPDATE enrich.job_kinds SET reserved_before = reserved WHERE job_id = $1 AND scope_id = $2
         AND EXISTS (SELECT FROM enrich.jobs j WHERE j.job_id = $1 AND j.partition_count IS NULL)
         AND NOT EXISTS (SELECT FROM enrich.workers w WHERE w.job_id = $1 AND w.worker_id <> $3
           AND NOT w.is_fenced AND w.ended_at IS NULL AND NOT w.has_ended_job)`,
        [jobId, store.job.kinds.getScopeId(kind), store.worker.id],
      )
      .then(() => undefined)
  return store.withTransaction(async (statements) => {
    await statements.query('SELECT FROM enrich.jobs WHERE job_id = $1 FOR UPDATE', [jobId])
    await statements.query('UPDATE enrich.workers SET has_ended_job = true WHERE worker_id = $1', [
      store.worker.id,
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

/** Maximum number of lookups per statement. */
const lookupsAtOnce = 5_000

interface PositionedLookup {
  readonly lookup: KeyedLookup
  readonly scopeId: number
  readonly position: number
}

/** Adds lookups to the wanted list and returns their ids, in order. Creates unknown ones, once across workers. */
export async function addWantedLookups(
  store: SharedStore,
  lookups: readonly KeyedLookup[],
  isOfRow: boolean,
): Promise<LookupId[]> {
  for (const kind of new Set(lookups.map((lookup) => lookup.kind))) await beginKind(store, kind)
  const ids: LookupId[] = []
  for (let start = 0; start < lookups.length; start += lookupsAtOnce) {
    const some = lookups.slice(start, start + lookupsAtOnce)
    for (const id of await addWantedBatch(store, some, isOfRow)) ids.push(id)
  }
  return ids
}

async function addWantedBatch(
  store: SharedStore,
  lookups: readonly KeyedLookup[],
  isOfRow: boolean,
): Promise<LookupId[]> {
  const asked = lookups.map((lookup) => ({
    lookup,
    scopeId: store.job.kinds.getScopeId(lookup.kind),
    position: store.job.kinds.nextPosition(),
  }))
  const ids = new Map<number, LookupId>()
  const addKnown = async (some: readonly PositionedLookup[]) => {
    const found = await insertWanted(store, some, isOfRow)
    for (const { position, lookupId } of found) ids.set(position, lookupId)
    const nameless = new Map(found.flatMap((one) => (one.isNameless ? [[one.position, one.lookupId]] : [])))
    if (nameless.size > 0) await nameLookups(store, some, nameless)
  }
  await addKnown(asked)
  const fresh = asked.filter(({ position }) => !ids.has(position))
  if (fresh.length > 0) {
    await insertLookups(store, fresh)
    await addKnown(fresh)
  }
  return asked.map(({ position }) => {
    const id = ids.get(position)
    if (id === undefined) throw new Error('a lookup was not created')
    return id
  })
}

const toHex = (key: Uint8Array): string => Buffer.from(key).toString('hex')

/** In key order, so that concurrent workers never deadlock. */
async function insertLookups(
  statements: PostgresStatements,
  asked: readonly PositionedLookup[],
): Promise<void> {
  await statements.query(
    `INSERT INTO enrich.lookups (scope_id, key, name, location, context)
     SELECT DISTINCT ON (scope_id, key) scope_id, key, name, location, context FROM (
       SELECT a.scope_id, decode(a.key, 'hex') AS key, a.name, a.location, a.context, a.ordinal
       FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
         AS a(scope_id, key, name, location, context, ordinal)) a
     ORDER BY scope_id, key, ordinal
     ON CONFLICT (scope_id, key) DO NOTHING`,
    [
      asked.map(({ scopeId }) => scopeId),
      asked.map(({ lookup }) => toHex(lookup.key)),
      asked.map(({ lookup }) => replaceNuls(lookup.lookup.name)),
      asked.map(({ lookup }) => replaceNuls(lookup.lookup.location)),
      asked.map(({ lookup }) => replaceNuls(lookup.lookup.context)),
    ],
  )
}

/** Writes the names of lookups that were restored from a list of charges, which has none. */
async function nameLookups(
  statements: PostgresStatements,
  asked: readonly PositionedLookup[],
  ids: ReadonlyMap<number, LookupId>,
): Promise<void> {
  for (const { position, lookup } of asked) {
    const lookupId = ids.get(position)
    if (lookupId === undefined) continue
    const { name, location, context } = lookup.lookup
    await statements.query(
      `UPDATE enrich.lookups SET name = $2, location = $3, context = $4 WHERE lookup_id = $1 AND name = ''`,
      [lookupId, replaceNuls(name), replaceNuls(location), replaceNuls(context)],
    )
  }
}

/** Adds the known ones to the wanted list; the first position of each is kept. */
function insertWanted(
  store: SharedStore,
  asked: readonly PositionedLookup[],
  isOfRow: boolean,
): Promise<{ position: number; lookupId: LookupId; isNameless: boolean }[]> {
  return store.query(
    `WITH found AS MATERIALIZED (
       SELECT a.scope_id, a.position, l.lookup_id, a.is_decided, l.name = '' AS is_nameless
       FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::boolean[]) AS a(scope_id, position, key, is_decided)
       JOIN enrich.lookups l ON l.scope_id = a.scope_id AND l.key = decode(a.key, 'hex')
     ), wanted AS (
       INSERT INTO enrich.wanted (worker_id, scope_id, position, lookup_id, is_first, is_decided)
       SELECT $1, scope_id, position, lookup_id, $6, is_decided FROM found ORDER BY position
       ON CONFLICT DO NOTHING
     )
     SELECT position, lookup_id AS "lookupId", is_nameless AS "isNameless" FROM found`,
    [
      store.worker.id,
      asked.map(({ scopeId }) => scopeId),
      asked.map(({ position }) => position),
      asked.map(({ lookup }) => toHex(lookup.key)),
      asked.map(({ lookup }) => lookup.isDecided === true),
      isOfRow,
    ],
  )
}
