import { UserError } from '../../core/errors.js'
import type { RememberedRun } from './history.js'

/** Two runs whose outputs are compared. */
export interface RunPair {
  readonly older: RememberedRun
  readonly newer: RememberedRun
}

const listed = { hint: 'enrich runs lists them' }

/**
 * `12`: run 12 against the output that it was compared with; `12..15`: run 15 against run 12; `12..`: the last of the
 * same input against run 12; null: the last run that was compared with any. `runs` has the newest first.
 * Throws USAGE_INVALID, RUN_NOT_FOUND, RUN_OUTPUT_UNKNOWN, RUNS_NOT_COMPARABLE.
 */
export function chooseRuns(asked: string | null, runs: readonly RememberedRun[]): RunPair {
  const [, first, dots, second] = /^(\d{1,9})?(\.\.)?(\d{1,9})?$/.exec(asked ?? '') ?? []
  const isRun = first !== undefined || second !== undefined
  if (asked !== null && (!isRun || (dots === undefined && second !== undefined))) {
    throw new UserError('USAGE_INVALID', `${JSON.stringify(asked)} names no runs`, {
      hint: 'a run is a number: enrich diff 12, or enrich diff 12..15; enrich runs lists them',
    })
  }
  if (first === undefined || dots === undefined) {
    const newer = second ?? first
    return withBaseline(newer === undefined ? lastCompared(runs) : publishedRun(Number(newer), runs), runs)
  }
  const older = publishedRun(Number(first), runs)
  const newer =
    second === undefined
      ? lastOf(runs.filter(({ series }) => series === older.series))
      : publishedRun(Number(second), runs)
  return comparable({ older, newer })
}

/** The first run of another input that came after it was compared with none. */
const lastCompared = (runs: readonly RememberedRun[]): RememberedRun =>
  runs.find(({ isPublished, baseline }) => isPublished && baseline !== null) ?? lastOf(runs)

function lastOf(runs: readonly RememberedRun[]): RememberedRun {
  const last = runs.find(({ isPublished }) => isPublished)
  if (last !== undefined) return last
  throw new UserError('RUN_NOT_FOUND', 'no run is remembered that wrote an output', {
    hint: 'run twice, then compare: enrich companies.csv -o out.parquet',
  })
}

function publishedRun(number: number, runs: readonly RememberedRun[]): RememberedRun {
  const run = runs.find((one) => one.number === number)
  if (run === undefined) throw new UserError('RUN_NOT_FOUND', `there is no run ${number}`, listed)
  if (run.isPublished) return run
  const wrote = (run.record?.figures ?? null) !== null
  throw new UserError(
    'RUN_OUTPUT_UNKNOWN',
    wrote ? `what run ${number} wrote is no longer remembered` : `run ${number} wrote no output`,
    wrote ? { hint: 'history.keep says of how many runs it is; enrich runs lists them' } : listed,
  )
}

function withBaseline(newer: RememberedRun, runs: readonly RememberedRun[]): RunPair {
  if (newer.baseline === null) {
    throw new UserError(
      'RUN_OUTPUT_UNKNOWN',
      `run ${newer.number} is the first of its input: there is no output before it to compare with`,
      { hint: 'run again, or name two runs: enrich diff 12..15' },
    )
  }
  return { newer, older: publishedRun(newer.baseline, runs) }
}

function comparable(pair: RunPair): RunPair {
  const { older, newer } = pair
  if (older.series === newer.series) return pair
  throw new UserError(
    'RUNS_NOT_COMPARABLE',
    `run ${older.number} is of ${older.series}, and run ${newer.number} of ${newer.series}`,
    { hint: 'outputs of one input, or of one --job, are compared; enrich runs lists them' },
  )
}
