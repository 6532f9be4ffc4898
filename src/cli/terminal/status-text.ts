import { formatCount, printable } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import type { UncertainLookup } from '../../pipeline/checkpoint/checkpoint.js'
import { formatAmount, toUnits } from '../../pipeline/figures/money.js'
import type { InboxCounts } from '../../pipeline/inbox/inbox.js'
import type {
  JobStatus,
  PaceStatus,
  SharedStatus,
  WorkerStatus,
} from '../../pipeline/checkpoint/postgres/status.js'

export function formatInbox(inbox: InboxCounts | null): string {
  if (inbox === null) return ''
  const parts = [
    [inbox.taken, 'processed'],
    [inbox.waiting, 'waiting for the next run'],
    [inbox.unclaimed, 'unclaimed: the checkpoint has no such submission'],
    [inbox.quarantined, 'in quarantine: contradicting ids, or unreadable'],
  ] as const
  const shown = parts.flatMap(([count, text]) => (count === 0 ? [] : `${formatCount(count)} ${text}`))
  return `Webhooks: ${shown.join(' · ') || 'none yet'}\n`
}

export function formatUncertain(uncertain: readonly UncertainLookup[]): string {
  if (uncertain.length === 0) return 'No submission is uncertain.\n'
  const lines = uncertain.map(
    ({ name, location, customId, intendedAtMs, reason, kind }) =>
      `  ${formatWhen(intendedAtMs)}  ${kind === 'resolution' ? '' : `${kind} `}${name}${location === null ? '' : ` (${location})`}  ${customId}  ${reason ?? ''}\n`,
  )
  return `Uncertain submissions (the service's records name them by custom_id):\n${lines.join('')}`
}

export function formatWhen(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().replace('T', ' ').slice(0, 16)
}

/** Formats the processes, paces and unfinished jobs of a shared checkpoint. */
export function formatSharedStatus({ workers, paces, jobs }: SharedStatus, nowMs: number): string {
  return [
    ...formatSection(
      'Processes',
      workers.map((worker) => formatWorker(worker, nowMs)),
    ),
    ...formatSection('Pace', paces.map(formatPace)),
    ...formatSection(
      'Unfinished jobs',
      jobs.map((job) => formatJob(job, nowMs)),
    ),
  ].join('')
}

const formatSection = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:\n`, ...lines.map((line) => `  ${line}\n`)]

const formatInputs = (inputs: readonly string[]) =>
  inputs.length === 0
    ? ''
    : ` · ${printable(inputs.length === 1 ? (inputs[0] ?? '') : `${inputs[0] ?? ''} and ${inputs.length - 1} more`)}`

function formatWorker(worker: WorkerStatus, nowMs: number): string {
  const { id, name, inputs, doing, startedAtMs, intendedCount, runningCount } = worker
  const counts = [
    ...(runningCount === 0 ? [] : [`${formatCount(runningCount)} running`]),
    ...(intendedCount === 0 ? [] : [`${formatCount(intendedCount)} being submitted`]),
    ...(doing === '' ? [] : [printable(doing)]),
  ].map((text) => ` · ${text}`)
  return `${id}  ${printable(name)}  ${formatLease(worker)} · since ${formatDuration(Math.max(0, nowMs - startedAtMs))}${formatInputs(inputs)}${counts.join('')}`
}

function formatLease({ state, leaseLeftMs }: WorkerStatus): string {
  const seconds = formatCount(Math.round(Math.abs(leaseLeftMs) / 1_000))
  switch (state) {
    case 'alive':
      return `alive, lease ${seconds} s`
    case 'late':
      return `late: its lease expired ${seconds} s ago`
    case 'gone':
      return 'gone: its lease expired'
    case 'ended':
      return 'ended'
  }
}

function formatPace({ route, key, perMinute, givenCount, idleMs, pausedMs }: PaceStatus): string {
  const last = idleMs < 0 ? 'in use' : `last ${formatDuration(idleMs)} ago`
  const pause = pausedMs > 0 ? ` · paused for ${formatDuration(pausedMs)}` : ''
  return `${printable(route)} (key ${key}): at most ${formatCount(Math.round(perMinute))} a minute · ${formatCount(givenCount)} so far · ${last}${pause}`
}

function formatJob(job: JobStatus, nowMs: number): string {
  const { id, base, inputs, startedAtMs, reservedOfRows, reservedMicros, partCount, publishedCount } = job
  const cost = reservedMicros === 0 ? '' : ` · ${formatAmount(toUnits(reservedMicros), null)}`
  const parts = partCount === null ? '' : ` · ${publishedCount} of ${partCount} parts published`
  return `${id}  ${printable(base)}${formatInputs(inputs)} · since ${formatDuration(Math.max(0, nowMs - startedAtMs))} · ${formatCount(reservedOfRows)} submissions of its budget${cost}${parts}`
}
