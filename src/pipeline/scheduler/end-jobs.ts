import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { lookupKinds, type StageKind } from '../rules/lookup-kind.js'
import { isBudgetEnd, type Stop } from '../rules/stop.js'

interface EndedRun {
  /** What stopped resolutions, or the whole run. */
  readonly stop: Stop | null
  readonly stages: readonly { readonly kind: StageKind; readonly stop: Stop | null }[]
  /** Whether all kinds have one budget together. */
  readonly sharesBudget: boolean
}

/**
 * A job that came to its end, or to that of its budget, is over: the same command is the next one, with a budget of its
 * own. Jobs of kinds that share a budget are over together, or one of them would forget what it took of it.
 * Resolves with whether a budget that was used up is over.
 */
export async function endJobs(
  checkpoint: Checkpoint,
  { stop, stages, sharesBudget }: EndedRun,
  nowMs: number,
): Promise<boolean> {
  const isOver = (reason: Stop | null) => reason === null || isBudgetEnd(reason)
  const kinds = [{ kind: 'resolution' as const, stop }, ...stages]
  if (sharesBudget) {
    const reasons = [stop, ...stages.map((stage) => stage.stop)]
    if (!reasons.every(isOver) && !reasons.some((reason) => reason?.kind === 'cost_max')) return false
    for (const kind of lookupKinds) await checkpoint.of(kind).endJob(nowMs)
    return true
  }
  for (const one of kinds) if (isOver(one.stop)) await checkpoint.of(one.kind).endJob(nowMs)
  return true
}
