import type { LookupKind } from './lookups/lookup-kind.js'
import type { BilledCounts } from './figures/money.js'
import type { StageFacts } from './figures/run-summary.js'
import type { LookupPlan } from './lookups/lookup-state.js'
import type { Stop } from './figures/stop.js'
import type { Tally } from './tally.js'

/** What one kind of lookups came to in a run so far. */
export interface KindRun {
  readonly kind: LookupKind
  /** Of a stage it grows while the run goes on: what follows from answers is planned as they come. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  readonly tally: Tally
  /** Why this kind was not asked to its end; null while nothing stopped it. */
  readonly stop: Stop | null
}

/** What may have been billed of it so far. */
export function billedOf({ kind, tally }: Pick<KindRun, 'kind' | 'tally'>): BilledCounts {
  return {
    kind,
    billedCount: tally.accepted + tally.claimed - tally.disproved,
    uncertainCount: Math.max(0, tally.lost - tally.claimed) + tally.lostReads,
  }
}

/** Lookups that are planned and not submitted yet, as far as answers so far tell. */
export function countUnsubmitted({ plan, tally }: Pick<KindRun, 'plan' | 'tally'>): number {
  return Math.max(0, plan.submit - countAccepted(tally) - tally.rejected - tally.lost)
}

/** Accepted submissions, without those that the service turned out not to have taken. */
export const countAccepted = (tally: Tally): number => tally.accepted - tally.disproved

/** The same as counts, for progress and summary. */
export function stageFactsOf({ kind, plan, tally, stop }: KindRun): StageFacts {
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
