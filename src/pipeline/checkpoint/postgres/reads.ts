import type { Lookup } from '../../../core/identity.js'
import type { LookupKind } from '../../rules/lookup-kind.js'
import type { FirstAnswer, LookupId, RunOwner } from '../checkpoint.js'
import { unpackBody, type PackedAnswer } from '../packed-answer.js'
import { packedColumnsSql } from './lookup-rows.js'
import type { SharedStore } from './store.js'

/** First questions of a kind with an answer that stands, after a position; in order. */
export async function firstAnswersOf(
  store: SharedStore,
  kind: LookupKind,
  afterPosition: number,
  count: number,
): Promise<FirstAnswer[]> {
  const rows = await store.query<Lookup & PackedAnswer & { position: number; lookupId: LookupId }>(
    `SELECT w.position, l.lookup_id AS "lookupId", l.name, l.location, l.context, ${packedColumnsSql}
     FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
     JOIN enrich.answers a ON a.lookup_id = l.lookup_id
     WHERE w.worker_id = $1 AND w.scope_id = $2 AND w.position > $3 AND NOT w.is_decided AND w.is_first
       AND l.state = 'answered' ORDER BY w.position LIMIT $4`,
    [store.workerId, store.scopeId(kind), afterPosition, count],
  )
  return rows.map(({ position, lookupId, name, location, context, ...packed }) => ({
    position,
    lookupId,
    asked: { name, location, context },
    body: unpackBody(packed),
  }))
}

/** What a first question of this run asked; null where the lookup only follows from an answer. */
export async function firstQuestionOf(store: SharedStore, lookupId: LookupId): Promise<Lookup | null> {
  const [row] = await store.query<Lookup>(
    `SELECT l.name, l.location, l.context FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
     WHERE w.worker_id = $1 AND w.lookup_id = $2 AND w.is_first AND NOT w.is_decided`,
    [store.workerId, lookupId],
  )
  return row ?? null
}

const ownerSql = `SELECT l.lookup_id AS "lookupId", coalesce(l.run_id, '') AS "runId",
    coalesce(l.custom_id, '') AS "customId", l.name, coalesce(l.submitted_at_ms, 0) AS "submittedAtMs",
    l.failure AS "needsAttention", l.state,
    EXISTS (SELECT FROM enrich.wanted w WHERE w.worker_id = $1 AND w.lookup_id = l.lookup_id AND NOT w.is_decided)
      AS "isWanted"
  FROM enrich.lookups l WHERE l.scope_id = $2`

export async function ownerOfRun(
  store: SharedStore,
  kind: LookupKind,
  runId: string,
): Promise<RunOwner | null> {
  const values = [store.workerId, store.scopeId(kind), runId]
  const [row] = await store.query<RunOwner>(`${ownerSql} AND l.run_id = $3`, values)
  return row ?? null
}

export async function ownerOfKey(
  store: SharedStore,
  kind: LookupKind,
  key: Uint8Array,
): Promise<RunOwner | null> {
  const values = [store.workerId, store.scopeId(kind), Buffer.from(key)]
  const [row] = await store.query<RunOwner>(`${ownerSql} AND l.key = $3`, values)
  return row ?? null
}

/** Lookups whose answer was lost by a submission that left after `afterMs`. */
export function lostSince(
  store: SharedStore,
  kind: LookupKind,
  afterMs: number,
  among: 'wanted' | 'all',
): Promise<{ lookupId: LookupId; intendedAtMs: number }[]> {
  return store.query(
    `SELECT l.lookup_id AS "lookupId", s.intended_at_ms AS "intendedAtMs"
     FROM enrich.lookups l JOIN enrich.submissions s ON s.custom_id = l.custom_id
     WHERE l.scope_id = $2 AND l.state = 'uncertain' AND s.intended_at_ms > $3
       AND ($4 OR EXISTS (SELECT FROM enrich.wanted w
         WHERE w.worker_id = $1 AND w.lookup_id = l.lookup_id AND NOT w.is_decided))`,
    [store.workerId, store.scopeId(kind), afterMs, among === 'all'],
  )
}

/** Several minutes of all limits together: so many are read, and those of other kinds in between hide none. */
const recentRead = 10_000

/** When the newest submissions of a kind left, by whichever process; oldest first. */
export async function recentSubmissions(
  store: SharedStore,
  kind: LookupKind,
  afterMs: number,
  countMax: number,
): Promise<number[]> {
  const rows = await store.query<{ atMs: number }>(
    `SELECT s.intended_at_ms AS "atMs" FROM
       (SELECT submission_id, lookup_id, intended_at_ms FROM enrich.submissions
        ORDER BY submission_id DESC LIMIT greatest($3::bigint, ${recentRead})) s
     JOIN enrich.lookups l ON l.lookup_id = s.lookup_id
     WHERE l.scope_id = $1 AND s.intended_at_ms > $2 ORDER BY s.submission_id DESC LIMIT $3`,
    [store.scopeId(kind), afterMs, countMax],
  )
  return rows.map(({ atMs }) => atMs).sort((one, other) => one - other)
}
