import { listJobInputs } from '../../../core/partition.js'
import { readScope, lookupStates, type LookupState, type LookupKind } from '../../../core/lookup-state.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { query, type SqlProgram } from '../../../platform/sql-program.js'
import type { ReaderQueries, ScopeCounts, UncertainLookup } from '../lookup.js'
import { at, toInteger } from '../../../core/json.js'
import {
  packedColumns,
  packedHeadBytes,
  unpackLine,
  unpackLineHead,
  type PackedAnswer,
} from '../packed-answer.js'

type ScopeFigures = Pick<ScopeCounts, 'scope' | 'submissions' | 'firstSubmittedAtMs' | 'lastAnsweredAtMs'> & {
  readonly scopeId: number
}

/** Figures of scopes, and the counts of their lookups. */
export interface CountedRows {
  readonly scopes: readonly ScopeFigures[]
  readonly states: readonly {
    readonly scopeId: number
    readonly state: LookupState
    readonly count: number
  }[]
  /** The most frequent first. */
  readonly outcomes: readonly {
    readonly scopeId: number
    readonly outcome: string
    readonly count: number
  }[]
}

const billed = `s.verdict IN ('accepted', 'uncertain', 'intended')`

/** Passes the names of all lookups of a scope, see `ReaderQueries`. */
export function readNames(
  database: Sqlite,
  scope: string,
  { limit, take }: ReaderQueries['names']['given'],
): boolean {
  // The numbers of lookups have no gaps, and the highest is found at once.
  const lookupCount = database.prepare<[], number>('SELECT max(lookup_id) FROM lookups').pluck().get() ?? 0
  if (lookupCount > limit) return false
  const names = database.prepare<[string], string>(
    'SELECT name FROM lookups WHERE scope_id = (SELECT scope_id FROM scopes WHERE scope = ?)',
  )
  for (const name of names.pluck().iterate(scope)) take(name)
  return true
}

/** Counts all rows. The two databases are fast with different statements. */
export function* countRows(): SqlProgram<CountedRows> {
  const ofScope = `FROM enrich.submissions s JOIN enrich.lookups l USING (lookup_id)
    WHERE l.scope_id = sc.scope_id AND ${billed}`
  return {
    scopes: yield* query<ScopeFigures>({
      sqlite: `SELECT scope_id AS "scopeId", scope, count(s.custom_id) AS submissions,
          min(s.intended_at_ms) AS "firstSubmittedAtMs", max(l.answered_at_ms) AS "lastAnsweredAtMs"
        FROM scopes JOIN lookups l USING (scope_id)
        LEFT JOIN submissions s ON s.lookup_id = l.lookup_id AND ${billed}
        GROUP BY scope_id ORDER BY scope_id`,
      postgres: `SELECT sc.scope_id AS "scopeId", sc.scope, (SELECT count(*) ${ofScope}) AS submissions,
          (SELECT min(s.intended_at_ms) ${ofScope}) AS "firstSubmittedAtMs",
          (SELECT max(l.answered_at_ms) FROM enrich.lookups l WHERE l.scope_id = sc.scope_id) AS "lastAnsweredAtMs"
        FROM enrich.scopes sc WHERE EXISTS (SELECT FROM enrich.lookups l WHERE l.scope_id = sc.scope_id)
        ORDER BY sc.scope_id`,
    }),
    states: yield* query(
      'SELECT scope_id AS "scopeId", state, count(*) AS count FROM enrich.lookups GROUP BY scope_id, state',
    ),
    outcomes: yield* query(
      `SELECT l.scope_id AS "scopeId", a.outcome, count(*) AS count
       FROM enrich.lookups l JOIN enrich.answers a USING (lookup_id)
       WHERE l.state IN ('answered', 'failed') GROUP BY 1, 2 ORDER BY 3 DESC`,
    ),
  }
}

/** Adds the newest job of each scope. */
export function* addJobs({ scopes, states, outcomes }: CountedRows): SqlProgram<ScopeCounts[]> {
  const jobs = yield* query<{ scopeId: number; input: string }>(
    `SELECT scope_id AS "scopeId", input FROM enrich.jobs
     WHERE job_id IN (SELECT max(job_id) FROM enrich.jobs GROUP BY scope_id)`,
  )
  return scopes.map(({ scopeId, ...scope }) => {
    const filterByScope = <Count extends { scopeId: number }>(counts: readonly Count[]) =>
      counts.filter((one) => one.scopeId === scopeId)
    const counted = new Map(filterByScope(states).map(({ state, count }) => [state, count]))
    return {
      ...scope,
      ...parseService(scope.scope),
      lastInputs: listJobInputs(filterByScope(jobs)[0]?.input),
      states: Object.fromEntries(lookupStates.map((state) => [state, counted.get(state) ?? 0])) as Record<
        LookupState,
        number
      >,
      outcomes: Object.fromEntries(filterByScope(outcomes).map(({ outcome, count }) => [outcome, count])),
    }
  })
}

/** Returns the first lookups that may have been billed and have no answer, including those in flight. */
export function* readUncertain(limit: number): SqlProgram<UncertainLookup[]> {
  const lookups = yield* query<Omit<UncertainLookup, 'kind'>>(
    `SELECT sc.scope, l.name, l.location, l.context, l.custom_id AS "customId", l.failure AS reason,
       s.intended_at_ms AS "intendedAtMs"
     FROM enrich.lookups l JOIN enrich.scopes sc USING (scope_id)
     LEFT JOIN enrich.submissions s ON s.custom_id = l.custom_id
     WHERE l.state IN ('uncertain', 'intended') ORDER BY l.lookup_id LIMIT $1`,
    limit,
  )
  return lookups.map((lookup) => ({ ...lookup, ...parseService(lookup.scope) }))
}

function parseService(text: string): Pick<ScopeCounts, 'scope' | 'kind'> {
  const { base, kind } = readScope(text)
  return { scope: base, kind }
}

/** Returns billed and possibly billed submissions of an open job, by kind. `scope`: the service, if any. */
export function readSpentOfJob(
  database: Sqlite,
  scope: string | null,
  job: string,
): ReadonlyMap<LookupKind, number> {
  const rows = database
    .prepare<[string], { scope: string; count: number }>(
      `SELECT scope, count(*) AS count FROM jobs JOIN scopes USING (scope_id) JOIN submissions USING (job_id)
       WHERE input = ? AND ended_at_ms IS NULL AND verdict IN ('accepted', 'uncertain', 'intended')
       GROUP BY scope`,
    )
    .all(job)
  const own = rows.map((row) => ({ ...readScope(row.scope), count: row.count }))
  return new Map(own.filter(({ base }) => base === scope).map(({ kind, count }) => [kind, count]))
}

/** An answer before its kind is known. */
export interface FoundOutcome {
  readonly lookupId: number
  readonly scopeId: number
  readonly outcome: string
  readonly packing: number
  /** First bytes of `packed`. */
  readonly head: Buffer
}

/** Selects the valid answers among ids given as a JSON list. */
export const outcomesSql = `SELECT l.lookup_id AS lookupId, l.scope_id AS scopeId, a.outcome, a.packing,
     substr(a.packed, 1, ${packedHeadBytes}) AS head
   FROM json_each(?) AS given CROSS JOIN lookups l ON l.lookup_id = given.value JOIN answers a USING (lookup_id)
   WHERE l.state = 'answered'`

export const wholeAnswerSql = `SELECT ${packedColumns} FROM answers WHERE lookup_id = ?`

/** Reads the confidence after the status, its place in lines of resolutions; otherwise from the `whole` answer. */
export function readConfidence(
  { packing, head }: FoundOutcome,
  whole: () => PackedAnswer | undefined,
): number | null {
  const found = /^\{"status":"[^"\\]*","confidence":(null|-?\d+),/.exec(unpackLineHead(packing, head))
  if (found !== null) return found[1] === 'null' ? null : Number(found[1])
  const answer = whole()
  return answer === undefined ? null : toInteger(at(JSON.parse(unpackLine(answer)), 'confidence'))
}
