import type { LookupId, ToSubmit } from '../checkpoint/checkpoint.js'

/** Lookups of one kind still to be submitted, and whether any was submitted. Drives the scheduler; not for display. */
export class Backlog {
  #leftCount: number
  #hasSubmitted = false
  #isComplete: boolean
  /** Lookups to submit next: not created by the service. */
  readonly #again: ToSubmit[] = []
  readonly #comingBack = new Set<LookupId>()

  /** `toSubmitCount`: lookups that this run plans to submit. More may be added until the backlog is complete. */
  constructor(toSubmitCount: number, isComplete = true) {
    this.#leftCount = toSubmitCount
    this.#isComplete = isComplete
  }

  /** Lookups still to be submitted. */
  get leftCount(): number {
    return Math.max(0, this.#leftCount)
  }

  /** Whether a submission may have been sent: from then on the run may be billed. */
  get hasSubmitted(): boolean {
    return this.#hasSubmitted
  }

  /** Whether no more lookups will be added. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  add(toSubmitCount: number): void {
    this.#leftCount += toSubmitCount
  }

  complete(): void {
    this.#isComplete = true
  }

  /** Notes that a submission is about to be sent. */
  submit(): void {
    this.#hasSubmitted = true
  }

  /** Notes that a lookup was accepted, rejected or lost: this run does not submit it again. */
  settle(): void {
    this.#leftCount--
  }

  /** Returns a withdrawn lookup to the front of the backlog. */
  putBack(lookup: ToSubmit): void {
    this.#again.push(lookup)
  }

  /** Marks a lookup that will be requeued, so that a read of the checkpoint does not submit it twice. */
  markRequeue(lookupId: LookupId): void {
    this.#comingBack.add(lookupId)
  }

  isRequeued(lookupId: LookupId): boolean {
    return this.#comingBack.has(lookupId)
  }

  /** Adds a lookup again that was assumed to be created and was not. */
  requeue(lookup: ToSubmit): void {
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
