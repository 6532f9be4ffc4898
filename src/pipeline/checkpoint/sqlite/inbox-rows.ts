import { existsSync, statSync } from 'node:fs'
import { UserError } from '../../../core/errors.js'
import type { Clock } from '../../../platform/clock.js'
import { createGroupTransactions, type GroupTransactions } from '../../../platform/group-commit.js'
import { openOwn, readOwn, type OwnSqlite } from '../../../platform/own-sqlite.js'
import { NotOursError, prepare, type Sqlite } from '../../../platform/sqlite.js'
import {
  createInbox,
  forgetOld,
  inboxLimits,
  toInboxCounts,
  type DeliveryChange,
  type DeliveryState,
  type Inbox,
  type InboxAccess,
  type InboxCounts,
  type InboxRows,
  type NewDelivery,
  type WaitingDelivery,
} from '../inbox.js'
import { getInboxPath } from '../paths.js'
import { explainCheckpointError, withExplainedErrors } from './open-database.js'

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

interface OpenInboxOptions {
  readonly onReceived?: () => void
  /** This process has locked the checkpoint, so no move is running. */
  readonly isOfRun?: boolean
}

/** Opens the inbox of a checkpoint in a file; creates it if missing. Throws CHECKPOINT_* and DISK_FULL. */
export function openFileInbox(
  checkpointPath: string,
  nowMs: number,
  { onReceived, isOfRun = false }: OpenInboxOptions = {},
): Inbox {
  const path = getInboxPath(checkpointPath)
  const database = openOwn(buildInboxKind(path), {
    synchronous: 'FULL',
    isPrivate: true,
    finish: (opened) => {
      if (isOfRun) unsealInbox(opened)
    },
  })
  const rows = new SqliteInboxRows(database, path, nowMs)
  void forgetOld(rows)
  return createInbox(rows, onReceived)
}

/** The inbox of a run that has locked a checkpoint in a file. */
export const createFileInbox = (checkpointPath: string, clock: Pick<Clock, 'nowMs'>): InboxAccess => ({
  exists: () => existsSync(getInboxPath(checkpointPath)),
  open: (onReceived) => openFileInbox(checkpointPath, clock.nowMs(), { onReceived, isOfRun: true }),
})

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

/** Removes the seal of a move, for a process that has locked the checkpoint: no move is running. */
export function unsealInbox(database: Sqlite): void {
  database.exec('DROP TRIGGER IF EXISTS sealed')
}

/** Counts deliveries by state; `null` if there is no inbox. Needs no lock. */
export function readInboxCounts(checkpointPath: string): InboxCounts | null {
  const path = getInboxPath(checkpointPath)
  if (!existsSync(path) || statSync(path).size === 0) return null
  const database = readOwn(buildInboxKind(path), { versions: 'any' })
  try {
    return withExplainedErrors(path, () =>
      toInboxCounts(
        prepare<[], { state: DeliveryState; count: number }>(
          database,
          'SELECT state, count(*) AS count FROM deliveries GROUP BY state',
        ).all(),
      ),
    )
  } finally {
    database.close()
  }
}

/** SQLite uses the partial index only if the query repeats its condition. */
export const unsettledQueries = {
  waiting: `SELECT position, body, received_at_ms AS receivedAtMs FROM deliveries
    WHERE state <> 'taken' AND state = 'waiting' AND position > ? ORDER BY position LIMIT ?`,
  change: `UPDATE deliveries SET state = @to, reason = @reason, body = iif(@to = 'taken', NULL, body)
    WHERE state <> 'taken' AND state = @from AND position BETWEEN @first AND @last`,
} as const

function prepareQueries(database: Sqlite) {
  return {
    insert: prepare<[string, Uint8Array, number]>(
      database,
      'INSERT OR IGNORE INTO deliveries (event_id, body, received_at_ms) VALUES (?, ?, ?)',
    ),
    waiting: prepare<[number, number], WaitingDelivery>(database, unsettledQueries.waiting),
    change: prepare<DeliveryChange>(database, unsettledQueries.change),
    forget: prepare<[number, number]>(
      database,
      `DELETE FROM deliveries WHERE received_at_ms < ? OR (state = 'taken' AND received_at_ms < ?)`,
    ),
  }
}

/** Deliveries in a file. Changes that come at about the same time share a commit. */
class SqliteInboxRows implements InboxRows {
  readonly lookMs = inboxLimits.lookMs
  readonly #database: Sqlite
  readonly #path: string
  readonly #openedAtMs: number
  readonly #commits: GroupTransactions
  readonly #queries: ReturnType<typeof prepareQueries>

  constructor(database: Sqlite, path: string, nowMs: number) {
    this.#database = database
    this.#path = path
    this.#openedAtMs = nowMs
    this.#commits = createGroupTransactions(database)
    this.#queries = prepareQueries(database)
  }

  add({ eventId, body, nowMs }: NewDelivery): Promise<boolean> {
    return this.#commit(() => this.#queries.insert.run(eventId, body, nowMs).changes > 0)
  }

  listWaiting(afterPosition: number, _: unknown, countMax: number): WaitingDelivery[] {
    return withExplainedErrors(this.#path, () => this.#queries.waiting.all(afterPosition, countMax))
  }

  change(change: DeliveryChange): Promise<number> {
    return this.#commit(() => this.#queries.change.run(change).changes)
  }

  forget(takenMs: number, othersMs: number): void {
    withExplainedErrors(this.#path, () =>
      this.#queries.forget.run(this.#openedAtMs - othersMs, this.#openedAtMs - takenMs),
    )
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
