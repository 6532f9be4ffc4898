import { existsSync, statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { createGroupTransactions, type GroupTransactions } from '../../platform/group-commit.js'
import { openOwn, readOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { NotOursError, prepare, type Sqlite } from '../../platform/sqlite.js'
import { explainCheckpointError, withExplainedErrors } from '../checkpoint/sqlite/open-database.js'
import type { LookupKind } from '../../core/lookup-kinds.js'
import type { Clock } from '../../platform/clock.js'

/** Marks an SQLite file as an inbox ("enri"). */
const applicationId = 0x656e7269

/**
 * Each step is applied once, in order; a released step never changes. `deliveries`: one row per event, by its signed
 * id; the body is kept until its answer is in the checkpoint.
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
 * `waiting` for a run; `taken`: its content is in the checkpoint; `unclaimed`: genuine, but its run is unknown to this
 * checkpoint; `quarantined`: genuine, but it contradicts itself or the checkpoint.
 */
export type DeliveryState = 'waiting' | 'taken' | 'unclaimed' | 'quarantined'

export type InboxCounts = Readonly<Record<DeliveryState, number>>

export interface WaitingDelivery {
  position: number
  body: Uint8Array
  /** Wall clock of the receiving process. */
  receivedAtMs: number
}

/**
 * Deliveries between their acknowledgement and their processing by a run. Shared by processes: a standing receiver
 * writes while a run reads. Methods are durable when they resolve.
 */
export interface Inbox {
  /** Interval at which a run checks for deliveries received by another process, in milliseconds. */
  readonly lookMs: number
  /** Returns false, changing nothing, if an event with this id is known. */
  receive(eventId: string, body: Uint8Array, nowMs: number): Promise<boolean>
  /**
   * Returns the oldest waiting deliveries after a position; if several workers share the inbox, those for this worker.
   * `kinds`: the kinds of lookups that it can settle; optional, defaults to all. Later deliveries have higher
   * positions.
   */
  listWaiting(
    afterPosition: number,
    kinds?: readonly LookupKind[],
  ): readonly WaitingDelivery[] | Promise<readonly WaitingDelivery[]>
  /** Returns false if another process has settled it. */
  settle(position: number, state: Exclude<DeliveryState, 'waiting'>, reason: string | null): Promise<boolean>
  /** Puts unclaimed deliveries back to `waiting`. */
  requeue(): Promise<void>
  close(): void | Promise<void>
}

/** The inbox of a checkpoint file; reads and closes synchronously. */
export interface OwnInbox extends Inbox {
  listWaiting(afterPosition: number): WaitingDelivery[]
  close(): void
}

/** The inbox file next to a checkpoint. */
export function getInboxPath(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.inbox.sqlite`
}

const buildInboxKind = (path: string): OwnSqlite => ({
  path,
  applicationId,
  migrations,
  explain: (error) => {
    if (!(error instanceof NotOursError)) return explainCheckpointError(path, error)
    return new UserError('CHECKPOINT_INVALID', `${path} is not an inbox of this version of enrich`, {
      hint: 'pass --checkpoint with another path; this file was not changed',
    })
  },
})

/**
 * Opens the inbox of a checkpoint; creates it if missing. `onReceived` is called after this process received a new
 * delivery. `isOfRun`: this process has locked the checkpoint, so no migration is running. Throws CHECKPOINT_* and
 * DISK_FULL, which name its file.
 */
export function openInbox(
  checkpointPath: string,
  nowMs: number,
  onReceived?: () => void,
  isOfRun = false,
): OwnInbox {
  const path = getInboxPath(checkpointPath)
  const database = openOwn(buildInboxKind(path), {
    synchronous: 'FULL',
    isPrivate: true,
    finish: (opened) => {
      if (isOfRun) unsealInbox(opened)
      forgetOld(opened, nowMs)
    },
  })
  return new SqliteInbox(database, path, onReceived)
}

/** Opens the inbox of a checkpoint as a database. */
export const openInboxFile = (checkpointPath: string): Sqlite =>
  openOwn(buildInboxKind(getInboxPath(checkpointPath)), { synchronous: 'FULL', isPrivate: true })

/** Creates a new inbox at a temporary path, as a single file. */
export const makeInboxFile = (path: string): Sqlite =>
  openOwn(buildInboxKind(path), { synchronous: 'OFF', isPrivate: true, journal: 'DELETE' })

/** Makes all receivers refuse deliveries: the service sends them again. */
export function sealInbox(database: Sqlite): void {
  database.exec(
    `CREATE TRIGGER IF NOT EXISTS sealed BEFORE INSERT ON deliveries
     BEGIN SELECT raise(ABORT, 'the checkpoint is being moved'); END`,
  )
}

/**
 * Removes the seal that a migration put on the inbox. For a run that has locked the checkpoint: no migration is
 * running.
 */
export function unsealInbox(database: Sqlite): void {
  database.exec('DROP TRIGGER IF EXISTS sealed')
}

/** Counts deliveries by state; `null` if there is no inbox. Needs no lock. */
export function readInboxCounts(checkpointPath: string): InboxCounts | null {
  const path = getInboxPath(checkpointPath)
  if (!existsSync(path) || statSync(path).size === 0) return null
  const database = readOwn(buildInboxKind(path), { versions: 'any' })
  try {
    return withExplainedErrors(path, () => countByState(database))
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
  readonly #commits: GroupTransactions
  readonly #queries: ReturnType<typeof prepareQueries>
  readonly #onReceived: (() => void) | undefined

  constructor(database: Sqlite, path: string, onReceived: (() => void) | undefined) {
    this.#database = database
    this.#path = path
    this.#onReceived = onReceived
    this.#commits = createGroupTransactions(database)
    this.#queries = prepareQueries(database)
  }

  async receive(eventId: string, body: Uint8Array, nowMs: number): Promise<boolean> {
    const isNew = await this.#commit(() => this.#queries.insert.run(eventId, body, nowMs).changes > 0)
    if (isNew) this.#onReceived?.()
    return isNew
  }

  listWaiting(afterPosition: number): WaitingDelivery[] {
    return withExplainedErrors(this.#path, () =>
      this.#queries.waiting.all(afterPosition, receiverLimits.takeCountMax),
    )
  }

  settle(
    position: number,
    state: Exclude<DeliveryState, 'waiting'>,
    reason: string | null,
  ): Promise<boolean> {
    return this.#commit(() => this.#queries.settle.run({ position, state, reason }).changes > 0)
  }

  requeue(): Promise<void> {
    return this.#commit(() => {
      this.#queries.requeue.run()
    })
  }

  close(): void {
    this.#commits.flush()
    this.#database.close()
  }

  #commit<Result>(action: () => Result): Promise<Result> {
    return this.#commits.add(action).catch((error: unknown) => {
      throw explainCheckpointError(this.#path, error)
    })
  }
}

/** SQLite uses the partial index only if the query repeats its condition. */
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

const dayMs = 86_400_000

/** All limits of the receiver and its inbox. */
export const receiverLimits = {
  /** The interface limits deliveries to 1 MB, in either reading of it, and truncates longer ones. */
  bodyBytesMax: 2 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  /** How much of a request refused early is still read, so that its sender receives the response. */
  drain: { bytesMax: 32 * 1024 * 1024, msMax: 2_000 },
  /** Total size of all bodies being read; above it, the response is 503, and the service retries. */
  bodiesBytesMax: 64 * 1024 * 1024,
  connectionsMax: 1_024,
  /** The service waits 15 s for a response. */
  headersMsMax: 10_000,
  requestMsMax: 14_000,
  idleSocketMsMax: 30_000,
  socketCheckMs: 5_000,
  closeGraceMs: 2_000,

  /** How often a run checks for deliveries received by another process. */
  lookMs: 250,
  /** The same for an inbox on a server. */
  sharedLookMs: 1_000,
  /** Deliveries read into memory at once. */
  takeCountMax: 32,
  /** How long the id of a taken delivery is kept; the service repeats deliveries within seven minutes. */
  takenKeptMs: 7 * dayMs,
  /** How long unclaimed and quarantined deliveries are kept. */
  unsettledKeptMs: 90 * dayMs,
} as const

/** Access to the inbox of a run. */
export interface InboxAccess {
  /** Whether any delivery was ever received. */
  exists(): boolean | Promise<boolean>
  /** `onReceived` is called after this process received a new delivery. Throws CHECKPOINT_*. */
  open(onReceived: () => void): Inbox | Promise<Inbox>
}

/** The inbox next to a checkpoint file. */
export const createFileInbox = (checkpointPath: string, clock: Pick<Clock, 'nowMs'>): InboxAccess => ({
  exists: () => existsSync(getInboxPath(checkpointPath)),
  open: (onReceived) => openInbox(checkpointPath, clock.nowMs(), onReceived, true),
})
