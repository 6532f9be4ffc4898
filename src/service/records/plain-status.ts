import { matchedConfidenceMin } from '../../contract/outcome-rules.js'
import type { OutcomeStatus } from '../../contract/enums.js'
import { unreachable } from '../../core/errors.js'

/**
 * The status of an outcome where the interface knows no `merged` and no `failed` (v2 and domains): the canonical
 * company is the answer where it came with a merge. Throws for failed research, which has no result there.
 */
export function plainStatusOf(outcome: {
  readonly status: OutcomeStatus
  readonly entity: object | null
  readonly match_confidence: number
}): Exclude<OutcomeStatus, 'merged' | 'failed'> {
  const { status, entity, match_confidence: confidence } = outcome
  switch (status) {
    case 'matched':
    case 'partial_match':
    case 'inconclusive':
    case 'no_match':
    case 'not_found':
      return status
    case 'merged':
      if (entity === null) return 'inconclusive'
      return confidence >= matchedConfidenceMin ? 'matched' : 'partial_match'
    case 'failed':
      throw new Error('research that failed has no result')
    default:
      return unreachable(status)
  }
}
