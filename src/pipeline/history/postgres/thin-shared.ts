import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { isSoundMarks, type StoredMarks } from '../../checkpoint/history-proof.js'
import { keptRuns } from '../../rules/kept-runs.js'
import type { Thinned } from '../history-writer.js'
import { unpackMarks } from '../marks.js'
import { withoutTimeline } from '../run-rows.js'
import { readSharedOutput } from './shared-outputs.js'
import { lockAlone, sharedRunsOf } from './shared-runs.js'

const nothing: Thinned = { outputCount: 0, entryCount: 0, stateCount: 0 }

/**
 * Forgets the outputs of a series but for the newest, its oldest runs whole, and what then no output has: entries only
 * where no other run is at work, which may be about to refer to them. What is left then, a later run forgets. To be called
 * within a transaction.
 */
export async function thinShared(
  statements: PostgresStatements,
  series: string,
  runsMax: number,
): Promise<Thinned> {
  await lockAlone(statements)
  const rows = await sharedRunsOf(statements, series)
  const others = rows.filter(({ ended_at_ms: endedAtMs, isGoingOn }) => endedAtMs !== null || !isGoingOn)
  const facts = others.map((row) => ({
    number: row.run_id,
    hasOutput: row.output_id !== null,
    isPublished: row.is_published === 1,
  }))
  const { withoutOutput, gone } = keptRuns(facts, runsMax)
  if (withoutOutput.size + gone.size === 0) return nothing
  await statements.query('DELETE FROM enrich.history_runs WHERE run_id = ANY($1::bigint[])', [[...gone]])
  const forgotten = others.filter(({ run_id: run }) => withoutOutput.has(run) && !gone.has(run))
  await statements.query(
    `UPDATE enrich.history_runs r SET output_id = NULL, record = n.record
     FROM unnest($1::bigint[], $2::bytea[]) AS n(run_id, record) WHERE r.run_id = n.run_id`,
    [forgotten.map(({ run_id: run }) => run), forgotten.map(({ record }) => withoutTimeline(record))],
  )
  await statements.query(
    `DELETE FROM enrich.history_outputs o WHERE NOT EXISTS
       (SELECT FROM enrich.history_runs r LEFT JOIN enrich.history_outputs on_it ON on_it.output_id = r.output_id
        WHERE o.output_id IN (r.output_id, on_it.base_id))`,
  )
  const outputCount = withoutOutput.size
  if (await isAnyAtWork(statements)) return { ...nothing, outputCount }
  const entryCount = await removeOthers(statements, await neededEntries(statements))
  const states = await statements.query(
    `DELETE FROM enrich.history_states s
     WHERE NOT EXISTS (SELECT FROM enrich.history_entries e WHERE e.state_id = s.state_id) RETURNING 1`,
  )
  return { outputCount, entryCount, stateCount: states.length }
}

/** Who was fenced stores no output any more; all others may. */
async function isAnyAtWork(statements: PostgresStatements): Promise<boolean> {
  const rows = await statements.query(
    `SELECT 1 FROM enrich.history_runs r JOIN enrich.workers w USING (worker_id)
     WHERE r.ended_at_ms IS NULL AND NOT w.is_fenced LIMIT 1`,
  )
  return rows.length > 0
}

/** Those of every output that a run, of whatever series, still has; one that cannot be read is forgotten too. */
async function neededEntries(statements: PostgresStatements): Promise<Set<number>> {
  const outputs = await statements.query<{ outputId: number }>(
    'SELECT DISTINCT output_id AS "outputId" FROM enrich.history_runs WHERE output_id IS NOT NULL',
  )
  const needed = new Set<number>()
  for (const { outputId } of outputs) {
    const entries = await readSharedOutput(statements, outputId)
    if (entries === null)
      await statements.query('UPDATE enrich.history_runs SET output_id = NULL WHERE output_id = $1', [
        outputId,
      ])
    for (const entry of entries ?? []) needed.add(entry)
  }
  const marks = await statements.query<{ series: string }>('SELECT series FROM enrich.history_marks')
  for (const { series } of marks) {
    const [row] = await statements.query<StoredMarks>(
      'SELECT series, output_id, form, packed, checksum FROM enrich.history_marks WHERE series = $1',
      [series],
    )
    if (row === undefined || !isSoundMarks(row)) continue
    for (const entry of unpackMarks(row.packed).values) needed.add(entry)
  }
  return needed
}

/** Looked at in one statement. */
const entriesAtOnce = 50_000

async function removeOthers(statements: PostgresStatements, needed: ReadonlySet<number>): Promise<number> {
  let count = 0
  for (let after = 0; ;) {
    const page = await statements.query<{ entryId: number }>(
      'SELECT entry_id AS "entryId" FROM enrich.history_entries WHERE entry_id > $1 ORDER BY entry_id LIMIT $2',
      [after, entriesAtOnce],
    )
    const last = page.at(-1)
    if (last === undefined) return count
    after = last.entryId
    const others = page.flatMap(({ entryId }) => (needed.has(entryId) ? [] : [entryId]))
    if (others.length === 0) continue
    await statements.query('DELETE FROM enrich.history_entries WHERE entry_id = ANY($1::bigint[])', [others])
    count += others.length
  }
}
