/** The facts of a run that decide how much of it is kept. */
export interface KeepableRun {
  readonly number: number
  readonly hasOutput: boolean
  readonly isPublished: boolean
}

/** If a run was killed after it published, the next one is compared with its baseline. */
const outputsMin = 2
/** Records are kept for this many times as many runs as outputs. */
const recordsTimes = 10

/**
 * Chooses the runs of a series, given newest first, whose output is deleted, and those that are deleted whole. Nothing
 * is deleted until there are 10 % more than `runsMax`, so that few runs pay for the clean-up.
 */
export function selectRunsToPrune(
  runs: readonly KeepableRun[],
  runsMax: number,
): { readonly withoutOutput: ReadonlySet<number>; readonly gone: ReadonlySet<number> } {
  const outputsMax = Math.max(runsMax, outputsMin)
  const published = runs.filter(({ hasOutput, isPublished }) => hasOutput && isPublished)
  const newest = published[0]?.number ?? 0
  const isDue = published.length > outputsMax + Math.floor(runsMax / 10)
  const kept = new Set(published.slice(0, outputsMax).map(({ number }) => number))
  // An output stored by a run that was killed before publishing is never used once a newer one is published.
  const isForgotten = ({ number, hasOutput }: KeepableRun) =>
    hasOutput && number < newest && !kept.has(number)
  const gone = runs.slice(outputsMax * recordsTimes).map(({ number }) => number)
  return {
    withoutOutput: new Set(isDue ? runs.filter(isForgotten).map(({ number }) => number) : []),
    gone: new Set(isDue || runs.length > outputsMax * recordsTimes * 1.1 ? gone : []),
  }
}

/** The facts of a run that decide its use as a baseline. */
export interface ComparableRun {
  readonly number: number
  readonly series: string
  readonly endedAtMs: number | null
  readonly isPublished: boolean
  readonly baseline: number | null
}

/**
 * Chooses the baseline of a run from all runs, newest first, or returns `null`. If the previous run published and
 * did not end, it may not have reported its changes: the new run takes its baseline, and reports them again.
 */
export function chooseBaseline(
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
