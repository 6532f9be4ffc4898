import type { ToSubmit } from '../checkpoint/checkpoint.js'
import type { Stop } from '../rules/stop.js'
import type { KindBudget } from './cost-budget.js'
import type { JobBudget } from './job-budget.js'

interface ReservationDeps {
  /** Submissions of this kind alone, whoever asks for it; null is no bound. */
  lookupsMax: number | null
  /** Of what rows ask, of whichever kind. */
  jobBudget: JobBudget
  /** Null where the kind costs nothing, or what it costs has no bound. */
  budget: KindBudget | null
}

type Reserved = Pick<ToSubmit, 'isFirst'>

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

  /** Null: it may leave. `of_rows`: rows may ask nothing more, and what follows from answers may; else this kind is over. */
  take({ isFirst }: Reserved): Stop | 'of_rows' | null {
    const { lookupsMax, jobBudget, budget } = this.#deps
    if (lookupsMax !== null && this.#count >= lookupsMax) return { kind: 'lookups_max', lookupsMax }
    if (isFirst === 1 && !jobBudget.take()) return 'of_rows'
    if (budget?.take() === false) {
      if (isFirst === 1) jobBudget.giveBack()
      return budget.stop
    }
    this.#count++
    return null
  }

  /** It was not created, so not billed. */
  giveBack({ isFirst }: Reserved): void {
    this.#count--
    if (isFirst === 1) this.#deps.jobBudget.giveBack()
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
