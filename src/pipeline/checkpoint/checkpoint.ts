import type { Lookup } from '../../core/lookup-identity.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { LookupKind, StageKind } from '../lookups/lookup-kind.js'
import type { LookupPlan, LookupState, PlanPolicy } from '../lookups/lookup-state.js'
import type { SharedTurns } from '../pace/pacing.js'
import type { AnswerContent } from './packed-answer.js'

/** A lookup's number in the checkpoint: 1 to 2^32 - 2. */
export type LookupId = number

/** A lookup with its kind and key. Equal keys of two kinds are two lookups. */
export interface KeyedLookup {
  kind: LookupKind
  key: Uint8Array
  lookup: Lookup
  /** The key that the lookup would have without an occurrence number. */
  plainKey?: Uint8Array
  /** A reviewer decided the lookup: runs that include it do not submit it. */
  isDecided?: boolean
  /** The lookup only checks an answer of an own registry, and no further lookups follow from it. */
  isCheck?: boolean
}

export interface OpenRun {
  lookupId: LookupId
  runId: string
  /** Custom id of the submission; an answer may echo it, like the name. */
  customId: string
  name: string
  submittedAtMs: number
  /** The reason, or `null` if the run needs no attention. */
  needsAttention: string | null
}

export interface ToSubmit extends Lookup {
  lookupId: LookupId
  /** 1 for a lookup made from an input row; 0 for a follow-up of an answer. */
  isFirst: 0 | 1
}

export interface Intention {
  customId: string
  attempt: number
  /**
   * Call immediately before the request is sent. Returns false if the right to submit has expired and other workers may
   * have taken over the lookup: send nothing, the intention is withdrawn.
   */
  mayLeave(): boolean
}

/** Limits on the submissions of a job, summed over all its workers; `null` means no limit. */
export interface SubmissionBounds {
  /** For lookups made from input rows, of all kinds. */
  rowsMax: number | null
  /** For lookups of this kind. */
  kindMax: number | null
  /** Price of the submission, in millionths; `costMaxMicros` is the budget of the job. */
  priceMicros: number
  costMaxMicros: number | null
}

/**
 * The reason why a submission must not be sent: another worker submits or has submitted the lookup, or a limit of the
 * job is reached (lookups of rows, lookups of the kind, or cost).
 */
export type Refusal = 'elsewhere' | 'of_rows' | 'lookups_max' | 'cost_max'

/**
 * The outcome of a claim: `claimed`: the lookup's answer was lost; `early`: its answer has not arrived yet; `known`:
 * already recorded; `superseded`: billed, but submitted again since; `conflict`: the submission has another run, or the
 * run has another submission; `unknown`: not in this checkpoint.
 */
export type Claim = 'claimed' | 'early' | 'known' | 'superseded' | 'conflict' | 'unknown'

/** The lookup that waits for a run, or was answered by it. */
export interface RunOwner extends OpenRun {
  state: LookupState
  /** Whether this run of the command includes the lookup. */
  isWanted: boolean
}

/** An answered lookup of a row. Follow-up lookups are derived from its answer. */
export interface RowAnswer {
  /** Position among the row lookups of this run. */
  position: number
  lookupId: LookupId
  /** The lookup as submitted. */
  asked: Lookup
  /** The response body, as JSON. */
  body: string
}

/** An answer as stored: the line that writers read, and the response body. */
export type Answer = AnswerHead & AnswerContent

export interface AnswerHead {
  runId: string
  /** `failed` runs are final and billed as well. */
  state: 'answered' | 'failed'
  outcome: string
  lineVersion: number
  answeredAtMs: number
}

/**
 * The lookups of one kind, and the part of them that this run includes. Methods that change something are durable when
 * they resolve. A checkpoint file has one writing process; several workers may share a checkpoint on a server. A newly
 * opened checkpoint is that of resolutions.
 */
export interface Checkpoint {
  readonly id: string
  readonly kind: LookupKind
  /** The checkpoint of another kind in the same store. Shares the lock, the head and the grouped commits. */
  forKind(kind: LookupKind): Checkpoint
  /**
   * Adds the lookups of rows, of all kinds, to this run in the order of their first row; returns their ids. Known keys
   * keep their state. Decided lookups are counted by `plan` and otherwise ignored.
   */
  registerLookups(lookups: readonly KeyedLookup[]): Promise<LookupId[]>
  /** Adds follow-up lookups to this run and sorts new ones like `plan` (same errors); `open` lists running ones. */
  follow(
    lookups: readonly KeyedLookup[],
    policy: PlanPolicy,
  ): Promise<{ plan: Record<LookupPlan, number>; open: OpenRun[] }>
  /** Valid answers to row lookups of this kind, after a position; in order. */
  listRowAnswers(afterPosition: number, count: number): Promise<RowAnswer[]>
  /** The submitted text of a row lookup of this run; `null` for a follow-up lookup. */
  findRowLookup(lookupId: LookupId): Promise<Lookup | null>
  /**
   * Sorts the lookups of this run by the work to do; reopens the ones to submit again (expired, or lost and
   * resubmitted). If there is anything to submit, verifies the checkpoint first: throws CHECKPOINT_DAMAGED,
   * CHECKPOINT_COPIED and CHECKPOINT_HEAD_MISSING, as does `reopen`.
   */
  plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>>
  /** Marks the lookups of this run with one of these outcomes for submission. Returns their number. */
  reopen(outcomes: readonly string[]): Promise<number>
  /** The next `new` lookups of this run after the position; in order. */
  nextToSubmit(afterPosition: number, count: number): Promise<{ position: number; lookup: ToSubmit }[]>
  listOpenRuns(): Promise<OpenRun[]>
  /**
   * Waits while other live workers process lookups of this run. Call when this worker has nothing left to submit or to
   * poll, of any kind. Returns true if some of them passed to this worker or were answered, so that follow-ups may be
   * derived; false if no other worker has any, or the signal aborts. `runs`: submits nothing more, waits for open runs
   * only, including those of dead workers. `submissions`: only lookups of this kind that are still to be submitted.
   */
  waitForOtherWorkers(signal: AbortSignal, what?: 'all' | 'runs' | 'submissions'): Promise<boolean>
  /** Lookups of this kind that other workers settled since `plan`, counted by the plan they would have. */
  countSettledByOthers(): Promise<Record<LookupPlan, number>>

  /**
   * Records that a submission is about to be sent: from here on it may have been billed. `bounds` apply to all workers
   * of the job; a process with its own checkpoint keeps its own count and is never refused here.
   */
  intend(lookupId: LookupId, nowMs: number, bounds?: SubmissionBounds): Promise<Intention | Refusal>
  /**
   * Like the next three: returns false, changing nothing, if a webhook settled the submission first. Returns
   * `uncertain` if another submission has this run: the lookup is uncertain now, and gets no answer of that run.
   */
  accept(lookupId: LookupId, customId: string, runId: string, nowMs: number): Promise<boolean | 'uncertain'>
  /**
   * Allows another submission: the run was certainly not created, or, with `mayBeBilled`, the lookup is a read that may
   * be billed twice and its submission stays uncertain.
   */
  withdraw(lookupId: LookupId, customId: string, reason: string, mayBeBilled?: boolean): Promise<boolean>
  /** The service rejected the lookup permanently. */
  reject(lookupId: LookupId, customId: string, reason: string): Promise<boolean>
  /** The response was lost: the submission may have been billed. */
  markUncertain(lookupId: LookupId, customId: string, reason: string): Promise<boolean>
  /** Records the run of a submission, as named by a webhook or by the answer to another submission. */
  claim(customId: string, runId: string, nowMs: number): Promise<Claim>
  /** `null` if no lookup has this run, or its lookup has another one by now. */
  findByRun(runId: string): Promise<RunOwner | null>
  /** The lookup with this key, like `findByRun`; `runId` is empty before it has one. */
  findByKey(key: Uint8Array): Promise<RunOwner | null>
  /** Reopens a running lookup that the service reports as never created. */
  markNotCreated(lookupId: LookupId, customId: string, reason: string): Promise<void>
  /** Lookups whose response was lost by a submission sent after `afterMs`; by default only those of this run. */
  listLostSince(
    afterMs: number,
    among?: 'wanted' | 'all',
  ): Promise<{ lookupId: LookupId; intendedAtMs: number }[]>
  /** Send times of the newest submissions to this scope's service after `afterMs`: at most `countMax`, oldest first. */
  listRecentSubmissions(afterMs: number, countMax: number): Promise<number[]>
  /** The response body of a lookup, as JSON; `null` if it has none. */
  readBody(lookupId: LookupId): Promise<string | null>
  /** Stores an answer. Returns false, changing nothing, for a second, different answer to a run. */
  answer(lookupId: LookupId, answer: Answer): Promise<boolean>
  /** Flags a run that stays `running` after an error, for the next command to poll again; `null` clears the flag. */
  setNeedsAttention(lookupId: LookupId, reason: string | null): Promise<void>

  /** Submissions of this job that were or may have been billed, by all its workers. */
  countSpent(): Promise<number>
  /** The part of `countSpent` that belongs to row lookups. */
  countSpentByRows(): Promise<number>
  /** Ends the job, after completion or with its budget exhausted: its next run starts a new count. */
  endJob(nowMs: number): Promise<void>

  /** Changes the run history, and nothing else: `src/pipeline/history`. Durable when it resolves. */
  updateHistory<Result>(change: (database: Sqlite) => Result): Promise<Result>

  /** Turns at the limit `route`, shared with all workers of this API key; absent for a checkpoint file. */
  createSharedTurns?(route: string, windowMs: number): SharedTurns

  /** Makes the present state of all lookups of this run visible to readers. */
  copyForReading(): Promise<void>

  close(): void | Promise<void>
}

/** Copies lookups from the server, if any, to the local reader. They can be read once the promise resolves. */
export interface LookupFetcher {
  /** Fetches lookups of one kind by key. */
  fetch(kind: LookupKind, keys: readonly Uint8Array[]): Promise<void>
  fetchLookups(lookupIds: readonly LookupId[]): Promise<void>
}

/** Read access for writers and read-only commands; needs no lock. */
export interface CheckpointReader extends LookupFetcher {
  /** In the order of the keys, which are of one kind; 0 for an unknown key. */
  find(kind: LookupKind, keys: readonly Uint8Array[]): LookupId[]
  /** In the order of the ids; `null` for id 0. */
  readAnswers(lookupIds: readonly LookupId[]): (KnownAnswer | null)[]
  /** The fast path for most rows: in the order of the ids; `null` if `readAnswers` must be called. */
  readLines(lookupIds: readonly LookupId[], lineVersions: LineVersions): (AnsweredLine | null)[]
  /**
   * The outcome of each lookup, in the order of the ids; `null` if it has no answer or is being resubmitted. Fast
   * enough for a large input, but unverified: use `readAnswers` to read an answer. `isRead` selects the outcomes for which
   * the confidence is read; it is `null` for others.
   */
  readAnsweredOutcomes(
    lookupIds: readonly LookupId[],
    isRead: (outcome: string) => boolean,
  ): (AnsweredOutcome | null)[]
  /** Outcomes of resolutions in lower case, in the order of the ids; `null` for all others. Unpacks no answer. */
  readOutcomes(lookupIds: readonly LookupId[]): (string | null)[]
  /** Whether each lookup was ever submitted or answered; in the order of the ids, false for id 0. */
  checkSubmitted(lookupIds: readonly LookupId[]): boolean[]
  /** The submitted lookups, in the order of the ids; `null` for an unknown id. */
  readLookups(lookupIds: readonly LookupId[]): (Lookup | null)[]
  /** Keys and names, in the order of the ids; `null` for an unknown id. */
  readIdentities(lookupIds: readonly LookupId[]): (LookupIdentity | null)[]
  readCounts(): ScopeCounts[]
  /** Billed and possibly billed submissions of a job that has not ended, by kind. */
  readSpentOfJob(job: string): ReadonlyMap<LookupKind, number>
  listUncertain(limit: number): UncertainLookup[]
  /** Changes whenever another process has written. */
  readVersion(): number
  close(): void
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
