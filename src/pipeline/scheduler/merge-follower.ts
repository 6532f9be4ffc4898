import type { ServiceClient } from '../../client/client.js'
import type { RunObjectLenient } from '../../contract/resolution.js'
import type { Exchange } from '../../core/exchange.js'
import { followMerge, mergedIntoOf, withChain } from '../rules/merged.js'
import { readRateHeaders } from '../rules/pacing.js'
import type { Clock } from '../../platform/clock.js'
import type { Pace } from './pace.js'
import type { RunCounter } from './run-counter.js'

export interface MergeFollowerDeps {
  client: Pick<ServiceClient, 'readEntity'>
  clock: Clock
  /** That of reading entities. */
  pace: Pace
  /** Aborted: nothing more is read. */
  stopSignal: AbortSignal
  /** Aborted: a read in flight is not waited for. */
  waitSignal: AbortSignal
  counter: Pick<RunCounter, 'deviated'>
}

/** A read that is refused for the limit's sake is made again, so often. */
const refusalsMax = 5
/** Where the service does not say how long. */
const refusedWaitMs = 15_000

/**
 * Reads on from the entity that an answer names to the one at the end of the chain; a circle ends where it began.
 * Text where the service answered with the record of another entity: the reason why the answer is held.
 */
export async function followMerges(
  answer: RunObjectLenient,
  deps: MergeFollowerDeps,
): Promise<RunObjectLenient | string> {
  const first = mergedIntoOf(answer)
  if (first === null) return answer
  const seen = [first]
  for (;;) {
    const asked = seen.at(-1) ?? first
    const exchange = await readOnce(asked, deps)
    if (exchange === null) break
    const step = followMerge(seen, exchange)
    if (step.kind === 'misdirected') return `the service answered with entity ${step.id} for ${asked}`
    if (step.kind === 'circle') {
      deps.counter.deviated('merged ids that go in a circle')
      return answer
    }
    if (step.kind === 'end') break
    seen.push(step.id)
  }
  return withChain(answer, seen)
}

/** Null where the run was stopped before. */
async function readOnce(id: string, deps: MergeFollowerDeps): Promise<Exchange | null> {
  const { client, clock, pace, stopSignal, waitSignal } = deps
  for (let refusals = 0; ; refusals++) {
    const right = await pace.turn(stopSignal)
    if (stopSignal.aborted) return null
    right.leave()
    const exchange = await client.readEntity(id, {}, waitSignal)
    if (exchange.kind !== 'reply') return exchange
    const rate = readRateHeaders(exchange.headers, clock.nowMs())
    pace.follow(rate)
    if (exchange.status !== 429 || refusals >= refusalsMax) return exchange
    pace.refused(rate.resetMs ?? refusedWaitMs)
  }
}
