import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kickoffBody } from '../../../src/contract/result.js'
import { apiKey, clientTo, serve } from './loopback.js'
import { forAllAsync } from '../../support/properties.js'

const echo = () =>
  serve((response) => {
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"run_id":"run_1"}')
  })

describe('what a call sends', () => {
  test('a kickoff is one POST with the body as it is, the key in one header', async () => {
    const server = await echo()
    const body = kickoffBody.parse({ name: 'Müller & Söhne "株"', include: 'basis', custom_id: 'enr_1' })
    await clientTo(server.url).kickoffRun(body)
    expect(server.heard).toHaveLength(1)
    const heard = server.heard[0]!
    expect(heard).toMatchObject({ method: 'POST', url: '/v3/entity-resolution/async' })
    expect(JSON.parse(heard.body)).toEqual(body)
    expect(heard.headers).toMatchObject({
      apikey: apiKey,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'enrich/test',
      'accept-encoding': 'identity',
    })
    expect(JSON.stringify({ ...heard, headers: { ...heard.headers, apikey: '' } })).not.toContain(apiKey)
  })

  test('a poll and an entity read are GETs below the path of the base URL', async () => {
    const server = await echo()
    const client = clientTo(`${server.url}/tenant/a`)
    await client.pollRun('run_1', { include: 'basis' })
    await client.pollRun('run_1', {})
    await client.readEntity('siq_1')
    expect(server.heard.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/tenant/a/v3/runs/run_1?include=basis', ''],
      ['GET', '/tenant/a/v3/runs/run_1', ''],
      ['GET', '/tenant/a/v3/entities/siq_1', ''],
    ])
  })

  test('an id is one segment of the path, whatever is in it', async () => {
    const server = await echo()
    const client = clientTo(server.url)
    const id = 'a/../b?c=d#e %2F ä\r\nx-evil: 1'
    await client.pollRun(id, {})
    expect(server.heard[0]?.url).toBe('/v3/runs/a%2F..%2Fb%3Fc%3Dd%23e%20%252F%20%C3%A4%0D%0Ax-evil%3A%201')
    expect(server.heard[0]?.headers).not.toHaveProperty('x-evil')
  })

  test('ID-22 any id a server may have made is asked for, once, and comes through whole', async () => {
    const server = await echo()
    const client = clientTo(server.url)
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 40 })
    const id = units.map((codes) => String.fromCharCode(...codes)).filter((text) => !/^\.{1,2}$/.test(text))
    await forAllAsync(50, [id], async (runId) => {
      server.heard.length = 0
      await client.pollRun(runId, {})
      expect(server.heard).toHaveLength(1)
      const segment = server.heard[0]!.url.replace('/v3/runs/', '')
      expect(decodeURIComponent(segment)).toBe(runId.toWellFormed())
    })
  })
})
