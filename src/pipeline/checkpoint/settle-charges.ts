import { stageKinds, toScope } from '../../core/lookup-state.js'
import type { Random } from '../../platform/clock.js'
import { query, type SqlProgram, type SqlText } from '../../platform/sql-program.js'
import {
  ChargeRules,
  getSingleRun,
  neverCreated,
  type Charge,
  type ChargedLookup,
  type ChargeRulesDeps,
  type OwnCharge,
  type SettledCharges,
  type UncertainSubmission,
} from './charges.js'
import type { SubmissionName } from './lookup.js'
import type { Settlement } from './transitions.js'

export interface ChargesRequest {
  path: string
  charges: ReadonlyMap<string, Charge>
  completeUntilMs: number | null
  scope: string | null
  isDryRun: boolean
  nowMs: number
  random: Random
}

export interface ChargesReport extends SettledCharges {
  /** The problem that stopped runs before, and whether it is settled. */
  problem: { code: string; isSettled: boolean } | null
}

/** Rolls the transaction back. */
export class DryRun extends Error {
  constructor(readonly result: SettledCharges) {
    super('nothing was changed')
  }
}

/** A submission that was lost with a part of the checkpoint. */
export interface RestoredSubmission {
  readonly customId: string
  readonly lookupId: number
  /** A placeholder: the input is unknown. */
  readonly jobId: number
  readonly attempt: number
  readonly nowMs: number
}

export interface ChargesDeps extends ChargeRulesDeps {
  /** The service of the list, for a checkpoint that has lost its scopes. */
  readonly scope: string | null
  readonly isDryRun: boolean
  /** $1 custom id, $2 verdict, $3 run, $4 time of acceptance, $5 reason. */
  readonly settleSubmission: SqlText
  /** Writes the row of a restored submission, in the form of the store. */
  readonly insertSubmission: (submission: RestoredSubmission) => SqlProgram<object[]>
}

/**
 * Settles the submissions of a checkpoint with the list of charges, in one transaction. Throws DryRun with the result if
 * nothing may be changed.
 */
export function* settleCharges(deps: ChargesDeps): SqlProgram<SettledCharges> {
  const rules = new ChargeRules(deps)
  yield* new ChargeSettler(deps, rules).settleCharged()
  for (const { customId, lookupId } of rules.findNeverCreated(yield* readUncertain())) {
    yield* settleSubmission(deps, customId, neverCreated)
    yield* query(
      `UPDATE enrich.lookups SET state = 'new', custom_id = NULL, run_id = NULL, failure = NULL WHERE lookup_id = $1`,
      lookupId,
    )
    yield* releaseLookup(lookupId)
  }
  if (deps.isDryRun) throw new DryRun(rules.result)
  return rules.result
}

const submissionsAtOnce = 1_000

class ChargeSettler {
  readonly #deps: ChargesDeps
  readonly #rules: ChargeRules
  /** Placeholder jobs, by scope. */
  readonly #jobs = new Map<number, number>()

  constructor(deps: ChargesDeps, rules: ChargeRules) {
    this.#deps = deps
    this.#rules = rules
  }

  *settleCharged(): SqlProgram<void> {
    const own = this.#rules.selectOwnCharges()
    for (let at = 0; at < own.length; at += submissionsAtOnce) {
      const some = own.slice(at, at + submissionsAtOnce)
      const known = yield* readSubmissions(some.map(({ charge }) => charge.customId))
      for (const one of some) yield* this.#settle(one, known.get(one.charge.customId))
    }
  }

  *#settle({ charge, name }: OwnCharge, submission: Submission | undefined): SqlProgram<void> {
    if (submission?.verdict === 'accepted') return
    const { customId } = charge
    const lookupId = submission?.lookupId ?? (yield* this.#restore(customId, name))
    const lookup = lookupId === null ? undefined : yield* lockLookup(lookupId)
    if (lookup === undefined) {
      this.#rules.result.unknown.push(customId)
      return
    }
    // On a server, its answer may have arrived since it was read.
    if ((yield* readSubmissions([customId])).get(customId)?.verdict === 'accepted') return
    const result = this.#rules.settle(customId, name, lookup, yield* findFreeRun(charge))
    yield* settleSubmission(this.#deps, customId, result)
    if (result.state === null) return
    yield* query(
      `UPDATE enrich.lookups SET state = $2, attempt = $3, custom_id = $4, run_id = $5, failure = $6,
         submitted_at_ms = $7 WHERE lookup_id = $1`,
      lookup.lookupId,
      result.state,
      name.attempt,
      customId,
      result.runId,
      result.reason,
      result.acceptedAtMs,
    )
    yield* releaseLookup(lookup.lookupId)
  }

  /** Restores a lost submission, and its lookup if necessary; `null` if its scope is unknown. */
  *#restore(customId: string, { scopeId, keyHex, attempt }: SubmissionName): SqlProgram<number | null> {
    if (!(yield* this.#hasScope(scopeId))) return null
    const key = Buffer.from(keyHex, 'hex')
    yield* query(
      `INSERT INTO enrich.lookups (scope_id, key, name, state) VALUES ($1, $2, '', 'uncertain')
       ON CONFLICT (scope_id, key) DO NOTHING`,
      scopeId,
      key,
    )
    const [lookup] = yield* query<{ lookupId: number }>(
      'SELECT lookup_id AS "lookupId" FROM enrich.lookups WHERE scope_id = $1 AND key = $2',
      scopeId,
      key,
    )
    if (lookup === undefined) return null
    const { lookupId } = lookup
    const jobId = yield* this.#ensureJob(scopeId)
    yield* this.#deps.insertSubmission({ customId, lookupId, jobId, attempt, nowMs: this.#deps.nowMs })
    this.#rules.result.restored.push(customId)
    return lookupId
  }

  *#ensureJob(scopeId: number): SqlProgram<number> {
    const known = this.#jobs.get(scopeId)
    if (known !== undefined) return known
    const [job] = yield* query<{ jobId: number }>(
      `INSERT INTO enrich.jobs (scope_id, input, started_at_ms, ended_at_ms) VALUES ($1, '', 0, 0)
       RETURNING job_id AS "jobId"`,
      scopeId,
    )
    const jobId = job?.jobId ?? 0
    this.#jobs.set(scopeId, jobId)
    return jobId
  }

  /** A checkpoint that was lost completely has no scopes: the list belongs to the named service. */
  *#hasScope(scopeId: number): SqlProgram<boolean> {
    const scopes = yield* query<{ scopeId: number }>('SELECT scope_id AS "scopeId" FROM enrich.scopes')
    if (scopes.some((one) => one.scopeId === scopeId)) return true
    const { scope } = this.#deps
    if (scope === null || scopes.length > 0) return false
    const insert = 'INSERT INTO enrich.scopes (scope_id, scope)'
    yield* query(
      {
        sqlite: `${insert} VALUES ($1, $2)`,
        postgres: `${insert} OVERRIDING SYSTEM VALUE VALUES ($1, $2)`,
      },
      scopeId,
      scope,
    )
    yield* query(
      { sqlite: null, postgres: `SELECT setval(pg_get_serial_sequence('enrich.scopes', 'scope_id'), $1)` },
      scopeId,
    )
    return true
  }
}

interface Submission {
  readonly customId: string
  readonly lookupId: number
  readonly verdict: string
}

function* readSubmissions(customIds: readonly string[]): SqlProgram<Map<string, Submission>> {
  const select =
    'SELECT custom_id AS "customId", lookup_id AS "lookupId", verdict FROM enrich.submissions WHERE custom_id IN'
  const rows = yield* query<Submission>(
    {
      sqlite: `${select} (SELECT value FROM json_each($1))`,
      postgres: `${select} (SELECT json_array_elements_text($1::json))`,
    },
    JSON.stringify(customIds),
  )
  return new Map(rows.map((row) => [row.customId, row]))
}

function* lockLookup(lookupId: number): SqlProgram<ChargedLookup | undefined> {
  const select = `SELECT lookup_id AS "lookupId", state, attempt, custom_id AS "customId" FROM enrich.lookups
    WHERE lookup_id = $1`
  const text = { sqlite: select, postgres: `${select} FOR NO KEY UPDATE` }
  return (yield* query<ChargedLookup>(text, lookupId))[0]
}

/** The run of a charge; `null` if another submission already has the run. */
function* findFreeRun(charge: Charge): SqlProgram<string | null> {
  const runId = getSingleRun(charge)
  if (runId === null) return null
  const sql = 'SELECT 1 FROM enrich.submissions WHERE run_id = $1 AND custom_id <> $2 LIMIT 1'
  return (yield* query(sql, runId, charge.customId)).length === 0 ? runId : null
}

/** Only resolutions have a `custom_id` that lists of charges contain. */
const isResolution = stageKinds.map((kind) => `scope NOT LIKE '${toScope('%', kind)}'`).join(' AND ')

/** A file has no other process: what it intended was lost with the process. */
function readUncertain(): SqlProgram<UncertainSubmission[]> {
  const select = (states: string) =>
    `SELECT s.custom_id AS "customId", l.lookup_id AS "lookupId", s.intended_at_ms AS "intendedAtMs"
     FROM enrich.lookups l JOIN enrich.submissions s ON s.custom_id = l.custom_id
     JOIN enrich.scopes c ON c.scope_id = l.scope_id
     WHERE l.state IN (${states}) AND ${isResolution} ORDER BY l.lookup_id`
  return query<UncertainSubmission>({
    sqlite: select(`'uncertain', 'intended'`),
    postgres: `${select(`'uncertain'`)} FOR NO KEY UPDATE OF l`,
  })
}

const settleSubmission = (
  deps: ChargesDeps,
  customId: string,
  { verdict, runId, acceptedAtMs, reason }: Settlement & { readonly verdict: string },
): SqlProgram<object[]> => query(deps.settleSubmission, customId, verdict, runId, acceptedAtMs, reason)

/** On a server, the next worker that includes the lookup polls it. */
const releaseLookup = (lookupId: number): SqlProgram<object[]> =>
  query(
    { sqlite: null, postgres: 'UPDATE enrich.lookups SET worker_id = NULL WHERE lookup_id = $1' },
    lookupId,
  )
