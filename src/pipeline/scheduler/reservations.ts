import type { Stop } from '../rules/stop.js'
import type { KindBudget } from './cost-budget.js'

interface ReservationDeps {
  /** Submissions of the job; null is no bound. */
  lookupsMax: number | null
  /** Null where the kind costs nothing, or what it costs has no bound. */
  budget: KindBudget | null
}

/** What one kind may submit of its job. A submission is reserved before it leaves: work in flight counts. */
export class Reservations {
  readonly #deps: ReservationDeps
  #count = 0

  constructor(deps: ReservationDeps) {
    this.#deps = deps
  }

  /** `spentCount`: by earlier processes of the job. What they cost is known to the budget. */
  begin(spentCount: number): void {
    this.#count = spentCount
  }

  /** Null: it may leave; otherwise, what there is no more of. */
  take(): Stop | null {
    const { lookupsMax, budget } = this.#deps
    if (lookupsMax !== null && this.#count >= lookupsMax) return { kind: 'lookups_max', lookupsMax }
    if (budget?.take() === false) return budget.stop
    this.#count++
    return null
  }

  /** It was not created, so not billed. */
  giveBack(): void {
    this.#count--
    this.#deps.budget?.giveBack()
  }

  /** Its answer was lost, and a poll will tell whether it was created. */
  mayComeBack(customId: string): void {
    this.#deps.budget?.mayComeBack(customId)
  }

  /** Whether a submission that may have been taken has a price that is counted. */
  get isPriced(): boolean {
    return this.#deps.budget !== null
  }
}
