import { GroupCommit, type ItemResult } from '../../../platform/group-commit.js'
import { type PostgresStatements, getSqlState } from '../../../platform/postgres/postgres.js'
import type { LookupKind } from '../../lookups/lookup-kind.js'
import type { LookupState } from '../../lookups/lookup-state.js'
import {
  settle,
  getStateAfter,
  isKeptByWorker,
  type LookupNow,
  type Reply,
  claimRun,
  reopenUncreatedRun,
} from '../transitions.js'
import { applyChanges, isRunTaken, lockLookup } from './lookup-rows.js'
import type { SharedStore } from './store.js'
import type { Claim, LookupId } from '../checkpoint.js'

type Outcome = boolean | 'uncertain'

/** The state of an intended lookup after the reply. */
const getRepliedState = (reply: Reply): LookupState =>
  getStateAfter({ lookupId: reply.lookupId, state: 'intended' }, reply.event)

/** Whether the service creates the runs of this kind, and so could name one twice. */
const hasServiceRuns = (kind: LookupKind): boolean => kind === 'resolution'

/**
 * Replies to submissions, committed in batches. A lookup that is still intended under its custom id is settled in the
 * batch; any other one alone, with its rows locked.
 */
export class SettlementBatcher {
  readonly #store: SharedStore
  readonly #kind: LookupKind
  readonly #commits = new GroupCommit<Reply, Outcome>((items) => this.#commit(items))

  constructor(store: SharedStore, kind: LookupKind) {
    this.#store = store
    this.#kind = kind
  }

  async settle(item: Reply): Promise<Outcome> {
    const outcome = await this.#commits.add(item)
    this.#store.unsettled.delete(item.customId)
    return outcome
  }

  async #commit(items: readonly Reply[]): Promise<ItemResult<Outcome>[]> {
    const { settled, mayBeSettled } = await this.#settleAsLeft(items)
    const outcomes: ItemResult<Outcome>[] = []
    for (const item of items) {
      const isSettled = settled.delete(item.customId)
      outcomes.push(isSettled ? { value: true } : await this.#settleAlone(item, mayBeSettled))
    }
    return outcomes
  }

  /**
   * Records the outcome of submissions that are still open, in one statement. Returns the custom ids that it recorded.
   * `mayBeSettled`: the statement was repeated after a lost connection, so the first attempt may have recorded the others.
   */
  async #settleAsLeft(items: readonly Reply[]): Promise<{ settled: Set<string>; mayBeSettled: boolean }> {
    let mayBeSettled = false
    const distinct = [...new Map(items.map((item) => [item.customId, item])).values()]
    const values = [
      distinct.map(({ lookupId }) => lookupId),
      distinct.map(({ customId }) => customId),
      distinct.map(getRepliedState),
      distinct.map(({ verdict }) => verdict),
      distinct.map(({ runId }) => runId),
      distinct.map(({ atMs }) => atMs),
      distinct.map(({ reason }) => reason),
      distinct.map((item) => (isKeptByWorker(item) ? this.#store.workerId : null)),
      hasServiceRuns(this.#kind),
    ]
    try {
      const rows = await this.#store.runWithRetries((mayHaveTakenEffect) => {
        mayBeSettled = mayHaveTakenEffect
        return this.#store.queryOnce<{ customId: string }>(asLeftSql, values)
      })
      return { settled: new Set(rows.map(({ customId }) => customId)), mayBeSettled }
    } catch (error) {
      // One of them names the run of another lookup: each is settled alone to find it.
      if (getSqlState(error) === '23505') return { settled: new Set(), mayBeSettled }
      throw error
    }
  }

  async #settleAlone(item: Reply, mayBeSettled: boolean): Promise<ItemResult<Outcome>> {
    try {
      const settling = this.#store.withTransaction((statements, mayHaveTakenEffect) =>
        this.#settleLocked(statements, item, mayBeSettled || mayHaveTakenEffect),
      )
      return { value: await settling }
    } catch (error) {
      return { error }
    }
  }

  async #settleLocked(statements: PostgresStatements, item: Reply, mayBeSettled: boolean): Promise<Outcome> {
    const { lookupId, customId, runId } = item
    const row = await lockLookup(statements, lookupId)
    if (mayBeSettled && row !== undefined && isSettledAs(row, item)) return true
    const scopeId = this.#store.getScopeId(this.#kind)
    const isTaken =
      runId !== null &&
      hasServiceRuns(this.#kind) &&
      (await isRunTaken(statements, { runId, customId, scopeId }))
    const isOwn = this.#store.unsettled.has(customId)
    const { outcome, changes } = settle(row, item, { isTaken, isOwn })
    await applyChanges(statements, changes, this.#store.workerId)
    return outcome
  }
}

/** Whether a commit of this process with an unknown outcome has settled it. */
const isSettledAs = (row: LookupNow, reply: Reply): boolean =>
  row.customId === reply.customId && row.state === getRepliedState(reply) && row.runId === reply.runId

/** See `settle` in schema-steps.ts. */
const asLeftSql = `SELECT custom_id AS "customId" FROM enrich.settle_1($1, $2, $3, $4, $5, $6, $7, $8, $9)`

interface Named {
  readonly customId: string
  readonly runId: string
  readonly nowMs: number
}
interface ClaimContext {
  readonly scopeId: number
  readonly workerId: number
}

/**
 * Gives a run to the submission that a webhook names: see `Checkpoint.claim`. `isWanted`: this worker owns the lookup
 * afterwards. Call within a transaction.
 */
export async function claim(
  statements: PostgresStatements,
  named: Named,
  { scopeId, workerId }: ClaimContext,
): Promise<{ readonly claim: Claim; readonly isWanted: boolean }> {
  const { customId, runId } = named
  const find = () =>
    statements.query<{ lookupId: LookupId; verdict: string; runId: string | null }>(
      `SELECT lookup_id AS "lookupId", verdict, run_id AS "runId" FROM enrich.submissions WHERE custom_id = $1`,
      [customId],
    )
  const [found] = await find()
  const row = found === undefined ? undefined : await lockLookup(statements, found.lookupId)
  // Read again under the lock.
  const [submission] = row === undefined ? [] : await find()
  if (row === undefined || submission === undefined) return { claim: 'unknown', isWanted: false }
  const isTaken = scopeId !== 0 && (await isRunTaken(statements, { runId, customId, scopeId }))
  const { outcome, changes } = claimRun(row, submission, named, isTaken)
  const kept = await applyChanges(statements, changes, workerId)
  return { claim: outcome, isWanted: kept.has(row.lookupId) }
}

/** Reopens a lookup whose submission the service never received. Call within a transaction. */
export async function applyNotCreated(
  statements: PostgresStatements,
  submission: { readonly lookupId: LookupId; readonly customId: string; readonly reason: string },
  workerId: number,
): Promise<void> {
  const row = await lockLookup(statements, submission.lookupId)
  await applyChanges(statements, reopenUncreatedRun(row, submission), workerId)
}
