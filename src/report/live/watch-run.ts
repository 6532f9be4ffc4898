import { getErrorText, UserError, Interruption } from '../../core/errors.js'
import type { ListenAddress } from '../../core/server-addresses.js'
import type { RunEvent } from '../../pipeline/history/run-figures.js'
import { openHistory, type HistoryReader } from '../../pipeline/history/read-history.js'
import type { Clock } from '../../platform/clock.js'
import { gatherReport, listEarlierRuns, listPaidRuns } from '../gather-data.js'
import { LiveRun, type LiveData } from './live-page.js'
import { startLiveServer } from './live-server.js'

export interface WatchDeps {
  readonly address: Readonly<ListenAddress>
  readonly checkpointPath: string
  /** Command line of the run. */
  readonly command: string
  readonly clock: Clock
  readonly observe: (event: RunEvent) => void
}

/**
 * Runs `work` and serves its live page until it ends. `work` reports its events to the given function, which passes them
 * on to `observe`. Throws LISTEN_FAILED and the errors of `work`.
 *
 *     await watchRun({ address, checkpointPath, command: 'enrich in.csv', clock, observe }, (observe) => run({ observe }))
 */
export async function watchRun<Result>(
  deps: WatchDeps,
  work: (observe: (event: RunEvent) => void) => Promise<Result>,
): Promise<Result> {
  const { address, checkpointPath, command, clock } = deps
  const nowMs = () => clock.nowMs()
  const live = new LiveRun({ command, startedAtMs: nowMs(), nowMs })
  const server = await startLiveServer({ run: live, address, clock })
  const history = new WatchedHistory(checkpointPath)
  let knowing = Promise.resolve()
  const observe = (event: RunEvent) => {
    live.observe(event)
    // From here on the run is recorded, and its predecessors are known.
    if (event.type === 'planned')
      knowing = history.readEarlierRuns().then((runs) => {
        live.setEarlierRuns(runs)
      })
    deps.observe(event)
  }
  observe({ type: 'notice', text: `Live page of this run: ${server.url}` })
  try {
    const result = await work(observe)
    await knowing
    live.end({ report: await history.readReport(nowMs()), failure: null })
    return result
  } catch (error) {
    live.end({ report: null, failure: describeFailure(error) })
    throw error
  } finally {
    await server.close()
  }
}

/** The history as far as it can be read: the page must not fail a run, and `enrich checkpoint verify` finds damage. */
class WatchedHistory {
  #number: number | null = null

  constructor(private readonly checkpointPath: string) {}

  /** Reads the earlier runs of the series, and the cost so far. */
  readEarlierRuns(): Promise<Pick<LiveData, 'earlier' | 'paid'>> {
    return this.#readOrDefault<Pick<LiveData, 'earlier' | 'paid'>>(
      { earlier: [], paid: [] },
      async (reader) => {
        const runs = await reader.runs()
        // The newest one is this run, unless it is not recorded.
        const own = runs[0]
        if (own === undefined || own.endedAtMs !== null) return { earlier: [], paid: [] }
        this.#number = own.number
        return { earlier: listEarlierRuns(runs, own), paid: listPaidRuns(runs, own) }
      },
    )
  }

  readReport(nowMs: number): Promise<LiveData['report']> {
    const number = this.#number
    if (number === null) return Promise.resolve(null)
    return this.#readOrDefault<LiveData['report']>(null, (reader) => gatherReport({ reader, number, nowMs }))
  }

  async #readOrDefault<Value>(
    otherwise: Value,
    read: (reader: HistoryReader) => Promise<Value>,
  ): Promise<Value> {
    try {
      const reader = await openHistory(this.checkpointPath)
      if (reader === null) return otherwise
      try {
        return await read(reader)
      } finally {
        await reader.close()
      }
    } catch {
      return otherwise
    }
  }
}

/** The text of an error on the live page. The details of a bug are not shown. */
function describeFailure(error: unknown): string {
  if (error instanceof UserError) return `${error.code}: ${getErrorText(error)}`
  return error instanceof Interruption ? 'interrupted' : 'a bug in enrich'
}
