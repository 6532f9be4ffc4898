import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jobStatusV2 } from '../../src/contract/earlier-versions.js'
import { openSqlite } from '../../src/platform/sqlite.js'
import { systemRandom } from '../../src/platform/clock.js'
import { storeAccounts } from '../../src/service/accounts/accounts.js'
import { openDatabase } from '../../src/service/storage/database.js'
import { createCallId, createRunIds } from '../../src/service/runs/run-store.js'
import { createRunStore } from '../../src/service/runs/run-store.js'
import { callUntilKilled, startChild, type Child } from '../support/child-process.js'
import { keys } from '../support/keys.js'
import { connect, type ServiceClient } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const childModule = import.meta.resolve('../support/service-child.ts')
const folder = makeFolder()

interface Booked {
  readonly requestId: string
  readonly status: string
  readonly charges: number
  readonly refunds: number
}

/** Every run in the file, with what its account paid for it. */
function ledgerIn(dataFolder: string): Booked[] {
  const database = openSqlite(join(dataFolder, 'service.sqlite'), { synchronous: 'FULL' })
  const rows = database
    .prepare(
      `SELECT request_id AS requestId, status, sum(kind = 'charge') AS charges, sum(kind = 'refund') AS refunds
       FROM runs LEFT JOIN ledger USING (run_number) GROUP BY run_number`,
    )
    .all() as Booked[]
  database.close()
  return rows
}

/** Submits until the service is gone, half of it what will fail; what was acknowledged. */
const submitUntilKilled = (client: ServiceClient, child: Child, killAfterCount: number) =>
  callUntilKilled(child, killAfterCount, async (acknowledgedCount) => {
    const name = acknowledgedCount % 2 === 0 ? 'Broken' : 'Acme'
    const reply = await client.get(`/v2/entity-resolution/async?name=${name}`).catch(() => null)
    if (reply === null) return null
    expect(reply.status).toBe(202)
    return String(reply.json.request_id)
  })

describe('refunds', () => {
  test('V2-12 V2-31 V2-32 DUR-01 over kill -9 at any moment, what failed is refunded exactly once', async () => {
    const dataFolder = mkdtempSync(join(folder, 'killed-'))
    const acknowledged: string[] = []
    // Research takes no time, so that runs end, and are refunded, while others are submitted and the kill comes.
    for (const [killAfterCount, researchMsMax] of [
      [60, '20'],
      [250, '0'],
    ] as const) {
      const child = startChild(childModule, dataFolder, researchMsMax)
      const client = connect(await child.nextLine(), keys.alice)
      acknowledged.push(...(await submitUntilKilled(client, child, killAfterCount)))
      await child.kill()
      for (const { status, charges, refunds } of ledgerIn(dataFolder)) {
        expect([charges, refunds]).toEqual([1, status === 'FAILED' ? 1 : 0])
      }
    }

    const { alice, service } = await startTestService({ dataFolder })
    for (const id of acknowledged) {
      const done = await alice.untilDone(`/v2/entity-resolution/status/${id}`)
      expect(jobStatusV2.parse(done.json).status).not.toBe('PENDING')
    }
    while (service.runCount().pending > 0) await alice.get('/v2/search?name=Acme')
    await service.close()
    const books = ledgerIn(dataFolder)
    expect(books.map(({ requestId }) => requestId)).toEqual(expect.arrayContaining(acknowledged))
    const failed = books.filter(({ status }) => status === 'FAILED')
    expect(failed.length).toBeGreaterThan(100)
    expect(failed.length).toBeLessThan(books.length)
    for (const { status, charges, refunds } of books) {
      expect([charges, refunds]).toEqual([1, status === 'FAILED' ? 1 : 0])
    }
  })

  test('V2-32 an end is stored with its refund or not at all, and then again: one refund', () => {
    const database = openDatabase(null)
    storeAccounts(database, [{ name: 'alice', apiKey: 'k' }], 0)
    let isBroken = true
    const store = createRunStore(database, [
      () => {
        if (isBroken) throw new Error('the disk is full')
      },
    ])
    const accountNumber = 1
    const ids = createRunIds('async', createCallId(systemRandom), systemRandom, 0)
    const run = {
      accountNumber,
      ids,
      customId: null,
      surface: 'v2',
      webhookUrl: null,
      withBasis: false,
    } as const
    const query = { name: 'Broken', location: null, context: null }
    store.insert([{ ...run, query, createdAtMs: 0, dueAtMs: 0 }])
    const [due] = store.due(0, 1)
    const outcome = { status: 'FAILED', result: '{}', basis: null, fault: null } as const
    const finish = () => {
      store.finish([{ runNumber: due?.runNumber ?? 0, outcome }], 0)
    }
    const kinds = database.prepare('SELECT kind FROM ledger ORDER BY entry_number').pluck()

    expect(finish).toThrow('the disk is full')
    expect([store.count().failed, kinds.all()]).toEqual([0, ['charge']])
    isBroken = false
    finish()
    expect([store.count().failed, kinds.all()]).toEqual([1, ['charge', 'refund']])
    expect(finish).toThrow()
    expect(kinds.all()).toEqual(['charge', 'refund'])
    database.close()
  })

  test('V2-12 a v3 run that failed is not refunded: the interface says so of v2 alone', async () => {
    const dataFolder = mkdtempSync(join(folder, 'v3-'))
    const { alice } = await startTestService({ dataFolder })
    const run = await alice.post('/v3/entity-resolution/async', { name: 'Broken' })
    const done = await alice.untilDone(`/v3/runs/${String(run.json.run_id)}`)
    expect(done.json.status).toBe('FAILED')
    expect(ledgerIn(dataFolder)).toMatchObject([{ charges: 1, refunds: 0 }])
  })
})
