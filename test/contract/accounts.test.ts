import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import type { ServiceOptions } from '../../src/service/service.js'
import { openBook, readLedger } from '../support/account-book.js'
import { manualClock } from '../support/manual-clock.js'
import { connect, kickoffPath, type ServiceReply } from '../support/service-client.js'
import { keys, startTestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const folder = makeFolder()

const submitPath = '/v2/entity-resolution/async?name=Acme'
const kickoff = { name: 'Acme' }
const unbounded = { v3Enabled: true, creditUnits: null, monthlyUnitsMax: null }
const novemberMs = Date.UTC(2026, 10, 30, 23, 59, 0)

/** A service on a folder of its own, and its accounts through another connection. */
async function startWithBook(options: Partial<ServiceOptions> = {}) {
  const dataFolder = mkdtempSync(join(folder, 'data-'))
  const running = await startTestService({ dataFolder, ...options })
  return { ...running, url: running.service.url, book: openBook(dataFolder) }
}

function expectRefused(reply: ServiceReply, status: number, type: string): void {
  expect([reply.status, errorBody.parse(reply.json).error.type]).toEqual([status, type])
}

const rateHeadersOf = ({ headers }: ServiceReply) =>
  Object.keys(headers).filter((name) => /ratelimit/i.test(name))

describe('keys', () => {
  test('AUTH-01 an account has several keys, which see the same runs', async () => {
    const { url, book, alice } = await startWithBook()
    const { apiKey } = book.keys.add(book.getAccountNumber('alice'), 'ci', 0)
    const run = await connect(url, apiKey).post(kickoffPath, kickoff)
    expect(run.status).toBe(202)
    expect((await alice.untilDone(`/v3/runs/${String(run.json.run_id)}`)).status).toBe(200)
  })

  test('AUTH-03 a revoked key is 401 from the next request on, and others of the account are not', async () => {
    const { url, book, alice } = await startWithBook()
    const { apiKey, keyId } = book.keys.add(book.getAccountNumber('alice'), null, 0)
    const other = connect(url, apiKey)
    expect((await other.get('/v3/entities/siq_acme')).status).toBe(200)
    book.keys.revoke(book.getAccountNumber('alice'), keyId)
    expectRefused(await other.get('/v3/entities/siq_acme'), 401, 'unauthorized')
    expect((await alice.get('/v3/entities/siq_acme')).status).toBe(200)
  })

  test('AUTH-09 AUTH-10 a new account is there at once, and sees nothing of others', async () => {
    const { url, book, alice } = await startWithBook()
    const run = await alice.post(kickoffPath, kickoff)
    const other = connect(url, book.add('carol', unbounded, 0).apiKey)
    expect((await other.post(kickoffPath, kickoff)).status).toBe(202)
    expectRefused(await other.get(`/v3/runs/${String(run.json.run_id)}`), 404, 'not_found')
  })
})

describe('v3', () => {
  test('AUTH-11 AUTH-12 KICK-19 is switched while the service runs; credit does not open it', async () => {
    const { book, alice } = await startWithBook()
    const run = await alice.post(kickoffPath, kickoff)
    book.change('alice', { v3Enabled: false, creditUnits: 5 }, 0)
    expectRefused(await alice.post(kickoffPath, kickoff), 403, 'no_pricing_configured')
    book.grant('alice', 100, 0)
    expectRefused(
      await alice.get('/v3/domain-intelligence?domain=acme.example'),
      403,
      'no_pricing_configured',
    )
    expect((await alice.untilDone(`/v3/runs/${String(run.json.run_id)}`)).status).toBe(200)
    expect((await alice.get(submitPath)).status).toBe(202)
    book.change('alice', { v3Enabled: true }, 0)
    expect((await alice.post(kickoffPath, kickoff)).status).toBe(202)
    expect(book.summary('alice', 0)).toMatchObject({ chargedUnits: 3, creditUnits: 103 })
  })
})

describe('credit', () => {
  test('KICK-18 V2-08 a unit is charged on acceptance, one for v2 and v3 alike, and polls are free', async () => {
    const { book, alice } = await startWithBook()
    book.change('alice', { creditUnits: 10 }, 0)
    const run = await alice.post(kickoffPath, { ...kickoff, custom_id: 'row 1' })
    const left = [book.summary('alice', 0).creditUnits]
    const job = await alice.get(submitPath)
    left.push(book.summary('alice', 0).creditUnits)
    await alice.untilDone(`/v3/runs/${String(run.json.run_id)}`)
    await alice.untilDone(`/v2/entity-resolution/status/${String(job.json.request_id)}`)
    left.push(book.summary('alice', 0).creditUnits)
    expect(left).toEqual([9, 8, 8])
    expect(await readLedger(book, 'alice')).toMatchObject([
      { kind: 'charge', units: 1, runId: run.json.run_id, customId: 'row 1' },
      { kind: 'charge', units: 1, customId: null },
    ])
  })

  test('KICK-18 the last units are given out once, however many kickoffs are in flight', async () => {
    const { book, alice, service } = await startWithBook()
    book.change('alice', { creditUnits: 7 }, 0)
    const calls = Array.from({ length: 60 }, (_, call) =>
      call % 2 === 0 ? alice.post(kickoffPath, kickoff) : alice.get(submitPath),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(7)
    expect(statuses.filter((status) => status === 402)).toHaveLength(53)
    expect(book.summary('alice', 0).creditUnits).toBe(0)
    expect(service.ledger('alice')).toHaveLength(7)
  })

  test('KICK-18 V2-17 what is granted counts at once, in both shapes of a 402', async () => {
    const { book, alice, service } = await startWithBook()
    book.change('alice', { creditUnits: 0 }, 0)
    expectRefused(await alice.post(kickoffPath, kickoff), 402, 'insufficient_credits')
    const refused = await alice.get(submitPath)
    expect([refused.status, Object.keys(refused.json), refused.json.error]).toEqual([
      402,
      ['error', 'message'],
      'insufficient_credits',
    ])
    expect([service.ledger('alice'), service.runCount().pending]).toEqual([[], 0])
    book.grant('alice', 1, 0)
    expect((await alice.post(kickoffPath, kickoff)).status).toBe(202)
    expectRefused(await alice.post(kickoffPath, kickoff), 402, 'insufficient_credits')
  })

  test('V2-12 a refund is credit again, exactly once', async () => {
    const { book, alice } = await startWithBook()
    book.change('alice', { creditUnits: 1 }, 0)
    for (let round = 1; round <= 3; round++) {
      const job = await alice.get('/v2/entity-resolution/async?name=Broken')
      expect(job.status).toBe(202)
      await alice.untilDone(`/v2/entity-resolution/status/${String(job.json.request_id)}`)
      expect(book.summary('alice', 0)).toMatchObject({ refundedUnits: round, creditUnits: 1 })
    }
    expect((await alice.get(submitPath)).status).toBe(202)
    expect((await alice.get(submitPath)).status).toBe(402)
  })

  test('KICK-17 KICK-20 what is refused before the charge leaves the ledger as it was', async () => {
    const { book, alice, nobody } = await startWithBook()
    book.change('alice', { creditUnits: 3 }, 0)
    const replies = [
      await nobody.post(kickoffPath, kickoff),
      await alice.post(kickoffPath, { name: 'A' }),
      await alice.post(kickoffPath, { ...kickoff, webhook_url: 'http://localhost/hook' }),
      await alice.get('/v2/entity-resolution/async?name=A'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([401, 400, 400, 400])
    expect(book.summary('alice', 0)).toMatchObject({ creditUnits: 3, chargedUnits: 0 })
  })

  test('an account without a bound is charged and never refused', async () => {
    const { book, alice } = await startWithBook()
    for (let call = 0; call < 5; call++) expect((await alice.post(kickoffPath, kickoff)).status).toBe(202)
    expect(book.summary('alice', 0)).toMatchObject({ creditUnits: null, chargedUnits: 5 })
  })
})

describe('units of a month', () => {
  test('over the limit is a 429 of a type of its own, without the headers of a minute; next month goes on', async () => {
    const clock = manualClock(novemberMs)
    const { book, alice } = await startWithBook({ clock, rateLimits: 'spec' })
    book.change('alice', { monthlyUnitsMax: 2 }, 0)
    expect((await alice.post(kickoffPath, kickoff)).status).toBe(202)
    expect((await alice.get(submitPath)).status).toBe(202)
    const v3 = await alice.post(kickoffPath, kickoff)
    expectRefused(v3, 429, 'monthly_limit_reached')
    const v2 = await alice.get(submitPath)
    expect([v2.status, Object.keys(v2.json), v2.json.error]).toEqual([
      429,
      ['error', 'message'],
      'monthly_limit_reached',
    ])
    expect([rateHeadersOf(v3), rateHeadersOf(v2)]).toEqual([[], []])
    expect(book.summary('alice', novemberMs)).toMatchObject({ chargedUnits: 2, monthUnits: 2 })
    clock.advance(60_000)
    expect((await alice.post(kickoffPath, kickoff)).status).toBe(202)
    expect(book.summary('alice', clock.nowMs())).toMatchObject({ chargedUnits: 3, monthUnits: 1 })
  })

  test('a refund makes room in the month of its charge, not in the month it is made in', async () => {
    const clock = manualClock(novemberMs)
    const { book, alice } = await startWithBook({ clock, researchMs: { min: 60_000, max: 60_000 } })
    book.change('alice', { monthlyUnitsMax: 1 }, 0)
    const job = await alice.get('/v2/entity-resolution/async?name=Broken')
    expect((await alice.get(submitPath)).status).toBe(429)
    clock.advance(60_000)
    expect((await alice.get(submitPath)).status).toBe(202)
    await alice.untilDone(`/v2/entity-resolution/status/${String(job.json.request_id)}`)
    expect(book.summary('alice', novemberMs)).toMatchObject({ refundedUnits: 1, monthUnits: 0 })
    expect(book.summary('alice', clock.nowMs()).monthUnits).toBe(1)
    expect((await alice.get(submitPath)).status).toBe(429)
  })

  test('KICK-20 the limit of the month comes before credit, and a 400 before both', async () => {
    const { book, alice } = await startWithBook()
    book.change('alice', { monthlyUnitsMax: 0, creditUnits: 0 }, 0)
    expect((await alice.post(kickoffPath, {})).status).toBe(400)
    expectRefused(await alice.post(kickoffPath, kickoff), 429, 'monthly_limit_reached')
    book.change('alice', { monthlyUnitsMax: null }, 0)
    expectRefused(await alice.post(kickoffPath, kickoff), 402, 'insufficient_credits')
  })
})

describe('accounts given at the start', () => {
  test('a start replaces the key it gave before, and leaves keys, switch and credit that were changed since', async () => {
    const dataFolder = mkdtempSync(join(folder, 'data-'))
    const start = (apiKey: string) =>
      startTestService({ dataFolder, accounts: [{ name: 'default', apiKey }] })
    const first = await start('first-key')
    const book = openBook(dataFolder)
    const { apiKey } = book.keys.add(book.getAccountNumber('default'), 'ci', 0)
    book.change('default', { v3Enabled: false, creditUnits: 4, monthlyUnitsMax: 9 }, 0)
    await first.service.close()
    const { service } = await start('second-key')
    const statuses = ['first-key', 'second-key', apiKey].map(
      async (key) => (await connect(service.url, key).get('/v3/entities/siq_acme')).status,
    )
    expect(await Promise.all(statuses)).toEqual([401, 200, 200])
    expect(book.summary('default', 0)).toMatchObject({
      v3Enabled: false,
      creditUnits: 4,
      monthlyUnitsMax: 9,
      keyCount: 2,
      secretCount: 1,
    })
  })

  test("a key that is another account's own is refused, and stays that account's", async () => {
    const dataFolder = mkdtempSync(join(folder, 'data-'))
    const { apiKey } = openBook(dataFolder).add('carol', unbounded, 0)
    const accounts = [{ name: 'default', apiKey }]
    await expect(startTestService({ dataFolder, accounts })).rejects.toMatchObject({
      code: 'API_KEY_INVALID',
    })
    const { service } = await startTestService({ dataFolder, accounts: [{ name: 'carol', apiKey }] })
    expect((await connect(service.url, apiKey).get('/v3/entities/siq_acme')).status).toBe(200)
    expect((await connect(service.url, keys.alice).get('/v3/entities/siq_acme')).status).toBe(401)
  })
})
