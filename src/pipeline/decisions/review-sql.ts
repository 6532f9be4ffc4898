import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { Decision } from '../../core/decisions.js'
import type { DecidedAbout, DecisionsNow, StoredDecision } from './decision-rules.js'

/** Locks the decisions and returns the number of the change. Each change calls it first, so that changes are serialised. */
export async function beginChange(statements: PostgresStatements): Promise<number> {
  const [row] = await statements.query<{ changed: number }>(
    'UPDATE enrich.review_changes SET count = count + 1 RETURNING count AS changed',
  )
  if (row === undefined) throw new Error('the review store lost its count of changes')
  return row.changed
}

/**
 * Reads all decisions about the lookups of these decisions. A server does not know whether a decisions file has one: see
 * `markLines`.
 */
export async function readDecisions(
  { query }: PostgresStatements,
  about: DecidedAbout,
): Promise<DecisionsNow> {
  const stored = await query<StoredDecision>(
    `SELECT d.sequence, encode(d.lookup, 'hex') AS lookup, d.service, d.name, d.location, d.verdict,
       d.entity_id AS "entityId", d.entity_name AS "entityName", d.decided_by AS "decidedBy",
       d.decided_at_ms AS "decidedAtMs", d.note, false AS "isInFile", d.is_withdrawn AS "isWithdrawn",
       d.replaced_by AS "replacedBy"
     FROM enrich.review_decisions d WHERE ${
       'decisions' in about
         ? 'd.lookup = ANY($1::bytea[])'
         : 'd.lookup IN (SELECT lookup FROM enrich.review_decisions WHERE sequence = ANY($1::bigint[]))'
     }
     ORDER BY d.sequence`,
    ['decisions' in about ? about.decisions.map(({ lookup }) => toBytes(lookup)) : about.sequences],
  )
  const [last] = await query<{ sequence: number }>(
    'SELECT coalesce(max(sequence), 0)::bigint AS sequence FROM enrich.review_decisions',
  )
  return { stored, nextSequence: (last?.sequence ?? 0) + 1 }
}

/** Inserts new decisions, and updates known ones. */
export async function writeDecisions(
  { query }: PostgresStatements,
  rows: readonly StoredDecision[],
  changed: number,
): Promise<void> {
  if (rows.length === 0) return
  await query(
    `INSERT INTO enrich.review_decisions (sequence, lookup, service, name, location, verdict, entity_id, entity_name,
       decided_by, decided_at_ms, note, is_withdrawn, replaced_by, changed)
     SELECT n.*, $14 FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::bigint[], $11::text[], $12::boolean[], $13::bigint[]) AS n
     ON CONFLICT (sequence) DO UPDATE SET is_withdrawn = excluded.is_withdrawn, replaced_by = excluded.replaced_by,
       changed = excluded.changed`,
    [
      rows.map(({ sequence }) => sequence),
      rows.map(({ lookup }) => toBytes(lookup)),
      rows.map(({ service }) => service),
      rows.map(({ name }) => name),
      rows.map(({ location }) => location),
      rows.map(({ verdict }) => verdict),
      rows.map(({ entityId }) => entityId),
      rows.map(({ entityName }) => entityName),
      rows.map(({ decidedBy }) => decidedBy),
      rows.map(({ decidedAtMs }) => decidedAtMs),
      rows.map(({ note }) => note),
      rows.map(({ isWithdrawn }) => isWithdrawn),
      rows.map(({ replacedBy }) => replacedBy),
      changed,
    ],
  )
}

/** Records whether a decisions file contains decisions. */
export async function markLines(
  statements: PostgresStatements,
  file: string,
  marks: { readonly sequences: readonly number[]; readonly isInFile: boolean; readonly changed: number },
): Promise<void> {
  await statements.query(
    `INSERT INTO enrich.review_lines (file, sequence, is_in_file, changed)
     SELECT $1, n.sequence, $3, $4 FROM unnest($2::bigint[]) AS n(sequence)
     ON CONFLICT (file, sequence) DO UPDATE SET is_in_file = excluded.is_in_file, changed = excluded.changed`,
    [file, marks.sequences, marks.isInFile, marks.changed],
  )
}

const toBytes = (lookup: string): Buffer => Buffer.from(lookup, 'hex')

/** PostgreSQL text cannot contain NUL. */
export const toStorableDecision = (decision: Decision): Decision => ({
  ...decision,
  name: toStorable(decision.name),
  location: toStorable(decision.location),
  entityId: toStorable(decision.entityId),
  entityName: toStorable(decision.entityName),
  decidedBy: toStorable(decision.decidedBy),
  note: toStorable(decision.note),
})

const toStorable = <Text extends string | null>(text: Text): Text | string =>
  text?.replaceAll('\0', ' ') ?? text
