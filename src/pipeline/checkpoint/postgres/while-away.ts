import { UserError } from '../../../core/errors.js'
import { ConnectionLostError } from '../../../platform/postgres/postgres.js'
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
export async function whileAway<Result>(
  { clock, random, notice, signal, awayMsMax = awayMsMaxByDefault }: WhileAwayDeps,
  open: () => Promise<Result>,
): Promise<Result> {
  const sinceMs = clock.monotonicMs()
  for (let failures = 1; ; failures++) {
    try {
      return await open()
    } catch (error) {
      const isOver = signal?.aborted === true || clock.monotonicMs() - sinceMs >= awayMsMax
      if (isOver || !isAway(error)) throw error
      if (failures === 1)
        notice?.(`${error.message}: it is tried again for ${Math.round(awayMsMax / 1_000)} seconds.`)
      await clock.sleep(backoffMs(awayPolicy, failures, random.fraction()), signal)
    }
  }
}

/** Of names that lead nowhere. */
const unknownNames: readonly (string | null)[] = ['ENOTFOUND', 'EAI_AGAIN']

/** It cannot be reached, which may be over in a moment: it is being started, or fails over. */
const isAway = (error: unknown): error is UserError =>
  error instanceof UserError &&
  error.code === 'CHECKPOINT_UNREACHABLE' &&
  error.cause instanceof ConnectionLostError &&
  !unknownNames.includes(error.cause.code)
