import { GroupCommit, splitIntoBatches, type ItemResult } from '../../../platform/group-commit.js'
import { getSqlState, joinBytes, type PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupKind } from '../../../core/lookup-state.js'
import { packContent, type PackedAnswer } from '../packed-answer.js'
import type { AnswerHead } from '../records.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import {
  assumeRows,
  type LookupAnswer,
  type LookupChange,
  type LookupNow,
  type LookupReply,
  type RowsNow,
  type Transition,
} from '../transitions.js'
import { applyChanges, isRunTaken, lockLookup } from './lookup-rows.js'
import type { SharedStore } from './store.js'

type Decide = (now: RowsNow) => Transition<unknown>

interface ReplyItem {
  readonly update: LookupReply
  readonly decide: Decide
  /** The transition of a lookup that is still intended. */
  readonly expected: Transition<unknown>
  readonly lookup: LookupChange
  readonly verdict: string
}

/**
 * Replies to submissions, committed in batches. A lookup that is still intended under its custom id is settled in the
 * batch; any other one alone, with its rows locked.
 */
export class SettlementBatcher {
  readonly #store: SharedStore
  readonly #kind: LookupKind
  readonly #commits = new GroupCommit<ReplyItem, Transition<unknown>>((items) => this.#commit(items))

  constructor(store: SharedStore, kind: LookupKind) {
    this.#store = store
    this.#kind = kind
  }

  async settle<Outcome>(
    update: LookupReply,
    decide: (now: RowsNow) => Transition<Outcome>,
  ): Promise<Transition<Outcome>> {
    const settled = await this.#commits.add(createItem(update, decide))
    this.#store.unsettled.delete(update.customId)
    return settled as Transition<Outcome>
  }

  async #commit(items: readonly ReplyItem[]): Promise<ItemResult<Transition<unknown>>[]> {
    const { settled, mayBeSettled } = await this.#settleAsExpected(items)
    const outcomes: ItemResult<Transition<unknown>>[] = []
    for (const item of items) {
      const isSettled = settled.delete(item.update.customId)
      outcomes.push(isSettled ? { value: item.expected } : await this.#settleAlone(item, mayBeSettled))
    }
    return outcomes
  }

  /**
   * Records the outcome of submissions that are still open, in one statement. Returns the custom ids that it recorded.
   * `mayBeSettled`: the statement was repeated after a lost connection, so the first attempt may have recorded the others.
   */
  async #settleAsExpected(
    items: readonly ReplyItem[],
  ): Promise<{ settled: Set<string>; mayBeSettled: boolean }> {
    let mayBeSettled = false
    const distinct = [...new Map(items.map((item) => [item.update.customId, item])).values()]
    const values = [
      distinct.map(({ update }) => update.lookupId),
      distinct.map(({ update }) => update.customId),
      distinct.map(({ lookup }) => lookup.state),
      distinct.map(({ verdict }) => verdict),
      distinct.map(({ lookup }) => lookup.runId),
      distinct.map(({ lookup }) => lookup.acceptedAtMs),
      distinct.map(({ lookup }) => lookup.reason),
      distinct.map(({ lookup }) => (lookup.keeper === 'self' ? this.#store.worker.id : null)),
      this.#kind === 'resolution',
    ]
    try {
      const rows = await this.#store.runWithRetries((statements, mayHaveTakenEffect) => {
        mayBeSettled = mayHaveTakenEffect
        return statements.query<{ customId: string }>(settleSql, values)
      })
      return { settled: new Set(rows.map(({ customId }) => customId)), mayBeSettled }
    } catch (error) {
      // One of them names the run of another lookup: each is settled alone to find it.
      if (getSqlState(error) === '23505') return { settled: new Set(), mayBeSettled }
      throw error
    }
  }

  async #settleAlone(item: ReplyItem, mayBeSettled: boolean): Promise<ItemResult<Transition<unknown>>> {
    try {
      const settling = this.#store.withTransaction((statements, mayHaveTakenEffect) =>
        this.#settleLocked(statements, item, mayBeSettled || mayHaveTakenEffect),
      )
      return { value: await settling }
    } catch (error) {
      return { error }
    }
  }

  async #settleLocked(
    statements: PostgresStatements,
    item: ReplyItem,
    mayBeSettled: boolean,
  ): Promise<Transition<unknown>> {
    const { update, decide, expected } = item
    const row = await lockLookup(statements, update.lookupId)
    if (mayBeSettled && row !== undefined && isSettledAs(row, item)) return expected
    const isTaken =
      update.event === 'accept' && (await isRunTaken(statements, this.#store, this.#kind, update))
    const isOwn = this.#store.unsettled.has(update.customId)
    const transition = decide({ row, isTaken, isOwn })
    await applyChanges(statements, transition.changes, this.#store.worker.id)
    return transition
  }
}

function createItem(update: LookupReply, decide: Decide): ReplyItem {
  const now = assumeRows(update)
  const expected = decide(now ?? { row: undefined })
  const [lookup, submission] = expected.changes
  if (lookup?.of !== 'lookup' || submission?.of !== 'submission')
    throw new Error(`"${update.event}" changes a lookup and its submission`)
  return { update, decide, expected, lookup, verdict: submission.verdict }
}

/** Whether a commit of this process with an unknown outcome has settled it. */
const isSettledAs = (row: LookupNow, { update, lookup }: ReplyItem): boolean =>
  row.customId === update.customId && row.state === lookup.state && row.runId === lookup.runId

/** See `settle` in schema-steps.ts. */
const settleSql = `SELECT custom_id AS "customId" FROM enrich.settle_1($1, $2, $3, $4, $5, $6, $7, $8, $9)`

interface AnswerItem extends PackedAnswer, AnswerHead {
  readonly lookupId: LookupId
  readonly decide: Decide
}

/** The answers of one statement. */
const batchLimits = {
  keyOf: ({ lookupId }: AnswerItem) => lookupId,
  bytesOf: ({ packed }: AnswerItem) => packed.length,
  bytesMax: 4_000_000,
}

/** Final answers, committed in batches; lookups that changed since are written alone. */
export class AnswerBatcher {
  readonly #store: SharedStore
  readonly #commits = new GroupCommit<AnswerItem, boolean>((items) => this.#commit(items))

  constructor(store: SharedStore) {
    this.#store = store
  }

  /** Returns the outcome of `decide` for the rows that are found. */
  async answer<Outcome>(
    { lookupId, answer }: LookupAnswer,
    decide: (now: RowsNow) => Transition<Outcome>,
  ): Promise<Outcome> {
    const isWritten = await this.#commits.add({ lookupId, decide, ...answer, ...packContent(answer) })
    const row = { lookupId, customId: null, state: 'running', runId: answer.runId } as const
    return decide(isWritten ? { row } : { row: undefined }).outcome
  }

  async #commit(items: readonly AnswerItem[]): Promise<ItemResult<boolean>[]> {
    const settled = new Map<AnswerItem, ItemResult<boolean>>()
    for (const batch of splitIntoBatches(items, batchLimits)) {
      const { written, mayBeWritten } = await this.#writeAsLeft(batch)
      for (const item of batch) {
        const isWritten = written.has(item.lookupId)
        settled.set(item, isWritten ? { value: true } : await this.#writeAlone(item, mayBeWritten))
      }
    }
    return items.map((item) => settled.get(item) ?? { error: new Error('not written') })
  }

  async #writeAsLeft(
    items: readonly AnswerItem[],
  ): Promise<{ written: ReadonlySet<LookupId>; mayBeWritten: boolean }> {
    let mayBeWritten = false
    const rows = await this.#store.runWithRetries((statements, mayHaveTakenEffect) => {
      mayBeWritten = mayHaveTakenEffect
      return statements.query<{ lookupId: LookupId }>(writeSql, buildValues(items))
    })
    return { written: new Set(rows.map(({ lookupId }) => lookupId)), mayBeWritten }
  }

  async #writeAlone(item: AnswerItem, mayBeWritten: boolean): Promise<ItemResult<boolean>> {
    try {
      const writing = this.#store.withTransaction((statements, mayHaveTakenEffect) =>
        this.#writeLocked(statements, item, mayBeWritten || mayHaveTakenEffect),
      )
      return { value: await writing }
    } catch (error) {
      return { error }
    }
  }

  async #writeLocked(
    statements: PostgresStatements,
    item: AnswerItem,
    mayBeWritten: boolean,
  ): Promise<boolean> {
    const row = await lockLookup(statements, item.lookupId)
    if (mayBeWritten && row?.runId === item.runId && row.state === item.state)
      return isWrittenAs(statements, item)
    if (item.decide({ row }).changes.length === 0) return false
    const rows = await statements.query(writeSql, buildValues([item]))
    return rows.length === 1
  }
}

/** Whether a commit of this process with an unknown outcome has written it. */
async function isWrittenAs(
  statements: PostgresStatements,
  { lookupId, runId, answeredAtMs, packed }: AnswerItem,
): Promise<boolean> {
  const rows = await statements.query(
    `SELECT FROM enrich.answers WHERE lookup_id = $1 AND run_id = $2 AND answered_at_ms = $3 AND packed = $4`,
    [lookupId, runId, answeredAtMs, packed],
  )
  return rows.length === 1
}

function buildValues(items: readonly AnswerItem[]): unknown[] {
  const { starts, bytes } = joinBytes(items.map(({ packed }) => packed))
  return [
    items.map(({ lookupId }) => lookupId),
    items.map(({ runId }) => runId),
    items.map(({ state }) => state),
    items.map(({ outcome }) => outcome),
    items.map(({ lineVersion }) => lineVersion),
    items.map(({ answeredAtMs }) => answeredAtMs),
    items.map(({ packing }) => packing),
    items.map(({ lineBytes }) => lineBytes),
    items.map(({ bodyBytes }) => bodyBytes),
    starts,
    items.map(({ packed }) => packed.length),
    items.map(() => true),
    bytes,
    false,
  ]
}

/** See `answer` in schema-steps.ts. */
const writeSql = `SELECT lookup_id AS "lookupId"
  FROM enrich.answer_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
