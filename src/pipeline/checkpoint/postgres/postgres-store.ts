import { createEmptyPlan, type PlanPolicy, type LookupKind } from '../../../core/lookup-state.js'
import type {
  FollowedLookups,
  Found,
  Given,
  LookupQueries,
  LookupStore,
  OtherWorkers,
  QueryName,
} from '../lookup-store.js'
import type { Answer, Intention, Refusal, Retry, RunOwner, SubmissionBounds } from '../records.js'
import type { KeyedLookup } from '../lookup.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import type { LookupUpdate, RowsNow, Transition } from '../transitions.js'
import { AnswerBatcher, SettlementBatcher } from './changes.js'
import type { HistoryStore } from '../history-store.js'
import { PostgresHistoryStore } from './history-store.js'
import { IntentionBatcher } from './intentions.js'
import { addWantedLookups, endJob, endRetry, readSpent, readSpentByRows } from './jobs.js'
import {
  applyChanges,
  countFromFuture,
  isRunTaken,
  lockLookup,
  readAnswerBody,
  selectLostSince,
  selectOwner,
  selectRecentSubmissions,
  selectRowAnswers,
  selectRowLookup,
} from './lookup-rows.js'
import type { WorkerCounts } from './other-workers.js'
import { claimNew, FollowUpBatch, planKind, takeOverRuns } from './planning.js'
import type { SharedStore } from './store.js'

export interface PostgresStoreDeps {
  readonly store: SharedStore
  readonly others: OtherWorkers & WorkerCounts
  /** The URL without credentials. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Group commits of one kind of lookups. */
interface Batchers {
  readonly intentions: IntentionBatcher
  readonly settlements: SettlementBatcher
  readonly answers: AnswerBatcher
  readonly followUps: FollowUpBatch
}

type Reads = {
  readonly [Name in QueryName]: (
    kind: LookupKind,
    given: Given<Name>,
  ) => Promise<LookupQueries[Name]['found']>
}

/**
 * Lookups on PostgreSQL: several workers submit, each lookup by one of them. The rows of lookups name their worker. A
 * commit counts when the server confirms it; after an unknown outcome, its rows are read again.
 */
export class PostgresStore implements LookupStore {
  readonly others: OtherWorkers
  readonly history: HistoryStore
  readonly #deps: PostgresStoreDeps
  readonly #batchers = new Map<LookupKind, Batchers>()
  readonly #reads: Reads
  /** Lookups outside this run for which a delivery was accepted: not counted as settled by this run. */
  readonly #unwanted = new Set<LookupId>()

  constructor(deps: PostgresStoreDeps) {
    this.#deps = deps
    this.others = deps.others
    this.history = new PostgresHistoryStore(deps.store, deps.url)
    this.#reads = this.#createReads()
  }

  register(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    const { store } = this.#deps
    store.activity.note('reading')
    return addWantedLookups(store, lookups, true)
  }

  async plan(
    kind: LookupKind,
    policy: PlanPolicy,
    followUps?: readonly KeyedLookup[],
  ): Promise<FollowedLookups> {
    const { store, others } = this.#deps
    if (followUps !== undefined) {
      const followed = await this.#getBatchers(kind).followUps.follow(followUps, policy)
      others.onPlanned(kind, followed.plan, policy, false)
      return followed
    }
    // A kind without lookups has nothing to plan.
    if (store.job.kinds.getScopeId(kind) === 0) return { plan: createEmptyPlan(), open: [] }
    store.activity.note('planning')
    const plan = await planKind(store, kind, policy, 0)
    others.onPlanned(kind, plan, policy, true)
    return { plan, open: [] }
  }

  intend(
    kind: LookupKind,
    lookupId: LookupId,
    nowMs: number,
    bounds?: SubmissionBounds,
  ): Promise<Intention | Refusal> {
    this.#deps.store.activity.note('submitting')
    return this.#getBatchers(kind).intentions.intend(lookupId, nowMs, bounds)
  }

  async change<Outcome>(
    kind: LookupKind,
    update: LookupUpdate,
    decide: (now: RowsNow) => Transition<Outcome>,
  ): Promise<Outcome> {
    switch (update.event) {
      case 'accept':
      case 'withdraw':
      case 'reject':
      case 'lose': {
        const { outcome, changes } = await this.#getBatchers(kind).settlements.settle(update, decide)
        const [lookup] = outcome === false ? [] : changes
        if (lookup?.of === 'lookup' && (lookup.state === 'uncertain' || lookup.state === 'invalid'))
          this.#deps.others.onSettled(kind, lookup.state)
        return outcome
      }
      case 'answer': {
        const outcome = await this.#getBatchers(kind).answers.answer(update, decide)
        this.#noteAnswer(kind, update, outcome !== false)
        return outcome
      }
      case 'claim':
        return this.#claim(kind, update, decide)
      default:
        return this.#deps.store.withTransaction(async (statements) => {
          const { outcome, changes } = decide({ row: await lockLookup(statements, update.lookupId) })
          await applyChanges(statements, changes, this.#deps.store.worker.id)
          return outcome
        })
    }
  }

  #noteAnswer(
    kind: LookupKind,
    { lookupId, answer }: { lookupId: LookupId; answer: Answer },
    isNew: boolean,
  ): void {
    const isUnwanted = this.#unwanted.delete(lookupId)
    if (isNew && !isUnwanted) this.#deps.others.onSettled(kind, answer.state)
  }

  /** The lookup was uncertain: it is this worker's now, if this run includes it. */
  async #claim<Outcome>(
    kind: LookupKind,
    { customId, runId }: { customId: string; runId: string },
    decide: (now: RowsNow) => Transition<Outcome>,
  ): Promise<Outcome> {
    const { store, others } = this.#deps
    const [outcome, isUncertainNoMore] = await store.withTransaction(async (statements) => {
      const find = () =>
        statements.query<{ lookupId: LookupId; verdict: string; runId: string | null }>(
          `SELECT lookup_id AS "lookupId", verdict, run_id AS "runId" FROM enrich.submissions WHERE custom_id = $1`,
          [customId],
        )
      const [found] = await find()
      const row = found === undefined ? undefined : await lockLookup(statements, found.lookupId)
      // Read again under the lock.
      const [submission] = row === undefined ? [] : await find()
      const isTaken = await isRunTaken(statements, store, kind, { customId, runId })
      const { outcome, changes } = decide({ row, submission, isTaken })
      const kept = await applyChanges(statements, changes, store.worker.id)
      return [outcome, row !== undefined && row.state === 'uncertain' && kept.has(row.lookupId)] as const
    })
    if (isUncertainNoMore) others.onSettled(kind, 'uncertain', -1)
    return outcome
  }

  read<Name extends QueryName>(kind: LookupKind, name: Name, given: Given<Name>): Promise<Found<Name>> {
    return this.#reads[name](kind, given)
  }

  #createReads(): Reads {
    const { store } = this.#deps
    return {
      to_submit: (kind, { after, count }) => claimNew(store, kind, after, count),
      pending_runs: (kind) => takeOverRuns(store, kind, 0),
      row_answers: (kind, { after, count }) => selectRowAnswers(store, kind, after, count),
      row_lookup: (_, { lookupId }) => selectRowLookup(store, lookupId),
      owner: async (kind, given) => this.#trackOwner(await selectOwner(store, kind, given)),
      body: (_, { lookupId }) => readAnswerBody(store, lookupId),
      lost: (kind, { afterMs, among }) => selectLostSince(store, kind, afterMs, among),
      recent_submissions: (kind, { afterMs, count }) => selectRecentSubmissions(store, kind, afterMs, count),
      future_answers: (kind, { nowMs }) => countFromFuture(store, kind, nowMs),
      loss: () => Promise.resolve(null),
      spent: (kind) => readSpent(store, kind),
      spent_by_rows: (kind) => readSpentByRows(store, kind),
    }
  }

  #trackOwner(owner: RunOwner | null): RunOwner | null {
    if (owner?.isWanted === false) this.#unwanted.add(owner.lookupId)
    else if (owner !== null) this.#unwanted.delete(owner.lookupId)
    return owner
  }

  endJob(kind: LookupKind | 'retry', nowMs: number): Promise<void> {
    const { store } = this.#deps
    return kind === 'retry' ? endRetry(store, nowMs) : endJob(store, kind, nowMs)
  }

  get retry(): Retry | null {
    return this.#deps.store.job.retry
  }

  close(): Promise<void> {
    return this.#deps.close()
  }

  #getBatchers(kind: LookupKind): Batchers {
    const { store } = this.#deps
    const known = this.#batchers.get(kind) ?? {
      intentions: new IntentionBatcher(store, kind),
      settlements: new SettlementBatcher(store, kind),
      answers: new AnswerBatcher(store),
      followUps: new FollowUpBatch(store, kind),
    }
    this.#batchers.set(kind, known)
    return known
  }
}
