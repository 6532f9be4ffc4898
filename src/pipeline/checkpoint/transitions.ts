import { runObjectLenient } from '../../contract/resolution.js'
import { moveLookup, type LookupEvent, type LookupState } from '../lookups/lookup-state.js'
import { findProvenOwner } from '../answers/misdirected.js'
import type { Answer, Claim, LookupId, RunContender, RunHolder } from './checkpoint.js'

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
  | { readonly of: 'attention'; readonly lookupId: LookupId; readonly reason: string }

/** Result of a submission: `accepted` and `uncertain` ones count as billed. */
type Verdict = 'intended' | 'accepted' | 'not_created' | 'uncertain' | 'rejected'

/** A lookup before a transition. */
export interface LookupNow {
  readonly lookupId: LookupId
  readonly name: string
  readonly state: LookupState
  readonly customId: string | null
  readonly runId: string | null
}

/** The submissions to which the service assigned one run, with their lookups. */
export interface Contest {
  readonly contenders: readonly RunContender[]
  readonly rows: ReadonlyMap<LookupId, LookupNow>
  /** Response bodies as JSON, for lookups that have one. */
  readonly bodies: ReadonlyMap<LookupId, string>
}

export const uncontested: Contest = { contenders: [], rows: new Map(), bodies: new Map() }

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
 * Settles a lookup that is `intended`, once. Returns false if a webhook was faster than the reply. Returns `contested`
 * if the service assigned the run to another submission as well. `isOwn`: this process sent the submission and has not
 * settled it yet. Other workers may have taken it to be dead, but its own reply still counts.
 */
export function settle(
  row: LookupNow | undefined,
  reply: Reply,
  contest: Contest,
  isOwn = false,
): Transition<boolean | 'contested'> {
  const { runId, customId } = reply
  const isTaken = contest.contenders.some((one) => one.customId !== customId)
  if (row === undefined) throw new Error(`lookup ${reply.lookupId} is unknown`)
  if (runId === null || !isTaken) return applyReply(row, reply, runId, isOwn)
  // Otherwise two lookups would get the same answer; only the answer can prove its owner.
  const reason = `the service named ${runId}, the run of another submission`
  const loss = { ...reply, event: 'lose', verdict: 'uncertain', runId: null, atMs: null, reason } as const
  const lost = applyReply(row, loss, runId, isOwn)
  if (!lost.outcome) return lost
  const own = { customId, lookupId: row.lookupId, name: row.name }
  const others = contest.contenders.filter((one) => one.customId !== customId)
  const doubts = flagContenders({ ...contest, contenders: [...others, own] }, runId)
  return { outcome: 'contested', changes: [...lost.changes, ...doubts] }
}

/** Whether the submitting worker keeps the lookup, to poll it or to submit it again. */
export const isKeptByWorker = ({ event }: Pick<Reply, 'event'>): boolean =>
  event === 'accept' || event === 'withdraw'

/** `namedRunId`: the run that the service named for the submission, even if the lookup does not get it. */
function applyReply(
  row: LookupNow,
  { lookupId, customId, event, verdict, runId, atMs, reason }: Reply,
  namedRunId: string | null,
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
  return { outcome: true, changes: [lookup, { ...submission, runId: namedRunId }] }
}

function getStateAfterLate(row: LookupNow, event: Reply['event']): LookupState {
  return event === 'lose' ? row.state : getStateAfter(row, event === 'accept' ? 'claim' : event)
}

/** Applies the run that a webhook, or the answer to another submission, named for a submission (`named`). */
export function claimRun(
  row: LookupNow,
  named: { readonly verdict: string; readonly runId: string | null },
  contenders: readonly RunContender[],
  { customId, runId, nowMs }: { customId: string; runId: string; nowMs: number },
): Transition<Claim> {
  const returnUnchanged = (outcome: Claim) => ({ outcome, changes: [] })
  const isSame = named.runId === runId
  if (named.verdict === 'accepted') return returnUnchanged(isSame ? 'known' : 'conflict')
  if (contenders.some((one) => one.customId !== customId))
    return returnUnchanged(isSame ? 'contested' : 'conflict')
  const [lookup, submission] = buildRunChanges(row.lookupId, customId, runId, nowMs)
  const state = row.customId === customId ? moveLookup(row.state, 'claim') : null
  if (state === null) return { outcome: 'superseded', changes: [submission] }
  return {
    outcome: row.state === 'intended' ? 'early' : 'claimed',
    changes: [submission, { ...lookup, state }],
  }
}

/** The changes that assign a run to a lookup through an accepted submission. */
function buildRunChanges(lookupId: LookupId, customId: string, runId: string, nowMs: number) {
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  return [
    { of: 'lookup', lookupId, state: 'running', keeper: 'whoever wants it', ...settlement },
    { of: 'submission', customId, verdict: 'accepted', ...settlement },
  ] as const satisfies Change[]
}

/**
 * Handles a run that the service assigned to several submissions. The latest one is uncertain already. An earlier one
 * that still runs gets flagged, and its answer must prove its owner; an answered one stays answered only if its answer
 * proves that.
 */
function flagContenders({ contenders, rows, bodies }: Contest, runId: string): Change[] {
  const reason = `the service named ${runId} twice`
  return contenders.flatMap(({ lookupId, customId }): Change[] => {
    const row = rows.get(lookupId)
    if (row === undefined || row.runId !== runId || row.customId !== customId) return []
    if (row.state === 'running') return [{ of: 'attention', lookupId, reason }]
    return isProved(bodies.get(lookupId), customId, contenders) ? [] : withdrawAnswer(row, runId, reason)
  })
}

function isProved(body: string | undefined, customId: string, contenders: readonly RunContender[]): boolean {
  const answer = body === undefined ? null : runObjectLenient.safeParse(JSON.parse(body))
  return answer?.success === true && findProvenOwner(answer.data, contenders)?.customId === customId
}

/** Makes a lookup uncertain: it may have been billed under an unknown run. Its submission keeps the contested run. */
function withdrawAnswer(
  { lookupId, state: from, customId }: LookupNow,
  runId: string,
  reason: string,
): Change[] {
  const state = moveLookup(from, 'doubt')
  if (state === null || customId === null) return []
  const details = { acceptedAtMs: null, reason }
  return [
    { of: 'lookup', lookupId, state, keeper: 'none', runId: null, ...details },
    { of: 'submission', customId, verdict: 'uncertain', runId, ...details },
  ]
}

/** Assigns the run to the submission that its answer names; see `Checkpoint.assignRun`. */
export function assignContestedRun(
  { contenders, rows }: Omit<Contest, 'bodies'>,
  { customId, runId, nowMs }: { customId: string; runId: string; nowMs: number },
): Transition<boolean> {
  const winner = contenders.find((one) => one.customId === customId)
  const row = winner === undefined ? undefined : rows.get(winner.lookupId)
  const state = row?.customId === customId ? moveLookup(row.state, 'claim') : null
  const holders = contenders.flatMap(({ lookupId }) => {
    const holder = rows.get(lookupId)
    return holder?.runId === runId ? [holder] : []
  })
  if (row === undefined || state === null || holders.some((holder) => holder.state !== 'running'))
    return { outcome: false, changes: [] }
  const reason = `the service named ${runId}, the run of another submission`
  const [lookup, submission] = buildRunChanges(row.lookupId, customId, runId, nowMs)
  const doubts = holders.flatMap((holder) => withdrawAnswer(holder, runId, reason))
  return { outcome: true, changes: [...doubts, { ...lookup, state }, submission] }
}

/** Swaps two runs; see `Checkpoint.swapRuns`. */
export function swapRunHolders(
  rows: ReadonlyMap<LookupId, LookupNow>,
  one: RunHolder,
  other: RunHolder,
  nowMs: number,
): Transition<boolean> {
  const hasRun = ({ lookupId, runId, customId }: RunHolder) => {
    const row = rows.get(lookupId)
    return row?.state === 'running' && row.runId === runId && row.customId === customId
  }
  if (!hasRun(one) || !hasRun(other)) return { outcome: false, changes: [] }
  const [released] = buildRunChanges(other.lookupId, other.customId, other.runId, nowMs)
  return {
    outcome: true,
    changes: [
      // Two lookups must never have the same run, not even between statements.
      { ...released, runId: null },
      ...buildRunChanges(one.lookupId, one.customId, other.runId, nowMs),
      ...buildRunChanges(other.lookupId, other.customId, one.runId, nowMs),
    ],
  }
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

/**
 * The state of a lookup after an answer. False if it does not wait for this run; `contested` if several submissions
 * have the run and the answer does not prove its owner.
 */
export function getAnsweredState(
  row: LookupNow | undefined,
  { runId, state }: Pick<Answer, 'runId' | 'state'>,
  isContested: boolean,
): LookupState | false | 'contested' {
  const next = row?.runId === runId ? moveLookup(row.state, state === 'failed' ? 'fail' : 'answer') : null
  if (next === null) return false
  return isContested ? 'contested' : next
}
