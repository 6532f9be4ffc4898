import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import { isSoundMarks, unpackValidOutput, type StoredMarks } from '../checkpoint/sqlite/history-proof.js'
import {
  calculateMarksChecksum,
  calculateOutputDigest,
  type OutputRow,
  type StateFacts,
  type RunRow,
} from '../checkpoint/history-tables.js'
import type { RowGroups } from '../input/row-index.js'
import { calculateFigures, type OutputFigures } from './run-record.js'
import { groupFigures, packOutput, unpackRecord, packRecord, toRememberedRun } from './history-rows.js'
import { packMarks, unpackMarks, type Marks, type MarksKey } from './history-writer.js'
import { readScope } from '../checkpoint/lookup-state.js'
import { type ScopeSubmissions, type RememberedRun, withSubmissions } from './remembered-runs.js'

/** Reads outputs and their bases. */
export async function readOutputRows(
  statements: PostgresStatements,
  outputIds: readonly number[],
): Promise<OutputRow[]> {
  return statements.query<OutputRow>(
    `SELECT output_id, base_id, row_count, packed, digest FROM enrich.history_outputs
     WHERE output_id = ANY($1::bigint[]) OR output_id IN
       (SELECT base_id FROM enrich.history_outputs WHERE output_id = ANY($1::bigint[]))`,
    [outputIds],
  )
}

/** Returns the entry of each row, or `null` if the output is missing or damaged. */
export async function readSharedOutput(
  statements: PostgresStatements,
  outputId: number,
): Promise<Uint32Array | null> {
  const rows = new Map((await readOutputRows(statements, [outputId])).map((row) => [row.output_id, row]))
  const row = rows.get(outputId)
  return row === undefined ? null : unpackValidOutput(row, (id) => rows.get(id))
}

/** Stores the rows of an output in PostgreSQL, unless an equal output is stored. Returns its id. Must run in a transaction. */
export async function writeSharedOutput(
  statements: PostgresStatements,
  series: string,
  rows: Uint32Array,
): Promise<number> {
  const digest = calculateOutputDigest(rows)
  const earlier = await statements.query<{ outputId: number; digest: Buffer; baseId: number | null }>(
    `SELECT o.output_id AS "outputId", o.digest, o.base_id AS "baseId"
     FROM enrich.history_runs r JOIN enrich.history_outputs o USING (output_id)
     WHERE r.series = $1 ORDER BY r.run_id DESC`,
    [series],
  )
  const same = earlier.find((output) => output.digest.equals(digest))
  if (same !== undefined && (await readSharedOutput(statements, same.outputId)) !== null) return same.outputId
  const [newest] = earlier
  const baseId = newest === undefined ? null : (newest.baseId ?? newest.outputId)
  const base = baseId === null ? undefined : (await readOutputRows(statements, [baseId]))[0]
  const below = base === undefined ? null : unpackValidOutput(base, () => undefined)
  const { isOnBase, packed } = packOutput(rows, below, base?.packed.length ?? 0)
  const [made] = await statements.query<{ outputId: number }>(
    `INSERT INTO enrich.history_outputs (base_id, row_count, packed, digest) VALUES ($1, $2, $3, $4)
     RETURNING output_id AS "outputId"`,
    [isOnBase ? baseId : null, rows.length, packed, digest],
  )
  if (made === undefined) throw new Error('the output was not created')
  return made.outputId
}

/** Returns the marks of a series' last output; `marks` is `null` if they have another form. */
export async function readSharedMarks(
  statements: PostgresStatements,
  series: string,
  form: string,
): Promise<{ outputId: number; marks: Marks | null } | null> {
  const [row] = await statements.query<StoredMarks>(
    'SELECT series, output_id, form, packed, checksum FROM enrich.history_marks WHERE series = $1',
    [series],
  )
  if (row === undefined || !isSoundMarks(row)) return null
  return { outputId: row.output_id, marks: row.form === form ? unpackMarks(row.packed) : null }
}

/** Replaces the marks of the previous output. Does not write if they are equal. */
export async function writeSharedMarks(
  statements: PostgresStatements,
  { series, outputId, form }: MarksKey,
  marks: Marks,
): Promise<void> {
  const row = { series, output_id: outputId, form, packed: packMarks(marks) }
  const checksum = calculateMarksChecksum(row)
  const known = await statements.query(
    'SELECT FROM enrich.history_marks WHERE series = $1 AND checksum = $2',
    [series, checksum],
  )
  if (known.length > 0) return
  await statements.query(
    `INSERT INTO enrich.history_marks (series, output_id, form, packed, checksum) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (series) DO UPDATE SET output_id = excluded.output_id, form = excluded.form,
       packed = excluded.packed, checksum = excluded.checksum`,
    [series, outputId, form, row.packed, checksum],
  )
}

/** Returns a stored output's figures: those of an earlier equal output of the series, else new counts. */
export async function readSharedFigures(
  statements: PostgresStatements,
  { series, outputId }: Pick<MarksKey, 'series' | 'outputId'>,
  rows: Uint32Array,
  groups: RowGroups | null,
): Promise<OutputFigures> {
  const figures = await readOutputFigures(statements, series, outputId, rows)
  if (groups === null) return figures
  const isMatched = new Uint8Array(rows.reduce((highest, entry) => Math.max(highest, entry), 0) + 1)
  for (const { entries } of listEntryPages(rows))
    for (const { entryId } of await findMatchedEntries(statements, entries)) isMatched[entryId] = 1
  return { ...figures, byColumn: groupFigures(rows, groups, isMatched) }
}

const findMatchedEntries = (statements: PostgresStatements, entries: readonly number[]) =>
  statements.query<{ entryId: number }>(
    `SELECT e.entry_id AS "entryId" FROM enrich.history_entries e JOIN enrich.history_states s USING (state_id)
     WHERE e.entry_id = ANY($1::bigint[]) AND s.status = 'matched'`,
    [entries],
  )

async function readOutputFigures(
  statements: PostgresStatements,
  series: string,
  outputId: number,
  rows: Uint32Array,
): Promise<OutputFigures> {
  const earlier = await statements.query<{ record: Buffer }>(
    'SELECT record FROM enrich.history_runs WHERE series = $1 AND output_id = $2 ORDER BY run_id DESC',
    [series, outputId],
  )
  for (const { record } of earlier) {
    const figures = unpackRecord(record)?.figures
    if (figures) return { ...figures, byColumn: null }
  }
  const counted: (StateFacts & { rowCount: number })[] = []
  for (const { entries, rowCounts } of listEntryPages(rows)) {
    const found = await statements.query<StateFacts & { rowCount: number }>(
      `SELECT s.status, s.confidence, s.country, sum(n.row_count)::bigint AS "rowCount"
       FROM unnest($1::bigint[], $2::bigint[]) AS n(entry_id, row_count)
       JOIN enrich.history_entries e USING (entry_id) JOIN enrich.history_states s USING (state_id)
       GROUP BY 1, 2, 3 ORDER BY min(n.entry_id)`,
      [entries, rowCounts],
    )
    for (const one of found) counted.push(one)
  }
  return calculateFigures(counted)
}

/** Highest number of entries sent in one statement. */
const entriesAtOnce = 50_000

/** Yields the distinct entries of rows, ascending, with their row counts. */
export function* listEntryPages(
  rows: Uint32Array,
): Generator<{ readonly entries: readonly number[]; readonly rowCounts: readonly number[] }> {
  const sorted = rows.slice().sort()
  let entries: number[] = []
  let rowCounts: number[] = []
  for (let first = 0; first < sorted.length;) {
    const entry = sorted[first] ?? 0
    let end = first + 1
    while (end < sorted.length && sorted[end] === entry) end++
    entries.push(entry)
    rowCounts.push(end - first)
    first = end
    if (entries.length < entriesAtOnce) continue
    yield { entries, rowCounts }
    entries = []
    rowCounts = []
  }
  if (entries.length > 0) yield { entries, rowCounts }
}

/**
 * Advisory lock, held until the end of a transaction: shared to begin a run or to copy outputs, exclusive to delete
 * entries. The number is arbitrary.
 */
const historyLock = 7_305_511_969

export const lockShared = (statements: PostgresStatements) =>
  statements.query('SELECT pg_advisory_xact_lock_shared($1)', [historyLock])

export const lockAlone = (statements: PostgresStatements) =>
  statements.query('SELECT pg_advisory_xact_lock($1)', [historyLock])

/** A run and whether its process is alive; `null` if unknown. */
export interface SharedRunRow extends RunRow {
  readonly isGoingOn: boolean | null
  readonly workerId: number | null
}

/** `r` is a run, `w` its process. A process with an expired lease counts as dead. */
const runColumnsSql = `r.run_id, r.series, r.started_at_ms, r.ended_at_ms, r.exit_code,
  r.is_published::integer AS is_published, r.baseline, r.output_id, r.record,
  r.worker_id AS "workerId", CASE WHEN r.ended_at_ms IS NULL THEN NOT w.is_fenced AND w.lease_until > clock_timestamp() END AS "isGoingOn"`
const runsSql = `enrich.history_runs r LEFT JOIN enrich.workers w USING (worker_id)`

/** Returns the runs of a series, or of all series, newest first. */
export function readSharedRuns(
  statements: PostgresStatements,
  series: string | null,
): Promise<SharedRunRow[]> {
  return statements.query<SharedRunRow>(
    `SELECT ${runColumnsSql} FROM ${runsSql} WHERE $1::text IS NULL OR r.series = $1 ORDER BY r.run_id DESC`,
    [series],
  )
}

/** Returns the same runs, with the submissions of those without a summary. */
export async function readSettledRuns(
  statements: PostgresStatements,
  series: string | null,
): Promise<SharedRunRow[]> {
  const rows = await readSharedRuns(statements, series)
  const unsettled = rows.flatMap(({ workerId, record }) =>
    workerId !== null && unpackRecord(record)?.summary === null ? [workerId] : [],
  )
  if (unsettled.length === 0) return rows
  const submissions = await querySubmissions(statements, unsettled)
  return rows.map((row) => {
    const own = submissions.filter(({ workerId }) => workerId === row.workerId)
    const record = own.length === 0 ? null : unpackRecord(row.record)
    return record === null || record.summary !== null
      ? row
      : { ...row, record: packRecord(withSubmissions(record, own)) }
  })
}

/** Submissions that were billed, or may have been: by these processes, or by all of them if `null`. */
export async function querySubmissions(
  statements: PostgresStatements,
  workers: readonly number[] | null,
): Promise<(ScopeSubmissions & { readonly workerId: number | null })[]> {
  const rows = await statements.query<Omit<ScopeSubmissions, 'kind'> & { workerId: number | null }>(
    `SELECT c.scope, CASE WHEN $1::bigint[] IS NOT NULL THEN s.worker_id END AS "workerId",
       count(*) FILTER (WHERE s.verdict IN ('accepted', 'uncertain', 'intended')) AS "submittedCount",
       count(*) FILTER (WHERE s.verdict = 'accepted') AS "billedCount",
       count(*) FILTER (WHERE s.verdict IN ('uncertain', 'intended')) AS "uncertainCount"
     FROM enrich.submissions s JOIN enrich.lookups l USING (lookup_id) JOIN enrich.scopes c ON c.scope_id = l.scope_id
     WHERE $1::bigint[] IS NULL OR s.worker_id = ANY($1) GROUP BY 1, 2`,
    [workers],
  )
  return rows.map(({ scope, ...counts }) => {
    const { base, kind } = readScope(scope)
    return { ...counts, kind, scope: base }
  })
}

export function toSharedRun({ isGoingOn, ...row }: SharedRunRow): RememberedRun {
  return { ...toRememberedRun(row), ...(isGoingOn === null ? {} : { isGoingOn }) }
}
