export type QueueView = 'open' | 'decided' | 'all'
export type QueueSort = 'rows' | 'confidence' | 'input'

/** What of the queue is shown, and in which order. */
export interface QueueFilters {
  readonly view: QueueView
  /** None: all of them. */
  readonly statuses: readonly string[]
  readonly text: string
  readonly sort: QueueSort
}

/** Of the whole queue, before the filters. */
export interface QueueCounts {
  readonly open: number
  readonly decided: number
  readonly openByStatus: Readonly<Record<string, number>>
  readonly isRunGoingOn: boolean
}
