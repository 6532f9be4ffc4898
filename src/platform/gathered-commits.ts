import { isDiskFull, type Sqlite } from './sqlite.js'

/** A commit waits for so many turns of the event loop, each of which brings what came meanwhile. */
const gatherTurns = 4
/** However busy the loop is, nobody waits for company longer than this. */
const gatherMsMax = 20

/** What became of one item of a commit that was made. */
export type Settled<Result> = { readonly value: Result } | { readonly error: unknown }

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export interface GatheredCommits<Item, Result> {
  /** Resolves once the item is committed; rejects where it is not. */
  readonly add: (item: Item) => Promise<Result>
  /** Commits what waits, now. */
  readonly flush: () => void
}

export interface GatherOptions {
  /**
   * Every commit waits so long for company: where what is asked next does not depend on how soon, and a commit costs as
   * much as what is in it. Null: as long as it takes for the loop to go round a few times.
   */
  readonly gatherMs?: number | null | undefined
}

/**
 * Items that come at about the same time are committed together, in the order in which they came, and acknowledged
 * after it: one sync of the disk for all of them. `commit` says what became of each; where it throws, all are
 * rejected. While one that takes its time is under way, what comes waits for the next.
 */
export function createGatheredCommits<Item, Result>(
  commit: (items: readonly Item[]) => readonly Settled<Result>[] | Promise<readonly Settled<Result>[]>,
  { gatherMs = null }: GatherOptions = {},
): GatheredCommits<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isCommitting = false

  const flush = () => {
    if (isCommitting || waiting.length === 0) return
    const batch = waiting
    waiting = []
    try {
      const settled = commit(batch.map(({ item }) => item))
      if (settled instanceof Promise) void settleLater(batch, settled)
      else settle(batch, settled)
    } catch (error) {
      rejectAll(batch, error)
    }
  }
  const settleLater = async (batch: typeof waiting, settled: Promise<readonly Settled<Result>[]>) => {
    isCommitting = true
    try {
      settle(batch, await settled)
    } catch (error) {
      rejectAll(batch, error)
    }
    isCommitting = false
    flush()
  }
  const gather = gatherMs === null ? afterSomeTurns(flush) : afterSomeTime(flush, gatherMs)
  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        gather()
      }),
    flush,
  }
}

function settle<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  settled: readonly Settled<Result>[],
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const one = settled[index]
    if (one === undefined) reject(new Error('a commit did not say what became of this'))
    else if ('error' in one) reject(one.error)
    else resolve(one.value)
  }
}

function rejectAll<Item, Result>(batch: readonly Waiting<Item, Result>[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}

/**
 * Asked for once or often, acts once, after a few turns of the event loop. Where nothing else goes on these pass at
 * once; under load they take time, and what comes in them shares the commit: the more there is to do, the larger
 * the groups. A timer would make every commit of a quiet process wait.
 */
function afterSomeTurns(act: () => void): () => void {
  let isDue = false
  let turns = 0
  let sinceMs = 0
  const turn = () => {
    turns++
    if (turns < gatherTurns && performance.now() - sinceMs < gatherMsMax) {
      setImmediate(turn)
      return
    }
    isDue = false
    act()
  }
  return () => {
    if (isDue) return
    isDue = true
    turns = 0
    sinceMs = performance.now()
    setImmediate(turn)
  }
}

function afterSomeTime(act: () => void, delayMs: number): () => void {
  let isDue = false
  const due = () => {
    isDue = false
    act()
  }
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(due, delayMs)
  }
}

export interface TransactionDeps extends GatherOptions {
  /** On a full disk; false where no room could be made. */
  readonly makeRoom?: () => boolean
  /** The last of each transaction. */
  readonly beforeCommit?: () => void
  /** Between the commit and the acknowledgements. */
  readonly afterCommit?: () => void
}

export interface GatheredTransactions {
  readonly add: <Result>(change: () => Result) => Promise<Result>
  readonly flush: () => void
}

/**
 * Changes of a database, gathered into transactions. A change that throws is undone and rejected alone; a commit
 * that fails rejects them all, on a full disk after `makeRoom` made none.
 */
export function createGatheredTransactions(
  database: Sqlite,
  deps: TransactionDeps = {},
): GatheredTransactions {
  const { makeRoom, beforeCommit, afterCommit, gatherMs } = deps
  // Made once: each is four functions and their properties.
  const inSavepoint = database.transaction((change: () => unknown) => change())
  const once = database.transaction((changes: readonly (() => unknown)[]) => {
    const settled = changes.map((change) => settleOne(database, () => inSavepoint(change)))
    beforeCommit?.()
    return settled
  })
  const commits = createGatheredCommits<() => unknown, unknown>(
    (changes) => {
      const settled = orWithRoom(() => once.immediate(changes), makeRoom)
      afterCommit?.()
      return settled
    },
    { gatherMs },
  )
  return { add: (change) => commits.add(change) as Promise<never>, flush: commits.flush }
}

/** So that one failed change takes nothing of the others with it. */
function settleOne(database: Sqlite, change: () => unknown): Settled<unknown> {
  try {
    return { value: change() }
  } catch (error) {
    // SQLite gave the whole transaction up (a full disk): nothing of it will be committed.
    if (!database.inTransaction || isDiskFull(error)) throw error
    return { error }
  }
}

function orWithRoom<Result>(action: () => Result, makeRoom: (() => boolean) | undefined): Result {
  try {
    return action()
  } catch (error) {
    if (!isDiskFull(error) || makeRoom?.() !== true) throw error
    return action()
  }
}
