import { randomBytes } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import { deliveryLimits } from '../../contract/limits.js'
import { systemRandom } from '../../platform/clock.js'
import { applyWhenReady, type Deferrable } from '../../platform/sql-program.js'
import type { Postgres } from '../../platform/postgres/postgres.js'
import {
  inTransaction,
  query,
  runProgram,
  type SqlProgram,
  type SqlText,
} from '../../platform/sql-program.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { lockAccount } from './charges.js'
import { limits } from '../limits.js'

/** A signing secret without the secret itself. `expiresAtMs` is `null` unless it was rotated out. */
export interface SecretInfo {
  readonly secretId: string
  readonly label: string | null
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
}

/**
 * The secrets that sign an account's deliveries (interface: "Signature"). Each is `whsec_` and 32 random bytes in
 * base64. They are stored in plain form, because a hash cannot sign: only `signingSecrets` and `show` return them,
 * and neither result may be logged.
 */
export interface Secrets {
  /** Returns the valid secrets, newest first. Reads them each time: another process may have rotated them. */
  signingSecrets(accountNumber: number, nowMs: number): readonly string[]
  list(accountNumber: number, nowMs: number): SecretInfo[]
  /** Throws ACCOUNT_ITEM_NOT_FOUND. */
  show(accountNumber: number, secretId: string, nowMs: number): string
  /** Adds a secret that signs in addition to the others. Throws ACCOUNT_CHANGE_REFUSED if there are too many. */
  add(accountNumber: number, label: string | null, nowMs: number): SecretInfo
  /**
   * Replaces a secret, which remains valid for 24 hours. Without an id, replaces the only one that does not expire.
   * Throws ACCOUNT_ITEM_NOT_FOUND; throws ACCOUNT_CHANGE_REFUSED if the choice is ambiguous, the secret was rotated
   * before, or there are too many.
   */
  rotate(accountNumber: number, secretId: string | null, label: string | null, nowMs: number): SecretInfo
  /**
   * Deletes a secret. Throws ACCOUNT_ITEM_NOT_FOUND; throws ACCOUNT_CHANGE_REFUSED for the last one that does not
   * expire, because the account's deliveries would become unsigned, at once or a day later.
   */
  remove(accountNumber: number, secretId: string, nowMs: number): void
  /** Creates a secret for each account without one: an account has one from its creation. */
  ensureAll(nowMs: number): void
}

const secretBytes = 32

export function createSecrets(database: Sqlite): Secrets
export function createSecrets(database: Sqlite | Postgres): Deferrable<Secrets>
export function createSecrets(database: Sqlite | Postgres): Deferrable<Secrets> {
  return {
    signingSecrets: (accountNumber, nowMs) =>
      applyWhenReady(runProgram(database, readSigning(accountNumber, nowMs)), (rows) =>
        rows.map(({ secret }) => secret),
      ),
    list: (accountNumber, nowMs) => runProgram(database, readSecrets(accountNumber, nowMs)),
    show: (accountNumber, secretId, nowMs) =>
      applyWhenReady(
        runProgram(database, readSigning(accountNumber, nowMs)),
        (rows) => findNamed(rows, secretId).secret,
      ),
    add: (accountNumber, label, nowMs) =>
      inTransaction(database, function* () {
        yield* lockAccount(accountNumber)
        return yield* addSecret(accountNumber, label, nowMs)
      }),
    rotate: (accountNumber, secretId, label, nowMs) =>
      inTransaction(database, function* () {
        yield* lockAccount(accountNumber)
        yield* query('DELETE FROM enrich_service.webhook_secrets WHERE expires_at_ms <= $1', nowMs)
        const old = findSecretToRotate(yield* readSecrets(accountNumber, nowMs), secretId)
        const added = yield* addSecret(accountNumber, label ?? old.label, nowMs)
        const expiresAtMs = nowMs + deliveryLimits.rotatedSecretHours * 3_600_000
        yield* query(
          'UPDATE enrich_service.webhook_secrets SET expires_at_ms = $1 WHERE secret_id = $2',
          expiresAtMs,
          old.secretId,
        )
        return added
      }),
    remove: (accountNumber, secretId, nowMs) =>
      inTransaction(database, function* () {
        yield* lockAccount(accountNumber)
        assertRemovable(yield* readSecrets(accountNumber, nowMs), secretId)
        yield* query('DELETE FROM enrich_service.webhook_secrets WHERE secret_id = $1', secretId)
      }),
    // Most commands find no account without a secret, and write nothing.
    ensureAll: (nowMs) =>
      applyWhenReady(runProgram(database, query(accountsWithoutSecret)), (accounts) =>
        accounts.length === 0 ? undefined : inTransaction(database, () => ensureSecrets(nowMs)),
      ),
  }
}

const accountsWithoutSecret = `SELECT account_number AS "accountNumber" FROM enrich_service.accounts a
  WHERE NOT EXISTS (SELECT 1 FROM enrich_service.webhook_secrets s
    WHERE s.account_number = a.account_number AND s.expires_at_ms IS NULL)`

/** Gives a secret to each account without one, also if several processes do so at once. */
export function* ensureSecrets(nowMs: number): SqlProgram<void> {
  for (const { accountNumber } of yield* query<{ accountNumber: number }>(accountsWithoutSecret)) {
    yield* lockAccount(accountNumber)
    const still = yield* query(`${accountsWithoutSecret} AND a.account_number = $1`, accountNumber)
    if (still.length > 0) yield* insertSecret(accountNumber, null, nowMs)
  }
}

/** Selects the valid secrets, the newest first, also if they are of one millisecond. */
function selectValid(columns: string): SqlText {
  const select = `SELECT ${columns} FROM enrich_service.webhook_secrets
    WHERE account_number = $1 AND (expires_at_ms IS NULL OR expires_at_ms > $2) ORDER BY created_at_ms DESC`
  return { sqlite: `${select}, rowid DESC`, postgres: `${select}, secret_number DESC` }
}

const readSigning = (accountNumber: number, nowMs: number) =>
  query<{ secretId: string; secret: string }>(
    selectValid('secret_id AS "secretId", secret'),
    accountNumber,
    nowMs,
  )

const readSecrets = (accountNumber: number, nowMs: number) =>
  query<SecretInfo>(
    selectValid(
      'secret_id AS "secretId", label, created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs"',
    ),
    accountNumber,
    nowMs,
  )

function* addSecret(accountNumber: number, label: string | null, nowMs: number): SqlProgram<SecretInfo> {
  const { length } = yield* readSecrets(accountNumber, nowMs)
  if (length < limits.secretsPerAccountMax) return yield* insertSecret(accountNumber, label, nowMs)
  throw createChangeRefusedError(
    `an account has at most ${limits.secretsPerAccountMax} signing secrets`,
    'delete one first',
  )
}

function* insertSecret(accountNumber: number, label: string | null, nowMs: number): SqlProgram<SecretInfo> {
  const secretId = systemRandom.id('wsec_').slice(0, 'wsec_'.length + 10)
  yield* query(
    `INSERT INTO enrich_service.webhook_secrets (secret_id, account_number, secret, label, created_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    secretId,
    accountNumber,
    `whsec_${randomBytes(secretBytes).toString('base64')}`,
    label,
    nowMs,
  )
  return { secretId, label, createdAtMs: nowMs, expiresAtMs: null }
}

/** Returns the secret to rotate. See `Secrets.rotate`. */
function findSecretToRotate(secrets: readonly SecretInfo[], secretId: string | null): SecretInfo {
  const standing = secrets.filter(({ expiresAtMs }) => expiresAtMs === null)
  if (secretId !== null) {
    const named = findNamed(secrets, secretId)
    if (named.expiresAtMs !== null)
      throw createChangeRefusedError(`${secretId} was already rotated`, 'it expires by itself')
    return named
  }
  const [only, another] = standing
  if (only !== undefined && another === undefined) return only
  throw createChangeRefusedError(
    `the account has ${standing.length} secrets that could be rotated`,
    `pass the id of one: ${standing.map((secret) => secret.secretId).join(', ')}`,
  )
}

function assertRemovable(secrets: readonly SecretInfo[], secretId: string): void {
  const named = findNamed(secrets, secretId)
  const isLast = !secrets.some((secret) => secret.expiresAtMs === null && secret.secretId !== secretId)
  if (named.expiresAtMs === null && isLast) {
    throw createChangeRefusedError('the last secret cannot be deleted', 'rotate it, then delete the old one')
  }
}

/** Throws ACCOUNT_ITEM_NOT_FOUND. */
function findNamed<T extends { secretId: string }>(secrets: readonly T[], secretId: string): T {
  const found = secrets.find((secret) => secret.secretId === secretId)
  if (found !== undefined) return found
  // Do not repeat a secret that was given instead of its id.
  const named = secretId.startsWith('wsec_') ? ` ${secretId}` : ' with this id'
  throw new UserError('ACCOUNT_ITEM_NOT_FOUND', `the account has no secret${named}`, {
    hint: 'list the ids: enrich accounts secrets list NAME',
  })
}

function createChangeRefusedError(message: string, hint: string): UserError {
  return new UserError('ACCOUNT_CHANGE_REFUSED', message, { hint })
}
