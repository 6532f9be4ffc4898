import type { LookupDetail } from '../../page-data.js'
import { askDetail } from './api.js'

/** Lookups whose details are kept. */
const keptMax = 60

/** What was read of lookups, or is being read: the next rows are, before anybody comes to them. */
export class Details {
  /** The one used last is the last. */
  readonly #kept = new Map<string, { detail: LookupDetail | null; promise: Promise<LookupDetail> }>()

  /** Without waiting; null where it is not here yet. */
  known(lookup: string): LookupDetail | null {
    return this.#kept.get(lookup)?.detail ?? null
  }

  load(lookup: string): Promise<LookupDetail> {
    const kept = this.#kept.get(lookup)
    if (kept !== undefined) {
      this.#kept.delete(lookup)
      this.#kept.set(lookup, kept)
      return kept.promise
    }
    const entry = { detail: null as LookupDetail | null, promise: askDetail(lookup) }
    this.#kept.set(lookup, entry)
    entry.promise.then(
      (detail) => {
        entry.detail = detail
        // What could not be looked for may be there the next time.
        if (detail.candidatesError !== null) this.#dropEntry(lookup, entry)
      },
      () => {
        this.#dropEntry(lookup, entry)
      },
    )
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptMax) break
      this.#kept.delete(oldest)
    }
    return entry.promise
  }

  /** It is read again when it is needed. */
  drop(lookup: string): void {
    this.#kept.delete(lookup)
  }

  dropAll(): void {
    this.#kept.clear()
  }

  #dropEntry(lookup: string, entry: object): void {
    if (this.#kept.get(lookup) === entry) this.#kept.delete(lookup)
  }
}
