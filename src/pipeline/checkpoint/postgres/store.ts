import { UserError } from '../../../core/errors.js'
import { lookupKinds, type LookupKind, type PlanPolicy } from '../../../core/lookup-state.js'
import type { Partition } from '../../../core/partition.js'
import { ServerChangedError } from '../../../platform/postgres/explain.js'
import { RetryingStatements, type RetryDeps } from '../../../platform/postgres/retry.js'
import type { Retry, RunKinds } from '../records.js'
import { getCutoffMs } from '../transitions.js'
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

/** The settled lookups of a kind that a run reopens: by status, by age, and by the verdict of unanswered submissions. */
interface ReopenedLookups {
  readonly statuses: readonly string[]
  readonly cutoffMs: number
  readonly verdicts: readonly ('uncertain' | 'accepted')[]
}

const nothing: ReopenedLookups = { statuses: [], cutoffMs: -1, verdicts: [] }

/** The lookups that a run reopens, by kind. */
export class Reopening {
  readonly #kinds = new Map<LookupKind, ReopenedLookups>()

  /** Adds a policy to those of a kind. */
  add(kind: LookupKind, policy: PlanPolicy): void {
    const { statuses, cutoffMs, verdicts } = this.#kinds.get(kind) ?? nothing
    const { askAgain = [], onLost, knowsEarlierRuns } = policy
    const lost = onLost === 'resubmit' ? (['uncertain'] as const) : []
    const own = knowsEarlierRuns === false ? (['uncertain', 'accepted'] as const) : lost
    this.#kinds.set(kind, {
      statuses: [...new Set([...statuses, ...askAgain])],
      cutoffMs: Math.max(cutoffMs, getCutoffMs(policy)),
      verdicts: [...new Set([...verdicts, ...own])],
    })
  }

  /** Returns it as JSON by scope, for `buildMaySubmitSql`. */
  describe({ kinds, retry }: Pick<SharedJob, 'kinds' | 'retry'>): string {
    const entries = lookupKinds.map((kind) => {
      const own = this.#kinds.get(kind) ?? nothing
      return [kinds.getScopeId(kind), { ...own, retry: retry?.job ?? null }] as const
    })
    return JSON.stringify(Object.fromEntries(entries))
  }
}

/** One input of one service; several workers may process it. */
export interface SharedJob {
  readonly jobId: number
  /** The service's scope; each kind of lookups has its own scope. */
  readonly base: string
  readonly kinds: RunKinds<{ readonly scopeId: number }>
  /** `null` if this run is no retry. */
  readonly retry: Retry | null
  readonly reopening: Reopening
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

export const createLeaseLostError = (why: string): UserError =>
  new UserError('CHECKPOINT_LEASE_LOST', `this process must not submit any more: ${why}`, {
    hint: 'run the same command again: its submissions are recorded, and nothing is submitted twice',
  })

/** How long to wait for a lease renewal before giving up. */
const leaseWaitMsMax = 60_000

/** State shared by the lookups of all kinds in one shared checkpoint. */
export class SharedStore extends RetryingStatements {
  readonly database: CheckpointDatabase
  /** Its id identifies this worker in wanted lists and claims. */
  readonly worker: Worker
  readonly job: SharedJob
  /** Submissions of this process that it has not settled yet. */
  readonly unsettled = new Set<string>()
  readonly activity: Activity
  readonly clock: RetryDeps['clock']

  constructor(deps: SharedStoreDeps) {
    super(deps.database, deps)
    this.database = deps.database
    this.worker = deps.worker
    this.job = deps.job
    this.clock = deps.clock
    this.activity = new Activity(deps.part ?? null, () => this.unsettled.size)
    this.worker.setActivity(() => this.activity.describe())
  }

  /**
   * Throws CHECKPOINT_SERVER_CHANGED if another server responds, and CHECKPOINT_LEASE_LOST if this worker's wanted list
   * was deleted, or its lease was not renewed in time.
   */
  assertActive(waitedMs = 0): void {
    const { end, hold } = this.worker
    if (end === 'server_changed') throw this.database.explain(new ServerChangedError())
    if (end === null && waitedMs < leaseWaitMsMax) return
    throw createLeaseLostError(hold ?? 'its lease has expired')
  }
}
