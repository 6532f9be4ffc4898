import { existsSync, statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { createGroupTransactions, type GroupTransactions } from '../../platform/group-commit.js'
import { openOwn, readOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { isDiskFull, NotOursError, getSqliteCode, type Sqlite } from '../../platform/sqlite.js'
import type { Candidate, Decision, KeptDecision } from '../../core/decisions.js'
import {
  packCandidates,
  unpackCandidates,
  toDecisionRow,
  toKeptDecision,
  toStoredDecision,
  prepareReviewQueries,
  reviewMigrations,
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
import { getReviewStorePath } from '../checkpoint/open.js'

export interface ReviewReader {
  /** Returns the current decisions for one service, including those for any service, in the order of their creation. */
  listCurrent(service: string): KeptDecision[]
  /** Returns the newest current decisions. */
  listNewest(service: string, count: number): KeptDecision[]
  /** Returns decisions that no longer apply and still have to be removed from the decisions file. */
  listOutdated(service: string): KeptDecision[]
  /** Changes with every write of any process. */
  version(): number
  /** Increases by one with every write of any process that concerns decisions. */
  decisionVersion(): number
  /** Returns candidates of lookups (hexadecimal keys), aligned; `null` if they were not searched for. */
  candidates(scope: string, lookups: readonly string[]): (readonly Candidate[] | null)[]
  /** Returns whether candidates were searched for; aligned. */
  hasCandidates(scope: string, lookups: readonly string[]): boolean[]
  hasAnyCandidates(scope: string): boolean
  /** Returns the scopes with this prefix that have no candidates since that time. */
  findStaleScopes(prefix: string, sinceMs: number): string[]
  /** Loads decisions that others made, if the data is on a server. */
  refresh(): Promise<void>
  /** Loads the candidates of these lookups, if the data is on a server. */
  fetchCandidates(scope: string, lookups: readonly string[]): Promise<void>
  close(): void
}

/**
 * Decisions and candidates for the lookups of a checkpoint. An SQLite file next to the checkpoint and shared by
 * processes, so that reviewers work while a run writes the checkpoint. Resolved writes are durable.
 */
export interface ReviewStore extends ReviewReader {
  /** Makes all decisions or none. `expected`: sequence of the decision the reviewer saw, by lookup (0: none). */
  decide(decisions: readonly Decision[], expected: ReadonlyMap<string, number>): Promise<DecideOutcome>
  /** Withdraws decisions and restores those they replaced. Returns the withdrawn ones. */
  withdraw(service: string, sequences: readonly number[]): Promise<KeptDecision[]>
  /** Records whether the decisions file has these decisions. */
  mark(sequences: readonly number[], isInFile: boolean): Promise<void>
  /** Adds decisions that others wrote to the decisions file. They replace the current ones. */
  adopt(decisions: readonly Decision[]): Promise<KeptDecision[]>
  /** Withdraws decisions that were removed from the decisions file, and all that they replaced. */
  forget(sequences: readonly number[]): Promise<void>
  keepCandidates(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void>
  /** Deletes up to `countMax` lookups' candidates of a scope. Returns the number deleted. */
  forgetCandidates(scope: string, countMax: number): Promise<number>
}

/** A run's store of candidates, in a file or on a server. */
export interface KeptCandidates extends Pick<ReviewStore, 'keepCandidates' | 'forgetCandidates'> {
  hasCandidates(scope: string, lookups: readonly string[]): readonly boolean[] | Promise<readonly boolean[]>
  findStaleScopes(prefix: string, sinceMs: number): readonly string[] | Promise<readonly string[]>
}

/** Access of a run to the review data on a server, which it reads from the local mirror. */
export interface RunReview {
  readonly candidates: KeptCandidates
  /** Updates the decisions in the mirror. */
  loadDecisions(): Promise<void>
  /** Updates the candidates of lookups (hexadecimal keys) in the mirror. */
  loadCandidates(scope: string, lookups: readonly string[]): Promise<void>
}

/** Marks an SQLite file as a review store ("enrv"). */
const applicationId = 0x656e7276

export const describeReviewStore = (path: string): OwnSqlite => ({
  path,
  applicationId,
  migrations: reviewMigrations,
  explain: (error) => explainReviewError(path, error),
})

/** Opens or creates the review store. Throws REVIEW_STORE_INVALID, REVIEW_STORE_UNWRITABLE and DISK_FULL. */
export function openReviewStore(checkpointPath: string): ReviewStore {
  const path = getReviewStorePath(checkpointPath)
  return new SqliteReviewStore(
    openOwn(describeReviewStore(path), { synchronous: 'FULL', isPrivate: true }),
    path,
  )
}

/** Opens a review store read-only, while reviewers may write; `null` if it is missing. Throws REVIEW_STORE_INVALID. */
export function openReviewStoreToRead(checkpointPath: string): ReviewReader | null {
  const path = getReviewStorePath(checkpointPath)
  if (!existsSync(path) || statSync(path).size === 0) return null
  const own = describeReviewStore(path)
  const database = readOwn(own, { versions: 'any' })
  // Another process is about to create it.
  if (database.pragma('user_version', { simple: true }) === 0) {
    database.close()
    return null
  }
  return new SqliteReviewReader(database, path)
}

class SqliteReviewReader implements ReviewReader {
  readonly fetchCandidates: ReviewReader['fetchCandidates'] = () => Promise.resolve()
  protected readonly database: Sqlite
  protected readonly path: string
  protected readonly queries: ReturnType<typeof prepareReviewQueries>

  constructor(database: Sqlite, path: string) {
    this.database = database
    this.path = path
    this.queries = this.runExplained(() => prepareReviewQueries(database))
  }

  listCurrent(service: string): KeptDecision[] {
    return this.runExplained(() => this.queries.standing.all({ service }).map(toKeptDecision))
  }

  listNewest(service: string, count: number): KeptDecision[] {
    return this.runExplained(() => this.queries.newest.all({ service, count }).map(toKeptDecision))
  }

  listOutdated(service: string): KeptDecision[] {
    return this.runExplained(() => this.queries.leaving.all({ service }).map(toKeptDecision))
  }

  version(): number {
    return this.runExplained(() => this.queries.version.get() ?? 0)
  }

  decisionVersion(): number {
    return this.runExplained(() => this.queries.decisionVersion.get() ?? 0)
  }

  candidates(scope: string, lookups: readonly string[]): (readonly Candidate[] | null)[] {
    return this.readInTransaction(() =>
      lookups.map((lookup) => {
        const found = this.queries.candidates.get(scope, Buffer.from(lookup, 'hex'))
        return found === undefined ? null : unpackCandidates(found)
      }),
    )
  }

  hasCandidates(scope: string, lookups: readonly string[]): boolean[] {
    return this.readInTransaction(() =>
      lookups.map(
        (lookup) => this.queries.haveCandidates.get(scope, Buffer.from(lookup, 'hex')) !== undefined,
      ),
    )
  }

  hasAnyCandidates(scope: string): boolean {
    return this.runExplained(() => this.queries.anyCandidates.get(scope) !== undefined)
  }

  findStaleScopes(prefix: string, sinceMs: number): string[] {
    return this.readInTransaction(() => {
      const found: string[] = []
      for (let scope = this.queries.nextScope.get(prefix); scope?.startsWith(prefix) === true;) {
        if (this.queries.foundSince.get(scope, sinceMs) === undefined) found.push(scope)
        scope = this.queries.nextScope.get(scope)
      }
      return found
    })
  }

  refresh(): Promise<void> {
    return Promise.resolve()
  }

  close(): void {
    this.database.close()
  }

  /** One transaction for all reads: separate ones would each lock the file and drop the cache. */
  protected readInTransaction<Result>(read: () => Result): Result {
    return this.runExplained(() => this.database.transaction(read)())
  }

  protected runExplained<Result>(action: () => Result): Result {
    try {
      return action()
    } catch (error) {
      throw explainReviewError(this.path, error)
    }
  }
}

/** The changes of decisions, by the rules of `decision-rules.ts`. */
export abstract class DecisionWriter extends SqliteReviewReader {
  /**
   * Reads all decisions about the lookups, and writes the rows that the rule returns. `mayBeMade`: an earlier attempt may
   * have taken effect.
   */
  protected abstract changeDecisions<Outcome>(
    about: DecidedAbout,
    rule: (now: DecisionsNow, mayBeMade: boolean) => DecisionChange<Outcome>,
  ): Promise<Outcome>

  decide(decisions: readonly Decision[], expected: ReadonlyMap<string, number>): Promise<DecideOutcome> {
    return this.changeDecisions({ decisions }, (now, mayBeMade) =>
      decide(now, decisions, expected, mayBeMade),
    )
  }

  withdraw(service: string, sequences: readonly number[]): Promise<KeptDecision[]> {
    return this.changeDecisions({ sequences }, (now) => withdraw(now, service, sequences))
  }

  adopt(decisions: readonly Decision[]): Promise<KeptDecision[]> {
    return this.changeDecisions({ decisions }, (now) => adopt(now, decisions))
  }

  forget(sequences: readonly number[]): Promise<void> {
    return this.changeDecisions({ sequences }, (now) => forget(now, sequences))
  }
}

class SqliteReviewStore extends DecisionWriter implements ReviewStore {
  readonly #commits: GroupTransactions

  constructor(database: Sqlite, path: string) {
    super(database, path)
    this.#commits = createGroupTransactions(database)
  }

  keepCandidates(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void> {
    return this.#change(() => {
      for (const [lookup, candidates] of found) {
        const packed = packCandidates(candidates)
        this.queries.keepCandidates.run(scope, Buffer.from(lookup, 'hex'), packed, nowMs)
      }
    }, 'candidates')
  }

  forgetCandidates(scope: string, countMax: number): Promise<number> {
    return this.#change(() => this.queries.forgetCandidates.run({ scope, countMax }).changes, 'candidates')
  }

  override close(): void {
    this.#commits.flush()
    super.close()
  }

  protected override changeDecisions<Outcome>(
    about: DecidedAbout,
    rule: (now: DecisionsNow, mayBeMade: boolean) => DecisionChange<Outcome>,
  ): Promise<Outcome> {
    return this.#change(() => {
      const lookups =
        'decisions' in about
          ? about.decisions.map(({ lookup }) => lookup)
          : about.sequences.flatMap((sequence) => this.queries.lookupOf.get(sequence)?.toString('hex') ?? [])
      const stored = [...new Set(lookups)].flatMap((lookup) =>
        this.queries.ofLookup.all(Buffer.from(lookup, 'hex')).map(toStoredDecision),
      )
      const nextSequence = (this.queries.lastSequence.get() ?? 0) + 1
      const { outcome, rows } = rule({ stored, nextSequence }, false)
      for (const row of rows) this.queries.write.run(toDecisionRow(row))
      return outcome
    })
  }

  mark(sequences: readonly number[], isInFile: boolean): Promise<void> {
    return this.#change(() => {
      for (const sequence of sequences) this.queries.mark.run({ sequence, isInFile: isInFile ? 1 : 0 })
    })
  }

  #change<Result>(change: () => Result, of: 'decisions' | 'candidates' = 'decisions'): Promise<Result> {
    return this.#commits
      .add(() => {
        const result = change()
        this.queries.count.run({ isOfDecisions: of === 'decisions' ? 1 : 0 })
        return result
      })
      .catch((error: unknown) => {
        throw explainReviewError(this.path, error)
      })
  }
}

/** Explains an error of SQLite or the file system. None of them affects the checkpoint. */
function explainReviewError(path: string, error: unknown): unknown {
  if (error instanceof UserError) return error
  const code = getSqliteCode(error) ?? (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  const invalid = (message: string) =>
    new UserError('REVIEW_STORE_INVALID', message, {
      hint: 'restore it from a backup, or move it away: the decisions file remains valid without it, and the checkpoint is not affected',
      cause: error,
    })
  if (error instanceof NotOursError && error.fault === 'newer_version')
    return invalid(`the review store ${path} was written by a newer version of enrich`)
  if (error instanceof NotOursError) return invalid(`${path} is not a review store of enrich`)
  if (/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ|IOERR_CORRUPTFS)/.test(code))
    return invalid(`the review store ${path} is damaged, or is not a review store`)
  if (isDiskFull(error) || code === 'ENOSPC') {
    return new UserError('DISK_FULL', `no space left for the review store ${path}`, {
      hint: 'free some space; acknowledged decisions are safe',
      cause: error,
    })
  }
  if (
    /^(SQLITE_(READONLY|CANTOPEN|PERM|IOERR|BUSY|LOCKED)|E(ACCES|ROFS|PERM|NOTDIR|EXIST|NOENT|ISDIR))/.test(
      code,
    )
  ) {
    return new UserError('REVIEW_STORE_UNWRITABLE', `the review store ${path} cannot be opened or written`, {
      hint: 'check its folder and permissions, and whether another process has locked it',
      cause: error,
    })
  }
  return error
}
