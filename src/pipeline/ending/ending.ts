import { interruptionCode } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { version } from '../../platform/version.js'
import type { RunObserver } from '../events.js'
import type { Alarm } from '../rules/alarms.js'
import type { ChangeCounts } from '../rules/change-kinds.js'
import { exitCodeOf } from '../rules/exit-code.js'
import type { RunEnd } from '../rules/run-end.js'
import { endedBy, explainStop } from '../rules/stop.js'
import type { Money } from '../rules/money.js'
import type { RunSummary } from '../rules/run-summary.js'
import { alarmsOf, createEndReporter, type EndingOptions } from './end-reporter.js'
import { endOfError } from './end-of-error.js'

/** Against the output before. */
interface KnownChanges {
  readonly counts: ChangeCounts
  readonly rowCountBefore: number
}

/** The end of one run: its alarms, and those who hear of it, once. Nothing of it throws. */
export interface Ending {
  /** Of a run that wrote its output; `changes` is null where no output before it is known. */
  alarms(summary: RunSummary, changes: KnownChanges | null): readonly Alarm[]
  /** `run` is null where the checkpoint does not remember it. */
  ofRun(summary: RunSummary, known: { run: number | null; changes: KnownChanges | null }): Promise<void>
  ofError(error: unknown, known?: { run: number | null; money: Money | null }): Promise<void>
}

interface EndingDeps {
  readonly clock: Clock
  readonly observe: RunObserver
  readonly interrupt: AbortSignal
  readonly input: { readonly paths: readonly string[] }
  readonly history: { readonly job: string | null }
  readonly ending?: EndingOptions
}

export function openEnding(deps: EndingDeps): Ending {
  const { clock, observe, interrupt } = deps
  const ending = deps.ending ?? { conditions: [], metricsPath: null, notify: null }
  const reporter = createEndReporter({ ending, clock, observe })
  const startedAtMs = clock.nowMs()
  const report = (end: Omit<RunEnd, 'program' | 'series' | 'startedAtMs' | 'endedAtMs'>) =>
    reporter.report({
      ...end,
      program: version,
      series: deps.history.job ?? deps.input.paths.join(', '),
      startedAtMs,
      endedAtMs: clock.nowMs(),
    })
  return {
    alarms: ({ rowCount, rowsByStatus, money }, changes) =>
      alarmsOf(ending.conditions, { rowCount, rowsByStatus, changes, money }, observe),
    ofRun: (summary, { run, changes }) =>
      report({
        run,
        summary,
        money: summary.money,
        changes: changes?.counts ?? null,
        exitCode: exitCodeOf(summary, interruptionCode(interrupt.reason)),
        failure: failureOf(summary),
        alarms: summary.alarms,
      }),
    ofError: (error, known = { run: null, money: null }) =>
      report({ ...endOfError(error, interrupt), ...known, summary: null, changes: null, alarms: [] }),
  }
}

function failureOf(summary: RunSummary): RunEnd['failure'] {
  const ended = endedBy(summary)
  if (ended === null) return null
  return explainStop(ended) ?? { code: 'INTERRUPTED', message: 'interrupted; the same command resumes' }
}
