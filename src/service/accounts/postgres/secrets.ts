import { deliveryLimits } from '../../../contract/limits.js'
import type { Deferrable } from '../../../core/awaitable.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import {
  assertRemovable,
  newSecret,
  notFound,
  refused,
  toRotate,
  type SecretInfo,
  type Secrets,
} from '../secrets.js'
import { holdAccount } from './hold-account.js'

const valid = 'account_number = $1 AND (expires_at_ms IS NULL OR expires_at_ms > $2)'

/** The signing secrets of accounts that several replicas, and commands beside them, have in common. */
export function createSharedSecrets(postgres: Postgres): Deferrable<Secrets> {
  /** Changes of one account are made one after the other. */
  const changing = <Result>(
    accountNumber: number,
    change: (statements: PostgresStatements) => Promise<Result>,
  ): Promise<Result> =>
    postgres.transaction(async (statements) => {
      await holdAccount(statements, accountNumber)
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
      if (found === undefined) throw notFound(secretId)
      return found.secret
    },
    add: (accountNumber, label, nowMs) =>
      changing(accountNumber, async (statements) => {
        await assertRoom(statements, accountNumber, nowMs)
        return make(statements, accountNumber, label, nowMs)
      }),
    rotate: (accountNumber, secretId, label, nowMs) =>
      changing(accountNumber, async (statements) => {
        await statements.query('DELETE FROM enrich_service.webhook_secrets WHERE expires_at_ms <= $1', [
          nowMs,
        ])
        const old = toRotate(await list(statements, accountNumber, nowMs), secretId)
        await assertRoom(statements, accountNumber, nowMs)
        await statements.query(
          'UPDATE enrich_service.webhook_secrets SET expires_at_ms = $1 WHERE secret_id = $2',
          [nowMs + deliveryLimits.rotatedSecretHours * 3_600_000, old.secretId],
        )
        return make(statements, accountNumber, label ?? old.label, nowMs)
      }),
    remove: (accountNumber, secretId, nowMs) =>
      changing(accountNumber, async (statements) => {
        assertRemovable(await list(statements, accountNumber, nowMs), secretId)
        await statements.query('DELETE FROM enrich_service.webhook_secrets WHERE secret_id = $1', [secretId])
      }),
    ensureAll: (nowMs) => postgres.transaction((statements) => ensureSecrets(statements, nowMs)),
  }
}

const lacking = `SELECT account_number AS "accountNumber" FROM enrich_service.accounts a
  WHERE NOT EXISTS (SELECT FROM enrich_service.webhook_secrets s
    WHERE s.account_number = a.account_number AND s.expires_at_ms IS NULL)`

/** Accounts without any get one, also where several processes see to it at once. */
export async function ensureSecrets(statements: PostgresStatements, nowMs: number): Promise<void> {
  for (const { accountNumber } of await statements.query<{ accountNumber: number }>(lacking)) {
    await holdAccount(statements, accountNumber)
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
  throw refused(`an account has at most ${limits.secretsPerAccountMax} signing secrets`, 'delete one first')
}

async function make(
  statements: PostgresStatements,
  accountNumber: number,
  label: string | null,
  nowMs: number,
): Promise<SecretInfo> {
  const { secretId, secret } = newSecret()
  await statements.query(
    `INSERT INTO enrich_service.webhook_secrets (secret_id, account_number, secret, label, created_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    [secretId, accountNumber, secret, label, nowMs],
  )
  return { secretId, label, createdAtMs: nowMs, expiresAtMs: null }
}
