import { prepare, type Sqlite } from '../../platform/sqlite.js'
import type { Decision, KeptDecision, Verdict } from '../rules/decision.js'

/**
 * Each step is applied once, in order; a step that has been released never changes. `decisions`: a row a decision that
 * was ever made; one stands that was neither withdrawn nor replaced. `service` is null where it is of whichever.
 * `candidates`: by the scope of a connection, packed, `[]` where none were found.
 */
export const reviewMigrations = [
  `CREATE TABLE decisions (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     lookup BLOB NOT NULL,
     service TEXT,
     name TEXT NOT NULL,
     location TEXT,
     verdict TEXT NOT NULL,
     entity_id TEXT,
     entity_name TEXT,
     decided_by TEXT NOT NULL,
     decided_at_ms INTEGER NOT NULL,
     note TEXT,
     is_in_file INTEGER NOT NULL,
     is_withdrawn INTEGER NOT NULL DEFAULT 0,
     replaced_by INTEGER
   ) STRICT;
   CREATE INDEX decisions_of_lookups ON decisions (lookup, sequence);
   CREATE INDEX decisions_standing ON decisions (sequence) WHERE is_withdrawn = 0 AND replaced_by IS NULL;
   CREATE INDEX decisions_replaced ON decisions (replaced_by) WHERE replaced_by IS NOT NULL;
   CREATE TABLE candidates (
     scope TEXT NOT NULL,
     lookup BLOB NOT NULL,
     found BLOB NOT NULL,
     found_at_ms INTEGER NOT NULL,
     PRIMARY KEY (scope, lookup)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE changes (count INTEGER NOT NULL, decision_count INTEGER NOT NULL) STRICT;
   INSERT INTO changes VALUES (0, 0);`,
] as const

interface DecisionRow {
  readonly lookup: Buffer
  readonly service: string | null
  readonly name: string
  readonly location: string | null
  readonly verdict: Verdict
  readonly entity_id: string | null
  readonly entity_name: string | null
  readonly decided_by: string
  readonly decided_at_ms: number
  readonly note: string | null
  readonly is_in_file: number
}

interface KeptRow extends DecisionRow {
  readonly sequence: number
  readonly replaced_by: number | null
}

export const decisionRow = (decision: Decision, isInFile: boolean): DecisionRow => ({
  lookup: Buffer.from(decision.lookup, 'hex'),
  service: decision.service,
  name: decision.name,
  location: decision.location,
  verdict: decision.verdict,
  entity_id: decision.entityId,
  entity_name: decision.entityName,
  decided_by: decision.decidedBy,
  decided_at_ms: decision.decidedAtMs,
  note: decision.note,
  is_in_file: isInFile ? 1 : 0,
})

export const keptDecision = (row: KeptRow): KeptDecision => ({
  sequence: row.sequence,
  isInFile: row.is_in_file === 1,
  lookup: row.lookup.toString('hex'),
  name: row.name,
  location: row.location,
  verdict: row.verdict,
  entityId: row.entity_id,
  entityName: row.entity_name,
  decidedBy: row.decided_by,
  decidedAtMs: row.decided_at_ms,
  note: row.note,
  service: row.service,
})

const stands = 'is_withdrawn = 0 AND replaced_by IS NULL'
const ofService = '(service = @service OR service IS NULL)'
/** Null as the service of a decision is any. */
const meetsService = '(service = @service OR service IS NULL OR @service IS NULL)'

export function prepareReviewQueries(database: Sqlite) {
  return {
    standing: prepare<{ service: string }, KeptRow>(
      database,
      `SELECT * FROM decisions WHERE ${stands} AND ${ofService} ORDER BY sequence`,
    ),
    newest: prepare<{ service: string; count: number }, KeptRow>(
      database,
      `SELECT * FROM decisions WHERE ${stands} AND ${ofService} ORDER BY sequence DESC LIMIT @count`,
    ),
    leaving: prepare<{ service: string }, KeptRow>(
      database,
      `SELECT * FROM decisions
       WHERE is_in_file = 1 AND NOT (${stands}) AND ${ofService} ORDER BY sequence`,
    ),
    standingOf: prepare<{ service: string | null; lookup: Uint8Array }, KeptRow>(
      database,
      `SELECT * FROM decisions WHERE lookup = @lookup AND ${stands} AND ${meetsService} ORDER BY sequence DESC LIMIT 1`,
    ),
    insert: prepare<DecisionRow>(
      database,
      `INSERT INTO decisions (lookup, service, name, location, verdict, entity_id, entity_name, decided_by,
         decided_at_ms, note, is_in_file)
       VALUES (@lookup, @service, @name, @location, @verdict, @entity_id, @entity_name, @decided_by,
         @decided_at_ms, @note, @is_in_file)`,
    ),
    replace: prepare<{ sequence: number; service: string | null; lookup: Uint8Array }>(
      database,
      `UPDATE decisions SET replaced_by = @sequence
       WHERE lookup = @lookup AND sequence < @sequence AND ${stands} AND ${meetsService}`,
    ),
    withdraw: prepare<{ service: string; sequence: number }, KeptRow>(
      database,
      `UPDATE decisions SET is_withdrawn = 1
       WHERE sequence = @sequence AND is_withdrawn = 0 AND ${ofService} RETURNING *`,
    ),
    restore: prepare<{ sequence: number; by: number | null }>(
      database,
      'UPDATE decisions SET replaced_by = @by WHERE replaced_by = @sequence',
    ),
    forget: prepare<{ sequence: number }>(
      database,
      `UPDATE decisions SET is_withdrawn = 1, is_in_file = 0 WHERE sequence IN (
         WITH RECURSIVE gone(sequence) AS (
           VALUES (@sequence)
           UNION SELECT decisions.sequence FROM decisions JOIN gone ON decisions.replaced_by = gone.sequence
         ) SELECT sequence FROM gone)`,
    ),
    mark: prepare<{ sequence: number; isInFile: 0 | 1 }>(
      database,
      'UPDATE decisions SET is_in_file = @isInFile WHERE sequence = @sequence',
    ),
    candidates: prepare<[string, Uint8Array], Buffer>(
      database,
      'SELECT found FROM candidates WHERE scope = ? AND lookup = ?',
    ).pluck() as { get(scope: string, lookup: Uint8Array): Buffer | undefined },
    haveCandidates: prepare<[string, Uint8Array], object>(
      database,
      'SELECT 1 FROM candidates WHERE scope = ? AND lookup = ?',
    ),
    anyCandidates: prepare<[string], object>(database, 'SELECT 1 FROM candidates WHERE scope = ? LIMIT 1'),
    nextScope: prepare<[string], string | null>(
      database,
      'SELECT min(scope) FROM candidates WHERE scope > ?',
    ).pluck() as { get(scope: string): string | null | undefined },
    foundSince: prepare<[string, number], object>(
      database,
      'SELECT 1 FROM candidates WHERE scope = ? AND found_at_ms >= ? LIMIT 1',
    ),
    forgetCandidates: prepare<{ scope: string; countMax: number }>(
      database,
      `DELETE FROM candidates WHERE scope = @scope
       AND lookup IN (SELECT lookup FROM candidates WHERE scope = @scope LIMIT @countMax)`,
    ),
    keepCandidates: prepare<[string, Uint8Array, Uint8Array, number]>(
      database,
      'INSERT OR REPLACE INTO candidates (scope, lookup, found, found_at_ms) VALUES (?, ?, ?, ?)',
    ),
    version: prepare<[], number>(database, 'SELECT count FROM changes').pluck() as {
      get(): number | undefined
    },
    decisionVersion: prepare<[], number>(database, 'SELECT decision_count FROM changes').pluck() as {
      get(): number | undefined
    },
    count: prepare<{ isOfDecisions: 0 | 1 }>(
      database,
      'UPDATE changes SET count = count + 1, decision_count = decision_count + @isOfDecisions',
    ),
  }
}
