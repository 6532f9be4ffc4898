import type { CheckpointReader, LookupId } from '../checkpoint/checkpoint.js'
import { isDoubtfulLine, takesConfidence } from '../rules/doubtful-line.js'
import { lineVersions } from '../rules/stage-lines.js'

/** Those of the lookups whose answer is doubtful. */
export function doubtfulAmong(
  ids: readonly LookupId[],
  reader: Pick<CheckpointReader, 'outcomes' | 'answered'>,
  threshold: number,
): LookupId[] {
  const outcomes = reader.outcomes(ids)
  const open = ids.filter((_, at) => takesConfidence(outcomes[at] ?? null, threshold))
  const answered = reader.answered(open, lineVersions)
  const lines = new Map(open.map((id, at) => [id, answered[at]?.line]))
  const lineOf = (id: LookupId) => lines.get(id)?.toString() ?? null
  return ids.filter((id, at) => isDoubtfulLine(outcomes[at] ?? null, () => lineOf(id), threshold))
}
