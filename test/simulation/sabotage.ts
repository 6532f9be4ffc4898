import type { Transport, TransportRequest } from '../../src/client/transport.js'
import { entityBody, hierarchyBody, type AskedRecord } from './record-bodies.js'
import { limitOf } from './simulated-records.js'
import type { RecordLimit } from './record-weather.js'

/** Rules of the code under test, broken on purpose where its requests leave: a judge who does not see it proves nothing. */

const isPost = ({ method }: TransportRequest) => method === 'POST'

/** What was lost is sent again, and nobody asks before what became of it. */
export const sentAgainAfterLoss =
  (limit: RecordLimit) =>
  (transport: Transport): Transport => ({
    ...transport,
    exchange: async (request) => {
      const first = await transport.exchange(request)
      const isLost = first.kind === 'no_reply' && first.sent === 'maybe'
      return isLost && isPost(request) && limitOf(request) === limit ? transport.exchange(request) : first
    },
  })

/** A domain that was never asked for is read: that is billed as well. */
export const readBeforeAsked = (transport: Transport): Transport => ({
  ...transport,
  exchange: async (request) => {
    if (!isPost(request) || limitOf(request) !== 'domains') return transport.exchange(request)
    const { domain = '' } = JSON.parse(request.body ?? '{}') as { domain?: string }
    await transport.exchange({ method: 'GET', path: `/v3/domain-intelligence?domain=${domain}`, headers: {} })
    return transport.exchange(request)
  },
})

/** The answer to one company comes out as that of another, and nothing in it tells. */
export const answeredWithAnother = (transport: Transport): Transport => ({
  ...transport,
  exchange: async (request) => {
    const exchange = await transport.exchange(request)
    const [, name] = /\/(siq_firm_\d+)(?:\/hierarchy)?(?:\?|$)/.exec(request.path) ?? []
    if (isPost(request) || exchange.kind !== 'reply' || exchange.status !== 200 || name === undefined)
      return exchange
    const record = (kind: AskedRecord['kind']): AskedRecord => ({
      kind,
      name: 'siq_firm_of_another',
      firm: null,
      fate: 'complete',
      isHeld: true,
      begunAtMs: 0,
      doneAtMs: 0,
      doneAt: new Date(0).toISOString(),
    })
    const body =
      limitOf(request) === 'entities'
        ? { ...entityBody(record('entity'), true), status: 'merged', merged_into: 'siq_firm_of_another' }
        : { ...hierarchyBody(record('hierarchy'), true), entity_id: name }
    return { ...exchange, body }
  },
})

/** Each read is sent three times. */
export const readThrice = (transport: Transport): Transport => ({
  ...transport,
  exchange: async (request) => {
    if (!isPost(request)) for (let more = 0; more < 2; more++) await transport.exchange(request)
    return transport.exchange(request)
  },
})
