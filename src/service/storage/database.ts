import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorText, UserError } from '../../core/errors.js'
import { makeFolder } from '../../platform/files.js'
import { openOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { LockHeldError, takeLock, type ProcessLock } from '../../platform/file-locks.js'
import { describeSqliteError, getSqliteCode, isDiskFull, type Sqlite } from '../../platform/sqlite.js'
import { limits } from '../limits.js'

const fileName = 'service.sqlite'

/**
 * Locks the folder against a second service, which would research the same runs, and creates it if missing. Other
 * processes may still use the accounts; see `openDatabaseForCommand`. `null` means memory. Throws SERVICE_DATA_IN_USE,
 * which names the holder, and SERVICE_DATA_INVALID.
 */
export function lockDataFolder(folder: string | null, nowMs: number): ProcessLock {
  if (folder === null) return { release: () => undefined }
  return withExplanation(folder, () => {
    makeFolder(folder)
    return takeLock(join(folder, 'service.lock'), nowMs)
  })
}

/**
 * Opens `service.sqlite` in the folder, created and migrated as needed. Only its owner may read it, because it
 * contains signing secrets. `null` means memory. The caller must hold the folder's lock. Throws SERVICE_DATA_IN_USE,
 * SERVICE_DATA_INVALID, DISK_FULL.
 */
export function openDatabase(folder: string | null): Sqlite {
  return openOwn(describeDatabase(folder), {
    synchronous: 'FULL',
    isPrivate: true,
    busyTimeoutMs: limits.databaseBusyMs,
  })
}

/**
 * Opens `service.sqlite`, also while a service runs on it. Migrates it only if none runs. Throws
 * SERVICE_DATA_NOT_FOUND if it does not exist and must not be created, SERVICE_DATA_IN_USE if it would have to be
 * migrated under a running service, SERVICE_DATA_INVALID.
 */
export function openDatabaseForCommand(folder: string, nowMs: number, whereNone: 'make' | 'refuse'): Sqlite {
  if (whereNone === 'refuse' && !existsSync(join(folder, fileName))) throw createNotFoundError(folder)
  return openOwn(describeDatabase(folder), {
    synchronous: 'FULL',
    isPrivate: true,
    busyTimeoutMs: limits.databaseBesideBusyMs,
    aroundMigration: (migrate) => {
      withServiceLock(folder, nowMs, migrate)
    },
  })
}

/** Opens the database like `openDatabaseForCommand`, uses it, and closes it. Errors of SQLite are reported the same way. */
export async function withDatabaseForCommand(
  folder: string,
  nowMs: number,
  whereNone: 'make' | 'refuse',
  use: (database: Sqlite) => void | Promise<void>,
): Promise<void> {
  const database = openDatabaseForCommand(folder, nowMs, whereNone)
  try {
    await use(database)
  } catch (error) {
    throw getSqliteCode(error) === null ? error : explain(error, folder)
  } finally {
    database.close()
  }
}

const describeDatabase = (folder: string | null): OwnSqlite => ({
  path: folder === null ? ':memory:' : join(folder, fileName),
  applicationId: null,
  migrations,
  explain: (error) => explain(error, folder ?? 'memory'),
})

function withServiceLock(folder: string, nowMs: number, action: () => void): void {
  try {
    const lock = takeLock(join(folder, 'service.lock'), nowMs)
    try {
      action()
    } finally {
      lock.release()
    }
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error
    throw new UserError('SERVICE_DATA_IN_USE', `an older service runs on ${folder}: ${error.holder}`, {
      hint: 'start it again with this version, then repeat the command',
      cause: error,
    })
  }
}

/** Runs `open`, and explains errors of SQLite and the file system in words for users. */
export function withExplanation<Result>(folder: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    throw explain(error, folder)
  }
}

function explain(error: unknown, folder: string): UserError {
  if (error instanceof UserError) return error
  if (error instanceof LockHeldError) {
    return new UserError('SERVICE_DATA_IN_USE', `another service runs on ${folder}: ${error.holder}`, {
      hint: 'stop it, or use another data folder',
      cause: error,
    })
  }
  const code = getSqliteCode(error)
  if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) {
    return new UserError('SERVICE_DATA_IN_USE', `the service's data in ${folder} is in use`, {
      hint: 'an older service or another command uses it: wait until it ends, or use another data folder',
      cause: error,
    })
  }
  if (isDiskFull(error)) {
    return new UserError('DISK_FULL', `no space left for the service's data in ${folder}`, {
      hint: 'free some space; acknowledged work is safe',
      cause: error,
    })
  }
  const reason = code === null ? getErrorText(error) : describeSqliteError(error as Error)
  return new UserError(
    'SERVICE_DATA_INVALID',
    `the service's data in ${folder} cannot be opened: ${reason}`,
    {
      hint: 'the folder must be writable, and its service.sqlite created by this version or an older one',
      cause: error,
    },
  )
}

function createNotFoundError(folder: string): UserError {
  return new UserError('SERVICE_DATA_NOT_FOUND', `there is no service's data in ${folder}`, {
    hint: 'pass --data with the folder of enrich serve, or create the first account: enrich accounts add NAME',
  })
}

/**
 * Migrations of the service's tables. Only the status of a run changes; its result is a separate row that is never
 * updated. Ids start with the time of creation, so that new ones are adjacent in the indexes.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE accounts (
    account_number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    v3_enabled INTEGER NOT NULL,
    credit_units INTEGER,
    created_at_ms INTEGER NOT NULL DEFAULT 0,
    -- How many units may be charged in a calendar month; null where the plan has no such limit.
    monthly_units_max INTEGER
  ) STRICT;

  CREATE TABLE api_keys (
    key_hash TEXT PRIMARY KEY,
    account_number INTEGER NOT NULL REFERENCES accounts,
    label TEXT,
    created_at_ms INTEGER NOT NULL DEFAULT 0,
    -- A key given at the start of the service is replaced at the next start.
    given_at_start INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE runs (
    run_number INTEGER PRIMARY KEY,
    account_number INTEGER NOT NULL REFERENCES accounts,
    run_id TEXT NOT NULL,
    job_id TEXT,
    request_id TEXT,
    call_id TEXT NOT NULL,
    custom_id TEXT,
    name TEXT NOT NULL,
    location TEXT,
    context TEXT,
    with_basis INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED')),
    created_at_ms INTEGER NOT NULL,
    due_at_ms INTEGER NOT NULL,
    surface TEXT NOT NULL DEFAULT 'v3' CHECK (surface IN ('v3', 'v2')),
    webhook_url TEXT
  ) STRICT;
  CREATE UNIQUE INDEX runs_by_run_id ON runs (account_number, run_id);
  CREATE UNIQUE INDEX runs_by_job_id ON runs (account_number, job_id) WHERE job_id IS NOT NULL;
  CREATE UNIQUE INDEX runs_by_request_id ON runs (account_number, request_id) WHERE request_id IS NOT NULL;
  CREATE INDEX runs_by_status ON runs (status, due_at_ms);

  CREATE TABLE results (
    run_number INTEGER PRIMARY KEY REFERENCES runs,
    finished_at_ms INTEGER NOT NULL,
    result TEXT NOT NULL,
    basis TEXT
  ) STRICT;

  CREATE TABLE ledger (
    entry_number INTEGER PRIMARY KEY,
    account_number INTEGER NOT NULL REFERENCES accounts,
    run_number INTEGER REFERENCES runs,
    kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'grant')),
    units INTEGER NOT NULL CHECK (units > 0),
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ledger_by_account ON ledger (account_number, created_at_ms);
  -- A run is charged once, and refunded once at most.
  CREATE UNIQUE INDEX ledger_by_run ON ledger (run_number, kind) WHERE run_number IS NOT NULL;

  -- The ledger's sums by account and UTC month, kept by the ledger itself: a balance is read without adding up
  -- what may be millions of entries. A refund counts in the month of its charge.
  CREATE TABLE usage (
    account_number INTEGER NOT NULL REFERENCES accounts,
    month TEXT NOT NULL,
    charged_units INTEGER NOT NULL DEFAULT 0,
    refunded_units INTEGER NOT NULL DEFAULT 0,
    granted_units INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_number, month)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER ledger_charges AFTER INSERT ON ledger WHEN NEW.kind = 'charge' BEGIN
    INSERT INTO usage (account_number, month, charged_units)
      VALUES (NEW.account_number, strftime('%Y-%m', NEW.created_at_ms / 1000, 'unixepoch'), NEW.units)
      ON CONFLICT DO UPDATE SET charged_units = charged_units + excluded.charged_units;
  END;
  CREATE TRIGGER ledger_refunds AFTER INSERT ON ledger WHEN NEW.kind = 'refund' BEGIN
    INSERT INTO usage (account_number, month, refunded_units)
      SELECT NEW.account_number, strftime('%Y-%m', created_at_ms / 1000, 'unixepoch'), NEW.units
      FROM ledger WHERE run_number = NEW.run_number AND kind = 'charge'
      ON CONFLICT DO UPDATE SET refunded_units = refunded_units + excluded.refunded_units;
  END;
  CREATE TRIGGER ledger_grants AFTER INSERT ON ledger WHEN NEW.kind = 'grant' BEGIN
    INSERT INTO usage (account_number, month, granted_units)
      VALUES (NEW.account_number, strftime('%Y-%m', NEW.created_at_ms / 1000, 'unixepoch'), NEW.units)
      ON CONFLICT DO UPDATE SET granted_units = granted_units + excluded.granted_units;
  END;

  -- Secrets are kept as they are: one cannot sign with a hash. Null never expires.
  CREATE TABLE webhook_secrets (
    secret_id TEXT PRIMARY KEY,
    account_number INTEGER NOT NULL REFERENCES accounts,
    secret TEXT NOT NULL,
    label TEXT,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER
  ) STRICT;
  CREATE INDEX webhook_secrets_by_account ON webhook_secrets (account_number);

  -- The outbox: an event is written in the transaction of what it tells of. No next attempt: it is over.
  CREATE TABLE events (
    event_number INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    account_number INTEGER NOT NULL REFERENCES accounts,
    type TEXT NOT NULL,
    webhook_url TEXT NOT NULL,
    -- The account, the host and a hash of the path: each lane is delivered on its own.
    lane TEXT NOT NULL,
    run_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    -- The bytes of every attempt; dropped when there is none to come.
    body TEXT,
    attempt_count INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_ms INTEGER,
    delivered_at_ms INTEGER,
    last_failure TEXT
  ) STRICT;
  CREATE INDEX events_by_lane ON events (lane, next_attempt_at_ms) WHERE next_attempt_at_ms IS NOT NULL;
  -- A request has one terminal state, and tells of it once.
  CREATE UNIQUE INDEX events_by_run ON events (run_id);

  -- Feedback about answers, as it came.
  CREATE TABLE reports (
    report_number INTEGER PRIMARY KEY,
    account_number INTEGER NOT NULL REFERENCES accounts,
    call_id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX reports_by_account ON reports (account_number, report_number);

  -- What is compiled on first demand, for all accounts alike: records of entities and domains, hierarchies.
  CREATE TABLE builds (
    build_number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('entity', 'domain', 'hierarchy')),
    subject TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'refreshing', 'complete', 'failed')),
    started_at_ms INTEGER NOT NULL,
    due_at_ms INTEGER NOT NULL,
    -- The last end, good or bad; and when the result was made, which an ill-fated refresh leaves as it is.
    finished_at_ms INTEGER,
    updated_at_ms INTEGER,
    result TEXT,
    failure TEXT,
    -- What was known at the last end, as the knowledge calls it.
    edition TEXT,
    UNIQUE (kind, subject)
  ) STRICT;
  CREATE INDEX builds_by_due ON builds (due_at_ms) WHERE state IN ('building', 'refreshing');

  -- Who asked for an event at the end of a build. One event each; its object stays to be polled.
  CREATE TABLE build_waiters (
    waiter_number INTEGER PRIMARY KEY,
    build_number INTEGER NOT NULL REFERENCES builds,
    account_number INTEGER NOT NULL REFERENCES accounts,
    run_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    webhook_url TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    object TEXT
  ) STRICT;
  CREATE INDEX build_waiters_by_build ON build_waiters (build_number) WHERE object IS NULL;
  CREATE UNIQUE INDEX build_waiters_by_run_id ON build_waiters (account_number, run_id);
  `,
  `
  -- Research takes turns among the accounts.
  CREATE INDEX runs_open_by_account ON runs (account_number, due_at_ms) WHERE status = 'PENDING';
  -- The account that requested the build; 0 if unknown.
  ALTER TABLE builds ADD COLUMN account_number INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX builds_open_by_account ON builds (account_number, due_at_ms)
    WHERE state IN ('building', 'refreshing');
  `,
]

/** Returns SQL that selects the accounts with open rows by skipping through a partial index. */
export function selectOpenAccounts(table: 'runs' | 'builds', isOpen: string): string {
  const select = `SELECT min(account_number) FROM ${table} WHERE ${isOpen}`
  return `
    WITH RECURSIVE open (account) AS (
      SELECT (${select})
      UNION ALL SELECT (${select} AND account_number > account) FROM open WHERE account IS NOT NULL
    )
    SELECT account FROM open WHERE account IS NOT NULL`
}
