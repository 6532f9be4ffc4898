import type { Credit } from '../../accounts/credit.js'
import { askedDomain } from '../../records/domains/asked-domain.js'
import { domainReplyOf } from '../../records/domains/domain-reply.js'
import type { Answer, Call, Handlers } from '../../http/mount.js'
import { waiterOf, type RecordDeps } from './entities.js'

interface DomainDeps extends Pick<RecordDeps, 'builds' | 'gate' | 'clock' | 'random'> {
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
export function domainHandlers(parts: DomainDeps): Pick<Handlers, 'readDomain' | 'requestDomain'> {
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
    return { status: 200, body: domainReplyOf(build, call.callId) }
  }
  return {
    readDomain: (call) => answer(call, call.query),
    requestDomain: (call) => answer(call, call.body),
  }
}
