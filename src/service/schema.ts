/**
 * The service's tables. A run is written once and only its status moves on; its result is a row of its own
 * that is inserted and never updated. Ids start with the time of their making, so that new ones land side by
 * side in the indexes however many are stored.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE accounts (
    account_number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    v3_enabled INTEGER NOT NULL,
    credit_units INTEGER
  ) STRICT;

  CREATE TABLE api_keys (
    key_hash TEXT PRIMARY KEY,
    account_number INTEGER NOT NULL REFERENCES accounts
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
    due_at_ms INTEGER NOT NULL
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
    run_number INTEGER NOT NULL UNIQUE REFERENCES runs,
    units INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ledger_by_account ON ledger (account_number);
  `,
]
