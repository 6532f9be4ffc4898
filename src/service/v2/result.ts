import { matchedConfidenceMin } from '../../contract/outcome-rules.js'
import type { OutcomeStatusV2, ResultV2 } from '../../contract/resolution-v2.js'
import type { JobResult } from '../../contract/result.js'
import { unreachable } from '../../core/errors.js'
import { flatCandidate, flatEntity } from '../flat-entity.js'

/** A result as the end of a run is stored, and `conclude` wrote it: that of v3, without its envelope. */
type StoredResult = Omit<JobResult, 'request_id' | 'basis'>

/**
 * The v2 form of what research found, in the order of the interface ("v2 resolution result"). `stored` is the
 * JSON text of a completed run; the same text gives the same body at every poll.
 */
export function resultV2Of(stored: string, requestId: ResultV2['request_id']): ResultV2 {
  const found = JSON.parse(stored) as StoredResult
  const { query, from_cache, updated_at, resolved_at, cache_hit_type } = found.metadata
  const { mode, name, context, location, classification } = query
  return {
    request_id: requestId,
    status: statusOf(found),
    type: found.type,
    subtype: found.subtype,
    confidence: found.match_confidence,
    entity: found.entity === null ? null : flatEntity(found.entity),
    candidate: found.candidate === null ? null : flatCandidate(found.candidate),
    factors: found.factors.map(({ code, type, impact, description }) => ({
      code,
      type,
      impact,
      description,
    })),
    actions: found.actions,
    metadata: {
      query: { mode, name, context, location, classification },
      from_cache,
      updated_at,
      resolved_at,
      cache_hit_type,
    },
  }
}

/** v2 does not know `merged`: the canonical company is the answer where it came with it, else there is none. */
function statusOf({ status, entity, match_confidence: confidence }: StoredResult): OutcomeStatusV2 {
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
      throw new Error('research that failed has no result in v2')
    default:
      return unreachable(status)
  }
}
