import { GroupCommit, type ItemResult } from '../../../platform/group-commit.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { Answer, AnswerHead, LookupId } from '../checkpoint.js'
import { packContent, type PackedAnswer } from '../packed-answer.js'
import { getAnsweredState } from '../transitions.js'
import { lockLookup } from './lookup-rows.js'
import type { SharedStore } from './store.js'

interface AnswerItem extends PackedAnswer, AnswerHead {
  readonly lookupId: LookupId
}

/** Maximum size of the answers in one statement. */
const statementBytesMax = 4_000_000

/** Final answers, committed in batches; lookups that changed since are written alone. */
export class AnswerBatcher {
  readonly #store: SharedStore
  readonly #commits = new GroupCommit<AnswerItem, boolean>((items) => this.#commit(items))

  constructor(store: SharedStore) {
    this.#store = store
  }

  answer(lookupId: LookupId, answer: Answer): Promise<boolean> {
    return this.#commits.add({ lookupId, ...answer, ...packContent(answer) })
  }

  async #commit(items: readonly AnswerItem[]): Promise<ItemResult<boolean>[]> {
    const settled = new Map<AnswerItem, ItemResult<boolean>>()
    for (const batch of splitIntoBatches(items)) {
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
    const rows = await this.#store.runWithRetries((mayHaveTakenEffect) => {
      mayBeWritten = mayHaveTakenEffect
      return this.#store.queryOnce<{ lookupId: LookupId }>(writeSql, buildValues(items))
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
    if (getAnsweredState(row, item) === null) return false
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

/** Splits items into batches, in order; a batch has each lookup once and stays below the size limit. */
function splitIntoBatches(items: readonly AnswerItem[]): AnswerItem[][] {
  const batches: AnswerItem[][] = []
  let ids = new Set<LookupId>()
  let bytes = 0
  for (const item of items) {
    bytes += item.packed.length
    const last = batches.at(-1)
    if (last === undefined || ids.has(item.lookupId) || bytes > statementBytesMax) {
      batches.push([item])
      ids = new Set([item.lookupId])
      bytes = item.packed.length
    } else {
      last.push(item)
      ids.add(item.lookupId)
    }
  }
  return batches
}

/** Packed answers are sent as one byte string, because an array of them would be sent as text. */
function buildValues(items: readonly AnswerItem[]): unknown[] {
  let end = 0
  const starts = items.map(({ packed }) => {
    const start = end + 1
    end += packed.length
    return start
  })
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
    Buffer.concat(items.map(({ packed }) => packed)),
    false,
  ]
}

/** See `answer` in schema-steps.ts. */
const writeSql = `SELECT lookup_id AS "lookupId"
  FROM enrich.answer_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
