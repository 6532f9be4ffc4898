import { isPendingStatus } from '../rules/published-state.js'
import type { HistoryReader, PublishedOutput } from './history.js'
import { noRow, pairRows } from './paired-rows.js'

type Outputs = Pick<HistoryReader, 'runs' | 'published'>

/**
 * The output of a run as later ones are compared with it: a row without an answer in it is replaced by the same row of
 * the output that this one was compared with, and so on back to the last output with an answer. Rows that never had an
 * answer stay pending. Null where the output is not remembered. Throws CHECKPOINT_DAMAGED.
 */
export function settledOutput(history: Outputs, run: number): PublishedOutput | null {
  const output = history.published(run)
  if (output === null) return null
  const pending = new Set(output.numbersOf(isPendingStatus))
  const rows = output.rows.slice()
  const open = new Set<number>()
  for (const [row, entry] of rows.entries()) if (pending.has(entry)) open.add(row)
  if (open.size === 0) return output
  const settled = { ...output, rows }
  for (const before of outputsBefore(history, run)) {
    const { changed } = pairRows(before, settled)
    for (const [at, row] of changed.newer.entries()) {
      if (!open.has(row)) continue
      const olderRow = changed.older[at] ?? noRow
      const entry = olderRow === noRow ? undefined : before.rows[olderRow]
      if (entry !== undefined) rows[row] = entry
      if (entry === undefined || !pending.has(entry)) open.delete(row)
    }
    // An output in which every row has its answer was compared as it is.
    if (open.size === 0 || !before.rows.some((entry) => pending.has(entry))) break
  }
  return settled
}

/** The output that a run was compared with, the one that this was compared with, and so on. */
function* outputsBefore(history: Outputs, run: number): Generator<PublishedOutput> {
  const baselines = new Map(history.runs().map(({ number, baseline }) => [number, baseline]))
  for (let number = baselines.get(run); typeof number === 'number'; number = baselines.get(number)) {
    const output = history.published(number)
    if (output === null) return
    yield output
  }
}
