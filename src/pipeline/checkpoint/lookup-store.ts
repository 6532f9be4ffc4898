import type { UserError } from '../../core/errors.js'
import type { Lookup, LookupId } from '../../core/lookup-identity.js'
import type { HistoryStore } from './history-store.js'
import type { LookupPlan, PlanPolicy, LookupKind } from '../../core/lookup-state.js'
import type {
  SharedTurns,
  Intention,
  PendingRun,
  Refusal,
  Retry,
  RowAnswer,
  RunOwner,
  SubmissionBounds,
  ToSubmit,
} from './records.js'
import type { KeyedLookup } from './lookup.js'
import type { LookupUpdate, RowsNow, Transition } from './transitions.js'

interface Query<Given, Found> {
  given: Given
  found: Found
}

/** Queries for lookups of one kind, by name: what is given, and what is found. */
interface SingleLookupQueries {
  /** The next `new` lookups of this run after a position, in order; on a server, claims them for this worker. */
  to_submit: Query<{ after: number; count: number }, { position: number; lookup: ToSubmit }[]>
  /** The runs that this run polls, oldest first; on a server, adopts those of dead workers. */
  pending_runs: Query<undefined, PendingRun[]>
  /** Valid answers to row lookups, after a position, in order. */
  row_answers: Query<{ after: number; count: number }, RowAnswer[]>
  /** The submitted text of a row lookup of this run; `null` for a follow-up lookup. */
  row_lookup: Query<{ lookupId: LookupId }, Lookup | null>
  /** The lookup with a run or a key; `null` if no lookup has it, or the lookup has another run by now. */
  owner: Query<{ runId: string } | { key: Uint8Array }, RunOwner | null>
  /** The response body of a lookup, as JSON; `null` if it has none. */
  body: Query<{ lookupId: LookupId }, string | null>
  /** Lookups whose response was lost by a submission sent after `afterMs`; among those of this run, or all. */
  lost: Query<{ afterMs: number; among: 'wanted' | 'all' }, { lookupId: LookupId; intendedAtMs: number }[]>
}

/** Queries about the whole checkpoint, or all lookups of a run. */
interface RunQueries {
  /** Send times of the newest submissions to this scope's service after `afterMs`: at most `count`, oldest first. */
  recent_submissions: Query<{ afterMs: number; count: number }, number[]>
  /** Number of answers of this run that are dated in the future. */
  future_answers: Query<{ nowMs: number }, number>
  /** Saves a billed file that was removed while it was open; the error says where its answers are. */
  loss: Query<undefined, UserError | null>
  /** Number of submissions of this job that were or may have been billed, by all its workers. */
  spent: Query<undefined, number>
  /** The part of `spent` that belongs to row lookups. */
  spent_by_rows: Query<undefined, number>
}

/** Queries of one kind, by name. */
export type LookupQueries = SingleLookupQueries & RunQueries

export type QueryName = keyof LookupQueries
export type Given<Name extends QueryName> = LookupQueries[Name]['given']
export type Found<Name extends QueryName> = LookupQueries[Name]['found']

/** The state of new follow-up lookups: their plan, and the runs that already exist for them. */
export interface FollowedLookups {
  plan: Record<LookupPlan, number>
  open: PendingRun[]
}

/** Other workers of the same checkpoint. */
export interface OtherWorkers {
  /**
   * Waits while other live workers process lookups of this run. Call when this worker has nothing left to submit or to
   * poll, of any kind. Returns true if some of them passed to this worker or were answered, so that follow-ups may be
   * derived; false if no other worker has any, or the signal aborts. `runs`: submits nothing more, waits for pending
   * runs only, including those of dead workers. `submissions`: only lookups of this kind that are still to be submitted.
   */
  wait(kind: LookupKind, signal: AbortSignal, what: 'all' | 'runs' | 'submissions'): Promise<boolean>
  /** Lookups of a kind that other workers settled since the plan, counted by the plan they would have. */
  countSettled(kind: LookupKind): Promise<Record<LookupPlan, number>>
  /** Makes the present state of all lookups of this run visible to readers. */
  copyForReading(): Promise<void>
  /** Turns at the limit `route`, shared with all workers of this API key; `null` if the service has no limits. */
  readonly createTurns: ((route: string, windowMs: number) => SharedTurns) | null
}

/**
 * Rows of lookups and their submissions, in a file or on a server. A store knows no rule: it reads rows, passes them to
 * a pure function, and writes the changes which that returns, if the rows are still as they were read. Each change is
 * durable when it resolves. A file is locked for one process; workers on a server have leases.
 *
 *     await store.change('resolution', update, (now) => decide(update, now))
 */
export interface LookupStore {
  /**
   * Adds the lookups of rows, of all kinds, to this run in the order of their first row; returns their ids. Known keys
   * keep their state. Decided lookups are counted by `plan` and otherwise ignored.
   */
  register(lookups: readonly KeyedLookup[]): Promise<LookupId[]>
  /** Carries out `planGroups` for the lookups of this run; only for these follow-ups, if given, which it adds first. */
  plan(kind: LookupKind, policy: PlanPolicy, followUps?: readonly KeyedLookup[]): Promise<FollowedLookups>
  /** Writes an intention; refuses it if the lookup is no longer free, or a limit of the job is reached. */
  intend(
    kind: LookupKind,
    lookupId: LookupId,
    nowMs: number,
    bounds?: SubmissionBounds,
  ): Promise<Intention | Refusal>
  /** Reads the rows of an update and writes the changes that `decide` returns for them. */
  change<Outcome>(
    kind: LookupKind,
    update: LookupUpdate,
    decide: (now: RowsNow) => Transition<Outcome>,
  ): Promise<Outcome>
  read<Name extends QueryName>(kind: LookupKind, name: Name, given: Given<Name>): Promise<Found<Name>>
  /** See `Checkpoint.endJob`. `retry`: the retry is complete, and the same command begins another one. */
  endJob(kind: LookupKind | 'retry', nowMs: number): Promise<void>
  /** The retry of this run; `null` for any other run. */
  readonly retry: Retry | null
  /** `null` if this process has the checkpoint to itself. */
  readonly others: OtherWorkers | null
  /** The run history: `src/pipeline/history`. */
  readonly history: HistoryStore
  close(): void | Promise<void>
}
