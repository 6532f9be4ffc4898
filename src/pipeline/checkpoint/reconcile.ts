import { parseCustomId, type SubmissionName } from '../rules/custom-id.js'
import type { Charge } from '../rules/ledger.js'
import { scopeOf, stageKinds } from '../rules/lookup-kind.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { nextChain } from './row-checksums.js'

/** What the service's list of charges settled, and what it left. Custom ids, but for counts. */
export interface Reconciled {
  /** Charged, with the run that was made: fetched by the next run, at no cost. */
  accepted: string[]
  /** Charged, and the list names no run, or more than one: held. */
  charged: string[]
  /** Not in a list that is complete: never created, and submitted by the next run. */
  notCreated: string[]
  /** Submissions of this checkpoint that it had lost, put back. */
  restored: string[]
  /** More than one charge for one submission. */
  billedTwice: string[]
  /** Lookups of which several submissions were charged: by `retry`, `--max-age`, `--resubmit-uncertain` or a rollback. */
  severalCharged: string[][]
  /** Names this checkpoint, and a lookup of a scope that is not known here. */
  unknown: string[]
  /** Uncertain still: not in the list, which does not say that it is complete, or is older. */
  leftUncertain: string[]
  /** Charges of others: other checkpoints, other callers. */
  otherCount: number
}

export interface ReconcileDeps {
  database: Sqlite
  checkpointId: string
  charges: ReadonlyMap<string, Charge>
  /** What left until then is in the list if it was charged; null where the list is not said to be complete. */
  completeUntilMs: number | null
  /** Of the service that the list is of, for a checkpoint that has lost its scopes. */
  scope: string | null
  nowMs: number
}

interface SubmissionRow {
  customId: string
  lookupId: number
  attempt: number
  verdict: string
  runId: string | null
  intendedAtMs: number
}

interface LookupRow {
  lookupId: number
  state: string
  attempt: number
  customId: string | null
}

/** Holds the list against the checkpoint, within a transaction of the caller's. */
export class Reconciler {
  readonly #deps: ReconcileDeps
  readonly #result: Reconciled = {
    accepted: [],
    charged: [],
    notCreated: [],
    restored: [],
    billedTwice: [],
    severalCharged: [],
    unknown: [],
    leftUncertain: [],
    otherCount: 0,
  }
  readonly #chargedOfLookup = new Map<string, string[]>()
  /** What was put back is of no input that is known. */
  readonly #jobs = new Map<number, number>()
  readonly #sql

  constructor(deps: ReconcileDeps) {
    this.#deps = deps
    this.#sql = prepareSql(deps.database)
  }

  run(): Reconciled {
    const { charges, checkpointId } = this.#deps
    for (const charge of charges.values()) {
      const name = parseCustomId(charge.customId)
      if (name?.checkpointId === checkpointId) this.#charge(charge, name)
      else this.#result.otherCount++
    }
    this.#result.severalCharged = [...this.#chargedOfLookup.values()].filter(({ length }) => length > 1)
    this.#uncharged()
    return this.#result
  }

  #charge(charge: Charge, name: SubmissionName): void {
    const { customId, chargeCount, refundCount, runIds } = charge
    if (chargeCount > 1 || runIds.length > 1) this.#result.billedTwice.push(customId)
    if (chargeCount > refundCount) {
      const key = `${name.scopeId} ${name.keyHex}`
      this.#chargedOfLookup.set(key, [...(this.#chargedOfLookup.get(key) ?? []), customId])
    }
    // Never charged: nothing was made, or nothing that is known of.
    if (chargeCount === 0) return
    const runId = this.#runOf(charge)
    const submission = this.#sql.submission.get(customId)
    const lookup =
      submission === undefined ? this.#restore(charge, name) : this.#sql.lookupById.get(submission.lookupId)
    if (lookup === undefined) {
      this.#result.unknown.push(customId)
      return
    }
    if (submission?.verdict === 'accepted') return
    this.#settle(lookup, charge, name, runId)
  }

  /** The one run of a charge; null where the list names none or several, or that of another submission. */
  #runOf({ customId, runIds }: Charge): string | null {
    const [runId] = runIds
    if (runId === undefined || runIds.length > 1) return null
    const holder = this.#sql.submissionOfRun.get(runId)?.customId
    return holder === undefined || holder === customId ? runId : null
  }

  #settle(lookup: LookupRow, { customId }: Charge, name: SubmissionName, runId: string | null): void {
    const reason = runId === null ? 'charged, says the list of charges, which names no run' : null
    const settlement = {
      verdict: runId === null ? 'uncertain' : 'accepted',
      runId,
      reason,
      atMs: this.#deps.nowMs,
    }
    this.#sql.settleSubmission.run({ customId, ...settlement })
    ;(runId === null ? this.#result.charged : this.#result.accepted).push(customId)
    // A later submission of it was made since, or it is answered: only what was paid is known better.
    const isCurrent = lookup.customId === customId || lookup.customId === null
    const isOpen = ['new', 'uncertain', 'intended', 'invalid'].includes(lookup.state)
    if (!isCurrent || !isOpen || name.attempt < lookup.attempt) return
    this.#sql.settleLookup.run({
      lookupId: lookup.lookupId,
      state: runId === null ? 'uncertain' : 'running',
      attempt: name.attempt,
      customId,
      runId,
      reason,
      atMs: this.#deps.nowMs,
    })
  }

  /** A submission that the checkpoint has lost, and its lookup where that is lost too. */
  #restore({ customId }: Charge, name: SubmissionName): LookupRow | undefined {
    if (!this.#hasScope(name.scopeId)) return undefined
    const key = Buffer.from(name.keyHex, 'hex')
    if (this.#sql.lookupByKey.get(name.scopeId, key) === undefined)
      this.#sql.insertLookup.run(name.scopeId, key)
    const lookup = this.#sql.lookupByKey.get(name.scopeId, key)
    if (lookup === undefined) return undefined
    const { nowMs } = this.#deps
    const chain = nextChain(this.#sql.lastChain.get()?.chain ?? '', {
      customId,
      attempt: name.attempt,
      intendedAtMs: nowMs,
    })
    const jobId = this.#jobOf(name.scopeId)
    const row = { customId, lookupId: lookup.lookupId, jobId, attempt: name.attempt, nowMs, chain }
    this.#sql.insertSubmission.run(row)
    this.#result.restored.push(customId)
    return lookup
  }

  #jobOf(scopeId: number): number {
    const known = this.#jobs.get(scopeId)
    const jobId = known ?? Number(this.#sql.insertJob.run(scopeId).lastInsertRowid)
    this.#jobs.set(scopeId, jobId)
    return jobId
  }

  /** A checkpoint that was lost whole has no scopes: the list is of the service that was named. */
  #hasScope(scopeId: number): boolean {
    if (this.#sql.scope.get(scopeId) !== undefined) return true
    const { scope } = this.#deps
    if (scope === null || this.#sql.anyScope.get() !== undefined) return false
    this.#sql.insertScope.run(scopeId, scope)
    return true
  }

  /** What is uncertain and was not charged. */
  #uncharged(): void {
    const { charges, completeUntilMs, nowMs } = this.#deps
    for (const { customId, lookupId, intendedAtMs } of this.#sql.uncertain.all()) {
      if ((charges.get(customId)?.chargeCount ?? 0) > 0) continue
      if (completeUntilMs === null || intendedAtMs > completeUntilMs) {
        this.#result.leftUncertain.push(customId)
        continue
      }
      const reason = 'not in the list of charges: never created'
      this.#sql.settleSubmission.run({ customId, verdict: 'not_created', runId: null, reason, atMs: nowMs })
      this.#sql.reopen.run(lookupId)
      this.#result.notCreated.push(customId)
    }
  }
}

/** Only resolutions bear a `custom_id`: no list of charges says anything of the others. */
const ofResolutions = stageKinds.map((kind) => `scope NOT LIKE '${scopeOf('%', kind)}'`).join(' AND ')

function prepareSql(database: Sqlite) {
  const lookup = 'SELECT lookup_id AS lookupId, state, attempt, custom_id AS customId FROM lookups'
  const submission = `SELECT custom_id AS customId, lookup_id AS lookupId, attempt, verdict, run_id AS runId,
    intended_at_ms AS intendedAtMs FROM submissions`
  const sql = <Parameters extends unknown[] | object, Row = unknown>(text: string) =>
    prepare<Parameters, Row>(database, text)
  return {
    submission: sql<[string], SubmissionRow>(`${submission} WHERE custom_id = ?`),
    submissionOfRun: sql<[string], SubmissionRow>(`${submission} WHERE run_id = ? LIMIT 1`),
    uncertain: sql<[], SubmissionRow>(
      `${submission} WHERE custom_id IN (SELECT custom_id FROM lookups JOIN scopes USING (scope_id)
         WHERE state IN ('uncertain', 'intended') AND ${ofResolutions})`,
    ),
    lookupById: sql<[number], LookupRow>(`${lookup} WHERE lookup_id = ?`),
    lookupByKey: sql<[number, Buffer], LookupRow>(`${lookup} WHERE scope_id = ? AND key = ?`),
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
    settleSubmission: sql<{
      customId: string
      verdict: string
      runId: string | null
      reason: string | null
      atMs: number
    }>(
      `UPDATE submissions SET verdict = @verdict, run_id = @runId, reason = @reason,
         accepted_at_ms = iif(@runId IS NULL, NULL, @atMs) WHERE custom_id = @customId`,
    ),
    settleLookup: sql<{
      lookupId: number
      state: string
      attempt: number
      customId: string
      runId: string | null
      reason: string | null
      atMs: number
    }>(
      `UPDATE lookups SET state = @state, attempt = @attempt, custom_id = @customId, run_id = @runId,
         failure = @reason, submitted_at_ms = @atMs WHERE lookup_id = @lookupId`,
    ),
    reopen: sql<[number]>(
      `UPDATE lookups SET state = 'new', custom_id = NULL, run_id = NULL, failure = NULL WHERE lookup_id = ?`,
    ),
    scope: sql<[number], { scope: string }>('SELECT scope FROM scopes WHERE scope_id = ?'),
    anyScope: sql<[], { scope: string }>('SELECT scope FROM scopes LIMIT 1'),
    insertScope: sql<[number, string]>('INSERT INTO scopes (scope_id, scope) VALUES (?, ?)'),
  }
}
