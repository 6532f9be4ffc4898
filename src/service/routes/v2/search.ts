import { fieldLimits } from '../../../contract/limits.js'
import type { SearchReply } from '../../../contract/search.js'
import type { Clock } from '../../../platform/clock.js'
import type { Handlers } from '../../http/mount.js'
import type { Knowledge } from '../../knowledge.js'

/**
 * Instant search. There is no response cache: every query is fresh, whether it bypasses one or not. Where
 * companies cannot be looked up the knowledge gives registrations without their `entity_id`, and so do we.
 */
export function searchHandlers(knowledge: Knowledge, clock: Clock): Pick<Handlers, 'search'> {
  return {
    search: async ({ callId, query }) => {
      const startedMs = clock.monotonicMs()
      const { results, totalCount } = await knowledge.search({
        name: query.name,
        countryCode: query.country_code ?? null,
        regionCode: query.region_code ?? null,
        limit: query.limit ?? fieldLimits.searchResultsMax,
      })
      const withEntity = results.filter((result) => result.entity_id !== null)
      const alone = results.filter((result) => result.entity_id === null)
      const body: SearchReply = {
        results: [...withEntity, ...alone],
        metadata: {
          total: totalCount,
          returned: results.length,
          query_time_ms: Math.round(clock.monotonicMs() - startedMs),
        },
        request_id: callId,
      }
      return { status: 200, body }
    },
  }
}
