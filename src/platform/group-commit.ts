import { isDiskFull, type Sqlite } from './sqlite.js'

/** Turns of the event loop before a batch is committed; each adds the items that arrived in the meantime. */
const gatherTurns = 4
/** Longest delay before a batch is committed, however busy the loop is. */
const gatherMsMax = 20

export type ItemResult<Result> = { readonly value: Result } | { readonly error: unknown }

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export interface GatherOptions {
  /** Delay of every commit, to collect more items; `null` or absent: a few turns of the event loop. */
  readonly gatherMs?: number | null | undefined
}

type Settled<Result> = readonly ItemResult<Result>[]

/**
 * Commits items that arrive at about the same time as one batch, in order, with one disk sync, and resolves them
 * afterwards. `commit` returns the result of each; if it throws, all are rejected. Items that arrive during a commit
 * wait for the next.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: readonly Item[]) => Settled<Result> | Promise<Settled<Result>>
  readonly #gather: () => void
  #waiting: Waiting<Item, Result>[] = []
  #isCommitting = false

  constructor(
    commit: (items: readonly Item[]) => Settled<Result> | Promise<Settled<Result>>,
    { gatherMs = null }: GatherOptions = {},
  ) {
    this.#commit = commit
    this.#gather =
      gatherMs === null ? createTurnTrigger(this.flush) : createDelayTrigger(this.flush, gatherMs)
  }

  /** Resolves once the item is committed; rejects if it is not. */
  readonly add = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#gather()
    })

  /** Commits waiting items now. */
  readonly flush = (): void => {
    if (this.#isCommitting || this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    try {
      const settled = this.#commit(batch.map(({ item }) => item))
      if (settled instanceof Promise) void this.#settleLater(batch, settled)
      else settle(batch, settled)
    } catch (error) {
      rejectAll(batch, error)
    }
  }

  async #settleLater(
    batch: readonly Waiting<Item, Result>[],
    settled: Promise<Settled<Result>>,
  ): Promise<void> {
    this.#isCommitting = true
    try {
      settle(batch, await settled)
    } catch (error) {
      rejectAll(batch, error)
    }
    this.#isCommitting = false
    this.flush()
  }
}

interface BatchLimits<Item> {
  /** No two items of a batch have the same key; optional. */
  readonly keyOf?: (item: Item) => unknown
  /** All items of a batch are of the same group; optional. */
  readonly groupOf?: (item: Item) => string
  readonly bytesOf?: (item: Item) => number
  /** Highest sum of `bytesOf`; a larger item is a batch of its own. */
  readonly bytesMax?: number
}

/** Splits items into batches, in order. */
export function splitIntoBatches<Item>(
  items: readonly Item[],
  { keyOf = (item) => item, groupOf = () => '', bytesOf = () => 0, bytesMax = Infinity }: BatchLimits<Item>,
): Item[][] {
  const batches: Item[][] = []
  const keys = new Set<unknown>()
  let [bytes, group] = [0, '']
  for (const item of items) {
    const [key, own] = [keyOf(item), groupOf(item)]
    bytes += bytesOf(item)
    const last = batches.at(-1)
    if (last !== undefined && own === group && bytes <= bytesMax && !keys.has(key)) last.push(item)
    else {
      batches.push([item])
      keys.clear()
      bytes = bytesOf(item)
      group = own
    }
    keys.add(key)
  }
  return batches
}

function settle<Item, Result>(batch: readonly Waiting<Item, Result>[], settled: Settled<Result>): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const one = settled[index]
    if (one === undefined) reject(new Error('the commit returned no result for this item'))
    else if ('error' in one) reject(one.error)
    else resolve(one.value)
  }
}

function rejectAll<Item, Result>(batch: readonly Waiting<Item, Result>[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}

/**
 * Returns a trigger that calls `act` once after a few turns of the event loop. An idle loop takes these turns at once;
 * under load they take longer and collect larger batches. A timer would delay every commit of an idle process.
 */
function createTurnTrigger(act: () => void): () => void {
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

function createDelayTrigger(act: () => void, delayMs: number): () => void {
  let isDue = false
  const onDue = () => {
    isDue = false
    act()
  }
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(onDue, delayMs)
  }
}

export interface TransactionDeps extends GatherOptions {
  /** Called on a full disk; returns false if it could free no space. */
  readonly makeRoom?: () => boolean
  /** The last statement of each transaction. */
  readonly beforeCommit?: () => void
  /** Called between the commit and the resolution of its items. */
  readonly afterCommit?: () => void
}

export interface GroupTransactions {
  readonly add: <Result>(change: () => Result) => Promise<Result>
  readonly flush: () => void
}

/**
 * Groups changes of a database into transactions. A change that throws is rolled back and rejected alone; a failed
 * commit rejects all, on a full disk after a retry if `makeRoom` freed space. A change may run again after a rollback.
 */
export function createGroupTransactions(database: Sqlite, deps: TransactionDeps = {}): GroupTransactions {
  const { makeRoom, beforeCommit, afterCommit, gatherMs } = deps
  // Created once: each has four functions with properties.
  const inSavepoint = database.transaction((change: () => unknown) => change())
  type Changes = readonly (() => unknown)[]
  const together = database.transaction((changes: Changes) => {
    const settled = changes.map(runOrMark)
    beforeCommit?.()
    return settled
  })
  const eachAlone = database.transaction((changes: Changes) => {
    const settled = changes.map((change) => settleOne(database, () => inSavepoint(change)))
    beforeCommit?.()
    return settled
  })
  // A savepoint for each change costs a third of the time, and a change rarely fails.
  const commit = (changes: Changes) => {
    try {
      return together.immediate(changes)
    } catch (error) {
      if (error instanceof FailedChange) return eachAlone.immediate(changes)
      throw error
    }
  }
  const commits = new GroupCommit<() => unknown, unknown>(
    (changes) => {
      const settled = retryWithRoom(() => commit(changes), makeRoom)
      afterCommit?.()
      return settled
    },
    { gatherMs },
  )
  return { add: (change) => commits.add(change) as Promise<never>, flush: commits.flush }
}

/** A change failed, and not the commit: the others may still be committed. */
class FailedChange extends Error {}

function runOrMark(change: () => unknown): ItemResult<unknown> {
  try {
    return { value: change() }
  } catch (error) {
    throw isDiskFull(error) ? error : new FailedChange()
  }
}

/** Isolates a failed change from the others. */
function settleOne(database: Sqlite, change: () => unknown): ItemResult<unknown> {
  try {
    return { value: change() }
  } catch (error) {
    // SQLite rolled back the whole transaction (a full disk).
    if (!database.inTransaction || isDiskFull(error)) throw error
    return { error }
  }
}

function retryWithRoom<Result>(action: () => Result, makeRoom: (() => boolean) | undefined): Result {
  try {
    return action()
  } catch (error) {
    if (!isDiskFull(error) || makeRoom?.() !== true) throw error
    return action()
  }
}
