import type { EventType } from '../../contract/events.js'
import type { EventId } from '../../contract/enums.js'
import type { Deferrable } from '../../platform/sql-program.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'

/** A lane with open events, and the time of its first one. */
export interface OpenLane {
  readonly lane: string
  readonly nextAttemptAtMs: number
}

/** The limits of a query for due events. */
export interface LaneDemand {
  readonly countMax: number
  /** Events in flight, which are excluded. */
  readonly inFlight: ReadonlySet<number>
  readonly nowMs: number
}

export interface DueEvents {
  /** Due events, the earliest first. */
  readonly events: readonly DueEvent[]
  /** Due time of the next event that is neither returned nor in flight; `Infinity` if none. */
  readonly nextDueAtMs: number
}

/** The process that delivers a lane: this one, another one, or none yet. */
export type LaneHolder = 'here' | 'elsewhere' | 'nobody'

/** The data of an event that an attempt needs. */
export interface DueEvent {
  readonly eventNumber: number
  readonly eventId: EventId
  readonly accountNumber: number
  readonly type: EventType
  readonly webhookUrl: string
  readonly body: string
  /** Attempts with a known outcome. */
  readonly attemptCount: number
}

export interface AttemptEnd {
  readonly eventNumber: number
  readonly attemptCount: number
  readonly deliveredAtMs: number | null
  /** `null` if the event was delivered, or this was the last attempt. */
  readonly nextAttemptAtMs: number | null
  readonly failure: string | null
}

export interface EventCount {
  readonly waiting: number
  readonly delivered: number
  readonly exhausted: number
}

interface LaneHolders {
  /** Returns the known holder of a lane without a query. */
  getHolder(lane: string): LaneHolder
}

/**
 * The stored events, for the deliverer. If several processes share one database, one process at a time delivers each
 * lane. All times are those of this process's clock.
 */
export interface EventStore extends LaneHolders {
  /** Returns the lanes that this process delivers until the next call. Claims those that no process holds. */
  lanes(): OpenLane[]
  /** Returns the due events of a lane that this process holds. */
  readDueEvents(lane: string, demand: LaneDemand): DueEvents
  /** Stores all ends or none, durably. Ignores ends of events that another process has attempted or ended. */
  end(ends: readonly AttemptEnd[]): void
  /** Limits the due time of all events; corrects times written with a wrong clock. */
  limitDueTimes(nextAttemptAtMsMax: number): void
  count(): EventCount
  /** Gives up the lanes. No event may be in flight. */
  release(): void
}

/** An `EventStore` that may answer asynchronously. */
export type AnyEventStore = Deferrable<Omit<EventStore, keyof LaneHolders>> & LaneHolders

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
  const openEvents = prepare<[string, number], OpenEvent>(
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
  const limitDueTimes = prepare<{ max: number }>(
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
    getHolder: () => 'here',
    readDueEvents: (lane, { countMax, inFlight, nowMs }) => {
      const events: DueEvent[] = []
      for (const { eventNumber, nextAttemptAtMs } of openEvents.all(lane, inFlight.size + countMax + 1)) {
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
    limitDueTimes: (max) => {
      limitDueTimes.run({ max })
    },
    count: () => count.get() ?? { waiting: 0, delivered: 0, exhausted: 0 },
    release: () => undefined,
  }
}
