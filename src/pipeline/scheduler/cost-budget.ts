import type { LookupKind } from '../rules/lookup-kind.js'
import { costMicros, unitsOf, type CostLimit } from '../rules/money.js'
import type { Stop } from '../rules/stop.js'

/** The share of one kind in what a job may cost. */
export interface KindBudget {
  /** Of one submission, and of all of the job, in millionths. */
  readonly priceMicros: number
  readonly costMaxMicros: number
  /** Takes the price of one submission; false where there is not so much left. */
  take(): boolean
  /** A submission was not billed: its price is there again. */
  giveBack(): void
  /** Its answer was lost, and a poll will tell whether it was taken. */
  mayComeBack(customId: string): void
  /** It was not. What an earlier process took is not given back here: it may be of a job that is over. */
  disproved(customId: string): void
  readonly stop: Stop
}

/**
 * What all kinds of lookups of a job may cost together, whichever process submits them: a price is taken before its
 * submission leaves, so that the bill cannot exceed the budget, whatever becomes of what is in flight.
 */
export class CostBudget {
  readonly #limit: CostLimit
  #left: bigint

  /** `spent`: submissions of the job, by earlier processes too, that were billed or may have been. */
  constructor(limit: CostLimit, spent: ReadonlyMap<LookupKind, number>) {
    this.#limit = limit
    this.#left = BigInt(limit.costMaxMicros)
    for (const [kind, count] of spent) this.#left -= costMicros(count, limit.prices.byKind[kind] ?? 0)
  }

  /** Null where the kind costs nothing. */
  of(kind: LookupKind): KindBudget | null {
    const { prices, costMaxMicros } = this.#limit
    const price = BigInt(prices.byKind[kind] ?? 0)
    if (price === 0n) return null
    const supposed = new Set<string>()
    const giveBack = () => {
      this.#left += price
    }
    return {
      priceMicros: Number(price),
      costMaxMicros,
      take: () => {
        if (this.#left < price) return false
        this.#left -= price
        return true
      },
      giveBack,
      mayComeBack: (customId) => supposed.add(customId),
      disproved: (customId) => {
        if (supposed.delete(customId)) giveBack()
      },
      stop: { kind: 'cost_max', costMax: unitsOf(costMaxMicros), currency: prices.currency },
    }
  }
}
