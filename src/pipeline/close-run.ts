import type { Planned } from './ask.js'
import type { OpenRun } from './deps.js'
import type { KnownChanges } from './ending/ending.js'
import type { RecordedOutput } from './history/output-recorder.js'
import { openHistory } from './history/reader.js'
import type { StoredOutput } from './history/run-history.js'
import type { RowIndex } from './input/row-index.js'
import { exitCodeOf } from './rules/exit-code.js'
import { endedBy, type Stop } from './rules/stop.js'
import { interruptionCode } from '../core/interruption.js'
import { summarise, type RunSummary } from './summary.js'
import type { Tally } from './tally.js'
import { writeOutput } from './write-output.js'

/** What asking came to. */
export interface Asked extends Pick<Planned, 'plan' | 'stages'> {
  /** Lookups of rows that are asked by a domain. */
  readonly domainCount: number
  readonly index: RowIndex
  readonly tally: Tally
  /** Null: nothing is left to wait for. */
  readonly stop: Stop | null
  readonly askingMs: number
}

/**
 * What follows the last answer, in an order that loses nothing: killed between any two steps, the next run of the series
 * compares its output with what this one was to be compared with.
 */
export async function closeRun(run: OpenRun, asked: Asked): Promise<RunSummary> {
  const { stop, stages, index } = asked
  const isWritten = endedBy({ stop, stages }) === null || run.output.partial
  const written = isWritten ? await writeOutput(run, index) : null
  const ran = summariseRun(run, asked, written)
  await noteSummary(run, ran, written !== null)
  await publishInHistory(run, written?.recorded ?? null)
  const { history, ending } = run
  const changes = changesOf(run)
  const alarms = written === null ? [] : ending.alarms(ran, changes)
  const summary: RunSummary = { ...ran, alarms }
  history.note({ summary, alarms })
  run.deps.observe({ type: 'finished', summary })
  await ending.ofRun(summary, { run: history.run, changes })
  await history.end(exitCodeOf(summary, interruptionCode(run.deps.interrupt.reason)))
  return summary
}

function summariseRun(
  { deps, connection, input, startedAtMs }: OpenRun,
  { plan, ...asked }: Asked,
  written: Awaited<ReturnType<typeof writeOutput>> | null,
): RunSummary {
  return summarise({
    service: connection.service,
    ...asked,
    plan,
    prices: deps.prices ?? null,
    elapsedMs: deps.clock.monotonicMs() - startedAtMs,
    rows: written?.rowCounts ?? new Map(),
    report: written?.report ?? null,
    notes: input.notes(),
  })
}

/** The input is read through for its fingerprint where an output was written of it, and not for this alone. */
async function noteSummary({ history, input, timeline }: OpenRun, summary: RunSummary, isRead: boolean) {
  const sha256 = isRead ? await input.fingerprint() : null
  history.note({
    summary,
    money: summary.money,
    input: { ...history.record.input, sha256 },
    timeline: timeline.points(),
  })
}

/** Null where no output is known that this one was compared with. */
function changesOf({ deps, history }: OpenRun): KnownChanges | null {
  const { changes } = history.record
  if (changes === null) return null
  const reader = openHistory(deps.checkpoint.path)
  try {
    const before = reader?.runs().find(({ number }) => number === changes.baseline)
    return { counts: changes.counts, rowCountBefore: before?.record?.figures?.rowCount ?? 0 }
  } finally {
    reader?.close()
  }
}

/** The rows first, then what changed in them, and only then that they are published. */
async function publishInHistory(run: OpenRun, recorded: RecordedOutput | null): Promise<StoredOutput | null> {
  const { history } = run
  const stored = await history.storeOutput(recorded)
  if (stored === null) return null
  history.note({ figures: stored.figures })
  await history.publish(stored)
  return stored
}
