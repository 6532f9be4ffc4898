import type { LookupKind } from './lookups/lookup-kind.js'
import type { BilledCounts } from './figures/money.js'
import type { StageFacts } from './figures/run-summary.js'
import type { LookupPlan } from './lookups/lookup-state.js'
import type { Stop } from './figures/stop.js'
import type { Tally } from './tally.js'

/** Results of one kind of lookups in a run so far. */
export interface KindRun {
  readonly kind: LookupKind
  /** For a stage, it grows during the run, as answers arrive. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  readonly tally: Tally
  /** Why this kind was not completed; null if not stopped. */
  readonly stop: Stop | null
}

/** Returns the counts of billed and possibly billed submissions. */
export function countBilled({ kind, tally }: Pick<KindRun, 'kind' | 'tally'>): BilledCounts {
  return {
    kind,
    billedCount: tally.accepted + tally.claimed - tally.disproved,
    uncertainCount: Math.max(0, tally.lost - tally.claimed) + tally.lostReads,
  }
}

/** Counts the planned lookups that are not submitted yet. */
export function countUnsubmitted({ plan, tally }: Pick<KindRun, 'plan' | 'tally'>): number {
  return Math.max(0, plan.submit - countAccepted(tally) - tally.rejected - tally.lost)
}

/** Counts accepted submissions, without those that the service did not receive. */
export const countAccepted = (tally: Tally): number => tally.accepted - tally.disproved

/** Returns the results as counts, for progress and summary. */
export function toStageFacts({ kind, plan, tally, stop }: KindRun): StageFacts {
  const lookupCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const rejectedCount = plan.invalid + tally.rejected
  const uncertainCount = Math.max(0, plan.uncertain + tally.lost - tally.claimed)
  return {
    kind,
    lookupCount,
    cachedCount: plan.answered,
    decidedCount: plan.decided,
    askedCount: countAccepted(tally),
    answeredCount: tally.answered,
    failedCount: plan.failed + (tally.outcomes.get('failed') ?? 0),
    rejectedCount,
    uncertainCount,
    pendingCount: Math.max(
      0,
      lookupCount -
        plan.answered -
        plan.decided -
        plan.failed -
        rejectedCount -
        uncertainCount -
        tally.answered,
    ),
    outcomes: Object.fromEntries(tally.outcomes),
    stop,
  }
}
