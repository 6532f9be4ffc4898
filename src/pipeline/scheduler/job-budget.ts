import type { Stop } from '../rules/stop.js'

/**
 * The submissions that a job may spend on what rows ask themselves, by a name or by a domain: one count for both, since
 * both are billed. Each takes its share before it leaves.
 */
export class JobBudget {
  readonly lookupsMax: number | null
  #reservedCount: number
  #reached: Stop | null = null

  /** `spentCount`: by earlier processes of the job. */
  constructor(lookupsMax: number | null, spentCount: number) {
    this.lookupsMax = lookupsMax
    this.#reservedCount = spentCount
  }

  /** Set once more was wanted than was left: what the run ends by. */
  get reached(): Stop | null {
    return this.#reached
  }

  /** False where nothing is left: then it may not be submitted. */
  take(): boolean {
    if (this.lookupsMax !== null && this.#reservedCount >= this.lookupsMax) {
      this.#reached = { kind: 'lookups_max', lookupsMax: this.lookupsMax }
      return false
    }
    this.#reservedCount++
    return true
  }

  /** Other processes of the job took the rest. */
  exhaust(): void {
    if (this.lookupsMax === null) return
    this.#reservedCount = Math.max(this.#reservedCount, this.lookupsMax)
    this.#reached = { kind: 'lookups_max', lookupsMax: this.lookupsMax }
  }

  /** It was certainly not created. */
  giveBack(): void {
    this.#reservedCount--
  }
}
