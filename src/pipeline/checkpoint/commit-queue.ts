import type { Sqlite } from '../../platform/sqlite.js'

interface Change {
  apply: () => unknown
  resolve: (result: unknown) => void
  reject: (reason: unknown) => void
}

/**
 * Changes asked for within one turn of the event loop are made in one transaction, in the order they were
 * asked for, and acknowledged after its commit: one fsync for all of them. A change that throws is undone
 * and rejected alone; a commit that fails rejects them all.
 */
export class CommitQueue {
  #changes: Change[] = []

  constructor(private readonly database: Sqlite) {}

  add<Result>(apply: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#changes.push({ apply, resolve: resolve as Change['resolve'], reject })
      if (this.#changes.length === 1) setImmediate(this.flush)
    })
  }

  /** Makes what was asked for so far, now. */
  readonly flush = (): void => {
    const changes = this.#changes
    this.#changes = []
    if (changes.length === 0) return
    const settle: (() => void)[] = []
    try {
      this.database
        .transaction(() => {
          for (const change of changes) settle.push(this.#make(change))
        })
        .immediate()
    } catch (error) {
      for (const { reject } of changes) reject(error)
      return
    }
    for (const acknowledge of settle) acknowledge()
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
      if (!this.database.inTransaction) throw error
      return () => {
        reject(error)
      }
    }
  }
}
