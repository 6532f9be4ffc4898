import type { LookupId } from '../checkpoint/checkpoint.js'
import type { Tally } from './tally.js'

/**
 * The address that submissions bear. A service that refuses the address refuses every submission with the
 * same 400 as a bad name: until one was accepted with it, a refused lookup is submitted once more without,
 * and only a second refusal is about the lookup. If it is accepted then, the address is left out from there
 * on, and answers are polled.
 */
export class WebhookAddress {
  readonly #url: string | null
  readonly #tally: Tally
  /** Submissions in flight that bear it. */
  readonly #bearing = new Set<LookupId>()
  /** Lookups that were refused with it, and why. */
  readonly #refused = new Map<LookupId, string>()
  #isTaken = false

  constructor(url: string | null, tally: Tally) {
    this.#url = url
    this.#tally = tally
  }

  urlFor(lookupId: LookupId): string | null {
    if (this.#url === null || this.#tally.webhookRefusal !== null || this.#refused.has(lookupId)) return null
    this.#bearing.add(lookupId)
    return this.#url
  }

  accepted(lookupId: LookupId): void {
    if (this.#bearing.delete(lookupId)) this.#isTaken = true
    else if (!this.#isTaken) this.#tally.webhookRefusal ??= this.#refused.get(lookupId) ?? null
  }

  /** Whether a lookup that was refused as invalid is to be submitted once more, without the address. */
  mayBeWhy(lookupId: LookupId, reason: string): boolean {
    if (!this.#bearing.delete(lookupId) || this.#isTaken) return false
    this.#refused.set(lookupId, reason)
    return true
  }
}
