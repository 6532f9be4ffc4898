import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { hashKey, storeAccounts, createStoredCallers } from '../../../src/service/accounts/accounts.js'
import { limits } from '../../../src/service/limits.js'
import { openDatabase } from '../../../src/service/storage/database.js'
import { createCallId, createRunIds } from '../../../src/service/runs/run-store.js'
import { createJournal, createRunStore, type NewRun } from '../../../src/service/runs/run-store.js'
import { Researcher } from '../../../src/service/runs/researcher.js'
import { systemRandom } from '../../../src/platform/clock.js'
import { fakeKnowledge, matchOf, sampleEntity } from '../../support/fake-knowledge.js'
import { manualClock } from '../../support/manual-clock.js'
import { makeFolder } from '../../support/temporary-folder.js'

const folder = makeFolder()

/** A store on real SQLite that can be told it has no page left, which it reports as a full disk. */
function openStore() {
  const database = openDatabase(mkdtempSync(join(folder, 'data-')))
  storeAccounts(database, [{ name: 'alice', apiKey: 'k' }], 0)
  const caller = createStoredCallers(database).get(hashKey('k'))
  const setPagesMax = (pageCount: number) => database.pragma(`max_page_count = ${pageCount}`)
  return {
    database,
    store: createRunStore(database),
    accountNumber: caller?.accountNumber ?? 0,
    fill: () => setPagesMax(database.pragma('page_count', { simple: true }) as number),
    makeRoom: () => setPagesMax(100_000),
  }
}

let disk: ReturnType<typeof openStore>
beforeEach(() => {
  disk = openStore()
})

function newRun(name: string): NewRun {
  const ids = createRunIds('run', createCallId(systemRandom), systemRandom, 0)
  const query = { name, location: null, context: null }
  const { accountNumber } = disk
  const base = { accountNumber, ids, customId: null, surface: 'v3', webhookUrl: null } as const
  return { ...base, query, withBasis: false, createdAtMs: 0, dueAtMs: 0 }
}

describe('DUR-02 a full disk', () => {
  test('refuses every kickoff of a group and bills none of them', async () => {
    const journal = createJournal(disk.store)
    await journal.append(newRun('Acme'))
    disk.fill()
    const group = Array.from({ length: 20 }, () => journal.append(newRun('x'.repeat(10_000))))
    const outcomes = await Promise.allSettled(group)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(disk.store.ledger('alice')).toHaveLength(1)
    disk.makeRoom()
    await journal.append(newRun('Bolt'))
    expect(disk.store.ledger('alice')).toHaveLength(2)
    disk.database.close()
  })

  test('pauses research, which goes on when there is room again', async () => {
    const clock = manualClock()
    const logged: string[] = []
    const run = newRun('Acme')
    disk.store.insert([run])
    disk.fill()
    const paused = new Promise<void>((resolve) => {
      const researcher = new Researcher({
        store: disk.store,
        knowledge: fakeKnowledge({
          answers: { Acme: matchOf(sampleEntity({ description: 'x'.repeat(100_000) })) },
        }),
        clock,
        isBusy: () => false,
        log: (line) => {
          logged.push(line)
          resolve()
        },
      })
      afterAll(() => researcher.stop())
    })
    await paused
    expect(logged[0]).toContain('research pauses')
    expect(disk.store.byRunId(disk.accountNumber, run.ids.runId)).toMatchObject({
      status: 'PENDING',
      result: null,
    })
    disk.makeRoom()
    while (disk.store.count().completed === 0) {
      clock.advance(limits.researchRetryMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(disk.store.count()).toEqual({ pending: 0, completed: 1, failed: 0 })
  })
})
