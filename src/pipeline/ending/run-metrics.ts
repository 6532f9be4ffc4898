import type { RunEnd } from '../figures/notify-message.js'

/** Timestamps of earlier runs in the metrics file, in seconds since 1970; `null` if unknown. */
export interface EarlierEnds {
  readonly successSeconds: number | null
  readonly outputSeconds: number | null
}

/** Names of the metrics that are carried over from run to run. */
export const earlierNames = {
  success: 'enrich_run_last_success_timestamp_seconds',
  output: 'enrich_run_last_output_timestamp_seconds',
} as const

/**
 * Formats a run in Prometheus' text format, as gauges, because each run starts from zero. Unknown values are omitted.
 * Labels contain no names, keys or URLs, except `series`: the job's name, or else its inputs.
 */
export async function formatMetrics(end: RunEnd, earlier: EarlierEnds): Promise<string> {
  const { Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  registry.setDefaultLabels({ series: end.series })
  for (const { name, help, label, values } of listMetrics(end, earlier)) {
    if (values.length === 0) continue
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: label === undefined ? [] : [label],
    })
    for (const [value, count] of values) gauge.set(label === undefined ? {} : { [label]: value }, count)
  }
  return registry.metrics()
}

interface Metric {
  readonly name: string
  readonly help: string
  readonly label?: string
  /** Values by label value; '' without a label. */
  readonly values: readonly (readonly [labelValue: string, value: number])[]
}

const toValues = (value: number | null | undefined): Metric['values'] =>
  value === null || value === undefined ? [] : [['', value]]

function listMetrics(end: RunEnd, earlier: EarlierEnds): readonly Metric[] {
  const { summary, money, exitCode } = end
  const endedSeconds = end.endedAtMs / 1_000
  const hasOutput = (summary?.outputPaths.length ?? 0) > 0
  const toLabeledValues = (label: string, counts: Readonly<Record<string, number>> | null | undefined) => ({
    label,
    values: Object.entries(counts ?? {}),
  })
  return [
    createMetric('last_end_timestamp_seconds', 'Time at which the last run ended', toValues(endedSeconds)),
    {
      name: earlierNames.success,
      help: 'Time at which the last run with exit code 0 ended',
      values: toValues(exitCode === 0 ? endedSeconds : earlier.successSeconds),
    },
    {
      name: earlierNames.output,
      help: 'Time at which the last run that wrote its output ended',
      values: toValues(hasOutput ? endedSeconds : earlier.outputSeconds),
    },
    createMetric('exit_code', 'Exit code of the last run', toValues(exitCode)),
    createMetric(
      'duration_seconds',
      'Duration of the last run',
      toValues((end.endedAtMs - end.startedAtMs) / 1_000),
    ),
    {
      ...createMetric('rows', 'Rows of its output, by status'),
      ...toLabeledValues('status', summary?.rowsByStatus),
    },
    createMetric('lookups', 'Distinct lookups of the last run', toValues(summary?.lookupCount)),
    createMetric('cached_lookups', 'Of these, answered before it began', toValues(summary?.cachedCount)),
    createMetric('decided_lookups', 'Of these, decided by reviewers', toValues(summary?.decidedCount)),
    createMetric(
      'pending_lookups',
      'Of these, without an answer at its end',
      toValues(summary?.pendingCount),
    ),
    createMetric(
      'uncertain_lookups',
      'Of these, those that may have been billed',
      toValues(summary?.uncertainCount),
    ),
    createMetric(
      'registry_lookups',
      'Lookups that an own registry answered instead of the service',
      toValues(summary?.first?.lookupCount),
    ),
    createMetric(
      'accepted_submissions',
      'Submissions that the service accepted',
      toValues(summary?.billedCount),
    ),
    createMetric('polls', 'Requests for answers', toValues(summary?.pollCount)),
    createMetric('rate_limited_requests', 'Requests answered with 429', toValues(summary?.rateLimitedCount)),
    {
      ...createMetric('cost', 'Cost of the last run, in units of the currency'),
      ...toCostValues(money?.currency, money?.cost),
    },
    {
      ...createMetric('uncertain_cost', 'Additional cost that may have been billed'),
      ...toCostValues(money?.currency, money?.uncertainCost),
    },
    {
      ...createMetric('changes', 'Changes since the previous output, by kind'),
      ...toLabeledValues('kind', end.changes),
    },
    createMetric('alarms', 'Conditions of --fail-on that were met', toValues(end.alarms.length)),
  ]
}

const createMetric = (name: string, help: string, values: Metric['values'] = []): Metric => ({
  name: `enrich_run_${name}`,
  help,
  values,
})

const toCostValues = (currency: string | null | undefined, amount: number | undefined) => ({
  label: 'currency',
  values: amount === undefined ? [] : [[currency ?? '', amount] as const],
})
