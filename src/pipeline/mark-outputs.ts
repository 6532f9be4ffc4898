import { UserError } from '../core/errors.js'
import type { OpenRun } from './deps.js'
import { readSettledOutput } from './history/compare-outputs.js'
import { openHistory } from './history/history-reader.js'
import type { HistoryReader, PublishedOutput } from './history/remembered-runs.js'
import { removeMark, withMark } from './output/append-mark.js'
import type { AppendingRun } from './output/output-format.js'

type MarkedRun = Pick<OpenRun, 'deps' | 'backend' | 'input' | 'history' | 'output' | 'changes'>

/** Marks the rows that are appended to tables. */
export function markOutputs(run: MarkedRun, series: string): Pick<OpenRun, 'output' | 'changes'> {
  const { deps, backend, input, history, output, changes } = run
  const owner = history.identity
  if (owner === null) return { output, changes }
  const standsFor = async (earlier: AppendingRun) => {
    await history.copyForReading({ newer: earlier.run, older: null })
    const reader = openHistory(backend.path)
    const found = reader?.runs().find(({ number }) => number === earlier.run)
    reader?.close()
    const isComplete = found?.endedAtMs !== null && found?.record?.error === null
    if (found?.startedAtMs === earlier.startedAtMs && isComplete) return false
    const text = `Run ${earlier.run} appended these rows to ${output.path} before it was interrupted: they are not appended again.`
    deps.observe({ type: 'notice', text })
    return true
  }
  const never = () => Promise.resolve(false)
  return {
    output: withMark(output, series, { owner, columns: input.columns, standsFor }),
    changes: changes && withMark(changes, series, { owner, columns: null, standsFor: never }),
  }
}

/** Returns the output of the run whose changes a table has; null if it is not stored here. */
export function readAppended(
  history: HistoryReader,
  appended: AppendingRun | null,
  baseline: number,
): PublishedOutput | null {
  const run = history.runs().find(({ number }) => number === appended?.run)
  if (run === undefined || run.startedAtMs !== appended?.startedAtMs) return null
  return readSettledOutput(history, run.number, baseline)
}

/** A mark that cannot be removed does no harm: the next run knows that this one has ended. */
export async function removeMarks({ output, changes }: Pick<OpenRun, 'output' | 'changes'>): Promise<void> {
  for (const marked of [output, changes]) {
    try {
      if (marked !== null) await removeMark(marked)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
    }
  }
}
