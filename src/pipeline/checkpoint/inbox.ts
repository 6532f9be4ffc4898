import { lookupKinds, type LookupKind } from '../../core/lookup-state.js'
import { readWebhookEvent } from '../../core/webhooks.js'
import { buildStageLookup } from './lookup.js'

/**
 * `waiting` for a run; `taken`: its content is in the checkpoint; `unclaimed`: genuine, but its run is unknown to this
 * checkpoint; `quarantined`: genuine, but it contradicts itself or the checkpoint.
 */
export type DeliveryState = 'waiting' | 'taken' | 'unclaimed' | 'quarantined'

export type InboxCounts = Readonly<Record<DeliveryState, number>>

export interface WaitingDelivery {
  position: number
  body: Uint8Array
  /** Wall clock of the receiving process. */
  receivedAtMs: number
}

/**
 * Deliveries between their acknowledgement and their processing by a run. Shared by processes: a standing receiver
 * writes while a run reads. Changes are durable when they resolve. Rejects with CHECKPOINT_* and DISK_FULL.
 *
 *     await inbox.receive('evt_1', body, nowMs)
 *     for (const { position } of await inbox.listWaiting(0)) await inbox.settle(position, 'taken', null)
 */
export interface Inbox {
  /** Interval at which a run checks for deliveries received by another process, in milliseconds. */
  readonly lookMs: number
  /** Returns false, changing nothing, if an event with this id is known. */
  receive(eventId: string, body: Uint8Array, nowMs: number): Promise<boolean>
  /**
   * Returns the oldest waiting deliveries after a position, at most `inboxLimits.takeCountMax`; if several workers share
   * the inbox, those for this worker. `kinds`: the kinds of lookups that it can settle; defaults to all. Later deliveries
   * have higher positions.
   */
  listWaiting(afterPosition: number, kinds?: readonly LookupKind[]): Promise<readonly WaitingDelivery[]>
  /** Returns false if another process has settled it. */
  settle(position: number, state: Exclude<DeliveryState, 'waiting'>, reason: string | null): Promise<boolean>
  /** Puts unclaimed deliveries back to `waiting`. */
  requeue(): Promise<void>
  close(): void | Promise<void>
}

export interface NewDelivery {
  readonly eventId: string
  readonly body: Uint8Array
  readonly nowMs: number
}

/** New state of the deliveries in state `from` at these positions, both inclusive. Taken ones lose their body. */
export interface DeliveryChange {
  readonly from: 'waiting' | 'unclaimed'
  readonly to: DeliveryState
  readonly reason: string | null
  readonly first: number
  readonly last: number
}

/** Rows of an inbox, in a file or on a server. They know no rule. Changes are durable when they resolve. */
export interface InboxRows extends Pick<Inbox, 'lookMs' | 'close'> {
  /** Returns false, changing nothing, if an event with this id is known. */
  add(delivery: NewDelivery): Promise<boolean>
  /** See `Inbox.listWaiting`. */
  listWaiting(
    afterPosition: number,
    kinds: readonly LookupKind[],
    countMax: number,
  ): readonly WaitingDelivery[] | Promise<readonly WaitingDelivery[]>
  change(change: DeliveryChange): Promise<number>
  /** Deletes deliveries of such an age, taken or others. */
  forget(takenMs: number, othersMs: number): void | Promise<void>
}

const dayMs = 86_400_000

export const inboxLimits = {
  /** How often a run checks for deliveries received by another process. */
  lookMs: 250,
  /** The same for an inbox on a server. */
  sharedLookMs: 1_000,
  /** Deliveries read into memory at once. */
  takeCountMax: 32,
  /** How long the id of a taken delivery is kept; the service repeats deliveries within seven minutes. */
  takenKeptMs: 7 * dayMs,
  /** How long unclaimed and quarantined deliveries are kept. */
  unsettledKeptMs: 90 * dayMs,
} as const

/** The inbox with these rows. `onReceived` is called after this process received a new delivery. */
export function createInbox(rows: InboxRows, onReceived: () => void = () => undefined): Inbox {
  return {
    lookMs: rows.lookMs,
    async receive(eventId, body, nowMs) {
      const isNew = await rows.add({ eventId, body, nowMs })
      if (isNew) onReceived()
      return isNew
    },
    async listWaiting(afterPosition, kinds = lookupKinds) {
      return rows.listWaiting(afterPosition, kinds, inboxLimits.takeCountMax)
    },
    async settle(position, to, reason) {
      const count = await rows.change({ from: 'waiting', to, reason, first: position, last: position })
      return count > 0
    },
    async requeue() {
      const all = { first: 0, last: Number.MAX_SAFE_INTEGER }
      await rows.change({ from: 'unclaimed', to: 'waiting', reason: null, ...all })
    },
    close: () => rows.close(),
  }
}

/** Deletes what need not be kept; called when an inbox is opened. */
export const forgetOld = (rows: InboxRows): void | Promise<void> =>
  rows.forget(inboxLimits.takenKeptMs, inboxLimits.unsettledKeptMs)

export const toInboxCounts = (
  groups: readonly { readonly state: DeliveryState; readonly count: number }[],
): InboxCounts => ({
  waiting: 0,
  taken: 0,
  unclaimed: 0,
  quarantined: 0,
  ...Object.fromEntries(groups.map(({ state, count }) => [state, count])),
})

/** The subject of a delivery, as far as the delivery names it. */
interface Subject {
  readonly customId: string | null
  readonly runId: string | null
  readonly recordKind: string | null
  readonly recordKey: Buffer | null
}

/** All ids of this program are shorter. */
const idLengthMax = 300

/** Reads which run or record a delivery is about. Never throws: an unreadable delivery has no subject. */
export function readSubject(body: Uint8Array): Subject {
  const nothing: Subject = { customId: null, runId: null, recordKind: null, recordKey: null }
  const event = readWebhookEvent(body)
  if (event.kind === 'unreadable') return nothing
  if (event.kind === 'record') {
    const { record, name } = event
    if (name === null) return nothing
    return { ...nothing, recordKind: record, recordKey: Buffer.from(buildStageLookup(record, name).key) }
  }
  return { ...nothing, customId: toStoredId(event.customId), runId: toStoredId(event.runId) }
}

/** PostgreSQL text cannot contain NUL, and no id of this program does. */
const toStoredId = (id: string | null): string | null =>
  id === null || id.length > idLengthMax || id.includes('\0') ? null : id

/** Access to the inbox of a run. */
export interface InboxAccess {
  /** Whether any delivery was ever received. */
  exists(): boolean | Promise<boolean>
  /** `onReceived` is called after this process received a new delivery. Throws CHECKPOINT_*. */
  open(onReceived: () => void): Inbox | Promise<Inbox>
}
