import type { Clock } from '../../platform/clock.js'
import type { RunObserver } from '../events.js'
import {
  conditionText,
  evaluateAlarms,
  type Alarm,
  type AlarmCondition,
  type AlarmFacts,
} from '../rules/alarms.js'
import type { RunEnd } from '../rules/run-end.js'
import { writeMetricsFile } from './metrics-file.js'
import { notifyOfRun, type NotifyOptions } from './notify.js'

/** Who hears of the end of a run, and what makes it an alarm. */
export interface EndingOptions {
  /** Of --fail-on. */
  readonly conditions: readonly AlarmCondition[]
  readonly metricsPath: string | null
  readonly notify: NotifyOptions | null
}

export interface EndReporter {
  /** Metrics file, then message; once, whatever ended the run first. Never throws. */
  report(end: RunEnd): Promise<void>
}

interface EndReporterDeps {
  readonly ending: EndingOptions
  readonly clock: Clock
  readonly observe: RunObserver
}

/** What does not work out is a warning: the run has ended as it did. */
export function createEndReporter({ ending, clock, observe }: EndReporterDeps): EndReporter {
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

/** The alarms of a run that wrote its output. What cannot be judged is said. */
export function alarmsOf(
  conditions: readonly AlarmCondition[],
  facts: AlarmFacts,
  observe: RunObserver,
): readonly Alarm[] {
  const { alarms, skipped } = evaluateAlarms(conditions, facts)
  if (skipped.length > 0) {
    const listed = skipped.map(conditionText).join(', ')
    observe({ type: 'notice', text: `No output before this one is known, so ${listed} was not judged.` })
  }
  return alarms
}
