import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import type { CloseLater } from '../../platform/close-stack.js'
import {
  type PostgresStatements,
  ConnectionLostError,
  PostgresError,
} from '../../platform/postgres/postgres.js'
import { createMovedError } from '../checkpoint/checkpoint-errors.js'
import { generationsApart } from '../checkpoint/sqlite/open-database.js'
import { openShared, type SharedDatabase, type OpenSharedDeps } from '../checkpoint/postgres/open-database.js'
import { sweep } from '../checkpoint/postgres/sweep.js'
import {
  transferredTables,
  type RowSource,
  type MigrationSource,
  type MigrationTarget,
} from './transferred-rows.js'
import { ServerRowSource, getServerTable, ServerRowTarget } from './server-rows.js'
import type { Clock } from '../../platform/clock.js'
import { startPeriodicTask } from '../checkpoint/postgres/retry.js'

export interface ServerEndpointDeps extends OpenSharedDeps {
  readonly clock: Clock
  /** Lease of a migration, in milliseconds; shorter in tests. */
  readonly leaseMs?: number
}

const getLeaseMs = ({ leaseMs = 30_000 }: ServerEndpointDeps): number => leaseMs

/** The lease of the process that migrates the checkpoint, renewed until it ends. */
class MigrationLease {
  readonly #database: SharedDatabase
  readonly #deps: ServerEndpointDeps
  readonly #id: string
  #renewedAtMs = -Infinity
  #isLost = false
  #stop: () => Promise<void> = () => Promise.resolve()

  constructor(database: SharedDatabase, deps: ServerEndpointDeps) {
    this.#database = database
    this.#deps = deps
    this.#id = deps.random.id('')
  }

  /** Call in the transaction that found it free. */
  async begin({ query }: PostgresStatements): Promise<void> {
    this.#renewedAtMs = this.#deps.clock.monotonicMs()
    await query(
      `UPDATE enrich.checkpoint SET moving_id = $1, moving_until = clock_timestamp() + $2 * interval '1 millisecond'`,
      [this.#id, getLeaseMs(this.#deps)],
    )
  }

  start(): void {
    this.#stop = startPeriodicTask(getLeaseMs(this.#deps) / 6, () => this.#extendLease())
  }

  get isHeld(): boolean {
    return !this.#isLost && this.#deps.clock.monotonicMs() - this.#renewedAtMs < getLeaseMs(this.#deps)
  }

  async #extendLease(): Promise<void> {
    const sentAtMs = this.#deps.clock.monotonicMs()
    try {
      const rows = await this.#database.prompt.query(
        `UPDATE enrich.checkpoint SET moving_until = clock_timestamp() + $2 * interval '1 millisecond'
         WHERE moving_id = $1 AND moving_until > clock_timestamp() RETURNING id`,
        [this.#id, getLeaseMs(this.#deps)],
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
    if (rows.length === 0) throw createLeaseLostError(this.#database.url)
  }

  async end(): Promise<void> {
    await this.#stop()
    const ended = this.#database.prompt.query(
      `UPDATE enrich.checkpoint SET moving_id = NULL, moving_until = NULL WHERE moving_id = $1`,
      [this.#id],
    )
    // If the server is unavailable, the lease expires.
    await ended.catch((error: unknown) => {
      if (!(error instanceof PostgresError)) throw error
    })
  }
}

export const createLeaseLostError = (place: string): UserError =>
  new UserError('CHECKPOINT_LEASE_LOST', `the lease on ${place} was lost during the migration`, {
    hint: 'run the same command again; the source is unchanged',
  })

interface Head {
  readonly createdAtMs: number
  readonly movedTo: string | null
  readonly arrivingFrom: string | null
  readonly isMoving: boolean
}

/** A batch takes seconds; counting millions of rows takes minutes. */
const statementMsMax = 3_600_000

async function openDatabase(
  url: string,
  deps: ServerEndpointDeps,
  closeLater: CloseLater,
): Promise<SharedDatabase> {
  const shared = await openShared(url, { ...deps, isMover: true })
  closeLater(() => shared.close())
  const postgres = shared.connectMore({ connectionsMax: 1, statementTimeoutMs: statementMsMax })
  closeLater(() => postgres.close())
  return { ...shared, postgres }
}

const lockHead = async ({ query }: PostgresStatements): Promise<Head> => {
  const [head] = await query<Head>(
    `SELECT created_at_ms AS "createdAtMs", moved_to AS "movedTo", arriving_from AS "arrivingFrom",
       coalesce(moving_until > clock_timestamp(), false) AS "isMoving"
     FROM enrich.checkpoint FOR UPDATE`,
  )
  if (head === undefined) throw new Error('the checkpoint table is empty')
  return head
}

/**
 * Runs `work` once no other process migrates the checkpoint. Waits for the lease of a killed process to expire. Throws
 * CHECKPOINT_IN_USE if the other process continues.
 */
async function withMigrationLock<Result>(
  { postgres, url }: SharedDatabase,
  deps: ServerEndpointDeps,
  work: (statements: PostgresStatements, head: Head) => Promise<Result>,
): Promise<Result> {
  const { clock } = deps
  const sinceMs = clock.monotonicMs()
  for (;;) {
    const done = await postgres.transaction(async (statements) => {
      const head = await lockHead(statements)
      return head.isMoving ? null : { result: await work(statements, head) }
    })
    if (done !== null) return done.result
    if (clock.monotonicMs() - sinceMs > getLeaseMs(deps) + extraWaitMs)
      throw createInUseError(url, 'another process is moving it')
    await clock.sleep(extraWaitMs / 4)
  }
}

const extraWaitMs = 2_000

/**
 * Opens a checkpoint on a server to copy it elsewhere. Keeps workers from joining until it is closed, or the lease
 * expires. Throws CHECKPOINT_*.
 */
export async function openServerSource(
  url: string,
  deps: ServerEndpointDeps,
  closeLater: CloseLater,
): Promise<MigrationSource> {
  const database = await openDatabase(url, deps, closeLater)
  const place = database.url
  const lease = new MigrationLease(database, deps)
  const head = await withMigrationLock(database, deps, async (statements, found) => {
    if (found.movedTo !== null) return found
    if (found.arrivingFrom !== null) throw createUnfinishedError(place, found.arrivingFrom)
    await lease.begin(statements)
    return found
  })
  if (head.movedTo !== null) {
    const { postgres } = database
    const facts = new ServerRowSource(database, head)
    return { place, facts, movedTo: head.movedTo, undo: () => restoreServer(postgres) }
  }
  closeLater(() => lease.end())
  lease.start()
  // Fences workers that died, which makes their in-flight submissions uncertain.
  await sweep(database.postgres)
  const living = await database.postgres.query<{ name: string }>(
    'SELECT name FROM enrich.workers WHERE NOT is_fenced ORDER BY worker_id',
  )
  if (living.length > 0) throw createInUseError(place, living.map(({ name }) => name).join(', '))
  return {
    place,
    facts: new ServerRowSource(database, head),
    movedTo: null,
    staysBehind: await staysBehind(database.postgres),
    isHeld: () => lease.isHeld,
    // Receivers check before each delivery whether the checkpoint is being moved.
    seal: () => Promise.resolve(),
    markMoved: (to) => lease.markMoved(to),
    giveUp: () => lease.end(),
  }
}

async function staysBehind({ query }: PostgresStatements): Promise<string[]> {
  const [row] = await query<{ workers: number; hasReview: boolean }>(
    `SELECT count(*) AS workers, to_regclass('enrich.review_decisions') IS NOT NULL AS "hasReview" FROM enrich.workers`,
  )
  const { workers = 0, hasReview = false } = row ?? {}
  return [
    ...(workers === 0 ? [] : [`its list of workers (${formatCount(workers)}) and the state of rate limits`]),
    ...(hasReview ? ['review state and decisions on the server; the local decisions file is kept'] : []),
  ]
}

/** Accepts an empty checkpoint, or one partly filled by the same migration. Throws CHECKPOINT_*. */
export async function openServerTarget(
  url: string,
  source: RowSource,
  deps: ServerEndpointDeps,
  closeLater: CloseLater,
): Promise<MigrationTarget> {
  const database = await openDatabase(url, deps, closeLater)
  const { postgres, url: place } = database
  const lease = new MigrationLease(database, deps)
  const from = formatArriving(source)
  await withMigrationLock(database, deps, async (statements, head) => {
    const { movedTo, arrivingFrom } = head
    if (movedTo !== null) throw createMovedError(place, movedTo)
    if (arrivingFrom !== null && parseId(arrivingFrom) !== source.checkpointId)
      throw createNotEmptyError(place, `rows from ${parsePlace(arrivingFrom)}`)
    if (arrivingFrom === null) await assertEmpty(statements, place)
    await statements.query('UPDATE enrich.checkpoint SET arriving_from = $1', [from])
    await lease.begin(statements)
    // Rows of an earlier attempt may be outdated.
    const names = [...transferredTables.map(getServerTable), 'wanted', 'workers']
      .map((table) => `enrich.${table}`)
      .join(', ')
    if (arrivingFrom !== null) await statements.query(`TRUNCATE ${names} RESTART IDENTITY CASCADE`)
  })
  closeLater(() => lease.end())
  lease.start()
  const target = new ServerRowTarget(database, source)
  await target.begin(source.place)
  await postgres.query('UPDATE enrich.checkpoint SET id = $1, generation = $2, created_at_ms = $3', [
    source.checkpointId,
    source.generation + 1,
    source.createdAtMs,
  ])
  return {
    target,
    isHeld: () => lease.isHeld,
    publish: () => publishTarget(postgres, source.checkpointId).then(() => undefined),
  }
}

/** Completes a migration that was killed after the source had moved; false if nothing was left to do. */
export async function finishServerTarget(
  url: string,
  id: string,
  deps: ServerEndpointDeps,
  closeLater: CloseLater,
): Promise<boolean> {
  const database = await openDatabase(url, deps, closeLater)
  return publishTarget(database.postgres, id)
}

async function publishTarget({ query }: PostgresStatements, id: string): Promise<boolean> {
  const rows = await query(
    `UPDATE enrich.checkpoint SET arriving_from = NULL, moving_id = NULL, moving_to = NULL, moving_until = NULL
     WHERE arriving_from IS NOT NULL AND id = $1 RETURNING id`,
    [id],
  )
  return rows.length > 0
}

async function restoreServer({ query }: PostgresStatements): Promise<void> {
  const sql = 'UPDATE enrich.checkpoint SET moved_to = NULL, moved_at = NULL, generation = generation + $1'
  await query(sql, [generationsApart])
}

const formatArriving = ({ place, checkpointId }: RowSource): string => `${place} (${checkpointId})`
const parseId = (text: string): string => /\(([^()]*)\)$/.exec(text)?.[1] ?? ''
const parsePlace = (text: string): string => text.replace(/ \([^()]*\)$/, '')

async function assertEmpty({ query }: PostgresStatements, place: string): Promise<void> {
  const rows = await query(
    `SELECT FROM enrich.scopes UNION ALL SELECT FROM enrich.lookups UNION ALL SELECT FROM enrich.inbox
     UNION ALL SELECT FROM enrich.jobs UNION ALL SELECT FROM enrich.workers WHERE NOT is_fenced LIMIT 1`,
  )
  if (rows.length > 0) throw createNotEmptyError(place, 'a checkpoint that is in use')
}

const createNotEmptyError = (place: string, what: string): UserError =>
  new UserError('CHECKPOINT_NOT_EMPTY', `${place} holds ${what}`, {
    hint: 'pass a database without a checkpoint, for example a new one made with createdb; this one was not changed',
  })

const createUnfinishedError = (place: string, from: string): UserError =>
  new UserError(
    'CHECKPOINT_ARRIVING',
    `the migration from ${parsePlace(from)} to ${place} is not complete yet`,
    {
      hint: 'run the same enrich checkpoint migrate FROM TO again to complete it',
    },
  )

const createInUseError = (place: string, by: string): UserError =>
  new UserError('CHECKPOINT_IN_USE', `the checkpoint ${place} is in use: ${by}`, {
    hint: 'wait until these have ended; enrich status lists them',
  })
