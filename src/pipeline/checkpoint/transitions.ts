import {
  createEmptyPlan,
  moveLookup,
  planLookup,
  type KnownLookup,
  type LookupEvent,
  type LookupPlan,
  type LookupState,
  type PlanPolicy,
} from '../../core/lookup-state.js'
import type { Answer, Claim } from './records.js'
import type { LookupId } from '../../core/lookup-identity.js'

/**
 * The rules of lookups and submissions, for every store: a store reads rows under its locks, calls one of these
 * functions, and writes the changes in order within the same transaction. Nothing here reads or writes.
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
  | AnswerChange
  | { readonly of: 'attention'; readonly lookupId: LookupId; readonly reason: string | null }

interface AnswerChange {
  readonly of: 'answer'
  readonly lookupId: LookupId
  readonly state: LookupState
  readonly answer: Answer
}

/** Result of a submission: `accepted` and `uncertain` ones count as billed. */
type Verdict = 'intended' | 'accepted' | 'not_created' | 'uncertain' | 'rejected'

/** A lookup before a transition. */
export interface LookupNow {
  readonly lookupId: LookupId
  readonly state: LookupState
  readonly customId: string | null
  readonly runId: string | null
}

export type LookupUpdate = LookupReply | RunClaim | LookupAnswer | RunNote

/**
 * The reply to a submission, or its loss. `Checkpoint.apply` returns false, changing nothing, if a webhook settled the
 * submission first; `uncertain` if the reply names the run of another submission: the lookup gets no answer of that run.
 */
export type LookupReply = { readonly lookupId: LookupId; readonly customId: string } & (
  | { readonly event: 'accept'; readonly runId: string; readonly nowMs: number }
  /**
   * Allows another submission: the run was certainly not created, or, with `mayBeBilled`, the lookup is a read that may
   * be billed twice and its submission stays uncertain.
   */
  | { readonly event: 'withdraw'; readonly reason: string; readonly mayBeBilled?: boolean }
  /** The service rejected the lookup permanently. */
  | { readonly event: 'reject'; readonly reason: string }
  /** The response was lost: the submission may have been billed. */
  | { readonly event: 'lose'; readonly reason: string }
)

/** A webhook, or the answer to another submission, names the run of a submission. */
interface RunClaim {
  readonly event: 'claim'
  readonly customId: string
  readonly runId: string
  readonly nowMs: number
}

/** The final answer of a run. Returns false, changing nothing, for a second, different answer to a run. */
export interface LookupAnswer {
  readonly event: 'answer'
  readonly lookupId: LookupId
  readonly answer: Answer
}

/** Facts about a running lookup. */
type RunNote = { readonly lookupId: LookupId } &
  /** Flags a run that stays `running` after an error, for the next command to poll again; `null` clears the flag. */
  (
    | { readonly event: 'flag'; readonly reason: string | null }
    /** Reopens a running lookup that the service reports as never created. */
    | { readonly event: 'disprove'; readonly customId: string; readonly reason: string }
  )

export type UpdateOutcome<Update extends LookupUpdate = LookupUpdate> = Update extends { event: 'claim' }
  ? Claim
  : Update extends { event: 'accept' }
    ? boolean | 'uncertain'
    : boolean

export interface RowsNow {
  /** `undefined` if the lookup, or the submission of a claim, is unknown. */
  readonly row: LookupNow | undefined
  /** The submission that a claim names. */
  readonly submission?: { readonly verdict: string; readonly runId: string | null } | undefined
  /** Another submission of the scope has the run that the update names. */
  readonly isTaken?: boolean
  /**
   * This process sent the submission and has not settled it yet. Other workers may have taken it to be dead, but its
   * own reply still counts.
   */
  readonly isOwn?: boolean
}

/** Decides what an update changes. Throws for an update that cannot happen, which is a bug. */
export function decide(update: LookupUpdate, now: RowsNow): Transition<UpdateOutcome> {
  const { row } = now
  switch (update.event) {
    case 'accept':
    case 'withdraw':
    case 'reject':
    case 'lose':
      return settle(toReply(update), now)
    case 'claim':
      return claimRun(update, now)
    case 'disprove':
      return reopenUncreatedRun(update, row)
    case 'answer':
      return writeAnswer(update, row)
    case 'flag': {
      const { lookupId, reason } = update
      return row?.state === 'running'
        ? { outcome: true, changes: [{ of: 'attention', lookupId, reason }] }
        : { outcome: false, changes: [] }
    }
  }
}

/** The usual rows before an update, which a store may assume if it verifies them when it writes; `null` for others. */
export function assumeRows(update: LookupUpdate): RowsNow | null {
  switch (update.event) {
    case 'accept':
    case 'withdraw':
    case 'reject':
    case 'lose': {
      const { lookupId, customId } = update
      return { row: { lookupId, customId, state: 'intended', runId: null } }
    }
    case 'answer': {
      const { lookupId, answer } = update
      return { row: { lookupId, customId: null, state: 'running', runId: answer.runId } }
    }
    default:
      return null
  }
}

interface Reply extends Settlement {
  readonly lookupId: LookupId
  readonly customId: string
  readonly event: LookupReply['event']
  readonly verdict: Verdict
}

function toReply(update: LookupReply): Reply {
  const { lookupId, customId, event } = update
  if (event === 'accept') {
    const { runId, nowMs } = update
    return { lookupId, customId, event, verdict: 'accepted', runId, acceptedAtMs: nowMs, reason: null }
  }
  const { reason } = update
  const isBilled = event === 'lose' || (event === 'withdraw' && update.mayBeBilled === true)
  const verdict = isBilled ? 'uncertain' : event === 'reject' ? 'rejected' : 'not_created'
  return { lookupId, customId, event, verdict, runId: null, acceptedAtMs: null, reason }
}

/** The state after an event. Throws if the state machine has no such step: that is a bug. */
export function getStateAfter(row: Pick<LookupNow, 'lookupId' | 'state'>, event: LookupEvent): LookupState {
  const state = moveLookup(row.state, event)
  if (state === null)
    throw new Error(`lookup ${row.lookupId} is ${row.state}: "${event}" cannot happen to it`)
  return state
}

/** Settles a lookup that is `intended`, once. */
function settle(
  reply: Reply,
  { row, isTaken = false, isOwn = false }: RowsNow,
): Transition<boolean | 'uncertain'> {
  if (row === undefined) throw new Error(`lookup ${reply.lookupId} is unknown`)
  if (!isTaken || reply.runId === null) return applyReply(row, reply, isOwn)
  // The reply cannot be that of this lookup: otherwise two lookups would get the same answer.
  const reason = `the service named ${reply.runId}, the run of another submission`
  const lost = { event: 'lose', verdict: 'uncertain', runId: null, acceptedAtMs: null, reason } as const
  const { outcome, changes } = applyReply(row, { ...reply, ...lost }, isOwn)
  return { outcome: outcome && 'uncertain', changes }
}

function applyReply(
  row: LookupNow,
  { lookupId, customId, event, verdict, runId, acceptedAtMs, reason }: Reply,
  isOwn: boolean,
): Transition<boolean> {
  const settlement = { runId, acceptedAtMs, reason }
  const submission = { of: 'submission', customId, verdict, ...settlement } as const
  // The worker was taken to be dead and the lookup submitted again: only the first submission is updated.
  if (row.customId !== customId && isOwn) return { outcome: false, changes: [submission] }
  const isLate = isOwn && row.state === 'uncertain'
  if (row.customId === customId && row.state !== 'intended' && !isLate) return { outcome: false, changes: [] }
  const state = isLate ? getStateAfterLate(row, event) : getStateAfter(row, event)
  if (row.customId !== customId) throw new Error(`lookup ${lookupId} is not intended as ${customId}`)
  // The submitting worker keeps it, to poll it or to submit it again.
  const keeper = event === 'accept' || event === 'withdraw' ? 'self' : 'none'
  const lookup = { of: 'lookup', lookupId, state, keeper, ...settlement } as const
  return { outcome: true, changes: [lookup, submission] }
}

function getStateAfterLate(row: LookupNow, event: LookupReply['event']): LookupState {
  return event === 'lose' ? row.state : getStateAfter(row, event === 'accept' ? 'claim' : event)
}

function claimRun(
  { customId, runId, nowMs }: RunClaim,
  { row, submission: named, isTaken = false }: RowsNow,
): Transition<Claim> {
  if (row === undefined || named === undefined) return { outcome: 'unknown', changes: [] }
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

/** This worker may submit the lookup first. */
function reopenUncreatedRun(
  { lookupId, customId, reason }: RunNote & { event: 'disprove' },
  row: LookupNow | undefined,
): Transition<boolean> {
  // A webhook, or another answer, may have been faster.
  if (row?.state !== 'running' || row.customId !== customId) return { outcome: false, changes: [] }
  const settlement = { runId: null, acceptedAtMs: null, reason }
  const state = getStateAfter(row, 'reopen')
  return {
    outcome: true,
    changes: [
      { of: 'lookup', lookupId, state, keeper: 'self', ...settlement },
      { of: 'submission', customId, verdict: 'not_created', ...settlement },
    ],
  }
}

/** Only the run that the lookup waits for answers it. */
function writeAnswer({ lookupId, answer }: LookupAnswer, row: LookupNow | undefined): Transition<boolean> {
  const event = answer.state === 'failed' ? 'fail' : 'answer'
  const state = row?.runId === answer.runId ? moveLookup(row.state, event) : null
  if (state === null) return { outcome: false, changes: [] }
  return { outcome: true, changes: [{ of: 'answer', lookupId, state, answer }] }
}

/** Lookups of a run that are planned alike. */
export interface PlanGroup extends KnownLookup {
  /** Answered before the cutoff of the policy. */
  readonly isOld: boolean
  /** Another live worker submits or polls it: it is waited for. */
  readonly isElsewhere?: boolean
  /** The request of a suspended worker may still arrive: it must not be submitted again yet. */
  readonly isHeld?: boolean
  readonly count: number
}

/** The plan of some lookups, and the steps that carry it out. */
export interface GroupsPlan {
  readonly counts: Record<LookupPlan, number>
  /** Lookups to reopen. `onlyLost`: not those that are held. */
  readonly reopened: readonly {
    readonly state: LookupState
    readonly isOld: boolean
    readonly onlyLost: boolean
  }[]
  /** Lost free reads become running until the next poll. */
  readonly pollsLost: boolean
}

/** An answer dated later than now by more than this was stored by a wrong clock; clocks of machines may differ by less. */
export const clockSkewMs = 10 * 60_000

/** Answers of an earlier time are old; -1 if answers stay permanently. */
export const getCutoffMs = ({ maxAgeMs, nowMs }: PlanPolicy): number =>
  maxAgeMs === null ? -1 : nowMs - maxAgeMs

/** Plans the lookups of a run. */
export function planGroups(groups: readonly PlanGroup[], policy: PlanPolicy): GroupsPlan {
  const counts = createEmptyPlan()
  const isBilled = policy.knowsEarlierRuns !== false
  const planned = groups.map((group) => ({ group, plan: planGroup(group, policy) }))
  for (const { group, plan } of planned) counts[plan] += group.count
  const reopened = planned.flatMap(({ group: { state, isOld }, plan }) =>
    plan === 'submit' && state !== 'new'
      ? [{ state, isOld, onlyLost: isBilled && state === 'uncertain' }]
      : [],
  )
  const pollsLost = planned.some(({ group, plan }) => plan === 'poll' && group.state === 'uncertain')
  return { counts, reopened, pollsLost }
}

function planGroup(group: PlanGroup, policy: PlanPolicy): Exclude<LookupPlan, 'decided'> {
  if (group.isElsewhere === true) return 'poll'
  const plan = planLookup(group, policy)
  const mustWait = group.isHeld === true && policy.knowsEarlierRuns !== false
  return mustWait && plan === 'submit' ? 'uncertain' : plan
}
