import { UserError } from '../../core/errors.js'
import { systemRandom } from '../../platform/random.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { limits } from '../limits.js'
import { hashKey } from './accounts.js'

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
