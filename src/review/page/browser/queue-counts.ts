/** Of the whole queue, before the filters. */
export interface QueueCounts {
  readonly open: number
  readonly decided: number
  readonly openByStatus: Readonly<Record<string, number>>
  readonly isRunGoingOn: boolean
}
