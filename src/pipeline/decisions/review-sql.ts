import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { Decision, KeptDecision, Verdict } from '../answers/decision.js'
import type { SharedDatabase } from '../checkpoint/postgres/open-database.js'
import { anyConflict, withRetries, type RetryDeps } from '../checkpoint/postgres/retry.js'

/** Locks the decisions and returns the number of the change. Each change calls it first, so that changes are serialised. */
export async function beginChange(statements: PostgresStatements): Promise<number> {
  const [row] = await statements.query<{ changed: number }>(
    'UPDATE enrich.review_changes SET count = count + 1 RETURNING count AS changed',
  )
  if (row === undefined) throw new Error('the review store lost its count of changes')
  return row.changed
}

const keptColumns = `d.sequence, encode(d.lookup, 'hex') AS lookup, d.service, d.name, d.location, d.verdict,
  d.entity_id AS "entityId", d.entity_name AS "entityName", d.decided_by AS "decidedBy",
  d.decided_at_ms AS "decidedAtMs", d.note, false AS "isInFile"`

const buildCurrentCondition = (name: string) => `NOT ${name}.is_withdrawn AND ${name}.replaced_by IS NULL`

/** Returns the current decisions of each lookup, for all services, newest first. */
export async function findCurrent(
  statements: PostgresStatements,
  lookups: readonly string[],
): Promise<Map<string, KeptDecision[]>> {
  const rows = await statements.query<KeptDecision>(
    `SELECT ${keptColumns} FROM enrich.review_decisions d
     WHERE d.lookup = ANY($1::bytea[]) AND ${buildCurrentCondition('d')} ORDER BY d.sequence DESC`,
    [lookups.map(toBytes)],
  )
  const found = new Map<string, KeptDecision[]>()
  for (const row of rows) {
    const others = found.get(row.lookup)
    if (others === undefined) found.set(row.lookup, [row])
    else others.push(row)
  }
  return found
}

/** Inserts decisions, which replace the current ones. Returns their sequence numbers, aligned. */
export async function insertDecisions(
  statements: PostgresStatements,
  decisions: readonly Decision[],
  changed: number,
): Promise<number[]> {
  const [last] = await statements.query<{ sequence: number }>(
    'SELECT coalesce(max(sequence), 0)::bigint AS sequence FROM enrich.review_decisions',
  )
  const sequences = decisions.map((_, at) => (last?.sequence ?? 0) + at + 1)
  await statements.query(
    `INSERT INTO enrich.review_decisions (sequence, lookup, service, name, location, verdict, entity_id, entity_name,
       decided_by, decided_at_ms, note, changed)
     SELECT n.*, $12 FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::bigint[], $11::text[]) AS n`,
    [
      sequences,
      decisions.map(({ lookup }) => toBytes(lookup)),
      decisions.map(({ service }) => service),
      decisions.map(({ name }) => toStorable(name)),
      decisions.map(({ location }) => toStorable(location)),
      decisions.map(({ verdict }) => verdict),
      decisions.map(({ entityId }) => toStorable(entityId)),
      decisions.map(({ entityName }) => toStorable(entityName)),
      decisions.map(({ decidedBy }) => toStorable(decidedBy)),
      decisions.map(({ decidedAtMs }) => decidedAtMs),
      decisions.map(({ note }) => toStorable(note)),
      changed,
    ],
  )
  // Replaced by the next one: a decision without a service conflicts with those of all services.
  await statements.query(
    `UPDATE enrich.review_decisions d SET changed = $2, replaced_by = (
       SELECT min(n.sequence) FROM enrich.review_decisions n
       WHERE n.sequence = ANY($1::bigint[]) AND n.lookup = d.lookup AND n.sequence > d.sequence
         AND (d.service IS NULL OR n.service IS NULL OR d.service = n.service))
     WHERE ${buildCurrentCondition('d')} AND d.lookup = ANY($3::bytea[]) AND EXISTS (
       SELECT FROM enrich.review_decisions n
       WHERE n.sequence = ANY($1::bigint[]) AND n.lookup = d.lookup AND n.sequence > d.sequence
         AND (d.service IS NULL OR n.service IS NULL OR d.service = n.service))`,
    [sequences, changed, decisions.map(({ lookup }) => toBytes(lookup))],
  )
  return sequences
}

/** Withdraws decisions and restores those they replaced. Returns the withdrawn ones, in the given order. */
export async function withdrawDecisions(
  statements: PostgresStatements,
  service: string,
  sequences: readonly number[],
  changed: number,
): Promise<KeptDecision[]> {
  const rows = await statements.query<KeptDecision>(
    `UPDATE enrich.review_decisions d SET is_withdrawn = true, changed = $3
     WHERE d.sequence = ANY($1::bigint[]) AND NOT d.is_withdrawn AND (d.service = $2 OR d.service IS NULL)
     RETURNING ${keptColumns}`,
    [sequences, service, changed],
  )
  const withdrawn = rows.map(({ sequence }) => sequence)
  // Repeated, because a withdrawn decision may have replaced another withdrawn one.
  for (let isDone = false; !isDone;) {
    const restored = await statements.query(
      `UPDATE enrich.review_decisions d SET replaced_by = w.replaced_by, changed = $2
       FROM enrich.review_decisions w
       WHERE w.sequence = ANY($1::bigint[]) AND d.replaced_by = w.sequence RETURNING 1`,
      [withdrawn, changed],
    )
    isDone = restored.length === 0
  }
  return sequences.flatMap((sequence) => rows.find((row) => row.sequence === sequence) ?? [])
}

/** Withdraws decisions and all that they replaced. Returns the sequence numbers of all of them. */
export async function forgetDecisions(
  statements: PostgresStatements,
  sequences: readonly number[],
  changed: number,
): Promise<number[]> {
  const gone = await statements.query<{ sequence: number }>(
    `WITH RECURSIVE gone(sequence) AS (
       SELECT unnest($1::bigint[])
       UNION SELECT d.sequence FROM enrich.review_decisions d JOIN gone ON d.replaced_by = gone.sequence
     )
     UPDATE enrich.review_decisions d SET is_withdrawn = true, changed = $2
     FROM gone WHERE d.sequence = gone.sequence RETURNING d.sequence`,
    [sequences, changed],
  )
  return gone.map(({ sequence }) => sequence)
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

/** Returns whether a current decision is the one to be made, for example from an earlier attempt. */
export const isSameDecision = (
  one: KeptDecision | undefined,
  { verdict, entityId, decidedBy, decidedAtMs }: Decision,
): boolean =>
  one !== undefined &&
  one.verdict === (verdict satisfies Verdict) &&
  one.entityId === entityId &&
  one.decidedBy === toStorable(decidedBy) &&
  one.decidedAtMs === decidedAtMs

const toBytes = (lookup: string): Buffer => Buffer.from(lookup, 'hex')

/** PostgreSQL text cannot contain NUL. */
const toStorable = <Text extends string | null>(text: Text): Text | string =>
  text?.replaceAll('\0', ' ') ?? text

/** Statements of a review store on a server, repeated if the connection was lost. Rejects with CHECKPOINT_*. */
export class ReviewStatements implements PostgresStatements {
  readonly #database: Pick<SharedDatabase, 'postgres' | 'explain'>
  readonly #deps: RetryDeps

  constructor(database: Pick<SharedDatabase, 'postgres' | 'explain'>, deps: RetryDeps) {
    this.#database = database
    this.#deps = deps
  }

  /** Runs a statement that is safe to repeat. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const { postgres } = this.#database
    return withRetries(this.#deps, () => postgres.query<Row>(text, values)).catch(this.#throwExplained)
  }

  /** Passes to `work` whether an earlier attempt may have taken effect. */
  transaction<Result>(
    work: (statements: PostgresStatements, mayHaveTakenEffect: boolean) => Promise<Result>,
  ): Promise<Result> {
    const { postgres } = this.#database
    const once = (mayHave: boolean) => postgres.transaction((statements) => work(statements, mayHave))
    return withRetries(this.#deps, once, anyConflict).catch(this.#throwExplained)
  }

  readonly #throwExplained = (error: unknown): never => {
    throw this.#database.explain(error)
  }
}
