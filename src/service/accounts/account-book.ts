import type { Deferrable } from '../../core/awaitable.js'
import { UserError } from '../../core/errors.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { createKeys, type Keys, type Caller } from './accounts.js'
import { createSecrets, type Secrets } from './secrets.js'
import type { Clock } from '../../platform/clock.js'
import { insufficientCredits, monthlyLimitReached } from '../refusal.js'

export interface Credit {
  /**
   * Runs `store`, which must write the charge of one unit durably or reject, if the account may be billed another
   * unit after those in flight. Throws 429 for the monthly limit, then 402. A rejection of `store` is passed on, and
   * nothing was billed.
   */
  charge<Stored>(caller: Pick<Caller, 'accountNumber'>, store: () => Promise<Stored>): Promise<Stored>
}

/** Bills nothing. */
export const freeOfCharge: Credit = { charge: (_caller, store) => store() }

/** Reads the allowance for each charge, so that refunds, grants and changes by other processes count at once. */
export function createCredit(database: Sqlite, clock: Clock): Credit {
  const readAllowance = createAllowanceReader(database)
  const inFlightUnits = new Map<number, number>()
  return {
    charge: async ({ accountNumber }, store) => {
      const { creditUnits, monthUnits } = readAllowance(accountNumber, clock.nowMs())
      const inFlight = inFlightUnits.get(accountNumber) ?? 0
      if (monthUnits !== null && monthUnits <= inFlight) throw monthlyLimitReached()
      if (creditUnits !== null && creditUnits <= inFlight) throw insufficientCredits()
      inFlightUnits.set(accountNumber, inFlight + 1)
      try {
        return await store()
      } finally {
        release(inFlightUnits, accountNumber)
      }
    },
  }
}

function release(inFlightUnits: Map<number, number>, accountNumber: number): void {
  const left = (inFlightUnits.get(accountNumber) ?? 1) - 1
  if (left === 0) inFlightUnits.delete(accountNumber)
  else inFlightUnits.set(accountNumber, left)
}

/** The units that an account may still be billed; `null` without a limit, negative after a limit was lowered. */
export interface Allowance {
  readonly creditUnits: number | null
  /** Units of this calendar month (UTC). */
  readonly monthUnits: number | null
}

/** Returns the calendar month of the ledger's sums, for example `2026-11`. */
export function formatMonth(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 'yyyy-mm'.length)
}

/** Returns a reader of the allowance, which uses the sums of the ledger: about 10 µs however long the ledger is. */
function createAllowanceReader(database: Sqlite): (accountNumber: number, nowMs: number) => Allowance {
  const read = prepare<{ accountNumber: number; month: string }, Allowance>(
    database,
    `SELECT
       credit_units + coalesce((SELECT sum(granted_units + refunded_units - charged_units) FROM usage
         WHERE account_number = @accountNumber), 0) AS creditUnits,
       monthly_units_max - coalesce((SELECT charged_units - refunded_units FROM usage
         WHERE account_number = @accountNumber AND month = @month), 0) AS monthUnits
     FROM accounts WHERE account_number = @accountNumber`,
  )
  return (accountNumber, nowMs) => {
    const allowance = read.get({ accountNumber, month: formatMonth(nowMs) })
    if (allowance === undefined) throw new Error(`account ${accountNumber} is not in the ledger`)
    return allowance
  }
}

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
  ledger(name: string): IterableIterator<BookedUnits>
}

/** An `AccountBook` on SQLite or PostgreSQL. */
export type AnyAccountBook = Deferrable<Omit<AccountBook, 'keys' | 'secrets' | 'ledger'>> & {
  readonly keys: Deferrable<Keys>
  readonly secrets: Deferrable<Secrets>
  readonly ledger: (name: string) => Iterable<BookedUnits> | AsyncIterable<BookedUnits>
}

export function createAccountBook(database: Sqlite): AccountBook {
  const keys = createKeys(database)
  const secrets = createSecrets(database)
  const writer = createWriter(database)
  const reader = createReader(database)
  const inTransaction = <Result>(change: () => Result): Result => database.transaction(change).immediate()
  return {
    keys,
    secrets,
    ...reader,
    add: (name, terms, nowMs) =>
      inTransaction(() => {
        assertAccountName(name)
        if (reader.names().includes(name)) throw createAccountExistsError(name)
        const accountNumber = writer.insert(name, nowMs)
        writer.apply(accountNumber, { ...terms, creditUnits: terms.creditUnits === null ? null : 0 }, nowMs)
        // The first credit is a ledger entry, like later grants.
        if (terms.creditUnits !== null && terms.creditUnits > 0)
          writer.grant(accountNumber, terms.creditUnits, nowMs)
        secrets.ensureAll(nowMs)
        return keys.add(accountNumber, null, nowMs)
      }),
    change: (name, terms, nowMs) => {
      inTransaction(() => {
        writer.apply(reader.getAccountNumber(name), terms, nowMs)
      })
    },
    grant: (name, units, nowMs) => {
      inTransaction(() => {
        if (reader.summary(name, nowMs).creditUnits === null) throw createUnlimitedCreditError(name)
        writer.grant(reader.getAccountNumber(name), units, nowMs)
      })
    },
  }
}

function createWriter(database: Sqlite) {
  const insert = database.prepare(
    'INSERT INTO accounts (name, v3_enabled, credit_units, created_at_ms) VALUES (?, 1, NULL, ?)',
  )
  const setV3 = database.prepare('UPDATE accounts SET v3_enabled = ? WHERE account_number = ?')
  const setMonthly = database.prepare('UPDATE accounts SET monthly_units_max = ? WHERE account_number = ?')
  const setCredit = database.prepare('UPDATE accounts SET credit_units = ? WHERE account_number = ?')
  const grant = database.prepare(
    "INSERT INTO ledger (account_number, kind, units, created_at_ms) VALUES (?, 'grant', ?, ?)",
  )
  const readAllowance = createAllowanceReader(database)
  return {
    insert: (name: string, nowMs: number) => Number(insert.run(name, nowMs).lastInsertRowid),
    grant: (accountNumber: number, units: number, nowMs: number) => {
      grant.run(accountNumber, units, nowMs)
    },
    apply: (accountNumber: number, terms: Partial<AccountTerms>, nowMs: number) => {
      if (terms.v3Enabled !== undefined) setV3.run(Number(terms.v3Enabled), accountNumber)
      if (terms.monthlyUnitsMax !== undefined) setMonthly.run(terms.monthlyUnitsMax, accountNumber)
      if (terms.creditUnits === null) setCredit.run(null, accountNumber)
      if (typeof terms.creditUnits === 'number') {
        // The stored number is added to the ledger's sums: compensate for them, so that `creditUnits` remain.
        setCredit.run(0, accountNumber)
        const booked = readAllowance(accountNumber, nowMs).creditUnits ?? 0
        setCredit.run(terms.creditUnits - booked, accountNumber)
      }
    },
  }
}

interface SummaryRow extends Omit<AccountSummary, 'v3Enabled'> {
  readonly v3Enabled: number
}

function createReader(database: Sqlite) {
  const select = `
    SELECT name, created_at_ms AS createdAtMs, v3_enabled AS v3Enabled, monthly_units_max AS monthlyUnitsMax,
      charged AS chargedUnits, refunded AS refundedUnits, granted AS grantedUnits,
      credit_units + granted + refunded - charged AS creditUnits,
      coalesce((SELECT charged_units - refunded_units FROM usage
        WHERE usage.account_number = accounts.account_number AND month = @month), 0) AS monthUnits,
      (SELECT count(*) FROM api_keys WHERE api_keys.account_number = accounts.account_number) AS keyCount,
      (SELECT count(*) FROM webhook_secrets WHERE webhook_secrets.account_number = accounts.account_number
        AND (expires_at_ms IS NULL OR expires_at_ms > @nowMs)) AS secretCount
    FROM accounts JOIN (
      SELECT accounts.account_number, coalesce(sum(charged_units), 0) AS charged,
        coalesce(sum(refunded_units), 0) AS refunded, coalesce(sum(granted_units), 0) AS granted
      FROM accounts LEFT JOIN usage USING (account_number) GROUP BY accounts.account_number
    ) USING (account_number)`
  const all = prepare<{ month: string; nowMs: number }, SummaryRow>(database, `${select} ORDER BY name`)
  const one = prepare<{ month: string; nowMs: number; name: string }, SummaryRow>(
    database,
    `${select} WHERE name = @name`,
  )
  const number = prepare<[string], { accountNumber: number }>(
    database,
    'SELECT account_number AS accountNumber FROM accounts WHERE name = ?',
  )
  const names = prepare<[], { name: string }>(database, 'SELECT name FROM accounts ORDER BY name')
  const ledger = database.prepare(
    `SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ledger.created_at_ms / 1000, 'unixepoch') AS at, kind, units,
       run_id AS runId, custom_id AS customId
     FROM ledger LEFT JOIN runs USING (run_number) WHERE ledger.account_number = ? ORDER BY entry_number`,
  )
  const listNames = () => names.all().map(({ name }) => name)
  const toSummary = (row: SummaryRow): AccountSummary => ({ ...row, v3Enabled: row.v3Enabled === 1 })
  const findNumber = (name: string): number => {
    const found = number.get(name)
    if (found === undefined) throw createUnknownAccountError(name, listNames())
    return found.accountNumber
  }
  return {
    names: listNames,
    getAccountNumber: findNumber,
    list: (nowMs: number) => all.all({ month: formatMonth(nowMs), nowMs }).map(toSummary),
    summary: (name: string, nowMs: number): AccountSummary => {
      const row = one.get({ month: formatMonth(nowMs), nowMs, name })
      if (row === undefined) throw createUnknownAccountError(name, listNames())
      return toSummary(row)
    },
    ledger: (name: string) => ledger.iterate(findNumber(name)) as IterableIterator<BookedUnits>,
  }
}

export const createAccountExistsError = (name: string): UserError =>
  new UserError('ACCOUNT_EXISTS', `the account ${name} already exists`, {
    hint: 'change it with enrich accounts set, or add a key with enrich accounts keys add',
  })

export const createUnlimitedCreditError = (name: string): UserError =>
  new UserError('ACCOUNT_CHANGE_REFUSED', `the account ${name} has no credit limit that could be raised`, {
    hint: `set a limit: enrich accounts set ${name} --credit N`,
  })

const namesShownMax = 10

export function createUnknownAccountError(name: string, names: readonly string[]): UserError {
  const more = names.length > namesShownMax ? ', …' : ''
  const shown = names.slice(0, namesShownMax).join(', ') + more
  return new UserError('ACCOUNT_NOT_FOUND', `there is no account ${name}`, {
    hint: names.length === 0 ? 'create one: enrich accounts add NAME' : `existing accounts: ${shown}`,
  })
}

export function assertAccountName(name: string): void {
  if (/^[\w.@-]{1,100}$/.test(name)) return
  throw new UserError('ACCOUNT_INVALID', 'this name cannot be used for an account', {
    hint: 'use at most 100 letters, digits and _ . @ -',
  })
}
