import { formatDuration } from '../../core/time.js'
import { formatAmount, toUnits } from '../../pipeline/figures/money.js'
import type {
  JobStatus,
  PaceStatus,
  SharedStatus,
  WorkerStatus,
} from '../../pipeline/checkpoint/postgres/status.js'
import { formatCount, plural, printable } from '../../core/text.js'
import { explainStop } from '../../pipeline/figures/stop.js'
import type { LookupKind } from '../../pipeline/lookups/lookup-kind.js'
import type { RunSummary, StageFacts } from '../../pipeline/figures/run-summary.js'

/** The subject of a lookup of each kind. */
const kindNouns: Readonly<Record<LookupKind, readonly [one: string, many: string]>> = {
  resolution: ['lookup', 'lookups'],
  entity: ['company', 'companies'],
  hierarchy: ['company', 'companies'],
  domain: ['domain', 'domains'],
}

export function formatKindCount(count: number, kind: LookupKind): string {
  const [one, many] = kindNouns[kind]
  return plural(count, one, many)
}

/** Counts of distinct lookups. */
interface Lookups {
  readonly lookupCount: number
  /** Number of lookups by domain instead of by name. */
  readonly domainCount: number
}

/** `5 distinct lookups (3 by name, 2 by domain)`; without the part in brackets if all are by name. */
export const formatLookups = (lookups: Lookups): string =>
  `${formatCount(lookups.lookupCount)} ${formatLookupNoun(lookups)}`

/** The same without the count in front. */
export function formatLookupNoun({ lookupCount, domainCount }: Lookups): string {
  const nameCount = lookupCount - domainCount
  const ways = [
    ...(nameCount === 0 ? [] : [`${formatCount(nameCount)} by name`]),
    `${formatCount(domainCount)} by domain`,
  ]
  const noun = `distinct ${lookupCount === 1 ? 'lookup' : 'lookups'}`
  return domainCount === 0 ? noun : `${noun} (${ways.join(', ')})`
}

/** Formats one line with the counts of a stage, and one with the reason if it was stopped. */
export function formatStage(
  facts: StageFacts,
  { service, money }: Pick<RunSummary, 'service' | 'money'>,
): string[] {
  const { kind, outcomes, stop } = facts
  const isUncounted = money !== null && money.byKind[kind] === undefined
  const price = kind === 'domain' ? ', each billed' : isUncounted ? ', not counted in the cost' : ''
  const submitted = `submitted${service === 'hosted' ? price : ', free of charge'}`
  const some = (value: number, words: string): string[] =>
    value === 0 ? [] : [`${formatCount(value)} ${words}`]
  const answers = Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'failed')
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([outcome, number]) => `${outcome} ${formatCount(number)}`)
  const parts = [
    formatKindCount(facts.lookupCount, kind),
    ...some(facts.cachedCount, 'answered before'),
    ...some(facts.decidedCount, 'decided by reviewers'),
    ...some(facts.askedCount, submitted),
    ...answers,
    ...some(facts.failedCount, 'failed'),
    ...some(facts.rejectedCount, 'refused as invalid'),
    ...some(facts.uncertainCount, 'uncertain'),
    ...some(facts.pendingCount, 'without an answer yet'),
  ]
  const explained = stop === null ? null : explainStop({ kind, stop })
  return [
    `  ${kind.padEnd(9)} ${parts.join(' · ')}`,
    ...(explained === null ? [] : [`            stopped: ${explained.message} (${explained.code})`]),
  ]
}

/** The states of lookups in a plan. */
export const planWords: Readonly<Record<string, string>> = {
  submit: 'to submit',
  poll: 'running',
  answered: 'already answered',
  decided: 'decided by reviewers',
  invalid: 'refused before as invalid',
  uncertain: 'uncertain (held)',
  failed: 'failed before',
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
