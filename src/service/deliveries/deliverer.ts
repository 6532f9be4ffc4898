import { setMaxListeners } from 'node:events'
import { deliveryLimits } from '../../contract/limits.js'
import { getErrorText } from '../../core/errors.js'
import { type Clock, withTimeout } from '../../platform/clock.js'
import { DueWorkLoop, type InFlight } from '../../platform/due-work-loop.js'
import { ConnectionLostError } from '../../platform/postgres/postgres.js'
import { limits } from '../limits.js'
import type { AnyEventStore, AttemptEnd, DueEvent } from './event-store.js'
import { Lanes, type LaneSignals } from './outbox.js'
import { GroupCommit } from '../../platform/group-commit.js'
import { createHmac } from 'node:crypto'
import type { Awaitable } from '../../platform/sql-program.js'
import { parseWebhookSecrets, signDelivery, type HmacSha256 } from '../../core/webhooks.js'
import type { AddressGuard } from '../../platform/outbound/address-guard.js'
import type { Post, PostOutcome } from '../../platform/outbound/pinned-connect.js'

/**
 * Returns the time of the next attempt after attempt number `attemptCount` failed at `failedAtMs` (interface:
 * "Receiver response and retries"). `null` after the last attempt: the event is exhausted.
 */
export function nextAttemptAtMs(attemptCount: number, failedAtMs: number): number | null {
  const delaySeconds = deliveryLimits.retryDelaysSeconds[attemptCount - 1]
  return delaySeconds === undefined ? null : failedAtMs + delaySeconds * 1000
}

export interface AttemptDeps {
  readonly guard: AddressGuard
  readonly post: Post
  /** Returns the secrets that sign an account's deliveries at that time; empty if it has none. */
  readonly signingSecrets: (accountNumber: number, nowMs: number) => Awaitable<readonly string[]>
  readonly clock: Clock
}

/**
 * Makes one attempt, within 15 seconds from the name lookup to the last byte (interface: "Receiver response and
 * retries"). Any 2xx is a success, anything else a failure. Returns `null` if `stop` aborted it, because its outcome
 * is then unknown.
 */
async function deliverOnce(
  event: DueEvent,
  deps: AttemptDeps,
  stop: AbortSignal,
): Promise<AttemptEnd | null> {
  const { clock } = deps
  const outcome = await withTimeout(
    { clock, msMax: deliveryLimits.answerSecondsMax * 1000, signals: [stop] },
    (signal) => send(event, deps, signal),
  )
  if (outcome.kind === 'unanswered' && stop.aborted) return null
  const nowMs = clock.nowMs()
  const { eventNumber } = event
  const attemptCount = event.attemptCount + 1
  const failure = describeFailure(outcome)
  return {
    eventNumber,
    attemptCount,
    failure,
    deliveredAtMs: failure === null ? nowMs : null,
    nextAttemptAtMs: failure === null ? null : nextAttemptAtMs(attemptCount, nowMs),
  }
}

function describeFailure(outcome: PostOutcome): string | null {
  if (outcome.kind === 'unanswered') return outcome.reason
  return outcome.status >= 200 && outcome.status <= 299 ? null : `HTTP ${outcome.status}`
}

/** An error in this process is a failed attempt too: every event must end. */
async function send(event: DueEvent, deps: AttemptDeps, signal: AbortSignal): Promise<PostOutcome> {
  try {
    const check = await deps.guard.judge(event.webhookUrl, signal)
    if (check.kind === 'refused') return { kind: 'unanswered', reason: check.reason }
    const body = Buffer.from(event.body)
    const nowMs = deps.clock.nowMs()
    const secrets = await deps.signingSecrets(event.accountNumber, nowMs)
    const headers = buildDeliveryHeaders(event, body, secrets, nowMs)
    return await deps.post({ ...check, headers, body, signal })
  } catch (error) {
    return { kind: 'unanswered', reason: getErrorText(error) }
  }
}

const hmacSha256: HmacSha256 = (key, message) => createHmac('sha256', key).update(message).digest()

/** Builds the headers of one attempt, signed with its time (interface: "Delivery request"). */
function buildDeliveryHeaders(
  { eventId, type }: DueEvent,
  body: Uint8Array,
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> {
  const timestampSeconds = Math.floor(nowMs / 1000)
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'service-Webhooks/1',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'service-event-type': type,
  }
  if (secrets.length === 0) return headers
  const keys = parseWebhookSecrets(secrets.join(' '))
  return {
    ...headers,
    'webhook-signature': signDelivery({ eventId, timestampSeconds, body }, keys, hmacSha256),
  }
}

export interface DelivererDeps extends AttemptDeps {
  readonly events: AnyEventStore
  readonly outbox: Pick<LaneSignals, 'onWake'>
  /** Interval between reads of the events that other processes added or left; `Infinity` without other processes. */
  readonly lookEveryMs: number
  readonly clock: Clock
  readonly log: (line: string) => void
}

const attemptsMax = 1 + deliveryLimits.retryDelaysSeconds.length
const delayMsMax = Math.max(...deliveryLimits.retryDelaysSeconds) * 1000

/**
 * Delivers the events of the outbox, each at its own time and concurrently. Due times are read from the store, so
 * that a restart continues with the next attempt. An attempt counts once its end is durable. Starts immediately.
 */
export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #lanes = new Lanes()
  readonly #cut = new AbortController()
  readonly #journal: EndsJournal
  readonly #loop: DueWorkLoop
  #isRead = false
  /** Monotonic, so that claims are renewed even if the system clock is changed. */
  #lookAtMs = -Infinity
  #woken = new Set<string>()

  constructor(deps: DelivererDeps) {
    const { events, clock, log } = deps
    this.#deps = deps
    // Each attempt in flight listens, and so does the journal; Node.js warns if there are more than ten listeners.
    setMaxListeners(limits.deliveriesMax + 1, this.#cut.signal)
    this.#journal = createEndsJournal({ events, clock, log, stop: this.#cut.signal })
    this.#loop = new DueWorkLoop({
      clock,
      takeUp: (inFlight) => this.#takeUp(inFlight),
      nextDueAtMs: () =>
        Math.min(this.#lanes.nextDueAtMs(), clock.nowMs() + this.#lookAtMs - clock.monotonicMs()),
      inFlightMax: limits.deliveriesMax,
      idleMsMax: Math.min(limits.deliveryIdleMsMax, deps.lookEveryMs),
      retryMs: limits.deliveryRetryMs,
      onFailure: (error) => {
        // The next read includes the events that were due.
        this.#lookAtMs = -Infinity
        // The connection monitor logs once that the database is unreachable.
        if (!(error instanceof ConnectionLostError)) log(`deliveries pause: ${getErrorText(error)}`)
      },
    })
    deps.outbox.onWake((added) => {
      for (const lane of added) this.#woken.add(lane)
      this.#loop.wake()
    })
  }

  /** Starts no more attempts. Those in flight get a short grace period; an attempt cut off then does not count. */
  async stop(): Promise<void> {
    const grace = new AbortController()
    const cutOff = this.#deps.clock.sleep(limits.closeGraceMs, grace.signal).then(() => {
      this.#cut.abort()
    })
    await this.#loop.stop()
    grace.abort()
    await cutOff
    await this.#deps.events.release()
  }

  async #takeUp(inFlight: InFlight): Promise<void> {
    const { events, clock } = this.#deps
    // Lanes added from here on wake the loop again.
    const added = [...this.#woken]
    this.#woken = new Set()
    const nowMs = clock.nowMs()
    const isToLook = clock.monotonicMs() >= this.#lookAtMs
    if (isToLook || added.some((lane) => events.getHolder(lane) === 'nobody')) await this.#readLanes(nowMs)
    else for (const lane of added) this.#lanes.note(lane, -Infinity)
    for (const lane of this.#lanes.listDue(nowMs)) await this.#serve(lane, nowMs, inFlight)
  }

  async #readLanes(nowMs: number): Promise<void> {
    const { events, clock, lookEveryMs } = this.#deps
    this.#lookAtMs = clock.monotonicMs() + lookEveryMs
    if (!this.#isRead) await events.limitDueTimes(nowMs + delayMsMax)
    this.#isRead = true
    this.#lanes.replace(await events.lanes())
  }

  async #serve(lane: string, nowMs: number, inFlight: InFlight): Promise<void> {
    const { events } = this.#deps
    const lanes = this.#lanes
    const isHere = events.getHolder(lane) === 'here'
    const countMax = Math.min(lanes.getFreeCapacity(lane), inFlight.room())
    if (isHere && countMax <= 0) return
    // Call this first: an attempt that ends during the query below may add an earlier due time.
    lanes.markServed(lane)
    if (!isHere) return
    const due = await events.readDueEvents(lane, { countMax, inFlight: lanes.getInFlight(lane), nowMs })
    for (const event of due.events) {
      lanes.addInFlight(lane, event.eventNumber)
      inFlight.begin(event.eventNumber, () => this.#runAttempt(lane, event))
    }
    lanes.note(lane, due.nextDueAtMs)
  }

  async #runAttempt(lane: string, event: DueEvent): Promise<void> {
    const end = await deliverOnce(event, this.#deps, this.#cut.signal)
    if (end !== null) {
      if (isExhausted(end)) this.#deps.log(describeExhaustion(event, end))
      await this.#journal.append(end)
      if (end.nextAttemptAtMs !== null) this.#lanes.note(lane, end.nextAttemptAtMs)
    }
    this.#lanes.removeInFlight(lane, event.eventNumber)
  }
}

function isExhausted({ deliveredAtMs, nextAttemptAtMs }: AttemptEnd): boolean {
  return deliveredAtMs === null && nextAttemptAtMs === null
}

/** Names only the host: the rest of the address may contain a token. */
function describeExhaustion({ eventId, webhookUrl }: DueEvent, { failure }: AttemptEnd): string {
  const { host } = new URL(webhookUrl)
  return `event ${eventId} was not delivered to ${host} in ${attemptsMax} attempts: ${String(failure)}`
}

/** Stores the ends of attempts; those of about the same time share one synced transaction. */
interface EndsJournal {
  /** Resolves once the end is durable, or `stop` is aborted. If the disk is full, it waits until there is room. */
  append(end: AttemptEnd): Promise<void>
}

interface EndsJournalDeps {
  readonly events: Pick<AnyEventStore, 'end'>
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly stop: AbortSignal
}

export function createEndsJournal({ events, clock, log, stop }: EndsJournalDeps): EndsJournal {
  const store = async (ends: readonly AttemptEnd[]): Promise<void> => {
    for (;;) {
      try {
        await events.end(ends)
        return
      } catch (error) {
        // The connection monitor logs once that the database is unreachable.
        if (!(error instanceof ConnectionLostError))
          log(`the outcomes of ${ends.length} deliveries could not be stored yet: ${getErrorText(error)}`)
        if (stop.aborted) return
        await clock.sleep(limits.deliveryRetryMs, stop)
      }
    }
  }
  const commits = new GroupCommit(async (ends: readonly AttemptEnd[]) => {
    await store(ends)
    return ends.map(() => ({ value: undefined }))
  })
  return { append: commits.add }
}
