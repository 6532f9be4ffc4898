/** What is still to be submitted, and whether anything was: facts that steer, apart from the counts that are shown. */
export class Backlog {
  #leftCount: number
  #hasSubmitted = false

  /** `toSubmitCount`: lookups that this run will submit, as far as its plan knows. */
  constructor(toSubmitCount: number) {
    this.#leftCount = toSubmitCount
  }

  /** Lookups that are still to be submitted. */
  get leftCount(): number {
    return Math.max(0, this.#leftCount)
  }

  /** Whether a submission may have left: from then on the run may have been billed. */
  get hasSubmitted(): boolean {
    return this.#hasSubmitted
  }

  /** A submission is about to leave. */
  submit(): void {
    this.#hasSubmitted = true
  }

  /** A lookup was accepted, rejected or lost: this run does not submit it again. */
  settle(): void {
    this.#leftCount--
  }
}
