import type { ToSubmit } from '../checkpoint/checkpoint.js'
import type { KindContext } from './kind-context.js'

/** Number of lookups read from the checkpoint at once. */
const pageCount = 500

/** Reads the lookups to submit from the checkpoint, page by page, in order. */
export class LookupPages {
  readonly #kind: Pick<KindContext, 'checkpoint' | 'backlog'>
  #page: { position: number; lookup: ToSubmit }[] = []
  #position = 0
  #isExhausted = false
  #isRestarted = false

  constructor(kind: Pick<KindContext, 'checkpoint' | 'backlog'>) {
    this.#kind = kind
  }

  /**
   * Starts again from the first lookup, to find those that other workers gave up. They are not in the plan: the backlog
   * counts them as they are found.
   */
  restart(): void {
    this.#position = 0
    this.#isExhausted = false
    this.#isRestarted = true
  }

  /** Returns the next lookup; `null` if none is left. `isComplete`: no more lookups will be added to the checkpoint. */
  async next(isComplete: boolean): Promise<ToSubmit | null> {
    const { checkpoint, backlog } = this.#kind
    if (this.#page.length === 0 && !this.#isExhausted) {
      this.#page = await checkpoint.read('to_submit', { after: this.#position, count: pageCount })
      this.#isExhausted = isComplete && this.#page.length === 0
      if (this.#isRestarted) backlog.add(this.#page.length)
    }
    for (;;) {
      const entry = this.#page.shift()
      if (entry === undefined) return null
      this.#position = entry.position
      if (!backlog.isRequeued(entry.lookup.lookupId)) return entry.lookup
    }
  }
}
