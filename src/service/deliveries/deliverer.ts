import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { deliveryLimits } from '../../contract/limits.js'
import type { Clock } from '../../platform/clock.js'
import { bounds } from '../bounds.js'
import { attemptDelivery, type AttemptDeps } from './attempt.js'
import { createEndsJournal } from './ends-journal.js'
import type { AttemptEnd, DueEvent, EventStore } from './event-store.js'
import { Lanes } from './lanes.js'
import type { Outbox } from './outbox.js'

export interface Deliverer {
  /** Begins nothing more; what is in flight has a moment to end, and counts as never tried if it does not. */
  stop(): Promise<void>
}

export interface DelivererParts extends AttemptDeps {
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
export function startDeliverer(parts: DelivererParts): Deliverer {
  const { events, outbox, clock, log } = parts
  const lanes = new Lanes()
  const cut = new AbortController()
  // Every attempt in flight listens, and the journal of their ends; Node warns of more than ten.
  setMaxListeners(bounds.deliveriesMax + 1, cut.signal)
  const journal = createEndsJournal({ events, clock, log, stop: cut.signal })
  const inAir = new Set<Promise<void>>()
  let stopped = false
  let alarm = new AbortController()

  const attempt = async (lane: string, event: DueEvent): Promise<void> => {
    const end = await attemptDelivery(event, parts, cut.signal)
    if (end !== null) {
      if (isExhausted(end)) log(exhaustedLine(event, end))
      await journal.append(end)
      if (end.nextAttemptAtMs !== null) lanes.note(lane, end.nextAttemptAtMs)
    }
    lanes.arrive(lane, event.eventNumber)
    alarm.abort()
  }

  const depart = (lane: string, event: DueEvent): void => {
    lanes.depart(lane, event.eventNumber)
    const flight = attempt(lane, event).finally(() => inAir.delete(flight))
    inAir.add(flight)
  }

  const serve = (lane: string, nowMs: number): void => {
    let room = lanes.roomOf(lane)
    if (room <= 0) return
    let dueAtMs = Infinity
    for (const open of events.openOf(lane, lanes.inAirCountOf(lane) + room + 1)) {
      if (lanes.isInAir(lane, open.eventNumber)) continue
      if (open.nextAttemptAtMs > nowMs || room === 0) {
        dueAtMs = open.nextAttemptAtMs
        break
      }
      const event = events.due(open.eventNumber)
      if (event === undefined) continue
      depart(lane, event)
      room--
    }
    lanes.served(lane, dueAtMs)
  }

  const pause = async (delayMs: number): Promise<void> => {
    alarm = new AbortController()
    if (!stopped) await clock.sleep(delayMs, alarm.signal)
  }

  const work = async (): Promise<void> => {
    let isRead = false
    while (!stopped) {
      try {
        if (!isRead) {
          events.bringForward(clock.nowMs() + delayMsMax)
          for (const { lane, nextAttemptAtMs } of events.lanes()) lanes.note(lane, nextAttemptAtMs)
          isRead = true
        }
        const nowMs = clock.nowMs()
        for (const lane of lanes.due(nowMs)) serve(lane, nowMs)
        // What asks for this thread meanwhile comes first, and what ends meanwhile is seen by the same look.
        await nextTurn()
        await pause(Math.min(Math.max(0, lanes.nextDueAtMs() - clock.nowMs()), bounds.deliveryIdleMsMax))
      } catch (error) {
        log(`deliveries pause: ${error instanceof Error ? error.message : String(error)}`)
        await pause(bounds.deliveryRetryMs)
      }
    }
  }

  outbox.onWake((added) => {
    for (const lane of added) lanes.note(lane, -Infinity)
    alarm.abort()
  })
  const ended = nextTurn().then(work)

  return {
    stop: async () => {
      stopped = true
      alarm.abort()
      await ended
      const grace = new AbortController()
      const cutOff = clock.sleep(bounds.closeGraceMs, grace.signal).then(() => {
        cut.abort()
      })
      await Promise.all(inAir)
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
