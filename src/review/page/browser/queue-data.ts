import type {
  DecideReply,
  DecisionView,
  QueueFilter,
  QueuePage,
  QueueRow,
  LookupDetail,
} from '../../page-data.js'
import { fetchQueue, fetchDetail } from './api.js'
import type { QueueCounts } from './page-text.js'

/** Rows per request. */
const pageRows = 80

export class Queue {
  filters: QueueFilter = { view: 'open', statuses: [], text: '', sort: 'rows' }
  counts: QueueCounts = { open: 0, decided: 0, openByStatus: {}, isRunGoingOn: false }
  isLoaded = false
  #rows: (QueueRow | null)[] = []
  #version = ''
  /** Incremented by local changes. Responses to earlier requests are discarded. */
  #epoch = 0
  readonly #filling = new Map<number, Promise<boolean>>()

  get updateCounts(): number {
    return this.#rows.length
  }

  /** Empty if the local state differs from the server's last response. */
  get version(): string {
    return this.#version
  }

  getRow(index: number): QueueRow | null {
    return this.#rows[index] ?? null
  }

  findLookup(lookup: string): number | null {
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
    const page = await fetchQueue({ ...this.filters, from: Math.max(0, from), count: pageRows, find })
    if (epoch !== this.#epoch) return null
    this.#count(page)
    if (this.isLoaded && page.version === this.#version) return null
    this.#version = page.version
    this.#rows = Array.from({ length: page.totalCount }, () => null)
    this.#setRows(page)
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
      const page = await fetchQueue({ ...this.filters, from: start, count: pageRows, find: [] })
      if (epoch !== this.#epoch) return false
      // Rows of another version may overlap the loaded ones: the next refresh loads all rows.
      if (page.version !== this.#version) this.#version = ''
      this.#setRows(page)
      return true
    } finally {
      if (epoch === this.#epoch) this.#filling.delete(start)
    }
  }

  /** Applies decisions made here until the next refresh. Returns how many rows above `index` were removed. */
  applyDecisions(decisions: readonly DecisionView[], counts: DecideReply['page'], index: number): number {
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
    this.counts = {
      ...this.counts,
      open: counts.openCount,
      decided: counts.decidedCount,
      openByStatus,
    }
    this.invalidate()
    return goneAbove
  }

  /** Makes the next refresh load the queue even if its version is unchanged. */
  invalidate(): void {
    this.#version = ''
    this.#epoch++
    this.#filling.clear()
  }

  #setRows(page: QueuePage): void {
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
const cachedMax = 60

/** Cache of lookup details. The next rows are loaded early. */
export class Details {
  /** The most recently used is last. */
  readonly #cached = new Map<string, { detail: LookupDetail | null; promise: Promise<LookupDetail> }>()
  readonly #beforeDecision = new Map<string, LookupDetail>()

  /** Returns cached details; `null` if they are not loaded. */
  getLoaded(lookup: string): LookupDetail | null {
    return this.#cached.get(lookup)?.detail ?? null
  }

  /** The lookup was decided: loads its details again on demand, and keeps the old ones in case it is undone. */
  markDecided(lookup: string): void {
    const detail = this.getLoaded(lookup)
    this.drop(lookup)
    if (detail === null) return
    this.#beforeDecision.delete(lookup)
    this.#beforeDecision.set(lookup, detail)
    dropOldest(this.#beforeDecision)
  }

  /** Returns the details before the decision; `null` if they are no longer cached. */
  restoreBefore(lookup: string): LookupDetail | null {
    const detail = this.#beforeDecision.get(lookup) ?? null
    this.#beforeDecision.delete(lookup)
    this.drop(lookup)
    return detail
  }

  load(lookup: string): Promise<LookupDetail> {
    const cached = this.#cached.get(lookup)
    if (cached !== undefined) {
      this.#cached.delete(lookup)
      this.#cached.set(lookup, cached)
      return cached.promise
    }
    const entry = { detail: null as LookupDetail | null, promise: fetchDetail(lookup) }
    this.#cached.set(lookup, entry)
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
    dropOldest(this.#cached)
    return entry.promise
  }

  /** The details are loaded again on demand. */
  drop(lookup: string): void {
    this.#cached.delete(lookup)
  }

  dropAll(): void {
    this.#cached.clear()
    this.#beforeDecision.clear()
  }

  #dropEntry(lookup: string, entry: object): void {
    if (this.#cached.get(lookup) === entry) this.#cached.delete(lookup)
  }
}

function dropOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= cachedMax) break
    kept.delete(oldest)
  }
}
