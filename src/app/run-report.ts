import { getErrorText, UserError, Interruption } from '../core/errors.js'
import type { ListenAddress } from '../core/server-addresses.js'
import type { RunEvent } from '../pipeline/events.js'
import type { HistoryReader } from '../pipeline/history/remembered-runs.js'
import { openHistory } from '../pipeline/history/history-reader.js'
import type { Clock } from '../platform/clock.js'
import type { LiveData, LiveRun } from '../report/live/live-page.js'
import type { LiveServer } from '../report/live/live-server.js'
import { type ReportData, createListedCheck } from '../report/report-data.js'
import type { ReportWriter } from '../pipeline/services.js'
import { publishText } from '../pipeline/output/staged-file.js'
import { isSameFile } from '../platform/files.js'
import type { SourceFile } from '../pipeline/input/input.js'
import { assertOutputUsable } from '../pipeline/output/output-path.js'

export interface WatchDeps {
  /** `null` without a live page. */
  readonly address: Readonly<ListenAddress> | null
  readonly checkpointPath: string
  /** Command line of the run. */
  readonly command: string
  readonly clock: Clock
  readonly observe: (event: RunEvent) => void
}

/** Runs `work`, and serves its live page until the work ends if one is configured. Throws LISTEN_FAILED. */
export async function runWithLivePage<Result>(
  deps: WatchDeps,
  work: (observe: (event: RunEvent) => void) => Promise<Result>,
): Promise<Result> {
  if (deps.address === null) return work(deps.observe)
  const { live, server, known, lastReport } = await startWatch(deps, deps.address)
  const observe = (event: RunEvent) => {
    live.observe(event)
    // From here on the run is recorded, and its predecessors are known.
    if (event.type === 'planned') live.setEarlierRuns(known())
    deps.observe(event)
  }
  observe({ type: 'notice', text: `Live page of this run: ${server.url}` })
  try {
    const result = await work(observe)
    live.end({ report: lastReport(), failure: null })
    return result
  } catch (error) {
    live.end({ report: null, failure: describeFailure(error) })
    throw error
  } finally {
    await server.close()
  }
}

interface Watch {
  readonly live: LiveRun
  readonly server: LiveServer
  /** Reads the earlier runs of the series, and the cost so far. */
  readonly known: () => Pick<LiveData, 'earlier' | 'paid'>
  readonly lastReport: () => ReportData | null
}

/** Imported only for a live page. */
async function startWatch(
  { checkpointPath, command, clock }: WatchDeps,
  address: Readonly<ListenAddress>,
): Promise<Watch> {
  const { LiveRun } = await import('../report/live/live-page.js')
  const { startLiveServer } = await import('../report/live/live-server.js')
  const { gatherReport, listEarlierRuns, listPaidRuns } = await import('../report/gather-data.js')
  const nowMs = () => clock.nowMs()
  const live = new LiveRun({ command, startedAtMs: nowMs(), nowMs })
  let number: number | null = null
  return {
    live,
    server: await startLiveServer({ run: live, address, clock }),
    known: () =>
      readHistoryOrDefault(checkpointPath, { earlier: [], paid: [] }, (reader) => {
        const runs = reader.runs()
        // The newest one is this run, unless it is not recorded.
        const own = runs[0]
        if (own === undefined || own.endedAtMs !== null) return { earlier: [], paid: [] }
        number = own.number
        return { earlier: listEarlierRuns(runs, own), paid: listPaidRuns(runs, own) }
      }),
    lastReport: () =>
      readHistoryOrDefault(checkpointPath, null, (reader) =>
        number === null ? null : gatherReport({ reader, number, nowMs: nowMs() }),
      ),
  }
}

/** Returns the fallback after an error: the page must not fail a run, and `enrich checkpoint verify` finds damage. */
function readHistoryOrDefault<Value>(
  path: string,
  otherwise: Value,
  read: (reader: HistoryReader) => Value,
): Value {
  try {
    const reader = openHistory(path)
    if (reader === null) return otherwise
    try {
      return read(reader)
    } finally {
      reader.close()
    }
  } catch {
    return otherwise
  }
}

/** The text of an error on the live page. The details of a bug are not shown. */
function describeFailure(error: unknown): string {
  if (error instanceof UserError) return `${error.code}: ${getErrorText(error)}`
  return error instanceof Interruption ? 'interrupted' : 'a bug in enrich'
}

/**
 * Checks before the first submission that the report can be written. Throws OUTPUT_IS_INPUT, OUTPUT_UNWRITABLE, DISK_FULL,
 * and USAGE_INVALID if it would overwrite another file of the run.
 */
function assertReportApart(path: string, inputFiles: readonly SourceFile[], others: readonly string[]): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--report cannot write to standard output', {
      hint: 'name a file; enrich report -o - writes the report of a run to standard output',
    })
  }
  const other = others.find((one) => one !== '-' && isSameFile(one, path))
  if (other !== undefined) {
    throw new UserError('USAGE_INVALID', `--report ${path} is the output ${other}`, {
      hint: 'name another file for the report',
    })
  }
  // Any text format has the same disk requirements.
  assertOutputUsable(inputFiles, path, 'ndjson')
}

/** Writes the report of a run at its end. */
export const reportWriter: ReportWriter = {
  isListed: createListedCheck,
  assertApart: assertReportApart,
  write: async (path, reader, number, end) => {
    const { gatherReport } = await import('../report/gather-data.js')
    const { renderReportPage } = await import('../report/page.js')
    await publishText(path, renderReportPage(gatherReport({ reader, number, nowMs: end.endedAtMs, end })))
  },
}
