import type { Lookup, LookupId } from '../../../core/lookup-identity.js'
import type { LookupState } from '../../../core/lookup-state.js'
import { prepare, type Sqlite } from '../../../platform/sqlite.js'
import { packedColumns, type PackedAnswer } from '../packed-answer.js'
import { buildAnswerChecksumSql, buildChecksumSql, restoredSql } from '../tables.js'
import type { AnswerHead, PendingRun, RunOwner, ToSubmit } from '../records.js'
import type { LookupNow, Settlement } from '../transitions.js'

/** A lookup before its next change. */
export interface LookupRow extends LookupNow {
  readonly attempt: number
  readonly key: Buffer
}

/** Compares the index with its row: a damaged index would return another lookup's answer. */
export const findLookupSql = `SELECT l.lookup_id AS lookupId, l.name = '' AS isNameless,
    (SELECT r.key = l.key FROM lookups r NOT INDEXED WHERE r.rowid = l.lookup_id) AS isSound
  FROM lookups l WHERE l.scope_id = ? AND l.key = ?`

export interface FoundLookup {
  lookupId: LookupId
  /** 1 if restored from a submission alone. */
  isNameless: 0 | 1
  isSound: 0 | 1
}

export interface NewSubmission {
  lookupId: LookupId
  customId: string
  attempt: number
  nowMs: number
}

export interface LastSubmission {
  submissionCount: number
  chain: string
  submittedAtMs: number
}

/** The lookups of this run, of one kind, after a position; all with 0. */
export interface WantedFrom {
  scopeId: number
  afterPosition: number
}

/** Excludes decided lookups: they are not submitted, waited for or reopened. */
const wantedFrom =
  '(SELECT * FROM temp.wanted WHERE temp.wanted.scope_id = @scopeId AND position > @afterPosition AND NOT is_decided)'

/** Covers several minutes at all rate limits. */
const recentSubmissionsRead = 10_000

type OwnerRow = Omit<RunOwner, 'isWanted'> & { isWanted: 0 | 1 }

const ownerColumns = `l.lookup_id AS lookupId, coalesce(l.run_id, '') AS runId, coalesce(l.custom_id, '') AS customId,
    l.name, coalesce(l.submitted_at_ms, 0) AS submittedAtMs, l.failure AS needsAttention, l.state,
    EXISTS (SELECT 1 FROM temp.wanted w WHERE w.lookup_id = l.lookup_id AND NOT w.is_decided) AS isWanted`

/** Checksum of an unsubmitted lookup. */
const newLookupChecksum = buildChecksumSql('lookups', '@')
  .replace('@scope_id', '@scopeId')
  .replace(/@state.*\)$/, "'new', 0, NULL, NULL, NULL, NULL, NULL)")

/** Queries that add lookups to this run. */
const prepareRegistration = (database: Sqlite) => ({
  insertLookup: prepare<{
    scopeId: number
    key: Uint8Array
    name: string
    location: string | null
    context: string | null
  }>(
    database,
    `INSERT INTO lookups (scope_id, key, name, location, context, checksum)
     VALUES (@scopeId, @key, @name, @location, @context, ${newLookupChecksum})`,
  ),
  findLookup: prepare<[number, Uint8Array], FoundLookup>(database, findLookupSql),
  nameLookup: prepare<{ lookupId: number; name: string; location: string | null; context: string | null }>(
    database,
    'UPDATE lookups SET name = @name, location = @location, context = @context WHERE lookup_id = @lookupId',
  ),
  insertWanted: prepare<{
    scopeId: number
    position: number
    lookupId: number
    isOfRow: 0 | 1
    isDecided: 0 | 1
  }>(
    database,
    'INSERT OR IGNORE INTO temp.wanted VALUES (@scopeId, @position, @lookupId, @isOfRow, @isDecided)',
  ),
})

/** Queries that plan all lookups of this run at once. */
const preparePlanning = (database: Sqlite) => ({
  decidedCount: prepare<WantedFrom, number>(
    database,
    `SELECT count(*) FROM temp.wanted
     WHERE temp.wanted.scope_id = @scopeId AND position > @afterPosition AND is_decided`,
  ).pluck(),
  groups: prepare<
    WantedFrom & { cutoffMs: number },
    { state: LookupState; isOld: 0 | 1; answeredAtMs: number | null; count: number }
  >(
    database,
    `SELECT state, coalesce(answered_at_ms < @cutoffMs, 0) AS isOld, max(answered_at_ms) AS answeredAtMs,
       count(*) AS count
     FROM ${wantedFrom} JOIN lookups USING (lookup_id) GROUP BY 1, 2`,
  ),
  reopen: prepare<WantedFrom & { state: LookupState; cutoffMs: number; isOld: 0 | 1 }>(
    database,
    `UPDATE lookups SET state = 'new', custom_id = NULL, run_id = NULL
     WHERE state = @state AND coalesce(answered_at_ms < @cutoffMs, 0) = @isOld
     AND lookup_id IN (SELECT lookup_id FROM ${wantedFrom})`,
  ),
  /** Marks lost free reads as running until the next poll; the reason of the loss becomes the attention note. */
  runLostSubmissions: prepare<WantedFrom & { runIdPrefix: string; nowMs: number }>(
    database,
    `UPDATE submissions SET verdict = 'accepted', reason = NULL, accepted_at_ms = @nowMs,
       run_id = (SELECT @runIdPrefix || name FROM lookups l WHERE l.lookup_id = submissions.lookup_id)
     WHERE custom_id IN (SELECT l.custom_id FROM ${wantedFrom} JOIN lookups l USING (lookup_id)
       WHERE l.state = 'uncertain')`,
  ),
  runLost: prepare<WantedFrom & { runIdPrefix: string; nowMs: number }>(
    database,
    `UPDATE lookups SET state = 'running', run_id = @runIdPrefix || name, submitted_at_ms = @nowMs
     WHERE state = 'uncertain' AND custom_id IS NOT NULL
     AND lookup_id IN (SELECT lookup_id FROM ${wantedFrom})`,
  ),
  fromFutureCount: prepare<WantedFrom & { untilMs: number }, number>(
    database,
    `SELECT count(*) FROM ${wantedFrom} JOIN lookups USING (lookup_id) WHERE answered_at_ms > @untilMs`,
  ).pluck(),
  /** Whether a lookup waits for its submission that was submitted before. */
  hasReopened: prepare<WantedFrom, 1>(
    database,
    `SELECT 1 FROM ${wantedFrom} JOIN lookups USING (lookup_id) WHERE state = 'new' AND attempt > 0 LIMIT 1`,
  ).pluck(),
  /** Gives reopened lookups that were not submitted again the state that their last submission left them; no damaged ones. */
  restoreReopened: prepare<WantedFrom>(
    database,
    `UPDATE lookups SET ${restoredSql}
     FROM (SELECT lookup_id, custom_id, run_id, accepted_at_ms, verdict, reason, max(attempt) FROM submissions
       WHERE verdict IN ('accepted', 'rejected', 'uncertain')
       AND lookup_id IN (SELECT lookup_id FROM ${wantedFrom} JOIN lookups USING (lookup_id)
         WHERE state = 'new' AND attempt > 0)
       GROUP BY lookup_id) AS s LEFT JOIN answers AS a USING (lookup_id, run_id)
     WHERE lookups.lookup_id = s.lookup_id AND (lookups.custom_id IS NULL OR a.outcome IS NOT NULL)
       AND lookups.checksum IS ${buildChecksumSql('lookups', 'lookups.')}`,
  ),
  /**
   * A run that needs attention has the outcome `error`; a run that is only slow has none. What this retry submitted is
   * not reopened, although another retry may have submitted it since.
   */
  reopenOutcomes: prepare<WantedFrom & { outcomes: string; retryJob: string | null }>(
    database,
    `UPDATE lookups SET state = 'new', custom_id = NULL, run_id = NULL
     WHERE lookup_id IN (SELECT lookup_id FROM ${wantedFrom})
     AND CASE state
       WHEN 'invalid' THEN 'invalid_input'
       WHEN 'running' THEN iif(failure IS NULL, NULL, 'error')
       WHEN 'answered' THEN (SELECT outcome FROM answers a WHERE a.lookup_id = lookups.lookup_id)
       WHEN 'failed' THEN 'failed'
     END IN (SELECT value FROM json_each(@outcomes))
     AND lookup_id NOT IN (SELECT lookup_id FROM submissions JOIN jobs USING (job_id)
       WHERE input = @retryJob AND verdict <> 'not_created')`,
  ),
})

/** Lists of lookups of this run. */
const prepareLists = (database: Sqlite) => ({
  nextToSubmit: prepare<WantedFrom & { count: number }, ToSubmit & { position: number }>(
    database,
    `SELECT position, lookup_id AS lookupId, name, location, context, is_first AS isOfRow
     FROM ${wantedFrom} JOIN lookups USING (lookup_id)
     WHERE state = 'new' ORDER BY position LIMIT @count`,
  ),
  pendingRuns: prepare<WantedFrom, PendingRun>(
    database,
    `SELECT lookup_id AS lookupId, run_id AS runId, custom_id AS customId, name,
       submitted_at_ms AS submittedAtMs, failure AS needsAttention
     FROM ${wantedFrom} JOIN lookups USING (lookup_id) WHERE state = 'running'
     ORDER BY submitted_at_ms, lookup_id`,
  ),
  rowAnswers: prepare<
    WantedFrom & { count: number },
    Lookup & PackedAnswer & { position: number; lookupId: LookupId }
  >(
    database,
    `SELECT position, lookup_id AS lookupId, name, location, context, ${packedColumns}
     FROM ${wantedFrom} JOIN lookups USING (lookup_id) JOIN answers USING (lookup_id)
     WHERE is_first AND state = 'answered' ORDER BY position LIMIT @count`,
  ),
  lostSince: prepare<WantedFrom & { afterMs: number }, { lookupId: LookupId; intendedAtMs: number }>(
    database,
    `SELECT l.lookup_id AS lookupId, s.intended_at_ms AS intendedAtMs
     FROM ${wantedFrom} JOIN lookups l USING (lookup_id) JOIN submissions s ON s.custom_id = l.custom_id
     WHERE l.state = 'uncertain' AND s.intended_at_ms > @afterMs`,
  ),
  lostOfScope: prepare<WantedFrom & { afterMs: number }, { lookupId: LookupId; intendedAtMs: number }>(
    database,
    `SELECT l.lookup_id AS lookupId, s.intended_at_ms AS intendedAtMs
     FROM lookups l JOIN submissions s ON s.custom_id = l.custom_id
     WHERE l.scope_id = @scopeId AND l.state = 'uncertain' AND s.intended_at_ms > @afterMs`,
  ),
  /** Submissions are never deleted and lie in send order. Reads the newest, enough that other kinds hide none. */
  recentSubmissions: prepare<{ scopeId: number; afterMs: number; countMax: number }, number>(
    database,
    `SELECT intended_at_ms FROM
       (SELECT s.intended_at_ms FROM
          (SELECT rowid AS position, lookup_id, intended_at_ms FROM submissions
           ORDER BY rowid DESC LIMIT max(@countMax, ${recentSubmissionsRead})) s
        CROSS JOIN lookups USING (lookup_id)
        WHERE scope_id = @scopeId AND s.intended_at_ms > @afterMs ORDER BY s.position DESC LIMIT @countMax)
     ORDER BY intended_at_ms`,
  ).pluck(),
})

/** Single lookups and their submissions. */
const prepareFinds = (database: Sqlite) => ({
  lookup: prepare<[number], LookupRow>(
    database,
    `SELECT lookup_id AS lookupId, state, attempt, key, custom_id AS customId, run_id AS runId
     FROM lookups WHERE lookup_id = ?`,
  ),
  rowLookup: prepare<[number], Lookup>(
    database,
    `SELECT name, location, context FROM temp.wanted JOIN lookups USING (lookup_id)
     WHERE lookup_id = ? AND is_first AND NOT is_decided`,
  ),
  answer: prepare<[number], PackedAnswer>(
    database,
    `SELECT ${packedColumns} FROM answers WHERE lookup_id = ?`,
  ),
  ownerOfRun: prepare<[string], OwnerRow>(
    database,
    `SELECT ${ownerColumns} FROM submissions s JOIN lookups l USING (lookup_id)
     WHERE s.run_id = ? AND l.run_id = s.run_id LIMIT 1`,
  ),
  ownerOfKey: prepare<[number, Uint8Array], OwnerRow>(
    database,
    `SELECT ${ownerColumns} FROM lookups l WHERE l.scope_id = ? AND l.key = ?`,
  ),
  lookupOfSubmission: prepare<[string], number>(
    database,
    'SELECT lookup_id FROM submissions WHERE custom_id = ?',
  ).pluck(),
  submission: prepare<[string], { verdict: string; runId: string | null }>(
    database,
    'SELECT verdict, run_id AS runId FROM submissions WHERE custom_id = ?',
  ),
  /** Whether another submission has the run. Runs of other services may have the same id. */
  isRunTaken: prepare<{ runId: string; scopeId: number; customId: string }, 1>(
    database,
    `SELECT 1 FROM submissions s JOIN lookups l USING (lookup_id)
     WHERE s.run_id = @runId AND l.scope_id = @scopeId AND s.custom_id <> @customId`,
  ).pluck(),
  lastSubmission: prepare<[], LastSubmission>(
    database,
    `SELECT rowid AS submissionCount, chain, intended_at_ms AS submittedAtMs
     FROM submissions ORDER BY rowid DESC LIMIT 1`,
  ),
})

/** Changes of single lookups and their submissions. */
const prepareChanges = (database: Sqlite) => ({
  intend: prepare<{ lookupId: number; state: LookupState; attempt: number; customId: string }>(
    database,
    `UPDATE lookups SET state = @state, attempt = @attempt, custom_id = @customId WHERE lookup_id = @lookupId`,
  ),
  insertSubmission: prepare<NewSubmission & { jobId: number; chain: string }>(
    database,
    `INSERT INTO submissions (custom_id, lookup_id, job_id, attempt, verdict, intended_at_ms, chain)
     VALUES (@customId, @lookupId, @jobId, @attempt, 'intended', @nowMs, @chain)`,
  ),
  settle: prepare<{ lookupId: number; state: LookupState } & Settlement>(
    database,
    `UPDATE lookups SET state = @state, run_id = @runId, submitted_at_ms = @acceptedAtMs, failure = @reason
     WHERE lookup_id = @lookupId`,
  ),
  settleSubmission: prepare<{ customId: string; verdict: string } & Settlement>(
    database,
    `UPDATE submissions SET verdict = @verdict, run_id = @runId, accepted_at_ms = @acceptedAtMs, reason = @reason
     WHERE custom_id = @customId`,
  ),
  finish: prepare<{ lookupId: number; state: LookupState; answeredAtMs: number }>(
    database,
    `UPDATE lookups SET state = @state, answered_at_ms = @answeredAtMs, failure = NULL WHERE lookup_id = @lookupId`,
  ),
  insertAnswer: prepare<AnswerHead & PackedAnswer & { lookupId: number }>(
    database,
    `INSERT OR REPLACE INTO answers
     SELECT @lookupId, *, ${buildAnswerChecksumSql('', '(SELECT key FROM lookups WHERE lookup_id = @lookupId)')}
     FROM (SELECT @runId AS run_id, @outcome AS outcome, @lineVersion AS line_version,
       @answeredAtMs AS answered_at_ms, @packing AS packing, @lineBytes AS line_bytes, @bodyBytes AS body_bytes,
       @packed AS packed)`,
  ),
  setNeedsAttention: prepare<{ lookupId: number; reason: string | null }>(
    database,
    `UPDATE lookups SET failure = @reason WHERE lookup_id = @lookupId AND state = 'running'`,
  ),
})

const prepareJob = (database: Sqlite) => ({
  spent: prepare<[number], number>(
    database,
    `SELECT count(*) FROM submissions WHERE job_id = ? AND verdict IN ('accepted', 'uncertain', 'intended')`,
  ).pluck(),
  spentByRows: prepare<[number], number>(
    database,
    `SELECT count(*) FROM submissions s JOIN temp.wanted w ON w.lookup_id = s.lookup_id
     WHERE s.job_id = ? AND w.is_first = 1 AND s.verdict IN ('accepted', 'uncertain', 'intended')`,
  ).pluck(),
  endJob: prepare<{ jobId: number; nowMs: number }>(
    database,
    'UPDATE jobs SET ended_at_ms = @nowMs WHERE job_id = @jobId',
  ),
})

/** Prepares the queries of a checkpoint; temp.wanted must exist. */
export const prepareQueries = (database: Sqlite) => ({
  ...prepareRegistration(database),
  ...preparePlanning(database),
  ...prepareLists(database),
  ...prepareFinds(database),
  ...prepareChanges(database),
  ...prepareJob(database),
})

export type Queries = ReturnType<typeof prepareQueries>

/** Restores reopened lookups only if there are any, because that reads all submissions. */
export function restoreReopened(queries: Queries, from: WantedFrom): void {
  if (queries.hasReopened.get(from) === 1) queries.restoreReopened.run(from)
}
