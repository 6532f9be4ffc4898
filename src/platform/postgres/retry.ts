import type { Clock, Random } from '../clock.js'
import { ConnectionLostError, getSqlState, type Postgres, type PostgresStatements } from './postgres.js'
import { calculateBackoffMs } from '../../core/pacing.js'

/** A restarting server is available within seconds; a failover takes a minute or two. */
const awayMsMax = 300_000
const awayPolicy = { delayMsBase: 100, delayMsMax: 5_000 }
const conflictPolicy = { delayMsBase: 5, delayMsMax: 250 }
const conflictsMax = 50

/** Deadlock, serialization failure. */
const lockConflicts: ReadonlySet<string | null> = new Set(['40P01', '40001'])
/** Also a row that another process inserted at the same moment: visible when retried. */
const anyConflict: ReadonlySet<string | null> = new Set([...lockConflicts, '23505'])

export interface RetryDeps {
  readonly clock: Clock
  readonly random: Random
}

/**
 * Runs repeatable work until it succeeds: after a broken connection with growing pauses, for minutes; after a conflict
 * with another process, soon. `work` receives whether an earlier attempt may have taken effect.
 */
export async function withRetries<Result>(
  { clock, random }: RetryDeps,
  work: (mayHaveTakenEffect: boolean) => Promise<Result>,
  conflicts = lockConflicts,
): Promise<Result> {
  let mayHaveTakenEffect = false
  let awaySinceMs: number | null = null
  let conflictCount = 0
  for (let failures = 1; ; failures++) {
    try {
      return await work(mayHaveTakenEffect)
    } catch (error) {
      if (error instanceof ConnectionLostError) {
        mayHaveTakenEffect ||= error.mayHaveTakenEffect
        awaySinceMs ??= clock.monotonicMs()
        if (clock.monotonicMs() - awaySinceMs >= awayMsMax) throw error
        await clock.sleep(calculateBackoffMs(awayPolicy, failures, random.fraction()))
      } else if (conflicts.has(getSqlState(error)) && ++conflictCount <= conflictsMax) {
        awaySinceMs = null
        await clock.sleep(calculateBackoffMs(conflictPolicy, conflictCount, random.fraction()))
      } else throw error
    }
  }
}

/** A database, and a function that puts its errors into words for users and returns other errors unchanged. */
export interface ExplainedDatabase {
  readonly postgres: Postgres
  readonly explain: (error: unknown) => unknown
}

/** Statements and transactions that may be repeated, by the rules of `withRetries`. Rejects with explained errors. */
export class RetryingStatements implements PostgresStatements {
  readonly #database: ExplainedDatabase
  readonly #deps: RetryDeps

  constructor(database: ExplainedDatabase, deps: RetryDeps) {
    this.#database = database
    this.#deps = deps
  }

  readonly query = <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
    this.runWithRetries((statements) => statements.query<Row>(text, values))

  /** Passes to `work` whether an earlier attempt may have taken effect. */
  withTransaction<Result>(
    work: (statements: PostgresStatements, mayHaveTakenEffect: boolean) => Promise<Result>,
  ): Promise<Result> {
    const { postgres } = this.#database
    return this.runWithRetries(
      (_, mayHave) => postgres.transaction((statements) => work(statements, mayHave)),
      anyConflict,
    )
  }

  /** `work` gets the statements without retries. */
  runWithRetries<Result>(
    work: (statements: PostgresStatements, mayHaveTakenEffect: boolean) => Promise<Result>,
    conflicts = lockConflicts,
  ): Promise<Result> {
    const { postgres } = this.#database
    return withRetries(this.#deps, (mayHave) => work(postgres, mayHave), conflicts).catch(
      (error: unknown) => {
        throw this.#database.explain(error)
      },
    )
  }
}

/**
 * Runs `work` every `everyMs`, or when it ends if that is later; `work` handles its own errors. The timer does not keep
 * the process alive. Returns a function that stops it after the work in progress.
 */
export function startPeriodicTask(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false
  let working: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const plan = (delayMs: number) => {
    timer = setTimeout(() => {
      const begunAtMs = performance.now()
      working = work().finally(() => {
        if (!isStopped) plan(Math.max(0, begunAtMs + everyMs - performance.now()))
      })
    }, delayMs).unref()
  }
  plan(everyMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
    return working
  }
}
