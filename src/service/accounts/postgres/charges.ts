import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { formatMonth, type Allowance } from '../account-book.js'
import { insufficientCredits, monthlyLimitReached, type Refusal } from '../../refusal.js'

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
  const rows = await readAllowances(statements, numbers, nowMs)
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

export type AccountAllowance = Allowance & { readonly accountNumber: number }

export function readAllowances(
  statements: PostgresStatements,
  accountNumbers: readonly number[],
  nowMs: number,
): Promise<AccountAllowance[]> {
  return statements.query<AccountAllowance>(
    `SELECT account_number AS "accountNumber",
       credit_units + coalesce((SELECT sum(granted_units + refunded_units - charged_units) FROM enrich_service.usage u
         WHERE u.account_number = a.account_number), 0)::bigint AS "creditUnits",
       monthly_units_max - coalesce((SELECT charged_units - refunded_units FROM enrich_service.usage u
         WHERE u.account_number = a.account_number AND month = $2), 0) AS "monthUnits"
     FROM enrich_service.accounts a WHERE account_number = ANY($1::bigint[])`,
    [accountNumbers, formatMonth(nowMs)],
  )
}

/** Locks the account's row until the transaction ends. Required before changing or billing the account. */
export async function lockAccount(statements: PostgresStatements, accountNumber: number): Promise<void> {
  await statements.query('SELECT FROM enrich_service.accounts WHERE account_number = $1 FOR NO KEY UPDATE', [
    accountNumber,
  ])
}
