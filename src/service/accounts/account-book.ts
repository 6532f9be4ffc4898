import type { Deferrable } from '../../platform/sql-program.js'
import { UserError } from '../../core/errors.js'
import type { Postgres } from '../../platform/postgres/postgres.js'
import { inTransaction, query, runProgram, type SqlProgram } from '../../platform/sql-program.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { addKey, createKeys, setTerm, type Keys } from './accounts.js'
import { formatMonth, lockAccount, readAllowance } from './charges.js'
import { createSecrets, ensureSecrets, type Secrets } from './secrets.js'

/** The permissions and limits of an account. `null` means no limit. */
export interface AccountTerms {
  readonly v3Enabled: boolean
  /** Units that may still be billed. */
  readonly creditUnits: number | null
  /** Units that may be billed in a calendar month (UTC). */
  readonly monthlyUnitsMax: number | null
}

export interface AccountSummary extends AccountTerms {
  readonly name: string
  readonly createdAtMs: number
  /** Units charged since the account exists, including those refunded later. */
  readonly chargedUnits: number
  readonly refundedUnits: number
  readonly grantedUnits: number
  /** Units charged and not refunded in the current month. */
  readonly monthUnits: number
  readonly keyCount: number
  readonly secretCount: number
}

/** One line of the ledger. Charges and refunds have the run they belong to, grants have none. */
export interface BookedUnits {
  readonly at: string
  readonly kind: 'charge' | 'refund' | 'grant'
  readonly units: number
  readonly runId: string | null
  readonly customId: string | null
}

/** The accounts of a service, usable while it runs. Each change is one durable transaction. */
export interface AccountBook {
  readonly keys: Keys
  readonly secrets: Secrets
  list(nowMs: number): AccountSummary[]
  /** Throws ACCOUNT_NOT_FOUND, as does every call below that takes a name. */
  summary(name: string, nowMs: number): AccountSummary
  getAccountNumber(name: string): number
  /** Adds an account with a signing secret and its first key. Throws ACCOUNT_EXISTS, ACCOUNT_INVALID. */
  add(name: string, terms: AccountTerms, nowMs: number): { apiKey: string; keyId: string }
  change(name: string, terms: Partial<AccountTerms>, nowMs: number): void
  /** Throws ACCOUNT_CHANGE_REFUSED if the credit has no limit. */
  grant(name: string, units: number, nowMs: number): void
  /** The entries from the oldest on, read on demand: there may be millions. */
  ledger(name: string): AsyncIterable<BookedUnits>
}

/** An `AccountBook` on SQLite or PostgreSQL. */
export type AnyAccountBook = Deferrable<Omit<AccountBook, 'keys' | 'secrets' | 'ledger'>> &
  Pick<AccountBook, 'ledger'> & { readonly keys: Deferrable<Keys>; readonly secrets: Deferrable<Secrets> }

export function createAccountBook(database: Sqlite): AccountBook
export function createAccountBook(database: Sqlite | Postgres): AnyAccountBook
export function createAccountBook(database: Sqlite | Postgres): AnyAccountBook {
  return {
    keys: createKeys(database),
    secrets: createSecrets(database),
    list: (nowMs) => runProgram(database, readSummaries(null, nowMs)),
    summary: (name, nowMs) => runProgram(database, readSummary(name, nowMs)),
    getAccountNumber: (name) => runProgram(database, readAccountNumber(name)),
    add: (name, terms, nowMs) => inTransaction(database, () => addAccount(name, terms, nowMs)),
    change: (name, terms, nowMs) =>
      inTransaction(database, function* () {
        yield* applyTerms(yield* readAccountNumber(name), terms, nowMs)
      }),
    grant: (name, units, nowMs) =>
      inTransaction(database, function* () {
        const accountNumber = yield* readAccountNumber(name)
        yield* lockAccount(accountNumber)
        const { creditUnits } = yield* readSummary(name, nowMs)
        if (creditUnits === null) throw createUnlimitedCreditError(name)
        yield* grantUnits(accountNumber, units, nowMs)
      }),
    ledger: (name) => readLedger(database, name),
  }
}

function* addAccount(
  name: string,
  terms: AccountTerms,
  nowMs: number,
): SqlProgram<{ apiKey: string; keyId: string }> {
  assertAccountName(name)
  const [added] = yield* query<{ accountNumber: number }>(
    `INSERT INTO enrich_service.accounts (name, v3_enabled, created_at_ms) VALUES ($1, true, $2)
     ON CONFLICT (name) DO NOTHING RETURNING account_number AS "accountNumber"`,
    name,
    nowMs,
  )
  if (added === undefined) throw createAccountExistsError(name)
  const { accountNumber } = added
  const { creditUnits } = terms
  yield* applyTerms(accountNumber, { ...terms, creditUnits: creditUnits === null ? null : 0 }, nowMs)
  // The first credit is a ledger entry, like later grants.
  if (creditUnits !== null && creditUnits > 0) yield* grantUnits(accountNumber, creditUnits, nowMs)
  yield* ensureSecrets(nowMs)
  return yield* addKey(accountNumber, null, nowMs)
}

function* applyTerms(
  accountNumber: number,
  { v3Enabled, monthlyUnitsMax, creditUnits }: Partial<AccountTerms>,
  nowMs: number,
): SqlProgram<void> {
  // The lock prevents charges between the read and the write below.
  yield* lockAccount(accountNumber)
  if (v3Enabled !== undefined) yield* setTerm(accountNumber, 'v3_enabled', v3Enabled)
  if (monthlyUnitsMax !== undefined) yield* setTerm(accountNumber, 'monthly_units_max', monthlyUnitsMax)
  if (creditUnits === null) yield* setTerm(accountNumber, 'credit_units', null)
  if (typeof creditUnits === 'number') {
    // The stored number is added to the ledger's sums: compensate for them, so that `creditUnits` remain.
    yield* setTerm(accountNumber, 'credit_units', 0)
    const booked = (yield* readAllowance(accountNumber, nowMs)).creditUnits ?? 0
    yield* setTerm(accountNumber, 'credit_units', creditUnits - booked)
  }
}

const grantUnits = (accountNumber: number, units: number, nowMs: number): SqlProgram<object[]> =>
  query(
    `INSERT INTO enrich_service.ledger (account_number, kind, units, created_at_ms) VALUES ($1, 'grant', $2, $3)`,
    accountNumber,
    units,
    nowMs,
  )

function* readAccountNumber(name: string): SqlProgram<number> {
  const [found] = yield* query<{ accountNumber: number }>(
    'SELECT account_number AS "accountNumber" FROM enrich_service.accounts WHERE name = $1',
    name,
  )
  return found?.accountNumber ?? (yield* throwUnknown(name))
}

function* throwUnknown(name: string): SqlProgram<never> {
  const rows = yield* query<{ name: string }>('SELECT name FROM enrich_service.accounts')
  throw createUnknownAccountError(name, rows.map((row) => row.name).toSorted())
}

function* readSummary(name: string, nowMs: number): SqlProgram<AccountSummary> {
  const [found] = yield* readSummaries(name, nowMs)
  return found ?? (yield* throwUnknown(name))
}

/** Reads one account or, without a name, all of them. */
function* readSummaries(name: string | null, nowMs: number): SqlProgram<AccountSummary[]> {
  const rows = yield* query<Omit<AccountSummary, 'v3Enabled'> & { readonly v3Enabled: boolean | 0 | 1 }>(
    `SELECT a.name, a.created_at_ms AS "createdAtMs", a.v3_enabled AS "v3Enabled",
       a.monthly_units_max AS "monthlyUnitsMax", charged AS "chargedUnits", refunded AS "refundedUnits",
       granted AS "grantedUnits", a.credit_units + granted + refunded - charged AS "creditUnits",
       coalesce((SELECT charged_units - refunded_units FROM enrich_service.usage u
         WHERE u.account_number = a.account_number AND month = $1), 0) AS "monthUnits",
       (SELECT count(*) FROM enrich_service.api_keys k WHERE k.account_number = a.account_number) AS "keyCount",
       (SELECT count(*) FROM enrich_service.webhook_secrets s WHERE s.account_number = a.account_number
         AND (expires_at_ms IS NULL OR expires_at_ms > $2)) AS "secretCount"
     FROM enrich_service.accounts a JOIN (
       SELECT o.account_number, CAST(coalesce(sum(charged_units), 0) AS bigint) AS charged,
         CAST(coalesce(sum(refunded_units), 0) AS bigint) AS refunded,
         CAST(coalesce(sum(granted_units), 0) AS bigint) AS granted
       FROM enrich_service.accounts o LEFT JOIN enrich_service.usage u ON u.account_number = o.account_number
       GROUP BY o.account_number
     ) AS sums ON sums.account_number = a.account_number
     WHERE a.name = coalesce($3, a.name)`,
    formatMonth(nowMs),
    nowMs,
    name,
  )
  return rows
    .map((row) => ({ ...row, v3Enabled: Boolean(row.v3Enabled) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

const ledgerPageRows = 1_000

/** Yields the entries from the oldest on, one page at a time: there may be millions. */
async function* readLedger(database: Sqlite | Postgres, name: string): AsyncGenerator<BookedUnits> {
  const accountNumber = await runProgram(database, readAccountNumber(name))
  for (let after = 0; ;) {
    const page = await runProgram(database, readLedgerPage(accountNumber, after))
    for (const { entryNumber, createdAtMs, ...entry } of page) {
      after = entryNumber
      yield { at: `${new Date(createdAtMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`, ...entry }
    }
    if (page.length < ledgerPageRows) return
  }
}

type LedgerRow = Omit<BookedUnits, 'at'> & { readonly createdAtMs: number; readonly entryNumber: number }

const readLedgerPage = (accountNumber: number, after: number): SqlProgram<LedgerRow[]> =>
  query<LedgerRow>(
    `SELECT l.created_at_ms AS "createdAtMs", l.kind, l.units, r.run_id AS "runId", r.custom_id AS "customId",
       l.entry_number AS "entryNumber"
     FROM enrich_service.ledger l LEFT JOIN enrich_service.runs r ON r.run_number = l.run_number
     WHERE l.account_number = $1 AND l.entry_number > $2 ORDER BY l.entry_number LIMIT ${ledgerPageRows}`,
    accountNumber,
    after,
  )

const createAccountExistsError = (name: string): UserError =>
  new UserError('ACCOUNT_EXISTS', `the account ${name} already exists`, {
    hint: 'change it with enrich accounts set, or add a key with enrich accounts keys add',
  })

const createUnlimitedCreditError = (name: string): UserError =>
  new UserError('ACCOUNT_CHANGE_REFUSED', `the account ${name} has no credit limit that could be raised`, {
    hint: `set a limit: enrich accounts set ${name} --credit N`,
  })

const namesShownMax = 10

function createUnknownAccountError(name: string, names: readonly string[]): UserError {
  const more = names.length > namesShownMax ? ', …' : ''
  const shown = names.slice(0, namesShownMax).join(', ') + more
  return new UserError('ACCOUNT_NOT_FOUND', `there is no account ${name}`, {
    hint: names.length === 0 ? 'create one: enrich accounts add NAME' : `existing accounts: ${shown}`,
  })
}

function assertAccountName(name: string): void {
  if (/^[\w.@-]{1,100}$/.test(name)) return
  throw new UserError('ACCOUNT_INVALID', 'this name cannot be used for an account', {
    hint: 'use at most 100 letters, digits and _ . @ -',
  })
}
