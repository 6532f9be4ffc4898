import { openWithCleanup } from '../../../platform/close-stack.js'
import { Checkpoint } from '../checkpoint.js'
import {
  CheckpointFile,
  PathWatch,
  keepReserve,
  type KindIds,
  type OpenCheckpointDeps,
  type Reserve,
} from './checkpoint-file.js'
import { assertNotBehind } from './head-keeper.js'
import {
  assertCheckpointPath,
  createDiskFullError,
  withExplainedErrors,
  lockCheckpoint,
  openToWrite,
} from './open-database.js'
import { SqliteHistoryStore } from './history-store.js'
import { readHeadComparison } from './verify.js'
import {
  createEmptyPlan,
  lookupKinds,
  moveLookup,
  type LookupPlan,
  type PlanPolicy,
  type LookupKind,
} from '../../../core/lookup-state.js'
import { createDamagedError } from '../checkpoint-errors.js'
import type { HistoryStore } from '../history-store.js'
import { formatCustomId, parseCustomId, type KeyedLookup } from '../lookup.js'
import type { FollowedLookups, Found, Given, LookupQueries, LookupStore, QueryName } from '../lookup-store.js'
import { packContent, unpackBody } from '../packed-answer.js'
import type { Intention, Refusal, Retry } from '../records.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import { calculateNextChain } from '../tables.js'
import {
  clockSkewMs,
  getCutoffMs,
  getStateAfter,
  planGroups,
  type Change,
  type LookupUpdate,
  type RowsNow,
  type Transition,
} from '../transitions.js'
import {
  prepareQueries,
  restoreReopened,
  type NewSubmission,
  type Queries,
  type WantedFrom,
} from './queries.js'

export type { OpenCheckpointDeps }

/** A checkpoint with one process: it refuses nothing and closes synchronously. */
export interface OwnCheckpoint extends Checkpoint {
  forKind(kind: LookupKind): OwnCheckpoint
  intend(lookupId: LookupId, nowMs: number): Promise<Intention>
  close(): void
}

/** Opens a run's checkpoint: locks, checks, migrates, cleans up after kills. Throws CHECKPOINT_*. */
export function openCheckpoint(deps: OpenCheckpointDeps): OwnCheckpoint {
  const { path } = deps
  // Check folder and file first: an invalid path gets its own error.
  assertCheckpointPath(path)
  return withExplainedErrors(path, () =>
    openWithCleanup((stack) => {
      const lock = lockCheckpoint(path, deps.nowMs)
      stack.add(() => {
        lock.release()
      })
      const { standing, found } = readHeadComparison(path, deps.isBilled !== false)
      assertNotBehind(standing, deps)
      const database = openToWrite(path)
      stack.add(() => database.close())
      const reserve = keepReserve(path)
      stack.add(reserve.release)
      const watch = new PathWatch(database, deps)
      const file = new CheckpointFile(database, reserve, found, deps, stack)
      return new Checkpoint(new SqliteStore(file, reserve, watch)) as OwnCheckpoint
    }),
  )
}

type Reads = {
  readonly [Name in QueryName]: (kind: LookupKind, given: Given<Name>) => LookupQueries[Name]['found']
}

/** Lookups in a file, locked for one process. Changes that come at about the same time share a commit. */
class SqliteStore implements LookupStore {
  readonly others = null
  readonly retry: Retry | null
  readonly history: HistoryStore
  readonly #file: CheckpointFile
  readonly #reserve: Reserve
  readonly #watch: PathWatch
  readonly #queries: Queries
  readonly #reads: Reads

  constructor(file: CheckpointFile, reserve: Reserve, watch: PathWatch) {
    const { path, database } = file
    this.#file = file
    this.retry = file.retry
    this.#reserve = reserve
    this.#watch = watch
    this.#queries = prepareQueries(database)
    this.history = new SqliteHistoryStore({
      path,
      database,
      commit: (change) => file.batch(() => change(database)),
    })
    this.#reads = this.#createReads()
  }

  async register(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    await this.#file.beginKinds(lookups.map(({ kind }) => kind))
    return this.#file.batch(() => lookups.map((lookup) => this.#addWanted(lookup, 1)))
  }

  async plan(
    kind: LookupKind,
    policy: PlanPolicy,
    followUps?: readonly KeyedLookup[],
  ): Promise<FollowedLookups> {
    if (followUps !== undefined) {
      await this.#file.beginKinds(followUps.map((lookup) => lookup.kind))
      return this.#file.withTransaction(() => {
        const afterPosition = this.#file.kinds.lastPosition
        for (const lookup of followUps) this.#addWanted(lookup, 0)
        const plan = this.#plan(kind, policy, afterPosition)
        return { plan, open: this.#queries.pendingRuns.all(this.#getRange(kind, afterPosition)) }
      })
    }
    // A kind without lookups has nothing to plan.
    if (this.#file.kinds.get(kind) === null) return { plan: createEmptyPlan(), open: [] }
    return this.#file.batch(() => ({ plan: this.#plan(kind, policy, 0), open: [] }))
  }

  async intend(kind: LookupKind, lookupId: LookupId, nowMs: number): Promise<Intention | Refusal> {
    if (this.#watch.isLost()) return 'checkpoint_lost'
    return this.#file.withTransaction(() => {
      // The reserve covers requests in flight: once it is released, nothing more may be sent.
      if (!this.#reserve.isHeld) throw createDiskFullError(this.#file.path)
      const { scopeId } = this.#requireIds(kind)
      const row = this.#queries.lookup.get(lookupId)
      if (row === undefined) throw new Error(`lookup ${lookupId} is unknown`)
      const attempt = row.attempt + 1
      // A webhook that echoes it names the checkpoint, the lookup (scope and key) and the attempt.
      const { id: checkpointId, generation } = this.#file.identity
      const keyHex = row.key.toString('hex')
      const customId = formatCustomId({ checkpointId, scopeId, keyHex, attempt, generation })
      this.#queries.intend.run({ lookupId, state: getStateAfter(row, 'intend'), attempt, customId })
      this.#recordSubmission(kind, { lookupId, customId, attempt, nowMs })
      // The file lock is never lost to another process.
      return { customId, attempt, mayLeave: () => true }
    })
  }

  change<Outcome>(
    kind: LookupKind,
    update: LookupUpdate,
    decide: (now: RowsNow) => Transition<Outcome>,
  ): Promise<Outcome> {
    return this.#file.withTransaction(() => {
      const { outcome, changes } = decide(this.#readRows(kind, update))
      for (const change of changes) this.#write(change)
      return outcome
    })
  }

  /** Returns a promise, although SQLite is synchronous, because the interface also covers servers. */
  read<Name extends QueryName>(kind: LookupKind, name: Name, given: Given<Name>): Promise<Found<Name>> {
    return new Promise((resolve) => {
      resolve(withExplainedErrors(this.#file.path, () => this.#reads[name](kind, given)))
    })
  }

  async endJob(kind: LookupKind | 'retry', nowMs: number): Promise<void> {
    const jobId = (kind === 'retry' ? this.retry : this.#file.kinds.get(kind))?.jobId ?? 0
    await this.#file.withTransaction(() => this.#queries.endJob.run({ jobId, nowMs }))
  }

  close(): void {
    this.#file.close(() => {
      for (const kind of lookupKinds) restoreReopened(this.#queries, this.#getRange(kind))
    })
  }

  #createReads(): Reads {
    const queries = this.#queries
    return {
      to_submit: (kind, { after, count }) =>
        queries.nextToSubmit
          .all({ ...this.#getRange(kind, after), count })
          .map(({ position, ...lookup }) => ({ position, lookup })),
      pending_runs: (kind) => queries.pendingRuns.all(this.#getRange(kind)),
      row_answers: (kind, { after, count }) =>
        queries.rowAnswers
          .all({ ...this.#getRange(kind, after), count })
          .map(({ position, lookupId, name, location, context, ...packed }) => ({
            position,
            lookupId,
            asked: { name, location, context },
            body: unpackBody(packed),
          })),
      row_lookup: (_, { lookupId }) => queries.rowLookup.get(lookupId) ?? null,
      owner: (kind, given) => {
        const owner =
          'runId' in given
            ? queries.ownerOfRun.get(given.runId)
            : queries.ownerOfKey.get(this.#getRange(kind).scopeId, given.key)
        return owner === undefined ? null : { ...owner, isWanted: owner.isWanted === 1 }
      },
      body: (_, { lookupId }) => {
        const answer = queries.answer.get(lookupId)
        return answer === undefined ? null : unpackBody(answer)
      },
      lost: (kind, { afterMs, among }) =>
        (among === 'all' ? queries.lostOfScope : queries.lostSince).all({ ...this.#getRange(kind), afterMs }),
      recent_submissions: (kind, { afterMs, count }) =>
        queries.recentSubmissions.all({ scopeId: this.#getRange(kind).scopeId, afterMs, countMax: count }),
      future_answers: (kind, { nowMs }) =>
        queries.fromFutureCount.get({ ...this.#getRange(kind), untilMs: nowMs + clockSkewMs }) ?? 0,
      loss: () => this.#watch.saveIfLost(),
      spent: (kind) => queries.spent.get(this.#file.kinds.get(kind)?.jobId ?? 0) ?? 0,
      spent_by_rows: (kind) => queries.spentByRows.get(this.#file.kinds.get(kind)?.jobId ?? 0) ?? 0,
    }
  }

  #readRows(kind: LookupKind, update: LookupUpdate): RowsNow {
    const queries = this.#queries
    if (update.event !== 'claim') {
      const isTaken = update.event === 'accept' && this.#isRunTaken(kind, update)
      return { row: queries.lookup.get(update.lookupId), isTaken }
    }
    const { customId, nowMs } = update
    const lookupId =
      queries.lookupOfSubmission.get(customId) ?? this.#restoreSubmission(kind, customId, nowMs)
    const row = lookupId === undefined ? undefined : queries.lookup.get(lookupId)
    const submission = queries.submission.get(customId)
    return { row, submission, isTaken: this.#isRunTaken(kind, update) }
  }

  /** Only the service's own runs can be named twice: other kinds are identified by their content. */
  #isRunTaken(kind: LookupKind, { runId, customId }: { runId: string; customId: string }): boolean {
    const scopeId = this.#file.kinds.getScopeId(kind)
    return kind === 'resolution' && this.#queries.isRunTaken.get({ runId, customId, scopeId }) === 1
  }

  #write(change: Change): void {
    const queries = this.#queries
    switch (change.of) {
      case 'lookup':
        queries.settle.run(change)
        return
      case 'submission':
        queries.settleSubmission.run(change)
        return
      case 'answer': {
        const { lookupId, state, answer } = change
        queries.finish.run({ lookupId, state, answeredAtMs: answer.answeredAtMs })
        queries.insertAnswer.run({ lookupId, ...answer, ...packContent(answer) })
        return
      }
      case 'attention':
        queries.setNeedsAttention.run(change)
    }
  }

  #addWanted({ kind, key, lookup, isDecided }: KeyedLookup, isOfRow: 0 | 1): LookupId {
    const { insertLookup, findLookup, nameLookup, insertWanted } = this.#queries
    const scopeId = this.#file.kinds.getScopeId(kind)
    const known = findLookup.get(scopeId, key)
    if (known?.isSound === 0)
      throw createDamagedError(this.#file.path, undefined, 'an index points to the wrong lookup')
    const lookupId = known?.lookupId ?? Number(insertLookup.run({ ...lookup, key, scopeId }).lastInsertRowid)
    if (known?.isNameless === 1) nameLookup.run({ ...lookup, lookupId })
    const position = this.#file.kinds.nextPosition()
    insertWanted.run({ scopeId, position, lookupId, isOfRow, isDecided: isDecided === true ? 1 : 0 })
    return lookupId
  }

  /** Set-wise: there may be a million lookups. */
  #plan(kind: LookupKind, policy: PlanPolicy, afterPosition: number): Record<LookupPlan, number> {
    const queries = this.#queries
    const from = this.#getRange(kind, afterPosition)
    const cutoffMs = getCutoffMs(policy)
    restoreReopened(queries, { ...from, afterPosition: this.#file.kinds.beginPlan(kind) })
    if (policy.askAgain !== undefined && policy.askAgain.length > 0) {
      this.#file.assertSubmittable()
      const retryJob = this.#file.retry?.job ?? null
      queries.reopenOutcomes.run({ ...from, outcomes: JSON.stringify(policy.askAgain), retryJob })
    }
    const groups = queries.groups
      .all({ ...from, cutoffMs })
      .map((group) => ({ ...group, isOld: group.isOld === 1 }))
    const { counts, reopened, pollsLost } = planGroups(groups, policy)
    counts.decided = queries.decidedCount.get(from) ?? 0
    if (counts.submit > 0) this.#file.assertSubmittable()
    for (const { state, isOld } of reopened)
      queries.reopen.run({ ...from, state, cutoffMs, isOld: isOld ? 1 : 0 })
    if (pollsLost) {
      const lost = { ...from, runIdPrefix: `${kind}:`, nowMs: policy.nowMs }
      queries.runLostSubmissions.run(lost)
      queries.runLost.run(lost)
    }
    return counts
  }

  #recordSubmission(kind: LookupKind, submission: NewSubmission): void {
    const { jobId } = this.#requireIds(kind)
    const previous = this.#queries.lastSubmission.get()?.chain ?? ''
    const chain = calculateNextChain(previous, { ...submission, intendedAtMs: submission.nowMs })
    this.#queries.insertSubmission.run({ ...submission, jobId, chain })
  }

  /**
   * Restores a submission that was lost with a part of the checkpoint and is named by a webhook, by its scope and key.
   * Returns `undefined` if it belongs to another scope.
   */
  #restoreSubmission(kind: LookupKind, customId: string, nowMs: number): LookupId | undefined {
    const name = parseCustomId(customId)
    const { scopeId } = this.#requireIds(kind)
    if (name?.checkpointId !== this.#file.identity.id || name.scopeId !== scopeId) return undefined
    const lookupId = this.#queries.findLookup.get(scopeId, Buffer.from(name.keyHex, 'hex'))?.lookupId
    const row = lookupId === undefined ? undefined : this.#queries.lookup.get(lookupId)
    if (row === undefined) return undefined
    this.#recordSubmission(kind, { lookupId: row.lookupId, customId, attempt: name.attempt, nowMs })
    // Nothing was submitted for it since, and nothing needs to be.
    if (row.customId === null && moveLookup(row.state, 'claim') !== null) {
      const attempt = Math.max(name.attempt, row.attempt)
      this.#queries.intend.run({ lookupId: row.lookupId, state: row.state, attempt, customId })
    }
    return row.lookupId
  }

  #requireIds(kind: LookupKind): KindIds {
    const ids = this.#file.kinds.get(kind)
    if (ids === null) throw new Error(`this run has no lookups of the kind ${kind}`)
    return ids
  }

  /** No scope has the number 0. */
  #getRange(kind: LookupKind, afterPosition = 0): WantedFrom {
    return { scopeId: this.#file.kinds.getScopeId(kind), afterPosition }
  }
}
