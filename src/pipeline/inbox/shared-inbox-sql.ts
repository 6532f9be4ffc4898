import { stageLookup } from '../checkpoint/lookup-key.js'
import { readDelivery } from '../rules/delivery.js'

/** What a delivery is about, as far as it says so. */
export interface Subject {
  readonly customId: string | null
  readonly runId: string | null
  readonly recordKind: string | null
  readonly recordKey: Buffer | null
}

/** Any that is ours is shorter. */
const idLengthMax = 300

/** Never throws: what says nothing that can be read is about nothing. */
export function subjectOf(body: Uint8Array): Subject {
  const nothing: Subject = { customId: null, runId: null, recordKind: null, recordKey: null }
  const delivery = readDelivery(body, false)
  if (delivery.kind === 'unreadable') return nothing
  if (delivery.kind === 'record') {
    const { record, name } = delivery
    if (name === null) return nothing
    return { ...nothing, recordKind: record, recordKey: Buffer.from(stageLookup(record, name).key) }
  }
  return { ...nothing, customId: stored(delivery.customId), runId: stored(delivery.runId) }
}

/** A text of PostgreSQL holds no NUL; no id of ours does. */
const stored = (id: string | null): string | null =>
  id === null || id.length > idLengthMax || id.includes('\0') ? null : id

/** $1 to $6 and $7 to $8, aligned: events, when they came, what they are about; where each body lies in $9. */
export const insertSql = `
  INSERT INTO enrich.inbox (event_id, received_at_ms, custom_id, run_id, record_kind, record_key, body)
  SELECT event_id, received_at_ms, custom_id, run_id, record_kind, record_key,
    substring($9::bytea FROM start FOR byte_count)
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::integer[], $8::integer[])
    WITH ORDINALITY AS i(event_id, received_at_ms, custom_id, run_id, record_kind, record_key, start, byte_count, ordinal)
  ORDER BY ordinal
  ON CONFLICT (event_id) DO NOTHING
  RETURNING event_id AS "eventId"`

/**
 * $1 a position, $2 the scopes of what this process asks, $3 its number, $4 how many. What is about no lookup that is
 * known is for anybody; what is about lookups of other scopes alone, or about one that another living process looks
 * after, is for others. The lookups of an event are looked up one by one, since a planner knows little of tables that
 * have just grown.
 */
export const waitingSql = `
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
