import type { Planned } from './ask.js'
import type { OpenRun } from './deps.js'
import type { RecordedOutput } from './history/output-recorder.js'
import { openHistory } from './history/reader.js'
import type { Ingested } from './ingest.js'
import { exitCodeOf } from './figures/run-summary.js'
import { endedBy, type Stop } from './figures/stop.js'
import { interruptionCode, type ExitCode, UserError, type ErrorCode } from '../core/errors.js'
import { summarise, type RunSummary, type SummaryFacts } from './summary.js'
import type { Tally } from './tally.js'
import { readKnownRows, writeOutput } from './write-output.js'
import { ChangeCounter, changesBetween, settledOutput } from './history/changes-between.js'
import { publishChanges } from './history/changes-file.js'
import type { PublishedOutput } from './history/remembered-runs.js'
import type { StoredOutput } from './history/run-history.js'
import type { ChangeCounts } from './figures/change-kinds.js'

/** What changed since an output before. */
interface KnownChanges {
  /** The run that published it. */
  readonly baseline: number
  readonly rowCountBefore: number
  readonly counts: ChangeCounts
}

/**
 * What changed since the output that a run is compared with: counted, and written where that was asked. Null where there
 * is nothing to compare with, which is said; the file then has no changes.
 * Throws OUTPUT_UNWRITABLE, DISK_FULL: the next run is then compared with the same output.
 */
async function writeChanges(run: OpenRun, stored: StoredOutput | null): Promise<KnownChanges | null> {
  const baseline = stored?.baseline ?? null
  try {
    if (stored !== null && baseline !== null) {
      const changes = await compareWith(run, baseline, stored.run)
      tellCounts(run, changes)
      return changes
    }
    tellFirst(run, stored)
  } catch (error) {
    if (!(error instanceof UserError) || !incomparable.has(error.code)) throw error
    tell(run, `This output is compared with none: ${error.message}.`)
  }
  if (run.changes !== null) await publishChanges(run.changes, [])
  return null
}

/** What is wrong with an output that was published before stops no run. */
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
  await remembered.copyForReading({ newer: number, older: baseline })
  const history = openHistory(backend.path)
  try {
    const counter = new ChangeCounter()
    const before = known(history === null ? null : settledOutput(history, baseline), baseline)
    const after = known(history?.published(number) ?? null, number)
    const batches = counter.counting(changesBetween(before, after))
    if (changes !== null) await publishChanges(changes, batches)
    while (batches.next().done !== true);
    return { baseline, rowCountBefore: before.rows.length, counts: counter.counts }
  } finally {
    history?.close()
  }
}

function known(output: PublishedOutput | null, run: number): PublishedOutput {
  if (output !== null) return output
  throw new UserError('RUN_OUTPUT_UNKNOWN', `what run ${run} wrote is no longer remembered`)
}

function tellFirst(run: OpenRun, stored: StoredOutput | null): void {
  if (run.changes === null) return
  const why =
    stored === null ? 'What this run wrote is not remembered' : 'This is the first output of its input'
  tell(run, `${why}: there is nothing to compare it with, and ${run.changes.path} has no changes.`)
}

function tellCounts({ deps, changes }: OpenRun, { baseline, counts }: KnownChanges): void {
  if (changes === null) return
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
  const text = `Since run ${baseline}: ${kinds.length === 0 ? 'no changes' : kinds.join(' · ')}, in ${changes.path}.`
  deps.observe({ type: 'notice', text })
}

function tell({ deps }: OpenRun, text: string): void {
  deps.observe({ type: 'notice', text, isWarning: true })
}

/** What asking came to. */
export interface Asked
  extends Pick<Planned, 'plan' | 'stages'>, Pick<Ingested, 'index' | 'rowKeys' | 'groups'> {
  /** Lookups of rows that are asked by a domain. */
  readonly domainCount: number
  readonly tally: Tally
  /** Null: nothing is left to wait for. */
  readonly stop: Stop | null
  readonly job: SummaryFacts['job']
  readonly askingMs: number
}

/**
 * What follows the last answer, in an order that loses nothing: killed between any two steps, the next run of the series
 * compares its output with what this one was to be compared with.
 */
export async function closeRun(run: OpenRun, asked: Asked): Promise<RunSummary> {
  const { stop, stages } = asked
  const isWritten = endedBy({ stop, stages }) === null || run.output.partial
  const { history, ending } = run
  const written = isWritten ? await writeOutput(run, asked) : null
  const known =
    written === null && (run.deps.reporting.report ?? null) !== null ? await readKnownRows(run, asked) : null
  const ran = summariseRun(run, asked, written, known ?? written)
  await noteSummary(run, ran, written !== null)
  if (known !== null) await noteKnownRows(run, asked, known.recorded)
  const changes = written === null ? null : await publishInHistory(run, asked, written.recorded)
  const alarms = written === null ? [] : ending.alarms(ran, changes)
  const summary: RunSummary = { ...ran, alarms }
  history.note({ summary, alarms })
  const exitCode = exitCodeOf(summary, interruptionCode(run.deps.interrupt.reason))
  await writeReport(run, exitCode)
  run.deps.observe({ type: 'finished', summary })
  await ending.ofRun(summary, { run: history.run, changes })
  await history.end(exitCode)
  return summary
}

function summariseRun(
  { deps, connection, input, startedAtMs }: OpenRun,
  { plan, ...asked }: Asked,
  written: Awaited<ReturnType<typeof writeOutput>> | null,
  known: Awaited<ReturnType<typeof readKnownRows>> | null,
): RunSummary {
  return summarise({
    service: connection.service,
    isDemo: connection.isDemo,
    ...asked,
    plan,
    elapsedMs: deps.clock.monotonicMs() - startedAtMs,
    prices: deps.requests.prices ?? null,
    rows: written?.rowCounts ?? new Map(),
    review: known?.review ?? null,
    report: written?.report ?? null,
    notes: input.notes(),
  })
}

/** The input is read through for its fingerprint where an output was written of it, and not for this alone. */
async function noteSummary(
  { history, input, part, timeline }: OpenRun,
  summary: RunSummary,
  isRead: boolean,
) {
  const sha256 = isRead && part === null ? await input.fingerprint() : null
  history.note({
    summary,
    money: summary.money,
    input: { ...history.record.input, sha256 },
    timeline: timeline.points(),
  })
}

/**
 * The rows first, then what changed in them, and only then that they are published. Null where no output is known that
 * this one was compared with.
 */
async function publishInHistory(
  run: OpenRun,
  { groups }: Asked,
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

/** Rows of a run that wrote no output are kept for its report; no run is compared with them. */
async function noteKnownRows(
  { history }: OpenRun,
  { groups }: Asked,
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
      text: `No report is written to ${report.path}: nothing is remembered of this run.`,
      isWarning: true,
    })
    return
  }
  const { run, record } = history
  const older = record.changes?.baseline ?? null
  await history.copyForReading({ newer: run, older, isListed: report.isListed(record) })
  const reader = openHistory(backend.path)
  if (reader === null) throw new Error('the checkpoint is gone before its run has ended')
  try {
    await report.write(reader, run, { endedAtMs: clock.nowMs(), exitCode, record })
  } finally {
    reader.close()
  }
  observe({ type: 'notice', text: `The report of the run is at ${report.path}.` })
}
