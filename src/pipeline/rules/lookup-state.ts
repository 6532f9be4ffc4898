/**
 * The life of a lookup. `intended`: a submission may have left; it is either accepted, known not to have been
 * created, or uncertain. `running`: billed, known by a run id. The last four wait for nothing.
 */
export const lookupStates = [
  'new',
  'intended',
  'running',
  'answered',
  'invalid',
  'uncertain',
  'failed',
] as const
export type LookupState = (typeof lookupStates)[number]

/**
 * What becomes of a lookup in this run; `enrich plan` counts these, the scheduler does them. `decided` by a person: it is
 * left alone, whatever is known of it.
 */
export type LookupPlan = 'submit' | 'poll' | 'answered' | 'decided' | 'invalid' | 'uncertain' | 'failed'

export const nothingPlanned = (): Record<LookupPlan, number> => ({
  submit: 0,
  poll: 0,
  answered: 0,
  decided: 0,
  invalid: 0,
  uncertain: 0,
  failed: 0,
})

/** A plan once others have settled some of what was still to be asked, or waited for, by it. */
export function withSettled(
  plan: Readonly<Record<LookupPlan, number>>,
  settled: Readonly<Record<LookupPlan, number>>,
): Record<LookupPlan, number> {
  const { answered, failed, invalid, uncertain } = settled
  const count = answered + failed + invalid + uncertain
  const fromPoll = Math.min(plan.poll, count)
  return {
    ...plan,
    poll: plan.poll - fromPoll,
    submit: Math.max(0, plan.submit - (count - fromPoll)),
    answered: plan.answered + answered,
    failed: plan.failed + failed,
    invalid: plan.invalid + invalid,
    uncertain: plan.uncertain + uncertain,
  }
}

export interface KnownLookup {
  state: LookupState
  answeredAtMs: number | null
}

export interface PlanPolicy {
  nowMs: number
  /** An answer older than this is asked again; null keeps answers for good. */
  maxAgeMs: number | null
  /** What becomes of a submission whose answer was lost; `poll`, where a free read tells what became of it. */
  onLost: 'hold' | 'resubmit' | 'poll'
  /**
   * Whether the service knows runs of earlier processes. One that ends with its process bills nothing and knows
   * none: what it was asked without an answer is asked again, lost submissions too. True if left out.
   */
  knowsEarlierRuns?: boolean
  /** Lookups whose last outcome is among these are asked again. */
  askAgain?: readonly string[]
}

/** `intended` on its own means that a process died in between: the submission may have been billed. */
export function planLookup(known: KnownLookup, policy: PlanPolicy): Exclude<LookupPlan, 'decided'> {
  const isAskedAgain = policy.knowsEarlierRuns === false
  switch (known.state) {
    case 'new':
      return 'submit'
    case 'running':
      return isAskedAgain ? 'submit' : 'poll'
    case 'answered':
      return isExpired(known.answeredAtMs, policy) ? 'submit' : 'answered'
    case 'failed':
      return isExpired(known.answeredAtMs, policy) ? 'submit' : 'failed'
    case 'intended':
    case 'uncertain':
      if (isAskedAgain || policy.onLost === 'resubmit') return 'submit'
      return policy.onLost === 'poll' ? 'poll' : 'uncertain'
    case 'invalid':
      return 'invalid'
  }
}

function isExpired(answeredAtMs: number | null, policy: PlanPolicy): boolean {
  return policy.maxAgeMs !== null && answeredAtMs !== null && policy.nowMs - answeredAtMs > policy.maxAgeMs
}
