import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { getErrorText, UserError } from '../../core/errors.js'
import { buildTemporaryPath, publishFile, resolveFinalPath } from '../../platform/files.js'
import { assertRegular } from '../output/plain-table.js'
import type { RunEnd } from './notify-message.js'
import { listSubmissions } from '../../core/money.js'

/** Mode of a new file: the collector runs as another user. */
const readableMode = 0o644
const knownBytesMax = 1024 * 1024

/**
 * Throws USAGE_INVALID for standard output, and OUTPUT_UNWRITABLE if the path holds anything but a metrics file.
 * Rejected runs write metrics, too, and must not overwrite an input or a checkpoint named by mistake.
 */
export function assertMetricsReplaceable(path: string): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--metrics-file cannot write to standard output', {
      hint: 'name a file; its name ends in .prom',
    })
  }
  const target = resolveFinalPath(path)
  assertRegular(target)
  if (!existsSync(target) || statSync(target).size === 0 || readStart(target) === ownStart) return
  throw new UserError('OUTPUT_UNWRITABLE', `${path} is not a metrics file of a run`, {
    hint: 'for --metrics-file, name a new file or one that a run wrote',
  })
}

/** Start of every metrics file. */
const ownStart = '# HELP enrich_run_'

function readStart(path: string): string {
  const bytes = Buffer.alloc(ownStart.length)
  const descriptor = openSync(path, 'r')
  try {
    return bytes.toString('latin1', 0, readSync(descriptor, bytes))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes the metrics of a run that ended, as a whole or not at all. Returns `null`, or a sentence with the reason for a
 * failure. Never throws: the run does not depend on it.
 */
export async function writeMetricsFile(path: string, end: RunEnd): Promise<string | null> {
  const target = resolveFinalPath(path)
  const temporary = buildTemporaryPath(target)
  try {
    assertMetricsReplaceable(path)
    // Loaded only if needed: it takes a tenth of a command's start-up time.
    const text = await formatMetrics(end, readEarlierEnds(target, end.series))
    const descriptor = openSync(temporary, 'wx', readableMode)
    try {
      writeFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
    // Independent of the umask.
    chmodSync(temporary, readableMode)
    publishFile(temporary, target)
    return null
  } catch (error) {
    rmSync(temporary, { force: true })
    return `The metrics file ${path} was not written: ${getErrorText(error)}. The result of the run is not affected.`
  }
}

/** Reads the timestamps of earlier runs from the file. */
function readEarlierEnds(path: string, series: string): EarlierEnds {
  const text = readKnown(path)
  const readSeconds = (name: string): number | null => {
    const line = text.find((one) => one.startsWith(`${name}{series="${escapeLabel(series)}"} `))
    const value = Number(line?.slice(line.lastIndexOf(' ') + 1))
    return line === undefined || !Number.isFinite(value) ? null : value
  }
  return {
    successSeconds: readSeconds(earlierNames.success),
    outputSeconds: readSeconds(earlierNames.output),
  }
}

/** Escapes a label's value for the text format. */
const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

function readKnown(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  return text.length > knownBytesMax ? [] : text.split('\n')
}

/** Timestamps of earlier runs in the metrics file, in seconds since 1970; `null` if unknown. */
interface EarlierEnds {
  readonly successSeconds: number | null
  readonly outputSeconds: number | null
}

/** Names of the metrics that are carried over from run to run. */
const earlierNames = {
  success: 'enrich_run_last_success_timestamp_seconds',
  output: 'enrich_run_last_output_timestamp_seconds',
} as const

/**
 * Formats a run in Prometheus' text format, as gauges, because each run starts from zero. Unknown values are omitted.
 * Labels contain no names, keys or URLs, except `series`: the job's name, or else its inputs.
 */
async function formatMetrics(end: RunEnd, earlier: EarlierEnds): Promise<string> {
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
    createMetric(
      'doubtful_rows',
      'Rows of its output that wait for a reviewer',
      toValues(summary?.review?.rowCount),
    ),
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
      toValues(
        summary === null
          ? undefined
          : listSubmissions(summary).reduce((sum, { billedCount }) => sum + billedCount, 0),
      ),
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
