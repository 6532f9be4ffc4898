import type { Refusal, ToSubmit } from '../checkpoint/checkpoint.js'
import type { LookupKind } from '../../core/lookup-state.js'
import type { Stop } from './scheduling.js'
import { calculateCostMicros, toUnits, type CostLimit } from '../../core/money.js'

/** Submissions that a job may spend on its rows. Each submission takes its share before it is sent. */
export class JobBudget {
  readonly #onReached: (stop: Stop) => void
  #reservedCount: number
  #reached: Stop | null = null

  /** `spentCount`: submissions of earlier processes. `onReached`: a request exceeds the budget. */
  constructor(
    readonly lookupsMax: number | null,
    spentCount: number,
    onReached: (stop: Stop) => void = () => undefined,
  ) {
    this.#reservedCount = spentCount
    this.#onReached = onReached
  }

  /** The reason to end the run; null until a request exceeded the budget. */
  get reached(): Stop | null {
    return this.#reached
  }

  /** Takes one submission; false if none is left. */
  take(): boolean {
    const isLeft = this.lookupsMax === null || this.#reservedCount < this.lookupsMax
    if (isLeft) this.#reservedCount++
    else this.#reach(this.lookupsMax)
    return isLeft
  }

  /** Notes that other processes of the job took the rest. */
  markExhausted(): void {
    if (this.lookupsMax === null) return
    this.#reservedCount = Math.max(this.#reservedCount, this.lookupsMax)
    this.#reach(this.lookupsMax)
  }

  /** Returns the share of a submission that was not created. */
  giveBack(): void {
    this.#reservedCount--
  }

  #reach(lookupsMax: number): void {
    this.#reached = { kind: 'lookups_max', lookupsMax }
    this.#onReached(this.#reached)
  }
}

export interface KindBudget {
  /** Price of one submission and limit of the whole job, in millionths of the currency unit. */
  readonly priceMicros: number
  readonly costMaxMicros: number
  /** Takes the price of one submission; false if less is left. */
  take(): boolean
  /** Returns the price of a submission that was not billed. */
  giveBack(): void
  /** Notes that the response was lost; a poll shows whether the submission was created. */
  markUncertain(customId: string): void
  /**
   * Returns the price of a submission that was not created. Prices taken by an earlier process are not returned: their
   * job may have ended.
   */
  onNotCreated(customId: string): void
  readonly stop: Stop
}

/**
 * The cost limit of all kinds of lookups of a job together, over all its processes. A price is taken before the
 * submission is sent, so the bill cannot exceed the budget.
 */
export class CostBudget {
  readonly #limit: CostLimit
  #left: bigint

  /** `spent`: submissions of the job, including earlier processes, that were billed or may have been. */
  constructor(limit: CostLimit, spent: ReadonlyMap<LookupKind, number>) {
    this.#limit = limit
    this.#left = BigInt(limit.costMaxMicros)
    for (const [kind, count] of spent)
      this.#left -= calculateCostMicros(count, limit.prices.byKind[kind] ?? 0)
  }

  /** Returns null if the kind has no price, or the price 0. */
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
      markUncertain: (customId) => supposed.add(customId),
      onNotCreated: (customId) => {
        if (supposed.delete(customId)) giveBack()
      },
      stop: { kind: 'cost_max', costMax: toUnits(costMaxMicros), currency: prices.currency },
    }
  }
}

export interface KindBudgets {
  /** Limit of submissions of this kind; null if unlimited. */
  lookupsMax: number | null
  /** Limit for rows, over all kinds. */
  jobBudget: JobBudget
  /** Null if the kind has no price or no cost limit. */
  budget: KindBudget | null
}

type BudgetRefusal = Exclude<Refusal, 'elsewhere' | 'checkpoint_lost'>

type Reserved = Pick<ToSubmit, 'isOfRow'>

/** Limits the submissions of one kind. A submission is reserved before it is sent, so work in flight counts. */
export class Reservations {
  readonly #deps: KindBudgets
  #count = 0

  constructor(deps: KindBudgets) {
    this.#deps = deps
  }

  /** `spentCount`: submissions by earlier processes of the job. Their cost is part of the budget. */
  begin(spentCount: number): void {
    this.#count = spentCount
  }

  /**
   * Returns null if the submission may be sent; `row_budget_exhausted` if only follow-up lookups may still be
   * submitted; otherwise the reason to stop this kind.
   */
  take({ isOfRow }: Reserved): Stop | 'row_budget_exhausted' | null {
    const { lookupsMax, jobBudget, budget } = this.#deps
    if (lookupsMax !== null && this.#count >= lookupsMax) return { kind: 'lookups_max', lookupsMax }
    if (isOfRow === 1 && !jobBudget.take()) return 'row_budget_exhausted'
    if (budget?.take() === false) {
      if (isOfRow === 1) jobBudget.giveBack()
      return budget.stop
    }
    this.#count++
    return null
  }

  /** Limits that the checkpoint enforces over all processes of the job. */
  get bounds() {
    const { lookupsMax, jobBudget, budget } = this.#deps
    return {
      rowsMax: jobBudget.lookupsMax,
      kindMax: lookupsMax,
      priceMicros: budget?.priceMicros ?? 0,
      costMaxMicros: budget?.costMaxMicros ?? null,
    }
  }

  /** Undoes a reservation that the checkpoint refused. Returns the same values as `take`. */
  onBudgetRefused(lookup: Reserved, refusal: BudgetRefusal): Stop | 'row_budget_exhausted' {
    const { lookupsMax, jobBudget, budget } = this.#deps
    this.giveBack(lookup)
    if (refusal === 'lookups_max' && lookupsMax !== null) {
      this.#count = Math.max(this.#count, lookupsMax)
      return { kind: 'lookups_max', lookupsMax }
    }
    if (refusal === 'cost_max' && budget !== null) return budget.stop
    jobBudget.markExhausted()
    return 'row_budget_exhausted'
  }

  /** Returns the reservation of a submission that was not created. */
  giveBack({ isOfRow }: Reserved): void {
    this.#count--
    if (isOfRow === 1) this.#deps.jobBudget.giveBack()
    this.#deps.budget?.giveBack()
  }

  /** Notes that the response was lost; a poll shows whether the submission was created. */
  noteUncertain(customId: string): void {
    this.#deps.budget?.markUncertain(customId)
  }

  /** Whether a submission counts towards a cost budget. */
  get isPriced(): boolean {
    return this.#deps.budget !== null
  }
}
