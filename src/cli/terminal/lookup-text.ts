import { formatCount, plural } from '../../core/text.js'
import { explainStop } from '../../pipeline/figures/stop.js'
import { lookupKinds, type LookupKind } from '../../pipeline/lookups/lookup-kind.js'
import {
  countBilled,
  formatBilledCount,
  sumSubmitted,
  type KindSubmissions,
} from '../../pipeline/figures/money.js'
import { listSubmissions, type RunSummary, type StageFacts } from '../../pipeline/figures/run-summary.js'

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
  const kinds = some.map(
    ({ kind, submittedCount }) => `${formatCount(submittedCount)} ${submissionNouns[kind]}`,
  )
  const isOnlyLookups = some.every(({ kind }) => kind === 'resolution')
  return `${plural(sumSubmitted(some), 'submission')}${isOnlyLookups ? '' : ` (${kinds.join(' · ')})`}`
}

const submissionNouns: Readonly<Record<LookupKind, string>> = {
  resolution: 'lookups',
  domain: 'domains',
  entity: 'records',
  hierarchy: 'owners',
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
