import { beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../src/service/limits.js'
import { sendHead } from '../support/raw-http.js'
import {
  entitySuggestions,
  manifestShape,
  propertySuggestions,
  proposalShape,
  typeSuggestions,
} from '../support/reconciliation.js'
import { startTestService, type TestService } from '../support/test-service.js'

let it: TestService
beforeAll(async () => {
  it = await startTestService({ version: '1.2.3', reconciliation: { access: null, origins: [] } })
})

describe('the manifest', () => {
  test('says what is spoken, what the ids are, and how much goes into a batch', async () => {
    const manifest = manifestShape.parse((await it.nobody.get('/reconcile')).json)
    expect(manifest).toMatchObject({
      versions: ['0.2'],
      name: 'Companies (enrich)',
      identifierSpace: 'urn:enrich:entity:',
      schemaSpace: 'https://schema.org/Organization',
      serviceVersion: '1.2.3',
      defaultTypes: [{ id: 'organization', name: 'Organization' }],
      batchSize: limits.reconciliation.batchQueriesMax,
    })
  })

  test('is there whatever parameter against caches comes with it, and for HEAD', async () => {
    const plain = await it.nobody.get('/reconcile')
    expect(plain.headers['content-type']).toBe('application/json; charset=utf-8')
    expect((await it.nobody.get('/reconcile?_=1767225600000')).text).toBe(plain.text)
    const head = await it.nobody.raw('/reconcile', { method: 'HEAD' })
    expect([head.status, head.headers['content-length']]).toEqual([200, String(plain.text.length)])
  })

  test('leads to where it was asked: each address in it answers as it should', async () => {
    const manifest = manifestShape.parse((await it.nobody.get('/reconcile')).json)
    const pathOf = (address: string) => {
      expect(new URL(address).origin).toBe(it.service.url)
      return address.slice(it.service.url.length)
    }
    const serviceOf = (of: { service_url: string; service_path: string }) =>
      pathOf(of.service_url + of.service_path)
    const { suggest, extend, preview, view } = manifest
    const read = async (path: string) => (await it.nobody.get(path)).json
    entitySuggestions.parse(await read(`${serviceOf(suggest.entity)}?prefix=a`))
    propertySuggestions.parse(await read(`${serviceOf(suggest.property)}?prefix=a`))
    typeSuggestions.parse(await read(`${serviceOf(suggest.type)}?prefix=a`))
    proposalShape.parse(await read(`${serviceOf(extend.propose_properties)}?type=organization`))
    for (const { url } of [preview, view]) {
      const reply = await it.nobody.get(pathOf(url.replace('{{id}}', 'siq_acme')))
      expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(reply.text).toContain('<h1><bdi>Acme Trading Limited</bdi></h1>')
    }
  })

  test.each([
    [{ host: 'localhost:9000' }, 'http://localhost:9000'],
    [{ host: '[::1]:8787' }, 'http://[::1]:8787'],
    [{ host: 'localhost', 'x-forwarded-proto': 'https' }, 'https://localhost'],
  ])('asked with %j it leads to %s', async (headers, origin) => {
    const { body } = await sendHead(it.service, 'GET /reconcile', headers)
    const { view, suggest } = manifestShape.parse(JSON.parse(body))
    expect(view.url).toBe(`${origin}/reconcile/view?id={{id}}`)
    expect(suggest.entity.service_url).toBe(origin)
  })

  test('writes no name that could end its JSON', async () => {
    const open = await startTestService({
      listen: { host: '0.0.0.0', port: 0 },
      reconciliation: { access: null, origins: [] },
    })
    const target = { host: '127.0.0.1', port: open.service.port }
    const { body } = await sendHead(target, 'GET /reconcile', { host: 'x"><script>' })
    expect(manifestShape.parse(JSON.parse(body)).view.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/reconcile/)
  })
})

test('the page that leads to everything leads to it', async () => {
  expect((await it.nobody.get('/')).json).toMatchObject({ links: { reconciliation: '/reconcile' } })
  const without = await startTestService()
  expect((await without.nobody.get('/')).json['links']).not.toHaveProperty('reconciliation')
})

test('the document of the interface is of the interface alone', async () => {
  expect((await it.nobody.get('/openapi.json')).text).not.toContain('/reconcile')
})

test('other methods are a 405, as of every page', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    expect((await it.nobody.raw('/reconcile', { method })).status).toBe(405)
  expect((await it.nobody.raw('/reconcile/suggest/type', { method: 'POST' })).status).toBe(405)
})
