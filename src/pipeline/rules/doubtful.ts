import type { LookupState } from './lookup-state.js'

/** Where the user sets none: what the interface calls a match is not doubtful. */
export const doubtThresholdByDefault = 80

/** What is known of a lookup's answer. */
export interface AnsweredLookup {
  readonly state: LookupState
  /** Of the last answer, lower case. */
  readonly outcome: string | null
  readonly confidence: number | null
}

/** Nothing sure was found, however sure the service is of that. */
const unsureOutcomes: ReadonlySet<string> = new Set(['inconclusive', 'no_match', 'not_found'])

/**
 * Whether a person should look at an answer: nothing sure was found, or a company whose confidence is below the
 * threshold (0 to 100). Where nothing was answered there is nothing to look at.
 */
export function isDoubtful({ state, outcome, confidence }: AnsweredLookup, threshold: number): boolean {
  if (state !== 'answered' || outcome === null) return false
  if (unsureOutcomes.has(outcome)) return true
  if (outcome === 'partial_match') return confidence === null || confidence < threshold
  return outcome === 'matched' && confidence !== null && confidence < threshold
}
