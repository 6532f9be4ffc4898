import { Gauge, Registry } from 'prom-client'
import type { RunEnd } from '../figures/notify-message.js'
import { earlierNames, type EarlierEnds } from './earlier-ends.js'

/**
 * A run in Prometheus' text format. All are gauges: each run begins from nothing. What is not known is left out; no
 * name, key or URL is among the labels, but the series, which is the name of the job or else its inputs.
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
  /** By the value of the label, if there is one. */
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
    metric('last_end_timestamp_seconds', 'When the last run ended', one(endedSeconds)),
    {
      name: earlierNames.success,
      help: 'When the last run ended whose exit code was 0',
      values: one(exitCode === 0 ? endedSeconds : earlier.successSeconds),
    },
    {
      name: earlierNames.output,
      help: 'When the last run ended that wrote its output',
      values: one(hasOutput ? endedSeconds : earlier.outputSeconds),
    },
    metric('exit_code', 'What the last run ended with', one(exitCode)),
    metric('duration_seconds', 'How long it took', one((end.endedAtMs - end.startedAtMs) / 1_000)),
    { ...metric('rows', 'Rows of its output, by status'), ...by('status', summary?.rowsByStatus) },
    metric('lookups', 'Distinct lookups that it wanted', one(summary?.lookupCount)),
    metric('cached_lookups', 'Of these, answered before it began', one(summary?.cachedCount)),
    metric('decided_lookups', 'Of these, decided by people', one(summary?.decidedCount)),
    metric('pending_lookups', 'Of these, without an answer at its end', one(summary?.pendingCount)),
    metric('uncertain_lookups', 'Of these, those that may have been billed', one(summary?.uncertainCount)),
    metric('accepted_submissions', 'Submissions that the service accepted', one(summary?.billedCount)),
    metric('polls', 'Requests for answers', one(summary?.pollCount)),
    metric('rate_limited_requests', 'Requests answered with 429', one(summary?.rateLimitedCount)),
    { ...metric('cost', 'What it cost, in units of the currency'), ...cost(money?.currency, money?.cost) },
    {
      ...metric('uncertain_cost', 'What may have been billed besides'),
      ...cost(money?.currency, money?.uncertainCost),
    },
    { ...metric('changes', 'Changes since the output before, by kind'), ...by('kind', end.changes) },
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
