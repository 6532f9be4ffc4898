import { hash } from 'node:crypto'
import { andThen, type Awaitable, type Deferrable } from '../../core/awaitable.js'
import { UserError } from '../../core/errors.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { unauthorized } from '../refusal.js'
import { createSecrets } from './secrets.js'
import { systemRandom } from '../../platform/random.js'
import { limits } from '../limits.js'

/** An account that is there from the start of the service. What is left out stays as it is stored. */
export interface AccountOptions {
  readonly name: string
  readonly apiKey: string
  /** True for a new account. */
  readonly v3Enabled?: boolean
  /** How many billed units the account may have in all, beside what is granted; a new one has no limit (null). */
  readonly creditUnits?: number | null
  /** How many units may be billed in a calendar month (UTC); a new account has no limit (null). */
  readonly monthlyUnitsMax?: number | null
}

/** Whom a key belongs to. */
export interface Caller {
  readonly accountNumber: number
  readonly keyHash: string
  readonly v3Enabled: boolean
}

/** Only hashes are stored and compared: neither the file nor the time of a comparison gives a key away. */
export function hashKey(apiKey: string): string {
  return hash('sha256', apiKey)
}

/**
 * Stores the accounts given, each with this key in the place of the one it was given at an earlier start.
 * Keys that were added since, and accounts stored earlier, stay.
 * Throws API_KEY_INVALID for a key that no header can carry or that two accounts share.
 */
export function storeAccounts(database: Sqlite, accounts: readonly AccountOptions[], nowMs: number): void {
  const upsert = prepare<object, { accountNumber: number }>(
    database,
    `INSERT INTO accounts (name, v3_enabled, created_at_ms) VALUES (@name, coalesce(@v3Enabled, 1), @nowMs)
     ON CONFLICT (name) DO UPDATE SET v3_enabled = coalesce(@v3Enabled, v3_enabled)
     RETURNING account_number AS accountNumber`,
  )
  const setCredit = database.prepare('UPDATE accounts SET credit_units = ? WHERE account_number = ?')
  const setMonthly = database.prepare('UPDATE accounts SET monthly_units_max = ? WHERE account_number = ?')
  const dropKeys = database.prepare(
    'DELETE FROM api_keys WHERE given_at_start = 1 AND (account_number = ? OR key_hash = ?)',
  )
  const holderOf = prepare<[string], { accountNumber: number }>(
    database,
    'SELECT account_number AS accountNumber FROM api_keys WHERE key_hash = ?',
  )
  const addKey = database.prepare(
    'INSERT INTO api_keys (key_hash, account_number, created_at_ms, given_at_start) VALUES (?, ?, ?, 1)',
  )
  checkKeys(accounts)
  database
    .transaction(() => {
      for (const { name, apiKey, v3Enabled, creditUnits, monthlyUnitsMax } of accounts) {
        const enabled = v3Enabled === undefined ? null : Number(v3Enabled)
        const accountNumber = upsert.get({ name, v3Enabled: enabled, nowMs })?.accountNumber ?? 0
        if (creditUnits !== undefined) setCredit.run(creditUnits, accountNumber)
        if (monthlyUnitsMax !== undefined) setMonthly.run(monthlyUnitsMax, accountNumber)
        dropKeys.run(accountNumber, hashKey(apiKey))
        const holder = holderOf.get(hashKey(apiKey))?.accountNumber
        if (holder !== undefined && holder !== accountNumber) throw sharedKey()
        if (holder === undefined) addKey.run(hashKey(apiKey), accountNumber, nowMs)
      }
    })
    .immediate()
  createSecrets(database).ensureAll(nowMs)
}

export function checkKeys(accounts: readonly AccountOptions[]): void {
  for (const { name, apiKey } of accounts) {
    if (/^[\x21-\x7e]+$/.test(apiKey)) continue
    throw new UserError('API_KEY_INVALID', `the API key of account ${name} cannot be sent in a header`, {
      hint: 'a key is printable ASCII without spaces',
    })
  }
  if (new Set(accounts.map(({ apiKey }) => apiKey)).size < accounts.length) throw sharedKey()
}

export function sharedKey(): UserError {
  return new UserError('API_KEY_INVALID', 'two accounts have the same API key', {
    hint: 'give each account a key of its own',
  })
}

/** The keys that are good at this moment, by their hash. */
export interface Callers {
  get(keyHash: string): Caller | undefined
}

/**
 * Read from the database at each call, some 5 µs: a key that another process revokes, or an account it
 * switches, counts from the next request on.
 */
export function storedCallers(database: Sqlite): Callers {
  const byHash = prepare<[string], { accountNumber: number; v3Enabled: number }>(
    database,
    `SELECT account_number AS accountNumber, v3_enabled AS v3Enabled
     FROM api_keys JOIN accounts USING (account_number) WHERE key_hash = ?`,
  )
  return {
    get: (keyHash) => {
      const row = byHash.get(keyHash)
      return row && { accountNumber: row.accountNumber, keyHash, v3Enabled: row.v3Enabled === 1 }
    },
  }
}

/** Each key is looked up once: for a database that nobody but this process can change. */
export function remembered(callers: Callers): Callers {
  const known = new Map<string, Caller>()
  return {
    get: (keyHash) => {
      const caller = known.get(keyHash) ?? callers.get(keyHash)
      if (caller !== undefined) known.set(keyHash, caller)
      return caller
    },
  }
}

/** Whose key the header holds. One that is sent twice arrives joined by a comma and is nobody's. */
export function authenticate(
  callers: Deferrable<Callers>,
  header: string | string[] | undefined,
): Awaitable<Caller> {
  return andThen(typeof header === 'string' ? callers.get(hashKey(header)) : undefined, (caller) => {
    if (caller === undefined) throw unauthorized()
    return caller
  })
}

export interface KeyInfo {
  /** `key_` and the beginning of the key's hash: names the key, and gives nothing of it away. */
  readonly keyId: string
  readonly label: string | null
  readonly createdAtMs: number
  /** Given to the service when it started: it is there again after the next start, whatever became of it. */
  readonly isGivenAtStart: boolean
}

/** The API keys of an account, of which only hashes are stored. */
export interface Keys {
  list(accountNumber: number): KeyInfo[]
  /** The key itself is never to be had again. Throws ACCOUNT_CHANGE_REFUSED where there are too many. */
  add(accountNumber: number, label: string | null, nowMs: number): { apiKey: string; keyId: string }
  /** Its next request is a 401. Throws ACCOUNT_ITEM_NOT_FOUND. */
  revoke(accountNumber: number, keyId: string): KeyInfo
}

interface KeyRow {
  readonly keyHash: string
  readonly label: string | null
  readonly createdAtMs: number
  readonly givenAtStart: number
}

export function createKeys(database: Sqlite): Keys {
  const stored = prepare<[number], KeyRow>(
    database,
    `SELECT key_hash AS keyHash, label, created_at_ms AS createdAtMs, given_at_start AS givenAtStart
     FROM api_keys WHERE account_number = ? ORDER BY created_at_ms, key_hash`,
  )
  const insert = prepare<[string, number, string | null, number]>(
    database,
    'INSERT INTO api_keys (key_hash, account_number, label, created_at_ms) VALUES (?, ?, ?, ?)',
  )
  const drop = prepare<[string]>(database, 'DELETE FROM api_keys WHERE key_hash = ?')
  return {
    list: (accountNumber) => stored.all(accountNumber).map(toInfo),
    add: (accountNumber, label, nowMs) => {
      assertRoomForKey(stored.all(accountNumber).length)
      const { apiKey, keyHash, keyId } = newKey()
      insert.run(keyHash, accountNumber, label, nowMs)
      return { apiKey, keyId }
    },
    revoke: (accountNumber, keyId) => {
      const row = stored.all(accountNumber).find(({ keyHash }) => idOf(keyHash) === keyId)
      if (row === undefined) throw keyNotFound(keyId)
      drop.run(row.keyHash)
      return toInfo(row)
    },
  }
}

export function newKey(): { apiKey: string; keyHash: string; keyId: string } {
  const apiKey = systemRandom.id('enrich_')
  const keyHash = hashKey(apiKey)
  return { apiKey, keyHash, keyId: idOf(keyHash) }
}

export function assertRoomForKey(keyCount: number): void {
  if (keyCount < limits.keysPerAccountMax) return
  throw new UserError(
    'ACCOUNT_CHANGE_REFUSED',
    `an account has at most ${limits.keysPerAccountMax} API keys`,
    { hint: 'revoke one first' },
  )
}

export function keyNotFound(keyId: string): UserError {
  // A key given in place of its id must not be repeated.
  const named = keyId.startsWith('key_') ? ` ${keyId}` : ' of this id'
  return new UserError('ACCOUNT_ITEM_NOT_FOUND', `the account has no key${named}`, {
    hint: 'enrich accounts keys list NAME shows their ids',
  })
}

export const idOf = (keyHash: string): string => `key_${keyHash.slice(0, 12)}`

const toInfo = ({ keyHash, givenAtStart, ...row }: KeyRow): KeyInfo => ({
  keyId: idOf(keyHash),
  ...row,
  isGivenAtStart: givenAtStart === 1,
})
