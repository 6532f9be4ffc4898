import { runAcceptedLenient, runObjectLenient, type RunObjectLenient } from '../../contract/resolution.js'
import { errorOf, type Exchange } from '../../core/http-exchange.js'
import { instantMs } from '../../core/time.js'
import { at, textOf } from '../../core/json.js'
import { otherCustomId, whyMisdirected, type Asked } from './misdirected.js'
import { readRateHeaders } from '../pace/pacing.js'

/**
 * What the answer to a submission means for money (interface: "v3 entity resolution", "Errors").
 * - `accepted`: billed, a run exists.
 * - `answered`: the same, and its answer came at once.
 * - `invalid`: not created; this lookup will never be accepted as it is.
 * - `refused`, `wrong_address`, `out_of_credit`, `plan_limit`: not created; nothing else will be either.
 * - `rate_limited`, `not_sent`: not created; the same lookup may be submitted again.
 * - `unknown`: it may have been billed; never submitted again unless the user says so.
 * - `misdirected`: like `unknown`; and the answer names the run of another submission, by its `customId`.
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

/**
 * What a 500 to a submission is taken to mean. The interface says "server error" and no more; a job may have
 * been made before the error. Only who knows the service better may say that nothing was created.
 */
export type ServerErrorMeaning = 'unknown' | 'not_created'

/** `customId`: what the submission bore, and an answer to it echoes; null where it bore none. */
export function judgeKickoff(
  exchange: Exchange,
  nowMs: number,
  serverErrorMeans: ServerErrorMeaning = 'unknown',
  customId: string | null = null,
): KickoffVerdict {
  if (exchange.kind === 'reply' && exchange.status >= 200 && exchange.status < 300) {
    const { status } = exchange
    const accepted = runAcceptedLenient.safeParse(exchange.body)
    if (!accepted.success || !isUsableRunId(accepted.data.run_id)) {
      const fault = exchange.bodyFault === null ? '' : `: ${exchange.bodyFault}`
      return { kind: 'unknown', reason: `${status} without a usable run_id${fault}` }
    }
    const runId = accepted.data.run_id
    const other = otherCustomId(exchange.body, customId)
    return other === null
      ? { kind: 'accepted', runId }
      : { kind: 'misdirected', runId, customId: other, reason: `${status} to another submission` }
  }
  return judgeRefusal(exchange, nowMs, serverErrorMeans)
}

/** The same of whatever is no success. */
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
      return judge429(exchange, reason, nowMs)
    case 500:
      return { kind: serverErrorMeans === 'unknown' ? 'unknown' : 'not_sent', reason }
    default:
      // A redirect was not followed, so nothing was submitted; a 5xx may stand behind a job that was made.
      return status >= 300 && status < 400 ? { kind: 'wrong_address', reason } : { kind: 'unknown', reason }
  }
}

const runIdCharsMax = 500

/** Ids are opaque; but one that cannot be stored as it is, or put into a path, can never be asked for. */
export function isUsableRunId(runId: string): boolean {
  return runId.length <= runIdCharsMax && !/^\.{1,2}$|[\p{Cc}\p{Surrogate}]/u.test(runId)
}

/**
 * The two 429s have no documented type on v3. A plan limit is one that names itself, or one that comes with
 * budget left in the minute; anything else is the minute's, and waiting is right.
 */
function judge429(
  exchange: Extract<Exchange, { kind: 'reply' }>,
  reason: string,
  nowMs: number,
): { kind: 'rate_limited'; waitMs: number } | { kind: 'plan_limit'; reason: string } {
  const rate = readRateHeaders(exchange.headers, nowMs)
  const { type } = errorOf(exchange.body)
  const namesPlan = type !== null && /plan|quota|monthly|spend|allowance|insufficient/i.test(type)
  if (namesPlan || (rate.remaining !== null && rate.remaining > 0)) return { kind: 'plan_limit', reason }
  return { kind: 'rate_limited', waitMs: Math.max(rate.resetMs ?? rateLimitedWaitMs, rateLimitedWaitMsMin) }
}

/** Where the server does not say how long: a good part of its minute. */
const rateLimitedWaitMs = 15_000
const rateLimitedWaitMsMin = 250

/** What a poll says. Polls are free and repeat no work, so anything odd may be asked again. */
export type PollVerdict =
  | { kind: 'pending' }
  | { kind: 'finished'; run: RunObjectLenient; failed: boolean }
  /** Another lookup's, never written here; `run` where it is a final answer to the run that was asked for. */
  | { kind: 'misdirected'; reason: string; run: RunObjectLenient | null; failed: boolean }
  | { kind: 'rate_limited'; waitMs: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'run_unknown'; reason: string }
  /** What was taken to be asked was not: it may be asked again. */
  | { kind: 'not_created'; reason: string }
  | { kind: 'retry'; reason: string }

export function judgePoll(exchange: Exchange, asked: Asked, nowMs: number): PollVerdict {
  if (exchange.kind === 'reply' && exchange.status >= 200 && exchange.status < 300)
    return judgeRun(exchange.body, asked, exchange.bodyFault)
  return judgeOtherPoll(exchange, nowMs)
}

/** The same of whatever is no success. */
export function judgeOtherPoll(
  exchange: Exchange,
  nowMs: number,
): Extract<PollVerdict, { kind: 'rate_limited' | 'refused' | 'run_unknown' | 'retry' }> {
  if (exchange.kind === 'no_reply') return { kind: 'retry', reason: exchange.reason }
  const { status } = exchange
  const reason = describe(exchange)
  if (status === 401 || status === 403) return { kind: 'refused', reason }
  if (status === 404 || status === 410) return { kind: 'run_unknown', reason }
  if (status === 429) {
    const verdict = judge429(exchange, reason, nowMs)
    // Polls are free: a plan limit on them is waited out like a minute's.
    return verdict.kind === 'rate_limited' ? verdict : { kind: 'rate_limited', waitMs: rateLimitedWaitMs }
  }
  return { kind: 'retry', reason }
}

/**
 * Decided on the body, whether it came with 200 or 202; an unknown status is "not finished" (interface:
 * "Job and run envelopes"; the letter case is not shown, so it is not looked at).
 */
export function judgeRun(body: unknown, asked: Asked, bodyFault: string | null): PollVerdict {
  const parsed = runObjectLenient.safeParse(body)
  if (!parsed.success) return { kind: 'retry', reason: bodyFault ?? 'the body is not a run' }
  const run = parsed.data
  const reason = whyMisdirected(run, asked)
  const said = judgeStatus(run)
  if (reason === null) return said
  const isAnswer = said.kind === 'finished' && run.run_id === asked.runId
  return { kind: 'misdirected', reason, run: isAnswer ? run : null, failed: isAnswer && said.failed }
}

function judgeStatus(
  run: RunObjectLenient,
): Extract<PollVerdict, { kind: 'pending' | 'finished' | 'retry' }> {
  switch (run.status.toUpperCase()) {
    case 'COMPLETED':
      // A completed run without data was truncated or is not there yet: asked again.
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

/**
 * The outcome of a finished run as it is counted and asked for again: lower case, one line. A server may send
 * one that no interface names; without any, the run failed.
 */
export function outcomeOf(run: RunObjectLenient, failed: boolean): string {
  const status = textOf(at(run.data, 'status')) ?? ''
  const outcome = status
    .toLowerCase()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return failed || outcome === '' ? 'failed' : (textOf(outcome, outcomeCharsMax) ?? 'failed')
}

/** When the service says the run was resolved, in Unix time; null where it says nothing usable. */
export function resolvedAtMsOf(run: RunObjectLenient): number | null {
  return instantMs(textOf(at(run.data, 'metadata', 'resolved_at')) ?? '')
}

function describe(exchange: Extract<Exchange, { kind: 'reply' }>): string {
  const { type, message } = errorOf(exchange.body)
  return [`HTTP ${exchange.status}`, type, message].filter((part) => part !== null && part !== '').join(': ')
}

/** A chain of merged ids is followed no further than this. */
const mergeHopsMax = 8
const idCharsMax = 200

/** The id that a finished run says its entity was merged into, or null. */
export function mergedIntoOf(run: RunObjectLenient): string | null {
  return textOf(at(run.data, 'merged_into'))
}

/**
 * What the reading of an entity says about a chain that has come to its id, the last one seen: it was merged
 * again, it is where the chain ends (also when it cannot be read: then it is the best that is known), or the
 * chain goes in a circle (interface: "v3 entity enrichment", merged ids); or it is the record of another entity.
 * The record of a merged id is that of the one it was merged into, and bears no id that could prove it.
 */
export function followMerge(
  seen: readonly string[],
  exchange: Exchange,
): { kind: 'end' } | { kind: 'next'; id: string } | { kind: 'circle' } | { kind: 'misdirected'; id: string } {
  const body = exchange.kind === 'reply' && exchange.status === 200 ? exchange.body : undefined
  const record = textOf(at(body, 'entity', 'id'))
  if (record?.startsWith('siq_') === true && at(body, 'status') !== 'merged' && record !== seen.at(-1)) {
    return { kind: 'misdirected', id: record.slice(0, idCharsMax) }
  }
  const id = at(body, 'status') === 'merged' ? textOf(at(body, 'merged_into')) : null
  if (id === null || seen.length > mergeHopsMax) return { kind: 'end' }
  return seen.includes(id) ? { kind: 'circle' } : { kind: 'next', id }
}

/** The run with the end of its chain in `merged_into`, and the ids on the way there kept beside it. */
export function withChain(run: RunObjectLenient, seen: readonly string[]): RunObjectLenient {
  return seen.length < 2 ? run : { ...run, data: { ...run.data, merged_into: seen.at(-1), merged_via: seen } }
}
