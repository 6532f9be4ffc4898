import { explainStop } from '../../pipeline/rules/stop.js'
import type { LookupKind } from '../../pipeline/rules/lookup-kind.js'
import type { StageFacts } from '../../pipeline/rules/stage-facts.js'
import { grouped } from './io.js'

/** What one lookup of a kind is about. */
const kindNouns: Readonly<Record<LookupKind, readonly [one: string, many: string]>> = {
  resolution: ['lookup', 'lookups'],
  entity: ['company', 'companies'],
  hierarchy: ['company', 'companies'],
  domain: ['domain', 'domains'],
}

export function countOf(count: number, kind: LookupKind): string {
  const [one, many] = kindNouns[kind]
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** What a kind came to, in one line, and why it was not asked to its end in another. */
export function stageLines(facts: StageFacts, isHosted: boolean): string[] {
  const { kind, outcomes, stop } = facts
  const billed = kind === 'domain' && isHosted ? 'asked, each billed' : 'asked, free of charge'
  const some = (value: number, words: string): string[] => (value === 0 ? [] : [`${grouped(value)} ${words}`])
  const answers = Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'failed')
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([outcome, number]) => `${outcome} ${grouped(number)}`)
  const parts = [
    countOf(facts.lookupCount, kind),
    ...some(facts.cachedCount, 'answered before'),
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
