import { Gathering } from '../../platform/gather.js'
import { isDiskFull, type Sqlite } from '../../platform/sqlite.js'

interface Change {
  apply: () => unknown
  resolve: (result: unknown) => void
  reject: (reason: unknown) => void
}

const noting = { beforeCommit: () => undefined, afterCommit: () => undefined }

/**
 * Changes asked for at about the same time are made in one transaction, in the order they were asked for, and
 * acknowledged after its commit: one fsync for all of them. A change that throws is undone
 * and rejected alone; a commit that fails rejects them all, on a full disk after `makeRoom` made none.
 * `beforeCommit` is the last of each transaction, `afterCommit` comes between it and the acknowledgements.
 */
export class CommitQueue {
  #changes: Change[] = []
  readonly #gathering: Gathering

  constructor(
    private readonly database: Sqlite,
    private readonly makeRoom: () => boolean,
    private readonly around: { beforeCommit(): void; afterCommit(): void } = noting,
  ) {
    this.#gathering = new Gathering(this.flush)
  }

  add<Result>(apply: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#changes.push({ apply, resolve: resolve as Change['resolve'], reject })
      this.#gathering.request()
    })
  }

  /** Makes what was asked for so far, now. */
  readonly flush = (): void => {
    const changes = this.#changes
    this.#changes = []
    if (changes.length === 0) return
    let acknowledgements: (() => void)[]
    try {
      acknowledgements = this.#commit(changes)
      this.around.afterCommit()
    } catch (error) {
      for (const { reject } of changes) reject(error)
      return
    }
    for (const acknowledge of acknowledgements) acknowledge()
  }

  #commit(changes: readonly Change[]): (() => void)[] {
    const once = this.database.transaction(() => {
      const made = changes.map((change) => this.#make(change))
      this.around.beforeCommit()
      return made
    })
    try {
      return once.immediate()
    } catch (error) {
      if (!isDiskFull(error) || !this.makeRoom()) throw error
      return once.immediate()
    }
  }

  /** A savepoint each, so that one failed change takes nothing of the others with it. */
  #make({ apply, resolve, reject }: Change): () => void {
    try {
      const result = this.database.transaction(apply)()
      return () => {
        resolve(result)
      }
    } catch (error) {
      // SQLite gave the whole transaction up (a full disk): nothing of it will be committed.
      if (!this.database.inTransaction || isDiskFull(error)) throw error
      return () => {
        reject(error)
      }
    }
  }
}
