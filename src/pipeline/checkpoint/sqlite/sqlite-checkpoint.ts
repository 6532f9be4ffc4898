import type { Lookup } from '../../../core/lookup-identity.js'
import { formatCustomId, parseCustomId } from '../lookup-key.js'
import { moveLookup, createEmptyPlan } from '../../lookups/lookup-state.js'
import type { LookupKind } from '../../lookups/lookup-kind.js'
import { openWithCleanup } from '../../../platform/close-stack.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type {
  Answer,
  Checkpoint,
  Claim,
  Intention,
  LookupId,
  RunOwner,
} from '../checkpoint.js'
import { keepReserve, type KindIds, type OpenCheckpointDeps } from './begin-run.js'
import { CheckpointFile, RunLookups } from './checkpoint-file.js'
import { readHead } from './head-file.js'
import { assertNotBehind } from './head-keeper.js'
import { assertCheckpointPath, withExplainedErrors, lockCheckpoint, openToWrite } from './open-database.js'
import { calculateNextChain } from '../tables.js'
import { packContent } from '../packed-answer.js'
import { applyChanges, readAnswerBody, type LookupRow, type Queries } from './queries.js'
import {
  getAnsweredState,
  claimRun,
  reopenUncreatedRun,
  settle,
  getStateAfter,
  type Reply,
  type Transition,
} from '../transitions.js'
import { readHeadComparison } from './verify.js'

export type { OpenCheckpointDeps } from './begin-run.js'

/** A checkpoint with one process: it refuses nothing and closes synchronously. */
export interface OwnCheckpoint extends Checkpoint {
  forKind(kind: LookupKind): OwnCheckpoint
  intend(lookupId: LookupId, nowMs: number): Promise<Intention>
  close(): void
}

/** Opens the checkpoint for a run: locks, checks against the head, migrates, and cleans up after killed processes. */
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
      assertNotBehind(readHeadComparison(path).standing, deps)
      const database = openToWrite(path)
      stack.add(() => database.close())
      const reserve = keepReserve(path)
      stack.add(reserve.release)
      const file = new CheckpointFile(database, reserve, readHead(path), deps, stack)
      return new SqliteCheckpoint(file, 'resolution')
    }),
  )
}

/** The file lock is never lost to another process. */
const mayLeave = () => true

class SqliteCheckpoint extends RunLookups implements OwnCheckpoint {
  readonly id: string
  readonly #queries: Queries
  readonly #others: Map<LookupKind, OwnCheckpoint>

  constructor(file: CheckpointFile, kind: LookupKind, others = new Map<LookupKind, OwnCheckpoint>()) {
    super(file, kind)
    this.id = file.id
    this.#queries = file.queries
    this.#others = others.set(kind, this)
  }

  forKind(kind: LookupKind): OwnCheckpoint {
    return this.#others.get(kind) ?? new SqliteCheckpoint(this.file, kind, this.#others)
  }

  waitForOtherWorkers(): Promise<boolean> {
    return Promise.resolve(false)
  }

  countSettledByOthers(): ReturnType<Checkpoint['countSettledByOthers']> {
    return Promise.resolve(createEmptyPlan())
  }

  /** Readers read the file itself. */
  copyForReading(): Promise<void> {
    return Promise.resolve()
  }

  findRowLookup(lookupId: LookupId): Promise<Lookup | null> {
    return this.file.read(() => this.#queries.firstQuestion.get(lookupId) ?? null)
  }

  intend(lookupId: LookupId, nowMs: number): Promise<Intention> {
    return this.file.withTransaction(() => {
      this.file.assertRoom()
      const { scopeId } = this.#requireIds()
      const row = this.#queries.lookup.get(lookupId)
      if (row === undefined) throw new Error(`lookup ${lookupId} is unknown`)
      const state = getStateAfter(row, 'intend')
      const attempt = row.attempt + 1
      // Names the checkpoint, the lookup (scope and key) and the attempt, so that a webhook that echoes it can be
      // matched.
      const customId = formatCustomId({
        checkpointId: this.id,
        scopeId,
        keyHex: row.key.toString('hex'),
        attempt,
        generation: this.file.generation,
      })
      this.#queries.intend.run({ lookupId, state, attempt, customId })
      this.#recordSubmission(lookupId, customId, attempt, nowMs)
      return { customId, attempt, mayLeave }
    })
  }

  accept(lookupId: LookupId, customId: string, runId: string, nowMs: number): ReturnType<Checkpoint['accept']> {
    return this.file.withTransaction(() => {
      const reply = { event: 'accept', verdict: 'accepted', runId, atMs: nowMs, reason: null } as const
      const row = this.#queries.lookup.get(lookupId)
      const isTaken = this.#isRunTaken(runId, customId)
      return this.#apply(settle(row, { lookupId, customId, ...reply }, { isTaken }))
    })
  }

  withdraw(lookupId: LookupId, customId: string, reason: string, mayBeBilled = false): Promise<boolean> {
    const verdict = mayBeBilled ? 'uncertain' : 'not_created'
    return this.#settle({ lookupId, customId, event: 'withdraw', verdict, reason })
  }

  reject(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    return this.#settle({ lookupId, customId, event: 'reject', verdict: 'rejected', reason })
  }

  markUncertain(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    return this.#settle({ lookupId, customId, event: 'lose', verdict: 'uncertain', reason })
  }

  claim(customId: string, runId: string, nowMs: number): Promise<Claim> {
    return this.file.withTransaction(() => {
      const lookupId =
        this.#queries.lookupOfSubmission.get(customId) ?? this.#restoreSubmission(customId, nowMs)
      const row = lookupId === undefined ? undefined : this.#queries.lookup.get(lookupId)
      const named = this.#queries.submission.get(customId)
      if (row === undefined || named === undefined) return 'unknown'
      return this.#apply(claimRun(row, named, { customId, runId, nowMs }, this.#isRunTaken(runId, customId)))
    })
  }

  findByRun(runId: string): Promise<RunOwner | null> {
    return this.file.read(() => {
      const owner = this.#queries.ownerOf.get(runId)
      return owner === undefined ? null : { ...owner, isWanted: owner.isWanted === 1 }
    })
  }

  findByKey(key: Uint8Array): Promise<RunOwner | null> {
    return this.file.read(() => {
      const owner = this.#queries.ownerOfKey.get(this.#findScopeId(), key)
      return owner === undefined ? null : { ...owner, isWanted: owner.isWanted === 1 }
    })
  }

  markNotCreated(lookupId: LookupId, customId: string, reason: string): Promise<void> {
    return this.file.withTransaction(() => {
      const row = this.#queries.lookup.get(lookupId)
      applyChanges(this.#queries, reopenUncreatedRun(row, { lookupId, customId, reason }))
    })
  }

  listLostSince(
    afterMs: number,
    among: 'wanted' | 'all' = 'wanted',
  ): ReturnType<Checkpoint['listLostSince']> {
    const lost = among === 'all' ? this.#queries.lostOfScope : this.#queries.lostSince
    return this.file.read(() => lost.all({ scopeId: this.#findScopeId(), afterPosition: 0, afterMs }))
  }

  listRecentSubmissions(afterMs: number, countMax: number): Promise<number[]> {
    return this.file.read(() =>
      this.#queries.recentSubmissions.all({ scopeId: this.#findScopeId(), afterMs, countMax }),
    )
  }

  readBody(lookupId: LookupId): Promise<string | null> {
    return this.file.read(() => readAnswerBody(this.#queries, lookupId))
  }

  answer(lookupId: LookupId, answer: Answer): Promise<boolean> {
    const packed = packContent(answer)
    return this.file.withTransaction(() => {
      const state = getAnsweredState(this.#queries.lookup.get(lookupId), answer)
      if (state === null) return false
      this.#queries.finish.run({ lookupId, state, answeredAtMs: answer.answeredAtMs })
      this.#queries.insertAnswer.run({ lookupId, ...answer, ...packed })
      return true
    })
  }

  setNeedsAttention(lookupId: LookupId, reason: string | null): Promise<void> {
    return this.file.withTransaction(() => {
      this.#queries.setNeedsAttention.run({ lookupId, reason })
    })
  }

  countSpent(): Promise<number> {
    return this.file.read(() => this.#queries.spent.get(this.file.getIds(this.kind)?.jobId ?? 0) ?? 0)
  }

  countSpentByRows(): Promise<number> {
    const { jobId = 0 } = this.file.getIds(this.kind) ?? {}
    return this.file.read(() => this.#queries.spentByRows.get(jobId) ?? 0)
  }

  endJob(nowMs: number): Promise<void> {
    return this.file.withTransaction(() => {
      const jobId = this.file.getIds(this.kind)?.jobId
      if (jobId !== undefined) this.#queries.endJob.run({ jobId, nowMs })
    })
  }

  updateHistory<Result>(change: (database: Sqlite) => Result): Promise<Result> {
    return this.file.commitHistory(change)
  }

  close(): void {
    this.file.close()
  }

  /** Only the service's own runs can be named twice: other kinds are identified by their content. */
  #isRunTaken(runId: string, customId: string): boolean {
    if (this.kind !== 'resolution') return false
    return this.#queries.isRunTaken.get({ runId, customId, scopeId: this.#findScopeId() }) === 1
  }

  #settle(reply: Omit<Reply, 'runId' | 'atMs'>): Promise<boolean> {
    return this.file.withTransaction(() => {
      const row = this.#queries.lookup.get(reply.lookupId)
      return this.#apply(settle(row, { ...reply, runId: null, atMs: null })) === true
    })
  }

  #apply<Outcome>({ outcome, changes }: Transition<Outcome>): Outcome {
    applyChanges(this.#queries, changes)
    return outcome
  }

  #recordSubmission(lookupId: LookupId, customId: string, attempt: number, nowMs: number): void {
    const { jobId } = this.#requireIds()
    const previous = this.#queries.lastSubmission.get()?.chain ?? ''
    const chain = calculateNextChain(previous, { customId, attempt, intendedAtMs: nowMs })
    this.#queries.insertSubmission.run({ lookupId, jobId, attempt, customId, nowMs, chain })
  }

  /**
   * Restores a submission that was lost with a part of the checkpoint and is named by a webhook, by its scope and key.
   * Returns `undefined` if it belongs to another scope.
   */
  #restoreSubmission(customId: string, nowMs: number): LookupId | undefined {
    const name = parseCustomId(customId)
    const { scopeId } = this.#requireIds()
    if (name?.checkpointId !== this.id || name.scopeId !== scopeId) return undefined
    const lookupId = this.#queries.findLookup.get(scopeId, Buffer.from(name.keyHex, 'hex'))?.lookupId
    const row: LookupRow | undefined = lookupId === undefined ? undefined : this.#queries.lookup.get(lookupId)
    if (row === undefined) return undefined
    this.#recordSubmission(row.lookupId, customId, name.attempt, nowMs)
    // Nothing was submitted for it since, and nothing needs to be.
    if (row.customId === null && moveLookup(row.state, 'claim') !== null) {
      const attempt = Math.max(name.attempt, row.attempt)
      this.#queries.intend.run({ lookupId: row.lookupId, state: row.state, attempt, customId })
    }
    return row.lookupId
  }

  #requireIds(): KindIds {
    const ids = this.file.getIds(this.kind)
    if (ids === null) throw new Error(`this run has no lookups of the kind ${this.kind}`)
    return ids
  }

  /** Returns 0, which no scope has, if the kind has no lookups yet. */
  #findScopeId(): number {
    return this.file.getIds(this.kind)?.scopeId ?? 0
  }
}
