import type { LookupId } from '../checkpoint/checkpoint.js'
import type { RunCounter } from './run-counter.js'

/**
 * The webhook URL of submissions. A service that refuses the URL responds with the same 400 as for a bad name. Until a
 * submission with the URL was accepted, a refused lookup is therefore submitted again without it. If that is accepted,
 * the URL is no longer used, and answers are polled.
 */
export class WebhookAddress {
  readonly #url: string | null
  readonly #counter: Pick<RunCounter, 'onWebhookRefused'>
  /** Submissions in flight with the URL. */
  readonly #bearing = new Set<LookupId>()
  /** Lookups refused with the URL, and the reason. */
  readonly #refused = new Map<LookupId, string>()
  #isTaken = false
  #isLeftOut = false

  /** `url` is null if webhooks are not used. */
  constructor(url: string | null, counter: Pick<RunCounter, 'onWebhookRefused'>) {
    this.#url = url
    this.#counter = counter
  }

  /** Whether answers are expected by webhook. */
  get isInUse(): boolean {
    return this.#url !== null && !this.#isLeftOut
  }

  getUrl(lookupId: LookupId): string | null {
    if (!this.isInUse || this.#refused.has(lookupId)) return null
    this.#bearing.add(lookupId)
    return this.#url
  }

  onAccepted(lookupId: LookupId): void {
    if (this.#bearing.delete(lookupId)) {
      this.#isTaken = true
      return
    }
    const reason = this.#refused.get(lookupId)
    if (this.#isTaken || this.#isLeftOut || reason === undefined) return
    this.#isLeftOut = true
    this.#counter.onWebhookRefused(reason)
  }

  /** Whether a lookup refused as invalid must be submitted again without the URL. */
  mayHaveCausedRefusal(lookupId: LookupId, reason: string): boolean {
    if (!this.#bearing.delete(lookupId) || this.#isTaken) return false
    this.#refused.set(lookupId, reason)
    return true
  }
}
