import { UserError } from '../../core/errors.js'
import { formatAmount, toUnits, type Micros } from '../../core/money.js'

/** Amounts of lookups and of money; `null`: unlimited. */
export interface Allowance {
  readonly lookups: number | null
  readonly costMicros: Micros | null
}

/** Limits what the runs of a server spend together: a run reserves its whole budget before it starts. */
export class SpendingCap {
  #left: Allowance

  constructor(max: Allowance) {
    this.#left = max
  }

  /** The amounts that the next run may reserve. */
  get left(): Allowance {
    const clamp = (amount: number | null) => (amount === null ? null : Math.max(0, amount))
    return { lookups: clamp(this.#left.lookups), costMicros: clamp(this.#left.costMicros) }
  }

  /** Reserves amounts; `null` reserves all that is left. Throws RUN_BUDGET_EXCEEDED. */
  reserve(asked: Allowance, currency: string | null): Allowance {
    const { lookups, costMicros } = this.left
    const granted = { lookups: asked.lookups ?? lookups, costMicros: asked.costMicros ?? costMicros }
    if (lookups !== null && (granted.lookups ?? 0) > lookups) throw createExceededError(`${lookups} lookups`)
    if (costMicros !== null && (granted.costMicros ?? 0) > costMicros)
      throw createExceededError(formatAmount(toUnits(costMicros), currency))
    this.#change(granted, -1)
    return granted
  }

  /** Replaces a reservation by what was billed or may have been. Without a call, all of it counts as spent. */
  settle(granted: Allowance, spent: Allowance): void {
    this.#change(granted, 1)
    this.#change(spent, -1)
  }

  #change(by: Allowance, sign: 1 | -1): void {
    const { lookups, costMicros } = this.#left
    this.#left = {
      lookups: lookups === null ? null : lookups + sign * (by.lookups ?? 0),
      costMicros: costMicros === null ? null : costMicros + sign * (by.costMicros ?? 0),
    }
  }
}

const createExceededError = (left: string): UserError =>
  new UserError(
    'RUN_BUDGET_EXCEEDED',
    `the budget exceeds what runs of this server may still spend: ${left}`,
    {
      hint: 'pass a smaller budget; the user sets the limit of all runs when the server starts',
    },
  )
