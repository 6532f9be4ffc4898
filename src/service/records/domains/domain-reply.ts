import type { DomainReply } from '../../../contract/domain.js'
import type { CallId } from '../../../contract/ids.js'
import { buildMetadataOf, type EventData, type StoredBuild } from '../builds/build.js'
import { domainResultIn } from './domain-build.js'

/** What a read answers at the end of the build. */
export const domainEventData: EventData = (build, { callId }) => domainReplyOf(build, callId)

/** v3 has no word for a record that is being refreshed, which is held, nor for one that failed. */
export function domainReplyOf(build: StoredBuild, callId: CallId): DomainReply {
  const { status, message } = stateOf(build)
  const isHeld = status === 'complete' && build.result !== null
  return {
    domain: build.subject,
    status,
    message,
    request_id: callId,
    metadata: buildMetadataOf(build),
    data: isHeld ? domainResultIn(build.result) : null,
  }
}

function stateOf(build: StoredBuild): Pick<DomainReply, 'status' | 'message'> {
  switch (build.state) {
    case 'building':
      return { status: 'building', message: 'Research is running. Ask again in 5 to 10 seconds.' }
    case 'failed':
      return { status: 'pending', message: failureMessage(build) }
    case 'refreshing':
    case 'complete':
      return { status: 'complete', message: null }
  }
}

export function failureMessage({ failure }: Pick<StoredBuild, 'failure'>): string {
  return `The last research failed: ${failure ?? 'internal error'}. A request after a minute begins it again.`
}
