import type { LookupId, Lookup } from '../../core/lookup-identity.js'
import type { LookupKind, LookupState } from '../../core/lookup-state.js'
import type { AnswerContent } from './packed-answer.js'

/** The kinds of lookups that a run includes, and the positions of its lookups. */
export class RunKinds<Ids extends { readonly scopeId: number }> {
  readonly #ids = new Map<LookupKind, Ids>()
  readonly #plannedTo = new Map<LookupKind, number>()
  #count = 0

  /** `null` before the kind has any lookup. */
  get(kind: LookupKind): Ids | null {
    return this.#ids.get(kind) ?? null
  }

  /** 0, which no scope has, before the kind has any lookup. */
  getScopeId(kind: LookupKind): number {
    return this.#ids.get(kind)?.scopeId ?? 0
  }

  set(kind: LookupKind, ids: Ids): void {
    this.#ids.set(kind, ids)
  }

  /** Positions only grow, over all kinds. */
  nextPosition(): number {
    return ++this.#count
  }

  get lastPosition(): number {
    return this.#count
  }

  /** Returns the position after which this run has planned no lookup of a kind yet, and notes that it plans all now. */
  beginPlan(kind: LookupKind): number {
    const plannedTo = this.#plannedTo.get(kind) ?? 0
    this.#plannedTo.set(kind, this.#count)
    return plannedTo
  }
}

/** A retry: lookups of some statuses are submitted once more. Several processes may carry it out, also in turn. */
export interface Retry {
  /** The job of its submissions; no other retry has it. */
  readonly job: string
  /** The row that says whether it is complete. */
  readonly jobId: number
  readonly startedAtMs: number
  /** An earlier process began it, or another one works at it. */
  readonly isContinued: boolean
  /** An earlier retry of the same job and statuses is complete. */
  readonly isRepeated: boolean
}

/** The right to start one request. */
export interface Turn {
  /** Delay from the time of the call; 0 means now. */
  readonly waitMs: number
  /** Number of turns given so far to all workers, this one included. */
  readonly givenCount: number
}

/** A rate limit of the service that all workers with one API key share. */
export interface SharedTurns {
  /**
   * Reserves the next turn, at least `spacingMs` after the one before it; `null` if the queue is too long and the
   * caller must retry later. `isKnown`: the service itself reported this spacing recently; otherwise a larger spacing
   * known to other workers applies. If PostgreSQL is unavailable, waits for minutes, then throws ConnectionLostError.
   * Returns `null` when the signal aborts.
   */
  take(spacingMs: number, isKnown: boolean, signal: AbortSignal): Promise<Turn | null>
  /** Stops all starts for `delayMs` from now; a shorter pause never shortens a longer one. Never throws. */
  pause(delayMs: number): Promise<void>
  /** Remaining time of a pause; 0 without a pause, or if PostgreSQL is unavailable. */
  pausedMs(): Promise<number>
}

export interface PendingRun {
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
  isOfRow: 0 | 1
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
export type Refusal = 'elsewhere' | 'of_rows' | 'lookups_max' | 'cost_max' | 'checkpoint_lost'

/**
 * The outcome of a claim: `claimed`: the lookup's answer was lost; `early`: its answer has not arrived yet; `known`:
 * already recorded; `superseded`: billed, but submitted again since; `conflict`: the submission has another run, or the
 * run has another submission; `unknown`: not in this checkpoint.
 */
export type Claim = 'claimed' | 'early' | 'known' | 'superseded' | 'conflict' | 'unknown'

/** The lookup that waits for a run, or was answered by it. */
export interface RunOwner extends PendingRun {
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
