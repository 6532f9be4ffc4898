import { calculateInterval, type Interval } from '../../core/interval.js'
import { formatCount, plural } from '../../core/text.js'
import { formatAmount, toUnits, type Prices } from '../../core/money.js'

/** The lookups that an own registry answered instead of the service. */
export interface FirstFigures {
  /** `registry:` with its edition. */
  readonly registry: string
  /** Confidence from which a match is the answer, 1 to 100. */
  readonly accept: number
  /** Distinct lookups, and their rows. */
  readonly lookupCount: number
  readonly rowCount: number
  /** Price of submitting them, without those of the sample; `null` without a price. */
  readonly saved: { readonly amount: number; readonly currency: string | null } | null
  /** `null` without a sample. */
  readonly sample: SampleFigures | null
}

/** The sample of these lookups that was submitted as well. */
export interface SampleFigures {
  readonly lookupCount: number
  /** Answers of the service so far: with the same company, with another one, and without a match. */
  readonly sameCount: number
  readonly otherCount: number
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
