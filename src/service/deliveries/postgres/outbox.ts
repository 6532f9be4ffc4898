import type { EventId } from '../../../contract/ids.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { systemRandom } from '../../../platform/random.js'
import { eventBody, laneOf, type NewEvent } from '../outbox.js'

/** Writes them in the transaction of what they tell of. A second event of a run is refused by its index. */
export async function addEvents(statements: PostgresStatements, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => {
    const eventId = systemRandom.id(`evt_${event.createdAtMs.toString(36)}`) as EventId
    return { ...event, eventId, body: eventBody(eventId, event) }
  })
  await statements.query(
    `INSERT INTO enrich_service.events (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms,
       body, next_attempt_at_ms)
     SELECT *, created_at_ms FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::bigint[], $8::text[])
       AS added (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body)`,
    [
      rows.map(({ eventId }) => eventId),
      rows.map(({ accountNumber }) => accountNumber),
      rows.map(({ type }) => type),
      rows.map(({ webhookUrl }) => webhookUrl),
      rows.map(({ accountNumber, webhookUrl }) => laneOf(accountNumber, webhookUrl)),
      rows.map(({ runId }) => runId),
      rows.map(({ createdAtMs }) => createdAtMs),
      rows.map(({ body }) => body),
    ],
  )
}
