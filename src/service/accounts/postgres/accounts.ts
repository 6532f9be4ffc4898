import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import {
  assertKeys,
  hashKey,
  createSharedKeyError,
  type AccountOptions,
  type Caller,
  type Callers,
} from '../accounts.js'
import type { Deferrable } from '../../../core/awaitable.js'
import type { Clock } from '../../../platform/clock.js'
import { GroupCommit } from '../../../platform/group-commit.js'
import { limits } from '../../limits.js'
import { deliveryLimits } from '../../../contract/limits.js'
import {
  assertRemovable,
  generateSecret,
  createSecretNotFoundError,
  createChangeRefusedError,
  findSecretToRotate,
  type SecretInfo,
  type Secrets,
} from '../secrets.js'
import { lockAccount } from './charges.js'

const valid = 'account_number = $1 AND (expires_at_ms IS NULL OR expires_at_ms > $2)'

/** The signing secrets of accounts that several replicas and commands share. */
export function createSharedSecrets(postgres: Postgres): Deferrable<Secrets> {
  /** Serializes the changes of one account. */
  const withAccountLock = <Result>(
    accountNumber: number,
    change: (statements: PostgresStatements) => Promise<Result>,
  ): Promise<Result> =>
    postgres.transaction(async (statements) => {
      await lockAccount(statements, accountNumber)
      return change(statements)
    })
  return {
    signingSecrets: async (accountNumber, nowMs) => {
      const rows = await postgres.query<{ secret: string }>(
        `SELECT secret FROM enrich_service.webhook_secrets WHERE ${valid}
         ORDER BY created_at_ms DESC, secret_number DESC`,
        [accountNumber, nowMs],
      )
      return rows.map(({ secret }) => secret)
    },
    list: (accountNumber, nowMs) => list(postgres, accountNumber, nowMs),
    show: async (accountNumber, secretId, nowMs) => {
      const [found] = await postgres.query<{ secret: string }>(
        `SELECT secret FROM enrich_service.webhook_secrets WHERE ${valid} AND secret_id = $3`,
        [accountNumber, nowMs, secretId],
      )
      if (found === undefined) throw createSecretNotFoundError(secretId)
      return found.secret
    },
    add: (accountNumber, label, nowMs) =>
      withAccountLock(accountNumber, async (statements) => {
        await assertRoom(statements, accountNumber, nowMs)
        return make(statements, accountNumber, label, nowMs)
      }),
    rotate: (accountNumber, secretId, label, nowMs) =>
      withAccountLock(accountNumber, async (statements) => {
        await statements.query('DELETE FROM enrich_service.webhook_secrets WHERE expires_at_ms <= $1', [
          nowMs,
        ])
        const old = findSecretToRotate(await list(statements, accountNumber, nowMs), secretId)
        await assertRoom(statements, accountNumber, nowMs)
        await statements.query(
          'UPDATE enrich_service.webhook_secrets SET expires_at_ms = $1 WHERE secret_id = $2',
          [nowMs + deliveryLimits.rotatedSecretHours * 3_600_000, old.secretId],
        )
        return make(statements, accountNumber, label ?? old.label, nowMs)
      }),
    remove: (accountNumber, secretId, nowMs) =>
      withAccountLock(accountNumber, async (statements) => {
        assertRemovable(await list(statements, accountNumber, nowMs), secretId)
        await statements.query('DELETE FROM enrich_service.webhook_secrets WHERE secret_id = $1', [secretId])
      }),
    ensureAll: (nowMs) => postgres.transaction((statements) => ensureSecrets(statements, nowMs)),
  }
}

const lacking = `SELECT account_number AS "accountNumber" FROM enrich_service.accounts a
  WHERE NOT EXISTS (SELECT FROM enrich_service.webhook_secrets s
    WHERE s.account_number = a.account_number AND s.expires_at_ms IS NULL)`

/** Gives a secret to each account without one, also if several processes do so at once. */
export async function ensureSecrets(statements: PostgresStatements, nowMs: number): Promise<void> {
  for (const { accountNumber } of await statements.query<{ accountNumber: number }>(lacking)) {
    await lockAccount(statements, accountNumber)
    const still = await statements.query(`${lacking} AND a.account_number = $1`, [accountNumber])
    if (still.length > 0) await make(statements, accountNumber, null, nowMs)
  }
}

function list(statements: PostgresStatements, accountNumber: number, nowMs: number): Promise<SecretInfo[]> {
  return statements.query<SecretInfo>(
    `SELECT secret_id AS "secretId", label, created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs"
     FROM enrich_service.webhook_secrets WHERE ${valid} ORDER BY created_at_ms DESC, secret_number DESC`,
    [accountNumber, nowMs],
  )
}

async function assertRoom(
  statements: PostgresStatements,
  accountNumber: number,
  nowMs: number,
): Promise<void> {
  const all = await list(statements, accountNumber, nowMs)
  if (all.length < limits.secretsPerAccountMax) return
  throw createChangeRefusedError(
    `an account has at most ${limits.secretsPerAccountMax} signing secrets`,
    'delete one first',
  )
}

async function make(
  statements: PostgresStatements,
  accountNumber: number,
  label: string | null,
  nowMs: number,
): Promise<SecretInfo> {
  const { secretId, secret } = generateSecret()
  await statements.query(
    `INSERT INTO enrich_service.webhook_secrets (secret_id, account_number, secret, label, created_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    [secretId, accountNumber, secret, label, nowMs],
  )
  return { secretId, label, createdAtMs: nowMs, expiresAtMs: null }
}

/** Held until the accounts of a start are committed: replicas that start at once store theirs one after the other. */
const startLock = 7_305_511_971

/** Does the same as `storeAccounts`, also if several replicas do so at once. Throws API_KEY_INVALID. */
export async function storeSharedAccounts(
  postgres: Postgres,
  accounts: readonly AccountOptions[],
  nowMs: number,
): Promise<void> {
  assertKeys(accounts)
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
  // A key that is given again stays: running replicas with this key must not miss it for a moment.
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
  if (added?.accountNumber !== accountNumber) throw createSharedKeyError()
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
