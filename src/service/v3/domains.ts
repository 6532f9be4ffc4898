import type { DomainReply } from '../../contract/domain.js'
import type { CallId } from '../../contract/ids.js'
import type { Credit } from '../accounts/credit.js'
import { buildMetadataOf, type StoredBuild } from '../builds/build.js'
import type { EventData } from '../builds/builds.js'
import { askedDomain } from '../domains/asked-domain.js'
import { domainResultIn } from '../domains/domain-build.js'
import type { Answer, Call, Handlers } from '../mount.js'
import { waiterOf, type RecordParts } from './entities.js'

interface DomainParts extends Pick<RecordParts, 'builds' | 'gate' | 'clock' | 'random'> {
  readonly credit: Credit
}

interface Asked {
  readonly domain: string
  readonly webhook_url?: string | undefined
}

/**
 * What is known of a domain (interface: "v3 domain intelligence"). The request that is the first ever to ask
 * for a domain is charged a unit; whoever comes later reads what was built, or waits for it, for nothing.
 */
export function domainHandlers(parts: DomainParts): Pick<Handlers, 'readDomain' | 'requestDomain'> {
  const { builds, gate, credit } = parts
  const answer = async (call: Pick<Call, 'caller' | 'callId'>, asked: Asked): Promise<Answer> => {
    const domain = askedDomain(asked.domain)
    const waiter = waiterOf(call, await gate(asked.webhook_url), parts)
    const demand = (chargedAccountNumber?: number) =>
      builds.demand('domain', domain, {
        waiter,
        ...(chargedAccountNumber === undefined ? {} : { chargedAccountNumber }),
      })
    const isFirst = builds.read('domain', domain) === null
    const build = isFirst
      ? await credit.charge(call.caller, () => Promise.resolve(demand(call.caller.accountNumber)))
      : demand()
    return { status: 200, body: replyOf(build, call.callId) }
  }
  return {
    readDomain: (call) => answer(call, call.query),
    requestDomain: (call) => answer(call, call.body),
  }
}

/** What a read answers at the end of the build. */
export const domainEventData: EventData = (build, { callId }) => replyOf(build, callId)

/** v3 has no word for a record that is being refreshed, which is held, nor for one that failed. */
function replyOf(build: StoredBuild, callId: CallId): DomainReply {
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
