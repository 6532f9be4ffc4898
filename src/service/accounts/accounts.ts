import { hash } from 'node:crypto'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../platform/sql-program.js'
import { UserError } from '../../core/errors.js'
import { type Clock, systemRandom } from '../../platform/clock.js'
import { GroupCommit } from '../../platform/group-commit.js'
import type { Postgres, PostgresStatements } from '../../platform/postgres/postgres.js'
import { inTransaction, query, runProgram, type SqlProgram } from '../../platform/sql-program.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { createUnauthorizedRefusal } from '../refusal.js'
import { lockAccount } from './charges.js'
import { ensureSecrets } from './secrets.js'
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

/** Held until the accounts of a start are committed: replicas that start at once store theirs one after the other. */
const startLock = 7_305_511_971

/**
 * Stores the given accounts. The key of each replaces the key it was given at an earlier start; keys added since and
 * other stored accounts are kept. Throws API_KEY_INVALID for a key that no header can carry, or that two accounts
 * share.
 */
export function storeAccounts(database: Sqlite, accounts: readonly AccountOptions[], nowMs: number): void
export function storeAccounts(
  database: Sqlite | Postgres,
  accounts: readonly AccountOptions[],
  nowMs: number,
): Awaitable<void>
export function storeAccounts(
  database: Sqlite | Postgres,
  accounts: readonly AccountOptions[],
  nowMs: number,
): Awaitable<void> {
  assertKeys(accounts)
  return inTransaction(database, function* () {
    yield* query({ sqlite: null, postgres: `SELECT pg_advisory_xact_lock(${startLock})` })
    for (const account of accounts) yield* storeAccount(account, nowMs)
    yield* ensureSecrets(nowMs)
  })
}

function* storeAccount(
  { name, apiKey, v3Enabled, creditUnits, monthlyUnitsMax }: AccountOptions,
  nowMs: number,
): SqlProgram<void> {
  const keyHash = hashKey(apiKey)
  const [account] = yield* query<{ accountNumber: number }>(
    `INSERT INTO enrich_service.accounts AS a (name, v3_enabled, created_at_ms) VALUES ($1, coalesce($2, true), $3)
     ON CONFLICT (name) DO UPDATE SET v3_enabled = coalesce($2, a.v3_enabled)
     RETURNING account_number AS "accountNumber"`,
    name,
    v3Enabled ?? null,
    nowMs,
  )
  const accountNumber = account?.accountNumber ?? 0
  if (creditUnits !== undefined) yield* setTerm(accountNumber, 'credit_units', creditUnits)
  if (monthlyUnitsMax !== undefined) yield* setTerm(accountNumber, 'monthly_units_max', monthlyUnitsMax)
  // A key that is given again stays: running replicas with this key must not miss it for a moment.
  yield* query(
    'DELETE FROM enrich_service.api_keys WHERE given_at_start AND (account_number = $1) <> (key_hash = $2)',
    accountNumber,
    keyHash,
  )
  const [added] = yield* query<{ accountNumber: number }>(
    `INSERT INTO enrich_service.api_keys AS k (key_hash, account_number, created_at_ms, given_at_start)
     VALUES ($1, $2, $3, true) ON CONFLICT (key_hash) DO UPDATE SET key_hash = k.key_hash
     RETURNING account_number AS "accountNumber"`,
    keyHash,
    accountNumber,
    nowMs,
  )
  if (added?.accountNumber !== accountNumber) throw createSharedKeyError()
}

/** Sets a permission or a limit of an account. */
export const setTerm = (
  accountNumber: number,
  column: 'v3_enabled' | 'credit_units' | 'monthly_units_max',
  value: boolean | number | null,
): SqlProgram<object[]> =>
  query(`UPDATE enrich_service.accounts SET ${column} = $1 WHERE account_number = $2`, value, accountNumber)

function assertKeys(accounts: readonly AccountOptions[]): void {
  for (const { name, apiKey } of accounts) {
    if (/^[\x21-\x7e]+$/.test(apiKey)) continue
    throw new UserError('API_KEY_INVALID', `the API key of account ${name} cannot be sent in a header`, {
      hint: 'use printable ASCII without spaces',
    })
  }
  if (new Set(accounts.map(({ apiKey }) => apiKey)).size < accounts.length) throw createSharedKeyError()
}

function createSharedKeyError(): UserError {
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

interface CachedCaller {
  readonly caller: Caller | undefined
  readonly untilMs: number
}

/**
 * Reads each key at most once a second, and concurrent ones in one query, so that changes by other processes take
 * effect within a second. Unknown keys are cached too.
 */
export function createSharedCallers(postgres: PostgresStatements, clock: Clock): Deferrable<Callers> {
  const known = new Map<string, CachedCaller>()
  const pendingReads = new Map<string, Promise<Caller | undefined>>()
  const reads = new GroupCommit<string, Caller | undefined>(async (keyHashes) => {
    const rows = await postgres.query<Caller>(
      `SELECT k.key_hash AS "keyHash", a.account_number AS "accountNumber", a.v3_enabled AS "v3Enabled"
       FROM enrich_service.api_keys k JOIN enrich_service.accounts a USING (account_number)
       WHERE k.key_hash = ANY($1)`,
      [keyHashes],
    )
    const found = new Map(rows.map((row) => [row.keyHash, row]))
    return keyHashes.map((keyHash) => ({ value: found.get(keyHash) }))
  })
  const readCaller = async (keyHash: string): Promise<Caller | undefined> => {
    try {
      const askedAtMs = clock.monotonicMs()
      const caller = await reads.add(keyHash)
      if (known.size >= limits.callersKeptMax) known.clear()
      known.set(keyHash, { caller, untilMs: askedAtMs + limits.callerLifeMs })
      return caller
    } finally {
      pendingReads.delete(keyHash)
    }
  }
  return {
    get: (keyHash) => {
      const last = known.get(keyHash)
      if (last !== undefined && clock.monotonicMs() < last.untilMs) return last.caller
      const asked = pendingReads.get(keyHash) ?? readCaller(keyHash)
      pendingReads.set(keyHash, asked)
      return asked
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

interface StoredKey extends Omit<KeyInfo, 'keyId' | 'isGivenAtStart'> {
  readonly keyHash: string
  readonly isGivenAtStart: boolean | 0 | 1
}

const readKeys = (accountNumber: number): SqlProgram<StoredKey[]> =>
  query<StoredKey>(
    `SELECT key_hash AS "keyHash", label, created_at_ms AS "createdAtMs", given_at_start AS "isGivenAtStart"
     FROM enrich_service.api_keys WHERE account_number = $1 ORDER BY created_at_ms, key_hash`,
    accountNumber,
  )

/** Adds a key in the open transaction. */
export function* addKey(
  accountNumber: number,
  label: string | null,
  nowMs: number,
): SqlProgram<{ apiKey: string; keyId: string }> {
  yield* lockAccount(accountNumber)
  assertRoomForKey((yield* readKeys(accountNumber)).length)
  const apiKey = systemRandom.id('enrich_')
  const keyHash = hashKey(apiKey)
  yield* query(
    'INSERT INTO enrich_service.api_keys (key_hash, account_number, label, created_at_ms) VALUES ($1, $2, $3, $4)',
    keyHash,
    accountNumber,
    label,
    nowMs,
  )
  return { apiKey, keyId: toKeyId(keyHash) }
}

function* revokeKey(accountNumber: number, keyId: string): SqlProgram<KeyInfo> {
  const row = (yield* readKeys(accountNumber)).find(({ keyHash }) => toKeyId(keyHash) === keyId)
  if (row === undefined) throw createKeyNotFoundError(keyId)
  yield* query('DELETE FROM enrich_service.api_keys WHERE key_hash = $1', row.keyHash)
  return toInfo(row)
}

export function createKeys(database: Sqlite): Keys
export function createKeys(database: Sqlite | Postgres): Deferrable<Keys>
export function createKeys(database: Sqlite | Postgres): Deferrable<Keys> {
  return {
    list: (accountNumber) =>
      applyWhenReady(runProgram(database, readKeys(accountNumber)), (keys) => keys.map(toInfo)),
    add: (accountNumber, label, nowMs) => inTransaction(database, () => addKey(accountNumber, label, nowMs)),
    revoke: (accountNumber, keyId) => inTransaction(database, () => revokeKey(accountNumber, keyId)),
  }
}

function assertRoomForKey(keyCount: number): void {
  if (keyCount < limits.keysPerAccountMax) return
  throw new UserError(
    'ACCOUNT_CHANGE_REFUSED',
    `an account has at most ${limits.keysPerAccountMax} API keys`,
    { hint: 'revoke one first' },
  )
}

function createKeyNotFoundError(keyId: string): UserError {
  // Do not repeat a key that was given instead of its id.
  const named = keyId.startsWith('key_') ? ` ${keyId}` : ' with this id'
  return new UserError('ACCOUNT_ITEM_NOT_FOUND', `the account has no key${named}`, {
    hint: 'list the ids: enrich accounts keys list NAME',
  })
}

const toKeyId = (keyHash: string): string => `key_${keyHash.slice(0, 12)}`

const toInfo = ({ keyHash, isGivenAtStart, ...row }: StoredKey): KeyInfo => ({
  keyId: toKeyId(keyHash),
  ...row,
  isGivenAtStart: Boolean(isGivenAtStart),
})
