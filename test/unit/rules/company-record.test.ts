import { describe, expect, it, test } from 'vitest'
import type { Exchange } from '../../../src/core/http-exchange.js'
import { judgeCompany } from '../../../src/app/hosted-candidates.js'

const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Exchange => ({
  kind: 'reply',
  status,
  body,
  headers,
  bodyFault: null,
})

const entity = {
  id: 'siq_1',
  display_name: 'Acme',
  legal_name: 'Acme GmbH',
  status: 'active',
  headquarters: { address: { formatted_address: 'Bonn, Germany', country_code: 'DE' } },
  primary_legal_entity: { id: 'le_1', jurisdiction: 'de' },
  identifiers: [{ type: 'lei', value: 'HWUPKR0MPOU8FGXBT394' }],
}

describe('the record of a company', () => {
  it('gives the company as a candidate', () => {
    expect(judgeCompany(reply(200, { status: 'active', merged_into: null, entity }), 0)).toEqual({
      kind: 'found',
      company: {
        entityId: 'siq_1',
        legalEntityId: 'le_1',
        name: 'Acme',
        legalName: 'Acme GmbH',
        otherNames: [],
        status: 'active',
        place: 'Bonn, Germany',
        countryCode: 'DE',
        jurisdiction: 'de',
        url: null,
        identifiers: [{ type: 'lei', value: 'HWUPKR0MPOU8FGXBT394' }],
        confidence: null,
        evidence: [],
      },
    })
  })

  it('of a merged id is that of the company it was merged into', () => {
    const merged = reply(200, { status: 'merged', merged_into: 'siq_1', entity })
    expect(judgeCompany(merged, 0)).toMatchObject({ kind: 'found', company: { entityId: 'siq_1' } })
  })

  test.each([400, 404, 410, 422])('that is answered with %i is unknown', (status) => {
    expect(judgeCompany(reply(status, { error: { type: 'not_found' } }), 0)).toEqual({
      kind: 'found',
      company: null,
    })
  })

  test.each<[string, Exchange, object]>([
    [
      'without a reply',
      { kind: 'no_reply', sent: 'no', reason: 'refused' },
      { reason: 'refused', retryMs: null },
    ],
    ['by 401', reply(401, {}), { hint: 'check ENRICH_API_KEY' }],
    ['by 500', reply(500, {}), { reason: 'HTTP 500' }],
    ['by 429', reply(429, {}, { 'retry-after': '7' }), { retryMs: expect.any(Number) as number }],
    [
      'with a page of something else',
      reply(200, { results: [] }),
      { reason: 'the response contains no company' },
    ],
    ['without its company', reply(200, { status: 'active', entity: null }), {}],
    ['without its id', reply(200, { entity: { ...entity, id: null } }), {}],
  ])('%s it is not known', (_case, exchange, refused) => {
    expect(judgeCompany(exchange, 0)).toMatchObject({ kind: 'refused', ...refused })
  })
})
