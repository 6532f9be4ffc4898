/** A run of a series, as far as it decides what of it is kept. */
export interface KeepableRun {
  readonly number: number
  readonly hasOutput: boolean
  readonly isPublished: boolean
}

/** A run that was killed after it published leaves its baseline to the next one. */
const outputsMin = 2
/** Of so many times as many runs as outputs are kept, what they came to is listed. */
const recordsTimes = 10

/**
 * Whose outputs are forgotten, and which runs whole, of the runs of one series, the newest first. So that not every run
 * has to look through all that is kept, nothing is forgotten until there is a tenth more than `runsMax`.
 */
export function keptRuns(
  runs: readonly KeepableRun[],
  runsMax: number,
): { readonly withoutOutput: ReadonlySet<number>; readonly gone: ReadonlySet<number> } {
  const outputsMax = Math.max(runsMax, outputsMin)
  const published = runs.filter(({ hasOutput, isPublished }) => hasOutput && isPublished)
  const newest = published[0]?.number ?? 0
  const isDue = published.length > outputsMax + Math.floor(runsMax / 10)
  const kept = new Set(published.slice(0, outputsMax).map(({ number }) => number))
  // What was stored by a run that was killed before it said so is nobody's baseline, once another one has.
  const isForgotten = ({ number, hasOutput }: KeepableRun) =>
    hasOutput && number < newest && !kept.has(number)
  const gone = runs.slice(outputsMax * recordsTimes).map(({ number }) => number)
  return {
    withoutOutput: new Set(isDue ? runs.filter(isForgotten).map(({ number }) => number) : []),
    gone: new Set(isDue || runs.length > outputsMax * recordsTimes * 1.1 ? gone : []),
  }
}

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
