import type {
  DecideReply,
  DecisionView,
  QueueFilter,
  QueuePage,
  QueueRow,
  LookupDetail,
} from '../../page-data.js'
import { askQueue, askDetail } from './api.js'
import type { QueueCounts } from './page-text.js'

/** Rows that are asked for at once. */
const pageRows = 80

/** The rows of the queue as far as they were looked at, and what they were asked by. */
export class Queue {
  filters: QueueFilter = { view: 'open', statuses: [], text: '', sort: 'rows' }
  counts: QueueCounts = { open: 0, decided: 0, openByStatus: {}, isRunGoingOn: false }
  isLoaded = false
  #rows: (QueueRow | null)[] = []
  #version = ''
  /** Grows with what is changed here: an answer to what was asked before does not fit any more. */
  #epoch = 0
  readonly #filling = new Map<number, Promise<boolean>>()

  get count(): number {
    return this.#rows.length
  }

  /** Empty where something here is not as the server last said it. */
  get version(): string {
    return this.#version
  }

  rowAt(index: number): QueueRow | null {
    return this.#rows[index] ?? null
  }

  indexOf(lookup: string): number | null {
    const index = this.#rows.findIndex((row) => row?.lookup === lookup)
    return index === -1 ? null : index
  }

  setFilters(filters: QueueFilter): void {
    this.filters = filters
    this.#rows = []
    this.isLoaded = false
    this.#version = ''
    this.#epoch++
    this.#filling.clear()
  }

  /**
   * Asks for the queue as it is by now, the rows around `from` with it. Returns the places of `find`; null where
   * nothing is different, or the answer came too late.
   */
  async refresh(from: number, find: readonly string[]): Promise<QueuePage['places'] | null> {
    const epoch = this.#epoch
    const page = await askQueue({ ...this.filters, from: Math.max(0, from), count: pageRows, find })
    if (epoch !== this.#epoch) return null
    this.#count(page)
    if (this.isLoaded && page.version === this.#version) return null
    this.#version = page.version
    this.#rows = Array.from({ length: page.totalCount }, () => null)
    this.#put(page)
    this.isLoaded = true
    this.#epoch++
    this.#filling.clear()
    return page.places
  }

  /** Asks for those rows of a stretch that are not known. Resolves to whether any came. */
  fill(from: number, to: number): Promise<boolean> {
    const first = this.#rows.slice(from, to).indexOf(null)
    if (first === -1) return Promise.resolve(false)
    const start = Math.max(0, Math.min(from + first, to - pageRows))
    const under = this.#filling.get(start)
    if (under !== undefined) return under
    const filling = this.#fillFrom(start)
    this.#filling.set(start, filling)
    return filling
  }

  async #fillFrom(start: number): Promise<boolean> {
    const epoch = this.#epoch
    try {
      const page = await askQueue({ ...this.filters, from: start, count: pageRows, find: [] })
      if (epoch !== this.#epoch) return false
      // Rows of another version may overlap those that are shown: the next refresh asks for all of them again.
      if (page.version !== this.#version) this.#version = ''
      this.#put(page)
      return true
    } finally {
      if (epoch === this.#epoch) this.#filling.delete(start)
    }
  }

  /**
   * What was decided here is known at once; what else changed is asked for by the next refresh. Returns how many rows
   * above `index` are gone by it.
   */
  decided(decisions: readonly DecisionView[], counts: DecideReply['page'], index: number): number {
    const byLookup = new Map(decisions.map((decision) => [decision.lookup, decision]))
    const openByStatus = { ...this.counts.openByStatus }
    const isGone = (row: QueueRow | null) => row !== null && byLookup.has(row.lookup)
    const goneAbove = this.#rows.slice(0, index).filter(isGone).length
    for (const row of this.#rows)
      if (row !== null && isGone(row) && isOpen(row))
        openByStatus[row.status] = Math.max(0, (openByStatus[row.status] ?? 0) - 1)
    this.#rows =
      this.filters.view === 'open'
        ? this.#rows.filter((row) => !isGone(row))
        : this.#rows.map((row) => {
            const decision = row === null ? undefined : byLookup.get(row.lookup)
            return row === null || decision === undefined ? row : { ...row, decision, reason: null }
          })
    this.counts = { ...this.counts, open: counts.openCount, decided: counts.decidedCount, openByStatus }
    this.expect()
    return goneAbove
  }

  /** The next refresh asks for all of it, whatever version it has. */
  expect(): void {
    this.#version = ''
    this.#epoch++
    this.#filling.clear()
  }

  #put(page: QueuePage): void {
    for (const [at, row] of page.rows.entries())
      if (page.from + at < this.#rows.length) this.#rows[page.from + at] = row
  }

  #count({ openCount, decidedCount, openByStatus, isRunGoingOn }: QueuePage): void {
    this.counts = { open: openCount, decided: decidedCount, openByStatus, isRunGoingOn }
  }
}

/** A decided row that came back has a reason. */
const isOpen = ({ decision, reason }: QueueRow): boolean => decision === null || reason !== null

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
