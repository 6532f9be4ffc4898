import { Gauge, Registry } from 'prom-client'
import type { RunEnd } from '../figures/notify-message.js'
import { earlierNames, type EarlierEnds } from './earlier-ends.js'

/**
 * Formats a run in Prometheus' text format, as gauges, because each run starts from zero. Unknown values are omitted.
 * Labels contain no names, keys or URLs, except `series`: the job's name, or else its inputs.
 */
export async function metricsText(end: RunEnd, earlier: EarlierEnds): Promise<string> {
  const registry = new Registry()
  registry.setDefaultLabels({ series: end.series })
  for (const { name, help, label, values } of metricsOf(end, earlier)) {
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

const one = (value: number | null | undefined): Metric['values'] =>
  value === null || value === undefined ? [] : [['', value]]

function metricsOf(end: RunEnd, earlier: EarlierEnds): readonly Metric[] {
  const { summary, money, exitCode } = end
  const endedSeconds = end.endedAtMs / 1_000
  const hasOutput = (summary?.outputPaths.length ?? 0) > 0
  const by = (label: string, counts: Readonly<Record<string, number>> | null | undefined) => ({
    label,
    values: Object.entries(counts ?? {}),
  })
  return [
    metric('last_end_timestamp_seconds', 'Time at which the last run ended', one(endedSeconds)),
    {
      name: earlierNames.success,
      help: 'Time at which the last run with exit code 0 ended',
      values: one(exitCode === 0 ? endedSeconds : earlier.successSeconds),
    },
    {
      name: earlierNames.output,
      help: 'Time at which the last run that wrote its output ended',
      values: one(hasOutput ? endedSeconds : earlier.outputSeconds),
    },
    metric('exit_code', 'Exit code of the last run', one(exitCode)),
    metric('duration_seconds', 'Duration of the last run', one((end.endedAtMs - end.startedAtMs) / 1_000)),
    { ...metric('rows', 'Rows of its output, by status'), ...by('status', summary?.rowsByStatus) },
    metric('lookups', 'Distinct lookups of the last run', one(summary?.lookupCount)),
    metric('cached_lookups', 'Of these, answered before it began', one(summary?.cachedCount)),
    metric('decided_lookups', 'Of these, decided by people', one(summary?.decidedCount)),
    metric('pending_lookups', 'Of these, without an answer at its end', one(summary?.pendingCount)),
    metric('uncertain_lookups', 'Of these, those that may have been billed', one(summary?.uncertainCount)),
    metric('accepted_submissions', 'Submissions that the service accepted', one(summary?.billedCount)),
    metric('polls', 'Requests for answers', one(summary?.pollCount)),
    metric('rate_limited_requests', 'Requests answered with 429', one(summary?.rateLimitedCount)),
    {
      ...metric('cost', 'Cost of the last run, in units of the currency'),
      ...cost(money?.currency, money?.cost),
    },
    {
      ...metric('uncertain_cost', 'Additional cost that may have been billed'),
      ...cost(money?.currency, money?.uncertainCost),
    },
    { ...metric('changes', 'Changes since the previous output, by kind'), ...by('kind', end.changes) },
    metric('alarms', 'Conditions of --fail-on that were met', one(end.alarms.length)),
  ]
}

const metric = (name: string, help: string, values: Metric['values'] = []): Metric => ({
  name: `enrich_run_${name}`,
  help,
  values,
})

const cost = (currency: string | null | undefined, amount: number | undefined) => ({
  label: 'currency',
  values: amount === undefined ? [] : [[currency ?? '', amount] as const],
})
