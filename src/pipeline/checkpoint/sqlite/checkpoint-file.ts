import type { FoundHead } from '../../figures/checkpoint-standing.js'
import { stageKinds, type LookupKind } from '../../lookups/lookup-kind.js'
import { createGroupTransactions, type GroupTransactions } from '../../../platform/group-commit.js'
import type { CloseStack } from '../../../platform/close-stack.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import {
  beginRun,
  ensureCheckpointId,
  hasScope,
  ensureKindIds,
  type KindIds,
  type OpenCheckpointDeps,
  type Reserve,
} from './begin-run.js'
import { createDamagedError } from '../checkpoint-errors.js'
import { describeDamage, findDamage, isHarmless, type Damage } from './verify.js'
import { HeadKeeper } from './head-keeper.js'
import {
  createDiskFullError,
  explainCheckpointError,
  withExplainedErrors,
  openToRead,
} from './open-database.js'
import { prepareQueries, type Queries, type WantedFrom } from './queries.js'
import { createEmptyPlan, planLookup, type LookupPlan, type PlanPolicy } from '../../lookups/lookup-state.js'
import type { Checkpoint, RowAnswer, KeyedLookup, LookupId, OpenRun } from '../checkpoint.js'
import { unpackBody } from '../packed-answer.js'

/** Matchers return answers a few milliseconds apart; a commit of ten costs as much as three single ones. */
const unbilledGatherMs = 25

/** State shared by the lookups of all kinds in one checkpoint: the file, its lock and head, and its commits. */
export class CheckpointFile {
  readonly id: string
  readonly path: string
  readonly queries: Queries
  readonly #database: Sqlite
  readonly #stack: CloseStack
  readonly #reserve: Reserve
  readonly #deps: OpenCheckpointDeps
  readonly #commits: GroupTransactions
  readonly #head: HeadKeeper
  readonly #kinds = new Map<LookupKind, KindIds>()
  #wantedCount = 0
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
    this.#deps = deps
    this.path = deps.path
    this.id = ensureCheckpointId(database, deps, found)
    this.#head = new HeadKeeper(database, found, deps)
    this.#kinds.set('resolution', beginRun(database, deps))
    for (const kind of stageKinds)
      if (hasScope(database, deps, kind)) this.#kinds.set(kind, ensureKindIds(database, deps, kind))
    this.queries = prepareQueries(database)
    // A power failure may lose unbilled commits, which are free to repeat; a killed process loses none.
    if (deps.isBilled === false) database.pragma('synchronous = NORMAL')
    this.#commits = createGroupTransactions(database, {
      makeRoom: reserve.release,
      beforeCommit: this.#head.beforeCommit,
      afterCommit: this.#head.afterCommit,
      gatherMs: deps.isBilled === false ? unbilledGatherMs : null,
    })
  }

  get generation(): number {
    return this.#head.generation
  }

  /** Returns `null` before the kind has any lookup. */
  getIds(kind: LookupKind): KindIds | null {
    return this.#kinds.get(kind) ?? null
  }

  /** Creates the scope and the job of a kind. Call within a transaction. */
  begin(kind: LookupKind): KindIds {
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    // Not cached yet, because the transaction may be rolled back.
    return ensureKindIds(this.#database, this.#deps, kind)
  }

  /** Caches the row ids of a kind. Call it after the transaction that made them is committed. */
  cacheIds(kind: LookupKind, ids: KindIds): void {
    this.#kinds.set(kind, ids)
  }

  /** Positions only grow, over all kinds. */
  nextPosition(): number {
    return ++this.#wantedCount
  }

  get lastPosition(): number {
    return this.#wantedCount
  }

  /** Verifies the checkpoint once per run, because it decides about billing. */
  assertSubmittable(): void {
    if (this.#isSubmittable) return
    const found = this.#findDamage().filter((damage) => !isHarmless(damage))
    if (found.length > 0) throw createDamagedError(this.path, undefined, describeDamage(found))
    this.#head.assertOwn()
    this.#isSubmittable = true
  }

  #findDamage(): Damage[] {
    const second = openToRead(this.path, 'unfinished')
    try {
      return findDamage(this.#database, 'wanted', second ?? this.#database)
    } finally {
      second?.close()
    }
  }

  /** The reserve covers requests in flight: once it is released, nothing more may be sent. Throws DISK_FULL. */
  assertRoom(): void {
    if (!this.#reserve.isHeld) throw createDiskFullError(this.path)
  }

  /** Durable when it resolves. */
  withTransaction<Result>(action: () => Result): Promise<Result> {
    return this.#commits.add(action).catch((error: unknown) => {
      throw explainCheckpointError(this.path, error)
    })
  }

  /** Like `transaction`, for a whole batch: commits at once, together with waiting transactions. */
  batch<Result>(action: () => Result): Promise<Result> {
    const done = this.withTransaction(action)
    this.#commits.flush()
    return done
  }

  /** Changes only the history tables. */
  commitHistory<Result>(change: (database: Sqlite) => Result): Promise<Result> {
    return this.batch(() => change(this.#database))
  }

  /** Returns a promise, although SQLite is synchronous, because the interface also covers servers. */
  read<Result>(action: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      resolve(withExplainedErrors(this.path, action))
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
}

/** The lookups of one kind in this run; see `Checkpoint`. */
export class RunLookups {
  constructor(
    protected readonly file: CheckpointFile,
    readonly kind: LookupKind,
  ) {}

  async registerLookups(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    await this.#begin(lookups)
    return this.file.batch(() => lookups.map((lookup) => this.#addWanted(lookup, 1)))
  }

  plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    // A kind without lookups has nothing to plan.
    const isUnknown = this.file.getIds(this.kind) === null
    return isUnknown ? Promise.resolve(createEmptyPlan()) : this.file.batch(() => this.#plan(policy, 0))
  }

  async follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): ReturnType<Checkpoint['follow']> {
    await this.#begin(lookups)
    return this.file.withTransaction(() => {
      const afterPosition = this.file.lastPosition
      for (const lookup of lookups) this.#addWanted(lookup, 0)
      const plan = this.#plan(policy, afterPosition)
      return { plan, open: this.file.queries.openRuns.all(this.#getRange(afterPosition)) }
    })
  }

  reopen(outcomes: readonly string[]): Promise<number> {
    return this.file.batch(() => {
      return this.#reopen(outcomes, 0)
    })
  }

  nextToSubmit(afterPosition: number, count: number): ReturnType<Checkpoint['nextToSubmit']> {
    return this.file.read(() =>
      this.file.queries.nextToSubmit
        .all({ ...this.#getRange(afterPosition), count })
        .map(({ position, ...lookup }) => ({ position, lookup })),
    )
  }

  listOpenRuns(): Promise<OpenRun[]> {
    return this.file.read(() => this.file.queries.openRuns.all(this.#getRange(0)))
  }

  listRowAnswers(afterPosition: number, count: number): Promise<RowAnswer[]> {
    return this.file.read(() =>
      this.file.queries.firstAnswers
        .all({ ...this.#getRange(afterPosition), count })
        .map(({ position, lookupId, name, location, context, ...packed }) => ({
          position,
          lookupId,
          asked: { name, location, context },
          body: unpackBody(packed),
        })),
    )
  }

  /** Creates the scope and the job of each new kind. */
  async #begin(lookups: readonly KeyedLookup[]): Promise<void> {
    const kinds = new Set(lookups.map(({ kind }) => kind))
    const fresh = [...kinds].filter((kind) => this.file.getIds(kind) === null)
    if (fresh.length === 0) return
    const made = await this.file.batch(() => fresh.map((kind) => [kind, this.file.begin(kind)] as const))
    for (const [kind, ids] of made) this.file.cacheIds(kind, ids)
  }

  #addWanted({ kind, key, lookup, isDecided }: KeyedLookup, isFirst: 0 | 1): LookupId {
    const { insertLookup, findLookup, nameLookup, insertWanted } = this.file.queries
    const scopeId = this.file.getIds(kind)?.scopeId ?? 0
    const known = findLookup.get(scopeId, key)
    if (known?.isSound === 0)
      throw createDamagedError(this.file.path, undefined, 'an index points to the wrong lookup')
    const lookupId = known?.lookupId ?? Number(insertLookup.run({ ...lookup, key, scopeId }).lastInsertRowid)
    if (known?.isNameless === 1) nameLookup.run({ ...lookup, lookupId })
    const position = this.file.nextPosition()
    insertWanted.run({ scopeId, position, lookupId, isFirst, isDecided: isDecided === true ? 1 : 0 })
    return lookupId
  }

  #plan(policy: PlanPolicy, afterPosition: number): Record<LookupPlan, number> {
    const counts = createEmptyPlan()
    counts.decided = this.file.queries.decidedCount.get(this.#getRange(afterPosition)) ?? 0
    const cutoffMs = policy.maxAgeMs === null ? -1 : policy.nowMs - policy.maxAgeMs
    const from = this.#getRange(afterPosition)
    if (policy.askAgain !== undefined && policy.askAgain.length > 0)
      this.#reopen(policy.askAgain, afterPosition)
    const groups = this.file.queries.groups
      .all({ ...from, cutoffMs })
      .map((group) => ({ ...group, plan: planLookup(group, policy) }))
    for (const { plan, count } of groups) counts[plan] += count
    if (counts.submit > 0) this.file.assertSubmittable()
    for (const { plan, state, isOld } of groups) {
      if (plan === 'submit' && state !== 'new')
        this.file.queries.reopen.run({ ...from, state, cutoffMs, isOld })
      if (plan !== 'poll' || state !== 'uncertain') continue
      const lost = { ...from, runIdPrefix: `${this.kind}:`, nowMs: policy.nowMs }
      this.file.queries.runLostSubmissions.run(lost)
      this.file.queries.runLost.run(lost)
    }
    return counts
  }

  #reopen(outcomes: readonly string[], afterPosition: number): number {
    this.file.assertSubmittable()
    const from = this.#getRange(afterPosition)
    return this.file.queries.reopenOutcomes.run({ ...from, outcomes: JSON.stringify(outcomes) }).changes
  }

  /** No scope has the number 0. */
  #getRange(afterPosition: number): WantedFrom {
    return { scopeId: this.file.getIds(this.kind)?.scopeId ?? 0, afterPosition }
  }
}
