import { readDelivery, type Delivery } from './delivery.js'
import { toRunId } from '../checkpoint/lookup-state.js'
import { firstKinds, type StageKind } from '../../core/lookup-kinds.js'
import { getDeliveryMsMax } from './polling.js'
import type { PollingPace, StageOptions } from './scheduling.js'
import type { Clock } from '../../platform/clock.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { buildStageLookup } from '../checkpoint/lookup-key.js'
import { receiverLimits, type Inbox } from './inbox.js'
import { basisWanted } from './webhook-ingestor.js'

export interface LostWaitDeps {
  inbox: Inbox
  checkpoint: Checkpoint
  clock: Clock
  /** Polling of resolutions. */
  polling: Pick<PollingPace, 'deadlineMs'>
  /** Options of the other kinds. */
  stages: StageOptions
  /** Longest wait. */
  waitMsMax: number
  interrupt: AbortSignal
  /** Called once, if there is something to wait for. */
  onWait: (lostCount: number, waitMs: number) => void
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
    position = page.at(-1)?.position ?? position
    if (page.length < receiverLimits.takeCountMax) return { position, claimedCount }
  }
}
