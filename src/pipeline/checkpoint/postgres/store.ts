import { UserError } from '../../../core/errors.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupKind } from '../../lookups/lookup-kind.js'
import type { Partition } from '../../lookups/partition.js'
import { ServerChangedError } from '../../../platform/postgres/explain.js'
import { anyConflict, repeated, type RepeatingDeps } from './retry.js'
import type { Worker } from './lease.js'

const phases = {
  reading: 'reading the input',
  planning: 'planning',
  elsewhere: 'waiting for others',
} as const
type Phase = keyof typeof phases | 'submitting' | 'writing'

/** What a process does, as `enrich status` shows it to others. */
class Activity {
  readonly #part: Partition | null
  readonly #inFlight: () => number
  #phase: Phase = 'reading'
  /** Intentions since it was last asked. */
  #intendedCount = 0

  constructor(part: Partition | null, inFlight: () => number) {
    this.#part = part
    this.#inFlight = inFlight
  }

  note(phase: Phase): void {
    this.#phase = phase
    if (phase === 'submitting') this.#intendedCount++
  }

  /** A few words, for people. */
  text(): string {
    const isSubmitting = this.#inFlight() + this.#intendedCount > 0
    this.#intendedCount = 0
    switch (this.#phase) {
      case 'submitting':
        return isSubmitting ? `submitting, ${this.#inFlight()} in flight` : 'waiting for answers'
      case 'writing':
        return this.#part === null
          ? 'writing the output'
          : `publishing part ${this.#part.index}/${this.#part.count}`
      default:
        return phases[this.#phase]
    }
  }
}

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
  /** The part of the job that this process has; null: its job has no parts. */
  readonly part?: Partition | null
}

const leaseLost = (why: string): UserError =>
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
  readonly activity: Activity
  readonly #deps: SharedStoreDeps
  readonly #scopes: Map<LookupKind, number>
  #wantedCount = 0

  constructor(deps: SharedStoreDeps) {
    this.#deps = deps
    this.id = deps.id
    this.generation = deps.generation
    this.worker = deps.worker
    this.job = deps.job
    this.#scopes = new Map(deps.job.scopes)
    this.activity = new Activity(deps.part ?? null, () => this.unsettled.size)
    this.worker.tell(() => this.activity.text())
  }

  get clock(): RepeatingDeps['clock'] {
    return this.#deps.clock
  }

  /** What it wants, and has claimed, is under this number. */
  get workerId(): number {
    return this.worker.id
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

  /**
   * Throws CHECKPOINT_SERVER_CHANGED where another server answers, and CHECKPOINT_LEASE_LOST where what this process wants
   * is forgotten, or its lease has not come back for so long.
   */
  assertGoesOn(waitedMs = 0): void {
    const { end, hold } = this.worker
    if (end === 'server_changed') throw this.#deps.explain(new ServerChangedError())
    if (end === null && waitedMs < leaseWaitMsMax) return
    throw leaseLost(hold ?? 'its lease has run out')
  }

  /** What it wants is all there still: what is forgotten looks as if it wanted nothing. Throws as `assertGoesOn`. */
  async assertRemembered(): Promise<void> {
    const sql = 'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_over'
    const rows = await this.query(sql, [this.workerId])
    if (rows.length > 0) return
    this.assertGoesOn()
    throw leaseLost('others took it to be gone, and what it wanted is forgotten')
  }

  readonly #explained = (error: unknown): never => {
    throw this.#deps.explain(error)
  }
}
