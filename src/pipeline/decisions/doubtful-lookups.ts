import { matchedConfidenceMin } from '../../contract/result.js'
import type { CheckpointReader, LookupId } from '../checkpoint/checkpoint.js'
import { confidenceOfLine } from '../rules/answer-line.js'
import { isDoubtful } from '../rules/doubtful.js'
import { lineVersions } from '../rules/stage-lines.js'

/** Those of the lookups whose answer is doubtful. Lines are read only where the outcome alone does not tell. */
export function doubtfulAmong(
  ids: readonly LookupId[],
  reader: Pick<CheckpointReader, 'outcomes' | 'answered'>,
  threshold: number,
): LookupId[] {
  const outcomes = reader.outcomes(ids)
  const open = ids.filter((_, at) => isOpen(outcomes[at] ?? null, threshold))
  const lines = new Map(reader.answered(open, lineVersions).map((line, at) => [open[at], line?.line]))
  return ids.filter((id, at) => {
    const line = lines.get(id)
    const confidence = line === undefined ? null : confidenceOfLine(line.toString())
    return isDoubtful({ state: 'answered', outcome: outcomes[at] ?? null, confidence }, threshold)
  })
}

/** Whether it takes the confidence to tell: matches have one of 80 and more, partial ones less (interface). */
function isOpen(outcome: string | null, threshold: number): boolean {
  if (outcome === 'matched') return threshold > matchedConfidenceMin
  return outcome === 'partial_match' && threshold < matchedConfidenceMin
}
