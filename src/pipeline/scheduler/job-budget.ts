import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { lookupKinds, type LookupKind } from '../rules/lookup-kind.js'
import type { Stop } from '../rules/stop.js'

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
