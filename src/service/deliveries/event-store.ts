import type { EventType } from '../../contract/events.js'
import type { EventId } from '../../contract/ids.js'
import type { Deferrable } from '../../core/awaitable.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'

/** Lanes with open events, each with the time of its first. */
interface OpenLane {
  readonly lane: string
  readonly nextAttemptAtMs: number
}

/** What is wanted of a lane. */
interface LaneDemand {
  readonly countMax: number
  /** Those under way, which are left out. */
  readonly inFlight: ReadonlySet<number>
  readonly nowMs: number
}

interface DueOfLane {
  /** The first due first. */
  readonly events: readonly DueEvent[]
  /** When the next beside these and those under way is due; Infinity: there is none. */
  readonly nextDueAtMs: number
}

/** Who delivers a lane: this process, another one, or who asks for it first. */
export type LaneHolder = 'here' | 'elsewhere' | 'nobody'

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

/**
 * The events that were written, for who delivers them; of several processes on one database, each lane is delivered by
 * one at a time. Times that are given and taken are those of this process's clock.
 */
export interface EventStore {
  /** The lanes that are this process's to deliver, until it asks again: those that nobody held are from now on. */
  lanes(): OpenLane[]
  /** What is known of a lane without asking. */
  holderOf(lane: string): LaneHolder
  /** What of a lane of this process is due. */
  dueOf(lane: string, demand: LaneDemand): DueOfLane
  /** All or none, durable. What has ended already, or was attempted by another process since, stays as it is. */
  end(ends: readonly AttemptEnd[]): void
  /** Nothing waits longer than until then: for what a clock that was wrong left behind. */
  bringForward(nextAttemptAtMsMax: number): void
  count(): EventCount
  /** Gives up the lanes; nothing is in flight any more. */
  release(): void
}

/** One whose answers may come later. */
export type AnyEventStore = Deferrable<Omit<EventStore, 'holderOf'>> & Pick<EventStore, 'holderOf'>

interface OpenEvent {
  readonly eventNumber: number
  readonly nextAttemptAtMs: number
}

export function createEventStore(database: Sqlite): EventStore {
  const lanes = prepare<[], OpenLane>(
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
    holderOf: () => 'here',
    dueOf: (lane, { countMax, inFlight, nowMs }) => {
      const events: DueEvent[] = []
      for (const { eventNumber, nextAttemptAtMs } of openOf.all(lane, inFlight.size + countMax + 1)) {
        if (inFlight.has(eventNumber)) continue
        if (nextAttemptAtMs > nowMs || events.length === countMax) {
          return { events, nextDueAtMs: nextAttemptAtMs }
        }
        const event = due.get(eventNumber)
        if (event !== undefined) events.push(event)
      }
      return { events, nextDueAtMs: Infinity }
    },
    end: (ends) => {
      endAll.immediate(ends)
    },
    bringForward: (max) => {
      bringForward.run({ max })
    },
    count: () => count.get() ?? { waiting: 0, delivered: 0, exhausted: 0 },
    release: () => undefined,
  }
}
