import { existsSync, statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { createGroupTransactions, type GroupTransactions } from '../../platform/group-commit.js'
import { openOwn, readOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { isDiskFull, NotOursError, getSqliteCode, type Sqlite } from '../../platform/sqlite.js'
import { getReviewStorePath } from '../checkpoint/open.js'
import { prepareReviewQueries, reviewMigrations } from './review-tables.js'

/** Marks an SQLite file as a review store ("enrv"). */
const applicationId = 0x656e7276

const describeReviewStore = (path: string): OwnSqlite => ({
  path,
  applicationId,
  migrations: reviewMigrations,
  explain: (error) => explainReviewError(path, error),
})

/** The SQLite file of a review store, or of the mirror of one on a server. Explains its errors. */
export class ReviewFile {
  readonly queries: ReturnType<typeof prepareReviewQueries>
  readonly #database: Sqlite
  readonly #path: string
  readonly #commits: GroupTransactions

  /**
   * Opens or creates the file next to a checkpoint; `synchronous` is OFF for a mirror. Throws REVIEW_STORE_INVALID,
   * REVIEW_STORE_UNWRITABLE and DISK_FULL.
   */
  static open(checkpointPath: string, synchronous: 'FULL' | 'OFF'): ReviewFile {
    const path = getReviewStorePath(checkpointPath)
    return new ReviewFile(openOwn(describeReviewStore(path), { synchronous, isPrivate: true }), path)
  }

  /** Opens the file read-only; `null` if it is missing. Throws REVIEW_STORE_INVALID. */
  static openToRead(checkpointPath: string): ReviewFile | null {
    const path = getReviewStorePath(checkpointPath)
    if (!existsSync(path) || statSync(path).size === 0) return null
    const database = readOwn(describeReviewStore(path), { versions: 'any' })
    if (database.pragma('user_version', { simple: true }) !== 0) return new ReviewFile(database, path)
    // Another process is about to create it.
    database.close()
    return null
  }

  private constructor(database: Sqlite, path: string) {
    this.#database = database
    this.#path = path
    this.#commits = createGroupTransactions(database)
    this.queries = this.explain(() => prepareReviewQueries(database))
  }

  explain<Result>(action: () => Result): Result {
    try {
      return action()
    } catch (error) {
      throw explainReviewError(this.#path, error)
    }
  }

  /** One transaction for many statements: separate ones would each lock the file and drop the cache. */
  inTransaction<Result>(action: () => Result): Result {
    return this.explain(() => this.#database.transaction(action)())
  }

  /** Makes a change, which is durable when it resolves, and counts it. Changes of about the same time share a commit. */
  commit<Result>(of: 'decisions' | 'candidates', change: () => Result): Promise<Result> {
    return this.#commits
      .add(() => {
        const result = change()
        this.queries.count.run({ isOfDecisions: of === 'decisions' ? 1 : 0 })
        return result
      })
      .catch((error: unknown) => {
        throw explainReviewError(this.#path, error)
      })
  }

  close(): void {
    this.#commits.flush()
    this.#database.close()
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
