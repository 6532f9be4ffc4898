import { formatDuration } from '../../core/time.js'
import { toRunId, firstKinds, type StageKind, type LookupKind, lookupKinds } from '../../core/lookup-state.js'
import {
  type SchedulingOptions,
  type PollingPace,
  type StageOptions,
  type Stop,
  isBudgetEnd,
} from './scheduling.js'
import { readDelivery, type Delivery } from './outcome.js'
import { getDeliveryMsMax } from './polling.js'
import type { Clock } from '../../platform/clock.js'
import type { Checkpoint, Inbox } from '../checkpoint/checkpoint.js'
import { buildStageLookup } from '../checkpoint/lookup.js'
import { basisWanted } from './webhook-ingestor.js'

export interface LostWaitDeps {
  inbox: Inbox
  checkpoint: Checkpoint
  clock: Clock
  polling: Pick<PollingPace, 'deadlineMs'>
  /** Options of the other kinds. */
  stages: StageOptions
  /** Longest wait. */
  waitMsMax: number
  interrupt: AbortSignal
  /** Called once, if there is something to wait for. */
  onWait: (lostCount: number, waitMs: number) => void
}

interface LostSubmissions {
  readonly checkpoint: Checkpoint
  /** Null if no webhooks are expected. */
  readonly webhooks: { readonly url: string | null; readonly inbox: Inbox } | null
  /** The user's choice for submissions whose response was lost. */
  readonly onLost: 'hold' | 'resubmit'
  readonly scheduling: Pick<SchedulingOptions, 'polling' | 'durationMsMax'>
  readonly stages: StageOptions
  readonly clock: Clock
  readonly interrupt: AbortSignal
  readonly notice: (text: string) => void
}

/**
 * Claims lost submissions that deliveries name, and waits while one may still arrive, since a second submission would
 * be billed again. Returns what to do with the others: those whose wait was cut short are held.
 *
 * @example
 * const onLost = await settleLostSubmissions({ ...lost, onLost: 'resubmit', notice: print })
 */
export async function settleLostSubmissions(lost: LostSubmissions): Promise<LostSubmissions['onLost']> {
  const { checkpoint, webhooks, onLost, scheduling, stages, clock, interrupt } = lost
  if (webhooks === null) return onLost
  await claimWaiting(webhooks.inbox, checkpoint, clock.nowMs())
  if (onLost === 'hold' || webhooks.url === null) return onLost
  const isOver = await waitForLost({
    inbox: webhooks.inbox,
    checkpoint,
    clock,
    polling: scheduling.polling,
    stages,
    waitMsMax: scheduling.durationMsMax ?? Infinity,
    interrupt,
    onWait: (lostCount, waitMs) => {
      lost.notice(
        `Waiting up to ${formatDuration(waitMs)} for webhooks that may name the runs of ${lostCount} lost submissions; then they are submitted again.`,
      )
    },
  })
  return isOver ? 'resubmit' : 'hold'
}

/**
 * Claims the lost submissions that deliveries in the inbox name, before anything is planned, so that none is held or
 * submitted again. The webhook ingestor records their answers later.
 */
export async function claimWaiting(inbox: Inbox, checkpoint: Checkpoint, nowMs: number): Promise<void> {
  await inbox.requeue()
  await claimAfter(0, inbox, checkpoint, nowMs)
}

/**
 * Waits until no delivery can name a lost submission any more: at most `getDeliveryMsMax` after each was sent. Claims
 * those that a delivery names. Returns false if the wait was cut short: it is then unknown whether they were billed.
 */
export async function waitForLost(wait: LostWaitDeps): Promise<boolean> {
  const { inbox, checkpoint, clock, interrupt } = wait
  const startMs = clock.monotonicMs()
  let lost = await countAwaited(wait)
  if (lost.count > 0) wait.onWait(lost.count, Math.min(lost.leftMs, wait.waitMsMax))
  const overAtMs = startMs + lost.leftMs
  let position = 0
  while (lost.count > 0 && clock.monotonicMs() < overAtMs) {
    if (interrupt.aborted || clock.monotonicMs() >= startMs + wait.waitMsMax) return false
    await clock.sleep(Math.min(inbox.lookMs, overAtMs - clock.monotonicMs()), interrupt)
    const taken = await claimAfter(position, inbox, checkpoint, clock.nowMs())
    position = taken.position
    if (taken.claimedCount > 0) lost = await countAwaited(wait)
  }
  return true
}

async function countAwaited(wait: LostWaitDeps): Promise<{ count: number; leftMs: number }> {
  const { checkpoint, clock, polling, stages } = wait
  const nowMs = clock.nowMs()
  let [count, leftMs] = [0, 0]
  for (const kind of firstKinds) {
    const own = kind === 'resolution' ? { checkpoint, polling } : getStageSettings(kind, wait)
    const hopeMs = getDeliveryMsMax(own.polling)
    // The domains that follow from answers are not known yet: any lost one may be needed.
    const among = kind !== 'resolution' && stages.asked.includes(kind) ? 'all' : 'wanted'
    for (const { intendedAtMs } of await own.checkpoint.read('lost', { afterMs: nowMs - hopeMs, among })) {
      count++
      // The system clock may have been set back: no wait is longer than for a submission sent now.
      leftMs = Math.max(leftMs, hopeMs - Math.max(0, nowMs - intendedAtMs))
    }
  }
  return { count, leftMs }
}

const getStageSettings = (kind: StageKind, { checkpoint, stages }: LostWaitDeps) => ({
  checkpoint: checkpoint.forKind(kind),
  polling: stages.kinds[kind].polling,
})

/** Claims only domains: other lost lookups are submitted again or read without cost. */
async function claimRecord(
  { record, name }: Extract<Delivery, { kind: 'record' }>,
  checkpoint: Checkpoint,
  nowMs: number,
): Promise<boolean> {
  if (record !== 'domain' || name === null) return false
  const domains = checkpoint.forKind('domain')
  const owner = await domains.read('owner', { key: buildStageLookup('domain', name).key })
  if (owner?.state !== 'uncertain') return false
  const { customId } = owner
  const runId = toRunId('domain', name)
  return (await domains.apply({ event: 'claim', customId, runId, nowMs })) === 'claimed'
}

/** Claims deliveries after the position `first` of the inbox. */
async function claimAfter(
  first: number,
  inbox: Inbox,
  checkpoint: Checkpoint,
  nowMs: number,
): Promise<{ position: number; claimedCount: number }> {
  let [position, claimedCount] = [first, 0]
  for (;;) {
    const page = await inbox.listWaiting(position, firstKinds)
    const last = page.at(-1)
    if (last === undefined) return { position, claimedCount }
    position = last.position
    const claims = page.map(async ({ body }) => {
      const delivery = readDelivery(body, basisWanted)
      if (delivery.kind === 'unreadable') return
      if (delivery.kind === 'record') {
        if (await claimRecord(delivery, checkpoint, nowMs)) claimedCount++
        return
      }
      const { customId, runId } = delivery
      if (customId === null) return
      if ((await checkpoint.apply({ event: 'claim', customId, runId, nowMs })) === 'claimed') claimedCount++
    })
    await Promise.all(claims)
  }
}

/** Submissions of a job by all its processes that were billed or may have been. */
export interface JobSpending {
  readonly byKind: ReadonlyMap<LookupKind, number>
  /** Submissions for the rows themselves, by name or domain. */
  readonly byRows: number
}

/** Counts the submissions of a job. Exact while nothing is in flight. */
export async function readSpending(checkpoint: Checkpoint): Promise<JobSpending> {
  const byKind = new Map<LookupKind, number>()
  for (const kind of lookupKinds) {
    const own = kind === 'resolution' ? checkpoint : checkpoint.forKind(kind)
    byKind.set(kind, await own.read('spent'))
  }
  const byDomain = await checkpoint.forKind('domain').read('spent_by_rows')
  return { byKind, byRows: (byKind.get('resolution') ?? 0) + byDomain }
}

interface EndedRun {
  /** Stop reason of resolutions or of the whole run. */
  readonly stop: Stop | null
  readonly stages: readonly { readonly kind: StageKind; readonly stop: Stop | null }[]
  /** Whether all kinds share one cost budget. */
  readonly sharesBudget: boolean
}

/**
 * Ends the jobs that are complete or have used up their budget: the same command then starts a new job with a new
 * budget. Jobs that share a cost budget end together, so that all spending is counted. Returns false if a job with a
 * used-up budget continues.
 */
export async function endJobs(
  checkpoint: Checkpoint,
  { stop, stages, sharesBudget }: EndedRun,
  nowMs: number,
): Promise<boolean> {
  const isOver = (reason: Stop | null) => reason === null || isBudgetEnd(reason)
  const kinds = [{ kind: 'resolution' as const, stop }, ...stages]
  if (sharesBudget) {
    const reasons = [stop, ...stages.map((stage) => stage.stop)]
    if (!reasons.every(isOver) && !reasons.some((reason) => reason?.kind === 'cost_max')) return false
    for (const kind of lookupKinds) await checkpoint.forKind(kind).endJob(nowMs)
    return true
  }
  for (const one of kinds) if (isOver(one.stop)) await checkpoint.forKind(one.kind).endJob(nowMs)
  return true
}

/**
 * Ends the retry of this run, unless the service still works at some of its lookups: then the same command continues it.
 * A lookup whose run the service denies does not hold it open.
 */
export async function endCompleteRetry(checkpoint: Checkpoint, nowMs: number): Promise<void> {
  if (checkpoint.store.retry === null) return
  for (const kind of lookupKinds) {
    const open = await checkpoint.forKind(kind).read('pending_runs')
    if (open.some(({ needsAttention }) => needsAttention === null)) return
  }
  await checkpoint.store.endJob('retry', nowMs)
}
