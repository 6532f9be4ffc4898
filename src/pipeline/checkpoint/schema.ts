import type { Migration, Sqlite } from '../../platform/sqlite.js'
import { makeHistory } from './history-tables.js'
import { beginPacking, endPacking, packAnswers, plainChecksumSql } from './plain-answers.js'
import { checksumSql, nextChain, summedTables } from './row-checksums.js'

/** Marks an SQLite file as ours ("enrc"). */
export const applicationId = 0x656e7263

/**
 * Each step is applied once, in order, in a transaction of its own; a step that has been released never
 * changes.
 *
 * - `scopes`: whose answers these are: a hosted service's base URL, or the embedded one with its registry's
 *   edition. Answers of one are not answers of another.
 * - `lookups`: one row a distinct question of a scope; `state` as in core/lookup-state.
 * - `jobs`: one input enriched, over as many processes as it takes; the budget of a job outlives them.
 * - `submissions`: one row an attempt that may have been billed, never deleted: the other side of the
 *   service's ledger.
 * - `answers`: the last answer of a lookup, as `packed-answer.ts` has it; kept while the lookup is being asked again.
 *
 * - `history_…`: what runs came to, and what they published: history-tables.ts.
 *
 * Every row bears a checksum (row-checksums.ts), and each submission a value that proves it and all before it.
 * `checkpoint.sequence` counts commits, `generation` accepted rollbacks; `closed_head_ns` is when the head file
 * last changed, while the checkpoint is closed.
 */
export const migrations: readonly Migration[] = [
  `CREATE TABLE checkpoint (id TEXT NOT NULL, created_at_ms INTEGER NOT NULL) STRICT;
   CREATE TABLE scopes (scope_id INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE) STRICT;
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
     UNIQUE (scope_id, key)
   ) STRICT;
   CREATE INDEX lookups_open ON lookups (scope_id, state) WHERE state IN ('intended', 'running', 'uncertain');
   CREATE TABLE jobs (
     job_id INTEGER PRIMARY KEY,
     scope_id INTEGER NOT NULL REFERENCES scopes,
     input TEXT NOT NULL,
     started_at_ms INTEGER NOT NULL,
     ended_at_ms INTEGER
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
     accepted_at_ms INTEGER
   ) STRICT;
   CREATE INDEX submissions_of_job ON submissions (job_id);
   CREATE TABLE answers (
     lookup_id INTEGER PRIMARY KEY REFERENCES lookups,
     run_id TEXT NOT NULL,
     outcome TEXT NOT NULL,
     line TEXT NOT NULL,
     line_version INTEGER NOT NULL,
     body TEXT NOT NULL,
     answered_at_ms INTEGER NOT NULL
   ) STRICT;`,
  // A webhook names a run.
  `CREATE INDEX submissions_by_run ON submissions (run_id) WHERE run_id IS NOT NULL;`,
  addChecksums,
  { inBatches: sumAnswers },
  // An earlier version of the program refuses the file from here on.
  beginPacking,
  { inBatches: packAnswers },
  endPacking,
  makeHistory,
]

export const schemaVersion = migrations.length

function addChecksums(database: Sqlite): void {
  database.exec(
    `ALTER TABLE checkpoint ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE checkpoint ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE checkpoint ADD COLUMN had_head INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE checkpoint ADD COLUMN closed_head_ns TEXT;
     ALTER TABLE submissions ADD COLUMN chain TEXT NOT NULL DEFAULT '';
     ALTER TABLE answers ADD COLUMN body_digest BLOB;
     ALTER TABLE answers ADD COLUMN checksum BLOB;`,
  )
  for (const table of summedTables) database.exec(`ALTER TABLE ${table} ADD COLUMN checksum BLOB`)
  chainSubmissions(database)
  for (const table of summedTables) database.exec(`UPDATE ${table} SET checksum = ${checksumSql(table)}`)
}

/** Chains the submissions that are there, in the order in which they left. */
export function chainSubmissions(database: Sqlite): void {
  const page = database.prepare<
    [number],
    { position: number; customId: string; attempt: number; intendedAtMs: number }
  >(
    `SELECT rowid AS position, custom_id AS customId, attempt, intended_at_ms AS intendedAtMs
     FROM submissions WHERE rowid > ? ORDER BY rowid LIMIT 1000`,
  )
  const write = database.prepare<[string, number]>('UPDATE submissions SET chain = ? WHERE rowid = ?')
  let chain = ''
  for (let rows = page.all(-1); rows.length > 0; rows = page.all(rows.at(-1)?.position ?? 0)) {
    for (const row of rows) {
      chain = nextChain(chain, row)
      write.run(chain, row.position)
    }
  }
}

/** Answers may be gigabytes: a transaction a thousand of them. */
function sumAnswers(database: Sqlite): void {
  const last = database
    .prepare<[number], number | null>(
      `SELECT max(lookup_id) FROM (SELECT lookup_id FROM answers WHERE lookup_id > ? ORDER BY lookup_id LIMIT 1000)`,
    )
    .pluck()
  const of = 'WHERE lookup_id > @after AND lookup_id <= @last AND checksum IS NULL'
  const digestBodies = database.prepare(`UPDATE answers SET body_digest = digest(CAST(body AS BLOB)) ${of}`)
  const key = '(SELECT key FROM lookups l WHERE l.lookup_id = answers.lookup_id)'
  const sum = database.prepare(`UPDATE answers SET checksum = ${plainChecksumSql('answers.', key)} ${of}`)
  const batch = database.transaction((range: { after: number; last: number }) => {
    digestBodies.run(range)
    sum.run(range)
  })
  let after = 0
  for (let end = last.get(after); typeof end === 'number'; end = last.get(after)) {
    batch.immediate({ after, last: end })
    after = end
  }
}
