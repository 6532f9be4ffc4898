import type { FoundHead } from '../rules/checkpoint-standing.js'
import { formatCustomId } from '../rules/custom-id.js'
import { moveLookup, type LookupEvent } from '../rules/lookup-life.js'
import { planLookup, type LookupPlan, type PlanPolicy } from '../rules/lookup-state.js'
import { createGatheredTransactions, type GatheredTransactions } from '../../platform/gathered-commits.js'
import { opening, type CloseStack } from '../../platform/close-stack.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type {
  Answer,
  Checkpoint,
  Claim,
  Intention,
  LookupId,
  OpenRun,
  RunContender,
  RunOwner,
  ToSubmit,
} from './checkpoint.js'
import { beginRun, checkpointId, keepReserve, type OpenCheckpointDeps, type Reserve } from './begin-run.js'
import { damaged } from './damage-error.js'
import { damageText, findDamage } from './find-damage.js'
import { readHead } from './head-file.js'
import { assertNotBehind, HeadKeeper } from './head-keeper.js'
import {
  assertCheckpointPath,
  diskFull,
  explainCheckpointError,
  explained,
  lockCheckpoint,
  openToWrite,
} from './open.js'
import { nextChain } from './row-checksums.js'
import { packAnswer } from './packed-answer.js'
import { bodyOf, moveOf, prepareQueries, type Queries, type Settlement } from './queries.js'
import { awardRun, claimRun, contestRun } from './run-claims.js'
import { standingOf } from './verify.js'

export type { OpenCheckpointDeps } from './begin-run.js'

/**
 * Opens the checkpoint for a run: locked, no older than its head, migrated, and with what a killed process left
 * behind sorted out.
 */
export function openCheckpoint(deps: OpenCheckpointDeps): Checkpoint {
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
      const database = openToWrite(path, (text) =>
        deps.notice?.(`${text}. Then enrich checkpoint compact frees the room that is left over.`),
      )
      stack.add(() => database.close())
      const reserve = keepReserve(path)
      stack.add(reserve.release)
      return new SqliteCheckpoint(database, reserve, readHead(path), deps, stack)
    }),
  )
}

class SqliteCheckpoint implements Checkpoint {
  readonly id: string
  readonly #database: Sqlite
  readonly #stack: CloseStack
  readonly #reserve: Reserve
  readonly #path: string
  readonly #scopeId: number
  readonly #jobId: number
  readonly #commits: GatheredTransactions
  readonly #head: HeadKeeper
  readonly #queries: Queries
  #isSubmittable = false

  constructor(
    database: Sqlite,
    reserve: Reserve,
    found: FoundHead,
    deps: OpenCheckpointDeps,
    stack: CloseStack,
  ) {
    this.#database = database
    this.#reserve = reserve
    this.#stack = stack
    this.#path = deps.path
    this.id = checkpointId(database, deps, found)
    this.#head = new HeadKeeper(database, found, deps)
    const run = beginRun(database, deps)
    this.#scopeId = run.scopeId
    this.#jobId = run.jobId
    this.#queries = prepareQueries(database)
    // What a power cut takes of these commits is asked again for nothing; a killed process loses none of them.
    if (deps.isBilled === false) database.pragma('synchronous = NORMAL')
    this.#commits = createGatheredTransactions(database, {
      makeRoom: reserve.release,
      beforeCommit: this.#head.beforeCommit,
      afterCommit: this.#head.afterCommit,
    })
  }

  want(lookups: Parameters<Checkpoint['want']>[0]): Promise<LookupId[]> {
    const { insertLookup, findLookup, nameLookup, insertWanted } = this.#queries
    return this.#transaction(() =>
      lookups.map(({ key, lookup }) => {
        const known = findLookup.get(this.#scopeId, key)
        if (known?.isSound === 0) throw damaged(this.#path, undefined, 'an index leads to another lookup')
        const id =
          known?.lookupId ??
          Number(insertLookup.run({ ...lookup, key, scopeId: this.#scopeId }).lastInsertRowid)
        if (known?.isNameless === 1) nameLookup.run({ ...lookup, lookupId: id })
        insertWanted.run(id)
        return id
      }),
    )
  }

  plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    return this.#transaction(() => {
      const counts = { submit: 0, poll: 0, answered: 0, invalid: 0, uncertain: 0, failed: 0 }
      const cutoffMs = policy.maxAgeMs === null ? -1 : policy.nowMs - policy.maxAgeMs
      const groups = this.#queries.groups
        .all(cutoffMs)
        .map((group) => ({ ...group, plan: planLookup(group, policy) }))
      for (const { plan, count } of groups) counts[plan] += count
      if (counts.submit > 0) this.#assertSubmittable()
      for (const { plan, state, isOld } of groups) {
        if (plan === 'submit' && state !== 'new') this.#queries.reopen.run({ state, cutoffMs, isOld })
      }
      return counts
    })
  }

  reopen(outcomes: readonly string[]): Promise<number> {
    return this.#transaction(() => {
      this.#assertSubmittable()
      return this.#queries.reopenOutcomes.run({ outcomes: JSON.stringify(outcomes) }).changes
    })
  }

  nextToSubmit(afterPosition: number, count: number): Promise<{ position: number; lookup: ToSubmit }[]> {
    return this.#explained(() =>
      this.#queries.nextToSubmit
        .all(afterPosition, count)
        .map(({ position, ...lookup }) => ({ position, lookup })),
    )
  }

  openRuns(): Promise<OpenRun[]> {
    return this.#explained(() => this.#queries.openRuns.all())
  }

  intend(lookupId: LookupId, nowMs: number): Promise<Intention> {
    return this.#transaction(() => {
      // The room left is for what is in flight: nothing more may leave.
      if (!this.#reserve.isHeld) throw diskFull(this.#path)
      const { state, row } = moveOf(this.#queries, lookupId, 'intend')
      const attempt = row.attempt + 1
      // Names the checkpoint, the lookup (its scope and key) and the attempt: a webhook that echoes it is claimed.
      const customId = formatCustomId({
        checkpointId: this.id,
        scopeId: this.#scopeId,
        keyHex: row.key.toString('hex'),
        attempt,
        generation: this.#head.generation,
      })
      const previous = this.#queries.lastSubmission.get()?.chain ?? ''
      const chain = nextChain(previous, { customId, attempt, intendedAtMs: nowMs })
      this.#queries.intend.run({ lookupId, state, attempt, customId })
      this.#queries.insertSubmission.run({ lookupId, jobId: this.#jobId, attempt, customId, nowMs, chain })
      return { customId, attempt }
    })
  }

  accept(
    lookupId: LookupId,
    customId: string,
    runId: string,
    nowMs: number,
  ): ReturnType<Checkpoint['accept']> {
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

  withdraw(lookupId: LookupId, customId: string, reason: string): Promise<boolean> {
    return this.#settle(lookupId, customId, 'withdraw', 'not_created', { reason })
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

  ownerOf(runId: string): Promise<RunOwner | null> {
    return this.#explained(() => {
      const owner = this.#queries.ownerOf.get(runId)
      return owner === undefined ? null : { ...owner, isWanted: owner.isWanted === 1 }
    })
  }

  lostSince(afterMs: number): ReturnType<Checkpoint['lostSince']> {
    return this.#explained(() => this.#queries.lostSince.all(afterMs))
  }

  recentSubmissions(afterMs: number, countMax: number): Promise<number[]> {
    return this.#explained(() =>
      this.#queries.recentSubmissions.all({ scopeId: this.#scopeId, afterMs, countMax }),
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
    return this.#explained(() => this.#queries.spent.get(this.#jobId) ?? 0)
  }

  endJob(nowMs: number): Promise<void> {
    return this.#transaction(() => {
      this.#queries.endJob.run({ jobId: this.#jobId, nowMs })
    })
  }

  close(): void {
    if (!this.#database.open) return
    // Added last, so closed first.
    this.#stack.add(() => {
      this.#head.close()
    })
    this.#stack.add(this.#commits.flush)
    this.#stack.close()
  }

  #contenders(runId: string): RunContender[] {
    return this.#queries.contenders.all({ runId, scopeId: this.#scopeId })
  }

  /** What is known decides what is billed: once in each run it is made sure that it can be believed. */
  #assertSubmittable(): void {
    if (this.#isSubmittable) return
    const found = findDamage(this.#database, 'wanted')
    if (found.length > 0) throw damaged(this.#path, undefined, damageText(found))
    this.#head.assertOwn()
    this.#isSubmittable = true
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
    if (this.#isClaimed(lookupId, customId)) return false
    const { state, row } = moveOf(this.#queries, lookupId, event)
    if (row.customId !== customId) throw new Error(`lookup ${lookupId} is not intended as ${customId}`)
    const settlement = { runId: null, acceptedAtMs: null, reason: null, ...details }
    this.#queries.settle.run({ lookupId, state, ...settlement })
    this.#queries.settleSubmission.run({ customId, verdict, ...settlement })
    return true
  }

  #isClaimed(lookupId: LookupId, customId: string): boolean {
    const row = this.#queries.lookup.get(lookupId)
    return row?.customId === customId && row.state !== 'intended'
  }

  #own() {
    return { checkpointId: this.id, scopeId: this.#scopeId, jobId: this.#jobId }
  }

  /** Durable when it resolves. */
  #transaction<Result>(action: () => Result): Promise<Result> {
    return this.#commits.add(action).catch((error: unknown) => {
      throw explainCheckpointError(this.#path, error)
    })
  }

  /** Promises, though SQLite answers at once: a store on another machine can stand behind the interface. */
  #explained<Result>(action: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      resolve(explained(this.#path, action))
    })
  }
}
