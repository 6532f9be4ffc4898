import type { LookupId } from '../checkpoint/checkpoint.js'
import type { RunCounter } from './run-counter.js'

/**
 * The address that submissions bear. A service that refuses the address refuses every submission with the
 * same 400 as a bad name: until one was accepted with it, a refused lookup is submitted once more without,
 * and only a second refusal is about the lookup. If it is accepted then, the address is left out from there
 * on, and answers are polled.
 */
export class WebhookAddress {
  readonly #url: string | null
  readonly #counter: Pick<RunCounter, 'webhookRefused'>
  /** Submissions in flight that bear it. */
  readonly #bearing = new Set<LookupId>()
  /** Lookups that were refused with it, and why. */
  readonly #refused = new Map<LookupId, string>()
  #isTaken = false
  #isLeftOut = false

  /** `url` is null where no answers are to be sent. */
  constructor(url: string | null, counter: Pick<RunCounter, 'webhookRefused'>) {
    this.#url = url
    this.#counter = counter
  }

  /** Whether answers are expected to be sent. */
  get isInUse(): boolean {
    return this.#url !== null && !this.#isLeftOut
  }

  urlFor(lookupId: LookupId): string | null {
    if (!this.isInUse || this.#refused.has(lookupId)) return null
    this.#bearing.add(lookupId)
    return this.#url
  }

  accepted(lookupId: LookupId): void {
    if (this.#bearing.delete(lookupId)) {
      this.#isTaken = true
      return
    }
    const reason = this.#refused.get(lookupId)
    if (this.#isTaken || this.#isLeftOut || reason === undefined) return
    this.#isLeftOut = true
    this.#counter.webhookRefused(reason)
  }

  /** Whether a lookup that was refused as invalid is to be submitted once more, without the address. */
  mayBeWhy(lookupId: LookupId, reason: string): boolean {
    if (!this.#bearing.delete(lookupId) || this.#isTaken) return false
    this.#refused.set(lookupId, reason)
    return true
  }
}
