import type { FoundHead } from '../rules/checkpoint-standing.js'
import { stageKinds, type LookupKind } from '../rules/lookup-kind.js'
import { createGatheredTransactions, type GatheredTransactions } from '../../platform/gathered-commits.js'
import type { CloseStack } from '../../platform/close-stack.js'
import type { Sqlite } from '../../platform/sqlite.js'
import {
  beginRun,
  checkpointId,
  hasScope,
  kindIds,
  type KindIds,
  type OpenCheckpointDeps,
  type Reserve,
} from './begin-run.js'
import { damaged } from './damage-error.js'
import { damageText, findDamage, isHarmless, type Damage } from './find-damage.js'
import { HeadKeeper } from './head-keeper.js'
import { diskFull, explainCheckpointError, explained, openToRead } from './open.js'
import { prepareQueries, type Queries } from './queries.js'

/** Answers come one by one from the matchers, a few milliseconds apart; a commit of ten costs as much as three of one. */
const unbilledGatherMs = 8

/** What the lookups of all kinds in one checkpoint share: the file, its lock and head, and its commits. */
export class CheckpointFile {
  readonly id: string
  readonly path: string
  readonly queries: Queries
  readonly #database: Sqlite
  readonly #stack: CloseStack
  readonly #reserve: Reserve
  readonly #deps: OpenCheckpointDeps
  readonly #commits: GatheredTransactions
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
    this.id = checkpointId(database, deps, found)
    this.#head = new HeadKeeper(database, found, deps)
    this.#kinds.set('resolution', beginRun(database, deps))
    for (const kind of stageKinds)
      if (hasScope(database, deps, kind)) this.#kinds.set(kind, kindIds(database, deps, kind))
    this.queries = prepareQueries(database)
    // What a power cut takes of these commits is asked again for nothing; a killed process loses none of them.
    if (deps.isBilled === false) database.pragma('synchronous = NORMAL')
    this.#commits = createGatheredTransactions(database, {
      makeRoom: reserve.release,
      beforeCommit: this.#head.beforeCommit,
      afterCommit: this.#head.afterCommit,
      gatherMs: deps.isBilled === false ? unbilledGatherMs : null,
    })
  }

  get generation(): number {
    return this.#head.generation
  }

  /** Null before anything of the kind was ever wanted. */
  idsOf(kind: LookupKind): KindIds | null {
    return this.#kinds.get(kind) ?? null
  }

  /** Makes what names the kind. To be called within a transaction. */
  begin(kind: LookupKind): KindIds {
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    // A transaction that is rolled back takes them with it: they are looked up until they are known to be there.
    return kindIds(this.#database, this.#deps, kind)
  }

  /** The transaction that made them is done. */
  begun(kind: LookupKind, ids: KindIds): void {
    this.#kinds.set(kind, ids)
  }

  /** Positions only grow, over all kinds. */
  nextPosition(): number {
    return ++this.#wantedCount
  }

  get lastPosition(): number {
    return this.#wantedCount
  }

  /** What is known decides what is billed: once in each run it is made sure that it can be believed. */
  assertSubmittable(): void {
    if (this.#isSubmittable) return
    const found = this.#findDamage().filter((damage) => !isHarmless(damage))
    if (found.length > 0) throw damaged(this.path, undefined, damageText(found))
    this.#head.assertOwn()
    this.#isSubmittable = true
  }

  #findDamage(): Damage[] {
    const beside = openToRead(this.path, 'unfinished')
    try {
      return findDamage(this.#database, 'wanted', beside ?? this.#database)
    } finally {
      beside?.close()
    }
  }

  /** The room left is for what is in flight: where it is given up, nothing more may leave. Throws DISK_FULL. */
  assertRoom(): void {
    if (!this.#reserve.isHeld) throw diskFull(this.path)
  }

  /** Durable when it resolves. */
  transaction<Result>(action: () => Result): Promise<Result> {
    return this.#commits.add(action).catch((error: unknown) => {
      throw explainCheckpointError(this.path, error)
    })
  }

  /** The same for what is a batch by itself: it waits for no company, and takes what waits along. */
  batch<Result>(action: () => Result): Promise<Result> {
    const done = this.transaction(action)
    this.#commits.flush()
    return done
  }

  /** The tables of history are changed in it, and no others. */
  remember<Result>(change: (database: Sqlite) => Result): Promise<Result> {
    return this.batch(() => change(this.#database))
  }

  /** Promises, though SQLite answers at once: a store on another machine can stand behind the interface. */
  explained<Result>(action: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      resolve(explained(this.path, action))
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
