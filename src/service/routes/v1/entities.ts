import { entityRecord } from '../../../contract/entity.js'
import type { EntityReplyV1 } from '../../../contract/entity-v1.js'
import type { EntityId } from '../../../contract/ids.js'
import { buildMetadataOf, type StoredBuild } from '../../records/builds/build.js'
import type { Builds } from '../../records/builds/builds.js'
import { entityRecordIn } from '../../records/builds/entity-build.js'
import type { Knowledge } from '../../knowledge.js'
import type { Handlers } from '../../http/mount.js'
import { internalError, Refusal } from '../../refusal.js'
import { recordV1Of } from './record-v1.js'

/**
 * The record of an entity in the form of v1. It never waits: the first read starts the build (interface:
 * "v1 entity and domain"). v1 has no word for a merge: the record is that of the canonical company.
 */
export function entityHandlersV1(knowledge: Knowledge, builds: Builds): Pick<Handlers, 'readEntityV1'> {
  return {
    readEntityV1: ({ params }) => {
      const found = knowledge.entity(params.entity_id)
      if (found === null) throw entityNotFound()
      const { id } = entityRecord.parse(found.record)
      return { status: 200, body: replyOf(params.entity_id, builds.demand('entity', id)) }
    },
  }
}

function replyOf(entityId: EntityId, build: StoredBuild): EntityReplyV1 {
  // v1 has no state for a record that cannot be made: it is the service that failed.
  if (build.state === 'failed') throw internalError()
  const { result } = build
  return {
    entity_id: entityId,
    status: build.state,
    data: result === null ? null : recordV1Of(entityRecordIn(result)),
    message: messages[build.state],
    metadata: buildMetadataOf(build),
  }
}

const messages = {
  building: 'The record is being built. Ask again in 5 to 10 seconds.',
  refreshing: 'The record is being built anew; this is the one before.',
  complete: null,
} as const

export const entityNotFound = () => {
  const message = 'no such entity'
  return new Refusal(404, 'not_found', message, { body: { message, code: 'entity_not_found' } })
}
