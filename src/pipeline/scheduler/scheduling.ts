import { plural } from '../../core/text.js'
import type { ErrorCode } from '../../core/errors.js'
import type { LookupKind, StageKind, PlanPolicy } from '../../core/lookup-state.js'
import { formatAmount, sumSubmitted, type CostLimit, type KindSubmissions } from '../../core/money.js'
import { rateLimits } from '../../contract/limits.js'

/**
 * The reason why a run ends before every lookup has its answer. `reason`: the text of the service or of the connection;
 * `lookupsMax` and `costMax` (in units of the `currency`, `null` without one): the used up budget.
 */
export type Stop =
  | { kind: 'interrupted' }
  | { kind: 'duration_max' }
  | { kind: 'refused'; reason: string }
  | { kind: 'wrong_address'; reason: string }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'out_of_credit'; reason: string }
  | { kind: 'plan_limit'; reason: string }
  | { kind: 'checkpoint_lost' }
  | { kind: 'lookups_max'; lookupsMax: number }
  | { kind: 'cost_max'; costMax: number; currency: string | null }

/** Whether open runs are still polled: only new submissions stop, and billed answers are fetched. */
export function shouldWaitForRuns(stop: Stop): boolean {
  return ['out_of_credit', 'plan_limit', 'checkpoint_lost'].includes(stop.kind) || isBudgetEnd(stop)
}

/** Whether the user's budget is used up: the same command begins a new budget, unless the job is partitioned. */
export function isBudgetEnd(stop: Stop): boolean {
  return stop.kind === 'lookups_max' || stop.kind === 'cost_max'
}

/** A run that stopped since its budget was used up. Amounts are in units of the currency, `null` without a price. */
export interface BudgetEnd {
  /** Lookups still to be submitted, of the kinds that the budget limits. */
  readonly leftCount: number
  /** Price of these lookups. */
  readonly leftCost: number | null
  /** Submitted with this budget, including earlier processes: billed, or possibly billed. */
  readonly spentCount: number
  /** Price of the submitted lookups. */
  readonly spentCost: number | null
  /** Lookups that this run submitted. */
  readonly ownCount: number
  /** Price of the lookups that this run submitted. */
  readonly ownCost: number | null
  /** Whether submissions cost something: false with the embedded service. */
  readonly isBilled: boolean
  /** Whether the same command begins a new budget; the parts of a partitioned job share one budget permanently. */
  readonly startsAnew: boolean
  /** ISO 4217; `null` without a currency. */
  readonly currency: string | null
}

/** The reason why a run ended, and one of the stopped kinds. */
export interface KindStop {
  readonly kind: LookupKind
  readonly stop: Stop
  /** `null` or missing if no budget ended the run, or an earlier version recorded it. */
  readonly budgetEnd?: BudgetEnd | null
  /** Submissions of the run, over all kinds; null or missing if unknown. */
  readonly submittedCount?: number | null
}

/** The reason why a run ended, also that of a single stage; null if nothing is left to wait for. */
export function findEndReason(run: {
  readonly stop: Stop | null
  readonly stages: readonly { readonly kind: LookupKind; readonly stop: Stop | null }[]
  readonly budgetEnd?: BudgetEnd | null
  readonly submissions?: readonly KindSubmissions[]
}): KindStop | null {
  const own = run.stages.find(({ stop }) => stop !== null && (run.stop === null || stop === run.stop))
  const stop = run.stop ?? own?.stop ?? null
  const { budgetEnd = null, submissions } = run
  const submittedCount = submissions === undefined ? null : sumSubmitted(submissions)
  return stop === null ? null : { kind: own?.kind ?? 'resolution', stop, budgetEnd, submittedCount }
}

/**
 * Returns the code and message of a stop; null for an interruption, whose exit code is the signal's.
 *
 * @example
 * const end = findEndReason(summary)
 * const error = end === null ? null : explainStop(end) // { code: 'COST_MAX_REACHED', message, hint }
 */
export function explainStop({
  kind,
  stop,
  budgetEnd = null,
  submittedCount = null,
}: KindStop): { code: ErrorCode; message: string; hint: string } | null {
  switch (stop.kind) {
    case 'interrupted':
      return null
    case 'duration_max':
      return {
        code: 'DURATION_MAX_REACHED',
        message: '--max-duration is reached',
        hint: 'the same command resumes',
      }
    case 'refused':
      return {
        code: 'SERVICE_REFUSED',
        message: `the service refused: ${stop.reason}`,
        hint: 'check ENRICH_API_KEY and that the account may use v3; no row was marked failed, the same command resumes',
      }
    case 'wrong_address':
      return {
        code: 'SERVICE_ANSWER_INVALID',
        message: `the base URL does not accept submissions: ${stop.reason}`,
        hint: `check --base-url; ${describeSaved(submittedCount)}the same command resumes`,
      }
    case 'unreachable':
      return {
        code: 'SERVICE_UNREACHABLE',
        message: `no usable answer came from the service: ${stop.reason}`,
        hint: `${describeSaved(submittedCount)}the same command resumes`,
      }
    case 'out_of_credit':
      return {
        code: 'CREDIT_EXHAUSTED',
        message: `the account's credit is used up: ${stop.reason}`,
        hint: 'top the account up; the same command resumes',
      }
    case 'checkpoint_lost':
      return { code: 'CHECKPOINT_REMOVED', message: 'the checkpoint was removed', hint: 'restore it' }
    case 'plan_limit':
      return {
        code: 'PLAN_LIMIT_REACHED',
        message: `a limit of the account's plan is reached: ${stop.reason}`,
        hint: 'wait until the plan renews, or upgrade it; the same command resumes',
      }
    case 'cost_max': {
      const costMax = formatAmount(stop.costMax, stop.currency)
      return {
        code: 'COST_MAX_REACHED',
        message: `the next lookup could exceed --max-cost ${costMax}${describeBudget(stop, budgetEnd)}`,
        hint: getBudgetHint(budgetEnd, costMax, '--max-cost'),
      }
    }
    case 'lookups_max': {
      const { lookupsMax } = stop
      const setting = kind === 'resolution' ? '--max-lookups' : `stages.${kind}.lookupsMax`
      return {
        code: 'LOOKUPS_MAX_REACHED',
        message: `${setting} ${lookupsMax} is reached${describeBudget(stop, budgetEnd)}`,
        hint: getBudgetHint(budgetEnd, plural(lookupsMax, 'lookup'), setting),
      }
    }
  }
}

const describeSaved = (submittedCount: number | null): string =>
  submittedCount === null
    ? ''
    : submittedCount === 0
      ? 'this run submitted nothing; '
      : 'submitted lookups are saved; '

/** Describes the amount spent in this budget, the share of earlier processes, and the rest. */
function describeBudget(stop: Stop, end: BudgetEnd | null): string {
  if (end === null) return ''
  const inMoney = stop.kind === 'cost_max'
  const { currency, spentCost, ownCost, spentCount, ownCount, leftCount, leftCost } = end
  const formatSpent = (cost: number | null, count: number) =>
    inMoney && cost !== null
      ? formatAmount(cost, currency)
      : `${plural(count, 'lookup')}${cost === null ? '' : ` (${formatAmount(cost, currency)})`}`
  const own =
    ownCount === spentCount ? 'all by this run' : `${formatSpent(ownCost, ownCount)} of it by this run`
  const spent = `${formatSpent(spentCost, spentCount)} of this budget ${inMoney || spentCount === 1 ? 'is' : 'are'} spent, ${own}`
  const price = leftCost === null ? '' : ` (${formatAmount(leftCost, currency)})`
  const left = `${plural(leftCount, 'lookup')}${price} ${leftCount === 1 ? 'is' : 'are'} left to ${end.isBilled ? 'pay for' : 'submit'}`
  return `: ${spent}; ${left}`
}

function getBudgetHint(end: BudgetEnd | null, budget: string, setting: string): string {
  if (end === null) return 'the same command resumes'
  return end.startsAnew
    ? `the same command resumes with a new budget of ${budget}`
    : `the job keeps its budget: raise ${setting}, then the same command resumes`
}

export interface KindOptions {
  /** Maximum age of an answer before it is requested again; null keeps answers permanently. */
  maxAgeMs: number | null
  /** Limit of submissions of the job, over all its processes; null if unlimited. */
  lookupsMax: number | null
  /**
   * Requests in the window of the scheduler's limits; null if unlimited. Entity reads share one limit, and so do all domain requests (interface:
   * "Limits"): these ignore `pollsPerWindow`.
   */
  limits: { submissionsPerWindow: number | null; pollsPerWindow: number | null }
  polling: PollingPace
}

/** Kinds to look up in addition to resolutions. */
export interface StageOptions {
  /** Kinds to look up after the answers. */
  asked: readonly StageKind[]
  /** Options of every kind: rows may look up domains, and merged ids are followed, without any stage. */
  kinds: Readonly<Record<StageKind, KindOptions>>
}

interface ResolutionOptions {
  limits: { submissionsPerWindow: number | null; windowMs: number }
  polling: PollingPace
}

/** Research of owners takes several times as long as a record (interface: "Limits"). */
const hierarchySlowness = 5

/**
 * Returns the limits of the interface; no limits if resolutions have none.
 *
 * @example
 * const stages = createDefaultStages(scheduling, ['entity'])
 */
export function createDefaultStages(
  { limits, polling }: ResolutionOptions,
  asked: readonly StageKind[] = [],
): StageOptions {
  const toPerWindow = (perMinute: number) =>
    limits.submissionsPerWindow === null
      ? null
      : Math.max(1, Math.round((perMinute * limits.windowMs) / 60_000))
  const createKindOptions = (submissionsPerMinute: number, pollsPerMinute: number): KindOptions => ({
    maxAgeMs: null,
    lookupsMax: null,
    limits: {
      submissionsPerWindow: toPerWindow(submissionsPerMinute),
      pollsPerWindow: toPerWindow(pollsPerMinute),
    },
    polling,
  })
  const { submissionsPerMinute, pollsPerMinute, entityReadsPerMinute, domainReadsPerMinute } = rateLimits
  const hierarchy = createKindOptions(submissionsPerMinute, pollsPerMinute)
  const slowPolling: PollingPace = {
    ...polling,
    firstAfterMs: polling.firstAfterMs * hierarchySlowness,
    deadlineMs: Math.max(polling.deadlineMs, polling.firstAfterMs * hierarchySlowness * 2),
  }
  return {
    asked,
    kinds: {
      entity: createKindOptions(entityReadsPerMinute, entityReadsPerMinute),
      hierarchy: { ...hierarchy, polling: slowPolling },
      domain: createKindOptions(domainReadsPerMinute, domainReadsPerMinute),
    },
  }
}

/** Returns the plan policy of a stage, derived from that of resolutions. */
export function buildStagePolicy<Policy extends Pick<PlanPolicy, 'onLost'>>(
  kind: StageKind,
  { kinds }: StageOptions,
  policy: Policy,
): Policy & Pick<PlanPolicy, 'maxAgeMs'> {
  return { ...policy, maxAgeMs: kinds[kind].maxAgeMs, onLost: getLossPolicy(kind, policy.onLost) }
}

/** A record can be read again, and another read shows whether research was started. */
function getLossPolicy(kind: StageKind, onLost: PlanPolicy['onLost']): PlanPolicy['onLost'] {
  switch (kind) {
    case 'entity':
      return 'resubmit'
    case 'hierarchy':
      return 'poll'
    case 'domain':
      return onLost
  }
}

export interface SchedulerLimits {
  /** Requests in `windowMs`; null if unlimited (the embedded service). */
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  /** Most runs in flight at once. */
  inFlightRunsMax: number
  submitConcurrency: number
}

/** Options set by the user or given by the service. */
export interface SchedulingOptions {
  limits: SchedulerLimits
  polling: PollingPace
  serverErrorMeans: ServerErrorMeaning
  /** Limit of submissions of the job, over all its processes. */
  lookupsMax: number | null
  /** Cost limit of the job, over all kinds; optional. */
  cost?: CostLimit
  durationMsMax: number | null
}

/** Polling intervals in milliseconds. */
export interface PollingPace {
  /** Shortest age at which a run can be finished. */
  firstAfterMs: number
  /** Shortest interval between polls of one run. */
  intervalMs: number
  /** Age at which an unanswered run is left for the next command. */
  deadlineMs: number
}

/**
 * Meaning of a 500 response to a submission. The interface only says "server error"; a job may have been created
 * before. Use `not_created` only for a service known to create nothing.
 */
export type ServerErrorMeaning = 'unknown' | 'not_created'
