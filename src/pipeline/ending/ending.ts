import { version } from '../../platform/version.js'
import type { Clock } from '../../platform/clock.js'
import type { RunObserver } from '../events.js'
import type { Alarm } from '../rules/alarms.js'
import type { ChangeCounts } from '../rules/change-kinds.js'
import { exitCodeOf } from '../rules/exit-code.js'
import type { RunEnd } from '../rules/run-end.js'
import { endedBy, explainStop } from '../rules/stop.js'
import type { RunSummary } from '../rules/run-summary.js'
import { alarmsOf, createEndReporter, endOfError, type EndingOptions } from './end-reporter.js'

/** What the checkpoint knows of the run, and of the output before. */
export interface RunHistoryFacts {
  readonly run: number | null
  /** Null without an output before. */
  readonly changes: { readonly counts: ChangeCounts; readonly rowCountBefore: number } | null
}

const nothingKnown: RunHistoryFacts = { run: null, changes: null }

/** The end of one run: its alarms, and those who hear of it, once. */
export interface Ending {
  /** Of a run that wrote its output. */
  alarms(summary: RunSummary, known?: RunHistoryFacts): readonly Alarm[]
  ofRun(summary: RunSummary, known?: RunHistoryFacts): Promise<void>
  ofError(error: unknown): Promise<void>
}

interface EndingDeps {
  readonly clock: Clock
  readonly observe: RunObserver
  readonly interrupt: AbortSignal
  readonly input: { readonly paths: readonly string[] }
  readonly series?: string
  readonly ending?: EndingOptions
}

export function openEnding(deps: EndingDeps): Ending {
  const { clock, observe, interrupt } = deps
  const ending = deps.ending ?? { conditions: [], metricsPath: null, notify: null }
  const reporter = createEndReporter({ ending, clock, observe })
  const startedAtMs = clock.nowMs()
  const report = (end: Pick<RunEnd, 'exitCode' | 'failure' | 'summary' | 'changes' | 'alarms' | 'run'>) =>
    reporter.report({
      ...end,
      program: version,
      series: deps.series ?? deps.input.paths.join(', '),
      startedAtMs,
      endedAtMs: clock.nowMs(),
    })
  return {
    alarms: ({ rowCount, rowsByStatus, money }, { changes } = nothingKnown) =>
      alarmsOf(ending.conditions, { rowCount, rowsByStatus, changes, money }, observe),
    ofRun: (summary, { run, changes } = nothingKnown) =>
      report({
        ...{ run, summary, changes: changes?.counts ?? null },
        exitCode: exitCodeOf(summary),
        failure: failureOf(summary),
        alarms: summary.alarms,
      }),
    ofError: (error) =>
      report({
        ...endOfError(error, interrupt.aborted),
        ...{ run: null, summary: null, changes: null, alarms: [] },
      }),
  }
}

function failureOf(summary: RunSummary): RunEnd['failure'] {
  const ended = endedBy(summary)
  if (ended === null) return null
  return explainStop(ended) ?? { code: 'INTERRUPTED', message: 'interrupted; the same command resumes' }
}
