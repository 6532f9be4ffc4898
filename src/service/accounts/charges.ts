import type { Clock } from '../../platform/clock.js'
import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import { query, runProgram, type SqlProgram } from '../../platform/sql-program.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { insufficientCredits, monthlyLimitReached, type Refusal } from '../refusal.js'

export interface Credit {
  /**
   * Runs `store`, which must write the charge of one unit durably or reject, if the account may be billed another
   * unit after those in flight. Throws 429 for the monthly limit, then 402. A rejection of `store` is passed on, and
   * nothing was billed.
   */
  charge<Stored>(caller: { readonly accountNumber: number }, store: () => Promise<Stored>): Promise<Stored>
}

/** Bills nothing. */
export const freeOfCharge: Credit = { charge: (_caller, store) => store() }

/** Reads the allowance for each charge, so that refunds, grants and changes by other processes count at once. */
export function createCredit(database: Sqlite, clock: Clock): Credit {
  const inFlightUnits = new Map<number, number>()
  return {
    charge: async ({ accountNumber }, store) => {
      const { creditUnits, monthUnits } = runProgram(database, readAllowance(accountNumber, clock.nowMs()))
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

/** Uses the sums of the ledger, and so takes about 10 µs however long the ledger is. */
const selectAllowances = `SELECT account_number AS "accountNumber",
    credit_units + CAST(coalesce((SELECT sum(granted_units + refunded_units - charged_units) FROM enrich_service.usage u
      WHERE u.account_number = a.account_number), 0) AS bigint) AS "creditUnits",
    monthly_units_max - coalesce((SELECT charged_units - refunded_units FROM enrich_service.usage u
      WHERE u.account_number = a.account_number AND month = $2), 0) AS "monthUnits"
  FROM enrich_service.accounts a WHERE account_number`

type AccountAllowance = Allowance & { readonly accountNumber: number }

export function* readAllowance(accountNumber: number, nowMs: number): SqlProgram<Allowance> {
  const month = formatMonth(nowMs)
  const [allowance] = yield* query<AccountAllowance>(`${selectAllowances} = $1`, accountNumber, month)
  if (allowance === undefined) throw new Error(`account ${accountNumber} is not in the ledger`)
  return allowance
}

/** Prevents other changes and charges of the account until the transaction ends. */
export const lockAccount = (accountNumber: number): SqlProgram<object[]> =>
  query(
    {
      sqlite: null,
      postgres: 'SELECT FROM enrich_service.accounts WHERE account_number = $1 FOR NO KEY UPDATE',
    },
    accountNumber,
  )

/** Takes one unit off an account's allowance. Returns `null` if it was taken, otherwise the refusal. */
export type TakeUnit = (accountNumber: number) => Refusal | null

/**
 * Locks the accounts until the transaction ends, so that no other transaction bills them, and reads the allowance of
 * each. The units taken must be written to the ledger in the same transaction.
 */
export async function lockAccounts(
  statements: PostgresStatements,
  accountNumbers: readonly number[],
  nowMs: number,
): Promise<TakeUnit> {
  const numbers = [...new Set(accountNumbers)]
  // Lock in one order, so that no two transactions wait for each other; and before reading the sums.
  await statements.query(
    `SELECT FROM enrich_service.accounts WHERE account_number = ANY($1::bigint[]) ORDER BY account_number
     FOR NO KEY UPDATE`,
    [numbers],
  )
  const rows = await statements.query<AccountAllowance>(`${selectAllowances} = ANY($1::bigint[])`, [
    numbers,
    formatMonth(nowMs),
  ])
  const left = new Map(rows.map((row) => [row.accountNumber, row]))
  return (accountNumber) => {
    const allowance = left.get(accountNumber)
    if (allowance === undefined) throw new Error(`account ${accountNumber} is not in the ledger`)
    const { creditUnits, monthUnits } = allowance
    if (monthUnits !== null && monthUnits <= 0) return monthlyLimitReached()
    if (creditUnits !== null && creditUnits <= 0) return insufficientCredits()
    left.set(accountNumber, {
      accountNumber,
      creditUnits: creditUnits === null ? null : creditUnits - 1,
      monthUnits: monthUnits === null ? null : monthUnits - 1,
    })
    return null
  }
}

/**
 * Bills a unit without a run, in the open transaction. Throws 429 for the monthly limit, then 402; nothing was billed
 * then, and the transaction must be rolled back.
 */
export async function chargeUnit(
  statements: PostgresStatements,
  accountNumber: number,
  nowMs: number,
): Promise<void> {
  const takeUnit = await lockAccounts(statements, [accountNumber], nowMs)
  const refusal = takeUnit(accountNumber)
  if (refusal !== null) throw refusal
  await statements.query(
    `INSERT INTO enrich_service.ledger (account_number, kind, units, created_at_ms) VALUES ($1, 'charge', 1, $2)`,
    [accountNumber, nowMs],
  )
}
