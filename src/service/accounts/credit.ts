import type { Clock } from '../../platform/clock.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { insufficientCredits, monthlyLimitReached } from '../refusal.js'
import type { Caller } from './accounts.js'
import { allowanceReader } from './balance.js'

export interface Credit {
  /**
   * Runs `store`, which must write the charge of one unit durably or reject, if the account may be billed
   * another unit beside those of all that are in flight. Throws 429 for the month, then 402; whatever
   * `store` rejects with comes through, and then nothing was billed.
   */
  charge<Stored>(caller: Pick<Caller, 'accountNumber'>, store: () => Promise<Stored>): Promise<Stored>
}

/** What is left is read for each charge: refunds, grants and other processes' changes count at once. */
export function createCredit(database: Sqlite, clock: Clock): Credit {
  const readAllowance = allowanceReader(database)
  const inAirUnits = new Map<number, number>()
  return {
    charge: async ({ accountNumber }, store) => {
      const { creditUnits, monthUnits } = readAllowance(accountNumber, clock.nowMs())
      const inAir = inAirUnits.get(accountNumber) ?? 0
      if (monthUnits !== null && monthUnits <= inAir) throw monthlyLimitReached()
      if (creditUnits !== null && creditUnits <= inAir) throw insufficientCredits()
      inAirUnits.set(accountNumber, inAir + 1)
      try {
        return await store()
      } finally {
        landed(inAirUnits, accountNumber)
      }
    },
  }
}

function landed(inAirUnits: Map<number, number>, accountNumber: number): void {
  const left = (inAirUnits.get(accountNumber) ?? 1) - 1
  if (left === 0) inAirUnits.delete(accountNumber)
  else inAirUnits.set(accountNumber, left)
}
