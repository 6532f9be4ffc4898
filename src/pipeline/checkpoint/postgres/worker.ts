/** Why a process may never submit again, however long it waits. */
export type WorkerEnd = 'server_changed' | 'gone'

/**
 * One process on a checkpoint that several share. It has a lease by the server's clock, renewed while it lives. A lease
 * that has run out lets others take over what it had not begun and wait for what it had; never submit again what it may
 * have submitted.
 */
export interface Worker {
  /** Its number in `workers`. */
  readonly id: number
  /** Grows each time that it was fenced and went on: what was intended in an earlier term may not leave. */
  readonly term: number
  /**
   * Whether a request that is billed may leave now: the lease is younger than 70 % of what it was given for, by this
   * machine's monotonic clock, the wall clock has not jumped since, and the server is the one that it was. Asked with
   * the term in which the request was intended: false where the process was fenced since, also if it goes on.
   */
  mayLeave(intendedIn?: number): boolean
  /** Why it may not, for people; null where it may. */
  readonly hold: string | null
  /**
   * The server is another one, or was put back: what it lacks may have been billed. Or the process was away so long that
   * what it wanted is forgotten. Null: it may go on, now or later.
   */
  readonly end: WorkerEnd | null
  /** What is shown of it to others, asked at each renewal. */
  tell(doing: () => string): void
  /** Ends the lease: what it claimed and had not begun is free again. */
  close(): Promise<void>
}
