import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { diagnoseDamage } from './checkpoint/open.js'
import type { HistoryReader } from './history/remembered-runs.js'
import { openHistory } from './history/history-reader.js'
import { withCleanup, type CloseLater } from '../platform/close-stack.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Calls `use` with the runs recorded in a checkpoint, and closes it afterwards. `environment` has the password of a
 * server. Throws CHECKPOINT_NOT_FOUND and other CHECKPOINT_*.
 *
 * @example
 * const runs = await withKnownHistory('companies.sqlite', process.env, (history) => history.runs())
 */
export function withKnownHistory<Result>(
  path: string,
  environment: Environment,
  use: (history: HistoryReader) => Result | Promise<Result>,
): Promise<Result> {
  const useHistory = async (closeLater: CloseLater) => {
    const history = await openHistory(path, { clock: systemClock, random: systemRandom, environment })
    closeLater(() => history?.close())
    if (history !== null) return use(history)
    throw new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
      hint: 'check --checkpoint and the current folder. A run creates a checkpoint: enrich companies.csv -o out.parquet',
    })
  }
  if (isPostgresUrl(path)) return withCleanup(useHistory)
  return diagnoseDamage(path, () => withCleanup(useHistory))
}
