import { runAcceptedLenient, runObjectLenient, type RunObjectLenient } from '../../contract/result.js'
import { readError, type Exchange } from '../../core/http-exchange.js'
import { formatDuration, parseHttpDate, parseInstantMs, parseRetryAfterMs } from '../../core/time.js'
import { at, toInteger, toText } from '../../core/json.js'
import {
  echoesCustomId,
  explainMismatch,
  findOtherCustomId,
  foldCustomId,
  type ExpectedIdentity,
} from './misdirected.js'
import { rateWaitMsMax, readRateHeaders } from '../../core/pacing.js'
import { isUsableRunId } from '../../core/lookup-state.js'
import type { ServerErrorMeaning } from './scheduling.js'
import { readWebhookEvent, type WebhookEvent } from '../../core/webhooks.js'

/**
 * The consequences of the response to a submission (interface: "v3 entity resolution", "Errors").
 * - `accepted`: billed, a run exists.
 * - `answered`: the same, with an immediate answer.
 * - `invalid`: not created; the lookup is not valid in this form.
 * - `refused`, `wrong_address`, `out_of_credit`, `plan_limit`: not created; no other submission will be.
 * - `rate_limited`, `not_sent`: not created; the lookup may be submitted again.
 * - `unknown`: may be billed; submitted again only at the user's request.
 * - `misdirected`: like `unknown`; and the response has the run of another submission, given by its `customId`.
 */
export type KickoffVerdict =
  | { kind: 'accepted'; runId: string }
  | { kind: 'answered'; runId: string; run: RunObjectLenient; failed: boolean }
  | { kind: 'invalid'; reason: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'wrong_address'; reason: string }
  | { kind: 'out_of_credit'; reason: string }
  | { kind: 'plan_limit'; reason: string }
  | { kind: 'rate_limited'; waitMs: number }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'unknown'; reason: string }
  | { kind: 'misdirected'; reason: string; runId: string; customId: string }

/** Judges the response to a submission: see `KickoffVerdict`. `customId`: as sent; null if none was. */
export function judgeKickoff(
  exchange: Exchange,
  nowMs: number,
  serverErrorMeans: ServerErrorMeaning = 'unknown',
  customId: string | null = null,
): KickoffVerdict {
  if (exchange.kind === 'reply') {
    const { status } = exchange
    const runId = readAcceptedRunId(exchange.body)
    const isSuccess = status >= 200 && status < 300
    if (isSuccess && runId === null) {
      const fault = exchange.bodyFault === null ? '' : `: ${exchange.bodyFault}`
      return { kind: 'unknown', reason: `${status} without a usable run_id${fault}` }
    }
    if (runId === null) return judgeRefusal(exchange, nowMs, serverErrorMeans)
    // The status of such a response may be that of a gateway: a run exists, and may be billed.
    if (!isSuccess && !echoesCustomId(exchange.body, customId))
      return { kind: 'unknown', reason: `${describe(exchange)}, with a run_id` }
    const other = findOtherCustomId(exchange.body, customId)
    return other === null
      ? { kind: 'accepted', runId }
      : { kind: 'misdirected', runId, customId: other, reason: `${status} to another submission` }
  }
  return judgeRefusal(exchange, nowMs, serverErrorMeans)
}

function readAcceptedRunId(body: unknown): string | null {
  const accepted = runAcceptedLenient.safeParse(body)
  return accepted.success && isUsableRunId(accepted.data.run_id) ? accepted.data.run_id : null
}

/** Judges a response that is not a success. */
export function judgeRefusal(
  exchange: Exchange,
  nowMs: number,
  serverErrorMeans: ServerErrorMeaning = 'unknown',
): Exclude<KickoffVerdict, { kind: 'accepted' | 'answered' | 'misdirected' }> {
  if (exchange.kind === 'no_reply') {
    return { kind: exchange.sent === 'no' ? 'not_sent' : 'unknown', reason: exchange.reason }
  }
  const { status } = exchange
  const reason = describe(exchange)
  switch (status) {
    case 400:
    case 413:
    case 414:
    case 415:
    case 422:
      return { kind: 'invalid', reason }
    case 401:
    case 403:
      return { kind: 'refused', reason }
    case 402:
      return { kind: 'out_of_credit', reason }
    case 404:
    case 405:
    case 410:
      return { kind: 'wrong_address', reason }
    case 429:
      return judgeRateLimit(exchange, reason, nowMs)
    case 500:
      return { kind: serverErrorMeans === 'unknown' ? 'unknown' : 'not_sent', reason }
    default:
      // With a 5xx, a job may have been created.
      return status >= 300 && status < 400 && !isRedirectToResult(exchange)
        ? { kind: 'wrong_address', reason }
        : { kind: 'unknown', reason }
  }
}

/**
 * Whether a redirect, which is not followed, leads to the result of a submission that was received (RFC 9110, 303 See
 * Other), not to another address for it.
 */
function isRedirectToResult({ status, headers }: Extract<Exchange, { kind: 'reply' }>): boolean {
  const location = headers['location'] ?? ''
  // "See other" at an address for submissions is no result.
  const isOther = status === 303 && !/\/async\/?(?:[?#]|$)/.test(location)
  return isOther || /\/v\d+\/(?:runs|jobs)\/[^/]/.test(location)
}

/**
 * The two kinds of 429 have no documented type on v3. A plan limit names itself, or comes with requests left in the
 * window; any other is a rate limit, for which waiting is right.
 */
function judgeRateLimit(
  exchange: Extract<Exchange, { kind: 'reply' }>,
  reason: string,
  nowMs: number,
): { kind: 'rate_limited'; waitMs: number } | { kind: 'plan_limit'; reason: string; isLongWait?: true } {
  const rate = readRateHeaders(exchange.headers, nowMs)
  const { type } = readError(exchange.body)
  const namesPlan = type !== null && /plan|quota|monthly|spend|allowance|insufficient/i.test(type)
  if (namesPlan || (rate.remaining !== null && rate.remaining > 0)) return { kind: 'plan_limit', reason }
  // The server wrote the time by its own clock.
  const sentMs = parseHttpDate(exchange.headers['date'] ?? '', nowMs) ?? nowMs
  const statedMs = parseRetryAfterMs(exchange.headers['retry-after'] ?? '', sentMs) ?? 0
  const requestedMs = statedMs > absurdWaitMs ? 0 : statedMs
  if (requestedMs > requestedWaitMsMax)
    return {
      kind: 'plan_limit',
      reason: `${reason}; it asks to wait ${formatDuration(requestedMs)}`,
      isLongWait: true,
    }
  // A shorter wait is that of a window, which its reset states more precisely.
  const waitMs = requestedMs > rateWaitMsMax ? requestedMs : (rate.resetMs ?? rateLimitedWaitMs)
  return { kind: 'rate_limited', waitMs: Math.max(waitMs, rateLimitedWaitMsMin) }
}

/** Longest wait that a service may request with `Retry-After`; the run ends if it requests more. */
export const requestedWaitMsMax = 3_600_000

/** A longer wait is an error of the server, and is ignored. */
const absurdWaitMs = 366 * 86_400_000

/** Wait after a 429 without a reset time. */
const rateLimitedWaitMs = 15_000

const rateLimitedWaitMsMin = 250

/** Result of a poll. Polls are free and repeatable, so any odd response is retried. */
export type PollVerdict =
  | { kind: 'pending' }
  | { kind: 'finished'; run: RunObjectLenient; failed: boolean }
  /** An answer of another lookup. */
  | { kind: 'misdirected'; reason: string }
  | { kind: 'rate_limited'; waitMs: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'run_unknown'; reason: string }
  /** The service asks to wait for longer than a run does. */
  | { kind: 'unreachable'; reason: string }
  /** The submission that was assumed accepted was not: it may be submitted again. */
  | { kind: 'not_created'; reason: string }
  | { kind: 'retry'; reason: string }

export function judgePoll(exchange: Exchange, asked: ExpectedIdentity, nowMs: number): PollVerdict {
  if (exchange.kind === 'reply' && exchange.status >= 200 && exchange.status < 300)
    return judgeRun(exchange.body, asked, exchange.bodyFault)
  return judgeOtherPoll(exchange, nowMs)
}

/** Judges a response that is not a success. */
export function judgeOtherPoll(
  exchange: Exchange,
  nowMs: number,
): Extract<PollVerdict, { kind: 'rate_limited' | 'refused' | 'run_unknown' | 'retry' | 'unreachable' }> {
  if (exchange.kind === 'no_reply') return { kind: 'retry', reason: exchange.reason }
  const { status } = exchange
  const reason = describe(exchange)
  if (status === 401 || status === 403) return { kind: 'refused', reason }
  if (status === 404 || status === 410) return { kind: 'run_unknown', reason }
  if (status === 429) {
    const verdict = judgeRateLimit(exchange, reason, nowMs)
    // Polls are free: a plan limit is waited for like a rate limit.
    if (verdict.kind === 'rate_limited') return verdict
    if (verdict.isLongWait === true) return { kind: 'unreachable', reason: verdict.reason }
    return { kind: 'rate_limited', waitMs: rateLimitedWaitMs }
  }
  return { kind: 'retry', reason }
}

/**
 * Judges the body, for 200 and 202 alike; an unknown status means "not finished" (interface: "Job and run envelopes";
 * case is ignored).
 */
function judgeRun(body: unknown, asked: ExpectedIdentity, bodyFault: string | null): PollVerdict {
  const parsed = runObjectLenient.safeParse(body)
  if (!parsed.success) return { kind: 'retry', reason: bodyFault ?? 'the body is not a run' }
  const run = parsed.data
  const reason = explainMismatch(run, asked)
  return reason === null ? judgeStatus(run) : { kind: 'misdirected', reason }
}

function judgeStatus(
  run: RunObjectLenient,
): Extract<PollVerdict, { kind: 'pending' | 'finished' | 'retry' }> {
  switch (run.status.toUpperCase()) {
    case 'COMPLETED':
      // A completed run without data is truncated or not ready yet.
      return run.data
        ? { kind: 'finished', run, failed: false }
        : { kind: 'retry', reason: 'completed without data' }
    case 'FAILED':
      return { kind: 'finished', run, failed: true }
    default:
      return { kind: 'pending' }
  }
}

const outcomeCharsMax = 60

/** Returns the outcome of a finished run: any text, in lower case on one line; `failed` without one. */
export function readOutcome(run: RunObjectLenient, failed: boolean): string {
  const status = toText(at(run.data, 'status')) ?? ''
  const outcome = status
    .toLowerCase()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return failed || outcome === '' ? 'failed' : (toText(outcome, outcomeCharsMax) ?? 'failed')
}

/** Returns the confidence of a finished run, 0 to 100; null without one. */
export const readConfidence = (run: RunObjectLenient): number | null =>
  toInteger(at(run.data, 'match_confidence'))

/** Returns the time at which the run was resolved, in Unix milliseconds; null if unknown. */
export function readResolvedAtMs(run: RunObjectLenient): number | null {
  return parseInstantMs(toText(at(run.data, 'metadata', 'resolved_at')) ?? '')
}

function describe(exchange: Extract<Exchange, { kind: 'reply' }>): string {
  const { type, message } = readError(exchange.body)
  return [`HTTP ${exchange.status}`, type, message].filter((part) => part !== null && part !== '').join(': ')
}

/** Longest chain of merged ids to follow. */
const mergeHopsMax = 8

const idCharsMax = 200

/** Returns the id into which the entity of a run was merged, or null. */
export function readMergedInto(run: RunObjectLenient): string | null {
  return toText(at(run.data, 'merged_into'))
}

/**
 * Judges the read of the last id in a chain of merges: it was merged again, it ends the chain (also if it cannot be
 * read), it closes a circle (interface: "v3 entity enrichment", merged ids), or it is the record of another entity. The
 * record of a merged id is that of the new id, and cannot be checked.
 */
export function followMerge(
  seen: readonly string[],
  exchange: Exchange,
): { kind: 'end' } | { kind: 'next'; id: string } | { kind: 'circle' } | { kind: 'misdirected'; id: string } {
  const body = exchange.kind === 'reply' && exchange.status === 200 ? exchange.body : undefined
  const record = toText(at(body, 'entity', 'id'))
  if (record?.startsWith('siq_') === true && at(body, 'status') !== 'merged' && record !== seen.at(-1)) {
    return { kind: 'misdirected', id: record.slice(0, idCharsMax) }
  }
  const id = at(body, 'status') === 'merged' ? toText(at(body, 'merged_into')) : null
  if (id === null || seen.length > mergeHopsMax) return { kind: 'end' }
  return seen.includes(id) ? { kind: 'circle' } : { kind: 'next', id }
}

/** Returns the run with the end of the chain in `merged_into`, and the chain in `merged_via`. */
export function withChain(run: RunObjectLenient, seen: readonly string[]): RunObjectLenient {
  return seen.length < 2 ? run : { ...run, data: { ...run.data, merged_into: seen.at(-1), merged_via: seen } }
}

/**
 * The meaning of a genuine delivery (interface: "Delivery request").
 * - `finished`: a complete answer.
 * - `incomplete`: the run must be polled for its final answer.
 * - `record`, `unreadable`: see `WebhookEvent`.
 */
export type Delivery =
  | { kind: 'finished'; runId: string; customId: string | null; run: RunObjectLenient; failed: boolean }
  | { kind: 'incomplete'; runId: string; customId: string | null; reason: string }
  | Exclude<WebhookEvent, { kind: 'run' }>

/** Reads the body of a webhook. `basisWanted`: an answer without a basis must be polled. Never throws. */
export function readDelivery(body: Uint8Array, basisWanted: boolean): Delivery {
  const event = readWebhookEvent(body)
  if (event.kind !== 'run') return event
  const { run, isTruncated, runId } = event
  const customId = foldCustomId(event.customId)
  if (isTruncated) return { kind: 'incomplete', runId, customId, reason: 'truncated' }
  // Whether it answers the right lookup is checked once the lookup is known.
  const verdict = judgeRun(run, { runId, customId: null, name: null }, null)
  if (verdict.kind !== 'finished')
    return { kind: 'incomplete', runId, customId, reason: 'without a final answer' }
  if (basisWanted && !verdict.failed && at(run.data, 'basis') === undefined) {
    return { kind: 'incomplete', runId, customId, reason: 'without the basis' }
  }
  return { kind: 'finished', runId, customId, run, failed: verdict.failed }
}

/**
 * Whether two answers to one run differ in outcome, company or confidence. Members that vary with each delivery
 * (request ids, times, the basis) are ignored.
 */
export function isContradiction(one: RunObjectLenient, other: RunObjectLenient): boolean {
  return summarizeAnswer(one) !== summarizeAnswer(other)
}

function summarizeAnswer(run: RunObjectLenient): string {
  const outcome = readOutcome(run, run.status.toUpperCase() === 'FAILED')
  const parts = [at(run.data, 'entity', 'id'), at(run.data, 'match_confidence')]
  return JSON.stringify(outcome === 'failed' ? [outcome] : [outcome, ...parts.map((part) => toText(part))])
}
