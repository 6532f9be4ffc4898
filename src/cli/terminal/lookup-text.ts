import { existsSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { isAddress } from '../../connectors/connectors.js'
import { formatCount, plural, printable } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import type { CheckpointStatus } from '../../pipeline/read-status.js'
import { standardInputLabel } from '../../core/local-path.js'
import { quote } from './command-io.js'
import { explainStop } from '../../pipeline/scheduler/scheduling.js'
import { lookupKinds, type LookupKind } from '../../core/lookup-state.js'
import {
  countBilled,
  formatAmount,
  formatBilledCount,
  formatMoney,
  formatPrice,
  listSubmissions,
  sumSubmitted,
  toUnits,
  type KindSubmissions,
} from '../../core/money.js'
import type { RunSummary, StageFacts } from '../../pipeline/history/run-figures.js'
import { identifierNames, listIdentifierColumns, numberKeys } from '../../core/identifiers.js'
import type { ColumnReport } from '../../pipeline/inspect-rows.js'

const namedMax = 10

const columnCharsMax = 60

const whyCharsMax = 100
const optionCharsMax = 400
/** Half of an option is of no use: a long one is only named. */
function shortenReason(why: string): string {
  const at = why.indexOf('--id-columns ')
  if (at === -1) return truncateText(why, whyCharsMax)
  return why.length <= optionCharsMax ? why : `${why.slice(0, at)}--id-columns with all its columns`
}

/**
 * Describes in a few lines which columns are used, and which are not.
 *
 * @example
 * formatColumnLines(report) // ['name from Company; location from City', 'not used: Reg No (company number); …']
 */
export function formatColumnLines(report: ColumnReport): string[] {
  const { name, location, context, unused, others, country } = report
  const formatNames = (columns: readonly string[]) => columns.map((column) => truncateText(column)).join(', ')
  const asked = [
    name === null ? 'no names' : `name from ${truncateText(name)}`,
    `${location.length === 0 ? 'no location' : `location from ${formatNames(location)}`}${country === undefined ? '' : `, with ${country} if it has no country`}`,
    ...(context.length === 0 ? [] : [`context from ${formatNames(context)}`]),
  ]
  const lines = [asked.join('; '), ...formatIdentifierLine(report)]
  if (unused.length + others.length === 0) return lines
  const named = unused.map(({ column, kind, why = '' }) => {
    // Only a part of the header, or only the cells, say what it is.
    if (why.startsWith('to use it:'))
      return `${truncateText(column)} (perhaps ${/^[AEIOUaeio]|^L/.test(kind) ? 'an' : 'a'} ${kind}; ${shortenReason(why)})`
    return `${truncateText(column)} (${kind}${why === '' ? '' : `: ${shortenReason(why)}`})`
  })
  const left = [...named, ...others.map((column) => truncateText(column))]
  const rest = left.length > namedMax ? ` and ${left.length - namedMax} more` : ''
  return [
    ...lines,
    `not used: ${left.slice(0, namedMax).join(', ')}${rest}; --location-columns, --context-columns and --id-columns choose others`,
  ]
}

function formatIdentifierLine({ identifiers, identifierUse }: ColumnReport): string[] {
  const columns = listIdentifierColumns(identifiers)
  if (columns.length === 0) return []
  const { registration_country: country, registration_court: court, exchange } = identifiers
  const others = numberKeys.slice(1).flatMap((key) => identifiers[key] ?? [])
  const fallback = others.map((column) => ` or else from ${truncateText(column)}`).join('')
  const of = others.length === 0 ? 'its' : 'the'
  const registers = [
    ...(country === undefined ? [] : [`${of} country from ${truncateText(country)}`]),
    ...(court === undefined ? [] : [`${of} court from ${truncateText(court)}`]),
  ]
  const places: Partial<Record<string, string>> = {
    ...(registers.length === 0 && others.length === 0
      ? {}
      : {
          registration_id: `${fallback}${registers.length === 0 ? '' : `${others.length === 0 ? '' : ', each'} with ${registers.join(' and ')}`}`,
        }),
    ...(exchange === undefined ? {} : { ticker: ` with its exchange from ${truncateText(exchange)}` }),
  }
  const named = columns.map(
    ({ key, column }) => `${identifierNames[key]} from ${truncateText(column)}${places[key] ?? ''}`,
  )
  const use = { first: 'identifiers, looked up before the name', context: 'identifiers, as context' }[
    identifierUse
  ]
  return [`${use}: ${named.join(', ')}`]
}

const truncateText = (column: string, charsMax = columnCharsMax): string => {
  // oxlint-disable-next-line no-control-regex -- a header may hold anything; a terminal must not
  const text = column.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}

type SharedStatus = NonNullable<CheckpointStatus['shared']>
type WorkerStatus = SharedStatus['workers'][number]

/** The subject of a lookup of each kind. */
const kindNouns: Readonly<Record<LookupKind, readonly [one: string, many: string]>> = {
  resolution: ['lookup', 'lookups'],
  entity: ['company', 'companies'],
  hierarchy: ['company', 'companies'],
  domain: ['domain', 'domains'],
}

/** Formats `133 submissions (130 lookups · 3 domains)`; without the part in brackets if all are lookups. */
export function formatSubmissions(
  submissions: readonly Pick<KindSubmissions, 'kind' | 'submittedCount'>[],
): string {
  const some = lookupKinds.flatMap((kind) =>
    submissions.filter((one) => one.kind === kind && one.submittedCount > 0),
  )
  const kinds = some.map(({ kind, submittedCount }) => plural(submittedCount, ...submissionNouns[kind]))
  const isOnlyLookups = some.every(({ kind }) => kind === 'resolution')
  return `${plural(sumSubmitted(some), 'submission')}${isOnlyLookups ? '' : ` (${kinds.join(' · ')})`}`
}

const submissionNouns: Readonly<Record<LookupKind, readonly [one: string, many: string]>> = {
  resolution: ['lookup', 'lookups'],
  domain: ['domain', 'domains'],
  entity: ['record', 'records'],
  hierarchy: ['owner', 'owners'],
}

/** Formats the submissions of one kind in a run: `132 submitted, each billed`, or `3 submitted, at most 3 billed`. */
export function formatSubmitted(
  kind: LookupKind,
  {
    service,
    money,
    ...summary
  }: Pick<RunSummary, 'service' | 'money' | 'submissions' | 'billedCount' | 'lostCount' | 'stages'>,
): string {
  const own = listSubmissions(summary).filter((one) => one.kind === kind)
  const submittedCount = sumSubmitted(own)
  const { count, isMost } = countBilled(own, money?.byKind)
  const submitted = `${formatCount(submittedCount)} submitted`
  if (submittedCount + count === 0) return kind === 'resolution' ? submitted : ''
  if (service === 'embedded') return `${submitted}, free of charge`
  const isCounted = kind === 'resolution' || kind === 'domain' || money?.byKind[kind] !== undefined
  if (!isCounted) return money === null ? submitted : `${submitted}, not counted in the cost`
  return count === submittedCount && !isMost
    ? `${submitted}, each billed`
    : `${submitted}, ${formatBilledCount({ count, isMost })} billed`
}

export function formatKindCount(count: number, kind: LookupKind): string {
  const [one, many] = kindNouns[kind]
  return plural(count, one, many)
}

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
export function formatStage(facts: StageFacts, summary: RunSummary): string[] {
  const { kind, outcomes, stop } = facts
  const submitted = formatSubmitted(kind, summary)
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
    ...(submitted === '' ? [] : [submitted]),
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

export function formatInbox(inbox: CheckpointStatus['inbox']): string {
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

export function formatUncertain(uncertain: NonNullable<CheckpointStatus['uncertain']>): string {
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

function formatPace({
  route,
  key,
  perMinute,
  givenCount,
  idleMs,
  pausedMs,
}: SharedStatus['paces'][number]): string {
  const last = idleMs < 0 ? 'in use' : `last ${formatDuration(idleMs)} ago`
  const pause = pausedMs > 0 ? ` · paused for ${formatDuration(pausedMs)}` : ''
  return `${printable(route)} (key ${key}): at most ${formatCount(Math.round(perMinute))} a minute · ${formatCount(givenCount)} so far · ${last}${pause}`
}

function formatJob(job: SharedStatus['jobs'][number], nowMs: number): string {
  const { id, base, inputs, startedAtMs, reservedOfRows, reservedMicros, partCount, publishedCount } = job
  const cost = reservedMicros === 0 ? '' : ` · ${formatAmount(toUnits(reservedMicros), null)}`
  const parts = partCount === null ? '' : ` · ${publishedCount} of ${partCount} parts published`
  return `${id}  ${printable(base)}${formatInputs(inputs)} · since ${formatDuration(Math.max(0, nowMs - startedAtMs))} · ${formatCount(reservedOfRows)} submissions of its budget${cost}${parts}`
}

const shownInputsMax = 3

/** Adds the inputs to a command. Standard input must be piped again, with its format. */
export function formatCommand(command: string, inputs: readonly string[]): string {
  if (inputs.some(isStandardInput)) return `… | ${command} - --input-format …`
  const files = inputs.map((path) => quote(shortenPath(path)))
  return `${command} ${files.length === 0 || files.length > shownInputsMax ? '…' : files.join(' ')}`
}

/** Standard input is recorded by its label, like the path of a file. */
const isStandardInput = (path: string): boolean => basename(path) === standardInputLabel && !existsSync(path)

/** Makes a path below the current folder relative. Addresses stay as they are. */
function shortenPath(path: string): string {
  if (isAddress(path)) return path
  const below = relative('.', path)
  return below.startsWith('..') ? path : below
}

/** Formats counts by name, the largest first. */
export function formatCounts(record: Readonly<Record<string, number>>): string {
  return Object.entries(record)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name, count]) => `${name} ${formatCount(count)}`)
    .join(' · ')
}

/** Empty if lookups are free or no price is configured. */
export function formatCost({ money }: RunSummary): string[] {
  if (money === null) return []
  const { currency, byKind } = money
  const parts = lookupKinds.flatMap((kind) => {
    const of = byKind[kind]
    return of === undefined || of.count === 0
      ? []
      : [`${formatKindCount(of.count, kind)} at ${formatPrice(of.unitPrice, currency)}`]
  })
  return [`  cost      ${formatMoney(money)}${parts.length === 0 ? '' : `   (${parts.join(' · ')})`}`]
}
