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

/** Rows per request. */
const pageRows = 80

/** The loaded rows of the queue, and their filter. */
export class Queue {
  filters: QueueFilter = { view: 'open', statuses: [], text: '', sort: 'rows' }
  counts: QueueCounts = { open: 0, decided: 0, openByStatus: {}, isRunGoingOn: false }
  isLoaded = false
  #rows: (QueueRow | null)[] = []
  #version = ''
  /** Incremented by local changes. Responses to earlier requests are discarded. */
  #epoch = 0
  readonly #filling = new Map<number, Promise<boolean>>()

  get count(): number {
    return this.#rows.length
  }

  /** Empty if the local state differs from the server's last response. */
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
   * Loads the current queue with the rows around `from`. Returns the places of `find`; `null` if nothing changed, or the
   * response is outdated.
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

  /** Loads missing rows of a range. Resolves to whether any were added. */
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
      // Rows of another version may overlap the loaded ones: the next refresh loads all rows.
      if (page.version !== this.#version) this.#version = ''
      this.#put(page)
      return true
    } finally {
      if (epoch === this.#epoch) this.#filling.delete(start)
    }
  }

  /**
   * Applies decisions made here; the next refresh loads other changes. Returns the number of rows above `index` that were
   * removed.
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

  /** Makes the next refresh load the queue even if its version is unchanged. */
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

/** A decision that is doubtful again has a reason. */
const isOpen = ({ decision, reason }: QueueRow): boolean => decision === null || reason !== null

/** Maximum number of lookups whose details are cached. */
const keptMax = 60

/** Cache of lookup details. The next rows are loaded early. */
export class Details {
  /** The most recently used is last. */
  readonly #kept = new Map<string, { detail: LookupDetail | null; promise: Promise<LookupDetail> }>()
  readonly #settled = new Map<string, LookupDetail>()

  /** Returns cached details; `null` if they are not loaded. */
  known(lookup: string): LookupDetail | null {
    return this.#kept.get(lookup)?.detail ?? null
  }

  /** The lookup was decided: loads its details again on demand, and keeps the old ones in case it is undone. */
  settle(lookup: string): void {
    const detail = this.known(lookup)
    this.drop(lookup)
    if (detail === null) return
    this.#settled.delete(lookup)
    this.#settled.set(lookup, detail)
    cut(this.#settled)
  }

  /** Returns the details before the decision; `null` if they are no longer cached. */
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
        // A failed candidate request may succeed next time.
        if (detail.candidatesError !== null) this.#dropEntry(lookup, entry)
      },
      () => {
        this.#dropEntry(lookup, entry)
      },
    )
    cut(this.#kept)
    return entry.promise
  }

  /** The details are loaded again on demand. */
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
