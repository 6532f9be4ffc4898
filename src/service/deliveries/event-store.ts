import type { EventType } from '../../contract/events.js'
import type { EventId } from '../../contract/ids.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'

/** An event that has attempts left. */
interface OpenEvent {
  readonly eventNumber: number
  readonly nextAttemptAtMs: number
}

/** What an attempt needs to know. */
export interface DueEvent {
  readonly eventNumber: number
  readonly eventId: EventId
  readonly accountNumber: number
  readonly type: EventType
  readonly webhookUrl: string
  readonly body: string
  /** Attempts that were made, each with an end that is known. */
  readonly attemptCount: number
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly eventNumber: number
  readonly attemptCount: number
  readonly deliveredAtMs: number | null
  /** Null: it was delivered, or it was the last. */
  readonly nextAttemptAtMs: number | null
  readonly failure: string | null
}

export interface EventCount {
  readonly waiting: number
  readonly delivered: number
  readonly exhausted: number
}

export interface EventStore {
  /** Lanes with open events, each with the time of its first. */
  lanes(): { lane: string; nextAttemptAtMs: number }[]
  /** The open events of a lane, the first due first. */
  openOf(lane: string, countMax: number): OpenEvent[]
  due(eventNumber: number): DueEvent | undefined
  /** All or none, durable. */
  end(ends: readonly AttemptEnd[]): void
  /** Nothing waits longer than until then: for what a clock that was wrong left behind. */
  bringForward(nextAttemptAtMsMax: number): void
  count(): EventCount
}

export function createEventStore(database: Sqlite): EventStore {
  const lanes = prepare<[], { lane: string; nextAttemptAtMs: number }>(
    database,
    `SELECT lane, min(next_attempt_at_ms) AS nextAttemptAtMs
     FROM events WHERE next_attempt_at_ms IS NOT NULL GROUP BY lane`,
  )
  const openOf = prepare<[string, number], OpenEvent>(
    database,
    `SELECT event_number AS eventNumber, next_attempt_at_ms AS nextAttemptAtMs
     FROM events WHERE lane = ? AND next_attempt_at_ms IS NOT NULL ORDER BY next_attempt_at_ms LIMIT ?`,
  )
  const due = prepare<[number], DueEvent>(
    database,
    `SELECT event_number AS eventNumber, event_id AS eventId, account_number AS accountNumber, type,
       webhook_url AS webhookUrl, body, attempt_count AS attemptCount
     FROM events WHERE event_number = ? AND next_attempt_at_ms IS NOT NULL`,
  )
  const end = prepare<AttemptEnd>(
    database,
    `UPDATE events SET attempt_count = @attemptCount, next_attempt_at_ms = @nextAttemptAtMs,
       delivered_at_ms = @deliveredAtMs, last_failure = coalesce(@failure, last_failure),
       body = CASE WHEN @nextAttemptAtMs IS NULL THEN NULL ELSE body END
     WHERE event_number = @eventNumber`,
  )
  const bringForward = prepare<{ max: number }>(
    database,
    'UPDATE events SET next_attempt_at_ms = @max WHERE next_attempt_at_ms > @max',
  )
  const count = prepare<[], EventCount>(
    database,
    `SELECT count(next_attempt_at_ms) AS waiting, count(delivered_at_ms) AS delivered,
       count(*) - count(next_attempt_at_ms) - count(delivered_at_ms) AS exhausted
     FROM events`,
  )
  const endAll = database.transaction((ends: readonly AttemptEnd[]) => {
    for (const one of ends) end.run(one)
  })
  return {
    lanes: () => lanes.all(),
    openOf: (lane, countMax) => openOf.all(lane, countMax),
    due: (eventNumber) => due.get(eventNumber),
    end: (ends) => {
      endAll.immediate(ends)
    },
    bringForward: (max) => {
      bringForward.run({ max })
    },
    count: () => count.get() ?? { waiting: 0, delivered: 0, exhausted: 0 },
  }
}
