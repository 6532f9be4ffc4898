import {
  readSubject,
  createInbox,
  forgetOld,
  inboxLimits,
  type DeliveryChange,
  type Inbox,
  type InboxAccess,
  type InboxRows,
  type NewDelivery,
  type WaitingDelivery,
} from '../inbox.js'
import { GroupCommit, splitIntoBatches, type ItemResult } from '../../../platform/group-commit.js'
import { joinBytes, type Postgres } from '../../../platform/postgres/postgres.js'
import { RetryingStatements, type RetryDeps } from '../../../platform/postgres/retry.js'
import type { LookupKind } from '../../../core/lookup-state.js'
import type { Worker } from './lease.js'
import type { SharedJob } from './store.js'
import { assertNotMoved, type SharedDatabase } from './open-database.js'

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
  readonly worker: Pick<Worker, 'id'>
  readonly job: { readonly kinds: Pick<SharedJob['kinds'], 'getScopeId'> }
}

export interface SharedInboxDeps extends RetryDeps {
  readonly database: Pick<SharedDatabase, 'postgres' | 'explain' | 'connectMore' | 'url'>
  /** `null` for a receiver, which takes no deliveries. */
  readonly owner: (() => InboxOwner) | null
  readonly onReceived?: () => void
}

/** The inbox of a run that has joined a shared checkpoint. */
export const createRunInbox = (run: Required<Omit<SharedInboxDeps, 'onReceived'>>): InboxAccess => ({
  exists: async () =>
    (await new RetryingStatements(run.database, run).query('SELECT FROM enrich.inbox LIMIT 1')).length > 0,
  open: (onReceived) => openSharedInbox({ ...run, onReceived }),
})

/** Opens the inbox of a checkpoint on PostgreSQL; does not close the database. Throws CHECKPOINT_*. */
export async function openSharedInbox(deps: SharedInboxDeps): Promise<Inbox> {
  const rows = new PostgresInboxRows(deps)
  await forgetOld(rows)
  return createInbox(rows, deps.onReceived)
}

/** The service waits 15 s: a slower commit is answered with 503, and the service retries. */
const receivingBounds = { connectionsMax: 1, connectTimeoutMs: 3_000, statementTimeoutMs: 8_000 }

/** The deliveries of one statement. */
const batchLimits = { bytesOf: ({ body }: NewDelivery) => body.length, bytesMax: 4_000_000 }

/** Any number: writers hold this lock until they commit, so that positions become visible in order. */
const receiversLock = 7_305_511_972

const forgottenAtOnce = 10_000

/**
 * Deliveries on PostgreSQL. Any number of receivers write, and any number of runs read. A delivery goes to the worker
 * that owns its lookup, otherwise to any run of that service. If two take it at once, one settles it.
 */
class PostgresInboxRows implements InboxRows {
  readonly lookMs = inboxLimits.sharedLookMs
  readonly #deps: SharedInboxDeps
  readonly #statements: RetryingStatements
  readonly #commits: GroupCommit<NewDelivery, boolean>
  #receiving: Postgres | null = null

  constructor(deps: SharedInboxDeps) {
    this.#deps = deps
    this.#statements = new RetryingStatements(deps.database, deps)
    this.#commits = new GroupCommit((items) => this.#commit(items))
  }

  /** Tries once, within seconds; rejects if the commit is uncertain. The service then sends the delivery again. */
  add(delivery: NewDelivery): Promise<boolean> {
    return this.#commits.add(delivery)
  }

  async listWaiting(
    afterPosition: number,
    kinds: readonly LookupKind[],
    countMax: number,
  ): Promise<readonly WaitingDelivery[]> {
    const owner = this.#deps.owner?.()
    if (owner === undefined) return []
    const scopeIds = kinds.map((kind) => owner.job.kinds.getScopeId(kind)).filter((id) => id !== 0)
    const values = [afterPosition, scopeIds, owner.worker.id, countMax]
    return this.#statements.query<WaitingDelivery>(waitingSql, values)
  }

  /** The state is a part of the statement: each state has an index. */
  async change({ from, to, reason, first, last }: DeliveryChange): Promise<number> {
    const rows = await this.#statements.query(
      `UPDATE enrich.inbox SET state = $1, reason = $2, body = CASE WHEN $1 = 'taken' THEN NULL ELSE body END
       WHERE state = '${from}' AND position BETWEEN $3 AND $4 RETURNING position`,
      [to, reason, first, last],
    )
    return rows.length
  }

  /** Uses the server's clock, because clocks of machines may be wrong. */
  async forget(takenMs: number, othersMs: number): Promise<void> {
    for (;;) {
      const rows = await this.#statements.query(
        `DELETE FROM enrich.inbox WHERE event_id IN (
           SELECT event_id FROM enrich.inbox
           WHERE received_at < clock_timestamp() - $2 * interval '1 millisecond'
             AND (state = 'taken' OR received_at < clock_timestamp() - $1 * interval '1 millisecond')
           ORDER BY received_at LIMIT $3 FOR UPDATE SKIP LOCKED)
         RETURNING position`,
        [othersMs, takenMs, forgottenAtOnce],
      )
      if (rows.length < forgottenAtOnce) return
    }
  }

  async close(): Promise<void> {
    this.#commits.flush()
    await this.#receiving?.close()
  }

  async #commit(items: readonly NewDelivery[]): Promise<ItemResult<boolean>[]> {
    const settled: ItemResult<boolean>[] = []
    for (const batch of splitIntoBatches(items, batchLimits)) settled.push(...(await this.#write(batch)))
    return settled
  }

  /** One transaction: all are stored, or none is acknowledged. */
  async #write(batch: readonly NewDelivery[]): Promise<ItemResult<boolean>[]> {
    const { database } = this.#deps
    this.#receiving ??= database.connectMore(receivingBounds)
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

function buildValues(items: readonly NewDelivery[]): unknown[] {
  const { starts, bytes } = joinBytes(items.map(({ body }) => body))
  const subjects = items.map(({ body }) => readSubject(body))
  return [
    items.map(({ eventId }) => eventId),
    items.map(({ nowMs }) => nowMs),
    subjects.map(({ customId }) => customId),
    subjects.map(({ runId }) => runId),
    subjects.map(({ recordKind }) => recordKind),
    subjects.map(({ recordKey }) => recordKey),
    starts,
    items.map(({ body }) => body.length),
    bytes,
  ]
}
