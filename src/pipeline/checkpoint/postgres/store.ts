import { UserError } from '../../../core/errors.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupKind } from '../../rules/lookup-kind.js'
import { anyConflict, repeated, type RepeatingDeps } from './repeating.js'
import type { Worker } from './worker.js'

/** One input of one service, whichever processes work on it. */
export interface SharedJob {
  readonly jobId: number
  /** Of the service; each kind of lookups has a scope of its own. */
  readonly base: string
  /** Of the kinds that anything was ever wanted of. */
  readonly scopes: ReadonlyMap<LookupKind, number>
}

export interface SharedStoreDeps extends RepeatingDeps {
  /** Says in a user's words what the server refused; what is none of that is given back as it is. */
  readonly explain: (error: unknown) => unknown
  readonly postgres: Postgres
  readonly worker: Worker
  /** Of the checkpoint: these go into each `custom_id`. */
  readonly id: string
  readonly generation: number
  /** Whose answers, and what is worked on. */
  readonly job: SharedJob
}

const leaseLost = (why = 'others took it to be gone'): UserError =>
  new UserError('CHECKPOINT_LEASE_LOST', `this process may not submit any more: ${why}`, {
    hint: 'run the same command again: what it had submitted is known, and nothing is submitted twice',
  })

/** A lease that is not renewed within this is not about to be. */
const leaseWaitMsMax = 60_000

/** What the lookups of all kinds in one shared checkpoint have in common. */
export class SharedStore implements PostgresStatements {
  readonly id: string
  readonly generation: number
  readonly worker: Worker
  readonly job: SharedJob
  /** Submissions of this process that it has not settled yet. */
  readonly unsettled = new Set<string>()
  readonly #deps: SharedStoreDeps
  readonly #joinedAs: number
  readonly #scopes: Map<LookupKind, number>
  #wantedCount = 0

  constructor(deps: SharedStoreDeps) {
    this.#deps = deps
    this.id = deps.id
    this.generation = deps.generation
    this.worker = deps.worker
    this.#joinedAs = deps.worker.id
    this.job = deps.job
    this.#scopes = new Map(deps.job.scopes)
  }

  get clock(): RepeatingDeps['clock'] {
    return this.#deps.clock
  }

  /** As which it joined: what it wants, and has claimed, is under this number. */
  get workerId(): number {
    return this.#joinedAs
  }

  /** 0, which no scope has, before anything of the kind was ever wanted. */
  scopeId(kind: LookupKind): number {
    return this.#scopes.get(kind) ?? 0
  }

  noteScope(kind: LookupKind, scopeId: number): void {
    this.#scopes.set(kind, scopeId)
  }

  /** Positions only grow, over all kinds. */
  nextPosition(): number {
    return ++this.#wantedCount
  }

  get lastPosition(): number {
    return this.#wantedCount
  }

  /** A statement that may be made twice. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.repeated(() => this.#deps.postgres.query<Row>(text, values))
  }

  /** Statements that may be made twice, together; `work` is called with whether they may have been made before. */
  transaction<Result>(
    work: (statements: PostgresStatements, mayHaveTakenEffect: boolean) => Promise<Result>,
  ): Promise<Result> {
    const { postgres } = this.#deps
    const once = (mayHave: boolean) => postgres.transaction((statements) => work(statements, mayHave))
    return repeated(this.#deps, once, anyConflict).catch(this.#explained)
  }

  /** Sent once, whatever becomes of it. */
  queryOnce<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#deps.postgres.query<Row>(text, values)
  }

  repeated<Result>(work: (mayHaveTakenEffect: boolean) => Promise<Result>): Promise<Result> {
    return repeated(this.#deps, work).catch(this.#explained)
  }

  /** Throws CHECKPOINT_LEASE_LOST where others took this process to be gone, or its lease does not come back. */
  assertJoined(waitedMs: number): void {
    const { id, hold } = this.worker
    if (id === this.#joinedAs && waitedMs < leaseWaitMsMax) return
    throw leaseLost(id === this.#joinedAs ? (hold ?? 'its lease has run out') : undefined)
  }

  /**
   * The same, as the server knows it: what a process wanted that is taken to be gone is not there any more, which looks
   * as if it wanted nothing.
   */
  async assertLives(): Promise<void> {
    const sql = 'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_fenced'
    const rows = await this.query(sql, [this.#joinedAs])
    if (rows.length === 0) throw leaseLost()
  }

  readonly #explained = (error: unknown): never => {
    throw this.#deps.explain(error)
  }
}
