import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import {
  ConnectionLostError,
  PostgresError,
  type PostgresStatements,
} from '../../platform/postgres/postgres.js'
import type { OpenSharedDeps, SharedDatabase } from '../checkpoint/postgres/open.js'
import { startRepeating } from '../checkpoint/postgres/repeat.js'

export interface ServerSideDeps extends OpenSharedDeps {
  readonly clock: Clock
  /** How long a process that says nothing is taken to be at it; shorter in tests. */
  readonly leaseMs?: number
}

export const leaseMsOf = ({ leaseMs = 30_000 }: ServerSideDeps): number => leaseMs

/** This process moves the checkpoint: it says so again and again, until it ends. */
export class Hold {
  readonly #database: SharedDatabase
  readonly #deps: ServerSideDeps
  readonly #id: string
  #renewedAtMs = -Infinity
  #isLost = false
  #stop: () => Promise<void> = () => Promise.resolve()

  constructor(database: SharedDatabase, deps: ServerSideDeps) {
    this.#database = database
    this.#deps = deps
    this.#id = deps.random.id('')
  }

  /** In the transaction that found it free. */
  async begin({ query }: PostgresStatements): Promise<void> {
    this.#renewedAtMs = this.#deps.clock.monotonicMs()
    await query(
      `UPDATE enrich.checkpoint SET moving_id = $1, moving_until = clock_timestamp() + $2 * interval '1 millisecond'`,
      [this.#id, leaseMsOf(this.#deps)],
    )
  }

  start(): void {
    this.#stop = startRepeating(leaseMsOf(this.#deps) / 6, () => this.#renew())
  }

  get isHeld(): boolean {
    return !this.#isLost && this.#deps.clock.monotonicMs() - this.#renewedAtMs < leaseMsOf(this.#deps)
  }

  async #renew(): Promise<void> {
    const sentAtMs = this.#deps.clock.monotonicMs()
    try {
      const rows = await this.#database.prompt.query(
        `UPDATE enrich.checkpoint SET moving_until = clock_timestamp() + $2 * interval '1 millisecond'
         WHERE moving_id = $1 AND moving_until > clock_timestamp() RETURNING id`,
        [this.#id, leaseMsOf(this.#deps)],
      )
      if (rows.length === 0) this.#isLost = true
      else this.#renewedAtMs = sentAtMs
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) this.#isLost = true
    }
  }

  async markMoved(to: string): Promise<void> {
    const rows = await this.#database.postgres.query(
      `UPDATE enrich.checkpoint SET moved_to = $2, moved_at = clock_timestamp(), moving_until = NULL
       WHERE moving_id = $1 AND moving_until > clock_timestamp() RETURNING id`,
      [this.#id, to],
    )
    if (rows.length === 0) throw lost(this.#database.url)
  }

  async end(): Promise<void> {
    await this.#stop()
    const ended = this.#database.prompt.query(
      `UPDATE enrich.checkpoint SET moving_id = NULL, moving_until = NULL WHERE moving_id = $1`,
      [this.#id],
    )
    // Where the server is away, it runs out.
    await ended.catch((error: unknown) => {
      if (!(error instanceof PostgresError)) throw error
    })
  }
}

export const lost = (place: string): UserError =>
  new UserError('CHECKPOINT_LEASE_LOST', `${place} was not held all the time that it took to move it`, {
    hint: 'run the same command again; the source is as it was',
  })
