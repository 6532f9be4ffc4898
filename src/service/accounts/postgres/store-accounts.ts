import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import { checkKeys, hashKey, sharedKey, type AccountOptions } from '../accounts.js'
import { ensureSecrets } from './secrets.js'

/** Who stores accounts at a start holds it until it commits: replicas that start at once do so one after the other. */
const startLock = 7_305_511_971

/**
 * What `storeAccounts` does, where other replicas may be doing the same at this moment, or run with the same accounts.
 * Throws API_KEY_INVALID.
 */
export async function storeSharedAccounts(
  postgres: Postgres,
  accounts: readonly AccountOptions[],
  nowMs: number,
): Promise<void> {
  checkKeys(accounts)
  await postgres.transaction(async (statements) => {
    await statements.query('SELECT pg_advisory_xact_lock($1)', [startLock])
    for (const account of accounts) await storeOne(statements, account, nowMs)
    await ensureSecrets(statements, nowMs)
  })
}

async function storeOne(
  statements: PostgresStatements,
  { name, apiKey, v3Enabled, creditUnits, monthlyUnitsMax }: AccountOptions,
  nowMs: number,
): Promise<void> {
  const keyHash = hashKey(apiKey)
  const [account] = await statements.query<{ accountNumber: number }>(
    `INSERT INTO enrich_service.accounts AS a (name, v3_enabled, created_at_ms) VALUES ($1, coalesce($2, true), $3)
     ON CONFLICT (name) DO UPDATE SET v3_enabled = coalesce($2, a.v3_enabled)
     RETURNING account_number AS "accountNumber"`,
    [name, v3Enabled ?? null, nowMs],
  )
  const accountNumber = account?.accountNumber ?? 0
  await statements.query(
    `UPDATE enrich_service.accounts SET
       credit_units = CASE WHEN $2 THEN $3::bigint ELSE credit_units END,
       monthly_units_max = CASE WHEN $4 THEN $5::bigint ELSE monthly_units_max END
     WHERE account_number = $1`,
    [
      accountNumber,
      creditUnits !== undefined,
      creditUnits ?? null,
      monthlyUnitsMax !== undefined,
      monthlyUnitsMax ?? null,
    ],
  )
  // A key that is given again stays: replicas that run with it must not miss it for a moment.
  await statements.query(
    `DELETE FROM enrich_service.api_keys
     WHERE given_at_start AND (account_number = $1) <> (key_hash = $2)`,
    [accountNumber, keyHash],
  )
  const [added] = await statements.query<{ accountNumber: number }>(
    `INSERT INTO enrich_service.api_keys AS k (key_hash, account_number, created_at_ms, given_at_start)
     VALUES ($1, $2, $3, true) ON CONFLICT (key_hash) DO UPDATE SET key_hash = k.key_hash
     RETURNING account_number AS "accountNumber"`,
    [keyHash, accountNumber, nowMs],
  )
  if (added?.accountNumber !== accountNumber) throw sharedKey()
}
