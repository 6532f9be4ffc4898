import type { Sqlite } from '../../platform/sqlite.js'
import type { StateFacts } from '../checkpoint/history-tables.js'
import { figuresOf } from '../rules/output-figures.js'
import type { OutputFigures } from '../rules/run-record.js'
import { runRowsOf, unpackRecord } from './run-rows.js'

/** Figures of an output: those of an earlier run that published the same, or counted anew. */
export function figuresOfOutput(
  database: Sqlite,
  series: string,
  outputId: number,
  rows: Uint32Array,
): OutputFigures {
  for (const row of runRowsOf(database, series)) {
    const figures = row.output_id === outputId ? unpackRecord(row.record)?.figures : null
    if (figures) return { ...figures, byColumn: null }
  }
  return figuresOf(countedRows(database, rows))
}

function* countedRows(database: Sqlite, rows: Uint32Array): Generator<StateFacts & { rowCount: number }> {
  const factsOf = database.prepare<[number], StateFacts>(
    `SELECT status, confidence, country FROM history_entries JOIN history_states USING (state_id) WHERE entry_id = ?`,
  )
  const sorted = rows.slice().sort()
  for (let first = 0; first < sorted.length;) {
    const entry = sorted[first] ?? 0
    let end = first + 1
    while (sorted[end] === entry) end++
    const facts = factsOf.get(entry)
    if (facts !== undefined) yield { ...facts, rowCount: end - first }
    first = end
  }
}
