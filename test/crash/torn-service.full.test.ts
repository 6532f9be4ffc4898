import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemRandom } from '../../src/platform/clock.js'
import { storeAccounts } from '../../src/service/accounts/accounts.js'
import { openDatabase } from '../../src/service/storage/database.js'
import { createCallId, createRunIds } from '../../src/service/runs/run-store.js'
import { createRunStore, type NewRun } from '../../src/service/runs/run-store.js'
import { keys } from '../support/keys.js'

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'enrich-torn-service-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A byte of each so many is cut at where every one would take minutes. */
const stride = 97

function newRun(name: string): NewRun {
  const ids = createRunIds('run', createCallId(systemRandom), systemRandom, 0)
  const rest = { customId: null, surface: 'v3', webhookUrl: null, withBasis: false } as const
  return {
    accountNumber: 1,
    ids,
    query: { name, location: null, context: null },
    createdAtMs: 0,
    dueAtMs: 0,
    ...rest,
  }
}

/** What stands in a data folder whose log was cut: the runs, and the units charged for them. */
function readAfterCut(main: Buffer, wal: Buffer): { names: string[]; chargedCount: number } {
  const torn = join(folder, 'torn')
  rmSync(torn, { recursive: true, force: true })
  mkdirSync(torn)
  writeFileSync(join(torn, 'service.sqlite'), main)
  writeFileSync(join(torn, 'service.sqlite-wal'), wal)
  const database = openDatabase(torn)
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    const names = database.prepare('SELECT name FROM runs ORDER BY run_number').pluck().all() as string[]
    const chargedCount = database.prepare('SELECT count(*) FROM ledger').pluck().get() as number
    return { names, chargedCount }
  } finally {
    database.close()
  }
}

describe("a torn log of the service's data", () => {
  test('DUR-03 wherever the last write is cut, it opens: acknowledged runs are there, and each is charged once', () => {
    const live = join(folder, 'live')
    const database = openDatabase(live)
    storeAccounts(database, [{ name: 'alice', apiKey: keys.alice }], 0)
    database.pragma('wal_checkpoint(TRUNCATE)')
    const store = createRunStore(database)
    const path = join(live, 'service.sqlite')
    store.insert([newRun('acknowledged')])
    const walBefore = readFileSync(`${path}-wal`)
    store.insert([newRun('last one'), newRun('last two')])
    const walAfter = readFileSync(`${path}-wal`)
    copyFileSync(path, join(folder, 'main.sqlite'))
    const main = readFileSync(join(folder, 'main.sqlite'))
    database.close()

    expect(walAfter.length).toBeGreaterThan(walBefore.length)
    const seen = new Set<number>()
    for (let bytes = walBefore.length; bytes <= walAfter.length; bytes += stride) {
      const { names, chargedCount } = readAfterCut(main, walAfter.subarray(0, bytes))
      expect(names[0]).toBe('acknowledged')
      // Both of the last write, or neither; and never a run without its charge.
      expect([1, 3]).toContain(names.length)
      expect(chargedCount).toBe(names.length)
      seen.add(names.length)
    }
    expect(readAfterCut(main, walAfter).names).toHaveLength(3)
    expect(seen.has(1)).toBe(true)
  })
})
