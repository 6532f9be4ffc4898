import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { Random } from '../../../platform/random.js'
import { createLaneWakes, eventBody, laneOf, newEventId, type NewEvent, type OutboxWakes } from '../outbox.js'

/** Events of all replicas on their way out. */
export interface SharedOutbox extends OutboxWakes {
  /**
   * Writes them in the transaction of what they tell of, due at once by the clock of the server. A second event of a run
   * throws.
   */
  add(statements: PostgresStatements, events: readonly NewEvent[]): Promise<void>
}

/** `lateMs` is how much later than at once an event is due: for rehearsals. */
export function createSharedOutbox(random: Random, lateMs = () => 0): SharedOutbox {
  const { note, wake, onWake } = createLaneWakes()
  return {
    add: async (statements, events) => {
      if (events.length === 0) return
      const rows = events.map((event) => {
        const eventId = newEventId(event.createdAtMs, random)
        const lane = laneOf(event.accountNumber, event.webhookUrl)
        return { ...event, eventId, lane, body: eventBody(eventId, event), lateMs: lateMs() }
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
      // Also where the transaction is given up: nothing is found then.
      for (const { lane } of rows) note(lane)
    },
    wake,
    onWake,
  }
}

/** Now, by the clock of the server, in milliseconds since 1970. */
export const serverMsSql = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

const addSql = `
  INSERT INTO enrich_service.events (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body,
    next_attempt_at_ms)
  SELECT event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body, ${serverMsSql} + late_ms
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[],
    $9::bigint[])
    AS added (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body, late_ms)`
