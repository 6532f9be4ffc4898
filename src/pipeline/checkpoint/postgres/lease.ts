import { getErrorText } from '../../../core/errors.js'
import { hostname } from 'node:os'
import type { Clock } from '../../../platform/clock.js'
import { ConnectionLostError, PostgresError, type Postgres } from '../../../platform/postgres/postgres.js'
import { startPeriodicTask } from '../../../platform/postgres/retry.js'
import {
  isSameServer,
  systemIdentifierSql,
  timelineSql,
  type ServerIdentity,
} from '../../../platform/postgres/own-database.js'
import { assertNotMoved, isOpenSql } from './open-database.js'

/** The reason why a worker may never submit again. */
type WorkerEnd = 'server_changed' | 'gone'

/**
 * A worker of a shared checkpoint. It has a lease by the server's clock, renewed while it lives. Once the lease has
 * expired, other workers may take over its unsent lookups and wait for its runs; they never submit again what it may
 * have submitted.
 */
export interface Worker {
  /** Its `worker_id`. */
  readonly id: number
  /** Grows each time the worker was fenced and continued: intentions of earlier terms must not be sent. */
  readonly term: number
  /**
   * Whether a billed request may be sent now: less than 70 % of the lease has passed by this machine's monotonic clock,
   * the wall clock has not jumped since, and the server is unchanged. `intendedIn` is the term of the intention:
   * returns false if the worker was fenced since, even if it continued.
   */
  mayLeave(intendedIn?: number): boolean
  /** The reason why it may not, for users; `null` if it may. */
  readonly hold: string | null
  /**
   * The server was replaced or restored, so it may lack billed submissions; or the worker was away so long that its
   * wanted list was deleted. `null` if it may continue, now or later.
   */
  readonly end: WorkerEnd | null
  /** Sets the activity shown to other users, evaluated at each renewal. */
  setActivity(doing: () => string): void
  /** Ends the lease: its unsent lookups become free. */
  close(): Promise<void>
}

/** In milliseconds. */
export interface LeaseTimes {
  readonly lease: number
  readonly renewEvery: number
  /** Largest drift between the wall clock and the monotonic clock between two renewals. */
  readonly clockJumpMax: number
}

export const leaseTimes: LeaseTimes = { lease: 30_000, renewEvery: 5_000, clockJumpMax: 5_000 }

/** The rest of the lease covers clock differences and requests on their way. */
const usedShareMax = 0.7

export interface WorkerDeps {
  /** A connection without slow statements. */
  readonly prompt: Postgres
  /** Identity of the server when the checkpoint was opened. */
  readonly server: ServerIdentity
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** Its input, for users. */
  readonly job: string
  readonly times?: LeaseTimes
}

type Granted = ServerIdentity & { readonly workerId: number; readonly term: number }

/** Registers this process as a worker and renews its lease until it is closed. Throws server errors. */
export async function openWorker(deps: WorkerDeps): Promise<Worker> {
  const worker = new LeasedWorker(deps)
  await worker.register()
  worker.start()
  return worker
}

/** `$1`: the lease in milliseconds. */
const untilSql = `clock_timestamp() + $1 * interval '1 millisecond'`
const identitySql = `${systemIdentifierSql} AS "systemIdentifier", ${timelineSql} AS timeline`
const grantedSql = `worker_id AS "workerId", term, ${identitySql}`

/**
 * $1 lease, $2 worker, $3 activity. A fenced worker continues in its next term: its intentions were released, or will
 * stay. `fenced_at` stays, because its requests may still arrive.
 */
const renewSql = `
  UPDATE enrich.workers SET lease_until = ${untilSql}, doing = $3, term = term + is_fenced::integer,
    is_fenced = false, is_swept = false
  WHERE worker_id = $2 AND ended_at IS NULL AND NOT is_over RETURNING ${grantedSql}`

const endTexts: Readonly<Record<WorkerEnd, string>> = {
  server_changed: 'PostgreSQL failed over or was restored: the latest commits may be missing',
  gone: 'other workers took over its lookups because it did not renew its lease',
}

class LeasedWorker implements Worker {
  readonly #deps: WorkerDeps
  readonly #times: LeaseTimes
  #id = 0
  #term = 0
  /** Send time of the last granted renewal. */
  #grantedAtMs = { monotonic: -Infinity, wall: 0 }
  #end: WorkerEnd | null = null
  #failure: string | null = null
  #doing = () => ''
  #isClosed = false
  #stop: () => Promise<void> = () => Promise.resolve()

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    this.#times = deps.times ?? leaseTimes
  }

  get id(): number {
    return this.#id
  }

  get term(): number {
    return this.#term
  }

  get end(): WorkerEnd | null {
    return this.#end
  }

  get hold(): string | null {
    const { clock } = this.#deps
    if (this.#isClosed) return 'the checkpoint is closed'
    if (this.#end !== null) return endTexts[this.#end]
    const ageMs = clock.monotonicMs() - this.#grantedAtMs.monotonic
    if (ageMs >= this.#times.lease * usedShareMax) {
      return `the lease was not renewed for ${Math.round(ageMs / 1_000)} s${this.#failure === null ? '' : `: ${this.#failure}`}`
    }
    // After sleep, a machine's monotonic clock may be behind.
    const jumpMs = clock.nowMs() - this.#grantedAtMs.wall - ageMs
    return Math.abs(jumpMs) > this.#times.clockJumpMax
      ? 'the clock jumped: the lease must be renewed first'
      : null
  }

  mayLeave(intendedIn = this.#term): boolean {
    return intendedIn === this.#term && this.hold === null
  }

  setActivity(doing: () => string): void {
    this.#doing = doing
  }

  async register(): Promise<void> {
    const name = `${hostname()} ${process.pid}`
    // The lock keeps a migration from starting before this row is visible.
    const isJoined = await this.#requestLease(
      `INSERT INTO enrich.workers (name, job, doing, lease_until)
       SELECT $2, $3, $4, ${untilSql} FROM enrich.checkpoint c WHERE ${isOpenSql} FOR SHARE OF c
       RETURNING ${grantedSql}`,
      [this.#times.lease, name, this.#deps.job, this.#doing()],
    )
    if (isJoined) return
    await assertNotMoved(this.#deps.prompt, 'of this run', 'write')
    throw new Error('the checkpoint accepts no worker for an unknown reason')
  }

  start(): void {
    this.#stop = startPeriodicTask(this.#times.renewEvery, () => this.#extendLease())
  }

  async #extendLease(): Promise<void> {
    try {
      const isRenewed = await this.#requestLease(renewSql, [this.#times.lease, this.#id, this.#doing()])
      if (!isRenewed) this.#end = await this.#findEnd()
      this.#failure = null
    } catch (error) {
      this.#failure =
        error instanceof ConnectionLostError ? 'PostgreSQL does not answer' : getErrorText(error)
    }
  }

  /** Returns false if the lease does not exist any more. */
  async #requestLease(text: string, values: readonly unknown[]): Promise<boolean> {
    const { prompt, clock, server } = this.#deps
    // Taken before sending: the server's lease then ends later than ours.
    const sentAtMs = { monotonic: clock.monotonicMs(), wall: clock.nowMs() }
    const [granted] = await prompt.query<Granted>(text, values)
    if (granted === undefined) return false
    if (!isSameServer(granted, server)) this.#end = 'server_changed'
    this.#id = granted.workerId
    this.#term = granted.term
    this.#grantedAtMs = sentAtMs
    return true
  }

  /** A server that does not know this worker was replaced or restored. */
  async #findEnd(): Promise<WorkerEnd> {
    const { prompt, server } = this.#deps
    const [found] = await prompt.query<ServerIdentity & { readonly isKnown: boolean }>(
      `SELECT EXISTS (SELECT FROM enrich.workers WHERE worker_id = $1) AS "isKnown", ${identitySql}`,
      [this.#id],
    )
    return found?.isKnown === true && isSameServer(found, server) ? 'gone' : 'server_changed'
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#stop()
    // Fenced at once, so that the next sweep handles remaining intentions like those of a dead worker.
    const ended = this.#deps.prompt.query(
      `WITH freed AS (
         UPDATE enrich.lookups SET worker_id = NULL WHERE worker_id = $1 AND state = 'new'
       ), forgotten AS (
         DELETE FROM enrich.wanted WHERE worker_id = $1
       )
       UPDATE enrich.workers
       SET is_fenced = true, fenced_at = clock_timestamp(), ended_at = clock_timestamp(), lease_until = clock_timestamp(),
         is_over = true
       WHERE worker_id = $1 AND ended_at IS NULL`,
      [this.#id],
    )
    await ended.catch((error: unknown) => {
      // If the server is unavailable, the lease expires and other workers do the same.
      if (!(error instanceof PostgresError)) throw error
    })
  }
}
