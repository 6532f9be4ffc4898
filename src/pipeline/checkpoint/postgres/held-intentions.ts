import type { LookupId } from '../checkpoint.js'
import { settle, uncontested } from '../transitions.js'
import { applyChanges, lockLookup } from './lookup-rows.js'
import type { SharedStore } from './store.js'
import { lostReason } from './sweep.js'

export interface HeldIntention {
  readonly lookupId: LookupId
  readonly customId: string
  readonly attempt: number
}

/**
 * What became of intentions in a commit whose end was not known: those that were made are this process's, and nothing has
 * left for them. What others took from it meanwhile, since they took it to be gone, is withdrawn: it is certain that it was
 * not billed, and only this process knows. `asked`: when each was to leave, by which it is told from earlier ones that
 * did leave.
 */
export async function heldIntentions(
  store: SharedStore,
  asked: readonly { readonly lookupId: LookupId; readonly nowMs: number }[],
): Promise<HeldIntention[]> {
  const rows = await store.queryOnce<HeldIntention & { isSwept: boolean }>(
    `SELECT l.lookup_id AS "lookupId", l.custom_id AS "customId", l.attempt, l.state = 'uncertain' AS "isSwept"
     FROM unnest($1::bigint[], $2::bigint[]) AS a(lookup_id, now_ms)
     JOIN enrich.lookups l ON l.lookup_id = a.lookup_id
     JOIN enrich.submissions s ON s.custom_id = l.custom_id
     WHERE s.worker_id = $3 AND s.verdict = l.state AND (l.state = 'intended' AND l.worker_id = $3
       OR l.state = 'uncertain' AND s.reason = $4 AND s.intended_at_ms = a.now_ms)`,
    [asked.map(({ lookupId }) => lookupId), asked.map(({ nowMs }) => nowMs), store.workerId, lostReason],
  )
  // What this process was told of may have left.
  const own = rows.filter(({ customId }) => !store.unsettled.has(customId))
  for (const { lookupId, customId, isSwept } of own) if (isSwept) await takeBack(store, lookupId, customId)
  return own.filter(({ isSwept }) => !isSwept)
}

const neverLeft = 'it never left: the connection broke before it was known to be intended'

function takeBack(store: SharedStore, lookupId: LookupId, customId: string): Promise<void> {
  return store.transaction(async (statements) => {
    const row = await lockLookup(statements, lookupId)
    if (row?.state !== 'uncertain' || row.customId !== customId) return
    const reply = { lookupId, customId, event: 'withdraw', verdict: 'not_created', runId: null } as const
    const { changes } = settle(row, { ...reply, atMs: null, reason: neverLeft }, uncontested, true)
    await applyChanges(statements, changes, store.workerId)
  })
}
