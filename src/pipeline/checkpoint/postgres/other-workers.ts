import {
  createEmptyPlan,
  type LookupPlan,
  type LookupState,
  type PlanPolicy,
  lookupKinds,
  type LookupKind,
} from '../../../core/lookup-state.js'
import type { OtherWorkers } from '../lookup-store.js'
import { buildMaySubmitSql, restoreReopened } from './lookup-rows.js'
import { planKind } from './planning.js'
import { createLeaseLostError, type SharedStore } from './store.js'

const lookMsMin = 500
const lookMsMax = 10_000
/** Polling uses at most a tenth of the time. */
const looksApart = 10

const settledPlans = ['answered', 'failed', 'invalid', 'uncertain'] as const
type SettledPlan = (typeof settledPlans)[number]

interface OpenCounts {
  /** Open lookups without a live owner. */
  readonly leftCount: number
  /** Open lookups of other live workers. */
  readonly openCount: number
}

/** Notes of what this process itself planned and settled. */
export type WorkerCounts = Pick<WorkerWatch, 'onPlanned' | 'onSettled'>

/** Tracks lookups of this run that other workers process: counts those they settle, and waits for those they leave. */
export class WorkerWatch implements OtherWorkers {
  readonly createTurns: OtherWorkers['createTurns']
  readonly copyForReading: () => Promise<void>
  readonly #store: SharedStore
  /** Lookups settled before the plan or by this process since. */
  readonly #known = new Map<LookupKind, Record<SettledPlan, number>>()
  readonly #policies = new Map<LookupKind, PlanPolicy>()
  /** Number of settled answers at the last check. */
  #seenCount = 0

  constructor(store: SharedStore, deps: Pick<OtherWorkers, 'createTurns' | 'copyForReading'>) {
    this.#store = store
    this.createTurns = deps.createTurns
    this.copyForReading = async () => {
      store.activity.note('writing')
      await deps.copyForReading()
      await this.#assertRemembered()
    }
  }

  wait(kind: LookupKind, signal: AbortSignal, what: 'all' | 'runs' | 'submissions'): Promise<boolean> {
    if (what === 'submissions') return this.#waitForSubmissions(kind, signal)
    this.#store.activity.note('elsewhere')
    return this.#waitForAny(signal, what)
  }

  /** Records the settled lookups of a plan; `isWhole` resets the kind first. */
  onPlanned(
    kind: LookupKind,
    plan: Readonly<Record<LookupPlan, number>>,
    policy: PlanPolicy,
    isWhole: boolean,
  ): void {
    if (isWhole) this.#known.delete(kind)
    this.#policies.set(kind, policy)
    for (const state of settledPlans) this.#add(kind, state, plan[state])
  }

  /** Records lookups that this process settled, or reopened (negative count). */
  onSettled(kind: LookupKind, as: SettledPlan, count = 1): void {
    this.#add(kind, as, count)
  }

  #add(kind: LookupKind, state: SettledPlan, count: number): void {
    const known = this.#known.get(kind) ?? { answered: 0, failed: 0, invalid: 0, uncertain: 0 }
    known[state] += count
    this.#known.set(kind, known)
  }

  async countSettled(kind: LookupKind): Promise<Record<LookupPlan, number>> {
    const plan = createEmptyPlan()
    const known = this.#known.get(kind)
    const now = await this.#countSettledNow(kind)
    for (const state of settledPlans) plan[state] = Math.max(0, now[state] - (known?.[state] ?? 0))
    return plan
  }

  async #waitForAny(signal: AbortSignal, what: 'all' | 'runs'): Promise<boolean> {
    const isLeft = await this.#waitUntilLeft(signal, async () => {
      if (what === 'all') await this.#planAgain()
      return this.#countOpen(['intended', 'running', ...(what === 'all' ? (['new'] as const) : [])], null)
    })
    return isLeft || (!signal.aborted && what === 'all' && (await this.#hasMoreAnswers()))
  }

  #waitForSubmissions(kind: LookupKind, signal: AbortSignal): Promise<boolean> {
    return this.#waitUntilLeft(signal, () =>
      this.#countOpen(['new', 'intended'], this.#store.job.kinds.getScopeId(kind)),
    )
  }

  /** Polls until other workers have left lookups, or have none open. */
  async #waitUntilLeft(signal: AbortSignal, look: () => Promise<OpenCounts>): Promise<boolean> {
    const { clock } = this.#store
    while (!signal.aborted) {
      const startedAtMs = clock.monotonicMs()
      await this.#assertRemembered()
      await this.#restoreReopened()
      const { leftCount, openCount } = await look()
      if (leftCount > 0 || openCount > 0) this.#store.assertActive()
      if (leftCount > 0) return true
      if (openCount === 0) return false
      const tookMs = clock.monotonicMs() - startedAtMs
      await clock.sleep(Math.min(lookMsMax, Math.max(lookMsMin, tookMs * looksApart)), signal)
    }
    return false
  }

  /**
   * Reopens lookups that a dead worker left uncertain, or running at a service that ended with it, if they are free of
   * charge or a free read returns their outcome. All others wait for the user's decision.
   */
  async #planAgain(): Promise<void> {
    for (const [kind, policy] of this.#policies) {
      if (policy.knowsEarlierRuns !== false && policy.onLost !== 'poll') continue
      await planKind(this.#store, kind, { ...policy, askAgain: [] }, 0)
    }
  }

  /** Restores what a retry reopened and did not submit, once its worker is dead: this run never submits it. */
  async #restoreReopened(): Promise<void> {
    const { job, worker } = this.#store
    const scopeIds = lookupKinds.map((kind) => job.kinds.getScopeId(kind))
    await restoreReopened(
      this.#store,
      worker.id,
      scopeIds,
      0,
      this.#store.job.reopening.describe(this.#store.job),
    )
  }

  /** Checks that the wanted list still exists: otherwise the run would seem complete. Throws like `assertActive`. */
  async #assertRemembered(): Promise<void> {
    const sql = 'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_over'
    const rows = await this.#store.query(sql, [this.#store.worker.id])
    if (rows.length > 0) return
    this.#store.assertActive()
    throw createLeaseLostError('other workers took over its lookups because it did not renew its lease')
  }

  /** Counts lookups in these states, of one scope or (`null`) of all. */
  async #countOpen(states: readonly LookupState[], scopeId: number | null): Promise<OpenCounts> {
    const [row] = await this.#store.query<OpenCounts>(
      `SELECT count(*) FILTER (WHERE l.state <> 'intended' AND o.is_left) AS "leftCount",
         count(*) FILTER (WHERE l.worker_id IS DISTINCT FROM $1 AND (l.state = 'intended' OR NOT o.is_left))
           AS "openCount"
       FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
       LEFT JOIN enrich.workers h ON h.worker_id = l.worker_id
       CROSS JOIN LATERAL (SELECT l.worker_id IS DISTINCT FROM $1 AND
         (l.worker_id IS NULL OR h.is_fenced OR h.ended_at IS NOT NULL)
         AND (l.state <> 'new' OR ${buildMaySubmitSql('$4')}) AS is_left) o
       WHERE w.worker_id = $1 AND ($3::integer IS NULL OR w.scope_id = $3) AND NOT w.is_decided
       AND l.state = ANY($2::text[])`,
      [this.#store.worker.id, states, scopeId, this.#store.job.reopening.describe(this.#store.job)],
    )
    return row ?? { leftCount: 0, openCount: 0 }
  }

  /** True once each time other workers have answered more lookups: follow-ups may be derived. */
  async #hasMoreAnswers(): Promise<boolean> {
    let count = 0
    for (const kind of lookupKinds) {
      const { answered, failed } = await this.countSettled(kind)
      count += answered + failed
    }
    const isMore = count > this.#seenCount
    this.#seenCount = count
    return isMore
  }

  async #countSettledNow(kind: LookupKind): Promise<Record<SettledPlan, number>> {
    const now = { answered: 0, failed: 0, invalid: 0, uncertain: 0 }
    const rows = await this.#store.query<{ state: SettledPlan; count: number }>(
      `SELECT l.state, count(*) AS count FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
       WHERE w.worker_id = $1 AND w.scope_id = $2 AND NOT w.is_decided
       AND l.state IN ('answered', 'failed', 'invalid', 'uncertain') GROUP BY 1`,
      [this.#store.worker.id, this.#store.job.kinds.getScopeId(kind)],
    )
    for (const { state, count } of rows) now[state] = count
    return now
  }
}
