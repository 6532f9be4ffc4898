import { errorText } from '../../../core/errors.js'
import { hostname } from 'node:os'
import type { Clock } from '../../../platform/clock.js'
import { ConnectionLostError, PostgresError, type Postgres } from '../../../platform/postgres/postgres.js'
import { startRepeating } from './retry.js'
import {
  isSameServer,
  systemIdentifierSql,
  timelineSql,
  type ServerIdentity,
} from '../../../platform/postgres/own-database.js'
import { assertNotMoved, isOpenSql } from './open-database.js'

/** Why a process may never submit again, however long it waits. */
type WorkerEnd = 'server_changed' | 'gone'

/**
 * One process on a checkpoint that several share. It has a lease by the server's clock, renewed while it lives. A lease
 * that has run out lets others take over what it had not begun and wait for what it had; never submit again what it may
 * have submitted.
 */
export interface Worker {
  /** Its number in `workers`. */
  readonly id: number
  /** Grows each time that it was fenced and went on: what was intended in an earlier term may not leave. */
  readonly term: number
  /**
   * Whether a request that is billed may leave now: the lease is younger than 70 % of what it was given for, by this
   * machine's monotonic clock, the wall clock has not jumped since, and the server is the one that it was. Asked with
   * the term in which the request was intended: false where the process was fenced since, also if it goes on.
   */
  mayLeave(intendedIn?: number): boolean
  /** Why it may not, for people; null where it may. */
  readonly hold: string | null
  /**
   * The server is another one, or was put back: what it lacks may have been billed. Or the process was away so long that
   * what it wanted is forgotten. Null: it may go on, now or later.
   */
  readonly end: WorkerEnd | null
  /** What is shown of it to others, asked at each renewal. */
  tell(doing: () => string): void
  /** Ends the lease: what it claimed and had not begun is free again. */
  close(): Promise<void>
}

/** In milliseconds. */
export interface LeaseTimes {
  readonly lease: number
  readonly renewEvery: number
  /** So far the wall clock may run from the monotonic one between two renewals. */
  readonly clockJumpMax: number
}

export const leaseTimes: LeaseTimes = { lease: 30_000, renewEvery: 5_000, clockJumpMax: 5_000 }

/** What is left of a lease is for the clocks to differ by, and for what is on its way. */
const usedShareMax = 0.7

export interface WorkerDeps {
  /** On which nothing takes long. */
  readonly prompt: Postgres
  /** As it was found when the checkpoint was opened. */
  readonly server: ServerIdentity
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** Its input, for people. */
  readonly job: string
  readonly times?: LeaseTimes
}

type Granted = ServerIdentity & { readonly workerId: number; readonly term: number }

/** Registers this process; its lease is renewed until it is closed. Throws what the server refuses. */
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
 * $1 the lease, $2 the worker, $3 what it does. One that was fenced goes on in its next term: whoever fenced it has taken
 * what it had intended, or takes no more of it. `fenced_at` stays: what it had sent may still arrive.
 */
const renewSql = `
  UPDATE enrich.workers SET lease_until = ${untilSql}, doing = $3, term = term + is_fenced::integer,
    is_fenced = false, is_swept = false
  WHERE worker_id = $2 AND ended_at IS NULL AND NOT is_over RETURNING ${grantedSql}`

const endTexts: Readonly<Record<WorkerEnd, string>> = {
  server_changed: 'PostgreSQL failed over or was restored: what it had not yet received may be missing',
  gone: 'others took it to be gone, and what it wanted is forgotten',
}

class LeasedWorker implements Worker {
  readonly #deps: WorkerDeps
  readonly #times: LeaseTimes
  #id = 0
  #term = 0
  /** When the renewal that was last granted was sent. */
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
    // A machine that slept: its monotonic clock may have slept too.
    const jumpMs = clock.nowMs() - this.#grantedAtMs.wall - ageMs
    return Math.abs(jumpMs) > this.#times.clockJumpMax ? 'the clock jumped: the lease is renewed first' : null
  }

  mayLeave(intendedIn = this.#term): boolean {
    return intendedIn === this.#term && this.hold === null
  }

  tell(doing: () => string): void {
    this.#doing = doing
  }

  async register(): Promise<void> {
    const name = `${hostname()} ${process.pid}`
    // Nobody begins to move it away before this is seen.
    const isJoined = await this.#ask(
      `INSERT INTO enrich.workers (name, job, doing, lease_until)
       SELECT $2, $3, $4, ${untilSql} FROM enrich.checkpoint c WHERE ${isOpenSql} FOR SHARE OF c
       RETURNING ${grantedSql}`,
      [this.#times.lease, name, this.#deps.job, this.#doing()],
    )
    if (isJoined) return
    await assertNotMoved(this.#deps.prompt, 'of this run', 'write')
    throw new Error('the checkpoint takes no process, and does not say why')
  }

  start(): void {
    this.#stop = startRepeating(this.#times.renewEvery, () => this.#renew())
  }

  async #renew(): Promise<void> {
    try {
      const isRenewed = await this.#ask(renewSql, [this.#times.lease, this.#id, this.#doing()])
      if (!isRenewed) this.#end = await this.#whyNotRenewed()
      this.#failure = null
    } catch (error) {
      this.#failure = error instanceof ConnectionLostError ? 'PostgreSQL does not answer' : errorText(error)
    }
  }

  /** False where there is no such lease any more. */
  async #ask(text: string, values: readonly unknown[]): Promise<boolean> {
    const { prompt, clock, server } = this.#deps
    // Before it is sent: the server's lease begins later, and so ends later.
    const sentAtMs = { monotonic: clock.monotonicMs(), wall: clock.nowMs() }
    const [granted] = await prompt.query<Granted>(text, values)
    if (granted === undefined) return false
    if (!isSameServer(granted, server)) this.#end = 'server_changed'
    this.#id = granted.workerId
    this.#term = granted.term
    this.#grantedAtMs = sentAtMs
    return true
  }

  /** A server that does not know this process is not the one that registered it, or was put back. */
  async #whyNotRenewed(): Promise<WorkerEnd> {
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
    // Fenced at once: whatever of it was left intended is swept like that of one that died.
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
      // Where the server is away, the lease runs out, and others do the same.
      if (!(error instanceof PostgresError)) throw error
    })
  }
}
