import type { Lookup } from '../../core/lookup-identity.js'
import type { LookupPlan, LookupState, PlanPolicy } from '../../core/lookup-state.js'
import type { LookupKind, StageKind } from '../../core/lookup-kinds.js'
import type { FollowedLookups, Found, Given, LookupStore, QueryName } from './lookup-store.js'
import { packContent } from './packed-answer.js'
import type { Intention, KeyedLookup, LookupId, Refusal, SubmissionBounds } from './records.js'
import { decide, type LookupUpdate, type Transition, type UpdateOutcome } from './transitions.js'

export type {
  AnswerHead,
  Intention,
  KeyedLookup,
  LookupId,
  PendingRun,
  Refusal,
  RunOwner,
  SharedTurns,
  SubmissionBounds,
  ToSubmit,
} from './records.js'

/**
 * The lookups of one kind, and the part of them that this run includes. What it changes is durable when the promise
 * resolves. A newly opened checkpoint is that of resolutions.
 *
 *     const [lookupId = 0] = await checkpoint.registerLookups(lookups)
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
   * Adds the lookups of rows, of all kinds, to this run in the order of their first row; returns their ids. Known keys
   * keep their state. Decided lookups are counted by `plan` and otherwise ignored.
   */
  registerLookups(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    return this.store.register(lookups)
  }

  /**
   * Sorts the lookups of this run by the work to do; reopens the ones to submit again (expired, or lost and
   * resubmitted). If there is anything to submit, verifies a file first: throws CHECKPOINT_DAMAGED, CHECKPOINT_COPIED
   * and CHECKPOINT_HEAD_MISSING, as do `follow` and `reopen`.
   */
  async plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    return (await this.store.plan(this.kind, policy)).plan
  }

  /** Adds follow-up lookups to this run and sorts new ones like `plan`; `open` lists the running ones. */
  follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): Promise<FollowedLookups> {
    return this.store.plan(this.kind, policy, lookups)
  }

  /** Marks the lookups of this run with one of these outcomes for submission. Returns their number. */
  reopen(outcomes: readonly string[]): Promise<number> {
    return this.store.reopen(this.kind, outcomes)
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

/** Lookups of one kind by key, or of any kind by id. */
type LookupSelection =
  { readonly kind: LookupKind; readonly keys: readonly Uint8Array[] } | { readonly ids: readonly LookupId[] }

/** Queries of a whole checkpoint, by name: what is given, and what is found. */
export interface ReaderQueries {
  counts: { given: undefined; found: ScopeCounts[] }
  /** Billed and possibly billed submissions of a job that has not ended, by kind. */
  spent_of_job: { given: string; found: ReadonlyMap<LookupKind, number> }
  /** The first lookups that may have been billed and have no answer, including those in flight. */
  uncertain: { given: { limit: number }; found: UncertainLookup[] }
  /** Changes whenever another process has written. */
  version: { given: undefined; found: number }
}

/**
 * Read access for writers and read-only commands; needs no lock. Lists are in the order of the given ids or keys.
 *
 *     await reader.fetch({ kind, keys })
 *     const answers = reader.readAnswers(reader.find(kind, keys))
 */
export interface CheckpointReader {
  /** Copies lookups from the server, if any. They can be read once the promise resolves. */
  fetch(lookups: LookupSelection): Promise<void>
  /** The ids of keys, which are of one kind; 0 for an unknown key. */
  find(kind: LookupKind, keys: readonly Uint8Array[]): LookupId[]
  /** `null` for id 0. */
  readAnswers(lookupIds: readonly LookupId[]): (KnownAnswer | null)[]
  /** The fast path for most rows; `null` if `readAnswers` must be called. */
  readLines(lookupIds: readonly LookupId[], lineVersions: LineVersions): (AnsweredLine | null)[]
  /**
   * The outcome of each lookup; `null` if it has no answer or is being resubmitted. Fast enough for a large input, but
   * unverified: use `readAnswers` to read an answer. `isRead` selects the outcomes for which the confidence is read; it
   * is `null` for others.
   */
  readOutcomes(
    lookupIds: readonly LookupId[],
    isRead: (outcome: string) => boolean,
  ): (AnsweredOutcome | null)[]
  /** Keys and submitted texts; `null` for an unknown id. */
  readLookups(lookupIds: readonly LookupId[]): (StoredLookup | null)[]
  read<Name extends keyof ReaderQueries>(
    name: Name,
    ...given: undefined extends ReaderQueries[Name]['given'] ? [] : [ReaderQueries[Name]['given']]
  ): ReaderQueries[Name]['found']
  close(): void
}

/** A lookup without its answer. */
export interface StoredLookup extends Lookup {
  key: Uint8Array
  /** It was submitted or answered at least once. */
  isSubmitted: boolean
}

/** Key and submitted text of a lookup. */
export interface LookupIdentity {
  key: Uint8Array
  name: string | null
  location: string | null
}

/** The line version that readers need, for each kind. */
export type LineVersions = Readonly<Record<LookupKind, number>>

/** A lookup that is answered, or whose run failed, with a line of the requested version. */
export interface AnsweredLine {
  kind: LookupKind
  outcome: string
  /** UTF-8, copied into Parquet output without decoding. */
  line: Buffer
  /** The stored checksum of the answer. */
  mark: Buffer | null
}

/** An answered lookup, with the values that decide whether it needs review. */
export interface AnsweredOutcome {
  kind: LookupKind
  outcome: string
  confidence: number | null
}

/** A follow-up lookup. */
export interface StageAnswer {
  /** A domain, or a company id. */
  name: string
  /** `null` if it was never part of a run. */
  known: KnownAnswer | null
}
export type StageAnswers = Readonly<Partial<Record<StageKind, StageAnswer>>>

export interface KnownAnswer {
  kind: LookupKind
  state: LookupState
  answeredAtMs: number | null
  runId: string | null
  failure: string | null
  /** Outcome of the last answer, in lower case. */
  outcome: string | null
  line: string | null
  /** Version of `line`; a line of an older version is built again from `body()`. */
  lineVersion: number | null
  body(): string
}

export interface ScopeCounts {
  /** The service's scope. */
  scope: string
  /** Counts are per kind. */
  kind: LookupKind
  /** Input files of the last job, as absolute paths. */
  lastInputs: readonly string[]
  states: Record<LookupState, number>
  outcomes: Record<string, number>
  submissions: number
  firstSubmittedAtMs: number | null
  lastAnsweredAtMs: number | null
  /** Counts of closed lookups are estimates, because there are too many to count. */
  isEstimated?: true
}

export interface UncertainLookup extends Lookup {
  scope: string
  kind: LookupKind
  customId: string
  intendedAtMs: number
  reason: string | null
}
