import { listJobInputs } from '../../../core/partition.js'
import { readScope, lookupStates, type LookupState } from '../../../core/lookup-state.js'
import type { LookupKind } from '../../../core/lookup-kinds.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type { ScopeCounts } from '../lookup.js'
import { at, toInteger } from '../../../core/json.js'
import {
  packedColumns,
  packedHeadBytes,
  unpackLine,
  unpackLineHead,
  type PackedAnswer,
} from '../packed-answer.js'

export type ScopeFigures = Pick<
  ScopeCounts,
  'scope' | 'submissions' | 'firstSubmittedAtMs' | 'lastAnsweredAtMs'
> & { readonly scopeId: number }

export function readCounts(database: Sqlite): ScopeCounts[] {
  const scopes = database
    .prepare<[], ScopeFigures>(
      `SELECT scope_id AS scopeId, scope, count(s.custom_id) AS submissions,
         min(s.intended_at_ms) AS firstSubmittedAtMs, max(l.answered_at_ms) AS lastAnsweredAtMs
       FROM scopes JOIN lookups l USING (scope_id)
       LEFT JOIN submissions s ON s.lookup_id = l.lookup_id AND s.verdict IN ('accepted', 'uncertain', 'intended')
       GROUP BY scope_id ORDER BY scope_id`,
    )
    .all()
  const states = database.prepare<[number], { state: LookupState; count: number }>(
    'SELECT state, count(*) AS count FROM lookups WHERE scope_id = ? GROUP BY state',
  )
  const outcomes = database.prepare<[number], { outcome: string; count: number }>(
    `SELECT outcome, count(*) AS count FROM lookups JOIN answers USING (lookup_id)
     WHERE scope_id = ? AND state IN ('answered', 'failed') GROUP BY outcome ORDER BY 2 DESC`,
  )
  const lastInput = database
    .prepare<[number], string>('SELECT input FROM jobs WHERE scope_id = ? ORDER BY job_id DESC LIMIT 1')
    .pluck()
  return scopes.map(({ scopeId, ...scope }) => {
    const counted = new Map(states.all(scopeId).map(({ state, count }) => [state, count]))
    return {
      ...scope,
      ...parseService(scope.scope),
      lastInputs: listJobInputs(lastInput.get(scopeId)),
      states: Object.fromEntries(lookupStates.map((state) => [state, counted.get(state) ?? 0])) as Record<
        LookupState,
        number
      >,
      outcomes: Object.fromEntries(outcomes.all(scopeId).map(({ outcome, count }) => [outcome, count])),
    }
  })
}

export function parseService(text: string): Pick<ScopeCounts, 'scope' | 'kind'> {
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
