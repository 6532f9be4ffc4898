/**
 * One process on a checkpoint that several share. It has a lease by the server's clock, renewed while it lives. A lease
 * that has run out lets others take over what it had not begun and wait for what it had; never submit again what it may
 * have submitted.
 */
export interface Worker {
  /** Its number in `workers`; another one after it was fenced and went on. */
  readonly id: number
  /**
   * Whether a request that is billed may leave now: the lease is younger than 70 % of what it was given for, by this
   * machine's monotonic clock, the wall clock has not jumped since, and the server is the one that it was. Asked with
   * the number under which the request was intended: false where that one was fenced since, also if the worker goes on
   * under another.
   */
  mayLeave(intendedAs?: number): boolean
  /** Why it may not, for people; null where it may. */
  readonly hold: string | null
  /** What is shown of it to others, from the next renewal on. */
  tell(doing: string): void
  /** Ends the lease: what it claimed and had not begun is free again. */
  close(): Promise<void>
}
