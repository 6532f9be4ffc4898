import type { Lookup } from '../../core/identity.js'
import { formatCustomId } from '../rules/custom-id.js'
import { moveLookup, type LookupEvent } from '../rules/lookup-life.js'
import type { LookupKind } from '../rules/lookup-kind.js'
import { nothingPlanned, type LookupPlan, type PlanPolicy } from '../rules/lookup-state.js'
import { opening } from '../../platform/close-stack.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type {
  Answer,
  Checkpoint,
  Claim,
  FirstAnswer,
  Intention,
  KeyedLookup,
  LookupId,
  OpenRun,
  RunContender,
  RunHolder,
  RunOwner,
} from './checkpoint.js'
import { keepReserve, type KindIds, type OpenCheckpointDeps } from './begin-run.js'
import { CheckpointFile } from './checkpoint-file.js'
import { readHead } from './head-file.js'
import { assertNotBehind } from './head-keeper.js'
import { assertCheckpointPath, explained, lockCheckpoint, openToWrite } from './open.js'
import { nextChain } from './row-checksums.js'
import { packAnswer } from './packed-answer.js'
import { bodyOf, moveOf, type Queries, type Settlement } from './queries.js'
import { awardRun, claimRun, contestRun, exchangeRuns } from './run-claims.js'
import { standingOf } from './verify.js'
import { WantedLookups } from './wanted-lookups.js'

export type { OpenCheckpointDeps } from './begin-run.js'

/** One process has it to itself: nothing is refused to it, and it is closed at once. */
export interface OwnCheckpoint extends Checkpoint {
  of(kind: LookupKind): OwnCheckpoint
  intend(lookupId: LookupId, nowMs: number): Promise<Intention>
  close(): void
}

/**
 * Opens the checkpoint for a run: locked, no older than its head, migrated, and with what a killed process left
 * behind sorted out.
 */
export function openCheckpoint(deps: OpenCheckpointDeps): OwnCheckpoint {
  const { path } = deps
  // The folder and file first: a path that cannot be a checkpoint gets the error that says so.
  assertCheckpointPath(path)
  return explained(path, () =>
    opening((stack) => {
      const lock = lockCheckpoint(path, deps.nowMs)
      stack.add(() => {
        lock.release()
      })
      assertNotBehind(standingOf(path).standing, deps)
      const database = openToWrite(path)
      stack.add(() => database.close())
      const reserve = keepReserve(path)
      stack.add(reserve.release)
      const file = new CheckpointFile(database, reserve, readHead(path), deps, stack)
      return new SqliteCheckpoint(file, 'resolution')
    }),
  )
}

/** The file is locked: nobody takes this process to be gone. */
const mayLeave = () => true

class SqliteCheckpoint implements OwnCheckpoint {
  readonly id: string
  readonly kind: LookupKind
  readonly #file: CheckpointFile
  readonly #queries: Queries
  readonly #wanted: WantedLookups
  readonly #others: Map<LookupKind, OwnCheckpoint>

  constructor(file: CheckpointFile, kind: LookupKind, others = new Map<LookupKind, OwnCheckpoint>()) {
    this.id = file.id
    this.kind = kind
    this.#file = file
    this.#queries = file.queries
    this.#wanted = new WantedLookups(file, kind)
    this.#others = others.set(kind, this)
  }

  of(kind: LookupKind): OwnCheckpoint {
    return this.#others.get(kind) ?? new SqliteCheckpoint(this.#file, kind, this.#others)
  }

  want(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    return this.#wanted.want(lookups)
  }

  plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    return this.#wanted.plan(policy)
  }

  follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): ReturnType<Checkpoint['follow']> {
    return this.#wanted.follow(lookups, policy)
  }

  reopen(outcomes: readonly string[]): Promise<number> {
    return this.#wanted.reopen(outcomes)
  }

  nextToSubmit(afterPosition: number, count: number): ReturnType<Checkpoint['nextToSubmit']> {
    return this.#wanted.nextToSubmit(afterPosition, count)
  }

  openRuns(): Promise<OpenRun[]> {
    return this.#wanted.openRuns()
  }

  elsewhere(): Promise<boolean> {
    return Promise.resolve(false)
  }

  settledElsewhere(): ReturnType<Checkpoint['settledElsewhere']> {
    return Promise.resolve(nothingPlanned())
  }

  /** Readers read the file itself. */
  copyForReading(): Promise<void> {
    return Promise.resolve()
  }

  firstAnswers(afterPosition: number, count: number): Promise<FirstAnswer[]> {
    return this.#wanted.firstAnswers(afterPosition, count)
  }

  firstQuestion(lookupId: LookupId): Promise<Lookup | null> {
    return this.#explained(() => this.#queries.firstQuestion.get(lookupId) ?? null)
  }

  intend(lookupId: LookupId, nowMs: number): Promise<Intention> {
    return this.#transaction(() => {
      this.#file.assertRoom()
      const { scopeId, jobId } = this.#ids()
      const { state, row } = moveOf(this.#queries, lookupId, 'intend')
      const attempt = row.attempt + 1
      // Names the checkpoint, the lookup (its scope and key) and the attempt: a webhook that echoes it is claimed.
      const customId = formatCustomId({
        checkpointId: this.id,
        scopeId,
        keyHex: row.key.toString('hex'),
        attempt,
        generation: this.#file.generation,
      })
      const previous = this.#queries.lastSubmission.get()?.chain ?? ''
      const chain = nextChain(previous, { customId, attempt, intendedAtMs: nowMs })
      this.#queries.intend.run({ lookupId, state, attempt, customId })
      this.#queries.insertSubmission.run({ lookupId, jobId, attempt, customId, nowMs, chain })
      return { customId, attempt, mayLeave }
    })
  }

  accept(lookupId: LookupId, customId: string, runId: string, nowMs: number): Promise<boolean | 'contested'> {
    return this.#transaction(() => {
      const others = this.#contenders(runId).filter((one) => one.customId !== customId)
      if (others.length === 0) {
        return this.#settleNow(lookupId, customId, 'accept', 'accepted', { runId, acceptedAtMs: nowMs })
      }
      // Its answer would come out on two lookups; whose it is, the answer alone can prove.
      const reason = `the service named ${runId}, the run of another submission`
      if (!this.#settleNow(lookupId, customId, 'lose', 'uncertain', { reason })) return false
      this.#queries.nameRun.run({ customId, runId })
      contestRun(this.#queries, runId, this.#contenders(runId), `the service named ${runId} twice`)
      return 'contested'
    })
  }

  withdraw(lookupId: LookupId, customId: string, reason: string, mayBeBilled = false): Promise<boolean> {
    const verdict = mayBeBilled ? 'uncertain' : 'not_created'
    return this.#settle(lookupId, customId, 'withdraw', verdict, { reason })
  }

  reject(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    return this.#settle(lookupId, customId, 'reject', 'rejected', { reason })
  }

  lose(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    return this.#settle(lookupId, customId, 'lose', 'uncertain', { reason })
  }

  claim(customId: string, runId: string, nowMs: number): Promise<Claim> {
    return this.#transaction(() => claimRun(this.#queries, { customId, runId, nowMs }, this.#own()))
  }

  contenders(runId: string): Promise<RunContender[]> {
    return this.#explained(() => this.#contenders(runId))
  }

  award(customId: string, runId: string, nowMs: number): Promise<boolean> {
    return this.#transaction(() => awardRun(this.#queries, customId, runId, this.#contenders(runId), nowMs))
  }

  exchangeRuns(one: RunHolder, other: RunHolder, nowMs: number): Promise<boolean> {
    return this.#transaction(() => exchangeRuns(this.#queries, one, other, nowMs))
  }

  ownerOf(runId: string): Promise<RunOwner | null> {
    return this.#explained(() => {
      const owner = this.#queries.ownerOf.get(runId)
      return owner === undefined ? null : { ...owner, isWanted: owner.isWanted === 1 }
    })
  }

  ownerOfKey(key: Uint8Array): Promise<RunOwner | null> {
    return this.#explained(() => {
      const owner = this.#queries.ownerOfKey.get(this.#scopeId(), key)
      return owner === undefined ? null : { ...owner, isWanted: owner.isWanted === 1 }
    })
  }

  disprove(lookupId: LookupId, customId: string, reason: string): Promise<void> {
    return this.#transaction(() => {
      const row = this.#queries.lookup.get(lookupId)
      // A webhook, or another answer, may have been faster.
      if (row?.state !== 'running' || row.customId !== customId) return
      const settlement = { runId: null, acceptedAtMs: null, reason }
      const { state } = moveOf(this.#queries, lookupId, 'reopen')
      this.#queries.settle.run({ lookupId, state, ...settlement })
      this.#queries.settleSubmission.run({ customId, verdict: 'not_created', ...settlement })
    })
  }

  lostSince(afterMs: number, among: 'wanted' | 'all' = 'wanted'): ReturnType<Checkpoint['lostSince']> {
    const lost = among === 'all' ? this.#queries.lostOfScope : this.#queries.lostSince
    return this.#explained(() => lost.all({ scopeId: this.#scopeId(), afterPosition: 0, afterMs }))
  }

  recentSubmissions(afterMs: number, countMax: number): Promise<number[]> {
    return this.#explained(() =>
      this.#queries.recentSubmissions.all({ scopeId: this.#scopeId(), afterMs, countMax }),
    )
  }

  bodyOf(lookupId: LookupId): Promise<string | null> {
    return this.#explained(() => bodyOf(this.#queries, lookupId))
  }

  answer(
    lookupId: LookupId,
    { line, body, ...answer }: Answer,
    isProved = false,
  ): ReturnType<Checkpoint['answer']> {
    const packed = packAnswer(line, body)
    return this.#transaction(() => {
      const row = this.#queries.lookup.get(lookupId)
      const event = answer.state === 'failed' ? 'fail' : 'answer'
      const state = row?.runId === answer.runId ? moveLookup(row.state, event) : null
      if (state === null) return false
      if (!isProved && this.#contenders(answer.runId).length > 1) return 'contested'
      this.#queries.finish.run({ lookupId, state, answeredAtMs: answer.answeredAtMs })
      this.#queries.insertAnswer.run({ lookupId, ...answer, ...packed })
      return true
    })
  }

  setNeedsAttention(lookupId: LookupId, reason: string | null): Promise<void> {
    return this.#transaction(() => {
      this.#queries.setNeedsAttention.run({ lookupId, reason })
    })
  }

  spent(): Promise<number> {
    return this.#explained(() => this.#queries.spent.get(this.#file.idsOf(this.kind)?.jobId ?? 0) ?? 0)
  }

  spentByRows(): Promise<number> {
    const { jobId = 0 } = this.#file.idsOf(this.kind) ?? {}
    return this.#explained(() => this.#queries.spentByRows.get(jobId) ?? 0)
  }

  endJob(nowMs: number): Promise<void> {
    return this.#transaction(() => {
      const jobId = this.#file.idsOf(this.kind)?.jobId
      if (jobId !== undefined) this.#queries.endJob.run({ jobId, nowMs })
    })
  }

  remember<Result>(change: (database: Sqlite) => Result): Promise<Result> {
    return this.#file.remember(change)
  }

  close(): void {
    this.#file.close()
  }

  /** Only the service makes runs that it could name twice: other lookups are known by what they ask. */
  #contenders(runId: string): RunContender[] {
    return this.kind === 'resolution' ? this.#queries.contenders.all({ runId, scopeId: this.#scopeId() }) : []
  }

  /** Leaves `intended`, and only that: a lookup is settled once. */
  #settle(
    lookupId: LookupId,
    customId: string,
    event: LookupEvent,
    verdict: string,
    details: Partial<Settlement>,
  ): Promise<boolean> {
    return this.#transaction(() => this.#settleNow(lookupId, customId, event, verdict, details))
  }

  #settleNow(
    lookupId: LookupId,
    customId: string,
    event: LookupEvent,
    verdict: string,
    details: Partial<Settlement>,
  ): boolean {
    // A webhook may be faster than the answer, and then knows better what the answer was.
    const left = this.#queries.lookup.get(lookupId)
    if (left?.customId === customId && left.state !== 'intended') return false
    const { state, row } = moveOf(this.#queries, lookupId, event)
    if (row.customId !== customId) throw new Error(`lookup ${lookupId} is not intended as ${customId}`)
    const settlement = { runId: null, acceptedAtMs: null, reason: null, ...details }
    this.#queries.settle.run({ lookupId, state, ...settlement })
    this.#queries.settleSubmission.run({ customId, verdict, ...settlement })
    return true
  }

  #own() {
    return { checkpointId: this.id, ...this.#ids() }
  }

  #ids(): KindIds {
    const ids = this.#file.idsOf(this.kind)
    if (ids === null) throw new Error(`nothing of the kind ${this.kind} is wanted`)
    return ids
  }

  /** No scope has the number 0. */
  #scopeId(): number {
    return this.#file.idsOf(this.kind)?.scopeId ?? 0
  }

  #transaction<Result>(action: () => Result): Promise<Result> {
    return this.#file.transaction(action)
  }

  #explained<Result>(action: () => Result): Promise<Result> {
    return this.#file.explained(action)
  }
}
