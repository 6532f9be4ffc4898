/** The right to start one request. */
export interface Turn {
  /** Delay from the time of the call; 0 means now. */
  readonly waitMs: number
  /** Number of turns given so far to all workers, this one included. */
  readonly givenCount: number
}

/** A rate limit of the service that all workers with one API key share. */
export interface SharedTurns {
  /**
   * Reserves the next turn, at least `spacingMs` after the one before it; `null` if the queue is too long and the
   * caller must retry later. `isKnown`: the service itself reported this spacing recently; otherwise a larger spacing
   * known to other workers applies. If PostgreSQL is unavailable, waits for minutes, then throws ConnectionLostError.
   * Returns `null` when the signal aborts.
   */
  take(spacingMs: number, isKnown: boolean, signal: AbortSignal): Promise<Turn | null>
  /** Stops all starts for `delayMs` from now; a shorter pause never shortens a longer one. Never throws. */
  pause(delayMs: number): Promise<void>
  /** Remaining time of a pause; 0 without a pause, or if PostgreSQL is unavailable. */
  pausedMs(): Promise<number>
}
