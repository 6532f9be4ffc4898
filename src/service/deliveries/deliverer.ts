import { setMaxListeners } from 'node:events'
import { deliveryLimits } from '../../contract/limits.js'
import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { startDueWorkLoop, type InFlight } from '../../platform/due-work-loop.js'
import { limits } from '../limits.js'
import { attemptDelivery, type AttemptDeps } from './attempt.js'
import { createEndsJournal } from './ends-journal.js'
import type { AttemptEnd, DueEvent, EventStore } from './event-store.js'
import { Lanes } from './lanes.js'
import type { Outbox } from './outbox.js'

export interface Deliverer {
  /** Begins nothing more; what is in flight has a moment to end, and counts as never tried if it does not. */
  stop(): Promise<void>
}

export interface DelivererDeps extends AttemptDeps {
  readonly events: EventStore
  readonly outbox: Pick<Outbox, 'onWake'>
  readonly clock: Clock
  readonly log: (line: string) => void
}

const attemptsMax = 1 + deliveryLimits.retryDelaysSeconds.length
const delayMsMax = Math.max(...deliveryLimits.retryDelaysSeconds) * 1000

/**
 * Delivers what the outbox holds, each event in its own time and beside the others. What it goes by is read
 * from the store, so that a restart goes on with the next attempt; an attempt counts when its end is durable.
 */
export function startDeliverer(deps: DelivererDeps): Deliverer {
  const { events, outbox, clock, log } = deps
  const lanes = new Lanes()
  const cut = new AbortController()
  // Every attempt in flight listens, and the journal of their ends; Node warns of more than ten.
  setMaxListeners(limits.deliveriesMax + 1, cut.signal)
  const journal = createEndsJournal({ events, clock, log, stop: cut.signal })

  const attempt = async (lane: string, event: DueEvent): Promise<void> => {
    const end = await attemptDelivery(event, deps, cut.signal)
    if (end !== null) {
      if (isExhausted(end)) log(exhaustedLine(event, end))
      await journal.append(end)
      if (end.nextAttemptAtMs !== null) lanes.note(lane, end.nextAttemptAtMs)
    }
    lanes.arrive(lane, event.eventNumber)
  }

  const serve = (lane: string, nowMs: number, inFlight: InFlight): void => {
    let room = Math.min(lanes.roomOf(lane), inFlight.room())
    if (room <= 0) return
    let dueAtMs = Infinity
    for (const open of events.openOf(lane, lanes.inFlightCountOf(lane) + room + 1)) {
      if (lanes.isInFlight(lane, open.eventNumber)) continue
      if (open.nextAttemptAtMs > nowMs || room === 0) {
        dueAtMs = open.nextAttemptAtMs
        break
      }
      const event = events.due(open.eventNumber)
      if (event === undefined) continue
      lanes.depart(lane, event.eventNumber)
      inFlight.begin(event.eventNumber, () => attempt(lane, event))
      room--
    }
    lanes.served(lane, dueAtMs)
  }

  let isRead = false
  const takeUp = (inFlight: InFlight): void => {
    if (!isRead) {
      events.bringForward(clock.nowMs() + delayMsMax)
      for (const { lane, nextAttemptAtMs } of events.lanes()) lanes.note(lane, nextAttemptAtMs)
      isRead = true
    }
    const nowMs = clock.nowMs()
    for (const lane of lanes.due(nowMs)) serve(lane, nowMs, inFlight)
  }
  const loop = startDueWorkLoop({
    clock,
    takeUp,
    nextDueAtMs: () => lanes.nextDueAtMs(),
    inFlightMax: limits.deliveriesMax,
    idleMsMax: limits.deliveryIdleMsMax,
    retryMs: limits.deliveryRetryMs,
    onFailure: (error) => {
      log(`deliveries pause: ${errorText(error)}`)
    },
  })
  outbox.onWake((added) => {
    for (const lane of added) lanes.note(lane, -Infinity)
    loop.wake()
  })

  return {
    stop: async () => {
      const grace = new AbortController()
      const cutOff = clock.sleep(limits.closeGraceMs, grace.signal).then(() => {
        cut.abort()
      })
      await loop.stop()
      grace.abort()
      await cutOff
    },
  }
}

function isExhausted({ deliveredAtMs, nextAttemptAtMs }: AttemptEnd): boolean {
  return deliveredAtMs === null && nextAttemptAtMs === null
}

/** Names the host alone: the rest of an address may be a token. */
function exhaustedLine({ eventId, webhookUrl }: DueEvent, { failure }: AttemptEnd): string {
  const { host } = new URL(webhookUrl)
  return `event ${eventId} was not delivered to ${host} in ${attemptsMax} attempts: ${String(failure)}`
}
