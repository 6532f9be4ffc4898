import { getInterruptionCode, UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { version } from '../../platform/installed-package.js'
import type { RunObserver } from '../events.js'
import {
  type Alarm,
  formatCondition,
  evaluateAlarms,
  type AlarmCondition,
  type AlarmFacts,
} from '../figures/alarms.js'
import type { ChangeCounts } from '../figures/change-kinds.js'
import { getExitCode, type RunSummary } from '../figures/run-summary.js'
import type { RunEnd } from '../figures/notify-message.js'
import { findEndReason, explainStop } from '../figures/stop.js'
import type { Money } from '../figures/money.js'
import { redactAddresses } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import { writeMetricsFile } from './metrics-file.js'
import { notifyOfRun, type NotifyOptions } from './notify.js'

/** Recipients of the end of a run, and the conditions for alarms. */
export interface EndingOptions {
  /** Conditions of --fail-on. */
  readonly conditions: readonly AlarmCondition[]
  readonly metricsPath: string | null
  readonly notify: NotifyOptions | null
}

interface EndReporter {
  /** Writes the metrics file, then sends the message. Only the first call has an effect. Never throws. */
  report(end: RunEnd): Promise<void>
}

interface EndReporterDeps {
  readonly ending: EndingOptions
  readonly clock: Clock
  readonly observe: RunObserver
}

/** Failures are reported as warnings: they do not change the run's result. */
function createEndReporter({ ending, clock, observe }: EndReporterDeps): EndReporter {
  let isReported = false
  const warn = (text: string | null) => {
    if (text !== null) observe({ type: 'notice', text, isWarning: true })
  }
  return {
    report: async (end) => {
      if (isReported) return
      isReported = true
      if (ending.metricsPath !== null) warn(await writeMetricsFile(ending.metricsPath, end))
      if (ending.notify !== null) warn(await notifyOfRun(end, { ...ending.notify, clock }))
    },
  }
}

/** Evaluates the alarms of a run that wrote its output. Reports conditions that cannot be evaluated. */
function findAlarms(
  conditions: readonly AlarmCondition[],
  facts: AlarmFacts,
  observe: RunObserver,
): readonly Alarm[] {
  const { alarms, skipped } = evaluateAlarms(conditions, facts)
  if (skipped.length > 0) {
    const listed = skipped.map(formatCondition).join(', ')
    observe({ type: 'notice', text: `No previous output is known, so ${listed} was not evaluated.` })
  }
  return alarms
}

type ErrorEnd = Pick<RunEnd, 'exitCode'> & { readonly failure: NonNullable<RunEnd['failure']> }

/** Returns the exit code and the failure for a thrown error. */
export function getErrorEnd(thrown: unknown, interrupt: AbortSignal): ErrorEnd {
  const error = explainSystemFailure(thrown)
  if (interrupt.aborted && (isAbort(error) || (error instanceof UserError && isAbort(error.cause)))) {
    const exitCode = getInterruptionCode(interrupt.reason)
    return { exitCode, failure: { code: 'INTERRUPTED', message: 'interrupted' } }
  }
  if (error instanceof UserError) {
    const { code, exitCode, message } = error
    return { exitCode, failure: { code, message: redactAddresses(message) } }
  }
  // An unexpected error may contain private data and is only shown on this machine.
  const message = 'the run failed because of a bug; see the output of its process'
  return { exitCode: 1, failure: { code: 'UNFORESEEN', message } }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** Changes since the previous output. */
interface KnownChanges {
  readonly counts: ChangeCounts
  readonly rowCountBefore: number
}

/** Reports the end of one run once: its alarms, metrics and message. No method throws. */
export interface Ending {
  /** For a run that wrote its output; `changes` is `null` if no previous output is known. */
  getAlarms(summary: RunSummary, changes: KnownChanges | null): readonly Alarm[]
  /** `run` is `null` if the checkpoint has no record of it. */
  reportRun(summary: RunSummary, known: { run: number | null; changes: KnownChanges | null }): Promise<void>
  reportError(error: unknown, known?: { run: number | null; money: Money | null }): Promise<void>
}

interface EndingDeps {
  readonly clock: Clock
  readonly observe: RunObserver
  readonly interrupt: AbortSignal
  readonly source: { readonly input: { readonly paths: readonly string[] } }
  readonly reporting: { readonly history: { readonly job: string | null }; readonly ending?: EndingOptions }
}

export function openEnding(deps: EndingDeps): Ending {
  const { clock, observe, interrupt, source, reporting } = deps
  const ending = reporting.ending ?? { conditions: [], metricsPath: null, notify: null }
  const reporter = createEndReporter({ ending, clock, observe })
  const startedAtMs = clock.nowMs()
  const report = (end: Omit<RunEnd, 'program' | 'series' | 'startedAtMs' | 'endedAtMs'>) =>
    reporter.report({
      ...end,
      program: version,
      series: reporting.history.job ?? source.input.paths.join(', '),
      startedAtMs,
      endedAtMs: clock.nowMs(),
    })
  return {
    getAlarms: ({ rowCount, rowsByStatus, money }, changes) =>
      findAlarms(ending.conditions, { rowCount, rowsByStatus, changes, money }, observe),
    reportRun: (summary, { run, changes }) =>
      report({
        run,
        summary,
        money: summary.money,
        changes: changes?.counts ?? null,
        exitCode: getExitCode(summary, getInterruptionCode(interrupt.reason)),
        failure: toFailure(summary),
        alarms: summary.alarms,
      }),
    reportError: (error, known = { run: null, money: null }) =>
      report({ ...getErrorEnd(error, interrupt), ...known, summary: null, changes: null, alarms: [] }),
  }
}

function toFailure(summary: RunSummary): RunEnd['failure'] {
  const ended = findEndReason(summary)
  if (ended === null) return null
  return explainStop(ended) ?? { code: 'INTERRUPTED', message: 'interrupted; the same command resumes' }
}
