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

/** What can happen to a lookup. Each is durable before anything depends on it. */
export type LookupEvent =
  /** A submission is about to leave: from here on it may have been billed. */
  | 'intend'
  /** The service said which run it made: billed. */
  | 'accept'
  /** Certainly not created: it may be submitted again. */
  | 'withdraw'
  /** Certainly not created, and never will be as it is. */
  | 'reject'
  /** The answer was lost: it may have been billed. */
  | 'lose'
  /** A webhook named the run of a submission whose answer, or which itself, was lost. */
  | 'claim'
  /** Its run, or the answer of its run, may be another submission's. */
  | 'doubt'
  /** The run ended with an outcome. */
  | 'answer'
  /** The run ended without one; it was billed all the same. */
  | 'fail'
  /** It is to be asked again: expired, retried, or lost and resubmitted by the user's word. */
  | 'reopen'

/** The whole life; what is not listed cannot happen. */
const life: Readonly<Record<LookupState, Partial<Record<LookupEvent, LookupState>>>> = {
  new: { intend: 'intended', claim: 'running' },
  intended: {
    accept: 'running',
    withdraw: 'new',
    reject: 'invalid',
    lose: 'uncertain',
    claim: 'running',
  },
  running: { answer: 'answered', fail: 'failed', doubt: 'uncertain', reopen: 'new' },
  // Of a process that was taken to be gone, and knows better what became of its submission.
  uncertain: { claim: 'running', withdraw: 'new', reject: 'invalid', reopen: 'new' },
  answered: { doubt: 'uncertain', reopen: 'new' },
  failed: { doubt: 'uncertain', reopen: 'new' },
  invalid: { reopen: 'new' },
}

/** The state after an event, or null when the event cannot happen in this state. */
export function moveLookup(state: LookupState, event: LookupEvent): LookupState | null {
  return life[state][event] ?? null
}

/** Where the user sets none: what the interface calls a match is not doubtful. */
export const doubtThresholdByDefault = 80

/** What is known of a lookup's answer. */
interface AnsweredLookup {
  readonly state: LookupState
  /** Of the last answer, lower case. */
  readonly outcome: string | null
  readonly confidence: number | null
}

/** Nothing sure was found, however sure the service is of that. */
const unsureOutcomes: ReadonlySet<string> = new Set(['inconclusive', 'no_match', 'not_found'])

/**
 * Whether a person should look at an answer: nothing sure was found, or a company whose confidence is below the
 * threshold (0 to 100). Where nothing was answered there is nothing to look at.
 */
export function isDoubtful({ state, outcome, confidence }: AnsweredLookup, threshold: number): boolean {
  if (state !== 'answered' || outcome === null) return false
  if (unsureOutcomes.has(outcome)) return true
  if (outcome === 'partial_match') return confidence === null || confidence < threshold
  return outcome === 'matched' && confidence !== null && confidence < threshold
}
