import { UserError } from '../../../core/errors.js'
import type { LookupKind } from '../../../core/lookup-state.js'
import type { Partition } from '../../../core/partition.js'
import { ServerChangedError } from '../../../platform/postgres/explain.js'
import { RetryingStatements, type RetryDeps } from '../../../platform/postgres/retry.js'
import type { Worker } from './lease.js'
import type { SharedDatabase } from './open-database.js'

const phases = {
  reading: 'reading the input',
  planning: 'planning',
  elsewhere: 'waiting for others',
} as const
type Phase = keyof typeof phases | 'submitting' | 'writing'

/** Activity of a worker, as `enrich status` shows it. */
class Activity {
  readonly #part: Partition | null
  readonly #inFlight: () => number
  #phase: Phase = 'reading'
  /** Intentions since the last call of `describe`. */
  #intendedCount = 0

  constructor(part: Partition | null, inFlight: () => number) {
    this.#part = part
    this.#inFlight = inFlight
  }

  note(phase: Phase): void {
    this.#phase = phase
    if (phase === 'submitting') this.#intendedCount++
  }

  /** Returns a short description for users. */
  describe(): string {
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

/** One input of one service; several workers may process it. */
export interface SharedJob {
  readonly jobId: number
  /** The service's scope; each kind of lookups has its own scope. */
  readonly base: string
  /** The kinds with at least one lookup so far. */
  readonly scopes: ReadonlyMap<LookupKind, number>
}

/** An opened and checked database. Id and generation are part of each `custom_id`. */
export type CheckpointDatabase = Pick<SharedDatabase, 'postgres' | 'id' | 'generation' | 'url' | 'explain'>

export interface SharedStoreDeps extends RetryDeps {
  readonly database: CheckpointDatabase
  readonly worker: Worker
  /** Service and input. */
  readonly job: SharedJob
  /** This process's part of the job; `null` if the job has no parts. */
  readonly part?: Partition | null
}

const createLeaseLostError = (why: string): UserError =>
  new UserError('CHECKPOINT_LEASE_LOST', `this process must not submit any more: ${why}`, {
    hint: 'run the same command again: its submissions are recorded, and nothing is submitted twice',
  })

/** How long to wait for a lease renewal before giving up. */
const leaseWaitMsMax = 60_000

/** State shared by the lookups of all kinds in one shared checkpoint. */
export class SharedStore extends RetryingStatements {
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
    super(deps.database, deps)
    this.#deps = deps
    this.id = deps.database.id
    this.generation = deps.database.generation
    this.worker = deps.worker
    this.job = deps.job
    this.#scopes = new Map(deps.job.scopes)
    this.activity = new Activity(deps.part ?? null, () => this.unsettled.size)
    this.worker.setActivity(() => this.activity.describe())
  }

  get clock(): RetryDeps['clock'] {
    return this.#deps.clock
  }

  /** Identifies this worker in wanted lists and claims. */
  get workerId(): number {
    return this.worker.id
  }

  /** Returns 0, which no scope has, if the kind has no lookups yet. */
  getScopeId(kind: LookupKind): number {
    return this.#scopes.get(kind) ?? 0
  }

  noteScope(kind: LookupKind, id: number): void {
    this.#scopes.set(kind, id)
  }

  /** Positions only grow, over all kinds. */
  nextPosition(): number {
    return ++this.#wantedCount
  }

  get lastPosition(): number {
    return this.#wantedCount
  }

  /** Runs a statement once, without retries. */
  queryOnce<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#deps.database.postgres.query<Row>(text, values)
  }

  /**
   * Throws CHECKPOINT_SERVER_CHANGED if another server responds, and CHECKPOINT_LEASE_LOST if this worker's wanted list
   * was deleted, or its lease was not renewed in time.
   */
  assertActive(waitedMs = 0): void {
    const { end, hold } = this.worker
    if (end === 'server_changed') throw this.#deps.database.explain(new ServerChangedError())
    if (end === null && waitedMs < leaseWaitMsMax) return
    throw createLeaseLostError(hold ?? 'its lease has expired')
  }

  /** Checks that the wanted list still exists: otherwise the run would seem complete. Throws like `assertActive`. */
  async assertRemembered(): Promise<void> {
    const sql = 'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_over'
    const rows = await this.query(sql, [this.workerId])
    if (rows.length > 0) return
    this.assertActive()
    throw createLeaseLostError('other workers took over its lookups because it did not renew its lease')
  }
}
