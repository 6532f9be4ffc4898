import { makeHistory } from '../history-tables.js'

/** Marks an SQLite file as a checkpoint ("enrc"). */
export const applicationId = 0x656e7263

/**
 * Each step is applied once, in order, in its own transaction; a released step never changes.
 *
 * - `scopes`: services: the base URL of a hosted service, or the embedded one with its registry's edition. Answers of
 * one are never used for another.
 * - `lookups`: one row per distinct lookup of a scope; `state` as in core/lookup-state.
 * - `jobs`: one input, enriched by any number of runs, which share its budget.
 * - `submissions`: one row per attempt that may have been billed, never deleted: the counterpart of the service's
 * ledger.
 * - `answers`: the last answer of a lookup, as in `packed-answer.ts`; kept while the lookup is being submitted again.
 * - `history_…`: runs and their published outputs: history-tables.ts.
 *
 * Every row has a checksum (tables.ts), and each submission a hash over itself and all before it. `checkpoint.sequence`
 * counts commits, `generation` accepted rollbacks; `closed_head_ns` is the last change time of the head file while the
 * checkpoint is closed.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE checkpoint (
     id TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL,
     generation INTEGER NOT NULL DEFAULT 0,
     sequence INTEGER NOT NULL DEFAULT 0,
     had_head INTEGER NOT NULL DEFAULT 0,
     closed_head_ns TEXT,
     checksum BLOB
   ) STRICT;
   CREATE TABLE scopes (scope_id INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE, checksum BLOB) STRICT;
   CREATE TABLE lookups (
     lookup_id INTEGER PRIMARY KEY,
     scope_id INTEGER NOT NULL REFERENCES scopes,
     key BLOB NOT NULL,
     name TEXT NOT NULL,
     location TEXT,
     context TEXT,
     state TEXT NOT NULL DEFAULT 'new',
     attempt INTEGER NOT NULL DEFAULT 0,
     custom_id TEXT,
     run_id TEXT,
     failure TEXT,
     submitted_at_ms INTEGER,
     answered_at_ms INTEGER,
     checksum BLOB,
     UNIQUE (scope_id, key)
   ) STRICT;
   CREATE INDEX lookups_open ON lookups (scope_id, state) WHERE state IN ('intended', 'running', 'uncertain');
   CREATE TABLE jobs (
     job_id INTEGER PRIMARY KEY,
     scope_id INTEGER NOT NULL REFERENCES scopes,
     input TEXT NOT NULL,
     started_at_ms INTEGER NOT NULL,
     ended_at_ms INTEGER,
     checksum BLOB
   ) STRICT;
   CREATE TABLE submissions (
     custom_id TEXT PRIMARY KEY,
     lookup_id INTEGER NOT NULL REFERENCES lookups,
     job_id INTEGER NOT NULL REFERENCES jobs,
     attempt INTEGER NOT NULL,
     verdict TEXT NOT NULL,
     run_id TEXT,
     reason TEXT,
     intended_at_ms INTEGER NOT NULL,
     accepted_at_ms INTEGER,
     chain TEXT NOT NULL DEFAULT '',
     checksum BLOB
   ) STRICT;
   CREATE INDEX submissions_of_job ON submissions (job_id);
   CREATE INDEX submissions_by_run ON submissions (run_id) WHERE run_id IS NOT NULL;
   CREATE TABLE answers (
     lookup_id INTEGER PRIMARY KEY REFERENCES lookups,
     run_id TEXT NOT NULL,
     outcome TEXT NOT NULL,
     line_version INTEGER NOT NULL,
     answered_at_ms INTEGER NOT NULL,
     packing INTEGER NOT NULL,
     line_bytes INTEGER NOT NULL,
     body_bytes INTEGER NOT NULL,
     packed BLOB NOT NULL,
     checksum BLOB
   ) STRICT;
   ${makeHistory}`,
]

export const schemaVersion = migrations.length
