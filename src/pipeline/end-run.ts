import { getInterruptionCode, UserError, type ExitCode } from '../core/errors.js'
import type { RunHistory, Ending } from './history/run-history.js'
import type { Input } from './input/input.js'
import type { RowGroups } from './input/ingest.js'
import type { RunOutputs } from './open-files.js'
import { removeMark } from './output/output.js'
import { publishText } from './output/plain-table.js'
import { warn, type RunContext } from './order.js'
import { getExitCode, type RunSummary, type Timeline } from './history/run-figures.js'
import type { RunRows } from './write-output.js'

interface EndedRun {
  readonly input: Input
  /** A part reads only some of the rows of the input. */
  readonly isPart: boolean
  readonly outputs: RunOutputs
  readonly history: RunHistory
  readonly ending: Ending
  readonly timeline: Timeline
  readonly rows: RunRows
  /** Null if rows are not counted by a column. */
  readonly groups: RowGroups | null
  /** Without its alarms. */
  readonly ran: RunSummary
}

/**
 * Performs the steps after the output is written: stores its rows, writes their changes, and reports the end. After a
 * crash between any two steps, the next run of the series is compared with the same baseline as this one. Returns the
 * summary with its alarms.
 */
export async function endRun(context: RunContext, run: EndedRun): Promise<RunSummary> {
  const { services } = context
  const { history, ending, outputs, ran, groups } = run
  const { written, known } = run.rows
  await noteSummary(run)
  if (written === null && known !== null) await history.noteKnownRows(known.recorded, groups)
  const changes =
    written === null ? null : await history.publishOutput(written.recorded, groups, outputs.changes)
  const alarms = written === null ? [] : ending.getAlarms(ran, changes)
  const summary: RunSummary = {
    ...ran,
    ...(changes === null ? {} : { changes: changes.counts }),
    alarms,
    ...findUnmatched(ran, history.record.figures),
  }
  history.note({ summary, alarms })
  const exitCode = getExitCode(summary, getInterruptionCode(services.interrupt.reason))
  await writeReport(context, history, exitCode)
  // Its notices come before the summary, which is the last event.
  await ending.reportRun(summary, { run: history.identity?.run ?? null, changes })
  services.observe({ type: 'finished', summary })
  await history.end(exitCode)
  if (written !== null) await removeMarks(outputs)
  return summary
}

/** Returns the countries of the rows without a company; nothing for a hosted service and the demo registry. */
function findUnmatched(
  { service, isDemo = false }: RunSummary,
  figures: RunHistory['record']['figures'],
): Pick<RunSummary, 'unmatchedByCountry'> {
  const counts = (figures?.byCountry ?? []).flatMap(({ value, unmatchedCount = 0 }) =>
    unmatchedCount === 0 ? [] : [{ country: value, rowCount: unmatchedCount }],
  )
  return service === 'hosted' || isDemo || counts.length === 0 ? {} : { unmatchedByCountry: counts }
}

/** Reads the input for its fingerprint only if an output was written. */
async function noteSummary({ history, input, isPart, timeline, rows, ran }: EndedRun) {
  const sha256 = rows.written !== null && !isPart ? await input.identity.hashContent() : null
  history.note({
    summary: ran,
    money: ran.money,
    input: { ...history.record.input, sha256 },
    timeline: timeline.points(),
  })
}

async function writeReport(
  { order, services }: RunContext,
  history: RunHistory,
  exitCode: ExitCode,
): Promise<void> {
  const { renderReport, clock, observe } = services
  const { reportPath: path = null } = order.reporting
  if (path === null || renderReport === undefined) return
  const { identity, record } = history
  if (identity === null) {
    warn(services, `No report is written to ${path}: this run is not in the history.`)
    return
  }
  const { run } = identity
  const end = { endedAtMs: clock.nowMs(), exitCode, record }
  await publishText(path, await renderReport(history.reader, run, end))
  observe({ type: 'notice', text: `The report of the run is at ${path}.` })
}

/** A mark that cannot be removed does no harm: the next run knows that this one has ended. */
async function removeMarks({ output, changes }: RunOutputs): Promise<void> {
  for (const marked of [output, changes]) {
    try {
      if (marked !== null) await removeMark(marked)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
    }
  }
}
