import { createEmptyPlan } from '../../../core/lookup-state.js'
import type { LookupKind, LookupPlan, PlanPolicy } from '../../../core/lookup-state.js'
import type { FollowedLookups } from '../lookup-store.js'
import type { PendingRun, ToSubmit } from '../records.js'
import type { KeyedLookup } from '../lookup.js'
import { getCutoffMs, planGroups, type GroupsPlan, type PlanGroup } from '../transitions.js'
import type { SharedStore } from './store.js'
import { GroupCommit, type ItemResult } from '../../../platform/group-commit.js'
import { addWantedLookups } from './jobs.js'
import {
  buildMaySubmitSql,
  isFree,
  isWanted,
  openedAgain,
  reopenOutcomes,
  restoreReopened,
  wantedFrom,
} from './lookup-rows.js'

/** How long the requests of a suspended worker may still arrive at the service and be settled by its replies. */
const lateMs = 90_000
const isLost = `l.state = 'uncertain' AND NOT EXISTS (
  SELECT FROM enrich.submissions s JOIN enrich.workers sw ON sw.worker_id = s.worker_id
  WHERE s.custom_id = l.custom_id AND sw.ended_at IS NULL
    AND sw.fenced_at > clock_timestamp() - interval '${lateMs} milliseconds')`

/**
 * Counts the lookups of a kind by what the run will do with them, and reopens those to submit again. First restores those
 * that another run reopened and did not submit, unless this run may submit them too.
 */
export async function planKind(
  store: SharedStore,
  kind: LookupKind,
  policy: PlanPolicy,
  afterPosition: number,
): Promise<Record<LookupPlan, number>> {
  const scopeId = store.job.kinds.getScopeId(kind)
  const from = [store.worker.id, scopeId, afterPosition]
  const cutoffMs = getCutoffMs(policy)
  store.job.reopening.add(kind, policy)
  const reopening = store.job.reopening.describe(store.job)
  await restoreReopened(store, store.worker.id, [scopeId], afterPosition, reopening)
  if (policy.askAgain !== undefined && policy.askAgain.length > 0)
    await reopenOutcomes(store, kind, policy.askAgain, afterPosition)
  const [decided] = await store.query<{ count: number }>(
    `SELECT count(*) FROM enrich.wanted WHERE worker_id = $1 AND scope_id = $2 AND position > $3 AND is_decided`,
    from,
  )
  const groups = await store.query<PlanGroup>(
    `SELECT l.state, coalesce(l.answered_at_ms < $4, false) AS "isOld",
       l.state = 'intended' OR (l.state IN ('new', 'running') AND NOT ${isFree})
         OR (l.state = 'new' AND NOT ${buildMaySubmitSql('$5')}) AS "isElsewhere",
       l.state = 'uncertain' AND NOT (${isLost}) AS "isHeld",
       max(l.answered_at_ms) AS "answeredAtMs", count(*) AS count
     FROM ${wantedFrom} WHERE ${isWanted} GROUP BY 1, 2, 3, 4`,
    [...from, cutoffMs, reopening],
  )
  const { counts, reopened, pollsLost } = planGroups(groups, policy)
  counts.decided = decided?.count ?? 0
  for (const group of reopened) await reopenState(store, from, cutoffMs, group)
  if (pollsLost) await resumeLostReads(store, kind, from, policy.nowMs)
  return counts
}

async function reopenState(
  store: SharedStore,
  from: readonly number[],
  cutoffMs: number,
  { state, isOld, onlyLost }: GroupsPlan['reopened'][number],
): Promise<void> {
  await store.query(
    `UPDATE enrich.lookups SET ${openedAgain} WHERE lookup_id IN (
       SELECT l.lookup_id FROM ${wantedFrom}
       WHERE ${isWanted} AND l.state = $4 AND coalesce(l.answered_at_ms < $5, false) = $6 AND ${isFree}
         ${onlyLost ? `AND ${isLost}` : ''}
       ORDER BY l.lookup_id FOR NO KEY UPDATE OF l)`,
    [...from, state, cutoffMs, isOld],
  )
}

/** Marks lost free reads as running until the next poll; the reason of the loss becomes the attention note. */
async function resumeLostReads(
  store: SharedStore,
  kind: LookupKind,
  from: readonly number[],
  nowMs: number,
): Promise<void> {
  await store.query(
    `WITH lost AS (
       SELECT l.lookup_id FROM ${wantedFrom}
       WHERE ${isWanted} AND l.state = 'uncertain' AND l.custom_id IS NOT NULL
       ORDER BY l.lookup_id FOR NO KEY UPDATE OF l
     ), moved AS (
       UPDATE enrich.lookups l SET state = 'running', run_id = $4 || l.name, submitted_at_ms = $5, worker_id = $1
       FROM lost WHERE l.lookup_id = lost.lookup_id RETURNING l.custom_id, l.run_id
     )
     UPDATE enrich.submissions s SET verdict = 'accepted', reason = NULL, accepted_at_ms = $5, run_id = moved.run_id
     FROM moved WHERE s.custom_id = moved.custom_id`,
    [...from, `${kind}:`, nowMs],
  )
}

/** Lookups claimed at once: other workers do not submit them. */
const claimCountMax = 100

/**
 * Claims the next lookups that no other worker is about to submit, so that workers with the same lookups do not waste
 * each other's turns. A claim ends with its process and does not record a submission. A claim of a dead worker blocks
 * no other worker.
 */
export async function claimNew(
  store: SharedStore,
  kind: LookupKind,
  afterPosition: number,
  count: number,
): Promise<{ position: number; lookup: ToSubmit }[]> {
  const rows = await store.query<Omit<ToSubmit, 'isOfRow'> & { position: number; isOfRow: boolean }>(
    `WITH page AS MATERIALIZED (
       SELECT w.position, w.is_first, l.lookup_id FROM ${wantedFrom}
       WHERE ${isWanted} AND l.state = 'new' AND ${isFree} AND ${buildMaySubmitSql('$5')}
       ORDER BY w.position LIMIT $4 FOR NO KEY UPDATE OF l SKIP LOCKED
     )
     UPDATE enrich.lookups l SET worker_id = $1 FROM page WHERE l.lookup_id = page.lookup_id
     RETURNING page.position, page.is_first AS "isOfRow", l.lookup_id AS "lookupId", l.name, l.location, l.context`,
    [
      store.worker.id,
      store.job.kinds.getScopeId(kind),
      afterPosition,
      Math.min(count, claimCountMax),
      store.job.reopening.describe(store.job),
    ],
  )
  return rows
    .sort((one, other) => one.position - other.position)
    .map(({ position, isOfRow, ...lookup }) => ({
      position,
      lookup: { ...lookup, isOfRow: isOfRow ? 1 : 0 },
    }))
}

/** Adopts the runs that no other live worker waits for. Oldest first. */
export async function takeOverRuns(
  store: SharedStore,
  kind: LookupKind,
  afterPosition: number,
): Promise<PendingRun[]> {
  const rows = await store.query<PendingRun>(
    `WITH open AS MATERIALIZED (
       SELECT l.lookup_id FROM ${wantedFrom} WHERE ${isWanted} AND l.state = 'running' AND ${isFree}
       ORDER BY l.lookup_id FOR NO KEY UPDATE OF l
     )
     UPDATE enrich.lookups l SET worker_id = $1 FROM open WHERE l.lookup_id = open.lookup_id
     RETURNING l.lookup_id AS "lookupId", l.run_id AS "runId", coalesce(l.custom_id, '') AS "customId", l.name,
       l.submitted_at_ms AS "submittedAtMs", l.failure AS "needsAttention"`,
    [store.worker.id, store.job.kinds.getScopeId(kind), afterPosition],
  )
  return rows.sort((one, other) => one.submittedAtMs - other.submittedAtMs || one.lookupId - other.lookupId)
}

interface FollowUpRequest {
  readonly lookups: readonly KeyedLookup[]
  readonly policy: PlanPolicy
}
/**
 * Registers and plans follow-up lookups that arrive at about the same time as one batch. The first caller gets the plan
 * of the whole batch, the others an empty one, because callers add the plans up.
 */
export class FollowUpBatch {
  readonly #commits = new GroupCommit<FollowUpRequest, FollowedLookups>((items) => this.#commit(items))

  constructor(
    private readonly store: SharedStore,
    private readonly kind: LookupKind,
  ) {}

  follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): Promise<FollowedLookups> {
    return this.#commits.add({ lookups, policy })
  }

  async #commit(items: readonly FollowUpRequest[]): Promise<ItemResult<FollowedLookups>[]> {
    const [first] = items
    if (first === undefined) return []
    const afterPosition = this.store.job.kinds.lastPosition
    const wanted = items.flatMap(({ lookups }) => lookups)
    await addWantedLookups(this.store, wanted, false)
    const plan = await planKind(this.store, this.kind, first.policy, afterPosition)
    const open = await takeOverRuns(this.store, this.kind, afterPosition)
    return items.map((item) => ({
      value: item === first ? { plan, open } : { plan: createEmptyPlan(), open: [] },
    }))
  }
}
