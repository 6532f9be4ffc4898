import { GroupCommit, type ItemResult } from '../../platform/group-commit.js'
import type { Postgres, PostgresStatements } from '../../platform/postgres/postgres.js'
import { assertNotMoved, type SharedDatabase } from '../checkpoint/postgres/open-database.js'
import { withRetries, type RetryDeps } from '../../platform/postgres/retry.js'
import { lookupKinds, type LookupKind } from '../../core/lookup-kinds.js'
import {
  receiverLimits,
  type DeliveryState,
  type Inbox,
  type InboxCounts,
  type WaitingDelivery,
  type InboxAccess,
} from './inbox.js'
import { buildStageLookup } from '../checkpoint/lookup-key.js'
import { readDelivery } from './delivery.js'

/** The subject of a delivery, as far as the delivery names it. */
interface Subject {
  readonly customId: string | null
  readonly runId: string | null
  readonly recordKind: string | null
  readonly recordKey: Buffer | null
}

/** All ids of this program are shorter. */
const idLengthMax = 300

/** Reads which run or record a delivery is about. Never throws: an unreadable delivery has no subject. */
export function readSubject(body: Uint8Array): Subject {
  const nothing: Subject = { customId: null, runId: null, recordKind: null, recordKey: null }
  const delivery = readDelivery(body, false)
  if (delivery.kind === 'unreadable') return nothing
  if (delivery.kind === 'record') {
    const { record, name } = delivery
    if (name === null) return nothing
    return { ...nothing, recordKind: record, recordKey: Buffer.from(buildStageLookup(record, name).key) }
  }
  return { ...nothing, customId: toStoredId(delivery.customId), runId: toStoredId(delivery.runId) }
}

/** PostgreSQL text cannot contain NUL, and no id of this program does. */
const toStoredId = (id: string | null): string | null =>
  id === null || id.length > idLengthMax || id.includes('\0') ? null : id

/** $1 to $8, aligned: events, receive times, subjects, start and length of each body in $9. */
const insertSql = `
  INSERT INTO enrich.inbox (event_id, received_at_ms, custom_id, run_id, record_kind, record_key, body)
  SELECT event_id, received_at_ms, custom_id, run_id, record_kind, record_key,
    substring($9::bytea FROM start FOR byte_count)
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::integer[], $8::integer[])
    WITH ORDINALITY AS i(event_id, received_at_ms, custom_id, run_id, record_kind, record_key, start, byte_count, ordinal)
  ORDER BY ordinal
  ON CONFLICT (event_id) DO NOTHING
  RETURNING event_id AS "eventId"`

/**
 * $1 position, $2 scopes of this worker's run, $3 worker, $4 limit. Deliveries about unknown lookups are for any
 * worker; deliveries about other scopes only, or about a lookup of another live worker, are for others. Joins the
 * lookups of each event separately, because the planner has no statistics for new tables.
 */
const waitingSql = `
  SELECT i.position, i.body, i.received_at_ms AS "receivedAtMs"
  FROM enrich.inbox i
  CROSS JOIN LATERAL (
    SELECT count(*) AS total, count(*) FILTER (WHERE l.scope_id = ANY($2::integer[])) AS own,
      count(*) FILTER (WHERE l.worker_id <> $3 AND NOT h.is_fenced AND h.ended_at IS NULL) AS held
    FROM (
      SELECT s.lookup_id FROM enrich.submissions s WHERE s.custom_id = i.custom_id
      UNION
      SELECT s.lookup_id FROM enrich.submissions s WHERE s.run_id = i.run_id
      UNION
      SELECT r.lookup_id FROM enrich.scopes sc JOIN enrich.lookups r ON r.scope_id = sc.scope_id
      WHERE sc.scope LIKE '% ' || i.record_kind AND r.key = i.record_key
    ) about
    JOIN enrich.lookups l ON l.lookup_id = about.lookup_id
    LEFT JOIN enrich.workers h ON h.worker_id = l.worker_id
  ) about
  WHERE i.state = 'waiting' AND i.position > $1 AND (about.total = 0 OR (about.own > 0 AND about.held = 0))
  ORDER BY i.position LIMIT $4`

/** The worker that takes deliveries for its lookups, and for lookups without a live owner. */
interface InboxOwner {
  readonly workerId: number
  /** Returns 0, which no scope has, if the kind has no lookups yet. */
  getScopeId(kind: LookupKind): number
}

export interface SharedInboxDeps extends RetryDeps {
  readonly database: Pick<SharedDatabase, 'postgres' | 'explain' | 'connectMore' | 'url'>
  /** `null` for a receiver, which takes no deliveries. */
  readonly owner: (() => InboxOwner) | null
  readonly onReceived?: () => void
}

/** The inbox of a run that has joined a shared checkpoint. */
export const createRunInbox = (run: Required<Omit<SharedInboxDeps, 'onReceived'>>): InboxAccess => ({
  exists: () => withExplainedErrors(run, (statements) => hasDeliveries(statements)),
  open: (onReceived) => openSharedInbox({ ...run, onReceived }),
})

/** Opens the inbox of a checkpoint on PostgreSQL; does not close the database. Throws CHECKPOINT_*. */
export async function openSharedInbox(deps: SharedInboxDeps): Promise<Inbox> {
  const { database } = deps
  await withExplainedErrors(deps, (statements) => forgetOld(statements))
  return new SharedInbox(deps, () => database.connectMore(receivingBounds))
}

/** Counts deliveries by state; `null` if none was ever received. */
export async function readSharedInboxCounts(statements: PostgresStatements): Promise<InboxCounts | null> {
  const groups = await statements.query<{ state: DeliveryState; count: number }>(
    'SELECT state, count(*) FROM enrich.inbox GROUP BY state',
  )
  if (groups.length === 0) return null
  const counts = { waiting: 0, taken: 0, unclaimed: 0, quarantined: 0 }
  for (const { state, count } of groups) counts[state] = count
  return counts
}

/** The service waits 15 s: a slower commit is answered with 503, and the service retries. */
const receivingBounds = { connectionsMax: 1, connectTimeoutMs: 3_000, statementTimeoutMs: 8_000 }

/** Maximum size of the deliveries in one statement. */
const statementBytesMax = 4_000_000

/** Any number: writers hold this lock until they commit, so that positions become visible in order. */
const receiversLock = 7_305_511_972

interface ReceivedDelivery {
  readonly eventId: string
  readonly body: Uint8Array
  readonly nowMs: number
  readonly subject: Subject
}

/**
 * Any number of receivers write to it, and any number of runs read from it. A delivery goes to the worker that owns its
 * lookup, otherwise to any run of that service. If two take it at once, one settles it.
 */
class SharedInbox implements Inbox {
  readonly lookMs = receiverLimits.sharedLookMs
  readonly #deps: SharedInboxDeps
  readonly #connect: () => Postgres
  readonly #commits: GroupCommit<ReceivedDelivery, boolean>
  #receiving: Postgres | null = null

  constructor(deps: SharedInboxDeps, connect: () => Postgres) {
    this.#deps = deps
    this.#connect = connect
    this.#commits = new GroupCommit((items) => this.#commit(items))
  }

  /** Tries once, within seconds; rejects if the commit is uncertain. The service then sends the delivery again. */
  async receive(eventId: string, body: Uint8Array, nowMs: number): Promise<boolean> {
    const isNew = await this.#commits.add({ eventId, body, nowMs, subject: readSubject(body) })
    if (isNew) this.#deps.onReceived?.()
    return isNew
  }

  async listWaiting(
    afterPosition: number,
    kinds: readonly LookupKind[] = lookupKinds,
  ): Promise<readonly WaitingDelivery[]> {
    const owner = this.#deps.owner?.()
    if (owner === undefined) return []
    const scopeIds = kinds.map((kind) => owner.getScopeId(kind)).filter((id) => id !== 0)
    const values = [afterPosition, scopeIds, owner.workerId, receiverLimits.takeCountMax]
    return withExplainedErrors(this.#deps, ({ query }) => query<WaitingDelivery>(waitingSql, values))
  }

  async settle(
    position: number,
    state: Exclude<DeliveryState, 'waiting'>,
    reason: string | null,
  ): Promise<boolean> {
    const rows = await withExplainedErrors(this.#deps, ({ query }) =>
      query(
        `UPDATE enrich.inbox SET state = $2, reason = $3, body = CASE WHEN $2 = 'taken' THEN NULL ELSE body END
         WHERE position = $1 AND state = 'waiting' RETURNING position`,
        [position, state, reason],
      ),
    )
    return rows.length > 0
  }

  async requeue(): Promise<void> {
    await withExplainedErrors(this.#deps, ({ query }) =>
      query(`UPDATE enrich.inbox SET state = 'waiting', reason = NULL WHERE state = 'unclaimed'`),
    )
  }

  async close(): Promise<void> {
    this.#commits.flush()
    await this.#receiving?.close()
  }

  async #commit(items: readonly ReceivedDelivery[]): Promise<ItemResult<boolean>[]> {
    const settled: ItemResult<boolean>[] = []
    for (const batch of splitIntoBatches(items)) settled.push(...(await this.#write(batch)))
    return settled
  }

  /** One transaction: all are stored, or none is acknowledged. */
  async #write(batch: readonly ReceivedDelivery[]): Promise<ItemResult<boolean>[]> {
    const { database } = this.#deps
    this.#receiving ??= this.#connect()
    try {
      const rows = await this.#receiving.transaction(async (statements) => {
        await assertNotMoved(statements, database.url, 'write')
        await statements.query('SELECT pg_advisory_xact_lock($1)', [receiversLock])
        return statements.query<{ eventId: string }>(insertSql, buildValues(batch))
      })
      const fresh = new Set(rows.map(({ eventId }) => eventId))
      // If one arrived twice at the same time, the first is new.
      return batch.map(({ eventId }) => ({ value: fresh.delete(eventId) }))
    } catch (cause) {
      const error = database.explain(cause)
      return batch.map(() => ({ error }))
    }
  }
}

async function withExplainedErrors<Result>(
  deps: SharedInboxDeps,
  work: (statements: PostgresStatements) => Promise<Result>,
): Promise<Result> {
  const { database } = deps
  try {
    return await withRetries(deps, () => work(database.postgres))
  } catch (error) {
    throw database.explain(error)
  }
}

async function hasDeliveries({ query }: PostgresStatements): Promise<boolean> {
  return (await query('SELECT FROM enrich.inbox LIMIT 1')).length > 0
}

const forgottenAtOnce = 10_000

/** Uses the server's clock, because clocks of machines may be wrong. */
async function forgetOld({ query }: PostgresStatements): Promise<void> {
  const { unsettledKeptMs, takenKeptMs } = receiverLimits
  for (;;) {
    const rows = await query(
      `DELETE FROM enrich.inbox WHERE event_id IN (
         SELECT event_id FROM enrich.inbox
         WHERE received_at < clock_timestamp() - $2 * interval '1 millisecond'
           AND (state = 'taken' OR received_at < clock_timestamp() - $1 * interval '1 millisecond')
         ORDER BY received_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING position`,
      [unsettledKeptMs, takenKeptMs, forgottenAtOnce],
    )
    if (rows.length < forgottenAtOnce) return
  }
}

function splitIntoBatches(items: readonly ReceivedDelivery[]): ReceivedDelivery[][] {
  const batches: ReceivedDelivery[][] = []
  let bytes = 0
  for (const item of items) {
    bytes += item.body.length
    const last = batches.at(-1)
    if (last === undefined || bytes > statementBytesMax) {
      batches.push([item])
      bytes = item.body.length
    } else last.push(item)
  }
  return batches
}

/** Bodies are sent as one byte string, because an array of them would be sent as text. */
function buildValues(items: readonly ReceivedDelivery[]): unknown[] {
  let end = 0
  const starts = items.map(({ body }) => {
    const start = end + 1
    end += body.length
    return start
  })
  return [
    items.map(({ eventId }) => eventId),
    items.map(({ nowMs }) => nowMs),
    items.map(({ subject }) => subject.customId),
    items.map(({ subject }) => subject.runId),
    items.map(({ subject }) => subject.recordKind),
    items.map(({ subject }) => subject.recordKey),
    starts,
    items.map(({ body }) => body.length),
    Buffer.concat(items.map(({ body }) => body)),
  ]
}
