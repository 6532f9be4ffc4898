import type { Sqlite } from '../../platform/sqlite.js'
import type { RunRow } from '../checkpoint/history-tables.js'
import { keptRuns } from '../rules/kept-runs.js'
import type { Thinned } from './history-writer.js'
import { markedEntries } from './marks.js'
import { readOutput } from './outputs.js'
import { runRowsOf, withoutTimeline, writeRun } from './run-rows.js'

const nothing: Thinned = { outputCount: 0, entryCount: 0, stateCount: 0 }

/** Forgets the outputs of a series but for the newest, its oldest runs whole, and what then no output has. */
export function thin(database: Sqlite, series: string, runsMax: number): Thinned {
  const rows = runRowsOf(database, series)
  const facts = rows.map((row) => ({
    number: row.run_id,
    hasOutput: row.output_id !== null,
    isPublished: row.is_published === 1,
  }))
  const { withoutOutput, gone } = keptRuns(facts, runsMax)
  if (withoutOutput.size + gone.size === 0) return nothing
  for (const row of rows) forget(database, row, withoutOutput, gone)
  const needed = neededEntries(database)
  const entryCount = removeOthers(database, needed)
  const stateCount = database
    .prepare('DELETE FROM history_states WHERE state_id NOT IN (SELECT state_id FROM history_entries)')
    .run().changes
  return { outputCount: withoutOutput.size, entryCount, stateCount }
}

function forget(
  database: Sqlite,
  row: RunRow,
  withoutOutput: ReadonlySet<number>,
  gone: ReadonlySet<number>,
): void {
  if (gone.has(row.run_id)) database.prepare('DELETE FROM history_runs WHERE run_id = ?').run(row.run_id)
  else if (withoutOutput.has(row.run_id))
    writeRun(database, { ...row, output_id: null, record: withoutTimeline(row.record) })
}

/** Those of every output that a run, of whatever series, still has; one that cannot be read is forgotten too. */
function neededEntries(database: Sqlite): Set<number> {
  database.exec(
    `DELETE FROM history_outputs WHERE output_id NOT IN (
       SELECT output_id FROM history_runs WHERE output_id IS NOT NULL
       UNION SELECT base_id FROM history_outputs JOIN history_runs USING (output_id) WHERE base_id IS NOT NULL)`,
  )
  const outputs = database
    .prepare<[], number>('SELECT DISTINCT output_id FROM history_runs WHERE output_id IS NOT NULL')
    .pluck()
    .all()
  const needed = new Set<number>()
  for (const outputId of outputs) {
    const entries = readOutput(database, outputId)
    if (entries === null)
      for (const row of runRowsOf(database, null))
        if (row.output_id === outputId) writeRun(database, { ...row, output_id: null })
    for (const entry of entries ?? []) needed.add(entry)
  }
  for (const entries of markedEntries(database)) for (const entry of entries) needed.add(entry)
  return needed
}

function removeOthers(database: Sqlite, needed: ReadonlySet<number>): number {
  const all = database.prepare<[], number>('SELECT entry_id FROM history_entries').pluck().all()
  const remove = database.prepare('DELETE FROM history_entries WHERE entry_id = ?')
  let count = 0
  for (const entry of all) if (!needed.has(entry)) count += remove.run(entry).changes
  return count
}
