import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import {
  createAccountExistsError,
  assertAccountName,
  createUnlimitedCreditError,
  createUnknownAccountError,
  type AccountSummary,
  type AccountTerms,
  type AnyAccountBook,
  type BookedUnits,
  formatMonth,
} from '../account-book.js'
import { readAllowances, lockAccount } from './charges.js'
import { createSharedSecrets, ensureSecrets } from './accounts.js'
import type { Deferrable } from '../../../core/awaitable.js'
import {
  assertRoomForKey,
  toKeyId,
  createKeyNotFoundError,
  generateKey,
  type KeyInfo,
  type Keys,
} from '../accounts.js'

/** The API keys of accounts that several replicas share. */
function createSharedKeys(postgres: Postgres): Deferrable<Keys> {
  return {
    list: async (accountNumber) => (await readKeys(postgres, accountNumber)).map(toInfo),
    add: (accountNumber, label, nowMs) =>
      postgres.transaction((statements) => addKey(statements, accountNumber, label, nowMs)),
    revoke: (accountNumber, keyId) =>
      postgres.transaction(async (statements) => {
        const stored = await readKeys(statements, accountNumber)
        const row = stored.find(({ keyHash }) => toKeyId(keyHash) === keyId)
        if (row === undefined) throw createKeyNotFoundError(keyId)
        await statements.query('DELETE FROM enrich_service.api_keys WHERE key_hash = $1', [row.keyHash])
        return toInfo(row)
      }),
  }
}

/** Runs in the open transaction. */
async function addKey(
  statements: PostgresStatements,
  accountNumber: number,
  label: string | null,
  nowMs: number,
): Promise<{ apiKey: string; keyId: string }> {
  await lockAccount(statements, accountNumber)
  assertRoomForKey((await readKeys(statements, accountNumber)).length)
  const { apiKey, keyHash, keyId } = generateKey()
  await statements.query(
    'INSERT INTO enrich_service.api_keys (key_hash, account_number, label, created_at_ms) VALUES ($1, $2, $3, $4)',
    [keyHash, accountNumber, label, nowMs],
  )
  return { apiKey, keyId }
}

interface StoredKey extends Omit<KeyInfo, 'keyId'> {
  readonly keyHash: string
}

function readKeys(statements: PostgresStatements, accountNumber: number): Promise<StoredKey[]> {
  return statements.query<StoredKey>(
    `SELECT key_hash AS "keyHash", label, created_at_ms AS "createdAtMs", given_at_start AS "isGivenAtStart"
     FROM enrich_service.api_keys WHERE account_number = $1 ORDER BY created_at_ms, key_hash`,
    [accountNumber],
  )
}

const toInfo = ({ keyHash, ...info }: StoredKey): KeyInfo => ({ keyId: toKeyId(keyHash), ...info })

/** The accounts of a service on PostgreSQL, usable while its replicas run. Each change is one durable transaction. */
export function createSharedAccountBook(postgres: Postgres): AnyAccountBook {
  return {
    keys: createSharedKeys(postgres),
    secrets: createSharedSecrets(postgres),
    list: (nowMs) => readSummaries(postgres, null, nowMs),
    summary: (name, nowMs) => readSummary(postgres, name, nowMs),
    getAccountNumber: (name) => readAccountNumber(postgres, name),
    add: (name, terms, nowMs) =>
      postgres.transaction(async (statements) => {
        assertAccountName(name)
        const [added] = await statements.query<{ accountNumber: number }>(
          `INSERT INTO enrich_service.accounts (name, v3_enabled, created_at_ms) VALUES ($1, true, $2)
           ON CONFLICT (name) DO NOTHING RETURNING account_number AS "accountNumber"`,
          [name, nowMs],
        )
        if (added === undefined) throw createAccountExistsError(name)
        const { accountNumber } = added
        const { creditUnits } = terms
        await apply(
          statements,
          accountNumber,
          { ...terms, creditUnits: creditUnits === null ? null : 0 },
          nowMs,
        )
        // The first credit is a ledger entry, like later grants.
        if (creditUnits !== null && creditUnits > 0)
          await grant(statements, accountNumber, creditUnits, nowMs)
        await ensureSecrets(statements, nowMs)
        return addKey(statements, accountNumber, null, nowMs)
      }),
    change: (name, terms, nowMs) =>
      postgres.transaction(async (statements) => {
        await apply(statements, await readAccountNumber(statements, name), terms, nowMs)
      }),
    grant: (name, units, nowMs) =>
      postgres.transaction(async (statements) => {
        const accountNumber = await readAccountNumber(statements, name)
        await lockAccount(statements, accountNumber)
        const { creditUnits } = await readSummary(statements, name, nowMs)
        if (creditUnits === null) throw createUnlimitedCreditError(name)
        await grant(statements, accountNumber, units, nowMs)
      }),
    ledger: (name) => readLedger(postgres, name),
  }
}

async function apply(
  statements: PostgresStatements,
  accountNumber: number,
  { v3Enabled, monthlyUnitsMax, creditUnits }: Partial<AccountTerms>,
  nowMs: number,
): Promise<void> {
  // The lock prevents charges between the read and the write below.
  await lockAccount(statements, accountNumber)
  const set = (column: string, value: boolean | number | null) =>
    statements.query(`UPDATE enrich_service.accounts SET ${column} = $1 WHERE account_number = $2`, [
      value,
      accountNumber,
    ])
  if (v3Enabled !== undefined) await set('v3_enabled', v3Enabled)
  if (monthlyUnitsMax !== undefined) await set('monthly_units_max', monthlyUnitsMax)
  if (creditUnits === null) await set('credit_units', null)
  if (typeof creditUnits === 'number') {
    // The stored number is added to the ledger's sums: compensate for them, so that `creditUnits` remain.
    await set('credit_units', 0)
    const [booked] = await readAllowances(statements, [accountNumber], nowMs)
    await set('credit_units', creditUnits - (booked?.creditUnits ?? 0))
  }
}

async function grant(
  statements: PostgresStatements,
  accountNumber: number,
  units: number,
  nowMs: number,
): Promise<void> {
  await statements.query(
    `INSERT INTO enrich_service.ledger (account_number, kind, units, created_at_ms) VALUES ($1, 'grant', $2, $3)`,
    [accountNumber, units, nowMs],
  )
}

async function readAccountNumber(statements: PostgresStatements, name: string): Promise<number> {
  const [found] = await statements.query<{ accountNumber: number }>(
    'SELECT account_number AS "accountNumber" FROM enrich_service.accounts WHERE name = $1',
    [name],
  )
  if (found === undefined) throw await createUnknownError(statements, name)
  return found.accountNumber
}

async function createUnknownError(statements: PostgresStatements, name: string) {
  const rows = await statements.query<{ name: string }>(
    'SELECT name FROM enrich_service.accounts ORDER BY name COLLATE "C"',
  )
  return createUnknownAccountError(
    name,
    rows.map((row) => row.name),
  )
}

async function readSummary(
  statements: PostgresStatements,
  name: string,
  nowMs: number,
): Promise<AccountSummary> {
  const [found] = await readSummaries(statements, name, nowMs)
  if (found === undefined) throw await createUnknownError(statements, name)
  return found
}

function readSummaries(
  statements: PostgresStatements,
  name: string | null,
  nowMs: number,
): Promise<AccountSummary[]> {
  return statements.query<AccountSummary>(
    `SELECT a.name, a.created_at_ms AS "createdAtMs", a.v3_enabled AS "v3Enabled",
       a.monthly_units_max AS "monthlyUnitsMax", charged AS "chargedUnits", refunded AS "refundedUnits",
       granted AS "grantedUnits", a.credit_units + granted + refunded - charged AS "creditUnits",
       coalesce((SELECT charged_units - refunded_units FROM enrich_service.usage u
         WHERE u.account_number = a.account_number AND month = $1), 0) AS "monthUnits",
       (SELECT count(*) FROM enrich_service.api_keys k WHERE k.account_number = a.account_number) AS "keyCount",
       (SELECT count(*) FROM enrich_service.webhook_secrets s WHERE s.account_number = a.account_number
         AND (expires_at_ms IS NULL OR expires_at_ms > $2)) AS "secretCount"
     FROM enrich_service.accounts a CROSS JOIN LATERAL (
       SELECT coalesce(sum(charged_units), 0)::bigint AS charged,
         coalesce(sum(refunded_units), 0)::bigint AS refunded, coalesce(sum(granted_units), 0)::bigint AS granted
       FROM enrich_service.usage u WHERE u.account_number = a.account_number
     ) AS sums
     WHERE a.name = coalesce($3, a.name) ORDER BY a.name COLLATE "C"`,
    [formatMonth(nowMs), nowMs, name],
  )
}

const ledgerPageRows = 1_000

/** Yields the entries from the oldest on, one page at a time: there may be millions. */
async function* readLedger(postgres: Postgres, name: string): AsyncGenerator<BookedUnits> {
  const accountNumber = await readAccountNumber(postgres, name)
  for (let after = 0; ;) {
    const page = await postgres.query<BookedUnits & { entryNumber: number }>(
      `SELECT to_char(to_timestamp(l.created_at_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at,
         l.kind, l.units, r.run_id AS "runId", r.custom_id AS "customId", l.entry_number AS "entryNumber"
       FROM enrich_service.ledger l LEFT JOIN enrich_service.runs r USING (run_number)
       WHERE l.account_number = $1 AND l.entry_number > $2 ORDER BY l.entry_number LIMIT ${ledgerPageRows}`,
      [accountNumber, after],
    )
    for (const { entryNumber, ...entry } of page) {
      after = entryNumber
      yield entry
    }
    if (page.length < ledgerPageRows) return
  }
}
