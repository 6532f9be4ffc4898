import type { Lookup } from '../../core/lookup-identity.js'
import type { Contender } from '../answers/misdirected.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { LookupKind, StageKind } from '../lookups/lookup-kind.js'
import type { LookupPlan, LookupState, PlanPolicy } from '../lookups/lookup-state.js'
import type { SharedTurns } from './limit-turns.js'

/** A lookup's number in the checkpoint: from 1, below 2^32 - 1. */
export type LookupId = number

/** What is asked, and what it is known by. Equal keys of two kinds are two lookups. */
export interface KeyedLookup {
  kind: LookupKind
  key: Uint8Array
  lookup: Lookup
  /** What it would be known by if each row did not count. */
  plainKey?: Uint8Array
  /** A person decided it: a run that wants it leaves it alone. */
  isDecided?: boolean
}

export interface OpenRun {
  lookupId: LookupId
  runId: string
  /** What its submission bore; an answer may echo it, like the name. */
  customId: string
  name: string
  submittedAtMs: number
  /** Why it needs attention, if it does. */
  needsAttention: string | null
}

export type RunHolder = Pick<OpenRun, 'lookupId' | 'runId' | 'customId'>

/** A submission that the service gave a run to; of several with one run, the answer has to prove whose it is. */
export interface RunContender extends Contender {
  lookupId: LookupId
}

export interface ToSubmit extends Lookup {
  lookupId: LookupId
  /** A row asks it itself; 0 where it follows from an answer. */
  isFirst: 0 | 1
}

export interface Intention {
  customId: string
  attempt: number
  /**
   * To be asked immediately before the request leaves. False: the right to submit has run out since, and others may
   * take this process to be gone; nothing may leave, and the intention is withdrawn.
   */
  mayLeave(): boolean
}

/** What a job may submit, whichever process of it does; null is no bound. */
export interface SubmissionBounds {
  /** Of what rows ask themselves, of whichever kind. */
  rowsMax: number | null
  /** Of the kind alone. */
  kindMax: number | null
  /** What the submission costs, and what all of the job may, in millionths. */
  priceMicros: number
  costMaxMicros: number | null
}

/**
 * Why a submission may not leave: another process asks the lookup, or has asked it; or the budget of all processes of
 * the job is used up: that of what rows ask, that of the kind, that of money.
 */
export type Refusal = 'elsewhere' | 'of_rows' | 'lookups_max' | 'cost_max'

/**
 * What a claim came to: `claimed` a lookup whose answer was lost; `early`, one whose answer has not come yet;
 * `known` already; `superseded`, billed but submitted again since; `contested`, the service gave this run to another
 * submission too; `conflict`, another run than the one we were given, or one that was given to another submission;
 * `unknown` to this checkpoint.
 */
export type Claim = 'claimed' | 'early' | 'known' | 'superseded' | 'contested' | 'conflict' | 'unknown'

/** The lookup that waits for a run, or was answered by it. */
export interface RunOwner extends OpenRun {
  state: LookupState
  /** Whether this run of the command asks for it. */
  isWanted: boolean
}

/** A row's first question that is answered: what follows from it is asked beside it. */
export interface FirstAnswer {
  /** Of this run's first questions, in their order. */
  position: number
  lookupId: LookupId
  /** As it was asked. */
  asked: Lookup
  /** The answer as the server sent it, as JSON. */
  body: string
}

/** An answer, as it is stored: the line that the writers read and the body as the server sent it. */
export interface Answer {
  runId: string
  /** `failed` runs are final too, and are paid for. */
  state: 'answered' | 'failed'
  outcome: string
  line: string
  lineVersion: number
  body: string
  answeredAtMs: number
}

/**
 * What is known of the lookups of one kind, and what this run wants of them. Every method that changes something is
 * durable when it resolves: the scheduler may depend on it. One process writes at a time to a file; several may share a
 * checkpoint on a server. As it is opened, it is that of resolutions.
 */
export interface Checkpoint {
  readonly id: string
  readonly kind: LookupKind
  /** The lookups of another kind in the same file: one lock, one head, and commits that are gathered together. */
  of(kind: LookupKind): Checkpoint
  /**
   * Takes the first questions of rows, of whatever kinds, into this run in the order of their first row; answers with
   * their ids. Keys already known keep what is known of them. What is decided is counted by `plan`, and is else as if it
   * was not wanted.
   */
  want(lookups: readonly KeyedLookup[]): Promise<LookupId[]>
  /**
   * Takes lookups of this kind into this run that follow from answers, and sorts those that it did not want before
   * like `plan`, by which it throws too; `open` are those that run already.
   */
  follow(
    lookups: readonly KeyedLookup[],
    policy: PlanPolicy,
  ): Promise<{ plan: Record<LookupPlan, number>; open: OpenRun[] }>
  /** First questions of this kind with an answer that stands, after a position; in order. */
  firstAnswers(afterPosition: number, count: number): Promise<FirstAnswer[]>
  /** What a first question of this run asked; null where the lookup only follows from an answer. */
  firstQuestion(lookupId: LookupId): Promise<Lookup | null>
  /**
   * Sorts what is wanted into what has to be done; `submit` is reopened here (expired, or lost and resubmitted).
   * Where anything is to be submitted, it is made sure first that what is known can be believed: throws
   * CHECKPOINT_DAMAGED, CHECKPOINT_COPIED and CHECKPOINT_HEAD_MISSING, and so does `reopen`.
   */
  plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>>
  /** Wanted lookups whose outcome is among these are asked again. Returns how many. */
  reopen(outcomes: readonly string[]): Promise<number>
  /** The next wanted lookups that are `new`, after the one given last; in order. */
  nextToSubmit(afterPosition: number, count: number): Promise<{ position: number; lookup: ToSubmit }[]>
  openRuns(): Promise<OpenRun[]>
  /**
   * To be called when nothing is left to ask or to wait for here: of all kinds. Waits while other living processes ask
   * what this one wants. True where some of it is this process's now, to ask or to poll, or was answered, so that more
   * may follow from it; false where nothing is open elsewhere, or the signal aborts. `runs`: nothing more is to be asked,
   * and what others have asked is waited for alone, that of processes which are gone among it. `submissions`: of this
   * kind, and only what is still to be asked; to be called when nothing else is left to ask.
   */
  elsewhere(signal: AbortSignal, what?: 'all' | 'runs' | 'submissions'): Promise<boolean>
  /** What other processes have settled of this kind since it was planned here, by what a plan would say of it. */
  settledElsewhere(): Promise<Record<LookupPlan, number>>

  /**
   * A submission is about to leave: from here on it may have been billed. `bounds` are those of all processes that share
   * the job; a process that has the checkpoint to itself counts on its own, and is refused nothing here.
   */
  intend(lookupId: LookupId, nowMs: number, bounds?: SubmissionBounds): Promise<Intention | Refusal>
  /**
   * Like the next three: false where a webhook was faster; its claim stands, and nothing changes. `contested` where
   * the service gave the run to another submission too: then this lookup is uncertain, and so is the other one if
   * its answer does not prove that it is its own; if it still runs, it needs attention.
   */
  accept(lookupId: LookupId, customId: string, runId: string, nowMs: number): Promise<boolean | 'contested'>
  /**
   * It may be submitted again: certainly not created; or, where it `mayBeBilled`, a read that nothing but its price
   * speaks against: then the submission stays uncertain.
   */
  withdraw(lookupId: LookupId, customId: string, reason: string, mayBeBilled?: boolean): Promise<boolean>
  /** The service will not take it as it is. */
  reject(lookupId: LookupId, customId: string, reason: string): Promise<boolean>
  /** The answer was lost: it may have been billed. */
  lose(lookupId: LookupId, customId: string, reason: string): Promise<boolean>
  /** A webhook, or the answer to another submission, named the run of a submission. */
  claim(customId: string, runId: string, nowMs: number): Promise<Claim>
  /** The submissions that the service gave this run to: one, unless it is contested. */
  contenders(runId: string): Promise<RunContender[]>
  /** Gives a contested run to one lookup; the others become uncertain. False if it was submitted again, or another is answered. */
  award(customId: string, runId: string, nowMs: number): Promise<boolean>
  /** Gives each of two lookups the other's run. False where one of them no longer holds its run. */
  exchangeRuns(one: RunHolder, other: RunHolder, nowMs: number): Promise<boolean>
  /** Null where no lookup has this run, or has another one by now. */
  ownerOf(runId: string): Promise<RunOwner | null>
  /** The lookup of a key, as `ownerOf` gives that of a run; `runId` is empty before it has one. */
  ownerOfKey(key: Uint8Array): Promise<RunOwner | null>
  /** It runs, and the service says that it was never asked: it may be submitted again. */
  disprove(lookupId: LookupId, customId: string, reason: string): Promise<void>
  /** Lookups, wanted ones unless told otherwise, whose answer was lost by a submission that left after `afterMs`. */
  lostSince(
    afterMs: number,
    among?: 'wanted' | 'all',
  ): Promise<{ lookupId: LookupId; intendedAtMs: number }[]>
  /** When the newest submissions to this scope's service left, those after `afterMs`: at most `countMax`, oldest first. */
  recentSubmissions(afterMs: number, countMax: number): Promise<number[]>
  /** The body of the answer to a lookup, as JSON; null where there is none. */
  bodyOf(lookupId: LookupId): Promise<string | null>
  /**
   * A second, different answer to a run changes nothing: false. Nor does one to a contested run, unless it is
   * proved to be this lookup's.
   */
  answer(lookupId: LookupId, answer: Answer, isProved?: boolean): Promise<boolean | 'contested'>
  /**
   * A run that stays `running` though something is wrong with it; it is polled again by the next command. Null: all
   * is well with it again.
   */
  setNeedsAttention(lookupId: LookupId, reason: string | null): Promise<void>

  /** Submissions of this job that were billed or may have been, by whichever process. */
  spent(): Promise<number>
  /** Of these, what rows ask themselves. */
  spentByRows(): Promise<number>
  /** The job came to its end, or to the end of its budget: the next run of it starts a new count. */
  endJob(nowMs: number): Promise<void>

  /** Changes what is remembered of runs, and nothing else: `src/pipeline/history`. Durable when it resolves. */
  remember<Result>(change: (database: Sqlite) => Result): Promise<Result>

  /**
   * Turns at a limit of the service that all processes with the key of this one share; left out where a process has
   * the checkpoint to itself. `route` names the limit.
   */
  sharedTurns?(route: string, windowMs: number): SharedTurns

  /** From here on, readers find what is known now of all that this run wants. */
  copyForReading(): Promise<void>

  close(): void | Promise<void>
}

/** Brings what is known, where it is not here already: it can be read once the promise resolves. */
export interface Fetching {
  /** By keys, of lookups of one kind. */
  fetch(kind: LookupKind, keys: readonly Uint8Array[]): Promise<void>
  fetchLookups(lookupIds: readonly LookupId[]): Promise<void>
}

/** What the writer and the commands that only look read; needs no lock. */
export interface CheckpointReader extends Fetching {
  /** Aligned with the keys, which are of lookups of one kind; 0 where a key is not known. */
  find(kind: LookupKind, keys: readonly Uint8Array[]): LookupId[]
  /** Aligned with the ids given; 0 gives null. */
  known(lookupIds: readonly LookupId[]): (KnownAnswer | null)[]
  /** The quick way to what most rows need: aligned with the ids; null where `known` must be asked. */
  answered(lookupIds: readonly LookupId[], lineVersions: LineVersions): (AnsweredLine | null)[]
  /**
   * What became of lookups, aligned with the ids; null where there is no answer, or it is being asked for again. Quick
   * enough for all of a large input, and not proven: what depends on an answer reads it with `known`. `isRead`: of which
   * outcomes the confidence is wanted; it is null for others.
   */
  answeredOutcomes(
    lookupIds: readonly LookupId[],
    isRead: (outcome: string) => boolean,
  ): (AnsweredOutcome | null)[]
  /** What resolutions were answered with, lower case; aligned with the ids, null for all else. Cheap: no answer is unpacked. */
  outcomes(lookupIds: readonly LookupId[]): (string | null)[]
  /** Whether each lookup was submitted or answered, ever; aligned with the ids, and false for 0. */
  wereAsked(lookupIds: readonly LookupId[]): boolean[]
  /** What was asked, aligned with the ids; null where an id is not known. */
  asked(lookupIds: readonly LookupId[]): (Lookup | null)[]
  /** What lookups are known by, aligned with the ids; null where an id is not known. */
  identities(lookupIds: readonly LookupId[]): (LookupIdentity | null)[]
  counts(): ScopeCounts[]
  /** Submissions of a job that has not ended, by kind: billed, or maybe billed. */
  spentOfJob(job: string): ReadonlyMap<LookupKind, number>
  uncertain(limit: number): UncertainLookup[]
  /** Changes whenever another process wrote since. */
  version(): number
  close(): void
}

/** What a lookup is known by, and what it asked. */
export interface LookupIdentity {
  key: Uint8Array
  name: string | null
  location: string | null
}

/** Of the lines that are wanted. */
export type LineVersions = Readonly<Record<LookupKind, number>>

/** Of a lookup that is answered, or whose run failed, with a line of the version asked for. */
export interface AnsweredLine {
  kind: LookupKind
  outcome: string
  /** As UTF-8: a Parquet output copies it, and decodes none. */
  line: Buffer
  /** The checksum that the answer bears. */
  mark: Buffer | null
}

/** Of a lookup that is answered: what tells whether people should look at it. */
export interface AnsweredOutcome {
  kind: LookupKind
  outcome: string
  confidence: number | null
}

/** A lookup that follows from an answer. */
export interface StageAnswer {
  /** The domain, or the id of the company. */
  name: string
  /** Null: it was never wanted. */
  known: KnownAnswer | null
}
export type StageAnswers = Readonly<Partial<Record<StageKind, StageAnswer>>>

export interface KnownAnswer {
  kind: LookupKind
  state: LookupState
  answeredAtMs: number | null
  runId: string | null
  failure: string | null
  /** Of the last answer, lower case. */
  outcome: string | null
  line: string | null
  /** Of `line`; a line of an older version is made again from `body()`. */
  lineVersion: number | null
  body(): string
}

export interface ScopeCounts {
  /** The service. */
  scope: string
  /** What was asked of it: each kind has counts of its own. */
  kind: LookupKind
  /** Files of the last job, as absolute paths. */
  lastInputs: readonly string[]
  states: Record<LookupState, number>
  outcomes: Record<string, number>
  submissions: number
  firstSubmittedAtMs: number | null
  lastAnsweredAtMs: number | null
  /** There are too many to be counted: what is not open is estimated. */
  isEstimated?: true
}

export interface UncertainLookup extends Lookup {
  scope: string
  kind: LookupKind
  customId: string
  intendedAtMs: number
  reason: string | null
}
