import { createHmac } from 'node:crypto'
import { deliveryLimits } from '../../contract/limits.js'
import type { Awaitable } from '../../core/awaitable.js'
import { errorText } from '../../core/error-text.js'
import { nextAttemptAtMs } from '../../core/delivery-schedule.js'
import { parseWebhookSecrets, signDelivery, type HmacSha256 } from '../../core/webhook-signature.js'
import type { Clock } from '../../platform/clock.js'
import type { AddressGuard } from '../../platform/outbound/address-guard.js'
import { within } from '../../platform/outbound/deadline.js'
import type { AttemptEnd, DueEvent } from './event-store.js'
import type { Post, PostOutcome } from '../../platform/outbound/post.js'

export interface AttemptDeps {
  readonly guard: AddressGuard
  readonly post: Post
  /** What signs an account's deliveries at a time; none where it has no secret. */
  readonly signingSecrets: (accountNumber: number, nowMs: number) => Awaitable<readonly string[]>
  readonly clock: Clock
}

/**
 * Makes one attempt, within 15 seconds from looking the name up to the last byte (interface: "Receiver response
 * and retries"): any 2xx has delivered it, everything else has failed. Null when `stop` cut it off: how it
 * ended is not known.
 */
export async function attemptDelivery(
  event: DueEvent,
  deps: AttemptDeps,
  stop: AbortSignal,
): Promise<AttemptEnd | null> {
  const { clock } = deps
  const outcome = await within(
    { clock, msMax: deliveryLimits.answerSecondsMax * 1000, signals: [stop] },
    (signal) => send(event, deps, signal),
  )
  if (outcome.kind === 'unanswered' && stop.aborted) return null
  const nowMs = clock.nowMs()
  const { eventNumber } = event
  const attemptCount = event.attemptCount + 1
  const failure = failureOf(outcome)
  return {
    eventNumber,
    attemptCount,
    failure,
    deliveredAtMs: failure === null ? nowMs : null,
    nextAttemptAtMs: failure === null ? null : nextAttemptAtMs(attemptCount, nowMs),
  }
}

function failureOf(outcome: PostOutcome): string | null {
  if (outcome.kind === 'unanswered') return outcome.reason
  return outcome.status >= 200 && outcome.status <= 299 ? null : `HTTP ${outcome.status}`
}

/** What goes wrong on our side is a failed attempt too: an event must come to its end. */
async function send(event: DueEvent, deps: AttemptDeps, signal: AbortSignal): Promise<PostOutcome> {
  try {
    const check = await deps.guard.judge(event.webhookUrl, signal)
    if (check.kind === 'refused') return { kind: 'unanswered', reason: check.reason }
    const body = Buffer.from(event.body)
    const nowMs = deps.clock.nowMs()
    const secrets = await deps.signingSecrets(event.accountNumber, nowMs)
    const headers = deliveryHeaders(event, body, secrets, nowMs)
    return await deps.post({ ...check, headers, body, signal })
  } catch (error) {
    return { kind: 'unanswered', reason: errorText(error) }
  }
}

const hmacSha256: HmacSha256 = (key, message) => createHmac('sha256', key).update(message).digest()

/** Interface: "Delivery request". The time is that of this attempt, and the signature is made for it. */
function deliveryHeaders(
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
