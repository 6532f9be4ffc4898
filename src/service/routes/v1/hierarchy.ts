import type { HierarchyData, HierarchyReply } from '../../../contract/hierarchy.js'
import type { CallId, EntityId } from '../../../contract/ids.js'
import { andThen, type Awaitable, type Deferrable } from '../../../core/awaitable.js'
import type { Answer, Handlers } from '../../http/mount.js'
import type { Knowledge } from '../../knowledge.js'
import { isoOf, type StoredBuild } from '../../records/builds/build.js'
import type { Builds } from '../../records/builds/builds.js'

/**
 * Research of ownership (interface: "Hierarchy"). Reading never begins it and is 200 in every state, an
 * unknown id being one whose research was never asked for. A request begins it, or begins it anew; while it
 * is under way, further ones change nothing.
 */
export function hierarchyHandlers(
  knowledge: Pick<Knowledge, 'entity'>,
  builds: Pick<Deferrable<Builds>, 'read' | 'start'>,
): Pick<Handlers, 'readHierarchy' | 'readUltimateParent' | 'requestHierarchy'> {
  // A merged company has the hierarchy of the one it was merged into.
  const subjectOf = (id: EntityId) => knowledge.entity(id)?.mergedInto ?? id
  const read = ({ callId, params }: { callId: CallId; params: { entity_id: EntityId } }): Awaitable<Answer> =>
    andThen(builds.read('hierarchy', subjectOf(params.entity_id)), (build) => ({
      status: 200,
      body: replyOf(params.entity_id, build, callId),
    }))
  return {
    readHierarchy: read,
    readUltimateParent: read,
    requestHierarchy: ({ callId, params }) =>
      andThen(builds.start('hierarchy', subjectOf(params.entity_id)), (build) => ({
        status: 202,
        body: replyOf(params.entity_id, build, callId),
      })),
  }
}

function replyOf(entityId: EntityId, build: StoredBuild | null, callId: CallId): HierarchyReply {
  return {
    entity_id: entityId,
    ...stateOf(build),
    last_researched_at: build === null ? null : isoOf(build.updatedAtMs),
    request_id: callId,
  }
}

function stateOf(build: StoredBuild | null): Pick<HierarchyReply, 'status' | 'data' | 'message'> {
  if (build === null) {
    const message = 'Nobody has asked for this research. A POST to the hierarchy begins it.'
    return { status: 'not_started', data: null, message }
  }
  switch (build.state) {
    case 'building':
    case 'refreshing':
      return {
        status: 'in_progress',
        data: null,
        message: 'The research goes on. Ask again in 5 to 10 seconds.',
      }
    case 'failed':
      return {
        status: 'failed',
        data: null,
        message: `The research failed: ${build.failure ?? 'internal error'}`,
      }
    case 'complete': {
      // What an ill-fated repetition leaves is the result there was.
      const message =
        build.failure === null
          ? null
          : `This is the research before the last one, which failed: ${build.failure}`
      const data = build.result === null ? null : (JSON.parse(build.result) as HierarchyData)
      return { status: 'completed', data, message }
    }
  }
}
