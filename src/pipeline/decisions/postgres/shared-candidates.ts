import type { Candidate } from '../../answers/candidate.js'
import { packCandidates } from '../review-tables.js'
import type { KeptCandidates } from '../review-store.js'
import type { ReviewStatements } from './review-sql.js'

/** Number of lookups sent in one statement. */
const lookupsAtOnce = 2_000

/** Candidates of lookups on a server, shared by all processes. */
export class SharedCandidates implements KeptCandidates {
  readonly #statements: ReviewStatements

  constructor(statements: ReviewStatements) {
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
