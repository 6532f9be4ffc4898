import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Candidate, Decision } from '../../core/decisions.js'
import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import { RetryingStatements, type RetryDeps } from '../../platform/postgres/retry.js'
import type { ServerDatabase } from '../checkpoint/open.js'
import type { DecidedAbout, DecisionChange, DecisionsNow, StoredDecision } from './decision-rules.js'
import { ReviewFile } from './review-file.js'
import { FileCandidates, ReviewDecisions, type DecisionRows, type ReviewStore } from './review-store.js'
import { packCandidates, type KeptRow } from './review-tables.js'

export interface SharedReviewDeps extends RetryDeps {
  readonly database: ServerDatabase
  /** The local copy of the checkpoint; readers find the review store next to it. */
  readonly checkpointPath: string
  /** The decisions file of this machine. */
  readonly decisionsPath: string
}

/**
 * Opens the decisions and candidates on a server, shared by several machines. Writes go to the server; reads use a local
 * mirror, which is updated after each write, by `refresh` and by `fetch`. Each machine has its own decisions file,
 * identified by host name and path. Call `refresh` before reading. Throws REVIEW_STORE_UNWRITABLE and DISK_FULL.
 */
export function openSharedReview(shared: SharedReviewDeps): ReviewStore {
  const { database, checkpointPath, decisionsPath } = shared
  const mirror = ReviewFile.open(checkpointPath, 'OFF')
  const statements = new RetryingStatements(database, shared)
  const file = `${hostname()}:${resolve(decisionsPath)}`
  return {
    decisions: new ReviewDecisions(mirror, new SharedRows(mirror, statements, file)),
    candidates: new SharedCandidates(mirror, statements),
    close: () => {
      mirror.close()
    },
  }
}

/** Number of decisions read at once. */
const decisionsAtOnce = 10_000

/** Decisions on a server. `file` identifies the decisions file. */
class SharedRows implements DecisionRows {
  readonly #mirror: ReviewFile
  readonly #statements: RetryingStatements
  readonly #file: string
  #refreshing: Promise<void> = Promise.resolve()

  constructor(mirror: ReviewFile, statements: RetryingStatements, file: string) {
    this.#mirror = mirror
    this.#statements = statements
    this.#file = file
  }

  change<Outcome>(
    about: DecidedAbout,
    rule: (now: DecisionsNow, mayBeMade: boolean) => DecisionChange<Outcome>,
  ): Promise<Outcome> {
    return this.#change(async (statements, changed, mayBeMade) => {
      const { outcome, rows, lines } = rule(await readDecisions(statements, about), mayBeMade)
      await writeDecisions(statements, rows, changed)
      if (lines !== null) await markLines(statements, this.#file, { ...lines, changed })
      return outcome
    })
  }

  mark(sequences: readonly number[], isInFile: boolean): Promise<void> {
    return this.#change((statements, changed) =>
      markLines(statements, this.#file, { sequences, isInFile, changed }),
    )
  }

  /** Updates run one after another, so that older data never overwrites newer data. */
  refresh(): Promise<void> {
    const refreshed = this.#refreshing.catch(() => undefined).then(() => this.#pull())
    this.#refreshing = refreshed
    return refreshed
  }

  /** PostgreSQL text cannot contain NUL. */
  toStorable(decision: Decision): Decision {
    return {
      ...decision,
      name: toStorable(decision.name),
      location: toStorable(decision.location),
      entityId: toStorable(decision.entityId),
      entityName: toStorable(decision.entityName),
      decidedBy: toStorable(decision.decidedBy),
      note: toStorable(decision.note),
    }
  }

  async #change<Result>(
    change: (statements: PostgresStatements, changed: number, mayBeMade: boolean) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.#statements.withTransaction(async (statements, mayBeMade) =>
      change(statements, await beginChange(statements), mayBeMade),
    )
    await this.refresh()
    return result
  }

  async #pull(): Promise<void> {
    const { queries } = this.#mirror
    const seen = this.#mirror.explain(() => queries.decisionVersion.get() ?? 0)
    const [row] = await this.#statements.query<{ count: number }>('SELECT count FROM enrich.review_changes')
    const count = row?.count ?? 0
    if (count === seen) return
    // All changes up to that count are committed: a change holds the row's lock.
    for (let after = 0; ;) {
      const values = [this.#file, seen, after, decisionsAtOnce]
      const page = await this.#statements.query<KeptRow>(changedSql, values)
      const isLast = page.length < decisionsAtOnce
      this.#mirror.inTransaction(() => {
        for (const decision of page) queries.write.run(decision)
        queries.setDecisionVersion.run(isLast ? count : seen)
      })
      if (isLast) return
      after = page.at(-1)?.sequence ?? 0
    }
  }
}

/**
 * $1 file, $2 last seen change, $3 last sequence, $4 limit. If it is unknown whether this file has a line, a current
 * decision counts as missing, and an outdated one as present, possibly from another machine.
 */
const changedSql = `
  SELECT d.sequence, d.lookup, d.service, d.name, d.location, d.verdict, d.entity_id, d.entity_name, d.decided_by,
    d.decided_at_ms, d.note, d.is_withdrawn::integer AS is_withdrawn, d.replaced_by,
    coalesce(l.is_in_file, d.is_withdrawn OR d.replaced_by IS NOT NULL)::integer AS is_in_file
  FROM enrich.review_decisions d
  LEFT JOIN enrich.review_lines l ON l.file = $1 AND l.sequence = d.sequence
  WHERE (d.changed > $2 OR l.changed > $2) AND d.sequence > $3 ORDER BY d.sequence LIMIT $4`

/** Locks the decisions and returns the number of the change. Each change calls it first, so that changes are serialised. */
async function beginChange(statements: PostgresStatements): Promise<number> {
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
async function readDecisions({ query }: PostgresStatements, about: DecidedAbout): Promise<DecisionsNow> {
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
async function writeDecisions(
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
async function markLines(
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

const toStorable = <Text extends string | null>(text: Text): Text | string =>
  text?.replaceAll('\0', ' ') ?? text

/** Number of lookups sent in one statement. */
const lookupsAtOnce = 2_000

/** Candidates of lookups on a server, shared by all processes; `read` and `hasAny` use the mirror. */
class SharedCandidates extends FileCandidates {
  readonly #mirror: ReviewFile
  readonly #statements: RetryingStatements

  override readonly fetch = async (scope: string, lookups: readonly string[]): Promise<void> => {
    for (let start = 0; start < lookups.length; start += lookupsAtOnce) {
      const rows = await this.#statements.query<{ lookup: Buffer; found: Buffer }>(
        'SELECT lookup, found FROM enrich.review_candidates WHERE scope = $1 AND lookup = ANY($2::bytea[])',
        [scope, lookups.slice(start, start + lookupsAtOnce).map(toBytes)],
      )
      this.#mirrorRows(scope, rows)
    }
  }

  constructor(mirror: ReviewFile, statements: RetryingStatements) {
    super(mirror)
    this.#mirror = mirror
    this.#statements = statements
  }

  override async has(scope: string, lookups: readonly string[]): Promise<boolean[]> {
    const rows = await this.#statements.query<{ lookup: Buffer }>(
      'SELECT lookup FROM enrich.review_candidates WHERE scope = $1 AND lookup = ANY($2::bytea[])',
      [scope, lookups.map(toBytes)],
    )
    const known = new Set(rows.map(({ lookup }) => lookup.toString('hex')))
    return lookups.map((lookup) => known.has(lookup))
  }

  #mirrorRows(scope: string, rows: readonly { readonly lookup: Buffer; readonly found: Buffer }[]): void {
    const { keepCandidates } = this.#mirror.queries
    this.#mirror.inTransaction(() => {
      for (const { lookup, found } of rows) keepCandidates.run(scope, lookup, found, 0)
    })
  }

  /** In the order of keys, so that concurrent calls cannot deadlock. */
  override async keep(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void> {
    const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
    const rows = sorted.map(([lookup, candidates]) => ({
      lookup: toBytes(lookup),
      found: Buffer.from(packCandidates(candidates)),
    }))
    await this.#statements.query(
      `INSERT INTO enrich.review_candidates (scope, lookup, found, found_at_ms)
       SELECT $1, n.lookup, n.found, $4 FROM unnest($2::bytea[], $3::bytea[]) AS n(lookup, found)
       ON CONFLICT (scope, lookup) DO UPDATE SET found = excluded.found, found_at_ms = excluded.found_at_ms`,
      [scope, rows.map((row) => row.lookup), rows.map((row) => row.found), nowMs],
    )
    this.#mirrorRows(scope, rows)
  }

  override async findStaleScopes(prefix: string, sinceMs: number): Promise<string[]> {
    const rows = await this.#statements.query<{ scope: string }>(
      `SELECT scope FROM enrich.review_candidates WHERE starts_with(scope, $1)
       GROUP BY scope HAVING max(found_at_ms) < $2 ORDER BY scope`,
      [prefix, sinceMs],
    )
    return rows.map(({ scope }) => scope)
  }

  override async forget(scope: string, countMax: number): Promise<number> {
    const rows = await this.#statements.query(
      `DELETE FROM enrich.review_candidates WHERE scope = $1 AND lookup IN
         (SELECT lookup FROM enrich.review_candidates WHERE scope = $1 ORDER BY lookup LIMIT $2) RETURNING 1`,
      [scope, countMax],
    )
    return rows.length
  }
}

const toBytes = (lookup: string): Buffer => Buffer.from(lookup, 'hex')
