import { explainSystemFailure } from '../platform/system-limits.js'
import type { OpenRun } from './deps.js'
import { endOfError } from './ending/end-of-error.js'
import type { Money } from './rules/money.js'

/** A run that ends by an error, or is interrupted before it asks, is remembered as such. */
export async function recordingFailure<Result>(
  run: OpenRun,
  moneySoFar: () => Money | null,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const error = explainSystemFailure(thrown)
    const { history, timeline, ending, deps } = run
    const { exitCode, failure } = endOfError(error, deps.interrupt)
    const money = moneySoFar()
    history.note({ error: failure, money, timeline: timeline.points() })
    await ending.ofError(error, { run: history.run, money })
    await history.end(exitCode)
    throw error
  }
}
