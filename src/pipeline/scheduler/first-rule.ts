import { createHash } from 'node:crypto'
import { at, toText } from '../../core/json.js'
import { foldText } from '../../core/lookup-identity.js'
import type { KnownAnswer } from '../checkpoint/checkpoint.js'
import { planLookup, type PlanPolicy } from '../checkpoint/lookup-state.js'

/** Settings of an own registry that answers before the service is paid. */
export interface FirstRule {
  /** Confidence from which a match is the answer, 1 to 100. */
  readonly accept: number
  /** The answer to keep if both have one; `earlier`: the older one. */
  readonly prefer: 'earlier' | 'registry' | 'service'
  /** The share of the answered lookups that is submitted as well; `null` for none. */
  readonly sample: Sample | null
}

/** A random sample, the same in each run with this seed. */
export interface Sample {
  /** Above 0, up to 100. */
  readonly percent: number
  readonly seed: number
}

/** An answer of the own registry to a lookup. */
export interface RegistryAnswer {
  /** In lower case. */
  readonly outcome: string
  readonly confidence: number | null
}

/** Whether the registry is sure enough. */
export const isAccepted = ({ outcome, confidence }: RegistryAnswer, accept: number): boolean =>
  outcome === 'matched' && confidence !== null && confidence >= accept

/** Whether a lookup belongs to the sample. */
export function isSampled(key: Uint8Array, sample: Sample | null): boolean {
  if (sample === null) return false
  const hash = createHash('sha256').update(`${sample.seed} `).update(key).digest()
  return hash.readUIntBE(0, 6) / 2 ** 48 < sample.percent / 100
}

interface KeepingRule {
  readonly prefer: FirstRule['prefer']
  /** Whether the run that asked the service came before the one that asked the registry. */
  readonly isServiceEarlier: boolean
  readonly isOfSample: boolean
  readonly policy: PlanPolicy
}

/**
 * Whether the service keeps a lookup that the registry can answer, because it was submitted before. A submission without
 * an answer is waited for. Lookups of the sample are submitted after the registry answered them, so theirs is never the
 * earlier answer.
 */
export function isKeptByService(
  known: Pick<KnownAnswer, 'state' | 'answeredAtMs'> | null,
  { prefer, isServiceEarlier, isOfSample, policy }: KeepingRule,
): boolean {
  if (known === null || prefer === 'registry') return false
  switch (planLookup(known, policy)) {
    case 'answered':
      return prefer === 'service' || (isServiceEarlier && !isOfSample)
    case 'poll':
    case 'uncertain':
      return (prefer === 'service' || isServiceEarlier) && !isOfSample
    case 'submit':
    case 'failed':
    case 'invalid':
      return false
  }
}

/** How the service's answer to a lookup relates to the registry's match. */
type Comparison = 'same' | 'other' | 'no_match'

/** Identifiers that one company has only once. */
const uniqueColumns = ['lei', 'cik', 'ein'] as const

/**
 * Compares a match of the registry with the service's answer, both as answer lines. The ids of companies are not
 * enough, because each service has its own: one equal identifier decides, then a different one, then the registered
 * name with its country.
 */
export function compareAnswers(registryLine: string, serviceLine: string): Comparison {
  const own: unknown = JSON.parse(registryLine)
  const other: unknown = JSON.parse(serviceLine)
  const read = (line: unknown, column: string) => foldText(toText(at(line, column)))
  if (!['matched', 'merged'].includes(read(other, 'status'))) return 'no_match'
  const isEqual = (column: string) => read(own, column) !== '' && read(own, column) === read(other, column)
  const isDifferent = (column: string) =>
    ![read(own, column), read(other, column)].includes('') && read(own, column) !== read(other, column)
  const isSameRegistration = isEqual('registration_id') && isEqual('jurisdiction')
  if (isEqual('entity_id') || uniqueColumns.some(isEqual) || isSameRegistration) return 'same'
  if (uniqueColumns.some(isDifferent) || isDifferent('country_code')) return 'other'
  return isEqual('legal_name') ? 'same' : 'other'
}
