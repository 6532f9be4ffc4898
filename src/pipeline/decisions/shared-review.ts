import { getReviewStorePath, type ServerDatabase } from '../checkpoint/open.js'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { CloseLater } from '../../platform/close-stack.js'
import { RetryingStatements, type RetryDeps } from '../../platform/postgres/retry.js'
import type { Candidate, Decision, KeptDecision } from '../../core/decisions.js'
import { packCandidates, type KeptRow } from './review-tables.js'
import {
  describeReviewStore,
  DecisionWriter,
  type KeptCandidates,
  type ReviewStore,
  type RunReview,
} from './review-store.js'
import { openOwn } from '../../platform/own-sqlite.js'
import { prepare } from '../../platform/sqlite.js'
import type { DecidedAbout, DecideOutcome, DecisionChange, DecisionsNow } from './decision-rules.js'
import { beginChange, markLines, readDecisions, toStorableDecision, writeDecisions } from './review-sql.js'

export interface SharedReviewDeps extends RetryDeps {
  readonly database: ServerDatabase
  /** The local copy of the checkpoint; readers find the review store next to it. */
  readonly checkpointPath: string
  /** The decisions file of this machine. */
  readonly decisionsPath: string
}

/** Number of decisions read at once. */
const decisionsAtOnce = 10_000

/**
 * Decisions and candidates on a server, shared by several machines. Writes go to the server; reads use a local mirror,
 * which is updated after each write and by `refresh`. Each machine has its own decisions file, identified by host name
 * and path.
 */
export class SharedReview extends DecisionWriter implements ReviewStore {
  readonly #candidates: SharedCandidates
  readonly #statements: RetryingStatements
  readonly #file: string
  #refreshing: Promise<void> = Promise.resolve()

  override readonly fetchCandidates = async (scope: string, lookups: readonly string[]): Promise<void> => {
    for await (const found of this.#candidates.found(scope, lookups)) this.#mirrorCandidates(scope, found)
  }

  /** Call `refresh` before reading. Throws REVIEW_STORE_UNWRITABLE and DISK_FULL. */
  constructor({ database, checkpointPath, decisionsPath, ...deps }: SharedReviewDeps) {
    const path = getReviewStorePath(checkpointPath)
    super(openOwn(describeReviewStore(path), { synchronous: 'OFF', isPrivate: true }), path)
    this.#statements = new RetryingStatements(database, deps)
    this.#candidates = new SharedCandidates(this.#statements)
    this.#file = `${hostname()}:${resolve(decisionsPath)}`
  }

  /** The part that a run uses, which makes no decisions. */
  get runReview(): RunReview {
    return {
      candidates: this.#candidates,
      loadDecisions: () => this.refresh(),
      loadCandidates: (scope, lookups) => this.fetchCandidates(scope, lookups),
    }
  }

  /** PostgreSQL text cannot contain NUL. */
  override decide(
    decisions: readonly Decision[],
    expected: ReadonlyMap<string, number>,
  ): Promise<DecideOutcome> {
    return super.decide(decisions.map(toStorableDecision), expected)
  }

  override adopt(decisions: readonly Decision[]): Promise<KeptDecision[]> {
    return super.adopt(decisions.map(toStorableDecision))
  }

  async keepCandidates(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void> {
    await this.#candidates.keepCandidates(scope, found, nowMs)
    this.#mirrorCandidates(
      scope,
      new Map([...found].map(([lookup, candidates]) => [lookup, packCandidates(candidates)])),
    )
  }

  forgetCandidates(scope: string, countMax: number): Promise<number> {
    return this.#candidates.forgetCandidates(scope, countMax)
  }

  /** Updates run one after another, so that older data never overwrites newer data. */
  override refresh(): Promise<void> {
    const refreshed = this.#refreshing.catch(() => undefined).then(() => this.#pull())
    this.#refreshing = refreshed
    return refreshed
  }

  async #pull(): Promise<void> {
    const seen = this.decisionVersion()
    const [row] = await this.#statements.query<{ count: number }>('SELECT count FROM enrich.review_changes')
    const count = row?.count ?? 0
    if (count === seen) return
    // All changes up to that count are committed: a change holds the row's lock.
    for (let after = 0; ;) {
      const page = await this.#statements.query<KeptRow>(changedSql, [
        this.#file,
        seen,
        after,
        decisionsAtOnce,
      ])
      const isLast = page.length < decisionsAtOnce
      this.#mirrorDecisions(page, isLast ? count : seen)
      if (isLast) return
      after = page.at(-1)?.sequence ?? 0
    }
  }

  /** Inserts or replaces decisions in the mirror, and sets its version. */
  #mirrorDecisions(decisions: readonly KeptRow[], version: number): void {
    this.readInTransaction(() => {
      for (const decision of decisions) this.queries.write.run(decision)
      prepare<[number]>(this.database, 'UPDATE changes SET count = count + 1, decision_count = ?').run(
        version,
      )
    })
  }

  /** Takes packed candidates by hexadecimal key. */
  #mirrorCandidates(scope: string, found: ReadonlyMap<string, Uint8Array>): void {
    this.readInTransaction(() => {
      for (const [lookup, packed] of found) this.queries.keepCandidates.run(scope, toBytes(lookup), packed, 0)
    })
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

  protected override changeDecisions<Outcome>(
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

/** Opens the decisions on a server for a run or a command that only reads; `closeLater` closes them. */
export function openRunReview(deps: SharedReviewDeps, closeLater: CloseLater): RunReview {
  const review = new SharedReview(deps)
  closeLater(() => {
    review.close()
  })
  return review.runReview
}

/** Number of lookups sent in one statement. */
const lookupsAtOnce = 2_000

/** Candidates of lookups on a server, shared by all processes. */
class SharedCandidates implements KeptCandidates {
  readonly #statements: RetryingStatements

  constructor(statements: RetryingStatements) {
    this.#statements = statements
  }

  async hasCandidates(scope: string, lookups: readonly string[]): Promise<boolean[]> {
    const rows = await this.#statements.query<{ lookup: Buffer }>(
      'SELECT lookup FROM enrich.review_candidates WHERE scope = $1 AND lookup = ANY($2::bytea[])',
      [scope, lookups.map(toBytes)],
    )
    const known = new Set(rows.map(({ lookup }) => lookup.toString('hex')))
    return lookups.map((lookup) => known.has(lookup))
  }

  /** Yields packed candidates by hexadecimal key, only for lookups that have any. */
  async *found(scope: string, lookups: readonly string[]): AsyncGenerator<Map<string, Buffer>> {
    for (let start = 0; start < lookups.length; start += lookupsAtOnce) {
      const rows = await this.#statements.query<{ lookup: Buffer; found: Buffer }>(
        'SELECT lookup, found FROM enrich.review_candidates WHERE scope = $1 AND lookup = ANY($2::bytea[])',
        [scope, lookups.slice(start, start + lookupsAtOnce).map(toBytes)],
      )
      yield new Map(rows.map(({ lookup, found }) => [lookup.toString('hex'), found]))
    }
  }

  /** In the order of keys, so that concurrent calls cannot deadlock. */
  async keepCandidates(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void> {
    const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
    await this.#statements.query(
      `INSERT INTO enrich.review_candidates (scope, lookup, found, found_at_ms)
       SELECT $1, n.lookup, n.found, $4 FROM unnest($2::bytea[], $3::bytea[]) AS n(lookup, found)
       ON CONFLICT (scope, lookup) DO UPDATE SET found = excluded.found, found_at_ms = excluded.found_at_ms`,
      [
        scope,
        sorted.map(([lookup]) => toBytes(lookup)),
        sorted.map(([, candidates]) => Buffer.from(packCandidates(candidates))),
        nowMs,
      ],
    )
  }

  async findStaleScopes(prefix: string, sinceMs: number): Promise<string[]> {
    const rows = await this.#statements.query<{ scope: string }>(
      `SELECT scope FROM enrich.review_candidates WHERE starts_with(scope, $1)
       GROUP BY scope HAVING max(found_at_ms) < $2 ORDER BY scope`,
      [prefix, sinceMs],
    )
    return rows.map(({ scope }) => scope)
  }

  async forgetCandidates(scope: string, countMax: number): Promise<number> {
    const rows = await this.#statements.query(
      `DELETE FROM enrich.review_candidates WHERE scope = $1 AND lookup IN
         (SELECT lookup FROM enrich.review_candidates WHERE scope = $1 ORDER BY lookup LIMIT $2) RETURNING 1`,
      [scope, countMax],
    )
    return rows.length
  }
}

const toBytes = (lookup: string): Buffer => Buffer.from(lookup, 'hex')
