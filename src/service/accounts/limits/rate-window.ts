const windowMs = 60_000

/** One key's use of one route in one calendar minute. */
export interface RateWindow {
  /** Minutes since the epoch. */
  readonly minute: number
  readonly usedCount: number
}

export interface RateDecision {
  readonly allowed: boolean
  readonly window: RateWindow
  readonly remainingCount: number
  /** Whole seconds to the end of the window, 1 to 60. */
  readonly resetSeconds: number
}

export const minuteOf = (nowMs: number): number => Math.floor(nowMs / windowMs)

/**
 * Counts one request against a fixed window of a calendar minute (interface: "Limits"; the text leaves the
 * kind of window open). A refused request takes nothing from the budget.
 */
export function takeOne(window: RateWindow | undefined, perMinute: number, nowMs: number): RateDecision {
  const minute = minuteOf(nowMs)
  const usedCount = window?.minute === minute ? window.usedCount : 0
  const allowed = usedCount < perMinute
  const usedAfterCount = allowed ? usedCount + 1 : usedCount
  return {
    allowed,
    window: { minute, usedCount: usedAfterCount },
    remainingCount: perMinute - usedAfterCount,
    resetSeconds: Math.ceil(((minute + 1) * windowMs - nowMs) / 1_000),
  }
}
