import type { Clock, Random } from '../../platform/clock.js'
import { ConnectionLostError, type PostgresStatements } from '../../platform/postgres/postgres.js'
import type {
  AnyEventStore,
  AttemptEnd,
  DueEvent,
  DueEvents,
  EventCount,
  LaneDemand,
  LaneHolder,
  OpenLane,
} from './event-store.js'
import { toAccount, LaneSignals, buildEventBody, toLane, createEventId, type NewEvent } from './outbox.js'
import type { SharedStorage } from '../storage/storage.js'

/** The outbox of all replicas. `lateMs` delays the first attempt of an event; for rehearsals. */
export class SharedOutbox extends LaneSignals {
  readonly #random: Random
  readonly #lateMs: () => number

  constructor(random: Random, lateMs = () => 0) {
    super()
    this.#random = random
    this.#lateMs = lateMs
  }

  /** Writes events in the open transaction, due immediately. A second event of the same run throws. */
  async add(statements: PostgresStatements, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    const rows = events.map((event) => {
      const eventId = createEventId(event.createdAtMs, this.#random)
      const lane = toLane(event.accountNumber, event.webhookUrl)
      return { ...event, eventId, lane, body: buildEventBody(eventId, event), lateMs: this.#lateMs() }
    })
    await statements.query(addSql, [
      rows.map(({ eventId }) => eventId),
      rows.map(({ accountNumber }) => accountNumber),
      rows.map(({ type }) => type),
      rows.map(({ webhookUrl }) => webhookUrl),
      rows.map(({ lane }) => lane),
      rows.map(({ runId }) => runId),
      rows.map(({ createdAtMs }) => createdAtMs),
      rows.map(({ body }) => body),
      rows.map((row) => row.lateMs),
    ])
    // Harmless if the transaction is rolled back: the deliverer then finds nothing.
    for (const { lane } of rows) this.note(lane)
  }
}

/** The current time of the server's clock, in milliseconds since 1970. */
export const serverMsSql = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

const addSql = `
  INSERT INTO enrich_service.events (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body,
    next_attempt_at_ms)
  SELECT event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body, ${serverMsSql} + late_ms
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[],
    $9::bigint[])
    AS added (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body, late_ms)`

export type SharedEventDeps = Omit<SharedStorage, 'kind' | 'close'> & { readonly clock: Clock }

/** The rest of a claim is reserved for the deliveries in flight. */
const usedShareMax = 0.7

interface FoundLane {
  readonly lane: string
  readonly dueInMs: number
  readonly isHere: boolean
}

/**
 * The events of all replicas. A replica delivers the events of the accounts it has claimed, so that one replica sends
 * each event and the limits of lanes and accounts hold for all. If it dies, its claims expire and another one
 * continues. Stored times are the server's; here they are delays from now.
 */
export class SharedEventStore implements AnyEventStore {
  readonly #deps: SharedEventDeps
  #found = new Map<string, LaneHolder>()
  #claimedAtMs = -Infinity

  constructor(deps: SharedEventDeps) {
    this.#deps = deps
  }

  async lanes(): Promise<OpenLane[]> {
    const { postgres, replicaId, claimMs, clock } = this.#deps
    // Taken before the query is sent: the claim starts later, and so ends later.
    const sentAtMs = clock.monotonicMs()
    const lanes = await postgres.query<FoundLane>(claimSql, [replicaId, claimMs, claimAheadMs])
    this.#claimedAtMs = sentAtMs
    this.#found = new Map(
      lanes.map(({ lane, isHere }) => [toAccount(lane), isHere ? 'here' : 'elsewhere'] as const),
    )
    const nowMs = clock.nowMs()
    return lanes
      .filter(({ isHere }) => isHere)
      .map(({ lane, dueInMs }) => ({ lane, nextAttemptAtMs: nowMs + dueInMs }))
  }

  getHolder(lane: string): LaneHolder {
    const { clock, claimMs } = this.#deps
    if (clock.monotonicMs() - this.#claimedAtMs >= claimMs * usedShareMax) return 'nobody'
    return this.#found.get(toAccount(lane)) ?? 'nobody'
  }

  async readDueEvents(lane: string, { countMax, inFlight }: LaneDemand): Promise<DueEvents> {
    const { postgres, replicaId, clock } = this.#deps
    const rows = await postgres.query<DueEvent & { dueInMs: number }>(dueSql, [
      lane,
      [...inFlight],
      countMax + 1,
      replicaId,
    ])
    const isTaken = (dueInMs: number, index: number) => dueInMs <= 0 && index < countMax
    const next = rows.find(({ dueInMs }, index) => !isTaken(dueInMs, index))
    return {
      events: rows.filter(({ dueInMs }, index) => isTaken(dueInMs, index)),
      nextDueAtMs: next === undefined ? Infinity : clock.nowMs() + next.dueInMs,
    }
  }

  async end(ends: readonly AttemptEnd[]): Promise<void> {
    const { postgres, clock } = this.#deps
    await postgres.query(endSql, endValues(ends, clock.nowMs()))
  }

  async limitDueTimes(nextAttemptAtMsMax: number): Promise<void> {
    const { postgres, clock } = this.#deps
    await postgres.query(
      `UPDATE enrich_service.events SET next_attempt_at_ms = ${serverMsSql} + $1
       WHERE next_attempt_at_ms > ${serverMsSql} + $1`,
      [Math.max(0, nextAttemptAtMsMax - clock.nowMs())],
    )
  }

  async count(): Promise<EventCount> {
    const [count] = await this.#deps.postgres.query<EventCount>(
      `SELECT count(next_attempt_at_ms) AS waiting, count(delivered_at_ms) AS delivered,
         count(*) - count(next_attempt_at_ms) - count(delivered_at_ms) AS exhausted
       FROM enrich_service.events`,
    )
    return count ?? { waiting: 0, delivered: 0, exhausted: 0 }
  }

  async release(): Promise<void> {
    const { postgres, replicaId } = this.#deps
    this.#claimedAtMs = -Infinity
    try {
      await postgres.query('DELETE FROM enrich_service.delivery_claims WHERE claimed_by = $1', [replicaId])
    } catch (error) {
      // The claims expire by themselves.
      if (!(error instanceof ConnectionLostError)) throw error
    }
  }
}

/** An account whose first event is due later than this is claimed later. */
const claimAheadMs = 1_000

/**
 * Finds every lane with open events by skipping through the index, and claims their accounts unless another replica
 * holds them. Claims need not be durable: a lost one only causes a delivery to be sent twice.
 */
const claimSql = `
  WITH RECURSIVE open AS (
    (SELECT lane, account_number, next_attempt_at_ms FROM enrich_service.events
     WHERE next_attempt_at_ms IS NOT NULL ORDER BY lane, next_attempt_at_ms LIMIT 1)
    UNION ALL
    SELECT next.* FROM open CROSS JOIN LATERAL (
      SELECT e.lane, e.account_number, e.next_attempt_at_ms FROM enrich_service.events e
      WHERE e.next_attempt_at_ms IS NOT NULL AND e.lane > open.lane ORDER BY e.lane, e.next_attempt_at_ms LIMIT 1
    ) AS next
  ), wanted AS (
    SELECT o.account_number FROM open o LEFT JOIN enrich_service.delivery_claims c USING (account_number)
    GROUP BY o.account_number, c.claimed_by, c.claimed_until
    HAVING c.claimed_by = $1
      OR ((c.claimed_until IS NULL OR c.claimed_until < clock_timestamp())
        AND min(o.next_attempt_at_ms) <= ${serverMsSql} + $3)
  ), held AS (
    INSERT INTO enrich_service.delivery_claims AS c (account_number, claimed_by, claimed_until)
    SELECT account_number, $1, clock_timestamp() + $2 * interval '1 millisecond' FROM wanted
    WHERE set_config('synchronous_commit', 'off', true) = 'off' ORDER BY account_number
    ON CONFLICT (account_number) DO UPDATE
      SET claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
      WHERE c.claimed_by = excluded.claimed_by OR c.claimed_until < clock_timestamp()
    RETURNING account_number
  )
  SELECT lane, next_attempt_at_ms - ${serverMsSql} AS "dueInMs",
    account_number IN (SELECT account_number FROM held) AS "isHere"
  FROM open`

/** Reads one more than fits, to learn when the next event is due. */
const dueSql = `
  SELECT event_number AS "eventNumber", event_id AS "eventId", account_number AS "accountNumber", type,
    webhook_url AS "webhookUrl", body, attempt_count AS "attemptCount",
    next_attempt_at_ms - ${serverMsSql} AS "dueInMs"
  FROM enrich_service.events e
  WHERE lane = $1 AND next_attempt_at_ms IS NOT NULL AND event_number <> ALL ($2::bigint[])
    AND EXISTS (SELECT 1 FROM enrich_service.delivery_claims c WHERE c.account_number = e.account_number
      AND c.claimed_by = $4 AND c.claimed_until > clock_timestamp())
  ORDER BY next_attempt_at_ms LIMIT $3`

/**
 * A success always counts; a failure only if no other replica has attempted the event since. Writing again after a
 * broken connection changes nothing.
 */
const endSql = `
  UPDATE enrich_service.events e
  SET attempt_count = greatest(e.attempt_count, d.attempt_count),
    next_attempt_at_ms = ${serverMsSql} + d.next_in_ms,
    delivered_at_ms = CASE WHEN d.is_delivered THEN ${serverMsSql} END,
    last_failure = coalesce(d.failure, e.last_failure),
    body = CASE WHEN d.next_in_ms IS NULL THEN NULL ELSE e.body END
  FROM unnest($1::bigint[], $2::integer[], $3::boolean[], $4::bigint[], $5::text[])
    AS d (event_number, attempt_count, is_delivered, next_in_ms, failure)
  WHERE e.event_number = d.event_number AND e.next_attempt_at_ms IS NOT NULL
    AND (d.is_delivered OR e.attempt_count = d.attempt_count - 1)`

function endValues(ends: readonly AttemptEnd[], nowMs: number): unknown[] {
  return [
    ends.map(({ eventNumber }) => eventNumber),
    ends.map(({ attemptCount }) => attemptCount),
    ends.map(({ deliveredAtMs }) => deliveredAtMs !== null),
    ends.map(({ nextAttemptAtMs }) =>
      nextAttemptAtMs === null ? null : Math.max(0, nextAttemptAtMs - nowMs),
    ),
    // Text in PostgreSQL cannot contain U+0000.
    ends.map(({ failure }) => failure?.replaceAll('\0', '\uFFFD') ?? null),
  ]
}
