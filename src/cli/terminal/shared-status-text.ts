import { formatCount } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { printable } from '../../core/terminal-text.js'
import { formatAmount, unitsOf } from '../../pipeline/figures/money.js'
import type {
  JobStatus,
  PaceStatus,
  SharedStatus,
  WorkerStatus,
} from '../../pipeline/checkpoint/postgres/status.js'

/** Formats the processes, paces and unfinished jobs of a shared checkpoint. */
export function sharedStatusText({ workers, paces, jobs }: SharedStatus, nowMs: number): string {
  return [
    ...section(
      'Processes',
      workers.map((worker) => workerText(worker, nowMs)),
    ),
    ...section('Pace', paces.map(paceText)),
    ...section(
      'Unfinished jobs',
      jobs.map((job) => jobText(job, nowMs)),
    ),
  ].join('')
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:\n`, ...lines.map((line) => `  ${line}\n`)]

const filesText = (inputs: readonly string[]) =>
  inputs.length === 0
    ? ''
    : ` · ${printable(inputs.length === 1 ? (inputs[0] ?? '') : `${inputs[0] ?? ''} and ${inputs.length - 1} more`)}`

function workerText(worker: WorkerStatus, nowMs: number): string {
  const { id, name, inputs, doing, startedAtMs, intendedCount, runningCount } = worker
  const counts = [
    ...(runningCount === 0 ? [] : [`${formatCount(runningCount)} running`]),
    ...(intendedCount === 0 ? [] : [`${formatCount(intendedCount)} being submitted`]),
    ...(doing === '' ? [] : [printable(doing)]),
  ].map((text) => ` · ${text}`)
  return `${id}  ${printable(name)}  ${leaseText(worker)} · since ${formatDuration(Math.max(0, nowMs - startedAtMs))}${filesText(inputs)}${counts.join('')}`
}

function leaseText({ state, leaseLeftMs }: WorkerStatus): string {
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

function paceText({ route, key, perMinute, givenCount, idleMs, pausedMs }: PaceStatus): string {
  const last = idleMs < 0 ? 'in use' : `last ${formatDuration(idleMs)} ago`
  const pause = pausedMs > 0 ? ` · paused for ${formatDuration(pausedMs)}` : ''
  return `${printable(route)} (key ${key}): at most ${formatCount(Math.round(perMinute))} a minute · ${formatCount(givenCount)} so far · ${last}${pause}`
}

function jobText(job: JobStatus, nowMs: number): string {
  const { id, base, inputs, startedAtMs, reservedOfRows, reservedMicros, partCount, publishedCount } = job
  const cost = reservedMicros === 0 ? '' : ` · ${formatAmount(unitsOf(reservedMicros), null)}`
  const parts = partCount === null ? '' : ` · ${publishedCount} of ${partCount} parts published`
  return `${id}  ${printable(base)}${filesText(inputs)} · since ${formatDuration(Math.max(0, nowMs - startedAtMs))} · ${formatCount(reservedOfRows)} submissions of its budget${cost}${parts}`
}
