import { existsSync, statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { createGatheredTransactions, type GatheredTransactions } from '../../platform/gathered-commits.js'
import { openOwn, readOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { NotOursError, prepare, type Sqlite } from '../../platform/sqlite.js'
import { explainCheckpointError, explained } from '../checkpoint/sqlite/open-database.js'
import type { LookupKind } from '../lookups/lookup-kind.js'
import { receiverLimits } from './limits.js'

/** Marks an SQLite file as an inbox ("enri"). */
const applicationId = 0x656e7269

/**
 * Each step is applied once, in order; a step that has been released never changes. `deliveries`: one row an
 * event, by the id it was signed with; the body is kept until its answer is in the checkpoint.
 */
const migrations = [
  `CREATE TABLE deliveries (
     position INTEGER PRIMARY KEY,
     event_id TEXT NOT NULL UNIQUE,
     state TEXT NOT NULL DEFAULT 'waiting',
     reason TEXT,
     body BLOB,
     received_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX deliveries_unsettled ON deliveries (state, position) WHERE state <> 'taken';`,
] as const

/**
 * `waiting` for a run to take it; `taken`: what it said is in the checkpoint, or was there before; `unclaimed`:
 * genuine, and of no run that this checkpoint knows; `quarantined`: genuine, and it contradicts itself or what
 * we know.
 */
export type DeliveryState = 'waiting' | 'taken' | 'unclaimed' | 'quarantined'
export type InboxCounts = Readonly<Record<DeliveryState, number>>

export interface WaitingDelivery {
  position: number
  body: Uint8Array
  /** By the wall clock of the process that received it. */
  receivedAtMs: number
}

/**
 * Deliveries between the moment they are acknowledged and the moment a run takes them. Shared by processes: a
 * standing receiver writes while a run reads. What a method resolves is durable.
 */
export interface Inbox {
  /** How often a run looks for what another process received, in milliseconds. */
  readonly lookMs: number
  /** False where an event of this id is known already: it changes nothing. */
  receive(eventId: string, body: Uint8Array, nowMs: number): Promise<boolean>
  /**
   * The oldest that wait, after a position; where several processes take from it at the same time, those that are for
   * this one to take. `kinds`: of lookups that it can settle; all if left out. What came later has a higher position.
   */
  waiting(
    afterPosition: number,
    kinds?: readonly LookupKind[],
  ): readonly WaitingDelivery[] | Promise<readonly WaitingDelivery[]>
  /** False where another process has settled it. */
  settle(position: number, state: Exclude<DeliveryState, 'waiting'>, reason: string | null): Promise<boolean>
  /** What no run of this checkpoint claimed so far is looked at again. */
  requeue(): Promise<void>
  close(): void | Promise<void>
}

/** Of a checkpoint in a file: it is read, and closed, at once. */
export interface OwnInbox extends Inbox {
  waiting(afterPosition: number): WaitingDelivery[]
  close(): void
}

/** Where the deliveries of a checkpoint wait: beside it. */
export function inboxPath(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.inbox.sqlite`
}

const inboxAt = (path: string): OwnSqlite => ({
  path,
  applicationId,
  migrations,
  explain: (error) => {
    if (!(error instanceof NotOursError)) return explainCheckpointError(path, error)
    return new UserError('CHECKPOINT_INVALID', `${path} is not an inbox of this version of enrich`, {
      hint: 'pass --checkpoint with another path; this file was not touched',
    })
  },
})

/**
 * Opens the inbox of a checkpoint, made as needed. `onReceived` is called after something new was received by this
 * process. `isOfRun`: its checkpoint is locked by this process, so that nobody moves it. Throws CHECKPOINT_* and DISK_FULL, which name its file.
 */
export function openInbox(
  checkpointPath: string,
  nowMs: number,
  onReceived?: () => void,
  isOfRun = false,
): OwnInbox {
  const path = inboxPath(checkpointPath)
  const database = openOwn(inboxAt(path), {
    synchronous: 'FULL',
    isPrivate: true,
    finish: (opened) => {
      if (isOfRun) unsealInbox(opened)
      forgetOld(opened, nowMs)
    },
  })
  return new SqliteInbox(database, path, onReceived)
}

/** The inbox of a checkpoint as a database. */
export const openInboxFile = (checkpointPath: string): Sqlite =>
  openOwn(inboxAt(inboxPath(checkpointPath)), { synchronous: 'FULL', isPrivate: true })

/** A new one, in one file, that is not yet where it belongs. */
export const makeInboxFile = (path: string): Sqlite =>
  openOwn(inboxAt(path), { synchronous: 'OFF', isPrivate: true, journal: 'DELETE' })

/** From here on deliveries are refused, also by receivers that stand: the service sends them again. */
export function sealInbox(database: Sqlite): void {
  database.exec(
    `CREATE TRIGGER IF NOT EXISTS sealed BEFORE INSERT ON deliveries
     BEGIN SELECT raise(ABORT, 'the checkpoint is being moved'); END`,
  )
}

/** By a run, which has locked the checkpoint: nobody moves it. */
export function unsealInbox(database: Sqlite): void {
  database.exec('DROP TRIGGER IF EXISTS sealed')
}

/** How many deliveries are in which state; null where there is no inbox. Needs no lock. */
export function readInboxCounts(checkpointPath: string): InboxCounts | null {
  const path = inboxPath(checkpointPath)
  if (!existsSync(path) || statSync(path).size === 0) return null
  const database = readOwn(inboxAt(path), { versions: 'any' })
  try {
    return explained(path, () => countByState(database))
  } finally {
    database.close()
  }
}

function countByState(database: Sqlite): InboxCounts {
  const groups = prepare<[], { state: string; count: number }>(
    database,
    'SELECT state, count(*) AS count FROM deliveries GROUP BY state',
  ).all()
  const counted = new Map(groups.map(({ state, count }) => [state, count]))
  return {
    waiting: counted.get('waiting') ?? 0,
    taken: counted.get('taken') ?? 0,
    unclaimed: counted.get('unclaimed') ?? 0,
    quarantined: counted.get('quarantined') ?? 0,
  }
}

function forgetOld(database: Sqlite, nowMs: number): void {
  const { unsettledKeptMs, takenKeptMs } = receiverLimits
  database
    .prepare(`DELETE FROM deliveries WHERE received_at_ms < ? OR (state = 'taken' AND received_at_ms < ?)`)
    .run(nowMs - unsettledKeptMs, nowMs - takenKeptMs)
}

class SqliteInbox implements OwnInbox {
  readonly lookMs = receiverLimits.lookMs
  readonly #database: Sqlite
  readonly #path: string
  readonly #commits: GatheredTransactions
  readonly #queries: ReturnType<typeof prepareQueries>
  readonly #onReceived: (() => void) | undefined

  constructor(database: Sqlite, path: string, onReceived: (() => void) | undefined) {
    this.#database = database
    this.#path = path
    this.#onReceived = onReceived
    this.#commits = createGatheredTransactions(database)
    this.#queries = prepareQueries(database)
  }

  async receive(eventId: string, body: Uint8Array, nowMs: number): Promise<boolean> {
    const isNew = await this.#durable(() => this.#queries.insert.run(eventId, body, nowMs).changes > 0)
    if (isNew) this.#onReceived?.()
    return isNew
  }

  waiting(afterPosition: number): WaitingDelivery[] {
    return explained(this.#path, () => this.#queries.waiting.all(afterPosition, receiverLimits.takeCountMax))
  }

  settle(
    position: number,
    state: Exclude<DeliveryState, 'waiting'>,
    reason: string | null,
  ): Promise<boolean> {
    return this.#durable(() => this.#queries.settle.run({ position, state, reason }).changes > 0)
  }

  requeue(): Promise<void> {
    return this.#durable(() => {
      this.#queries.requeue.run()
    })
  }

  close(): void {
    this.#commits.flush()
    this.#database.close()
  }

  #durable<Result>(action: () => Result): Promise<Result> {
    return this.#commits.add(action).catch((error: unknown) => {
      throw explainCheckpointError(this.#path, error)
    })
  }
}

/**
 * What is not taken yet is found by its index, which SQLite uses only where a query repeats its condition; all that was
 * ever taken would be read otherwise, at each look.
 */
export const unsettledQueries = {
  waiting: `SELECT position, body, received_at_ms AS receivedAtMs FROM deliveries
    WHERE state <> 'taken' AND state = 'waiting' AND position > ? ORDER BY position LIMIT ?`,
  requeue: `UPDATE deliveries SET state = 'waiting', reason = NULL WHERE state <> 'taken' AND state = 'unclaimed'`,
} as const

function prepareQueries(database: Sqlite) {
  return {
    insert: prepare<[string, Uint8Array, number]>(
      database,
      'INSERT OR IGNORE INTO deliveries (event_id, body, received_at_ms) VALUES (?, ?, ?)',
    ),
    waiting: prepare<[number, number], WaitingDelivery>(database, unsettledQueries.waiting),
    settle: prepare<{ position: number; state: DeliveryState; reason: string | null }>(
      database,
      `UPDATE deliveries SET state = @state, reason = @reason, body = iif(@state = 'taken', NULL, body)
       WHERE position = @position AND state = 'waiting'`,
    ),
    requeue: prepare<[]>(database, unsettledQueries.requeue),
  }
}
