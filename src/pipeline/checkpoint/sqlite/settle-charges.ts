import {
  type Charge,
  type SettledCharges,
  ChargeRules,
  getSingleRun,
  neverCreated,
  type ChargeRulesDeps,
  type ChargedLookup,
  type OwnCharge,
  type SettledCharge,
  type UncertainSubmission,
} from '../charges.js'
import type { Random } from '../../../platform/random.js'
import { type Sqlite, prepare } from '../../../platform/sqlite.js'
import { ensureCheckpointId } from './checkpoint-file.js'
import { createDamagedError, createHeadError } from '../checkpoint-errors.js'
import { describeDamage, findDamage, readHeadComparison } from './verify.js'
import { readHead } from './head-file.js'
import { HeadKeeper } from './head-keeper.js'
import { assertCheckpointPath, withExplainedErrors, lockCheckpoint, openToWrite } from './open-database.js'
import type { SubmissionName } from '../lookup.js'
import { toScope } from '../../../core/lookup-state.js'
import { stageKinds } from '../../../core/lookup-kinds.js'
import { calculateNextChain } from '../tables.js'
import type { Settlement } from '../transitions.js'

export interface ChargesDeps extends ChargeRulesDeps {
  database: Sqlite
  /** The service of the list, for a checkpoint that has lost its scopes. */
  scope: string | null
}

interface SubmissionRow extends UncertainSubmission {
  verdict: string
}

/** Reconciles the list with the checkpoint, within the caller's transaction. */
class ChargeSettler {
  readonly #deps: ChargesDeps
  readonly #rules: ChargeRules
  /** Placeholder jobs, by scope, for restored submissions: their input is unknown. */
  readonly #jobs = new Map<number, number>()
  readonly #sql

  constructor(deps: ChargesDeps) {
    this.#deps = deps
    this.#rules = new ChargeRules(deps)
    this.#sql = prepareSql(deps.database)
  }

  run(): SettledCharges {
    for (const own of this.#rules.selectOwnCharges()) this.#charge(own)
    for (const { customId, lookupId } of this.#rules.findNeverCreated(this.#sql.uncertain.all())) {
      this.#sql.settleSubmission.run({ customId, ...neverCreated })
      this.#sql.reopen.run(lookupId)
    }
    return this.#rules.result
  }

  #charge({ charge, name }: OwnCharge): void {
    const { customId } = charge
    const submission = this.#sql.submission.get(customId)
    const lookup =
      submission === undefined ? this.#restore(charge, name) : this.#sql.lookupById.get(submission.lookupId)
    if (lookup === undefined) {
      this.#rules.result.unknown.push(customId)
      return
    }
    if (submission?.verdict === 'accepted') return
    const result = this.#rules.settle(customId, name, lookup, this.#findFreeRun(charge))
    this.#sql.settleSubmission.run({ customId, ...result })
    if (result.state === null) return
    const { lookupId } = lookup
    const { nowMs } = this.#deps
    this.#sql.settleLookup.run({ ...result, lookupId, customId, attempt: name.attempt, nowMs })
  }

  /** The run of a charge; `null` if another submission already has the run. */
  #findFreeRun(charge: Charge): string | null {
    const runId = getSingleRun(charge)
    const holder = runId === null ? undefined : this.#sql.submissionOfRun.get(runId)?.customId
    return holder === undefined || holder === charge.customId ? runId : null
  }

  /** Restores a lost submission, and its lookup if necessary. */
  #restore({ customId }: Charge, name: SubmissionName): ChargedLookup | undefined {
    if (!this.#hasScope(name.scopeId)) return undefined
    const key = Buffer.from(name.keyHex, 'hex')
    if (this.#sql.lookupByKey.get(name.scopeId, key) === undefined)
      this.#sql.insertLookup.run(name.scopeId, key)
    const lookup = this.#sql.lookupByKey.get(name.scopeId, key)
    if (lookup === undefined) return undefined
    const { nowMs } = this.#deps
    const chain = calculateNextChain(this.#sql.lastChain.get()?.chain ?? '', {
      customId,
      attempt: name.attempt,
      intendedAtMs: nowMs,
    })
    const jobId = this.#ensureJob(name.scopeId)
    const row = { customId, lookupId: lookup.lookupId, jobId, attempt: name.attempt, nowMs, chain }
    this.#sql.insertSubmission.run(row)
    this.#rules.result.restored.push(customId)
    return lookup
  }

  #ensureJob(scopeId: number): number {
    const known = this.#jobs.get(scopeId)
    const jobId = known ?? Number(this.#sql.insertJob.run(scopeId).lastInsertRowid)
    this.#jobs.set(scopeId, jobId)
    return jobId
  }

  /** A checkpoint that was lost completely has no scopes: the list belongs to the named service. */
  #hasScope(scopeId: number): boolean {
    if (this.#sql.scope.get(scopeId) !== undefined) return true
    const { scope } = this.#deps
    if (scope === null || this.#sql.anyScope.get() !== undefined) return false
    this.#sql.insertScope.run(scopeId, scope)
    return true
  }
}

/** Only resolutions have a `custom_id` that lists of charges contain. */
const ofResolutions = stageKinds.map((kind) => `scope NOT LIKE '${toScope('%', kind)}'`).join(' AND ')

function prepareSql(database: Sqlite) {
  const lookup = 'SELECT lookup_id AS lookupId, state, attempt, custom_id AS customId FROM lookups'
  const submission = `SELECT custom_id AS customId, lookup_id AS lookupId, verdict, intended_at_ms AS intendedAtMs
    FROM submissions`
  const sql = <Parameters extends unknown[] | object, Row = unknown>(text: string) =>
    prepare<Parameters, Row>(database, text)
  return {
    submission: sql<[string], SubmissionRow>(`${submission} WHERE custom_id = ?`),
    submissionOfRun: sql<[string], SubmissionRow>(`${submission} WHERE run_id = ? LIMIT 1`),
    uncertain: sql<[], SubmissionRow>(
      `${submission} WHERE custom_id IN (SELECT custom_id FROM lookups JOIN scopes USING (scope_id)
         WHERE state IN ('uncertain', 'intended') AND ${ofResolutions})`,
    ),
    lookupById: sql<[number], ChargedLookup>(`${lookup} WHERE lookup_id = ?`),
    lookupByKey: sql<[number, Buffer], ChargedLookup>(`${lookup} WHERE scope_id = ? AND key = ?`),
    insertLookup: sql<[number, Buffer]>(
      `INSERT INTO lookups (scope_id, key, name, state) VALUES (?, ?, '', 'uncertain')`,
    ),
    lastChain: sql<[], { chain: string }>('SELECT chain FROM submissions ORDER BY rowid DESC LIMIT 1'),
    insertJob: sql<[number]>(
      `INSERT INTO jobs (scope_id, input, started_at_ms, ended_at_ms) VALUES (?, '', 0, 0)`,
    ),
    insertSubmission: sql<{
      customId: string
      lookupId: number
      jobId: number
      attempt: number
      nowMs: number
      chain: string
    }>(
      `INSERT INTO submissions (custom_id, lookup_id, job_id, attempt, verdict, intended_at_ms, chain)
       VALUES (@customId, @lookupId, @jobId, @attempt, 'uncertain', @nowMs, @chain)`,
    ),
    settleSubmission: sql<Settlement & { customId: string; verdict: string }>(
      `UPDATE submissions SET verdict = @verdict, run_id = @runId, reason = @reason, accepted_at_ms = @acceptedAtMs
       WHERE custom_id = @customId`,
    ),
    settleLookup: sql<SettledCharge & { lookupId: number; customId: string; attempt: number; nowMs: number }>(
      `UPDATE lookups SET state = @state, attempt = @attempt, custom_id = @customId, run_id = @runId,
         failure = @reason, submitted_at_ms = @nowMs WHERE lookup_id = @lookupId`,
    ),
    reopen: sql<[number]>(
      `UPDATE lookups SET state = 'new', custom_id = NULL, run_id = NULL, failure = NULL WHERE lookup_id = ?`,
    ),
    scope: sql<[number], { scope: string }>('SELECT scope FROM scopes WHERE scope_id = ?'),
    anyScope: sql<[], { scope: string }>('SELECT scope FROM scopes LIMIT 1'),
    insertScope: sql<[number, string]>('INSERT INTO scopes (scope_id, scope) VALUES (?, ?)'),
  }
}

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
class DryRun extends Error {}

/** Settles uncertain submissions, and a rollback, with the service's list of charges. Throws CHECKPOINT_*. */
export function settleFileCharges(request: ChargesRequest): ChargesReport {
  const { path } = request
  assertCheckpointPath(path)
  const lock = lockCheckpoint(path, request.nowMs)
  try {
    return withExplainedErrors(path, () => {
      const { standing } = readHeadComparison(path)
      const database = openToWrite(path)
      const found = readHead(path)
      try {
        const wrong = findDamage(database, 'all')
        if (wrong.length > 0) throw createDamagedError(path, undefined, describeDamage(wrong))
        const id = ensureCheckpointId(database, request, found)
        const result = settleInTransaction(database, id, request)
        const code = createHeadError(path, standing)?.code ?? null
        const lost = standing.kind === 'behind' ? standing.lostSubmissionCount : Infinity
        const isSettled = request.completeUntilMs !== null || result.restored.length >= lost
        if (!request.isDryRun && (code === null || isSettled)) {
          const keeper = new HeadKeeper(database, found, { path, acceptRollback: code !== null })
          keeper.beforeCommit()
          keeper.afterCommit()
          keeper.close()
        }
        return { ...result, problem: code === null ? null : { code, isSettled } }
      } finally {
        database.close()
      }
    })
  } finally {
    lock.release()
  }
}

function settleInTransaction(database: Sqlite, id: string, request: ChargesRequest): SettledCharges {
  const done: { result?: SettledCharges } = {}
  try {
    database.transaction(() => {
      done.result = new ChargeSettler({ ...request, database, checkpointId: id }).run()
      if (request.isDryRun) throw new DryRun()
    })()
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  if (done.result === undefined) throw new Error('nothing was reconciled')
  return done.result
}
