import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { runAcceptedLenient, runObjectLenient } from '../../src/contract/result.js'
import {
  strangeMatch,
  strangeValues,
  startStrangeService,
  type StrangeService,
  type StrangeServiceOptions,
} from '../support/strange-service.js'
import { connect, kickoffPath, type ServiceClient } from '../support/service-client.js'

let service: StrangeService
afterEach(() => service.close())

async function start(options: StrangeServiceOptions = {}): Promise<ServiceClient> {
  service = await startStrangeService(options)
  return connect(service.baseUrl, service.apiKey)
}

async function kickOff(client: ServiceClient, name: string): Promise<string> {
  const reply = await client.post(kickoffPath, { name, include: 'basis', custom_id: 'row 1' })
  expect(reply.status).toBe(202)
  return runAcceptedLenient.parse(reply.json).run_id
}

describe('the strange service', () => {
  test('a run is pending with 200, then Completed, and says what no enumeration names', async () => {
    const client = await start({ answers: { Acme: strangeMatch('Acme SE') } })
    const runId = await kickOff(client, 'Acme')
    const pending = await client.get(`/v3/runs/${runId}?include=basis`)
    expect(pending.status).toBe(200)
    expect(runObjectLenient.parse(pending.json).status).toBe(strangeValues.runStatus)
    const ended = runObjectLenient.parse((await client.get(`/v3/runs/${runId}?include=basis`)).json)
    expect(ended).toMatchObject({
      status: 'Completed',
      custom_id: 'row 1',
      data: {
        status: 'matched',
        type: strangeValues.entityType,
        entity: { legal_name: 'Acme SE', facets: { legal_form: strangeValues.legalForm } },
        factors: [{ code: strangeValues.factorCode }],
        basis: [{ citations: [{ authority_tier: '1' }] }],
      },
    })
    expect(ended.data).toMatchObject({ entity: { identifiers: [{ type: 'cik', value: '320193' }, {}] } })
    expect(JSON.stringify(ended.data)).not.toContain('cache_hit_type')
  })

  test('a name not in the table is a no_match, and one that fails is Failed without data', async () => {
    const client = await start({ answers: { Broken: 'fails' }, runTakes: { polls: 1 } })
    const unknown = await client.get(`/v3/runs/${await kickOff(client, 'Nobody')}`)
    expect(unknown.json).toMatchObject({ status: 'Completed', data: { status: 'no_match', entity: null } })
    const failed = await client.get(`/v3/runs/${await kickOff(client, 'Broken')}`)
    expect(failed.json).toMatchObject({ status: 'Failed' })
  })

  test('a body is gzip only if that was asked for', async () => {
    const client = await start()
    const plain = await client.get('/v3/runs/run_1')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const zipped = await request(`${service.baseUrl}/v3/runs/run_1`, {
      headers: { apikey: service.apiKey, 'accept-encoding': 'gzip' },
    })
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(Buffer.from(await zipped.body.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
  })

  test('a fault before acceptance bills nothing, one after it bills and loses only the answer', async () => {
    const faults = ['reset', 'accept_then_reset', { status: 503, headers: { 'retry-after': '1' } }] as const
    const client = await start({ faults: ({ number }) => faults[number - 1] })
    await expect(client.post(kickoffPath, { name: 'Acme' })).rejects.toThrow()
    expect(service.runs).toHaveLength(0)
    await expect(client.post(kickoffPath, { name: 'Acme', custom_id: 'lost' })).rejects.toThrow()
    expect(service.runs.map(({ customId }) => customId)).toEqual(['lost'])
    const refused = await client.post(kickoffPath, { name: 'Acme' })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect((await client.post(kickoffPath, { name: 'Acme' })).status).toBe(202)
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array.from({ length: 4 }, () => `POST ${kickoffPath}`),
    )
  })

  test('a request that hangs gets no answer until the caller gives up', async () => {
    await start({ faults: () => 'hang' })
    const caller = new AbortController()
    const reply = request(`${service.baseUrl}/v3/runs/run_1`, { signal: caller.signal })
    const isRejected = expect(reply).rejects.toThrow()
    await expect.poll(() => service.requests).toHaveLength(1)
    caller.abort()
    await isRejected
  })
})
