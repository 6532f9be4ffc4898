import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes, parseVersion } from '../../src/contract/routes.js'
import { openDatabaseForCommand } from '../../src/service/storage/database.js'
import { createKeys } from '../../src/service/accounts/accounts.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import { connect, type ServiceClient, type ServiceReply } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const folder = makeFolder()

const everyRoute = Object.entries(routes)
  .filter(([, { path }]) => parseVersion(path) === 'v2')
  .map(([name, { method, path }]) => ({ name, method, path: path.replace(/\{\w+\}/, 'reqa_1') }))
const refused = { error: { message: expect.any(String) as string, type: expect.any(String) as string } }

describe('refusals of v2', () => {
  test.each(everyRoute)(
    'AUTH-02 AUTH-03 AUTH-04 $name without a good key is a 401 in the v2 shape',
    async (route) => {
      const { nobody, service } = await startTestService()
      for (const headers of [{}, { apikey: '' }, { apikey: 'wrong' }, { apikey: [keys.alice, keys.alice] }]) {
        const reply = await nobody.raw(route.path, { method: route.method, headers })
        expect(reply.status).toBe(401)
        expect(Object.keys(reply.json)).toEqual(['message', 'request_id'])
        expect(reply.json).toEqual({
          message: expect.any(String),
          request_id: expect.stringMatching(/^req_/),
        })
      }
      expect(service.runCount()).toEqual({ pending: 0, completed: 0, failed: 0 })
    },
  )

  test('AUTH-07 the key is judged before the parameters', async () => {
    const { nobody } = await startTestService()
    const paths = ['/v2/search', '/v2/entity-resolution/stream', '/v2/entity-resolution/status/%ZZ']
    for (const path of paths) expect((await nobody.get(path)).status).toBe(401)
  })

  test.each([
    ['/v2/nothing', 'GET', 404],
    ['/v2', 'GET', 404],
    ['/v2/search', 'POST', 405],
    ['/v2/entity-resolution/async', 'POST', 405],
    ['/v2/entity-resolution/stream', 'DELETE', 405],
  ])('ERR-01 ERR-05 %s by %s is a %i in the v2 shape', async (path, method, status) => {
    const { alice, nobody } = await startTestService()
    const headers = { apikey: keys.alice }
    const reply = await nobody.raw(path, { method, headers })
    expect([reply.status, reply.json]).toEqual([status, refused])
    expect((await alice.get('/v2/search?name=Acme')).status).toBe(200)
  })
})

describe('limits of v2', () => {
  const headersOf = ({ headers }: ServiceReply) => [
    headers['x-ratelimit-limit-minute'],
    headers['x-ratelimit-remaining-minute'],
    headers['ratelimit-reset'],
  ]

  /** Two keys of one account, and one of another. */
  async function startLimited() {
    const dataFolder = mkdtempSync(join(folder, 'data-'))
    const clock = manualClock()
    const it = await startTestService({ rateLimits: 'spec', clock, dataFolder })
    const database = openDatabaseForCommand(dataFolder, clock.nowMs(), 'refuse')
    const ofAlice = database.prepare("SELECT account_number FROM accounts WHERE name = 'alice'").pluck()
    const { apiKey } = createKeys(database).add(ofAlice.get() as number, null, clock.nowMs())
    database.close()
    return { ...it, clock, second: connect(it.service.url, apiKey) }
  }

  const limited: [string, (client: ServiceClient) => Promise<ServiceReply>][] = [
    ['submission', (client) => client.get('/v2/entity-resolution/async?name=Acme')],
    ['status poll', (client) => client.get('/v2/entity-resolution/status/reqa_1')],
  ]

  test.each(limited)(
    'RL-05 RL-06 RL-07 RL-11 V2-18 V2-29 keys of one account share 600 a minute of the %s',
    async (_name, call) => {
      const { alice, second, bob, clock, service } = await startLimited()
      for (let used = 1; used <= 600; used++) {
        const reply = await call(used % 2 === 0 ? alice : second)
        expect(headersOf(reply)).toEqual(['600', `${600 - used}`, '60'])
        expect(reply.status).not.toBe(429)
      }
      const billedBefore = service.ledger('alice').length
      for (const client of [alice, second]) {
        const reply = await call(client)
        expect([reply.status, reply.json]).toEqual([429, { message: expect.any(String) }])
        expect(headersOf(reply)).toEqual(['600', '0', '60'])
      }
      expect(service.ledger('alice')).toHaveLength(billedBefore)
      expect((await call(bob)).status).not.toBe(429)
      clock.advance(60_000)
      expect(headersOf(await call(second))).toEqual(['600', '599', '60'])
    },
  )

  test('V2-30 RL-11 submission and poll have 600 each; search and stream have no limit a minute', async () => {
    const { alice } = await startLimited()
    const [submission, poll] = [await limited[0]?.[1](alice), await limited[1]?.[1](alice)]
    for (const reply of [submission, poll]) expect(reply && headersOf(reply)[1]).toBe('599')
    for (const path of ['/v2/search?name=Acme', '/v2/entity-resolution/stream?name=Acme']) {
      expect(headersOf(await alice.get(path))).toEqual([undefined, undefined, undefined])
    }
  })

  test('V2-17 the limit of the month is a 429 that names its reason', async () => {
    const accounts = [{ name: 'alice', apiKey: keys.alice, monthlyUnitsMax: 1 }]
    const { alice, service } = await startTestService({ accounts })
    await alice.get('/v2/entity-resolution/async?name=Acme')
    for (const route of ['async', 'stream']) {
      const reply = await alice.get(`/v2/entity-resolution/${route}?name=Acme`)
      expect(reply.status).toBe(429)
      expect(reply.json).toEqual({ error: expect.any(String), message: expect.any(String) })
    }
    expect(service.ledger('alice')).toHaveLength(1)
  })
})
