import type { Caller } from './accounts.js'
import { insufficientCredits } from '../refusal.js'
import type { RunStore } from '../run-store.js'

export interface Credit {
  /**
   * Takes one unit, so that kickoffs in the air together cannot exceed the credit. Throws 402.
   * The unit must be given back if the kickoff is not stored.
   */
  reserve(caller: Caller): void
  giveBack(caller: Caller): void
}

/** What the ledger holds is read once an account and then counted along. */
export function createCredit(store: Pick<RunStore, 'billedUnits'>): Credit {
  const usedUnits = new Map<number, number>()
  const usedBy = ({ accountNumber }: Caller) =>
    usedUnits.get(accountNumber) ?? store.billedUnits(accountNumber)
  return {
    reserve: (caller) => {
      if (caller.creditUnits === null) return
      const used = usedBy(caller)
      if (used >= caller.creditUnits) throw insufficientCredits()
      usedUnits.set(caller.accountNumber, used + 1)
    },
    giveBack: (caller) => {
      if (caller.creditUnits !== null) usedUnits.set(caller.accountNumber, usedBy(caller) - 1)
    },
  }
}
