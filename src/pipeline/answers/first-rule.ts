import { createHash } from 'node:crypto'
import { at, toText } from '../../core/json.js'
import { foldText, type LookupId } from '../../core/lookup-identity.js'
import type { KnownAnswer } from '../checkpoint/lookup.js'
import { planLookup, type PlanPolicy } from '../../core/lookup-state.js'
import { type Interval, calculateInterval } from '../../core/partition.js'
import { type Prices, toUnits, formatAmount } from '../../core/money.js'
import { formatCount, plural } from '../../core/text.js'

/** Settings of an own registry that answers before the service is paid. */
export interface FirstRule {
  /** Confidence from which a match is the answer, 1 to 100. */
  readonly accept: number
  /** The answer to keep if both have one; `earlier`: the older one. */
  readonly prefer: 'earlier' | 'registry' | 'service'
  /** The share of the answered lookups that is submitted as well; `null` for none. */
  readonly sample: Sample | null
}

/** A random sample, the same in each run with this seed. */
export interface Sample {
  /** Above 0, up to 100. */
  readonly percent: number
  readonly seed: number
}

/** An answer of the own registry to a lookup. */
export interface RegistryAnswer {
  /** In lower case. */
  readonly outcome: string
  readonly confidence: number | null
}

/** Whether the registry is sure enough. */
export const isAccepted = ({ outcome, confidence }: RegistryAnswer, accept: number): boolean =>
  outcome === 'matched' && confidence !== null && confidence >= accept

/** Whether a lookup belongs to the sample. */
export function isSampled(key: Uint8Array, sample: Sample | null): boolean {
  if (sample === null) return false
  const hash = createHash('sha256').update(`${sample.seed} `).update(key).digest()
  return hash.readUIntBE(0, 6) / 2 ** 48 < sample.percent / 100
}

interface KeepingRule {
  readonly prefer: FirstRule['prefer']
  /** Whether the run that asked the service came before the one that asked the registry. */
  readonly isServiceEarlier: boolean
  readonly isOfSample: boolean
  readonly policy: PlanPolicy
}

/**
 * Whether the service keeps a lookup that the registry can answer, because it was submitted before. A submission without
 * an answer is waited for. Lookups of the sample are submitted after the registry answered them, so theirs is never the
 * earlier answer.
 */
export function isKeptByService(
  known: Pick<KnownAnswer, 'state' | 'answeredAtMs'> | null,
  { prefer, isServiceEarlier, isOfSample, policy }: KeepingRule,
): boolean {
  if (known === null || prefer === 'registry') return false
  switch (planLookup(known, policy)) {
    case 'answered':
      return prefer === 'service' || (isServiceEarlier && !isOfSample)
    case 'poll':
    case 'uncertain':
      return (prefer === 'service' || isServiceEarlier) && !isOfSample
    case 'submit':
    case 'failed':
    case 'invalid':
      return false
  }
}

/** How the service's answer to a lookup relates to the registry's match. */
type Comparison = 'same' | 'other' | 'no_match'

/** Identifiers that one company has only once. */
const uniqueColumns = ['lei', 'cik', 'ein'] as const

/**
 * Compares a match of the registry with the service's answer, both as answer lines. The ids of companies are not
 * enough, because each service has its own: one equal identifier decides, then a different one, then the registered
 * name with its country.
 */
export function compareAnswers(registryLine: string, serviceLine: string): Comparison {
  const own: unknown = JSON.parse(registryLine)
  const other: unknown = JSON.parse(serviceLine)
  const read = (line: unknown, column: string) => foldText(toText(at(line, column)))
  if (!['matched', 'merged'].includes(read(other, 'status'))) return 'no_match'
  const isEqual = (column: string) => read(own, column) !== '' && read(own, column) === read(other, column)
  const isDifferent = (column: string) =>
    ![read(own, column), read(other, column)].includes('') && read(own, column) !== read(other, column)
  const isSameRegistration = isEqual('registration_id') && isEqual('jurisdiction')
  if (isEqual('entity_id') || uniqueColumns.some(isEqual) || isSameRegistration) return 'same'
  if (uniqueColumns.some(isDifferent) || isDifferent('country_code')) return 'other'
  return isEqual('legal_name') ? 'same' : 'other'
}

/** The lookups that an own registry answered instead of the service. */
export interface FirstFigures {
  /** `registry:` with its edition. */
  readonly registry: string
  /** Confidence from which a match is the answer, 1 to 100. */
  readonly accept: number
  /** Distinct lookups. */
  readonly lookupCount: number
  /** Rows of these lookups. */
  readonly rowCount: number
  /**
   * Price of submitting them, without those of the sample: `amount` in units of the `currency`, which is `null` if the
   * prices have none; `null` without a price.
   */
  readonly saved: { readonly amount: number; readonly currency: string | null } | null
  /** `null` without a sample. */
  readonly sample: SampleFigures | null
}

/** The sample of these lookups that was submitted as well. */
export interface SampleFigures {
  /** Lookups of the sample. */
  readonly lookupCount: number
  /** Answers of the service so far with the same company. */
  readonly sameCount: number
  /** Answers with another company. */
  readonly otherCount: number
  /** Answers without a match. */
  readonly noMatchCount: number
  /** 95 % interval of the share with the same company; `null` without an answer. */
  readonly interval: Interval | null
}

export const createSampleFigures = (
  lookupCount: number,
  counts: Readonly<Record<'same' | 'other' | 'no_match', number>>,
): SampleFigures => ({
  lookupCount,
  sameCount: counts.same,
  otherCount: counts.other,
  noMatchCount: counts.no_match,
  interval: calculateInterval(counts.same, counts.same + counts.other + counts.no_match),
})

export function calculateSaved(lookupCount: number, prices: Prices | null): FirstFigures['saved'] {
  const price = prices?.byKind.resolution
  if (prices === null || price === undefined) return null
  return { amount: toUnits(BigInt(lookupCount) * BigInt(price)), currency: prices.currency }
}

/** Formats the lookups: `1,234 lookups answered by registry:2024-05, not submitted, EUR 61.70 saved`. */
export function formatFirst({ registry, lookupCount, saved, sample }: FirstFigures): string {
  const amount = saved === null ? '' : `, ${formatAmount(saved.amount, saved.currency)} saved`
  const submitted =
    sample === null || sample.lookupCount === 0
      ? 'not submitted'
      : `${formatCount(sample.lookupCount)} of them also submitted`
  return `${plural(lookupCount, 'lookup')} answered by ${registry}, ${submitted}${amount}`
}

/** Formats the sample: `same company for 47 of 48 (97.9 %, 95 % interval 89.1 to 99.6 %)`. */
export function formatSample({ lookupCount, sameCount, interval, ...counts }: SampleFigures): string {
  const answered = sameCount + counts.otherCount + counts.noMatchCount
  if (interval === null) return `${plural(lookupCount, 'lookup')} also submitted, no answer yet`
  const percent = (share: number) => (share * 100).toFixed(1)
  const others = [
    ...(counts.otherCount === 0 ? [] : [`another company for ${formatCount(counts.otherCount)}`]),
    ...(counts.noMatchCount === 0 ? [] : [`no match for ${formatCount(counts.noMatchCount)}`]),
    ...(answered === lookupCount ? [] : [`no answer yet for ${formatCount(lookupCount - answered)}`]),
  ]
  return [
    `the service names the same company for ${formatCount(sameCount)} of ${formatCount(answered)}`,
    ` (${percent(sameCount / answered)} %, 95 % interval ${percent(interval[0])} to ${percent(interval[1])} %)`,
    ...others.map((other) => `, ${other}`),
  ].join('')
}

/** Figures of the registry's answers. Counts are of distinct lookups. */
export interface FirstFacts {
  /** The registry's name in outputs: `registry:EDITION`. */
  readonly name: string
  /** Confidence from which a match is the answer, 1 to 100. */
  readonly accept: number
  /** Time for which the registry was asked. */
  readonly elapsedMs: number
  /** Answered by the registry. */
  readonly settledCount: number
  /** The part of these that is to be submitted as well. */
  readonly sampleCount: number
  /** Lookups that would be submitted without the registry, by the confidence of its match; the index is 0 to 100. */
  readonly byConfidence: readonly number[]
  /** The lookups of the service that only check an answer of the registry. */
  readonly checks: ReadonlySet<LookupId>
}

/** The lookups that an own registry would answer, and what that saves. */
export interface FirstPlan extends Pick<FirstFigures, 'registry' | 'accept' | 'saved'> {
  /** Distinct lookups that the registry answers. */
  readonly lookupCount: number
  /** The part of these that is submitted as well. */
  readonly sampleCount: number
  /** Without the sample, at other values of `accept`. */
  readonly byAccept: readonly AcceptPlan[]
}

interface AcceptPlan {
  readonly accept: number
  readonly lookupCount: number
  readonly submitCount: number
  /** Price of these submissions; `null` without a price. */
  readonly cost: FirstFigures['saved']
}

const shownAccepts = [80, 90, 95, 99]

/** Plans what the own registry answers and saves. `submitCount`: lookups to submit, the sample included. */
export function planFirst(facts: FirstFacts, submitCount: number, prices: Prices | null): FirstPlan {
  const { name, accept: accepted, byConfidence, sampleCount } = facts
  const countFrom = (accept: number) => byConfidence.slice(accept).reduce((sum, count) => sum + count, 0)
  const lookupCount = countFrom(accepted)
  const withoutRegistry = submitCount - sampleCount + lookupCount
  const byAccept = [...new Set([...shownAccepts, accepted])]
    .sort((a, b) => a - b)
    .map((accept) => {
      const answered = countFrom(accept)
      const left = withoutRegistry - answered
      return { accept, lookupCount: answered, submitCount: left, cost: calculateSaved(left, prices) }
    })
  const saved = calculateSaved(lookupCount - sampleCount, prices)
  return { registry: name, accept: accepted, saved, lookupCount, sampleCount, byAccept }
}
