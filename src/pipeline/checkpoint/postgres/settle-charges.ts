import type { Clock } from '../../../platform/clock.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { ChargesReport, ChargesRequest, ChargesDeps } from '../sqlite/settle-charges.js'
import {
  type SettledCharges,
  ChargeRules,
  getSingleRun,
  neverCreated,
  type ChargedLookup,
  type OwnCharge,
  type UncertainSubmission,
  type Charge,
} from '../charges.js'
import {
  assertNotMoved,
  openShared,
  openSharedToRead,
  type OpenSharedDeps,
  type SharedDatabase,
} from './open-database.js'
import { withRetries } from '../../../platform/postgres/retry.js'
import { sweep } from './sweep.js'
import type { SubmissionName } from '../lookup.js'
import { readScope } from '../../../core/lookup-state.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import type { Change } from '../transitions.js'
import { applyChanges, lockLookup } from './lookup-rows.js'

interface SharedChargeSettlerDeps extends Omit<ChargesDeps, 'database'> {
  readonly statements: PostgresStatements
}

interface Submission {
  readonly customId: string
  readonly lookupId: LookupId
  readonly verdict: string
}

const atOnce = 1_000

/** Compares the list of charges with a checkpoint on PostgreSQL, like `ChargeSettler` for a file. */
class SharedChargeSettler {
  readonly #deps: SharedChargeSettlerDeps
  readonly #rules: ChargeRules
  /** Placeholder jobs, by scope, for restored submissions: their input and worker are unknown. */
  readonly #jobs = new Map<number, number>()
  #workerId: number | null = null

  constructor(deps: SharedChargeSettlerDeps) {
    this.#deps = deps
    this.#rules = new ChargeRules(deps)
  }

  async run(): Promise<SettledCharges> {
    const own = this.#rules.selectOwnCharges()
    for (let at = 0; at < own.length; at += atOnce) {
      const some = own.slice(at, at + atOnce)
      const known = await this.#readSubmissions(some.map(({ charge }) => charge.customId))
      for (const one of some) await this.#charge(one, known.get(one.charge.customId))
    }
    await this.#settleUncharged()
    return this.#rules.result
  }

  async #readSubmissions(customIds: readonly string[]): Promise<Map<string, Submission>> {
    const rows = await this.#query<Submission>(
      `SELECT custom_id AS "customId", lookup_id AS "lookupId", verdict FROM enrich.submissions
       WHERE custom_id = ANY($1::text[])`,
      [customIds],
    )
    return new Map(rows.map((row) => [row.customId, row]))
  }

  async #charge({ charge, name }: OwnCharge, submission: Submission | undefined): Promise<void> {
    if (submission?.verdict === 'accepted') return
    const { customId } = charge
    const lookupId = submission === undefined ? await this.#restore(charge, name) : submission.lookupId
    const current = lookupId === null ? undefined : await this.#readCurrent(lookupId)
    if (current === undefined) {
      this.#rules.result.unknown.push(customId)
      return
    }
    // Its answer may have arrived since it was read.
    const [now] = (await this.#readSubmissions([customId])).values()
    if (now?.verdict === 'accepted') return
    const result = this.#rules.settle(customId, name, current, await this.#findFreeRun(charge))
    const { verdict, state, ...settlement } = result
    await this.#apply({ of: 'submission', customId, verdict, ...settlement })
    if (state === null) return
    // The next worker that includes the lookup polls it.
    await this.#apply({ of: 'lookup', lookupId: current.lookupId, state, keeper: 'none', ...settlement })
    await this.#query('UPDATE enrich.lookups SET attempt = $2, custom_id = $3 WHERE lookup_id = $1', [
      current.lookupId,
      name.attempt,
      customId,
    ])
  }

  /** The run of a charge; `null` if another submission already has the run. */
  async #findFreeRun(charge: Charge): Promise<string | null> {
    const runId = getSingleRun(charge)
    if (runId === null) return null
    const sql =
      'SELECT custom_id AS "customId" FROM enrich.submissions WHERE run_id = $1 AND custom_id <> $2 LIMIT 1'
    return (await this.#query(sql, [runId, charge.customId])).length === 0 ? runId : null
  }

  async #readCurrent(lookupId: LookupId): Promise<ChargedLookup | undefined> {
    const row = await lockLookup(this.#deps.statements, lookupId)
    if (row === undefined) return undefined
    const sql = 'SELECT attempt FROM enrich.lookups WHERE lookup_id = $1'
    const [found] = await this.#query<{ attempt: number }>(sql, [lookupId])
    return { ...row, attempt: found?.attempt ?? 0 }
  }

  async #apply(change: Change): Promise<void> {
    // Worker 0 does not exist, so no worker becomes the owner.
    await applyChanges(this.#deps.statements, [change], 0)
  }

  /** Restores a lost submission, and its lookup if necessary; `null` if its scope is unknown. */
  async #restore({ customId }: Charge, name: SubmissionName): Promise<LookupId | null> {
    if (!(await this.#hasScope(name.scopeId))) return null
    const key = Buffer.from(name.keyHex, 'hex')
    await this.#query(
      `INSERT INTO enrich.lookups (scope_id, key, name, state) VALUES ($1, $2, '', 'uncertain')
       ON CONFLICT (scope_id, key) DO NOTHING`,
      [name.scopeId, key],
    )
    const sql = 'SELECT lookup_id AS "lookupId" FROM enrich.lookups WHERE scope_id = $1 AND key = $2'
    const [lookup] = await this.#query<{ lookupId: LookupId }>(sql, [name.scopeId, key])
    if (lookup === undefined) return null
    const [jobId, workerId] = [await this.#ensureJob(name.scopeId), await this.#ensureWorker()]
    await this.#query(
      `INSERT INTO enrich.submissions
         (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros, verdict, intended_at_ms)
       VALUES ($1, $2, $3, $4, $5, false, 0, 'uncertain', $6)`,
      [customId, lookup.lookupId, jobId, workerId, name.attempt, this.#deps.nowMs],
    )
    this.#rules.result.restored.push(customId)
    return lookup.lookupId
  }

  async #ensureJob(scopeId: number): Promise<number> {
    const known = this.#jobs.get(scopeId)
    if (known !== undefined) return known
    const [job] = await this.#query<{ jobId: number }>(
      `INSERT INTO enrich.jobs (scope_id, input, started_at_ms, ended_at_ms) VALUES ($1, '', 0, 0)
       RETURNING job_id AS "jobId"`,
      [scopeId],
    )
    this.#jobs.set(scopeId, job?.jobId ?? 0)
    return job?.jobId ?? 0
  }

  async #ensureWorker(): Promise<number> {
    if (this.#workerId !== null) return this.#workerId
    const [worker] = await this.#query<{ id: number }>(
      `INSERT INTO enrich.workers (name, job, lease_until, is_fenced, fenced_at, ended_at, is_swept)
       VALUES ('from a list of charges', '', clock_timestamp(), true, clock_timestamp(), clock_timestamp(), true)
       RETURNING worker_id AS id`,
    )
    return (this.#workerId = worker?.id ?? 0)
  }

  /** A checkpoint that was lost completely has no scopes: the list belongs to the named service. */
  async #hasScope(scopeId: number): Promise<boolean> {
    const scopes = await this.#query<{ scopeId: number }>('SELECT scope_id AS "scopeId" FROM enrich.scopes')
    if (scopes.some((one) => one.scopeId === scopeId)) return true
    const { scope } = this.#deps
    if (scope === null || scopes.length > 0) return false
    await this.#query('INSERT INTO enrich.scopes (scope_id, scope) OVERRIDING SYSTEM VALUE VALUES ($1, $2)', [
      scopeId,
      scope,
    ])
    await this.#query(`SELECT setval(pg_get_serial_sequence('enrich.scopes', 'scope_id'), $1)`, [scopeId])
    return true
  }

  /** Settles uncertain submissions without a charge. Lists of charges contain only resolutions. */
  async #settleUncharged(): Promise<void> {
    const scopes = await this.#query<{ scopeId: number; scope: string }>(
      'SELECT scope_id AS "scopeId", scope FROM enrich.scopes',
    )
    const ids = scopes.flatMap(({ scopeId, scope }) =>
      readScope(scope).kind === 'resolution' ? [scopeId] : [],
    )
    const uncertain = await this.#query<UncertainSubmission>(
      `SELECT s.custom_id AS "customId", l.lookup_id AS "lookupId", s.intended_at_ms AS "intendedAtMs"
       FROM enrich.lookups l JOIN enrich.submissions s ON s.custom_id = l.custom_id
       WHERE l.state = 'uncertain' AND l.scope_id = ANY($1::integer[])
       ORDER BY l.lookup_id FOR NO KEY UPDATE OF l`,
      [ids],
    )
    for (const { customId, lookupId } of this.#rules.findNeverCreated(uncertain)) {
      await this.#apply({ of: 'submission', customId, ...neverCreated })
      await this.#query(
        `UPDATE enrich.lookups SET state = 'new', custom_id = NULL, run_id = NULL, failure = NULL, worker_id = NULL
         WHERE lookup_id = $1`,
        [lookupId],
      )
    }
  }

  #query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#deps.statements.query<Row>(text, values)
  }
}

export interface SharedChargesRequest extends ChargesRequest, Pick<OpenSharedDeps, 'environment'> {
  readonly clock: Clock
}

/** Rolls the transaction back. */
class DryRun extends Error {
  constructor(readonly result: SettledCharges) {
    super('nothing was changed')
  }
}

/**
 * Settles uncertain submissions, and a failover, with the service's list of charges, in one transaction, while workers
 * continue. A complete list also permits submissions on a server that failed over. Throws CHECKPOINT_*.
 */
export async function settleSharedCharges(request: SharedChargesRequest): Promise<ChargesReport> {
  const { path, isDryRun, completeUntilMs } = request
  const code = await findProblem(request)
  const shared = await openShared(path, { ...request, settlesRollback: true })
  let result: SettledCharges
  try {
    // Makes in-flight submissions of dead workers uncertain.
    if (!isDryRun) await sweep(shared.postgres)
    result = await settleInTransaction(request, (work) => shared.postgres.transaction(work), shared)
  } catch (error) {
    throw shared.explain(error)
  } finally {
    await shared.close()
  }
  const isSettled = completeUntilMs !== null
  if (code !== null && isSettled && !isDryRun)
    await (await openShared(path, { ...request, acceptRollback: true })).close()
  return { ...result, problem: code === null ? null : { code, isSettled } }
}

/** The error code that a run would stop with now. */
async function findProblem({ path, environment }: SharedChargesRequest): Promise<string | null> {
  const shared = await openSharedToRead(path, environment === undefined ? {} : { environment })
  await shared?.close()
  return shared?.problem?.code ?? null
}

async function settleInTransaction(
  request: SharedChargesRequest,
  transaction: <Result>(work: (statements: PostgresStatements) => Promise<Result>) => Promise<Result>,
  { id: checkpointId, url }: Pick<SharedDatabase, 'id' | 'url'>,
): Promise<SettledCharges> {
  try {
    return await withRetries(request, () =>
      transaction(async (statements) => {
        await assertNotMoved(statements, url, 'write')
        const result = await new SharedChargeSettler({ ...request, statements, checkpointId }).run()
        if (request.isDryRun) throw new DryRun(result)
        return result
      }),
    )
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}
