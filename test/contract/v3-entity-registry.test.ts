import { describe, expect, test } from 'vitest'
import { domainReplyV1, domainReply } from '../../src/contract/domain.js'
import { entityReply, type EntityRecord } from '../../src/contract/entity.js'
import { entityReplyV1 } from '../../src/contract/earlier-versions.js'
import { createKnowledge } from '../../src/app/registry-adapter.js'
import { importCsvText } from '../../src/registry/import/import-csv.js'
import { openRegistry } from '../../src/registry/registry.js'
import { untilBuilt } from '../support/builds.js'
import { startTestService } from '../support/test-service.js'

/** One company, of which a register tells all it can. */
const register = `id,name,status,street_address,city,region,postal_code,country,jurisdiction,registration_id,registration_authority,lei,cik,ein,ticker,sic,website
ibm,International Business Machines Corporation,active,One New Orchard Road,Armonk,NY,10504,US,US-NY,123456,RA000628,VGRQXHF3J8VDLUA7XE92,51143,13-0871985,ibm,3570,https://www.ibm.com
oslo,Nordlys Kabel AS,active,Storgata 1,Somewhere,No such region,0155,NO,no,987654321,RA000472,,,,,,
`

const registry = openRegistry(':memory:')
importCsvText(registry, Buffer.from(register), { fileName: 'r.csv', fileDateMs: 0, sourceName: 'sample' })
const knowledge = createKnowledge(registry)
const idOf = (name: string) => {
  const { entity } = registry.resolve({ name, location: null, context: null })
  if (entity === null) throw new Error(`${name} is not in the register`)
  return entity.id
}
const start = () => startTestService({ knowledge })

const recordOf = async (name: string): Promise<EntityRecord> => {
  const it = await start()
  const reply = entityReply.parse((await untilBuilt(it.alice, `/v3/entities/${idOf(name)}`)).json)
  if (reply.entity === null) throw new Error('there is no record')
  return reply.entity
}

describe('a record made of a register', () => {
  test('E3-11 E3-12 a state that is surely one has its ISO 3166-2 code, any other has none', async () => {
    const ibm = await recordOf('International Business Machines')
    expect(ibm.headquarters.address).toMatchObject({ state: 'NY', state_code: 'US-NY', country_code: 'US' })
    const oslo = await recordOf('Nordlys Kabel')
    expect(oslo.headquarters.address).toMatchObject({ state: 'No such region', state_code: null })
  })

  test('E3-13 an address without a line of its own is put together from its parts', async () => {
    const { headquarters } = await recordOf('International Business Machines')
    expect(headquarters.address.formatted_address).toBe(
      'One New Orchard Road, Armonk, NY 10504, United States',
    )
  })

  test('E3-18 registrations and tax numbers have a jurisdiction, what holds in the world has none', async () => {
    const { identifiers } = await recordOf('International Business Machines')
    const jurisdictions = Object.fromEntries(
      identifiers.map(({ type, jurisdiction }) => [type, jurisdiction]),
    )
    expect(jurisdictions).toEqual({
      registration_id: 'US-NY',
      lei: null,
      cik: null,
      ein: 'US',
      ticker: null,
    })
  })

  test('E3-19 the authority of a registration is reported whole', async () => {
    const { primary_legal_entity: primary } = await recordOf('International Business Machines')
    expect(primary.registration_authority).toMatchObject({ id: 628, code: 'RA000628', country_code: 'US' })
  })

  test('E3-23 codes of industries stand in the schemes, and nowhere else', async () => {
    const { classification, industry } = await recordOf('International Business Machines')
    expect(industry.schemes.sic).toMatchObject([{ code: '3570', is_primary: true }])
    expect(JSON.stringify(classification)).not.toMatch(/\d/)
  })

  test('VER-01 E1-07 E1-08 E1-13 v1 tells the same of the same company', async () => {
    const it = await start()
    const id = idOf('International Business Machines')
    const reply = entityReplyV1.parse((await untilBuilt(it.alice, `/v1/entities/${id}`)).json)
    expect(reply.data).toMatchObject({
      id,
      status: 'active',
      headquarters: { address: { state_code: 'US-NY' } },
      primary_legal_entity: { jurisdiction: { country_code: 'US', state_province: 'US-NY' } },
      attributes: { website: 'https://www.ibm.com', domain: 'ibm.com', stock_ticker: 'IBM', is_public: true },
      classification: { sic_codes: [{ code: '3570', is_primary: true }] },
    })
  })

  test('D3-02 D1-04 its website leads back to it, in v3 and in v1', async () => {
    const it = await start()
    const v3 = domainReply.parse((await untilBuilt(it.alice, '/v3/domain-intelligence?domain=ibm.com')).json)
    expect(v3.data).toMatchObject({
      status: 'matched',
      entity: { id: idOf('International Business Machines') },
      domain_intelligence: { domain_context: { domain_type: 'corporate_website' } },
    })
    const v1 = domainReplyV1.parse(
      (await it.alice.get('/v1/domain-intelligence?domain=sales%40ibm.com')).json,
    )
    expect(v1).toMatchObject({
      domain: 'ibm.com',
      status: 'complete',
      data: { entity: { id: v3.data?.entity?.id } },
    })
  })

  test('E1-03 an import makes what was built before old', async () => {
    const growing = openRegistry(':memory:')
    const importAs = (sourceName: string, text: string) => {
      importCsvText(growing, Buffer.from(text), { fileName: 'r.csv', fileDateMs: 0, sourceName })
    }
    importAs('one', register)
    const it = await startTestService({ knowledge: createKnowledge(growing) })
    const path = `/v1/entities/${idOf('International Business Machines')}`
    const before = entityReplyV1.parse((await untilBuilt(it.alice, path)).json)
    expect(before.data?.headquarters.address.city).toBe('Armonk')
    importAs('one', register.replace('Armonk', 'Albany'))
    expect(entityReplyV1.parse((await it.alice.get(path)).json)).toMatchObject({
      status: 'refreshing',
      data: before.data,
    })
    const after = entityReplyV1.parse((await untilBuilt(it.alice, path)).json)
    expect(after).toMatchObject({
      status: 'complete',
      data: { headquarters: { address: { city: 'Albany' } } },
    })
  })
})
