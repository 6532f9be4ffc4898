import { decideAfterFailure, type ReachabilityPolicy } from '../rules/reachability.js'

/**
 * Counts failures in a row. Requests that were in flight together fail together: of those one is counted,
 * or a short break of a busy connection would look like a dead service.
 */
export class FailureStreak {
  #consecutive = 0
  #lastCountedAtMs = -Infinity
  #hasAnswered = false

  constructor(private readonly policy: ReachabilityPolicy) {}

  answered(): void {
    this.#consecutive = 0
    this.#hasAnswered = true
  }

  /** `startedAtMs` and `nowMs` are of the monotonic clock; `fraction` is chance. */
  failed(startedAtMs: number, nowMs: number, fraction: number): ReturnType<typeof decideAfterFailure> {
    if (startedAtMs >= this.#lastCountedAtMs) {
      this.#consecutive++
      this.#lastCountedAtMs = nowMs
    }
    return decideAfterFailure(this.#consecutive, this.#hasAnswered, this.policy, fraction)
  }
}
