import { plural } from '../../core/text.js'
import type { ErrorCode } from '../../core/errors.js'
import type { LookupKind } from '../lookups/lookup-kind.js'
import { formatAmount } from './money.js'

/** Why a run ends before every lookup has its answer. */
export type Stop =
  | { kind: 'interrupted' }
  | { kind: 'duration_max' }
  | { kind: 'refused'; reason: string }
  | { kind: 'wrong_address'; reason: string }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'out_of_credit'; reason: string }
  | { kind: 'plan_limit'; reason: string }
  | { kind: 'lookups_max'; lookupsMax: number }
  /** In units of the currency. */
  | { kind: 'cost_max'; costMax: number; currency: string | null }

/**
 * Whether what is already running is still waited for. Credit and budget stop new submissions only; what was
 * paid for is fetched.
 */
export function waitsForRuns(stop: Stop): boolean {
  return stop.kind === 'out_of_credit' || stop.kind === 'plan_limit' || isBudgetEnd(stop)
}

/** Whether the budget that the user gave is used up: the same command is the next job, with a budget of its own. */
export function isBudgetEnd(stop: Stop): boolean {
  return stop.kind === 'lookups_max' || stop.kind === 'cost_max'
}

/** A run that stopped because its budget was used up. Amounts are in units of the currency, `null` without a price. */
export interface BudgetEnd {
  /** Lookups that are still to be submitted, of all kinds, and their price. */
  readonly leftCount: number
  readonly leftCost: number | null
  /** Submitted since this budget began, by earlier processes too: billed, or maybe billed. */
  readonly spentCount: number
  readonly spentCost: number | null
  /** The part of it that this run submitted. */
  readonly ownCount: number
  readonly ownCost: number | null
  readonly isBilled: boolean
  /** Whether the same command starts a new budget; the parts of a partitioned job share one budget permanently. */
  readonly startsAnew: boolean
  /** ISO 4217; `null` without a currency. */
  readonly currency: string | null
}

/** Why a run ended, and one of the kinds that it stopped. */
export interface KindStop {
  readonly kind: LookupKind
  readonly stop: Stop
  /** `null` or missing if no budget ended the run, or an earlier version recorded it. */
  readonly budgetEnd?: BudgetEnd | null
}

/** Null: nothing is left to wait for. What stopped a stage alone ends the run as the run's own stop. */
export function endedBy(run: {
  readonly stop: Stop | null
  readonly stages: readonly { readonly kind: LookupKind; readonly stop: Stop | null }[]
  readonly budgetEnd?: BudgetEnd | null
}): KindStop | null {
  const own = run.stages.find(({ stop }) => stop !== null && (run.stop === null || stop === run.stop))
  const stop = run.stop ?? own?.stop ?? null
  const { budgetEnd = null } = run
  return stop === null ? null : { kind: own?.kind ?? 'resolution', stop, budgetEnd }
}

/** The code and sentence shown for a stop of a kind; null for an interruption, whose exit code is the signal's. */
export function explainStop({
  kind,
  stop,
  budgetEnd = null,
}: KindStop): { code: ErrorCode; message: string; hint: string } | null {
  switch (stop.kind) {
    case 'interrupted':
      return null
    case 'duration_max':
      return {
        code: 'DURATION_MAX_REACHED',
        message: 'the time given by --max-duration is over',
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
        message: `nothing at the base URL takes submissions: ${stop.reason}`,
        hint: 'check --base-url; nothing was billed by this answer, the same command resumes',
      }
    case 'unreachable':
      return {
        code: 'SERVICE_UNREACHABLE',
        message: `the service cannot be reached: ${stop.reason}`,
        hint: 'what was submitted is safe; the same command resumes',
      }
    case 'out_of_credit':
      return {
        code: 'CREDIT_EXHAUSTED',
        message: `the account's credit is used up: ${stop.reason}`,
        hint: 'top the account up; the same command resumes',
      }
    case 'plan_limit':
      return {
        code: 'PLAN_LIMIT_REACHED',
        message: `a limit of the account's plan is reached: ${stop.reason}`,
        hint: 'wait for the plan to renew or raise it; the same command resumes',
      }
    case 'cost_max': {
      const costMax = formatAmount(stop.costMax, stop.currency)
      return {
        code: 'COST_MAX_REACHED',
        message: `one lookup more could cost more than --max-cost ${costMax}${budgetText(stop, budgetEnd)}`,
        hint: budgetHint(budgetEnd, costMax, '--max-cost'),
      }
    }
    case 'lookups_max': {
      const { lookupsMax } = stop
      const setting = kind === 'resolution' ? '--max-lookups' : `stages.${kind}.lookupsMax`
      return {
        code: 'LOOKUPS_MAX_REACHED',
        message: `${setting} ${lookupsMax} is reached${budgetText(stop, budgetEnd)}`,
        hint: budgetHint(budgetEnd, plural(lookupsMax, 'lookup'), setting),
      }
    }
  }
}

/** The amount spent in this budget, the part that earlier processes spent, and what is left to pay for. */
function budgetText(stop: Stop, end: BudgetEnd | null): string {
  if (end === null) return ''
  const inMoney = stop.kind === 'cost_max'
  const { currency, spentCost, ownCost, spentCount, ownCount, leftCount, leftCost } = end
  const amount = (cost: number | null, count: number) =>
    inMoney && cost !== null ? formatAmount(cost, currency) : plural(count, 'lookup')
  const own = ownCount === spentCount ? 'all by this run' : `${amount(ownCost, ownCount)} of it by this run`
  const spent = `${amount(spentCost, spentCount)} of this budget ${inMoney || spentCount === 1 ? 'is' : 'are'} spent, ${own}`
  const price = leftCost === null ? '' : ` (${formatAmount(leftCost, currency)})`
  const left = `${plural(leftCount, 'lookup')}${price} ${leftCount === 1 ? 'is' : 'are'} left to ${end.isBilled ? 'pay for' : 'submit'}`
  return `: ${spent}; ${left}`
}

function budgetHint(end: BudgetEnd | null, budget: string, setting: string): string {
  if (end === null) return 'the same command resumes, with a new budget'
  return end.startsAnew
    ? `the same command resumes with a new budget of ${budget}`
    : `the job keeps its budget: raise ${setting}, then the same command resumes`
}
