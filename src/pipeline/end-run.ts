import { getInterruptionCode, UserError, type ErrorCode, type ExitCode } from '../core/errors.js'
import type { Ending } from './history/ending.js'
import type { ChangeCounts } from './history/alarms.js'
import type { Timeline } from './history/run-record.js'
import { getExitCode, type RunSummary } from './history/run-summary.js'
import { publishChanges, type ChangesTarget } from './history/changes-file.js'
import { ChangeCounter, compareOutputs, readSettledOutput } from './history/compare-outputs.js'
import type { RecordedOutput } from './history/output-recorder.js'
import type { HistoryReader, PublishedOutput } from './history/remembered-runs.js'
import type { RunHistory, StoredOutput } from './history/run-history.js'
import type { Input } from './input/input.js'
import type { RowGroups, RowIndex } from './input/row-index.js'
import type { RunOutputs } from './open-files.js'
import { findAppended, removeMark } from './output/output.js'
import { publishText } from './output/plain-table.js'
import { warn, type Connection, type RunContext } from './services.js'
import { buildSummary, type LookupFacts } from './history/summary.js'
import type { Tally } from './history/tally.js'
import type { RunRows } from './write-output.js'

interface SummarizedRun {
  readonly connection: Connection
  readonly input: Input
  readonly index: RowIndex
  readonly asked: LookupFacts
  readonly tally: Tally
  readonly rows: RunRows
  readonly startedAtMs: number
}

/** Summarizes a run whose rows are written; the alarms are missing. */
export function summarizeRun(
  { order, services }: RunContext,
  { connection, input, index, asked, tally, rows, startedAtMs }: SummarizedRun,
): RunSummary {
  const { written, known } = rows
  return buildSummary({
    service: connection,
    lookups: asked,
    tally,
    index,
    rows: {
      counts: written?.rowCounts ?? new Map(),
      review: known?.review ?? null,
      first: known?.first ?? null,
      report: written?.report ?? null,
    },
    prices: order.requests.prices ?? null,
    notes: input.listNotes(),
    elapsedMs: services.clock.monotonicMs() - startedAtMs,
  })
}

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
  /** That of `summarizeRun`. */
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
  if (written === null && known !== null) await noteKnownRows(history, known.recorded, groups)
  const changes = written === null ? null : await publishInHistory(context, run, written.recorded)
  const alarms = written === null ? [] : ending.getAlarms(ran, changes)
  const summary: RunSummary = { ...ran, alarms }
  history.note({ summary, alarms })
  const exitCode = getExitCode(summary, getInterruptionCode(services.interrupt.reason))
  await writeReport(context, history, exitCode)
  services.observe({ type: 'finished', summary })
  await ending.reportRun(summary, { run: history.identity?.run ?? null, changes })
  await history.end(exitCode)
  if (written !== null) await removeMarks(outputs)
  return summary
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

/** Stores the rows, then their changes, then marks them as published. Returns null if there was no baseline. */
async function publishInHistory(
  context: RunContext,
  { history, groups, outputs }: EndedRun,
  recorded: RecordedOutput | null,
): Promise<KnownChanges | null> {
  const stored = await history.storeOutput(recorded, groups)
  const known = await writeChanges(context, history, outputs.changes, stored)
  if (stored === null) return known
  const changes = known === null ? null : { baseline: known.baseline, counts: known.counts }
  history.note({ figures: stored.figures, changes })
  await history.publish({ ...stored, baseline: known?.baseline ?? null })
  return known
}

/** Stores the rows of a run without an output for its report; no run is compared with them. */
async function noteKnownRows(
  history: RunHistory,
  recorded: RecordedOutput | null,
  groups: RowGroups | null,
): Promise<void> {
  const stored = await history.storeOutput(recorded, groups)
  if (stored !== null) history.note({ knownFigures: stored.figures })
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

/** Changes since an earlier output. */
interface KnownChanges {
  /** The run that published it. */
  readonly baseline: number
  readonly rowCountBefore: number
  readonly counts: ChangeCounts
}

/**
 * Counts the changes since the baseline output, and writes them if requested. Returns null, with a notice, if there is
 * no baseline; the changes file is then empty. Throws OUTPUT_UNWRITABLE, DISK_FULL: the next run is then compared with
 * the same output.
 */
async function writeChanges(
  { services }: RunContext,
  history: RunHistory,
  target: ChangesTarget | null,
  stored: StoredOutput | null,
): Promise<KnownChanges | null> {
  const baseline = stored?.baseline ?? null
  try {
    if (stored !== null && baseline !== null) {
      const changes = await compareWith({ history: history.reader, target }, baseline, stored.run)
      if (target !== null) services.observe({ type: 'notice', text: describeChanges(target, changes) })
      return changes
    }
    if (target !== null) warn(services, describeFirstOutput(target, stored))
  } catch (error) {
    if (!(error instanceof UserError) || !incomparable.has(error.code)) throw error
    warn(services, `This output is not compared with an earlier one: ${error.message}.`)
  }
  if (target !== null) await publishChanges(target, noChanges())
  return null
}

async function* noChanges(): AsyncGenerator<never> {}

/** A problem with an earlier output does not stop the run. */
const incomparable: ReadonlySet<ErrorCode> = new Set([
  'HISTORY_VERSION',
  'RUNS_NOT_COMPARABLE',
  'RUN_OUTPUT_UNKNOWN',
  'CHECKPOINT_DAMAGED',
])

async function compareWith(
  { history, target }: { readonly history: HistoryReader; readonly target: ChangesTarget | null },
  baseline: number,
  number: number,
): Promise<KnownChanges> {
  const appended = target === null ? null : await findAppended(target)
  const counter = new ChangeCounter()
  const before = known(await readSettledOutput(history, baseline), baseline)
  const after = known(await history.published(number), number)
  const batches = counter.countWhileReading(compareOutputs(before, after))
  // A run that was killed may have appended its changes: only those since then are missing.
  const since = await readAppended(history, appended, baseline)
  if (target !== null) await publishChanges(target, since === null ? batches : compareOutputs(since, after))
  while ((await batches.next()).done !== true);
  return { baseline, rowCountBefore: before.rows.length, counts: counter.counts }
}

function known(output: PublishedOutput | null, run: number): PublishedOutput {
  if (output !== null) return output
  throw new UserError('RUN_OUTPUT_UNKNOWN', `the output of run ${run} is no longer in the history`)
}

function describeFirstOutput({ path }: ChangesTarget, stored: StoredOutput | null): string {
  const why =
    stored === null ? 'The output of this run is not in the history' : 'This is the first output of its input'
  return `${why}: it cannot be compared, and ${path} has no changes.`
}

function describeChanges({ path }: ChangesTarget, { baseline, counts }: KnownChanges): string {
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
  return `Since run ${baseline}: ${kinds.length === 0 ? 'no changes' : kinds.join(' · ')}, in ${path}.`
}

/** Returns the output of the run whose changes a table has; null if it is not stored here. */
async function readAppended(
  history: HistoryReader,
  appended: Awaited<ReturnType<typeof findAppended>>,
  baseline: number,
): Promise<PublishedOutput | null> {
  const run = (await history.runs()).find(({ number }) => number === appended?.run)
  if (run === undefined || run.startedAtMs !== appended?.startedAtMs) return null
  return readSettledOutput(history, run.number, baseline)
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
