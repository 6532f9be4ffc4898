import type { Lookup } from '../../../core/lookup-identity.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type { LookupKind } from '../../lookups/lookup-kind.js'
import { nothingPlanned, type LookupPlan, type PlanPolicy } from '../../lookups/lookup-state.js'
import type {
  Answer,
  Checkpoint,
  Claim,
  FirstAnswer,
  Intention,
  KeyedLookup,
  LookupId,
  OpenRun,
  Refusal,
  RunContender,
  RunHolder,
  RunOwner,
  SubmissionBounds,
} from '../checkpoint.js'
import { Answers } from './answers.js'
import type { Reply } from '../transitions.js'
import { award, claim, disprove, exchange, Settlements } from './settlements.js'
import { Followings, adoptRuns, claimNew, planKind, reopenOutcomes } from './planning.js'
import { Intentions } from './intentions.js'
import { endJob, spentByRows, spentOf, wantLookups } from './jobs.js'
import {
  bodyOf,
  contendersOf,
  firstAnswersOf,
  firstQuestionOf,
  lostSince,
  ownerOfKey,
  ownerOfRun,
  recentSubmissions,
} from './lookup-rows.js'
import type { Others } from './other-workers.js'
import type { SharedStore } from './store.js'

export type SharedTurnsOf = NonNullable<Checkpoint['sharedTurns']>

export interface PostgresCheckpointDeps {
  readonly store: SharedStore
  readonly others: Others
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
  readonly sharedTurns?: SharedTurnsOf
  /** Executes the statements of the run's other stores. */
  readonly store: SharedStore
  readonly #deps: PostgresCheckpointDeps
  readonly #kinds: Map<LookupKind, Checkpoint>
  readonly #intentions: Intentions
  readonly #settlements: Settlements
  readonly #answers: Answers
  readonly #followings: Followings
  /** Lookups outside this run for which a delivery was accepted: not counted as settled by this run. */
  readonly #unwanted = new Set<LookupId>()

  constructor(deps: PostgresCheckpointDeps, kind: LookupKind, kinds = new Map<LookupKind, Checkpoint>()) {
    const { store } = deps
    this.store = store
    this.id = store.id
    this.kind = kind
    if (deps.turnsOf !== null) this.sharedTurns = deps.turnsOf
    this.#deps = deps
    this.#kinds = kinds.set(kind, this)
    this.#intentions = new Intentions(store, kind)
    this.#settlements = new Settlements(store, kind)
    this.#answers = new Answers(store, kind)
    this.#followings = new Followings(store, kind)
  }

  of(kind: LookupKind): Checkpoint {
    return this.#kinds.get(kind) ?? new PostgresCheckpoint(this.#deps, kind, this.#kinds)
  }

  want(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    this.store.activity.note('reading')
    return wantLookups(this.store, lookups, true)
  }

  async follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): ReturnType<Checkpoint['follow']> {
    const followed = await this.#followings.follow(lookups, policy)
    this.#deps.others.planned(this.kind, followed.plan, policy, false)
    return followed
  }

  firstAnswers(afterPosition: number, count: number): Promise<FirstAnswer[]> {
    return firstAnswersOf(this.store, this.kind, afterPosition, count)
  }

  firstQuestion(lookupId: LookupId): Promise<Lookup | null> {
    return firstQuestionOf(this.store, lookupId)
  }

  async plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    // A kind without lookups has nothing to plan.
    if (this.#findScopeId() === 0) return nothingPlanned()
    this.store.activity.note('planning')
    const plan = await planKind(this.store, this.kind, policy, 0)
    this.#deps.others.planned(this.kind, plan, policy, true)
    return plan
  }

  reopen(outcomes: readonly string[]): Promise<number> {
    return reopenOutcomes(this.store, this.kind, outcomes, 0)
  }

  nextToSubmit(afterPosition: number, count: number): ReturnType<Checkpoint['nextToSubmit']> {
    return claimNew(this.store, this.kind, afterPosition, count)
  }

  openRuns(): Promise<OpenRun[]> {
    return adoptRuns(this.store, this.kind, 0)
  }

  elsewhere(signal: AbortSignal, what: 'all' | 'runs' | 'submissions' = 'all'): Promise<boolean> {
    if (what === 'submissions') return this.#deps.others.leaveSubmissions(this.kind, signal)
    this.store.activity.note('elsewhere')
    return this.#deps.others.elsewhere(signal, what)
  }

  settledElsewhere(): Promise<Record<LookupPlan, number>> {
    return this.#deps.others.settledElsewhere(this.kind)
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
    if (outcome === 'contested') this.#deps.others.settled(this.kind, 'uncertain')
    return outcome
  }

  withdraw(lookupId: LookupId, customId: string, reason: string, mayBeBilled = false): Promise<boolean> {
    const verdict = mayBeBilled ? 'uncertain' : 'not_created'
    return this.#settle({ lookupId, customId, event: 'withdraw', verdict, reason })
  }

  async reject(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    const isFirst = await this.#settle({ lookupId, customId, event: 'reject', verdict: 'rejected', reason })
    if (isFirst) this.#deps.others.settled(this.kind, 'invalid')
    return isFirst
  }

  async lose(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    const isFirst = await this.#settle({ lookupId, customId, event: 'lose', verdict: 'uncertain', reason })
    if (isFirst) this.#deps.others.settled(this.kind, 'uncertain')
    return isFirst
  }

  async claim(customId: string, runId: string, nowMs: number): Promise<Claim> {
    const claimed = await this.store.transaction((statements) =>
      claim(statements, { customId, runId, nowMs }, this.#claimant()),
    )
    const isTold = claimed.claim === 'claimed' && claimed.isWanted
    if (isTold) this.#deps.others.settled(this.kind, 'uncertain', -1)
    return claimed.claim
  }

  /** Only the service's own runs can be assigned twice: other kinds are identified by their content. */
  contenders(runId: string): Promise<RunContender[]> {
    if (this.kind !== 'resolution') return Promise.resolve([])
    return contendersOf(this.store, runId, this.#findScopeId())
  }

  award(customId: string, runId: string, nowMs: number): Promise<boolean> {
    return this.store.transaction((statements) =>
      award(statements, { customId, runId, nowMs }, this.#claimant()),
    )
  }

  /** Also returns false if the reply to the commit was lost; the runs are then polled again in their new state. */
  exchangeRuns(one: RunHolder, other: RunHolder, nowMs: number): Promise<boolean> {
    const { workerId } = this.#claimant()
    return this.store.transaction((statements) => exchange(statements, one, other, { nowMs, workerId }))
  }

  async ownerOf(runId: string): Promise<RunOwner | null> {
    return this.#noted(await ownerOfRun(this.store, this.kind, runId))
  }

  async ownerOfKey(key: Uint8Array): Promise<RunOwner | null> {
    return this.#noted(await ownerOfKey(this.store, this.kind, key))
  }

  #noted(owner: RunOwner | null): RunOwner | null {
    if (owner?.isWanted === false) this.#unwanted.add(owner.lookupId)
    else if (owner !== null) this.#unwanted.delete(owner.lookupId)
    return owner
  }

  disprove(lookupId: LookupId, customId: string, reason: string): Promise<void> {
    return this.store.transaction((statements) =>
      disprove(statements, { lookupId, customId, reason }, this.store.workerId),
    )
  }

  lostSince(afterMs: number, among: 'wanted' | 'all' = 'wanted'): ReturnType<Checkpoint['lostSince']> {
    return lostSince(this.store, this.kind, afterMs, among)
  }

  recentSubmissions(afterMs: number, countMax: number): Promise<number[]> {
    return recentSubmissions(this.store, this.kind, afterMs, countMax)
  }

  bodyOf(lookupId: LookupId): Promise<string | null> {
    return bodyOf(this.store, lookupId)
  }

  async answer(lookupId: LookupId, answer: Answer, isProved = false): ReturnType<Checkpoint['answer']> {
    const isFirst = await this.#answers.answer(lookupId, answer, isProved)
    const isUnwanted = this.#unwanted.delete(lookupId)
    if (isFirst === true && !isUnwanted) this.#deps.others.settled(this.kind, answer.state)
    return isFirst
  }

  async setNeedsAttention(lookupId: LookupId, reason: string | null): Promise<void> {
    await this.store.query(
      `UPDATE enrich.lookups SET failure = $2 WHERE lookup_id = $1 AND state = 'running'`,
      [lookupId, reason],
    )
  }

  spent(): Promise<number> {
    return spentOf(this.store, this.kind)
  }

  spentByRows(): Promise<number> {
    return spentByRows(this.store, this.kind)
  }

  endJob(nowMs: number): Promise<void> {
    return endJob(this.store, this.kind, nowMs)
  }

  remember<Result>(change: (database: Sqlite) => Result): Promise<Result> {
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

  #claimant() {
    return { scopeId: this.#findScopeId(), workerId: this.store.workerId }
  }

  /** Returns 0, which no scope has, if the kind has no lookups yet. */
  #findScopeId(): number {
    return this.store.scopeId(this.kind)
  }
}
