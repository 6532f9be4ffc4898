import type { Lookup } from '../../../core/lookup-identity.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type { LookupKind } from '../../lookups/lookup-kind.js'
import { createEmptyPlan, type LookupPlan, type PlanPolicy } from '../../lookups/lookup-state.js'
import type {
  Answer,
  Checkpoint,
  Claim,
  RowAnswer,
  Intention,
  KeyedLookup,
  LookupId,
  OpenRun,
  Refusal,
  RunOwner,
  SubmissionBounds,
} from '../checkpoint.js'
import { AnswerBatcher } from './answers.js'
import type { Reply } from '../transitions.js'
import { claim, applyNotCreated, SettlementBatcher } from './settlements.js'
import { FollowUpBatch, takeOverRuns, claimNew, planKind, reopenOutcomes } from './planning.js'
import { IntentionBatcher } from './intentions.js'
import { endJob, readSpentByRows, readSpent, addWantedLookups } from './jobs.js'
import {
  readAnswerBody,
  selectRowAnswers,
  selectRowLookup,
  selectLostSince,
  selectByKey,
  selectByRun,
  selectRecentSubmissions,
} from './lookup-rows.js'
import type { OtherWorkers } from './other-workers.js'
import type { SharedStore } from './store.js'

export type SharedTurnsOf = NonNullable<Checkpoint['createSharedTurns']>

export interface PostgresCheckpointDeps {
  readonly store: SharedStore
  readonly others: OtherWorkers
  readonly turnsOf: SharedTurnsOf | null
  /** Writes to the local copy for readers. */
  readonly remember: <Result>(change: (database: Sqlite) => Result) => Promise<Result>
  readonly copyForReading: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * A checkpoint on PostgreSQL: several workers submit, each lookup by one of them. The rows of lookups name their
 * worker. A commit counts when the server confirms it; after an unknown outcome, its rows are read again.
 */
export class PostgresCheckpoint implements Checkpoint {
  readonly id: string
  readonly kind: LookupKind
  readonly createSharedTurns?: SharedTurnsOf
  /** Executes the statements of the run's other stores. */
  readonly store: SharedStore
  readonly #deps: PostgresCheckpointDeps
  readonly #kinds: Map<LookupKind, Checkpoint>
  readonly #intentions: IntentionBatcher
  readonly #settlements: SettlementBatcher
  readonly #answers: AnswerBatcher
  readonly #followings: FollowUpBatch
  /** Lookups outside this run for which a delivery was accepted: not counted as settled by this run. */
  readonly #unwanted = new Set<LookupId>()

  constructor(deps: PostgresCheckpointDeps, kind: LookupKind, kinds = new Map<LookupKind, Checkpoint>()) {
    const { store } = deps
    this.store = store
    this.id = store.id
    this.kind = kind
    if (deps.turnsOf !== null) this.createSharedTurns = deps.turnsOf
    this.#deps = deps
    this.#kinds = kinds.set(kind, this)
    this.#intentions = new IntentionBatcher(store, kind)
    this.#settlements = new SettlementBatcher(store, kind)
    this.#answers = new AnswerBatcher(store)
    this.#followings = new FollowUpBatch(store, kind)
  }

  forKind(kind: LookupKind): Checkpoint {
    return this.#kinds.get(kind) ?? new PostgresCheckpoint(this.#deps, kind, this.#kinds)
  }

  registerLookups(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    this.store.activity.note('reading')
    return addWantedLookups(this.store, lookups, true)
  }

  async follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): ReturnType<Checkpoint['follow']> {
    const followed = await this.#followings.follow(lookups, policy)
    this.#deps.others.onPlanned(this.kind, followed.plan, policy, false)
    return followed
  }

  listRowAnswers(afterPosition: number, count: number): Promise<RowAnswer[]> {
    return selectRowAnswers(this.store, this.kind, afterPosition, count)
  }

  findRowLookup(lookupId: LookupId): Promise<Lookup | null> {
    return selectRowLookup(this.store, lookupId)
  }

  async plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    // A kind without lookups has nothing to plan.
    if (this.#findScopeId() === 0) return createEmptyPlan()
    this.store.activity.note('planning')
    const plan = await planKind(this.store, this.kind, policy, 0)
    this.#deps.others.onPlanned(this.kind, plan, policy, true)
    return plan
  }

  reopen(outcomes: readonly string[]): Promise<number> {
    return reopenOutcomes(this.store, this.kind, outcomes, 0)
  }

  nextToSubmit(afterPosition: number, count: number): ReturnType<Checkpoint['nextToSubmit']> {
    return claimNew(this.store, this.kind, afterPosition, count)
  }

  listOpenRuns(): Promise<OpenRun[]> {
    return takeOverRuns(this.store, this.kind, 0)
  }

  waitForOtherWorkers(signal: AbortSignal, what: 'all' | 'runs' | 'submissions' = 'all'): Promise<boolean> {
    if (what === 'submissions') return this.#deps.others.waitForSubmissions(this.kind, signal)
    this.store.activity.note('elsewhere')
    return this.#deps.others.waitForAny(signal, what)
  }

  countSettledByOthers(): Promise<Record<LookupPlan, number>> {
    return this.#deps.others.countSettled(this.kind)
  }

  intend(lookupId: LookupId, nowMs: number, bounds?: SubmissionBounds): Promise<Intention | Refusal> {
    this.store.activity.note('submitting')
    return this.#intentions.intend(lookupId, nowMs, bounds)
  }

  async accept(
    lookupId: LookupId,
    customId: string,
    runId: string,
    nowMs: number,
  ): ReturnType<Checkpoint['accept']> {
    const accepted = { lookupId, customId, event: 'accept', verdict: 'accepted', runId, atMs: nowMs } as const
    const outcome = await this.#settlements.settle({ ...accepted, reason: null })
    if (outcome === 'uncertain') this.#deps.others.onSettled(this.kind, 'uncertain')
    return outcome
  }

  withdraw(lookupId: LookupId, customId: string, reason: string, mayBeBilled = false): Promise<boolean> {
    const verdict = mayBeBilled ? 'uncertain' : 'not_created'
    return this.#settle({ lookupId, customId, event: 'withdraw', verdict, reason })
  }

  async reject(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    const isFirst = await this.#settle({ lookupId, customId, event: 'reject', verdict: 'rejected', reason })
    if (isFirst) this.#deps.others.onSettled(this.kind, 'invalid')
    return isFirst
  }

  async markUncertain(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    const isFirst = await this.#settle({ lookupId, customId, event: 'lose', verdict: 'uncertain', reason })
    if (isFirst) this.#deps.others.onSettled(this.kind, 'uncertain')
    return isFirst
  }

  async claim(customId: string, runId: string, nowMs: number): Promise<Claim> {
    const claimed = await this.store.withTransaction((statements) =>
      claim(statements, { customId, runId, nowMs }, this.#getClaimContext()),
    )
    const isTold = claimed.claim === 'claimed' && claimed.isWanted
    if (isTold) this.#deps.others.onSettled(this.kind, 'uncertain', -1)
    return claimed.claim
  }

  async findByRun(runId: string): Promise<RunOwner | null> {
    return this.#trackOwner(await selectByRun(this.store, this.kind, runId))
  }

  async findByKey(key: Uint8Array): Promise<RunOwner | null> {
    return this.#trackOwner(await selectByKey(this.store, this.kind, key))
  }

  #trackOwner(owner: RunOwner | null): RunOwner | null {
    if (owner?.isWanted === false) this.#unwanted.add(owner.lookupId)
    else if (owner !== null) this.#unwanted.delete(owner.lookupId)
    return owner
  }

  markNotCreated(lookupId: LookupId, customId: string, reason: string): Promise<void> {
    return this.store.withTransaction((statements) =>
      applyNotCreated(statements, { lookupId, customId, reason }, this.store.workerId),
    )
  }

  listLostSince(
    afterMs: number,
    among: 'wanted' | 'all' = 'wanted',
  ): ReturnType<Checkpoint['listLostSince']> {
    return selectLostSince(this.store, this.kind, afterMs, among)
  }

  listRecentSubmissions(afterMs: number, countMax: number): Promise<number[]> {
    return selectRecentSubmissions(this.store, this.kind, afterMs, countMax)
  }

  readBody(lookupId: LookupId): Promise<string | null> {
    return readAnswerBody(this.store, lookupId)
  }

  async answer(lookupId: LookupId, answer: Answer): Promise<boolean> {
    const isFirst = await this.#answers.answer(lookupId, answer)
    const isUnwanted = this.#unwanted.delete(lookupId)
    if (isFirst && !isUnwanted) this.#deps.others.onSettled(this.kind, answer.state)
    return isFirst
  }

  async setNeedsAttention(lookupId: LookupId, reason: string | null): Promise<void> {
    await this.store.query(
      `UPDATE enrich.lookups SET failure = $2 WHERE lookup_id = $1 AND state = 'running'`,
      [lookupId, reason],
    )
  }

  countSpent(): Promise<number> {
    return readSpent(this.store, this.kind)
  }

  countSpentByRows(): Promise<number> {
    return readSpentByRows(this.store, this.kind)
  }

  endJob(nowMs: number): Promise<void> {
    return endJob(this.store, this.kind, nowMs)
  }

  updateHistory<Result>(change: (database: Sqlite) => Result): Promise<Result> {
    return this.#deps.remember(change)
  }

  copyForReading(): Promise<void> {
    this.store.activity.note('writing')
    return this.#deps.copyForReading()
  }

  close(): Promise<void> {
    return this.#deps.close()
  }

  async #settle(item: Omit<Reply, 'runId' | 'atMs'>): Promise<boolean> {
    return (await this.#settlements.settle({ ...item, runId: null, atMs: null })) === true
  }

  #getClaimContext() {
    return { scopeId: this.kind === 'resolution' ? this.#findScopeId() : 0, workerId: this.store.workerId }
  }

  /** Returns 0, which no scope has, if the kind has no lookups yet. */
  #findScopeId(): number {
    return this.store.getScopeId(this.kind)
  }
}
