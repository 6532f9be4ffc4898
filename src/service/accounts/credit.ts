import type { Clock } from '../../platform/clock.js'
import { type Sqlite, prepare } from '../../platform/sqlite.js'
import { insufficientCredits, monthlyLimitReached } from '../refusal.js'
import type { Caller } from './accounts.js'

export interface Credit {
  /**
   * Runs `store`, which must write the charge of one unit durably or reject, if the account may be billed
   * another unit beside those of all that are in flight. Throws 429 for the month, then 402; whatever
   * `store` rejects with comes through, and then nothing was billed.
   */
  charge<Stored>(caller: Pick<Caller, 'accountNumber'>, store: () => Promise<Stored>): Promise<Stored>
}

/** Nothing is billed. */
export const freeOfCharge: Credit = { charge: (_caller, store) => store() }

/** What is left is read for each charge: refunds, grants and other processes' changes count at once. */
export function createCredit(database: Sqlite, clock: Clock): Credit {
  const readAllowance = allowanceReader(database)
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

/** What an account may still be billed; null where it has no limit. Below zero where a limit was lowered. */
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
    if (allowance === undefined) throw new Error(`account ${accountNumber} is not in the ledger`)
    return allowance
  }
}
