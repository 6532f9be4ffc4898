import { GroupCommit, splitIntoBatches, type ItemResult } from '../../../platform/group-commit.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupState, LookupKind } from '../../../core/lookup-state.js'
import type { Intention, Refusal, SubmissionBounds } from '../records.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import type { SharedStore } from './store.js'
import { decide } from '../transitions.js'
import { applyChanges, lockLookup } from './lookup-rows.js'
import { lostReason } from './sweep.js'

interface OwnIntention {
  readonly lookupId: LookupId
  readonly customId: string
  readonly attempt: number
}

/**
 * Returns the intentions of this worker from a commit with an unknown outcome; no request was sent for them. If other
 * workers took some over in the meantime, withdraws these: only this process knows that they were not billed. `asked`
 * has the intended times, which distinguish them from earlier ones that were sent.
 */
async function findOwnIntentions(
  store: SharedStore,
  { query }: PostgresStatements,
  asked: readonly { readonly lookupId: LookupId; readonly nowMs: number }[],
): Promise<OwnIntention[]> {
  const rows = await query<OwnIntention & { isSwept: boolean }>(
    `SELECT l.lookup_id AS "lookupId", l.custom_id AS "customId", l.attempt, l.state = 'uncertain' AS "isSwept"
     FROM unnest($1::bigint[], $2::bigint[]) AS a(lookup_id, now_ms)
     JOIN enrich.lookups l ON l.lookup_id = a.lookup_id
     JOIN enrich.submissions s ON s.custom_id = l.custom_id
     WHERE s.worker_id = $3 AND s.verdict = l.state AND (l.state = 'intended' AND l.worker_id = $3
       OR l.state = 'uncertain' AND s.reason = $4 AND s.intended_at_ms = a.now_ms)`,
    [asked.map(({ lookupId }) => lookupId), asked.map(({ nowMs }) => nowMs), store.worker.id, lostReason],
  )
  // Intentions already returned to a caller may have been sent.
  const own = rows.filter(({ customId }) => !store.unsettled.has(customId))
  for (const { lookupId, customId, isSwept } of own)
    if (isSwept) await withdrawSwept(store, lookupId, customId)
  return own.filter(({ isSwept }) => !isSwept)
}

const neverLeft = 'it never left: the connection broke before it was known to be intended'

function withdrawSwept(store: SharedStore, lookupId: LookupId, customId: string): Promise<void> {
  return store.withTransaction(async (statements) => {
    const row = await lockLookup(statements, lookupId)
    if (row?.state !== 'uncertain' || row.customId !== customId) return
    const { changes } = decide(
      { event: 'withdraw', lookupId, customId, reason: neverLeft },
      { row, isOwn: true },
    )
    await applyChanges(statements, changes, store.worker.id)
  })
}

/** See `intend` in schema-steps.ts. */
const intendSql = `
  SELECT lookup_id AS "lookupId", custom_id AS "customId", attempt, was_free AS "wasFree", is_alive AS "isAlive",
    rows_left AS "rowsLeft", kind_left AS "kindLeft"
  FROM enrich.intend_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

interface Item {
  readonly lookupId: LookupId
  readonly nowMs: number
  readonly bounds: SubmissionBounds
}
type IntendResult = Intention | Refusal

interface IntendedRow {
  readonly lookupId: LookupId
  /** `null` if the lookup was not intended. */
  readonly customId: string | null
  readonly attempt: number | null
  /** It was new, and no other worker's. */
  readonly wasFree: boolean
  /** This worker's lease is valid, and the server is unchanged. */
  readonly isAlive: boolean
  /** Remaining budgets before the statement; `null` if there is no limit. */
  readonly rowsLeft: number | null
  readonly kindLeft: number | null
}

/** The other columns of a row that was found to be intended. */
const asIntended = { wasFree: true, isAlive: true, rowsLeft: null, kindLeft: null } as const

const noBounds: SubmissionBounds = { rowsMax: null, kindMax: null, priceMicros: 0, costMaxMicros: null }

/** A lease is renewed every few seconds. */
const leaseWaitMs = 250

/** Commits intentions in batches: one statement checks and changes lease, lookups and budgets. */
export class IntentionBatcher {
  readonly #store: SharedStore
  readonly #kind: LookupKind
  readonly #commits = new GroupCommit<Item, IntendResult>((items) => this.#commit(items))

  constructor(store: SharedStore, kind: LookupKind) {
    this.#store = store
    this.#kind = kind
  }

  intend(lookupId: LookupId, nowMs: number, bounds = noBounds): Promise<IntendResult> {
    return this.#commits.add({ lookupId, nowMs, bounds })
  }

  async #commit(items: readonly Item[]): Promise<ItemResult<IntendResult>[]> {
    const settled = new Map<Item, ItemResult<IntendResult>>()
    for (const batch of splitIntoBatches(items, batchLimits)) {
      const found = await this.#intend(batch)
      // A batch that exceeds a budget is retried one by one, in the order of the calls.
      const refused = batch.filter((item) => isBudgetRefusal(found.get(item)) && batch.length > 1)
      for (const item of batch) settled.set(item, found.get(item) ?? { error: new Error('not intended') })
      for (const item of refused)
        for (const [one, result] of await this.#intend([item])) settled.set(one, result)
    }
    return items.map((item) => settled.get(item) ?? { error: new Error('not intended') })
  }

  /** `batch` has different lookups with the same bounds. */
  async #intend(batch: readonly Item[]): Promise<Map<Item, ItemResult<IntendResult>>> {
    const { rows, term } = await this.#sendUntilDecided(batch)
    const byId = new Map(rows.map((row) => [row.lookupId, row]))
    const settled = new Map<Item, ItemResult<IntendResult>>()
    for (const item of batch) {
      const row = byId.get(item.lookupId)
      try {
        const value = row === undefined ? 'elsewhere' : await this.#toResult(row, term, batch.length)
        settled.set(item, { value })
      } catch (error) {
        settled.set(item, { error })
      }
    }
    return settled
  }

  /** Sends the batch until the server has decided it under a valid lease; returns the term of the intentions. */
  #sendUntilDecided(batch: readonly Item[]): Promise<{ rows: IntendedRow[]; term: number }> {
    const store = this.#store
    return store.runWithRetries(async (statements, mayHaveTakenEffect) => {
      // Read before sending: if the worker is fenced since and continues in a new term, these must not be sent.
      let { term } = store.worker
      const earlier = mayHaveTakenEffect ? await findOwnIntentions(store, statements, batch) : []
      const heldIds = new Set(earlier.map(({ lookupId }) => lookupId))
      const left = batch.filter(({ lookupId }) => !heldIds.has(lookupId))
      const held = earlier.map((row): IntendedRow => ({ ...row, ...asIntended }))
      if (left.length === 0) return { rows: held, term }
      const sinceMs = store.clock.monotonicMs()
      for (;;) {
        const rows = await this.#send(statements, left)
        if (rows.every(({ isAlive }) => isAlive))
          return { rows: [...held, ...(await this.#withLate(statements, left, rows))], term }
        await store.clock.sleep(leaseWaitMs)
        store.assertActive(store.clock.monotonicMs() - sinceMs)
        if (held.length === 0) ({ term } = store.worker)
      }
    })
  }

  /** A statement of an abandoned connection may arrive after the next one was sent. */
  async #withLate(
    statements: PostgresStatements,
    batch: readonly Item[],
    rows: readonly IntendedRow[],
  ): Promise<IntendedRow[]> {
    const takenIds = new Set(rows.filter(({ wasFree }) => !wasFree).map(({ lookupId }) => lookupId))
    if (takenIds.size === 0) return [...rows]
    const late = await findOwnIntentions(
      this.#store,
      statements,
      batch.filter(({ lookupId }) => takenIds.has(lookupId)),
    )
    const byId = new Map(late.map((row) => [row.lookupId, row]))
    return rows.map((row) => ({
      ...row,
      ...(byId.has(row.lookupId) && { ...byId.get(row.lookupId), ...asIntended }),
    }))
  }

  #send({ query }: PostgresStatements, batch: readonly Item[]): Promise<IntendedRow[]> {
    const { worker, job, database } = this.#store
    const scopeId = job.kinds.getScopeId(this.#kind)
    const { rowsMax, kindMax, priceMicros, costMaxMicros } = batch[0]?.bounds ?? noBounds
    return query<IntendedRow>(intendSql, [
      worker.id,
      batch.map(({ lookupId }) => lookupId),
      batch.map(({ nowMs }) => nowMs),
      scopeId,
      job.jobId,
      `enr_${database.id}_${scopeId}_`,
      rowsMax,
      kindMax,
      priceMicros,
      costMaxMicros,
      database.generation,
    ])
  }

  /** An item that exceeds a budget within its batch may still fit alone. */
  async #toResult(row: IntendedRow, term: number, batchCount: number): Promise<IntendResult> {
    const { unsettled, worker } = this.#store
    const { customId, attempt } = row
    if (customId !== null && attempt !== null) {
      unsettled.add(customId)
      return { customId, attempt, mayLeave: () => worker.mayLeave(term) }
    }
    if (!row.wasFree) return this.#findRefusal(row.lookupId)
    if (row.kindLeft !== null && row.kindLeft < batchCount) return 'lookups_max'
    if (row.rowsLeft !== null && row.rowsLeft < batchCount) return 'of_rows'
    return 'cost_max'
  }

  /** Another worker has the lookup; otherwise this process itself changed its state, which is a bug. */
  async #findRefusal(lookupId: LookupId): Promise<Refusal> {
    const [row] = await this.#store.query<{ state: LookupState; isOwn: boolean }>(
      `SELECT l.state, l.state <> 'new' AND coalesce(s.worker_id = $2, false) AND coalesce(l.worker_id = $2, true) AS "isOwn"
       FROM enrich.lookups l LEFT JOIN enrich.submissions s ON s.custom_id = l.custom_id WHERE l.lookup_id = $1`,
      [lookupId, this.#store.worker.id],
    )
    if (row !== undefined && !row.isOwn) return 'elsewhere'
    throw new Error(`lookup ${lookupId} is ${row?.state ?? 'unknown'}: "intend" cannot happen to it`)
  }
}

const isBudgetRefusal = (settled: ItemResult<IntendResult> | undefined): boolean =>
  settled !== undefined &&
  'value' in settled &&
  (settled.value === 'of_rows' || settled.value === 'lookups_max' || settled.value === 'cost_max')

/** A batch has each lookup once, and one set of bounds. */
const batchLimits = {
  keyOf: ({ lookupId }: Item) => lookupId,
  groupOf: ({ bounds }: Item) => JSON.stringify(bounds),
}
