import { getInterruptionCode, UserError, type ErrorCode, type ExitCode } from '../core/errors.js'
import type { Planned } from './run-lookups.js'
import type { OpenRun } from './deps.js'
import type { RecordedOutput } from './history/output-recorder.js'
import { openHistory } from './history/history-reader.js'
import type { Ingested } from './ingest.js'
import { getExitCode } from './figures/run-summary.js'
import { findEndReason, type Stop } from './figures/stop.js'
import { buildSummary, type RunSummary, type SummaryFacts } from './summary.js'
import type { Tally } from './tally.js'
import { readKnownRows, writeOutput } from './write-output.js'
import { ChangeCounter, compareOutputs, readSettledOutput } from './history/compare-outputs.js'
import { publishChanges } from './history/changes-file.js'
import type { HistoryReader, PublishedOutput } from './history/remembered-runs.js'
import { findAppended, removeMark, withMark } from './output/staged-file.js'
import type { StoredOutput } from './history/run-history.js'
import type { ChangeCounts } from './figures/change-kinds.js'
import type { AppendingRun } from './output/output-format.js'

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
async function writeChanges(run: OpenRun, stored: StoredOutput | null): Promise<KnownChanges | null> {
  const baseline = stored?.baseline ?? null
  try {
    if (stored !== null && baseline !== null) {
      const changes = await compareWith(run, baseline, stored.run)
      reportChangeCounts(run, changes)
      return changes
    }
    reportFirstOutput(run, stored)
  } catch (error) {
    if (!(error instanceof UserError) || !incomparable.has(error.code)) throw error
    reportWarning(run, `This output is not compared with an earlier one: ${error.message}.`)
  }
  if (run.changes !== null) await publishChanges(run.changes, [])
  return null
}

/** A problem with an earlier output does not stop the run. */
const incomparable: ReadonlySet<ErrorCode> = new Set([
  'HISTORY_VERSION',
  'RUNS_NOT_COMPARABLE',
  'RUN_OUTPUT_UNKNOWN',
  'CHECKPOINT_DAMAGED',
])

async function compareWith(
  { backend, changes, history: remembered }: OpenRun,
  baseline: number,
  number: number,
): Promise<KnownChanges> {
  const appended = changes === null ? null : await findAppended(changes)
  await remembered.copyForReading({ newer: number, older: baseline })
  if (appended !== null) await remembered.copyForReading({ newer: number, older: appended.run })
  const history = openHistory(backend.path)
  try {
    const counter = new ChangeCounter()
    const before = known(history === null ? null : readSettledOutput(history, baseline), baseline)
    const after = known(history?.published(number) ?? null, number)
    const batches = counter.countWhileReading(compareOutputs(before, after))
    // A run that was killed may have appended its changes: only those since then are missing.
    const since = history === null ? null : readAppended(history, appended, baseline)
    if (changes !== null)
      await publishChanges(changes, since === null ? batches : compareOutputs(since, after))
    while (batches.next().done !== true);
    return { baseline, rowCountBefore: before.rows.length, counts: counter.counts }
  } finally {
    history?.close()
  }
}

function known(output: PublishedOutput | null, run: number): PublishedOutput {
  if (output !== null) return output
  throw new UserError('RUN_OUTPUT_UNKNOWN', `the output of run ${run} is no longer in the history`)
}

function reportFirstOutput(run: OpenRun, stored: StoredOutput | null): void {
  if (run.changes === null) return
  const why =
    stored === null ? 'The output of this run is not in the history' : 'This is the first output of its input'
  reportWarning(run, `${why}: it cannot be compared, and ${run.changes.path} has no changes.`)
}

function reportChangeCounts({ deps, changes }: OpenRun, { baseline, counts }: KnownChanges): void {
  if (changes === null) return
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
  const text = `Since run ${baseline}: ${kinds.length === 0 ? 'no changes' : kinds.join(' · ')}, in ${changes.path}.`
  deps.observe({ type: 'notice', text })
}

function reportWarning({ deps }: OpenRun, text: string): void {
  deps.observe({ type: 'notice', text, isWarning: true })
}

/** Results of submitting and polling. */
export interface LookupResults
  extends Pick<Planned, 'plan' | 'stages'>, Pick<Ingested, 'index' | 'rowKeys' | 'groups'> {
  /** Lookups by domain for rows without a name. */
  readonly domainCount: number
  readonly tally: Tally
  /** Null: nothing is left to wait for. */
  readonly stop: Stop | null
  readonly job: SummaryFacts['job']
  readonly askingMs: number
}

/**
 * Performs the steps after the last answer. After a crash between any two steps, the next run of the series is compared
 * with the same baseline as this one.
 */
export async function closeRun(run: OpenRun, asked: LookupResults): Promise<RunSummary> {
  const { stop, stages } = asked
  const isWritten = findEndReason({ stop, stages }) === null || run.output.partial
  const { history, ending } = run
  const written = isWritten ? await writeOutput(run, asked) : null
  const known =
    written === null && (run.deps.reporting.report ?? null) !== null ? await readKnownRows(run, asked) : null
  const ran = summarizeRun(run, asked, written, known ?? written)
  await noteSummary(run, ran, written !== null)
  if (known !== null) await noteKnownRows(run, asked, known.recorded)
  const changes = written === null ? null : await publishInHistory(run, asked, written.recorded)
  const alarms = written === null ? [] : ending.getAlarms(ran, changes)
  const summary: RunSummary = { ...ran, alarms }
  history.note({ summary, alarms })
  const exitCode = getExitCode(summary, getInterruptionCode(run.deps.interrupt.reason))
  await writeReport(run, exitCode)
  run.deps.observe({ type: 'finished', summary })
  await ending.reportRun(summary, { run: history.run, changes })
  await history.end(exitCode)
  if (written !== null) await removeMarks(run)
  return summary
}

function summarizeRun(
  { deps, connection, input, startedAtMs }: OpenRun,
  { plan, ...asked }: LookupResults,
  written: Awaited<ReturnType<typeof writeOutput>> | null,
  known: Awaited<ReturnType<typeof readKnownRows>> | null,
): RunSummary {
  return buildSummary({
    service: connection.service,
    isDemo: connection.isDemo,
    ...asked,
    plan,
    elapsedMs: deps.clock.monotonicMs() - startedAtMs,
    prices: deps.requests.prices ?? null,
    rows: written?.rowCounts ?? new Map(),
    review: known?.review ?? null,
    first: known?.first ?? null,
    report: written?.report ?? null,
    notes: input.listNotes(),
  })
}

/** Reads the input for its fingerprint only if an output was written. */
async function noteSummary(
  { history, input, part, timeline }: OpenRun,
  summary: RunSummary,
  isRead: boolean,
) {
  const sha256 = isRead && part === null ? await input.calculateFingerprint() : null
  history.note({
    summary,
    money: summary.money,
    input: { ...history.record.input, sha256 },
    timeline: timeline.points(),
  })
}

/** Stores the rows, then their changes, then marks them as published. Returns null if there was no baseline. */
async function publishInHistory(
  run: OpenRun,
  { groups }: LookupResults,
  recorded: RecordedOutput | null,
): Promise<KnownChanges | null> {
  const { history } = run
  const stored = await history.storeOutput(recorded, groups)
  const known = await writeChanges(run, stored)
  if (stored === null) return known
  const changes = known === null ? null : { baseline: known.baseline, counts: known.counts }
  history.note({ figures: stored.figures, changes })
  await history.publish({ ...stored, baseline: known?.baseline ?? null })
  return known
}

/** Stores the rows of a run without an output for its report; no run is compared with them. */
async function noteKnownRows(
  { history }: OpenRun,
  { groups }: LookupResults,
  recorded: RecordedOutput | null,
): Promise<void> {
  const stored = await history.storeOutput(recorded, groups)
  if (stored !== null) history.note({ knownFigures: stored.figures })
}

async function writeReport({ deps, backend, history }: OpenRun, exitCode: ExitCode): Promise<void> {
  const { reporting, clock, observe } = deps
  const { report = null } = reporting
  if (report === null) return
  if (history.run === null) {
    observe({
      type: 'notice',
      text: `No report is written to ${report.path}: this run is not in the history.`,
      isWarning: true,
    })
    return
  }
  const { run, record } = history
  const older = record.changes?.baseline ?? null
  await history.copyForReading({ newer: run, older, isListed: report.isListed(record) })
  const reader = openHistory(backend.path)
  if (reader === null) throw new Error('the checkpoint was removed before its run ended')
  try {
    await report.write(reader, run, { endedAtMs: clock.nowMs(), exitCode, record })
  } finally {
    reader.close()
  }
  observe({ type: 'notice', text: `The report of the run is at ${report.path}.` })
}

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
function readAppended(
  history: HistoryReader,
  appended: AppendingRun | null,
  baseline: number,
): PublishedOutput | null {
  const run = history.runs().find(({ number }) => number === appended?.run)
  if (run === undefined || run.startedAtMs !== appended?.startedAtMs) return null
  return readSettledOutput(history, run.number, baseline)
}

/** A mark that cannot be removed does no harm: the next run knows that this one has ended. */
async function removeMarks({ output, changes }: Pick<OpenRun, 'output' | 'changes'>): Promise<void> {
  for (const marked of [output, changes]) {
    try {
      if (marked !== null) await removeMark(marked)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
    }
  }
}
