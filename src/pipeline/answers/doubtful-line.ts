import { matchedConfidenceMin } from '../../contract/result.js'
import { readLineConfidence } from './answer-line.js'
import { isDoubtful } from '../lookups/lookup-state.js'

/** Whether a row's answer is doubtful. Reads the line only if the outcome is not sufficient. */
export function isDoubtfulLine(
  outcome: string | null,
  line: () => string | null,
  threshold: number,
): boolean {
  const text = shouldReadConfidence(outcome, threshold) ? line() : null
  const confidence = text === null ? null : readLineConfidence(text)
  return isDoubtful({ state: 'answered', outcome, confidence }, threshold)
}

/** Matches have a confidence of at least 80, partial matches less (interface: "Resolution outcome meanings"). */
export function shouldReadConfidence(outcome: string | null, threshold: number): boolean {
  if (outcome === 'matched') return threshold > matchedConfidenceMin
  return outcome === 'partial_match' && threshold < matchedConfidenceMin
}
