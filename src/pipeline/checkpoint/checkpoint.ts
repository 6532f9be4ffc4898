import type { LookupId } from '../../core/lookup-identity.js'
import type { LookupPlan, PlanPolicy, LookupKind } from '../../core/lookup-state.js'
import type { FollowedLookups, Found, Given, LookupStore, QueryName } from './lookup-store.js'
import { packContent } from './packed-answer.js'
import type { Intention, Refusal, SubmissionBounds } from './records.js'
import type { KeyedLookup } from './lookup.js'
import { decide, type LookupUpdate, type Transition, type UpdateOutcome } from './transitions.js'

export type { DeliveryState, Inbox } from './inbox.js'
export type { HistoryRows, HistoryStore, Marks } from './history-store.js'
export type { PendingRun, Refusal, RunOwner, SharedTurns, ToSubmit } from './records.js'

/**
 * The lookups of one kind, and the part of them that this run includes. What it changes is durable when the promise
 * resolves. A newly opened checkpoint is that of resolutions.
 *
 *     const [lookupId = 0] = await checkpoint.store.register(lookups)
 *     await checkpoint.plan(policy)
 *     const { customId } = await checkpoint.intend(lookupId, nowMs)
 *     await checkpoint.apply({ event: 'accept', lookupId, customId, runId, nowMs })
 *     await checkpoint.apply({ event: 'answer', lookupId, answer })
 */
export class Checkpoint {
  readonly kind: LookupKind
  /** The rows behind it, of all kinds. */
  readonly store: LookupStore

  constructor(store: LookupStore, kind: LookupKind = 'resolution') {
    this.store = store
    this.kind = kind
  }

  /** The checkpoint of another kind in the same store. */
  forKind(kind: LookupKind): Checkpoint {
    return kind === this.kind ? this : new Checkpoint(this.store, kind)
  }

  /**
   * Sorts the lookups of this run by the work to do; reopens the ones to submit again (expired, lost and resubmitted, or
   * asked again). If there is anything to submit, verifies a file first: throws CHECKPOINT_DAMAGED, CHECKPOINT_COPIED
   * and CHECKPOINT_HEAD_MISSING, as does `follow`.
   */
  async plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    return (await this.store.plan(this.kind, policy)).plan
  }

  /** Adds follow-up lookups to this run and sorts new ones like `plan`; `open` lists the running ones. */
  follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): Promise<FollowedLookups> {
    return this.store.plan(this.kind, policy, lookups)
  }

  /**
   * Records that a submission is about to be sent: from here on it may have been billed. `bounds` apply to all workers
   * of the job; a process with its own checkpoint keeps its own count and is never refused here.
   */
  intend(lookupId: LookupId, nowMs: number, bounds?: SubmissionBounds): Promise<Intention | Refusal> {
    return this.store.intend(this.kind, lookupId, nowMs, bounds)
  }

  /** Applies an event to a lookup; see `LookupUpdate` for the events and what they return. */
  apply<Update extends LookupUpdate>(update: Update): Promise<UpdateOutcome<Update>> {
    const stored: LookupUpdate = update.event === 'answer' ? withPackedAnswer(update) : update
    return this.store.change(
      this.kind,
      stored,
      (now) => decide(stored, now) as Transition<UpdateOutcome<Update>>,
    )
  }

  /** Reads lookups; see `LookupQueries` for the queries. */
  read<Name extends QueryName>(
    name: Name,
    ...[given]: undefined extends Given<Name> ? [] : [Given<Name>]
  ): Promise<Found<Name>> {
    return this.store.read(this.kind, name, given)
  }

  /** Ends the job, after completion or with its budget exhausted: its next run starts a new count. */
  endJob(nowMs: number): Promise<void> {
    return this.store.endJob(this.kind, nowMs)
  }

  close(): void | Promise<void> {
    return this.store.close()
  }
}

/** Packs the answer before the transaction that writes it. */
const withPackedAnswer = (update: LookupUpdate & { event: 'answer' }): LookupUpdate => {
  const { runId, state, outcome, lineVersion, answeredAtMs } = update.answer
  const head = { runId, state, outcome, lineVersion, answeredAtMs }
  return { ...update, answer: { ...head, packed: packContent(update.answer) } }
}
