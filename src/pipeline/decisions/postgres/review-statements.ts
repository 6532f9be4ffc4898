import type { SharedDatabase } from '../../checkpoint/postgres/open.js'
import { anyConflict, repeated, type RepeatingDeps } from '../../checkpoint/postgres/repeating.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'

/** Statements of a review store on a server, repeated where the connection broke. Rejects with CHECKPOINT_*. */
export class ReviewStatements implements PostgresStatements {
  readonly #database: Pick<SharedDatabase, 'postgres' | 'explain'>
  readonly #deps: RepeatingDeps

  constructor(database: Pick<SharedDatabase, 'postgres' | 'explain'>, deps: RepeatingDeps) {
    this.#database = database
    this.#deps = deps
  }

  /** A statement that may be made twice. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const { postgres } = this.#database
    return repeated(this.#deps, () => postgres.query<Row>(text, values)).catch(this.#explained)
  }

  /** `work` is called with whether it may have been done before. */
  transaction<Result>(
    work: (statements: PostgresStatements, mayHaveTakenEffect: boolean) => Promise<Result>,
  ): Promise<Result> {
    const { postgres } = this.#database
    const once = (mayHave: boolean) => postgres.transaction((statements) => work(statements, mayHave))
    return repeated(this.#deps, once, anyConflict).catch(this.#explained)
  }

  readonly #explained = (error: unknown): never => {
    throw this.#database.explain(error)
  }
}
