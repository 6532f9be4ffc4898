import type { LookupId, ToSubmit } from '../checkpoint/checkpoint.js'

/** What is still to be submitted of one kind, and whether anything was: facts that steer, apart from the counts that are shown. */
export class Backlog {
  #leftCount: number
  #hasSubmitted = false
  #isComplete: boolean
  /** To be submitted before anything else: certainly not created. */
  readonly #again: ToSubmit[] = []
  readonly #comingBack = new Set<LookupId>()

  /**
   * `toSubmitCount`: lookups that this run will submit, as far as its plan knows. More may be added until it is
   * complete.
   */
  constructor(toSubmitCount: number, isComplete = true) {
    this.#leftCount = toSubmitCount
    this.#isComplete = isComplete
  }

  /** Lookups that are still to be submitted. */
  get leftCount(): number {
    return Math.max(0, this.#leftCount)
  }

  /** Whether a submission may have left: from then on the run may have been billed. */
  get hasSubmitted(): boolean {
    return this.#hasSubmitted
  }

  /** Whether nothing will be added any more. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  add(toSubmitCount: number): void {
    this.#leftCount += toSubmitCount
  }

  complete(): void {
    this.#isComplete = true
  }

  /** A submission is about to leave. */
  submit(): void {
    this.#hasSubmitted = true
  }

  /** A lookup was accepted, rejected or lost: this run does not submit it again. */
  settle(): void {
    this.#leftCount--
  }

  /** It was withdrawn: still to be submitted, before anything else. */
  putBack(lookup: ToSubmit): void {
    this.#again.push(lookup)
  }

  /** It is about to be brought back: whoever looks for what is new leaves it out, or it would be submitted twice. */
  expectBack(lookupId: LookupId): void {
    this.#comingBack.add(lookupId)
  }

  comesBack(lookupId: LookupId): boolean {
    return this.#comingBack.has(lookupId)
  }

  /** Taken to be created, and it was not. */
  bringBack(lookup: ToSubmit): void {
    this.add(1)
    this.putBack(lookup)
  }

  get hasPutBack(): boolean {
    return this.#again.length > 0
  }

  takePutBack(): ToSubmit | null {
    return this.#again.shift() ?? null
  }
}
