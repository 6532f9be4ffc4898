import type { LookupDetail } from '../../page-data.js'
import { askDetail } from './api.js'

/** Lookups whose details are kept. */
const keptMax = 60

/** What was read of lookups, or is being read: the next rows are, before anybody comes to them. */
export class Details {
  /** The one used last is the last. */
  readonly #kept = new Map<string, { detail: LookupDetail | null; promise: Promise<LookupDetail> }>()
  readonly #settled = new Map<string, LookupDetail>()

  /** Without waiting; null where it is not here yet. */
  known(lookup: string): LookupDetail | null {
    return this.#kept.get(lookup)?.detail ?? null
  }

  /** It was decided: read again when it is needed, and known as it was in case that is taken back. */
  settle(lookup: string): void {
    const detail = this.known(lookup)
    this.drop(lookup)
    if (detail === null) return
    this.#settled.delete(lookup)
    this.#settled.set(lookup, detail)
    cut(this.#settled)
  }

  /** As it was before it was decided; null where that is not known any more. */
  unsettle(lookup: string): LookupDetail | null {
    const detail = this.#settled.get(lookup) ?? null
    this.#settled.delete(lookup)
    this.drop(lookup)
    return detail
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
    cut(this.#kept)
    return entry.promise
  }

  /** It is read again when it is needed. */
  drop(lookup: string): void {
    this.#kept.delete(lookup)
  }

  dropAll(): void {
    this.#kept.clear()
    this.#settled.clear()
  }

  #dropEntry(lookup: string, entry: object): void {
    if (this.#kept.get(lookup) === entry) this.#kept.delete(lookup)
  }
}

function cut(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= keptMax) break
    kept.delete(oldest)
  }
}
