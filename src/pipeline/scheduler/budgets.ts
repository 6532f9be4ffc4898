import type { Checkpoint, Refusal, SubmissionBounds, ToSubmit } from '../checkpoint/checkpoint.js'
import { lookupKinds, type LookupKind, type StageKind } from '../lookups/lookup-kind.js'
import { type Stop, isBudgetEnd } from '../figures/stop.js'
import { costMicros, unitsOf, type CostLimit } from '../figures/money.js'

/** Submissions of a job by all its processes that were billed or may have been. */
export interface JobSpending {
  readonly byKind: ReadonlyMap<LookupKind, number>
  /** Submissions of what rows ask themselves, by a name or a domain. */
  readonly byRows: number
}

/** Counts what a job has submitted so far. Exact while nothing is in flight. */
export async function readSpending(checkpoint: Checkpoint): Promise<JobSpending> {
  const byKind = new Map<LookupKind, number>()
  for (const kind of lookupKinds) {
    const own = kind === 'resolution' ? checkpoint : checkpoint.of(kind)
    byKind.set(kind, await own.spent())
  }
  const byDomain = await checkpoint.of('domain').spentByRows()
  return { byKind, byRows: (byKind.get('resolution') ?? 0) + byDomain }
}

/**
 * The submissions that a job may spend on what rows ask themselves, by a name or by a domain: one count for both, since
 * both are billed. Each takes its share before it leaves.
 */
export class JobBudget {
  readonly lookupsMax: number | null
  readonly #onReached: (stop: Stop) => void
  #reservedCount: number
  #reached: Stop | null = null

  /** `spentCount`: by earlier processes of the job. `onReached` is called once more is wanted than is left. */
  constructor(
    lookupsMax: number | null,
    spentCount: number,
    onReached: (stop: Stop) => void = () => undefined,
  ) {
    this.lookupsMax = lookupsMax
    this.#reservedCount = spentCount
    this.#onReached = onReached
  }

  /** Set once more was wanted than was left: what the run ends by. */
  get reached(): Stop | null {
    return this.#reached
  }

  /** False where nothing is left: then it may not be submitted. */
  take(): boolean {
    if (this.lookupsMax !== null && this.#reservedCount >= this.lookupsMax) {
      this.#reach(this.lookupsMax)
      return false
    }
    this.#reservedCount++
    return true
  }

  /** Other processes of the job took the rest. */
  exhaust(): void {
    if (this.lookupsMax === null) return
    this.#reservedCount = Math.max(this.#reservedCount, this.lookupsMax)
    this.#reach(this.lookupsMax)
  }

  /** It was certainly not created. */
  giveBack(): void {
    this.#reservedCount--
  }

  #reach(lookupsMax: number): void {
    this.#reached = { kind: 'lookups_max', lookupsMax }
    this.#onReached(this.#reached)
  }
}

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

export interface KindBudgets {
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
  readonly #deps: KindBudgets
  #count = 0

  constructor(deps: KindBudgets) {
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

interface EndedRun {
  /** What stopped resolutions, or the whole run. */
  readonly stop: Stop | null
  readonly stages: readonly { readonly kind: StageKind; readonly stop: Stop | null }[]
  /** Whether all kinds have one budget together. */
  readonly sharesBudget: boolean
}

/**
 * A job that came to its end, or to that of its budget, is over: the same command is the next one, with a budget of its
 * own. Jobs of kinds that share a budget are over together, or one of them would forget what it took of it.
 * Resolves with whether a budget that was used up is over.
 */
export async function endJobs(
  checkpoint: Checkpoint,
  { stop, stages, sharesBudget }: EndedRun,
  nowMs: number,
): Promise<boolean> {
  const isOver = (reason: Stop | null) => reason === null || isBudgetEnd(reason)
  const kinds = [{ kind: 'resolution' as const, stop }, ...stages]
  if (sharesBudget) {
    const reasons = [stop, ...stages.map((stage) => stage.stop)]
    if (!reasons.every(isOver) && !reasons.some((reason) => reason?.kind === 'cost_max')) return false
    for (const kind of lookupKinds) await checkpoint.of(kind).endJob(nowMs)
    return true
  }
  for (const one of kinds) if (isOver(one.stop)) await checkpoint.of(one.kind).endJob(nowMs)
  return true
}
