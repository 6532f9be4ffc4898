import type { DecideReply, DecisionView, LookupDetail, QueueRow } from '../../page-data.js'
import { RequestRefused } from './api.js'
import type { Details, Queue } from './queue-data.js'
import { QueueList } from './queue-panel.js'
import type { RowView } from './row-view.js'

/** Following rows whose details are loaded early. */
const prefetchRows = 4
/** Rows above the visible ones that are loaded with them. */
const aboveRows = 20
/** Attempts to load rows. A response is discarded if the queue changed during the request. */
const fillTries = 4

export interface NavigationDeps {
  readonly queue: Queue
  readonly details: Details
  readonly row: RowView
  /** A row, or more of its details, is displayed. */
  readonly onShown: () => void
  /** No row matches the filters. */
  readonly onNone: () => void
  /** The reviewer selected a row in the list. */
  readonly onChosen: () => void
  readonly onFailure: (failure: unknown) => void
}

/** The displayed row. It stays the same when rows are added or removed around it. */
export class Navigation {
  readonly #deps: NavigationDeps
  readonly #list: QueueList
  /** Index in the filtered queue; `null` if the displayed row is not in it. */
  #index: number | null = null
  /** Position from which to continue if `#index` is `null`. */
  #lastIndex = 0
  /** Incremented with every move, so that late responses are discarded. */
  #visit = 0

  constructor(deps: NavigationDeps) {
    this.#deps = deps
    this.#list = new QueueList({
      rowAt: (index) => deps.queue.getRow(index),
      count: () => deps.queue.updateCounts,
      onChoose: (index) => {
        deps.onChosen()
        void this.goTo(index)
      },
      onSeen: (from, to) => {
        void this.#fill(from, to)
      },
    })
  }

  /** Goes to the first row after the filters changed. */
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

  /** Goes to the row at this place, or the nearest one. Shows it immediately if it is loaded. */
  async goTo(index: number): Promise<void> {
    const { queue } = this.#deps
    const visit = ++this.#visit
    for (let tries = 0; tries < fillTries; tries++) {
      const at = Math.max(0, Math.min(index, queue.updateCounts - 1))
      const row = queue.getRow(at)
      if (row !== null) {
        this.#show(row, at)
        return
      }
      if (queue.updateCounts === 0) {
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

  goToLast(): Promise<void> {
    return this.goTo(this.#deps.queue.updateCounts - 1)
  }

  /** Goes to the next row. Returns whether it started again at the first. */
  skip(): Promise<boolean> {
    const { queue, row } = this.#deps
    if (row.row !== null) this.#list.skip(row.row.lookup)
    return this.#goToNext((this.#index ?? this.#lastIndex - 1) + 1, queue.updateCounts)
  }

  /** Goes to the next row after decisions, which leave the open view. True if it restarted at the first. */
  showNextAfter(decisions: readonly DecisionView[], counts: DecideReply['page']): Promise<boolean> {
    const { queue } = this.#deps
    const from = this.#index ?? this.#lastIndex
    const gone = queue.applyDecisions(decisions, counts, from)
    return this.#goToNext(queue.filters.view === 'open' ? from - gone : from + 1, queue.updateCounts)
  }

  /** Shows a lookup that may not be in the filtered queue. `before`: its last known details, shown immediately. */
  async showLookup(lookup: string, before: LookupDetail | null = null): Promise<void> {
    const { queue, details, row } = this.#deps
    const visit = ++this.#visit
    if (before !== null) this.#showBefore(before)
    try {
      const [places, detail] = await Promise.all([this.#refreshAround(lookup), details.load(lookup)])
      if (visit !== this.#visit) return
      const index = places?.[lookup] ?? queue.findLookup(lookup)
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

  /** Loads the displayed row again. */
  async reload(): Promise<LookupDetail | null> {
    const { details, row } = this.#deps
    const lookup = row.row?.lookup
    if (lookup === undefined) return null
    details.drop(lookup)
    return this.#showDetail(lookup)
  }

  /** Loads changes of the queue without moving the displayed row. Throws like `api.ts`. */
  async refresh(): Promise<void> {
    const { queue, row } = this.#deps
    const wasLoaded = queue.isLoaded
    const shownLookup = row.row?.lookup ?? null
    const { from } = this.#list.findVisibleRange()
    const isSeen = this.#index !== null && this.#list.isVisible(this.#index)
    const anchorIndex = isSeen ? (this.#index ?? from) : from
    const anchor = queue.getRow(anchorIndex)?.lookup ?? null
    const belowTopPx = this.#list.getOffsetPx(anchorIndex)
    const find = [...new Set([shownLookup, anchor])].filter((lookup) => lookup !== null)
    const places = await queue.refresh(from - aboveRows, find)
    if (places === null) return
    const anchorAt = anchor === null ? undefined : places[anchor]
    if (anchorAt === undefined) this.#list.render()
    else this.#list.scrollRowTo(anchorAt, belowTopPx)
    // The reviewer may have moved to another row during the request.
    if (row.row === null || !wasLoaded) await this.goTo(this.#lastIndex)
    else if (row.row.lookup === shownLookup) this.#updatePosition(places[shownLookup] ?? null)
    else this.#index = queue.findLookup(row.row.lookup)
  }

  /** Updates position and decision of the displayed row. */
  #updatePosition(index: number | null): void {
    const { queue, details, row } = this.#deps
    const shownRow = row.row
    if (shownRow === null) return
    this.#index = index
    if (index !== null) this.#lastIndex = index
    const now = index === null ? null : queue.getRow(index)
    if (now !== null && hasSameState(now, shownRow)) return
    details.drop(shownRow.lookup)
    void this.#showDetail(shownRow.lookup)
  }

  #show(row: QueueRow, index: number): void {
    const { details, row: view, onShown } = this.#deps
    this.#index = index
    this.#lastIndex = index
    const known = details.getLoaded(row.lookup)
    this.#list.select(row.lookup)
    view.show(row, known)
    this.#list.reveal(index)
    onShown()
    if (known === null) void this.#showDetail(row.lookup).then(() => this.#loadFollowing(index))
    else void this.#loadFollowing(index)
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
      if (failure instanceof RequestRefused && row.row?.lookup === lookup) row.showFailure(failure.message)
      else onFailure(failure)
      return null
    }
  }

  /** One after another, because the service that returns candidates has rate limits. */
  async #loadFollowing(index: number): Promise<void> {
    const { queue, details } = this.#deps
    const visit = this.#visit
    try {
      for (let at = index + 1; at <= index + prefetchRows && visit === this.#visit; at++) {
        const row = queue.getRow(at)
        if (row !== null) await details.load(row.lookup)
      }
    } catch {
      // It is loaded again, and the failure reported, when the reviewer goes there.
    }
  }

  async #goToNext(index: number, count: number): Promise<boolean> {
    const isRound = index >= count && count > 0
    await this.goTo(isRound ? 0 : index)
    return isRound
  }

  async #refreshAround(lookup: string): Promise<Readonly<Record<string, number>> | null> {
    this.#deps.queue.invalidate()
    const places = await this.#deps.queue.refresh(this.#list.findVisibleRange().from - aboveRows, [lookup])
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

const hasSameState = (one: QueueRow, other: QueueRow): boolean =>
  one.decision?.sequence === other.decision?.sequence &&
  one.reason === other.reason &&
  one.status === other.status
