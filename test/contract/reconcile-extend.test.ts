import { beforeAll, describe, expect, test } from 'vitest'
import type { EntityId } from '../../src/contract/enums.js'
import type { Ownership } from '../../src/service/knowledge.js'
import { limits } from '../../src/service/limits.js'
import { reconciliationProperties } from '../../src/service/reconciliation/manifest.js'
import { fakeKnowledge, fullRecord, sampleEntity, sampleRecord } from '../support/fake-knowledge.js'
import { extensionShape, postForm, refusalOf } from '../support/reconciliation.js'
import { startTestService, type TestService } from '../support/test-service.js'

const company = (id: string, name: string): Ownership['entities'][number] => ({
  id,
  name,
  country_code: 'GB',
  jurisdiction: 'gb',
  organization_type: 'business',
  is_publicly_traded: false,
})
const owns = (from: string, to: string): Ownership['relationships'][number] => ({
  id: `${from}-${to}`,
  from,
  to,
  relationship_type: 'parent_of',
  ownership_percentage: null,
  established_date: null,
})

const acme = {
  ...fullRecord(),
  identifiers: [
    ...sampleEntity().identifiers,
    { type: 'cik' as const, value: '0000320193', jurisdiction: null },
    { type: 'sec_cik' as const, value: '0000320193', jurisdiction: null },
    { type: 'bic' as const, value: 'ACMEGB2LXXX', jurisdiction: null },
    { type: 'bic' as const, value: 'ACMEGB2LLON', jurisdiction: null },
  ],
}
const named = {
  ...sampleRecord(sampleEntity({ id: 'siq_named' as EntityId })),
  parent_entity: { name: 'Group' },
}

const knowledge = fakeKnowledge({
  entities: [acme, named],
  merged: { siq_older: 'siq_acme' },
  ownership: (id) =>
    id === 'siq_acme'
      ? {
          targetId: 'siq_acme',
          ultimateParentId: null,
          entities: [
            company('siq_acme', 'Acme'),
            company('siq_group', 'Acme Group'),
            company('c3', 'The Trust'),
          ],
          relationships: [owns('siq_group', 'siq_acme'), owns('c3', 'siq_group')],
          evidence: [],
        }
      : null,
})

let it: TestService
beforeAll(async () => {
  it = await startTestService({ knowledge, reconciliation: { access: null, origins: [] } })
})

async function extend(ids: readonly string[], properties: readonly string[]) {
  const query = JSON.stringify({ ids, properties: properties.map((id) => ({ id })) })
  const reply = await postForm(it.nobody, { extend: query })
  expect(reply.status, reply.text).toBe(200)
  return extensionShape.parse(reply.json)
}

describe('values of a company', () => {
  test('are those that its record states', async () => {
    const { meta, rows } = await extend(
      ['siq_acme'],
      reconciliationProperties.map(({ id }) => id),
    )
    expect(meta).toEqual(
      reconciliationProperties.map(({ id, name }) => ({
        id,
        name,
        ...(id.endsWith('parent') ? { type: { id: 'organization', name: 'Organization' } } : {}),
      })),
    )
    expect(rows['siq_acme']).toEqual({
      country: [{ str: 'United Kingdom' }],
      region: [],
      city: [{ str: 'Leeds' }],
      postal_code: [{ str: 'LS1 1AA' }],
      location: [{ str: '1 High Street, Leeds LS1 1AA, United Kingdom' }],
      street_address: [{ str: '1 High Street' }],
      lei: [{ str: '549300EXAMPLE0000001' }],
      cik: [{ str: '0000320193' }],
      registration_id: [{ str: '00000001' }],
      ein: [],
      bic: [{ str: 'ACMEGB2LXXX' }, { str: 'ACMEGB2LLON' }],
      ticker: [],
      website: [{ str: 'https://acme.example' }],
      registration_country: [{ str: 'GB' }],
      exchange: [],
      legal_name: [{ str: 'Acme Trading Limited' }],
      display_name: [{ str: 'Acme' }],
      status: [{ str: 'active' }],
      type: [{ str: 'business' }],
      legal_form: [],
      jurisdiction: [{ str: 'gb' }],
      registration_authority: [{ str: 'Companies House' }],
      founding_date: [{ date: '1949-09-17T00:00:00Z' }],
      industry: [{ str: 'Wholesale' }],
      sic: [{ str: '5099' }],
      naics: [{ str: '423' }, { str: '42' }],
      parent: [{ id: 'siq_group', name: 'Acme Group' }],
      ultimate_parent: [{ str: 'The Trust' }],
    })
  })

  test('a parent of whom nothing but the name is known is a text', async () => {
    const { rows } = await extend(['siq_named'], ['parent', 'ultimate_parent'])
    expect(rows['siq_named']).toEqual({ parent: [{ str: 'Group' }], ultimate_parent: [] })
  })

  test('of a merged id are those of the company it became; an unknown id has none', async () => {
    const { rows } = await extend(['siq_older', 'siq_nobody', 'Q42', ''], ['city'])
    expect(rows).toEqual({
      siq_older: { city: [{ str: 'Leeds' }] },
      siq_nobody: { city: [] },
      Q42: { city: [] },
      '': { city: [] },
    })
    const reply = await postForm(it.nobody, { extend: '{"ids":["__proto__"],"properties":[{"id":"city"}]}' })
    expect(reply.text).toContain('"rows":{"__proto__":{"city":[]}}')
  })

  test('can be asked by GET, and settings of columns are ignored: there are none', async () => {
    const query = encodeURIComponent(
      '{"ids":["siq_acme"],"properties":[{"id":"city","settings":{"limit":"5"}}]}',
    )
    const reply = await it.nobody.get(`/reconcile?extend=${query}`)
    expect(extensionShape.parse(reply.json).rows).toEqual({ siq_acme: { city: [{ str: 'Leeds' }] } })
  })

  test('asked for twice are told once; of nothing there is nothing', async () => {
    expect((await extend(['siq_acme', 'siq_acme'], ['city', 'city'])).meta).toHaveLength(1)
    expect(await extend([], [])).toEqual({ meta: [], rows: {} })
    expect(await extend(['siq_acme'], [])).toEqual({ meta: [], rows: { siq_acme: {} } })
  })
})

test.each<[unknown, string]>([
  ['x', 'extend: a JSON object is needed'],
  [{}, 'extend.ids '],
  [{ ids: ['siq_acme'] }, 'extend.properties '],
  [{ ids: [7], properties: [] }, 'extend.ids.0 '],
  [{ ids: ['siq_acme'], properties: ['city'] }, 'extend.properties.0 '],
  [{ ids: ['siq_acme'], properties: [{ id: 'P31' }] }, 'there is no property \\"P31\\"'],
  [{ ids: Array(limits.reconciliation.extendedIdsMax + 1).fill('siq_acme'), properties: [] }, 'extend.ids '],
  [{ ids: [], properties: Array(51).fill({ id: 'city' }) }, 'extend.properties '],
])('%j is refused', async (query, message) => {
  const reply = await postForm(it.nobody, { extend: JSON.stringify(query) })
  expect(refusalOf(reply)).toMatchObject({ status: 400, type: 'bad_request' })
  expect(reply.text).toContain(message)
})
