import { entityRecord, type EntityReply } from '../../contract/entity.js'
import type { Knowledge } from '../knowledge.js'
import type { Handlers } from '../mount.js'
import { notFound } from '../refusal.js'

/**
 * The record of an entity. Every record held is complete, so no event is ever due and a `webhook_url` is
 * left unused, as the interface says of a record already held ("v3 entity record").
 */
export function entityHandlers(knowledge: Knowledge): Pick<Handlers, 'readEntity'> {
  return {
    readEntity: ({ callId, params }) => {
      const found = knowledge.entity(params.id)
      if (found === null) throw notFound('entity')
      const body: EntityReply = {
        status: found.mergedInto === null ? 'matched' : 'merged',
        merged_into: found.mergedInto,
        entity: entityRecord.parse(found.record),
        enrichment: { status: 'complete', updated_at: null },
        request_id: callId,
      }
      return { status: 200, body }
    },
  }
}
