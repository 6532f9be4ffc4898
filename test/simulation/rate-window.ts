export type WindowKind = 'fixed' | 'rolling'

const minuteMs = 60_000

/** What a service takes in a minute, by its own clock: by the calendar, or back from each request. */
export class RateWindow {
  limitedCount = 0
  readonly #taken = new Map<string, number[]>()

  /** Null when one more request fits into the minute; else the seconds until one does. */
  secondsToWait(what: string, perMinute: number, window: WindowKind): number | null {
    const nowMs = performance.now()
    const startMs = window === 'fixed' ? Math.floor(nowMs / minuteMs) * minuteMs : nowMs - minuteMs
    const taken = (this.#taken.get(what) ?? []).filter((atMs) => atMs > startMs || atMs === nowMs)
    this.#taken.set(what, taken)
    if (taken.length < perMinute) {
      taken.push(nowMs)
      return null
    }
    this.limitedCount++
    const freeAtMs = window === 'fixed' ? startMs + minuteMs : (taken[0] ?? nowMs) + minuteMs
    return Math.max(1, Math.ceil((freeAtMs - nowMs) / 1000))
  }
}

/** The most of these times that lie within any one minute. */
export function mostInAMinute(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b)
  let most = 0
  for (let [first, last] = [0, 0]; last < sorted.length; last++) {
    while ((sorted[first] ?? 0) <= (sorted[last] ?? 0) - minuteMs) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}
