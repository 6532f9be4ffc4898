import { formatCount, plural } from '../../core/text.js'
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
