/** A run, as far as it decides what others are compared with. */
export interface ComparableRun {
  readonly number: number
  readonly series: string
  readonly endedAtMs: number | null
  readonly isPublished: boolean
  readonly baseline: number | null
}

/**
 * The run whose output a new one of its series is compared with, out of all runs, the newest first; null where there is
 * none. A run that published and did not end may not have said all that it changed: the next one is compared with what
 * that one was compared with, and says it again.
 */
export function baselineOf(
  runs: readonly ComparableRun[],
  run: { number: number; series: string },
): number | null {
  const earlier = runs.filter(
    ({ number, series, isPublished }) => isPublished && series === run.series && number < run.number,
  )
  const newest = earlier[0]
  if (newest === undefined || newest.endedAtMs !== null) return newest?.number ?? null
  return earlier.some(({ number }) => number === newest.baseline) ? newest.baseline : null
}
