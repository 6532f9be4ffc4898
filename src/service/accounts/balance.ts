import { prepare, type Sqlite } from '../../platform/sqlite.js'

/** What an account may still be billed; null where it has no bound. Below zero where a bound was lowered. */
export interface Allowance {
  readonly creditUnits: number | null
  /** In this calendar month, UTC. */
  readonly monthUnits: number | null
}

/** The calendar month of the ledger's sums, `2026-11`. */
export function monthOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 'yyyy-mm'.length)
}

/** Reads what is left, from the ledger's own sums: some 10 µs however long the ledger is. */
export function allowanceReader(database: Sqlite): (accountNumber: number, nowMs: number) => Allowance {
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
    const allowance = read.get({ accountNumber, month: monthOf(nowMs) })
    if (allowance === undefined) throw new Error(`account ${accountNumber} is not in the books`)
    return allowance
  }
}
