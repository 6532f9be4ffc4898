import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reportReply } from '../../src/contract/earlier-versions.js'
import { openSqlite } from '../../src/platform/sqlite.js'
import { limits } from '../../src/service/limits.js'
import { startChild } from '../support/child-process.js'
import { keys } from '../support/keys.js'
import { connect } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const reportPath = '/v1/entity-resolution/report'
const folder = makeFolder()

/** What is kept, oldest first. */
function reportsIn(dataFolder: string): { account: string; callId: string; body: unknown }[] {
  const database = openSqlite(join(dataFolder, 'service.sqlite'), { synchronous: 'FULL' })
  const rows = database
    .prepare(
      'SELECT name AS account, call_id AS callId, body FROM reports JOIN accounts USING (account_number) ORDER BY report_number',
    )
    .all() as { account: string; callId: string; body: string }[]
  database.close()
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as unknown }))
}

/** More reports of the account of this one, each written as the service writes them. */
function fillWithReports(dataFolder: string, like: string, count: number): void {
  const database = openSqlite(join(dataFolder, 'service.sqlite'), { synchronous: 'FULL' })
  database
    .prepare(
      `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < @count)
       INSERT INTO reports (account_number, call_id, body, created_at_ms)
       SELECT account_number, call_id, replace(body, @like, 'filler'), created_at_ms FROM numbers, reports
       WHERE body LIKE '%' || @like || '%'`,
    )
    .run({ like, count })
  database.close()
}

const reports: object[] = [
  { request_id: 'reqa_1', verdict: 'wrong', comment: 'another Acme: Ünïcode, 𠮷 and "quotes"' },
  {},
  { rating: 1, nested: { list: [1, 2, { deep: null }] } },
]

describe('POST /v1/entity-resolution/report', () => {
  test.each(reports)(
    'REP-01 any JSON object is taken, kept as it came, and answered 202: %j',
    async (report) => {
      const dataFolder = mkdtempSync(join(folder, 'kept-'))
      const { alice } = await startTestService({ dataFolder })
      const reply = await alice.post(reportPath, report)
      expect(reply.status).toBe(202)
      const { request_id: callId } = reportReply.parse(reply.json)
      expect(reportsIn(dataFolder)).toEqual([{ account: 'alice', callId, body: report }])
    },
  )

  test('REP-01 what was acknowledged is there after kill -9', async () => {
    const dataFolder = mkdtempSync(join(folder, 'killed-'))
    const child = startChild(import.meta.resolve('../support/service-child.ts'), dataFolder, '0')
    const client = connect(await child.nextLine(), keys.alice)
    for (let number = 0; number < 20; number++) {
      expect((await client.post(reportPath, { number })).status).toBe(202)
    }
    await child.kill()
    expect(reportsIn(dataFolder).map(({ body }) => body)).toEqual(
      Array.from({ length: 20 }, (_, number) => ({ number })),
    )
  })

  test('REP-01 an account keeps its newest reports, and removes none of another account', async () => {
    const dataFolder = mkdtempSync(join(folder, 'many-'))
    const { alice, bob } = await startTestService({ dataFolder })
    await bob.post(reportPath, { of: 'bob' })
    await alice.post(reportPath, { number: 'first' })
    fillWithReports(dataFolder, 'first', limits.reportsPerAccountMax - 1)
    for (const number of [1, 2, 3]) await alice.post(reportPath, { number })
    const kept = reportsIn(dataFolder)
    const ofAlice = kept.filter(({ account }) => account === 'alice').map(({ body }) => body)
    expect(ofAlice).toHaveLength(limits.reportsPerAccountMax)
    expect(ofAlice.slice(-4)).toEqual([{ number: 'filler' }, { number: 1 }, { number: 2 }, { number: 3 }])
    expect(ofAlice).not.toContainEqual({ number: 'first' })
    expect(kept.filter(({ account }) => account === 'bob')).toHaveLength(1)
  })

  test('REP-01 a report changes no result and charges nothing', async () => {
    const { alice, service } = await startTestService()
    const kickoff = await alice.get('/v2/entity-resolution/async?name=Acme')
    const path = `/v2/entity-resolution/status/${String(kickoff.json.request_id)}`
    const before = await alice.untilDone(path)
    expect(
      (await alice.post(reportPath, { request_id: kickoff.json.request_id, verdict: 'wrong' })).status,
    ).toBe(202)
    expect((await alice.get(path)).text).toBe(before.text)
    expect(service.ledger('alice')).toHaveLength(1)
  })

  test.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['a text', '"wrong"'],
    ['null', 'null'],
    ['half of an object', '{"a":'],
    ['an object of 65 levels', '{"a":'.repeat(65) + '1' + '}'.repeat(65)],
    ['an object of 10,000 levels', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
  ])('REP-01 ERR-01 %s is a 400', async (_what, body) => {
    const { nobody } = await startTestService()
    const headers = { apikey: keys.alice, 'content-type': 'application/json' }
    const reply = await nobody.raw(reportPath, { method: 'POST', headers, body })
    expect(reply.status).toBe(400)
    expect(reply.json).toEqual({ error: { message: expect.any(String), type: 'bad_request' } })
  })

  test('REP-01 ERR-06 a report beyond the bound of bodies is a 413', async () => {
    const { alice } = await startTestService()
    const reply = await alice.post(reportPath, { text: 'x'.repeat(limits.bodyBytesMax) })
    expect([reply.status, reply.json]).toEqual([
      413,
      { error: { message: expect.any(String), type: 'payload_too_large' } },
    ])
  })

  test('REP-01 DUR-08 a __proto__ is no prototype', async () => {
    const { nobody } = await startTestService()
    const headers = { apikey: keys.alice, 'content-type': 'application/json' }
    const body = '{"__proto__":{"polluted":1},"a":1}'
    expect((await nobody.raw(reportPath, { method: 'POST', headers, body })).status).toBe(202)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('AUTH-04 REP-01 a report without a key is a 401 in the v1 shape', async () => {
    const { nobody } = await startTestService()
    const reply = await nobody.post(reportPath, {})
    expect(reply.status).toBe(401)
    expect(reply.json).toEqual({ message: expect.any(String), request_id: expect.stringMatching(/^req_/) })
  })
})
