import { errorText, UserError, Interruption } from '../core/errors.js'
import type { ListenAddress } from '../core/server-addresses.js'
import type { RunEvent } from '../pipeline/events.js'
import type { HistoryReader } from '../pipeline/history/remembered-runs.js'
import { openHistory } from '../pipeline/history/reader.js'
import type { Clock } from '../platform/clock.js'
import type { LiveData, LiveRun } from '../report/live/live-run.js'
import type { LiveServer } from '../report/live/live-server.js'
import { type ReportData, isListedIn } from '../report/report-data.js'
import type { RunReport } from '../pipeline/deps.js'
import { publishText } from '../pipeline/output/staged-file.js'
import { isSameFile } from '../platform/files.js'
import type { SourceFile } from '../pipeline/input/input.js'
import { assertOutputUsable } from '../pipeline/output/output-path.js'

export interface WatchDeps {
  /** Null: no page is served. */
  readonly address: Readonly<ListenAddress> | null
  readonly checkpointPath: string
  /** As it was typed. */
  readonly command: string
  readonly clock: Clock
  readonly observe: (event: RunEvent) => void
}

/** Runs `work` with its live page beside it, if one is asked for; the page is gone when the work is. Throws LISTEN_FAILED. */
export async function watchedRun<Result>(
  deps: WatchDeps,
  work: (observe: (event: RunEvent) => void) => Promise<Result>,
): Promise<Result> {
  if (deps.address === null) return work(deps.observe)
  const { live, server, known, lastReport } = await startWatch(deps, deps.address)
  const observe = (event: RunEvent) => {
    live.observe(event)
    // From here on the run is remembered itself, and what went before it with it.
    if (event.type === 'planned') live.knowEarlier(known())
    deps.observe(event)
  }
  observe({ type: 'notice', text: `The run is shown at ${server.url} while it goes on.` })
  try {
    const result = await work(observe)
    live.end({ report: lastReport(), failure: null })
    return result
  } catch (error) {
    live.end({ report: null, failure: failureText(error) })
    throw error
  } finally {
    await server.close()
  }
}

interface Watch {
  readonly live: LiveRun
  readonly server: LiveServer
  /** The run itself, once it is remembered, and those of its series before it. */
  readonly known: () => Pick<LiveData, 'earlier' | 'paid'>
  readonly lastReport: () => ReportData | null
}

/** Loaded where a page is asked for: no other run needs any of it. */
async function startWatch(
  { checkpointPath, command, clock }: WatchDeps,
  address: Readonly<ListenAddress>,
): Promise<Watch> {
  const { LiveRun } = await import('../report/live/live-run.js')
  const { startLiveServer } = await import('../report/live/live-server.js')
  const { gatherReport, earlierRuns, paidRuns } = await import('../report/gather-data.js')
  const nowMs = () => clock.nowMs()
  const live = new LiveRun({ command, startedAtMs: nowMs(), nowMs })
  let number: number | null = null
  return {
    live,
    server: await startLiveServer({ run: live, address, clock }),
    known: () =>
      readingHistory(checkpointPath, { earlier: [], paid: [] }, (reader) => {
        const runs = reader.runs()
        // The newest one is this run, unless nothing is remembered of it.
        const own = runs[0]
        if (own === undefined || own.endedAtMs !== null) return { earlier: [], paid: [] }
        number = own.number
        return { earlier: earlierRuns(runs, own), paid: paidRuns(runs, own) }
      }),
    lastReport: () =>
      readingHistory(checkpointPath, null, (reader) =>
        number === null ? null : gatherReport({ reader, number, nowMs: nowMs() }),
      ),
  }
}

/** A page is no reason for a run to fail: what cannot be read is not shown, and `enrich checkpoint verify` finds it. */
function readingHistory<Value>(
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

/** What it is reported as elsewhere; of a bug no more than that it is one. */
function failureText(error: unknown): string {
  if (error instanceof UserError) return `${error.code}: ${errorText(error)}`
  return error instanceof Interruption ? 'interrupted' : 'a bug in enrich'
}

/**
 * Throws what would make writing the report of a run fail, before anything is submitted: OUTPUT_IS_INPUT,
 * OUTPUT_UNWRITABLE, DISK_FULL; USAGE_INVALID where it is to be written over another file of the run.
 */
function assertReportApart(path: string, inputFiles: readonly SourceFile[], others: readonly string[]): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--report writes a file, and not to standard output', {
      hint: 'name a file; enrich report -o - writes the report of a run to standard output',
    })
  }
  const other = others.find((one) => one !== '-' && isSameFile(one, path))
  if (other !== undefined) {
    throw new UserError('USAGE_INVALID', `--report ${path} is the output ${other}`, {
      hint: 'name another file for the report',
    })
  }
  // Any format of text: what it asks of the disk is the same.
  assertOutputUsable(inputFiles, path, 'ndjson')
}

/** Writes the report of a run at its end. */
export function reportOfRun(path: string): RunReport {
  return {
    path,
    isListed: isListedIn,
    assertApart: (inputFiles, others) => {
      assertReportApart(path, inputFiles, others)
    },
    write: async (reader, number, end) => {
      const { gatherReport } = await import('../report/gather-data.js')
      const { reportPage } = await import('../report/page.js')
      await publishText(path, reportPage(gatherReport({ reader, number, nowMs: end.endedAtMs, end })))
    },
  }
}
