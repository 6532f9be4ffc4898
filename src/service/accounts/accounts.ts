import { hash } from 'node:crypto'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../core/awaitable.js'
import { UserError } from '../../core/errors.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { createUnauthorizedRefusal } from '../refusal.js'
import { createSecrets } from './secrets.js'
import { systemRandom } from '../../platform/random.js'
import { limits } from '../limits.js'

/** An account that exists from the start of the service. Absent options keep their stored values. */
export interface AccountOptions {
  readonly name: string
  readonly apiKey: string
  /** Defaults to `true` for a new account. */
  readonly v3Enabled?: boolean
  /** Units the account may be billed in total, in addition to grants. A new account has no limit (`null`). */
  readonly creditUnits?: number | null
  /** Units that may be billed in a calendar month (UTC). A new account has no limit (`null`). */
  readonly monthlyUnitsMax?: number | null
}

/** The account and key of a request. */
export interface Caller {
  readonly accountNumber: number
  readonly keyHash: string
  readonly v3Enabled: boolean
}

/** Hashes a key. Only hashes are stored and compared, so that neither files nor timing reveal a key. */
export function hashKey(apiKey: string): string {
  return hash('sha256', apiKey)
}

/**
 * Stores the given accounts. The key of each replaces the key it was given at an earlier start; keys added since and
 * other stored accounts are kept. Throws API_KEY_INVALID for a key that no header can carry, or that two accounts
 * share.
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
  const findHolder = prepare<[string], { accountNumber: number }>(
    database,
    'SELECT account_number AS accountNumber FROM api_keys WHERE key_hash = ?',
  )
  const addKey = database.prepare(
    'INSERT INTO api_keys (key_hash, account_number, created_at_ms, given_at_start) VALUES (?, ?, ?, 1)',
  )
  assertKeys(accounts)
  database
    .transaction(() => {
      for (const { name, apiKey, v3Enabled, creditUnits, monthlyUnitsMax } of accounts) {
        const enabled = v3Enabled === undefined ? null : Number(v3Enabled)
        const accountNumber = upsert.get({ name, v3Enabled: enabled, nowMs })?.accountNumber ?? 0
        if (creditUnits !== undefined) setCredit.run(creditUnits, accountNumber)
        if (monthlyUnitsMax !== undefined) setMonthly.run(monthlyUnitsMax, accountNumber)
        dropKeys.run(accountNumber, hashKey(apiKey))
        const holder = findHolder.get(hashKey(apiKey))?.accountNumber
        if (holder !== undefined && holder !== accountNumber) throw createSharedKeyError()
        if (holder === undefined) addKey.run(hashKey(apiKey), accountNumber, nowMs)
      }
    })
    .immediate()
  createSecrets(database).ensureAll(nowMs)
}

export function assertKeys(accounts: readonly AccountOptions[]): void {
  for (const { name, apiKey } of accounts) {
    if (/^[\x21-\x7e]+$/.test(apiKey)) continue
    throw new UserError('API_KEY_INVALID', `the API key of account ${name} cannot be sent in a header`, {
      hint: 'use printable ASCII without spaces',
    })
  }
  if (new Set(accounts.map(({ apiKey }) => apiKey)).size < accounts.length) throw createSharedKeyError()
}

export function createSharedKeyError(): UserError {
  return new UserError('API_KEY_INVALID', 'two accounts have the same API key', {
    hint: 'give each account a different key',
  })
}

/** The valid keys, by their hash. */
export interface Callers {
  get(keyHash: string): Caller | undefined
}

/** Reads the database at each call (about 5 µs), so that changes by other processes take effect at once. */
export function createStoredCallers(database: Sqlite): Callers {
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

/** Caches each key after its first lookup; for a database that only this process can change. */
export function cacheCallers(callers: Callers): Callers {
  const known = new Map<string, Caller>()
  return {
    get: (keyHash) => {
      const caller = known.get(keyHash) ?? callers.get(keyHash)
      if (caller !== undefined) known.set(keyHash, caller)
      return caller
    },
  }
}

/** Returns the caller whose key is in the header. Throws 401 for a missing, unknown or repeated key. */
export function authenticate(
  callers: Deferrable<Callers>,
  header: string | string[] | undefined,
): Awaitable<Caller> {
  return applyWhenReady(typeof header === 'string' ? callers.get(hashKey(header)) : undefined, (caller) => {
    if (caller === undefined) throw createUnauthorizedRefusal()
    return caller
  })
}

export interface KeyInfo {
  /** `key_` and the first characters of the key's hash, which do not reveal the key. */
  readonly keyId: string
  readonly label: string | null
  readonly createdAtMs: number
  /** Whether the key was given at the start of the service. The next start restores it, even if it was revoked. */
  readonly isGivenAtStart: boolean
}

/** The API keys of an account. Only their hashes are stored. */
export interface Keys {
  list(accountNumber: number): KeyInfo[]
  /** Returns a new key, which cannot be read again later. Throws ACCOUNT_CHANGE_REFUSED if there are too many. */
  add(accountNumber: number, label: string | null, nowMs: number): { apiKey: string; keyId: string }
  /** Revokes a key; its next request gets a 401. Throws ACCOUNT_ITEM_NOT_FOUND. */
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
      const { apiKey, keyHash, keyId } = generateKey()
      insert.run(keyHash, accountNumber, label, nowMs)
      return { apiKey, keyId }
    },
    revoke: (accountNumber, keyId) => {
      const row = stored.all(accountNumber).find(({ keyHash }) => toKeyId(keyHash) === keyId)
      if (row === undefined) throw createKeyNotFoundError(keyId)
      drop.run(row.keyHash)
      return toInfo(row)
    },
  }
}

export function generateKey(): { apiKey: string; keyHash: string; keyId: string } {
  const apiKey = systemRandom.id('enrich_')
  const keyHash = hashKey(apiKey)
  return { apiKey, keyHash, keyId: toKeyId(keyHash) }
}

export function assertRoomForKey(keyCount: number): void {
  if (keyCount < limits.keysPerAccountMax) return
  throw new UserError(
    'ACCOUNT_CHANGE_REFUSED',
    `an account has at most ${limits.keysPerAccountMax} API keys`,
    { hint: 'revoke one first' },
  )
}

export function createKeyNotFoundError(keyId: string): UserError {
  // Do not repeat a key that was given instead of its id.
  const named = keyId.startsWith('key_') ? ` ${keyId}` : ' with this id'
  return new UserError('ACCOUNT_ITEM_NOT_FOUND', `the account has no key${named}`, {
    hint: 'list the ids: enrich accounts keys list NAME',
  })
}

export const toKeyId = (keyHash: string): string => `key_${keyHash.slice(0, 12)}`

const toInfo = ({ keyHash, givenAtStart, ...row }: KeyRow): KeyInfo => ({
  keyId: toKeyId(keyHash),
  ...row,
  isGivenAtStart: givenAtStart === 1,
})
