import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseWebhookSecrets } from '../../../src/core/webhooks.js'
import type { Sqlite } from '../../../src/platform/sqlite.js'
import { createAccountBook, type AccountBook } from '../../../src/service/accounts/account-book.js'
import { hashKey } from '../../../src/service/accounts/accounts.js'
import {
  lockDataFolder,
  openDatabaseForCommand,
  openDatabase,
  withDatabaseForCommand,
} from '../../../src/service/storage/database.js'
import { openBook, readLedger } from '../../support/account-book.js'
import { startTestService } from '../../support/test-service.js'
import { makeFolder } from '../../support/temporary-folder.js'

const folder = makeFolder()
const newFolder = () => mkdtempSync(join(folder, 'data-'))

const unbounded = { v3Enabled: true, creditUnits: null, monthlyUnitsMax: null }
const dayMs = 24 * 3_600_000

/** A book with one account, `acme`, made at 1,000 ms. */
function bookWithAcme(): { book: AccountBook; acme: number } {
  const book = openBook(newFolder())
  book.add('acme', unbounded, 1_000)
  return { book, acme: book.getAccountNumber('acme') }
}

describe('signing secrets', () => {
  test('SIG-22 SIG-23 one is there from the making of the account: whsec_ and base64 of 32 bytes', () => {
    const { book, acme } = bookWithAcme()
    const [secret = '', ...others] = book.secrets.signingSecrets(acme, 1_000)
    expect(others).toEqual([])
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(parseWebhookSecrets(secret).count).toBe(1)
    book.add('bolt', unbounded, 1_000)
    expect(book.secrets.signingSecrets(book.getAccountNumber('bolt'), 1_000)).not.toContain(secret)
  })

  test('SIG-20 a rotated one works for 24 hours after the new one, to the millisecond', () => {
    const { book, acme } = bookWithAcme()
    const [old = ''] = book.secrets.signingSecrets(acme, 2_000)
    const { secretId } = book.secrets.rotate(acme, null, null, 5_000)
    const made = book.secrets.show(acme, secretId, 5_000)
    expect(book.secrets.signingSecrets(acme, 5_000)).toEqual([made, old])
    expect(book.secrets.signingSecrets(acme, 5_000 + dayMs - 1)).toEqual([made, old])
    expect(book.secrets.signingSecrets(acme, 5_000 + dayMs)).toEqual([made])
    expect(book.secrets.list(acme, 5_000 + dayMs)).toHaveLength(1)
  })

  test('SIG-20 of several, the one to rotate is named, keeps its label, and is rotated once', () => {
    const { book, acme } = bookWithAcme()
    const { secretId } = book.secrets.add(acme, 'staging', 2_000)
    expect(() => book.secrets.rotate(acme, null, null, 3_000)).toThrow(/2 secrets that could be rotated/)
    expect(book.secrets.rotate(acme, secretId, null, 3_000).label).toBe('staging')
    expect(() => book.secrets.rotate(acme, secretId, null, 4_000)).toThrow(/already rotated/)
    expect(book.secrets.list(acme, 4_000).map(({ label, expiresAtMs }) => [label, expiresAtMs])).toEqual([
      ['staging', null],
      ['staging', 3_000 + dayMs],
      [null, null],
    ])
  })

  test('SIG-21 a deleted one signs nothing at once; the last that stands cannot be deleted', () => {
    const { book, acme } = bookWithAcme()
    const refusal = expect.objectContaining({ code: 'ACCOUNT_CHANGE_REFUSED' })
    const [first] = book.secrets.list(acme, 2_000)
    expect(() => {
      book.secrets.remove(acme, first?.secretId ?? '', 2_000)
    }).toThrow(refusal)
    const { secretId } = book.secrets.rotate(acme, null, null, 2_000)
    // The other one ends within a day: without this one the account would sign nothing then.
    expect(() => {
      book.secrets.remove(acme, secretId, 2_000)
    }).toThrow(refusal)
    book.secrets.remove(acme, first?.secretId ?? '', 2_000)
    expect(book.secrets.signingSecrets(acme, 2_000)).toHaveLength(1)
  })

  test('SIG-21 ids of another account, of an expired secret and of none are not found, and no secret is repeated', () => {
    const { book, acme } = bookWithAcme()
    book.add('bolt', unbounded, 1_000)
    const [foreign] = book.secrets.list(book.getAccountNumber('bolt'), 1_000)
    const [old] = book.secrets.list(acme, 1_000)
    book.secrets.rotate(acme, null, null, 1_000)
    const [secret = ''] = book.secrets.signingSecrets(acme, 1_000)
    for (const id of [foreign?.secretId ?? '', old?.secretId ?? '', 'wsec_none', '', secret]) {
      const remove = () => {
        book.secrets.remove(acme, id, 1_000 + dayMs)
      }
      expect(remove).toThrow(expect.objectContaining({ code: 'ACCOUNT_ITEM_NOT_FOUND' }))
      expect(() => book.secrets.show(acme, id, 1_000 + dayMs)).toThrow(/no secret/)
      expect(remove).not.toThrow(/whsec_/)
    }
  })

  test('there are as many as a receiver takes, and no more', () => {
    const { book, acme } = bookWithAcme()
    for (let made = 1; made < 10; made++) book.secrets.add(acme, null, 2_000)
    expect(() => book.secrets.add(acme, null, 2_000)).toThrow(/at most 10/)
    const all = book.secrets.signingSecrets(acme, 2_000)
    expect(parseWebhookSecrets(all.join(' ')).count).toBe(10)
  })
})

describe('keys', () => {
  test('a key is stored by its hash alone, and named by the beginning of it', () => {
    const dataFolder = newFolder()
    const book = openBook(dataFolder)
    const { apiKey, keyId } = book.add('acme', unbounded, 1_000)
    expect(keyId).toBe(`key_${hashKey(apiKey).slice(0, 12)}`)
    const stored = readdirSync(dataFolder).map((name) => readFileSync(join(dataFolder, name), 'latin1'))
    expect(stored.join()).toContain(hashKey(apiKey))
    expect(stored.join()).not.toContain(apiKey)
  })

  test("another account's key is not found, and a key given in place of its id is not repeated", () => {
    const { book, acme } = bookWithAcme()
    const { keyId, apiKey } = book.add('bolt', unbounded, 1_000)
    for (const id of [keyId, apiKey, '']) {
      expect(() => book.keys.revoke(acme, id)).toThrow(
        expect.objectContaining({ code: 'ACCOUNT_ITEM_NOT_FOUND' }),
      )
      expect(() => book.keys.revoke(acme, id)).not.toThrow(apiKey)
    }
  })

  test('there are 100 at most', () => {
    const { book, acme } = bookWithAcme()
    for (let made = 1; made < 100; made++) book.keys.add(acme, null, 2_000)
    expect(() => book.keys.add(acme, null, 2_000)).toThrow(/at most 100/)
  })
})

describe('accounts', () => {
  test('the credit that is set is what is left, whatever was booked before', () => {
    const { book } = bookWithAcme()
    book.change('acme', { creditUnits: 5 }, 2_000)
    book.grant('acme', 4, 2_000)
    expect(book.summary('acme', 2_000)).toMatchObject({ creditUnits: 9, grantedUnits: 4 })
    book.change('acme', { creditUnits: 2 }, 2_000)
    expect(book.summary('acme', 2_000).creditUnits).toBe(2)
    book.change('acme', { creditUnits: null }, 2_000)
    expect(() => {
      book.grant('acme', 1, 2_000)
    }).toThrow(expect.objectContaining({ code: 'ACCOUNT_CHANGE_REFUSED' }))
  })

  test('credit that an account is made with stands in its ledger', async () => {
    const book = openBook(newFolder())
    book.add('acme', { ...unbounded, creditUnits: 50 }, 1_000)
    book.add('poor', { ...unbounded, creditUnits: 0 }, 1_000)
    expect(await readLedger(book, 'acme')).toEqual([
      { at: '1970-01-01T00:00:01Z', kind: 'grant', units: 50, runId: null, customId: null },
    ])
    expect(await readLedger(book, 'poor')).toEqual([])
    expect(book.list(1_000).map(({ name, creditUnits }) => [name, creditUnits])).toEqual([
      ['acme', 50],
      ['poor', 0],
    ])
  })

  test('names are of a plain alphabet, and are there once', () => {
    const { book } = bookWithAcme()
    for (const name of ['', 'two words', 'ä', 'a'.repeat(101), 'a/b', '\u001b[2J']) {
      expect(() => book.add(name, unbounded, 0)).toThrow(expect.objectContaining({ code: 'ACCOUNT_INVALID' }))
    }
    expect(() => book.add('acme', unbounded, 0)).toThrow(expect.objectContaining({ code: 'ACCOUNT_EXISTS' }))
    expect(book.list(0)).toHaveLength(1)
  })

  test('an unknown name is reported, with the names there are', async () => {
    const { book } = bookWithAcme()
    expect(() => book.summary('acne', 0)).toThrow(
      expect.objectContaining({ code: 'ACCOUNT_NOT_FOUND', hint: 'existing accounts: acme' }),
    )
    await expect(readLedger(book, 'acne')).rejects.toThrow(/no account acne/)
  })
})

describe('the data folder', () => {
  test('service.sqlite is readable by its owner alone, however it was made and whatever it was before', async () => {
    const dataFolder = newFolder()
    const path = join(dataFolder, 'service.sqlite')
    const { service } = await startTestService({ dataFolder })
    const modes = () =>
      readdirSync(dataFolder)
        .filter((name) => name.startsWith('service.sqlite'))
        .map((name) => statSync(join(dataFolder, name)).mode & 0o077)
    expect(modes()).toEqual([0, 0, 0])
    await service.close()
    chmodSync(path, 0o644)
    const again = await startTestService({ dataFolder })
    expect(modes()).toEqual([0, 0, 0])
    await again.service.close()
  })

  test('is not made under a service that runs on it', () => {
    const dataFolder = newFolder()
    const lock = lockDataFolder(dataFolder, 0)
    writeFileSync(join(dataFolder, 'service.sqlite'), '')
    expect(() => openDatabaseForCommand(dataFolder, 0, 'refuse')).toThrow(
      expect.objectContaining({ code: 'SERVICE_DATA_IN_USE' }),
    )
    lock.release()
    openDatabaseForCommand(dataFolder, 0, 'refuse').close()
  })

  test('without any there is an error, unless it may be made', () => {
    const dataFolder = join(newFolder(), 'deep', 'er')
    expect(() => openDatabaseForCommand(dataFolder, 0, 'refuse')).toThrow(
      expect.objectContaining({ code: 'SERVICE_DATA_NOT_FOUND' }),
    )
    openDatabaseForCommand(dataFolder, 0, 'make').close()
    openDatabaseForCommand(dataFolder, 0, 'refuse').close()
  })

  test('a full disk, and a service that holds the data, are told as what they are', async () => {
    const dataFolder = newFolder()
    const add = (prepare: (database: Sqlite) => void) =>
      withDatabaseForCommand(dataFolder, 0, 'make', (database) => {
        prepare(database)
        const book = createAccountBook(database)
        for (let number = 0; number < 200; number++) book.add(`account-${number}`, unbounded, 0)
      })
    const full = add((database) => {
      database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`)
    })
    await expect(full).rejects.toMatchObject({ code: 'DISK_FULL' })
    const holder = openDatabase(dataFolder)
    holder.exec('BEGIN IMMEDIATE')
    const inUse = add((database) => {
      database.pragma('busy_timeout = 0')
    })
    await expect(inUse).rejects.toMatchObject({ code: 'SERVICE_DATA_IN_USE' })
    holder.close()
  })

  test('a service and its accounts are written at the same time', async () => {
    const dataFolder = newFolder()
    const { alice, service } = await startTestService({ dataFolder })
    const book = openBook(dataFolder)
    book.change('alice', { creditUnits: 0 }, 0)
    const statuses: number[] = []
    for (let round = 0; round < 50; round++) {
      book.grant('alice', 1, 0)
      const kickoffs = [1, 2, 3].map(() => alice.post('/v3/entity-resolution/async', { name: 'Acme' }))
      statuses.push(...(await Promise.all(kickoffs)).map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 202)).toHaveLength(50)
    expect(book.summary('alice', 0)).toMatchObject({ creditUnits: 0, chargedUnits: 50, grantedUnits: 50 })
    expect(service.ledger('alice')).toHaveLength(50)
  })

  test('the sums of the ledger are those of its entries', () => {
    const database = openDatabase(null)
    const book = createAccountBook(database)
    book.add('acme', { ...unbounded, creditUnits: 1_000 }, Date.UTC(2026, 0, 1))
    const insertRun = database.prepare(
      `INSERT INTO runs (run_number, account_number, run_id, call_id, name, with_basis, status, created_at_ms, due_at_ms)
       VALUES (?, 1, ?, 'req_1', 'Acme', 0, 'PENDING', 0, 0)`,
    )
    const enter = database.prepare(
      'INSERT INTO ledger (account_number, run_number, kind, units, created_at_ms) VALUES (1, ?, ?, 1, ?)',
    )
    for (let run = 1; run <= 60; run++) {
      insertRun.run(run, `run_${run}`)
      enter.run(run, 'charge', Date.UTC(2026, run % 3, 28))
      if (run % 4 === 0) enter.run(run, 'refund', Date.UTC(2026, 5, 1))
    }
    const summary = book.summary('acme', Date.UTC(2026, 1, 1))
    expect(summary).toMatchObject({ chargedUnits: 60, refundedUnits: 15, monthUnits: 15, creditUnits: 955 })
    expect(book.summary('acme', Date.UTC(2026, 5, 1)).monthUnits).toBe(0)
    database.close()
  })
})
