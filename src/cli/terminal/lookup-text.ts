import { formatCount, plural } from '../../core/text.js'
import { explainStop } from '../../pipeline/figures/stop.js'
import type { LookupKind } from '../../pipeline/lookups/lookup-kind.js'
import type { StageFacts } from '../../pipeline/figures/run-summary.js'

/** What one lookup of a kind is about. */
const kindNouns: Readonly<Record<LookupKind, readonly [one: string, many: string]>> = {
  resolution: ['lookup', 'lookups'],
  entity: ['company', 'companies'],
  hierarchy: ['company', 'companies'],
  domain: ['domain', 'domains'],
}

export function countOf(count: number, kind: LookupKind): string {
  const [one, many] = kindNouns[kind]
  return plural(count, one, many)
}

/** What rows ask, each distinct question once. */
interface Lookups {
  readonly lookupCount: number
  /** Of these, asked by a domain in place of a name. */
  readonly domainCount: number
}

/** `5 distinct lookups (3 by name, 2 by domain)`; how they are asked is left out where all are asked by name. */
export const lookupsText = (lookups: Lookups): string =>
  `${formatCount(lookups.lookupCount)} ${lookupNoun(lookups)}`

/** The same without the count in front. */
export function lookupNoun({ lookupCount, domainCount }: Lookups): string {
  const nameCount = lookupCount - domainCount
  const ways = [
    ...(nameCount === 0 ? [] : [`${formatCount(nameCount)} by name`]),
    `${formatCount(domainCount)} by domain`,
  ]
  const noun = `distinct ${lookupCount === 1 ? 'lookup' : 'lookups'}`
  return domainCount === 0 ? noun : `${noun} (${ways.join(', ')})`
}

/** What a kind came to, in one line, and why it was not asked to its end in another. */
export function stageLines(facts: StageFacts, isHosted: boolean): string[] {
  const { kind, outcomes, stop } = facts
  const billed = kind === 'domain' && isHosted ? 'asked, each billed' : 'asked, free of charge'
  const some = (value: number, words: string): string[] =>
    value === 0 ? [] : [`${formatCount(value)} ${words}`]
  const answers = Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'failed')
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([outcome, number]) => `${outcome} ${formatCount(number)}`)
  const parts = [
    countOf(facts.lookupCount, kind),
    ...some(facts.cachedCount, 'answered before'),
    ...some(facts.decidedCount, 'decided by people'),
    ...some(facts.askedCount, billed),
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

/** What is done with lookups, as a plan counts them. */
export const planWords: Readonly<Record<string, string>> = {
  submit: 'to submit',
  poll: 'running',
  answered: 'already answered',
  decided: 'decided by people',
  invalid: 'refused before as invalid',
  uncertain: 'uncertain (held)',
  failed: 'failed before',
}
