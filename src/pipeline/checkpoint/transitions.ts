import { moveLookup, type LookupEvent, type LookupState } from '../lookups/lookup-state.js'
import type { Answer, Claim, LookupId } from './checkpoint.js'

/**
 * State transitions of lookups and submissions, for both stores: each store reads the rows under its locks, calls one
 * of these functions, and writes the changes in order within the same transaction. Nothing here reads or writes.
 */
export interface Transition<Outcome> {
  readonly outcome: Outcome
  readonly changes: readonly Change[]
}

/** Data of a settled submission. */
export interface Settlement {
  readonly runId: string | null
  readonly acceptedAtMs: number | null
  readonly reason: string | null
}

/**
 * `keeper`: the worker that owns the lookup from here on in a shared checkpoint: this one, none, or the next one that
 * includes the lookup (this one first).
 */
export interface LookupChange extends Settlement {
  readonly of: 'lookup'
  readonly lookupId: LookupId
  readonly state: LookupState
  readonly keeper: 'self' | 'none' | 'whoever wants it'
}

export type Change =
  | LookupChange
  | ({ readonly of: 'submission'; readonly customId: string; readonly verdict: Verdict } & Settlement)

/** Result of a submission: `accepted` and `uncertain` ones count as billed. */
type Verdict = 'intended' | 'accepted' | 'not_created' | 'uncertain' | 'rejected'

/** A lookup before a transition. */
export interface LookupNow {
  readonly lookupId: LookupId
  readonly state: LookupState
  readonly customId: string | null
  readonly runId: string | null
}

/** The reply to a submission, or its loss. */
export interface Reply {
  readonly lookupId: LookupId
  readonly customId: string
  readonly event: Extract<LookupEvent, 'accept' | 'withdraw' | 'reject' | 'lose'>
  readonly verdict: Verdict
  readonly runId: string | null
  readonly atMs: number | null
  readonly reason: string | null
}

/** The state after an event. Throws if the state machine has no such step: that is a bug. */
export function getStateAfter(row: Pick<LookupNow, 'lookupId' | 'state'>, event: LookupEvent): LookupState {
  const state = moveLookup(row.state, event)
  if (state === null)
    throw new Error(`lookup ${row.lookupId} is ${row.state}: "${event}" cannot happen to it`)
  return state
}

/**
 * Settles a lookup that is `intended`, once. Returns false if a webhook was faster than the reply. `isTaken`: another
 * submission has the run that the reply names, so the reply cannot be that of this lookup: it becomes `uncertain`.
 * `isOwn`: this process sent the submission and has not settled it yet. Other workers may have taken it to be dead, but
 * its own reply still counts.
 */
export function settle(
  row: LookupNow | undefined,
  reply: Reply,
  { isTaken = false, isOwn = false }: { readonly isTaken?: boolean; readonly isOwn?: boolean } = {},
): Transition<boolean | 'uncertain'> {
  if (row === undefined) throw new Error(`lookup ${reply.lookupId} is unknown`)
  if (!isTaken) return applyReply(row, reply, isOwn)
  const reason = `the service named ${reply.runId}, the run of another submission`
  const lost = { event: 'lose', verdict: 'uncertain', runId: null, atMs: null, reason } as const
  const { outcome, changes } = applyReply(row, { ...reply, ...lost }, isOwn)
  return { outcome: outcome && 'uncertain', changes }
}

/** Whether the submitting worker keeps the lookup, to poll it or to submit it again. */
export const isKeptByWorker = ({ event }: Pick<Reply, 'event'>): boolean =>
  event === 'accept' || event === 'withdraw'

function applyReply(
  row: LookupNow,
  { lookupId, customId, event, verdict, runId, atMs, reason }: Reply,
  isOwn: boolean,
): Transition<boolean> {
  const settlement = { runId, acceptedAtMs: atMs, reason }
  const submission = { of: 'submission', customId, verdict, ...settlement } as const
  // The worker was taken to be dead and the lookup submitted again: only the first submission is updated.
  if (row.customId !== customId && isOwn) return { outcome: false, changes: [submission] }
  const isLate = isOwn && row.state === 'uncertain'
  if (row.customId === customId && row.state !== 'intended' && !isLate) return { outcome: false, changes: [] }
  const state = isLate ? getStateAfterLate(row, event) : getStateAfter(row, event)
  if (row.customId !== customId) throw new Error(`lookup ${lookupId} is not intended as ${customId}`)
  const keeper = isKeptByWorker({ event }) ? 'self' : 'none'
  const lookup = { of: 'lookup', lookupId, state, keeper, ...settlement } as const
  return { outcome: true, changes: [lookup, submission] }
}

function getStateAfterLate(row: LookupNow, event: Reply['event']): LookupState {
  return event === 'lose' ? row.state : getStateAfter(row, event === 'accept' ? 'claim' : event)
}

/**
 * Applies the run that a webhook, or the answer to another submission, named for a submission (`named`). `isTaken`:
 * another submission has the run.
 */
export function claimRun(
  row: LookupNow,
  named: { readonly verdict: string; readonly runId: string | null },
  { customId, runId, nowMs }: { customId: string; runId: string; nowMs: number },
  isTaken: boolean,
): Transition<Claim> {
  if (named.verdict === 'accepted')
    return { outcome: named.runId === runId ? 'known' : 'conflict', changes: [] }
  if (isTaken) return { outcome: 'conflict', changes: [] }
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  const submission = { of: 'submission', customId, verdict: 'accepted', ...settlement } as const
  const state = row.customId === customId ? moveLookup(row.state, 'claim') : null
  if (state === null) return { outcome: 'superseded', changes: [submission] }
  const { lookupId } = row
  const lookup = { of: 'lookup', lookupId, state, keeper: 'whoever wants it', ...settlement } as const
  return { outcome: row.state === 'intended' ? 'early' : 'claimed', changes: [submission, lookup] }
}

/** Reopens a running lookup that the service reports as never created; this worker may submit it first. */
export function reopenUncreatedRun(
  row: LookupNow | undefined,
  { lookupId, customId, reason }: { lookupId: LookupId; customId: string; reason: string },
): readonly Change[] {
  // A webhook, or another answer, may have been faster.
  if (row?.state !== 'running' || row.customId !== customId) return []
  const settlement = { runId: null, acceptedAtMs: null, reason }
  return [
    { of: 'lookup', lookupId, state: getStateAfter(row, 'reopen'), keeper: 'self', ...settlement },
    { of: 'submission', customId, verdict: 'not_created', ...settlement },
  ]
}

/** The state of a lookup after an answer; `null` if it does not wait for this run. */
export function getAnsweredState(
  row: LookupNow | undefined,
  { runId, state }: Pick<Answer, 'runId' | 'state'>,
): LookupState | null {
  return row?.runId === runId ? moveLookup(row.state, state === 'failed' ? 'fail' : 'answer') : null
}
