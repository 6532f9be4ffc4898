import type { Deferrable } from '../../../core/awaitable.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import { assertRoomForKey, idOf, keyNotFound, newKey, type KeyInfo, type Keys } from '../keys.js'
import { holdAccount } from './hold-account.js'

/** The API keys of accounts that several replicas have in common. */
export function createSharedKeys(postgres: Postgres): Deferrable<Keys> {
  return {
    list: async (accountNumber) => (await storedKeys(postgres, accountNumber)).map(toInfo),
    add: (accountNumber, label, nowMs) =>
      postgres.transaction((statements) => addKey(statements, accountNumber, label, nowMs)),
    revoke: (accountNumber, keyId) =>
      postgres.transaction(async (statements) => {
        const stored = await storedKeys(statements, accountNumber)
        const row = stored.find(({ keyHash }) => idOf(keyHash) === keyId)
        if (row === undefined) throw keyNotFound(keyId)
        await statements.query('DELETE FROM enrich_service.api_keys WHERE key_hash = $1', [row.keyHash])
        return toInfo(row)
      }),
  }
}

/** In the open transaction. */
export async function addKey(
  statements: PostgresStatements,
  accountNumber: number,
  label: string | null,
  nowMs: number,
): Promise<{ apiKey: string; keyId: string }> {
  await holdAccount(statements, accountNumber)
  assertRoomForKey((await storedKeys(statements, accountNumber)).length)
  const { apiKey, keyHash, keyId } = newKey()
  await statements.query(
    'INSERT INTO enrich_service.api_keys (key_hash, account_number, label, created_at_ms) VALUES ($1, $2, $3, $4)',
    [keyHash, accountNumber, label, nowMs],
  )
  return { apiKey, keyId }
}

interface StoredKey extends Omit<KeyInfo, 'keyId'> {
  readonly keyHash: string
}

function storedKeys(statements: PostgresStatements, accountNumber: number): Promise<StoredKey[]> {
  return statements.query<StoredKey>(
    `SELECT key_hash AS "keyHash", label, created_at_ms AS "createdAtMs", given_at_start AS "isGivenAtStart"
     FROM enrich_service.api_keys WHERE account_number = $1 ORDER BY created_at_ms, key_hash`,
    [accountNumber],
  )
}

const toInfo = ({ keyHash, ...info }: StoredKey): KeyInfo => ({ keyId: idOf(keyHash), ...info })
