import type { DecideReply, DecisionView, LookupDetail, QueueRow } from '../../page-data.js'
import { Refused } from './api.js'
import type { Details, Queue } from './queue-data.js'
import { QueueList } from './queue-panel.js'
import type { RowView } from './row-view.js'

/** Rows after the one that is looked at whose details are read before they are needed. */
const prefetchRows = 4
/** Rows above those that are seen which are asked for with them. */
const aboveRows = 20
/** An answer that came after the queue was changed here is not used, and asked for again. */
const fillTries = 4

export interface NavigationDeps {
  readonly queue: Queue
  readonly details: Details
  readonly row: RowView
  /** A row is shown, or more of it. */
  readonly onShown: () => void
  /** The queue, as it is filtered, has no row. */
  readonly onNone: () => void
  /** Somebody chose a row of the list. */
  readonly onChosen: () => void
  readonly onFailure: (failure: unknown) => void
}

/** Which row is looked at: it stays where it is, whatever comes and goes around it. */
export class Navigation {
  readonly #deps: NavigationDeps
  readonly #list: QueueList
  /** In the queue as it is filtered; null where the row that is shown is not in it. */
  #index: number | null = null
  /** Where to go on from where it is not. */
  #lastIndex = 0
  /** Grows with every row that is gone to: what was waited for before is not shown any more. */
  #visit = 0

  constructor(deps: NavigationDeps) {
    this.#deps = deps
    this.#list = new QueueList({
      rowAt: (index) => deps.queue.rowAt(index),
      count: () => deps.queue.count,
      onChoose: (index) => {
        deps.onChosen()
        void this.goTo(index)
      },
      onSeen: (from, to) => {
        void this.#fill(from, to)
      },
    })
  }

  /** The filters are others: the first row of what they leave. */
  async restart(): Promise<void> {
    this.#index = null
    this.#lastIndex = 0
    this.#visit++
    try {
      await this.#deps.queue.refresh(0, [])
      if (this.#deps.queue.isLoaded) await this.goTo(0)
    } catch (failure) {
      this.#deps.onFailure(failure)
    }
  }

  /** The row at a place, or the nearest there is; shown without waiting where it is known. */
  async goTo(index: number): Promise<void> {
    const { queue } = this.#deps
    const visit = ++this.#visit
    for (let tries = 0; tries < fillTries; tries++) {
      const at = Math.max(0, Math.min(index, queue.count - 1))
      const row = queue.rowAt(at)
      if (row !== null) {
        this.#show(row, at)
        return
      }
      if (queue.count === 0) {
        this.#showNone()
        return
      }
      await this.#fill(at, at + 1)
      if (visit !== this.#visit) return
    }
  }

  move(by: number): Promise<void> {
    const from = this.#index ?? (by > 0 ? this.#lastIndex - 1 : this.#lastIndex)
    return this.goTo(from + by)
  }

  last(): Promise<void> {
    return this.goTo(this.#deps.queue.count - 1)
  }

  /** On from this row, which stays open. Returns whether it began again at the first. */
  skip(): Promise<boolean> {
    const { queue, row } = this.#deps
    if (row.row !== null) this.#list.skip(row.row.lookup)
    return this.#goOn((this.#index ?? this.#lastIndex - 1) + 1, queue.count)
  }

  /**
   * On from a row that was decided, with others perhaps, which are gone from where only open ones are. Returns whether
   * it began again at the first.
   */
  settled(decisions: readonly DecisionView[], counts: DecideReply['page']): Promise<boolean> {
    const { queue } = this.#deps
    const from = this.#index ?? this.#lastIndex
    const gone = queue.decided(decisions, counts, from)
    return this.#goOn(queue.filters.view === 'open' ? from - gone : from + 1, queue.count)
  }

  /** A lookup of whatever place, also of none. `before`: as it was when it was seen last, which is shown without waiting. */
  async showLookup(lookup: string, before: LookupDetail | null = null): Promise<void> {
    const { queue, details, row } = this.#deps
    const visit = ++this.#visit
    if (before !== null) this.#showBefore(before)
    try {
      const [places, detail] = await Promise.all([this.#refreshAround(lookup), details.load(lookup)])
      if (visit !== this.#visit) return
      const index = places?.[lookup] ?? queue.indexOf(lookup)
      this.#index = index
      if (index !== null) this.#lastIndex = index
      this.#list.select(lookup)
      row.show(detail.row, detail)
      if (index === null) this.#list.render()
      else this.#list.reveal(index)
      this.#deps.onShown()
    } catch (failure) {
      this.#deps.onFailure(failure)
    }
  }

  #showBefore(detail: LookupDetail): void {
    this.#index = null
    this.#list.select(detail.row.lookup)
    this.#deps.row.show(detail.row, detail)
    this.#list.render()
    this.#deps.onShown()
  }

  /** Reads the row that is shown again. */
  async reload(): Promise<LookupDetail | null> {
    const { details, row } = this.#deps
    const lookup = row.row?.lookup
    if (lookup === undefined) return null
    details.drop(lookup)
    return this.#showDetail(lookup)
  }

  /** What is different of the queue by now, without moving what is looked at. Throws like the interface. */
  async refresh(): Promise<void> {
    const { queue, row } = this.#deps
    const wasLoaded = queue.isLoaded
    const shownLookup = row.row?.lookup ?? null
    const { from } = this.#list.seen()
    const isSeen = this.#index !== null && this.#list.isSeen(this.#index)
    const anchorIndex = isSeen ? (this.#index ?? from) : from
    const anchor = queue.rowAt(anchorIndex)?.lookup ?? null
    const belowTopPx = this.#list.placeOf(anchorIndex)
    const find = [...new Set([shownLookup, anchor])].filter((lookup) => lookup !== null)
    const places = await queue.refresh(from - aboveRows, find)
    if (places === null) return
    const anchorAt = anchor === null ? undefined : places[anchor]
    if (anchorAt === undefined) this.#list.render()
    else this.#list.putAt(anchorAt, belowTopPx)
    // Another row may have been gone to while the answer was on its way.
    if (row.row === null || !wasLoaded) await this.goTo(this.#lastIndex)
    else if (row.row.lookup === shownLookup) this.#follow(places[shownLookup] ?? null)
    else this.#index = queue.indexOf(row.row.lookup)
  }

  /** The row that is shown is at another place, or in the queue no more; what others decided of it is shown. */
  #follow(index: number | null): void {
    const { queue, details, row } = this.#deps
    const shownRow = row.row
    if (shownRow === null) return
    this.#index = index
    if (index !== null) this.#lastIndex = index
    const now = index === null ? null : queue.rowAt(index)
    if (now !== null && sameState(now, shownRow)) return
    details.drop(shownRow.lookup)
    void this.#showDetail(shownRow.lookup)
  }

  #show(row: QueueRow, index: number): void {
    const { details, row: view, onShown } = this.#deps
    this.#index = index
    this.#lastIndex = index
    const known = details.known(row.lookup)
    this.#list.select(row.lookup)
    view.show(row, known)
    this.#list.reveal(index)
    onShown()
    if (known === null) void this.#showDetail(row.lookup).then(() => this.#prefetch(index))
    else void this.#prefetch(index)
  }

  #showNone(): void {
    this.#index = null
    this.#lastIndex = 0
    this.#list.select(null)
    this.#list.render()
    this.#deps.onNone()
  }

  async #showDetail(lookup: string): Promise<LookupDetail | null> {
    const { details, row, onShown, onFailure } = this.#deps
    try {
      const detail = await details.load(lookup)
      if (row.row?.lookup !== lookup) return null
      row.show(detail.row, detail)
      onShown()
      return detail
    } catch (failure) {
      if (failure instanceof Refused && row.row?.lookup === lookup) row.showFailure(failure.message)
      else onFailure(failure)
      return null
    }
  }

  /** One after the other: a service that candidates are asked of has limits. */
  async #prefetch(index: number): Promise<void> {
    const { queue, details } = this.#deps
    const visit = this.#visit
    try {
      for (let at = index + 1; at <= index + prefetchRows && visit === this.#visit; at++) {
        const row = queue.rowAt(at)
        if (row !== null) await details.load(row.lookup)
      }
    } catch {
      // It is read again, and said, when somebody comes to it.
    }
  }

  async #goOn(index: number, count: number): Promise<boolean> {
    const isRound = index >= count && count > 0
    await this.goTo(isRound ? 0 : index)
    return isRound
  }

  async #refreshAround(lookup: string): Promise<Readonly<Record<string, number>> | null> {
    this.#deps.queue.expect()
    const places = await this.#deps.queue.refresh(this.#list.seen().from - aboveRows, [lookup])
    const at = places?.[lookup]
    if (at !== undefined) await this.#deps.queue.fill(Math.max(0, at - aboveRows), at + aboveRows)
    return places
  }

  async #fill(from: number, to: number): Promise<void> {
    try {
      if (await this.#deps.queue.fill(from, to)) this.#list.render()
    } catch (failure) {
      this.#deps.onFailure(failure)
    }
  }
}

const sameState = (one: QueueRow, other: QueueRow): boolean =>
  one.decision?.sequence === other.decision?.sequence &&
  one.reason === other.reason &&
  one.status === other.status
