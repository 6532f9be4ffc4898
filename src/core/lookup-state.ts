/** Kinds of lookups: the company of a name, the company and facts of a domain, the record of a company, its owners. */
export const lookupKinds = ['resolution', 'domain', 'entity', 'hierarchy'] as const
/** `resolution`: by name; `domain`; `entity`: the record of a company; `hierarchy`: its owners. */
export type LookupKind = (typeof lookupKinds)[number]

/** Kinds of a row's first lookup: each is billed, and a webhook reports its end, even if it was lost. */
export const firstKinds = ['resolution', 'domain'] as const satisfies readonly LookupKind[]

/** Kinds that may follow from the answer to a first lookup, once for each company or domain. */
export const stageKinds = ['entity', 'hierarchy', 'domain'] as const satisfies readonly LookupKind[]
/** Kind of a lookup that follows from an answer. */
export type StageKind = (typeof stageKinds)[number]

/** Returns the scope of a kind in the checkpoint; resolutions use the scope of the service. */
export const toScope = (base: string, kind: LookupKind): string =>
  kind === 'resolution' ? base : `${base} ${kind}`

/** Splits a scope into service and kind. No base URL and no edition of a registry contains a space. */
export function readScope(scope: string): { base: string; kind: LookupKind } {
  const [, base = scope, suffix = ''] = /^(.*) ([a-z]+)$/s.exec(scope) ?? []
  const kind = stageKinds.find((one) => one === suffix)
  return kind === undefined ? { base: scope, kind: 'resolution' } : { base, kind }
}

/**
 * Returns the text whose hash is the key of a follow-up lookup, by domain or company id. The leading number is the
 * version of this format: it may only change together with a migration.
 */
export const toKeyText = (kind: StageKind, name: string): string => JSON.stringify([1, kind, name])

/** Returns the run id of a lookup for which the service creates no run. Stored, but never sent. */
export const toRunId = (kind: StageKind, name: string): string => `${kind}:${name}`

const runIdCharsMax = 500

/** Ids are opaque, but an id that cannot be stored unchanged or used in a path cannot be polled. */
export function isUsableRunId(runId: string): boolean {
  return runId.length <= runIdCharsMax && !/^\.{1,2}$|[\p{Cc}\p{Surrogate}]/u.test(runId)
}

/**
 * States of a lookup. `intended`: a submission may have been sent; it will be accepted, known as not created, or
 * uncertain. `running`: billed, with a run id. The last four are final.
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

/** Planned action for a lookup, as `enrich plan` counts it. `decided` by a reviewer: left unchanged. */
export type LookupPlan = 'submit' | 'poll' | 'answered' | 'decided' | 'invalid' | 'uncertain' | 'failed'

export const createEmptyPlan = (): Record<LookupPlan, number> => ({
  submit: 0,
  poll: 0,
  answered: 0,
  decided: 0,
  invalid: 0,
  uncertain: 0,
  failed: 0,
})

/** Returns the plan after other processes have settled some of its lookups. */
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
  /** Maximum age of an answer before it is requested again; null keeps answers permanently. */
  maxAgeMs: number | null
  /** Handling of a lost submission; `poll` if a free read shows its outcome. */
  onLost: 'hold' | 'resubmit' | 'poll'
  /**
   * Whether the service knows the runs of earlier processes; defaults to true. A service that ends with its process
   * bills nothing, so unanswered and lost lookups are submitted again.
   */
  knowsEarlierRuns?: boolean
  /** Outcomes whose lookups are submitted again. */
  askAgain?: readonly string[]
}

/** Whether answers with an outcome rarely have a candidate: they are last in lists for reviewers. */
export const rarelyHasCandidates = (outcome: string): boolean =>
  outcome === 'no_match' || outcome === 'not_found'

/** Plans a lookup. A remaining `intended` means that a process died: the submission may have been billed. */
export function planLookup(known: KnownLookup, policy: PlanPolicy): Exclude<LookupPlan, 'decided'> {
  const isAskedAgain = policy.knowsEarlierRuns === false
  switch (known.state) {
    case 'new':
      return 'submit'
    case 'running':
      return isAskedAgain ? 'submit' : 'poll'
    case 'answered':
    case 'failed':
      return isExpired(known.answeredAtMs, policy) ? 'submit' : known.state
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

/** Events of a lookup. Each is durable before anything depends on it. */
export type LookupEvent =
  /** A submission is about to be sent: from now on it may be billed. */
  | 'intend'
  /** The service returned a run id: billed. */
  | 'accept'
  /** Not created: it may be submitted again. */
  | 'withdraw'
  /** Not created, and not valid in this form. */
  | 'reject'
  /** The response was lost: it may have been billed. */
  | 'lose'
  /** A webhook named the run of a submission without a response. */
  | 'claim'
  /** The run ended with an outcome. */
  | 'answer'
  /** The run ended without an outcome, but was billed. */
  | 'fail'
  /** Will be submitted again: expired, retried, or lost and resubmitted at the user's request. */
  | 'reopen'

/** All transitions; any other is impossible. */
const life: Readonly<Record<LookupState, Partial<Record<LookupEvent, LookupState>>>> = {
  new: { intend: 'intended', claim: 'running' },
  intended: {
    accept: 'running',
    withdraw: 'new',
    reject: 'invalid',
    lose: 'uncertain',
    claim: 'running',
  },
  running: { answer: 'answered', fail: 'failed', reopen: 'new' },
  // Events of a process that was assumed dead and reports the outcome of its submission.
  uncertain: { claim: 'running', withdraw: 'new', reject: 'invalid', reopen: 'new' },
  answered: { reopen: 'new' },
  failed: { reopen: 'new' },
  invalid: { reopen: 'new' },
}

/** Returns the state after an event, or null if the event is impossible in this state. */
export function moveLookup(state: LookupState, event: LookupEvent): LookupState | null {
  return life[state][event] ?? null
}

/** Default threshold: a match in the sense of the interface is not doubtful. */
export const doubtThresholdByDefault = 80

export interface AnsweredLookup {
  readonly state: LookupState
  /** Outcome of the last answer, lower case. */
  readonly outcome: string | null
  readonly confidence: number | null
}

/** Outcomes without a definite company, at any confidence. */
const unsureOutcomes: ReadonlySet<string> = new Set(['inconclusive', 'no_match', 'not_found'])

/** Whether a reviewer should check an answer: no definite company, or a confidence below the threshold. */
export function isDoubtful({ state, outcome, confidence }: AnsweredLookup, threshold: number): boolean {
  if (state !== 'answered' || outcome === null) return false
  if (unsureOutcomes.has(outcome)) return true
  if (outcome === 'partial_match') return confidence === null || confidence < threshold
  return outcome === 'matched' && confidence !== null && confidence < threshold
}
