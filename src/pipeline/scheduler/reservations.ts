import type { Refusal, SubmissionBounds, ToSubmit } from '../checkpoint/checkpoint.js'
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

/** What of a refusal is of a budget. */
type BudgetRefusal = Exclude<Refusal, 'elsewhere'>

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

  /** What other processes of the job are held to as well. */
  get bounds(): SubmissionBounds {
    const { lookupsMax, jobBudget, budget } = this.#deps
    return {
      rowsMax: jobBudget.lookupsMax,
      kindMax: lookupsMax,
      priceMicros: budget?.priceMicros ?? 0,
      costMaxMicros: budget?.costMaxMicros ?? null,
    }
  }

  /** Taken here, and refused since other processes of the job took the rest; what that comes to is said as by `take`. */
  refused(lookup: Reserved, refusal: BudgetRefusal): Stop | 'of_rows' {
    const { lookupsMax, jobBudget, budget } = this.#deps
    this.giveBack(lookup)
    if (refusal === 'lookups_max' && lookupsMax !== null) {
      this.#count = Math.max(this.#count, lookupsMax)
      return { kind: 'lookups_max', lookupsMax }
    }
    if (refusal === 'cost_max' && budget !== null) return budget.stop
    jobBudget.exhaust()
    return 'of_rows'
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
