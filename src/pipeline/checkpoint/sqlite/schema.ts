/** Marks an SQLite file as a checkpoint ("enrc"). */
export const applicationId = 0x656e7263

/**
 * - `history_runs`: one row per run; `output_id` is null if no output was written, or it was pruned.
 * - `history_outputs`: the entry of each row of an output, packed; runs with equal outputs share one, and an output may
 * be stored as a difference from another (`base_id`).
 * - `history_entries`: distinct rows of outputs, shared by all runs.
 * - `history_states`: distinct row results, as text, shared by entries. Their sources are the first that were seen.
 * - `history_marks`: let the next run of a series skip unchanged rows. Without them it compares all rows.
 *
 * No row of another table refers to these, and no billing depends on them. Each can be verified: entries, states and
 * outputs by the digest of their content, which is also their lookup key; the others by a checksum.
 */
const makeHistory = `
  CREATE TABLE history_runs (
    run_id INTEGER PRIMARY KEY,
    series TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    exit_code INTEGER,
    is_published INTEGER NOT NULL,
    baseline INTEGER,
    output_id INTEGER,
    record BLOB NOT NULL,
    checksum BLOB NOT NULL
  ) STRICT;
  CREATE TABLE history_outputs (
    output_id INTEGER PRIMARY KEY,
    base_id INTEGER,
    row_count INTEGER NOT NULL,
    packed BLOB NOT NULL,
    digest BLOB NOT NULL
  ) STRICT;
  CREATE TABLE history_entries (
    entry_id INTEGER PRIMARY KEY,
    address BLOB NOT NULL,
    row_key TEXT,
    name TEXT,
    state_id INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE history_states (
    state_id INTEGER PRIMARY KEY,
    status TEXT NOT NULL,
    confidence INTEGER,
    country TEXT,
    packing INTEGER NOT NULL,
    state_bytes INTEGER NOT NULL,
    packed BLOB NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    checksum BLOB NOT NULL
  ) STRICT;
  CREATE TABLE history_marks (
    series TEXT PRIMARY KEY,
    output_id INTEGER NOT NULL,
    form TEXT NOT NULL,
    packed BLOB NOT NULL,
    checksum BLOB NOT NULL
  ) STRICT;`

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
 * - `history_…`: runs and their published outputs.
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
