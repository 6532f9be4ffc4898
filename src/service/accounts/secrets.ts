import { randomBytes } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import { deliveryLimits } from '../../contract/limits.js'
import { systemRandom } from '../../platform/random.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
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

export function createSecrets(database: Sqlite): Secrets {
  const valid = 'account_number = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)'
  const signing = prepare<[number, number], { secret: string }>(
    database,
    `SELECT secret FROM webhook_secrets WHERE ${valid} ORDER BY created_at_ms DESC, rowid DESC`,
  )
  const listed = prepare<[number, number], SecretInfo>(
    database,
    `SELECT secret_id AS secretId, label, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs
     FROM webhook_secrets WHERE ${valid} ORDER BY created_at_ms DESC, rowid DESC`,
  )
  const shown = prepare<[number, number, string], { secret: string }>(
    database,
    `SELECT secret FROM webhook_secrets WHERE ${valid} AND secret_id = ?`,
  )
  const insert = prepare<[string, number, string, string | null, number]>(
    database,
    'INSERT INTO webhook_secrets (secret_id, account_number, secret, label, created_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const expire = prepare<[number, string]>(
    database,
    'UPDATE webhook_secrets SET expires_at_ms = ? WHERE secret_id = ?',
  )
  const drop = prepare<[string]>(database, 'DELETE FROM webhook_secrets WHERE secret_id = ?')
  const dropExpired = prepare<[number]>(database, 'DELETE FROM webhook_secrets WHERE expires_at_ms <= ?')
  const without = prepare<[], { accountNumber: number }>(
    database,
    `SELECT account_number AS accountNumber FROM accounts
     WHERE NOT EXISTS (SELECT 1 FROM webhook_secrets
       WHERE webhook_secrets.account_number = accounts.account_number AND expires_at_ms IS NULL)`,
  )

  const make = (accountNumber: number, label: string | null, nowMs: number): SecretInfo => {
    const { secretId, secret } = generateSecret()
    insert.run(secretId, accountNumber, secret, label, nowMs)
    return { secretId, label, createdAtMs: nowMs, expiresAtMs: null }
  }
  const list = (accountNumber: number, nowMs: number) => listed.all(accountNumber, nowMs)
  const assertRoom = (accountNumber: number, nowMs: number) => {
    if (list(accountNumber, nowMs).length < limits.secretsPerAccountMax) return
    throw createChangeRefusedError(
      `an account has at most ${limits.secretsPerAccountMax} signing secrets`,
      'delete one first',
    )
  }
  const inTransaction = <Result>(change: () => Result): Result => database.transaction(change).immediate()

  return {
    signingSecrets: (accountNumber, nowMs) => signing.all(accountNumber, nowMs).map(({ secret }) => secret),
    list,
    show: (accountNumber, secretId, nowMs) => {
      const found = shown.get(accountNumber, nowMs, secretId)
      if (found === undefined) throw createSecretNotFoundError(secretId)
      return found.secret
    },
    add: (accountNumber, label, nowMs) =>
      inTransaction(() => {
        assertRoom(accountNumber, nowMs)
        return make(accountNumber, label, nowMs)
      }),
    rotate: (accountNumber, secretId, label, nowMs) =>
      inTransaction(() => {
        dropExpired.run(nowMs)
        const old = findSecretToRotate(list(accountNumber, nowMs), secretId)
        assertRoom(accountNumber, nowMs)
        expire.run(nowMs + deliveryLimits.rotatedSecretHours * 3_600_000, old.secretId)
        return make(accountNumber, label ?? old.label, nowMs)
      }),
    remove: (accountNumber, secretId, nowMs) => {
      inTransaction(() => {
        assertRemovable(list(accountNumber, nowMs), secretId)
        drop.run(secretId)
      })
    },
    ensureAll: (nowMs) => {
      if (without.all().length === 0) return
      inTransaction(() => {
        for (const { accountNumber } of without.all()) make(accountNumber, null, nowMs)
      })
    },
  }
}

export const generateSecret = (): { secretId: string; secret: string } => ({
  secretId: systemRandom.id('wsec_').slice(0, 'wsec_'.length + 10),
  secret: `whsec_${randomBytes(secretBytes).toString('base64')}`,
})

/** Returns the secret to rotate. See `Secrets.rotate`. */
export function findSecretToRotate(secrets: readonly SecretInfo[], secretId: string | null): SecretInfo {
  const standing = secrets.filter(({ expiresAtMs }) => expiresAtMs === null)
  if (secretId !== null) {
    const named = secrets.find((secret) => secret.secretId === secretId)
    if (named === undefined) throw createSecretNotFoundError(secretId)
    if (named.expiresAtMs !== null)
      throw createChangeRefusedError(`${secretId} was already rotated`, 'it expires by itself')
    return named
  }
  const [only, another] = standing
  if (only === undefined || another !== undefined) {
    throw createChangeRefusedError(
      `the account has ${standing.length} secrets that could be rotated`,
      `pass the id of one: ${standing.map((secret) => secret.secretId).join(', ')}`,
    )
  }
  return only
}

export function assertRemovable(secrets: readonly SecretInfo[], secretId: string): void {
  const named = secrets.find((secret) => secret.secretId === secretId)
  if (named === undefined) throw createSecretNotFoundError(secretId)
  const isLast = !secrets.some((secret) => secret.expiresAtMs === null && secret.secretId !== secretId)
  if (named.expiresAtMs === null && isLast) {
    throw createChangeRefusedError('the last secret cannot be deleted', 'rotate it, then delete the old one')
  }
}

export function createSecretNotFoundError(secretId: string): UserError {
  // Do not repeat a secret that was given instead of its id.
  const named = secretId.startsWith('wsec_') ? ` ${secretId}` : ' with this id'
  return new UserError('ACCOUNT_ITEM_NOT_FOUND', `the account has no secret${named}`, {
    hint: 'list the ids: enrich accounts secrets list NAME',
  })
}

export function createChangeRefusedError(message: string, hint: string): UserError {
  return new UserError('ACCOUNT_CHANGE_REFUSED', message, { hint })
}
