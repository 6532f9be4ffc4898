import { createHash } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { unauthorized } from '../refusal.js'

export interface AccountOptions {
  readonly name: string
  readonly apiKey: string
  /** Default true. */
  readonly v3Enabled?: boolean
  /** How many billed units the account may have in all; default: no bound. */
  readonly creditUnits?: number | null
}

/** Whom a key belongs to. */
export interface Caller {
  readonly accountNumber: number
  readonly keyHash: string
  readonly v3Enabled: boolean
  readonly creditUnits: number | null
}

/** Only hashes are stored and compared: neither the file nor the time of a comparison tells a key. */
function hashKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex')
}

/**
 * Stores the accounts given, each with this key as its only one. Accounts stored earlier stay.
 * Throws API_KEY_INVALID for a key that no header can carry or that two accounts share.
 */
export function storeAccounts(database: Sqlite, accounts: readonly AccountOptions[]): void {
  const upsert = database
    .prepare(
      `INSERT INTO accounts (name, v3_enabled, credit_units) VALUES (@name, @v3Enabled, @creditUnits)
       ON CONFLICT (name) DO UPDATE SET v3_enabled = @v3Enabled, credit_units = @creditUnits
       RETURNING account_number`,
    )
    .pluck()
  const dropKeys = database.prepare('DELETE FROM api_keys WHERE account_number = ? OR key_hash = ?')
  const addKey = database.prepare('INSERT INTO api_keys (key_hash, account_number) VALUES (?, ?)')
  checkKeys(accounts)
  database
    .transaction(() => {
      for (const { name, apiKey, v3Enabled = true, creditUnits = null } of accounts) {
        const accountNumber = upsert.get({ name, v3Enabled: v3Enabled ? 1 : 0, creditUnits }) as number
        dropKeys.run(accountNumber, hashKey(apiKey))
        addKey.run(hashKey(apiKey), accountNumber)
      }
    })
    .immediate()
}

function checkKeys(accounts: readonly AccountOptions[]): void {
  for (const { name, apiKey } of accounts) {
    if (/^[\x21-\x7e]+$/.test(apiKey)) continue
    throw new UserError('API_KEY_INVALID', `the API key of account ${name} cannot be sent in a header`, {
      hint: 'a key is printable ASCII without spaces',
    })
  }
  if (new Set(accounts.map(({ apiKey }) => apiKey)).size < accounts.length) {
    throw new UserError('API_KEY_INVALID', 'two accounts have the same API key', {
      hint: 'give each account a key of its own',
    })
  }
}

/** Every key known, by its hash. */
export type Callers = ReadonlyMap<string, Caller>

/** Whose key the header holds. One that is sent twice arrives joined by a comma and is nobody's. */
export function authenticate(callers: Callers, header: string | string[] | undefined): Caller {
  const caller = typeof header === 'string' ? callers.get(hashKey(header)) : undefined
  if (caller === undefined) throw unauthorized()
  return caller
}

export function loadCallers(database: Sqlite): Callers {
  const rows = database
    .prepare(
      `SELECT key_hash, account_number, v3_enabled, credit_units
       FROM api_keys JOIN accounts USING (account_number)`,
    )
    .all() as { key_hash: string; account_number: number; v3_enabled: number; credit_units: number | null }[]
  return new Map(
    rows.map((row) => [
      row.key_hash,
      {
        accountNumber: row.account_number,
        keyHash: row.key_hash,
        v3Enabled: row.v3_enabled === 1,
        creditUnits: row.credit_units,
      },
    ]),
  )
}
