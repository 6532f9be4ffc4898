import { UserError } from '../../../core/errors.js'
import { ConnectionLostError, type Postgres } from '../../../platform/postgres/postgres.js'
import { backoffMs } from '../../rules/backoff.js'
import type { RepeatingDeps } from './repeating.js'

/** A server that is started again is back by then. */
const awayMsMaxByDefault = 30_000
const awayPolicy = { delayMsBase: 200, delayMsMax: 2_000 }

export interface WhileAwayDeps extends RepeatingDeps {
  readonly notice?: (text: string) => void
  readonly signal?: AbortSignal
  readonly awayMsMax?: number
}

/**
 * Opens what a server is needed for, again and again while that is away, for half a minute. Throws what `open` throws;
 * where the server is away, once it has been so for too long, or the signal aborted.
 */
export function whileAway<Result>(deps: WhileAwayDeps, open: () => Promise<Result>): Promise<Result> {
  return patiently(deps, open, isUnreachable)
}

/** The same of each statement and transaction that certainly had no effect. Transactions have to be such as may be begun anew. */
export function patientPostgres(deps: WhileAwayDeps, postgres: Postgres): Postgres {
  const isAway = (error: unknown) => error instanceof ConnectionLostError && !error.mayHaveTakenEffect
  return {
    query: (text, values) => patiently(deps, () => postgres.query(text, values), isAway),
    transaction: (work) => patiently(deps, () => postgres.transaction(work), isAway),
    close: () => postgres.close(),
  }
}

async function patiently<Result>(
  { clock, random, notice, signal, awayMsMax = awayMsMaxByDefault }: WhileAwayDeps,
  work: () => Promise<Result>,
  isAway: (error: unknown) => boolean,
): Promise<Result> {
  const sinceMs = clock.monotonicMs()
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      const isOver = signal?.aborted === true || clock.monotonicMs() - sinceMs >= awayMsMax
      if (isOver || !isAway(error)) throw error
      if (failures === 1 && error instanceof UserError)
        notice?.(`${error.message}: it is tried again for ${Math.round(awayMsMax / 1_000)} seconds.`)
      await clock.sleep(backoffMs(awayPolicy, failures, random.fraction()), signal)
    }
  }
}

/** Of names that lead nowhere. */
const unknownNames: readonly (string | null)[] = ['ENOTFOUND', 'EAI_AGAIN']

/** It cannot be reached, which may be over in a moment: it is being started, or fails over. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof ConnectionLostError &&
  error.code === 'CHECKPOINT_UNREACHABLE' &&
  !unknownNames.includes(error.systemCode)
