import type { ResultV2 } from '../../../contract/resolution-v2.js'
import type { JobResult } from '../../../contract/result.js'
import { flatCandidate, flatEntity } from '../../records/flat-entity.js'
import { plainStatusOf } from '../../records/plain-status.js'

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
    status: plainStatusOf(found),
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
