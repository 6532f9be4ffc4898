/** The right to one start. */
export interface Turn {
  /** From when it was asked for; 0: now. */
  readonly waitMs: number
  /** Turns given so far, to whomever: this is the last of them. */
  readonly givenCount: number
}

/** What all processes with one key share of one limit of the service. */
export interface SharedTurns {
  /**
   * The next turn, `spacingMs` or more after the one before it; null where there are so many ahead that it is to be
   * asked for again later. `isKnown`: the service itself said so of late; else the spacing that others know holds where
   * it is larger. While PostgreSQL is away it waits, for minutes, and then throws ConnectionLostError. Null when the
   * signal aborts.
   */
  take(spacingMs: number, isKnown: boolean, signal: AbortSignal): Promise<Turn | null>
  /** Nothing starts anywhere for `delayMs` from now; a shorter pause never cuts a longer one. Never throws. */
  pause(delayMs: number): Promise<void>
  /** What is left of a pause; 0 where there is none, or PostgreSQL is away. */
  pausedMs(): Promise<number>
}
