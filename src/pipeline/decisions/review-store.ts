import type { Candidate, Decision, KeptDecision } from '../../core/decisions.js'
import {
  packCandidates,
  unpackCandidates,
  toDecisionRow,
  toKeptDecision,
  toStoredDecision,
} from './review-tables.js'
import {
  adopt,
  decide,
  forget,
  withdraw,
  type DecidedAbout,
  type DecideOutcome,
  type DecisionChange,
  type DecisionsNow,
} from './decision-rules.js'
import { ReviewFile } from './review-file.js'

/** Candidates of lookups, by scope and hexadecimal key. Lists are aligned with the lookups. */
export interface ReviewCandidates {
  /** Returns `null` for lookups whose candidates were not searched for. */
  read(scope: string, lookups: readonly string[]): (readonly Candidate[] | null)[]
  hasAny(scope: string): boolean
  /** Returns whether candidates were searched for. */
  has(scope: string, lookups: readonly string[]): Promise<boolean[]>
  /** Returns the scopes with this prefix that have no candidates since that time. */
  findStaleScopes(prefix: string, sinceMs: number): Promise<string[]>
  /** Loads the candidates of these lookups, if the data is on a server. */
  fetch(scope: string, lookups: readonly string[]): Promise<void>
  keep(scope: string, found: ReadonlyMap<string, readonly Candidate[]>, nowMs: number): Promise<void>
  /** Deletes up to `countMax` lookups' candidates of a scope. Returns the number deleted. */
  forget(scope: string, countMax: number): Promise<number>
}

/**
 * Decisions and candidates for the lookups of a checkpoint. An SQLite file next to the checkpoint and shared by
 * processes, so that reviewers work while a run writes the checkpoint. Resolved writes are durable.
 */
export interface ReviewStore {
  readonly decisions: ReviewDecisions
  readonly candidates: ReviewCandidates
  close(): void
}

export interface ReviewReader {
  readonly decisions: Pick<ReviewDecisions, 'listCurrent' | 'listOutdated'>
  readonly candidates: Pick<ReviewCandidates, 'read' | 'hasAny'>
  close(): void
}

/** Opens or creates the review store. Throws REVIEW_STORE_INVALID, REVIEW_STORE_UNWRITABLE and DISK_FULL. */
export const openReviewStore = (checkpointPath: string): ReviewStore =>
  createStore(ReviewFile.open(checkpointPath, 'FULL'))

/** Opens a review store read-only, while reviewers may write; `null` if it is missing. Throws REVIEW_STORE_INVALID. */
export function openReviewStoreToRead(checkpointPath: string): ReviewReader | null {
  const file = ReviewFile.openToRead(checkpointPath)
  return file === null ? null : createStore(file)
}

const createStore = (file: ReviewFile): ReviewStore => ({
  decisions: new ReviewDecisions(file, new FileRows(file)),
  candidates: new FileCandidates(file),
  close: () => {
    file.close()
  },
})

/** The rows of decisions, in a file or on a server. A store knows no rule; see `decision-rules.ts`. */
export interface DecisionRows {
  /**
   * Reads all decisions about the lookups, and writes the rows that the rule returns. `mayBeMade`: an earlier attempt may
   * have taken effect.
   */
  change<Outcome>(
    about: DecidedAbout,
    rule: (now: DecisionsNow, mayBeMade: boolean) => DecisionChange<Outcome>,
  ): Promise<Outcome>
  /** See `ReviewDecisions.mark`. */
  mark(sequences: readonly number[], isInFile: boolean): Promise<void>
  /** See `ReviewDecisions.refresh`. */
  refresh(): Promise<void>
  /** Replaces what the store cannot store. */
  toStorable(decision: Decision): Decision
}

/** Decisions: reads the file, which may be a mirror, and writes through the rows. */
export class ReviewDecisions {
  readonly #file: ReviewFile
  readonly #rows: DecisionRows

  constructor(file: ReviewFile, rows: DecisionRows) {
    this.#file = file
    this.#rows = rows
  }

  /** Returns the current decisions for one service, including those for any service, in the order of their creation. */
  listCurrent(service: string): KeptDecision[] {
    return this.#file.explain(() => this.#file.queries.standing.all({ service }).map(toKeptDecision))
  }

  /** Returns the newest current decisions. */
  listNewest(service: string, count: number): KeptDecision[] {
    return this.#file.explain(() => this.#file.queries.newest.all({ service, count }).map(toKeptDecision))
  }

  /** Returns decisions that no longer apply and still have to be removed from the decisions file. */
  listOutdated(service: string): KeptDecision[] {
    return this.#file.explain(() => this.#file.queries.leaving.all({ service }).map(toKeptDecision))
  }

  /** Increases by one with every write of any process that concerns decisions. */
  version(): number {
    return this.#file.explain(() => this.#file.queries.decisionVersion.get() ?? 0)
  }

  /** Loads decisions that others made, if the data is on a server. */
  refresh(): Promise<void> {
    return this.#rows.refresh()
  }

  /** Makes all decisions or none. `expected`: sequence of the decision the reviewer saw, by lookup (0: none). */
  decide(made: readonly Decision[], expected: ReadonlyMap<string, number>): Promise<DecideOutcome> {
    const decisions = made.map((decision) => this.#rows.toStorable(decision))
    return this.#rows.change({ decisions }, (now, mayBeMade) => decide(now, decisions, expected, mayBeMade))
  }

  /** Withdraws decisions and restores those they replaced. Returns the withdrawn ones. */
  withdraw(service: string, sequences: readonly number[]): Promise<KeptDecision[]> {
    return this.#rows.change({ sequences }, (now) => withdraw(now, service, sequences))
  }

  /** Records whether the decisions file has these decisions. */
  mark(sequences: readonly number[], isInFile: boolean): Promise<void> {
    return this.#rows.mark(sequences, isInFile)
  }

  /** Adds decisions that others wrote to the decisions file. They replace the current ones. */
  adopt(written: readonly Decision[]): Promise<KeptDecision[]> {
    const decisions = written.map((decision) => this.#rows.toStorable(decision))
    return this.#rows.change({ decisions }, (now) => adopt(now, decisions))
  }

  /** Withdraws decisions that were removed from the decisions file, and all that they replaced. */
  forget(sequences: readonly number[]): Promise<void> {
    return this.#rows.change({ sequences }, (now) => forget(now, sequences))
  }
}

class FileRows implements DecisionRows {
  readonly #file: ReviewFile

  constructor(file: ReviewFile) {
    this.#file = file
  }

  change<Outcome>(
    about: DecidedAbout,
    rule: (now: DecisionsNow, mayBeMade: boolean) => DecisionChange<Outcome>,
  ): Promise<Outcome> {
    const { queries } = this.#file
    return this.#file.commit('decisions', () => {
      const lookups =
        'decisions' in about
          ? about.decisions.map(({ lookup }) => lookup)
          : about.sequences.flatMap((sequence) => queries.lookupOf.get(sequence)?.toString('hex') ?? [])
      const stored = [...new Set(lookups)].flatMap((lookup) =>
        queries.ofLookup.all(toBytes(lookup)).map(toStoredDecision),
      )
      const nextSequence = (queries.lastSequence.get() ?? 0) + 1
      const { outcome, rows } = rule({ stored, nextSequence }, false)
      for (const row of rows) queries.write.run(toDecisionRow(row))
      return outcome
    })
  }

  mark(sequences: readonly number[], isInFile: boolean): Promise<void> {
    const { mark } = this.#file.queries
    return this.#file.commit('decisions', () => {
      for (const sequence of sequences) mark.run({ sequence, isInFile: isInFile ? 1 : 0 })
    })
  }

  refresh(): Promise<void> {
    return Promise.resolve()
  }

  toStorable(decision: Decision): Decision {
    return decision
  }
}

/** Candidates in a file. */
export class FileCandidates implements ReviewCandidates {
  readonly fetch: ReviewCandidates['fetch'] = () => Promise.resolve()
  readonly #file: ReviewFile

  constructor(file: ReviewFile) {
    this.#file = file
  }

  read(scope: string, lookups: readonly string[]): (readonly Candidate[] | null)[] {
    const { queries } = this.#file
    return this.#file.inTransaction(() =>
      lookups.map((lookup) => {
        const found = queries.candidates.get(scope, toBytes(lookup))
        return found === undefined ? null : unpackCandidates(found)
      }),
    )
  }

  hasAny(scope: string): boolean {
    return this.#file.explain(() => this.#file.queries.anyCandidates.get(scope) !== undefined)
  }

  has(scope: string, lookups: readonly string[]): Promise<boolean[]> {
    const { haveCandidates } = this.#file.queries
    return Promise.resolve(
      this.#file.inTransaction(() =>
        lookups.map((lookup) => haveCandidates.get(scope, toBytes(lookup)) !== undefined),
      ),
    )
  }

  findStaleScopes(prefix: string, sinceMs: number): Promise<string[]> {
    const { nextScope, foundSince } = this.#file.queries
    const found: string[] = []
    this.#file.inTransaction(() => {
      for (let scope = nextScope.get(prefix); scope?.startsWith(prefix) === true;) {
        if (foundSince.get(scope, sinceMs) === undefined) found.push(scope)
        scope = nextScope.get(scope)
      }
    })
    return Promise.resolve(found)
  }

  keep(scope: string, found: ReadonlyMap<string, readonly Candidate[]>, nowMs: number): Promise<void> {
    return this.#file.commit('candidates', () => {
      for (const [lookup, candidates] of found)
        this.#file.queries.keepCandidates.run(scope, toBytes(lookup), packCandidates(candidates), nowMs)
    })
  }

  forget(scope: string, countMax: number): Promise<number> {
    const { forgetCandidates } = this.#file.queries
    return this.#file.commit('candidates', () => forgetCandidates.run({ scope, countMax }).changes)
  }
}

const toBytes = (lookup: string): Buffer => Buffer.from(lookup, 'hex')
