import { createHash } from 'node:crypto'
import type { KnownAnswer } from '../checkpoint/checkpoint.js'
import { planLookup, type PlanPolicy } from '../lookups/lookup-state.js'

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
  readonly answeredAtMs: number
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

/**
 * Whether the service keeps a lookup that the registry can answer, because it was submitted before. An answer that is
 * older than that of the registry stays, and a submission without an answer is waited for. Lookups of the sample are
 * submitted after the registry answered them, so theirs is never the older one.
 */
export function isKeptByService(
  known: Pick<KnownAnswer, 'state' | 'answeredAtMs'> | null,
  answer: RegistryAnswer,
  { prefer, isOfSample, policy }: { prefer: FirstRule['prefer']; isOfSample: boolean; policy: PlanPolicy },
): boolean {
  if (known === null || prefer === 'registry') return false
  switch (planLookup(known, policy)) {
    case 'answered':
      if (prefer === 'service') return true
      return !isOfSample && (known.answeredAtMs ?? Infinity) < answer.answeredAtMs
    case 'poll':
    case 'uncertain':
      return !isOfSample
    case 'submit':
    case 'failed':
    case 'invalid':
      return false
  }
}
