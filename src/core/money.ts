import { formatCount } from './text.js'
import { firstKinds, type LookupKind } from './lookup-state.js'

/** Whole millionths of a currency unit, so that sums are exact. */
export type Micros = number

const microsPerUnit = 1_000_000

const decimalsMax = 6

/** Prices of lookups; kinds without a price are not counted in the cost. */
export interface Prices {
  /** ISO 4217; null: amounts are shown as plain numbers. */
  readonly currency: string | null
  readonly byKind: Readonly<Partial<Record<LookupKind, Micros>>>
}

/** Cost limit of one job, over all kinds of lookups. */
export interface CostLimit {
  readonly prices: Prices
  readonly costMaxMicros: Micros
}

/** Cost of a run, by known prices. Amounts are in units of the currency. */
export interface Money {
  /** ISO 4217; null if prices have none. */
  readonly currency: string | null
  /** Billed in this run, for all kinds. A charge that a webhook reveals belongs to the run receiving it. */
  readonly cost: number
  /** Additional cost that may have been billed, for lost submissions. */
  readonly uncertainCost: number
  /** Whether `cost` is an upper bound: the service may bill some only once for all. Missing in earlier records. */
  readonly isBilledAtMost?: boolean
  /** Billed submissions (`count`) and the price of one (`unitPrice`) by kind of lookup, for kinds with a price. */
  readonly byKind: Readonly<Record<string, { readonly count: number; readonly unitPrice: number }>>
}

/** Submissions of one kind: by a run, or in a checkpoint. */
export interface KindSubmissions {
  readonly kind: LookupKind
  /** Submissions that the service accepted, or that were lost. */
  readonly submittedCount: number
  /** Accepted ones, and lost ones that proved to be accepted. The embedded service counts them, and bills nothing. */
  readonly billedCount: number
  /** Lost submissions, which may have been billed in addition. */
  readonly uncertainCount: number
}

/** The counts of a run's summary; records of earlier versions have no `submissions`. */
export interface SubmissionRecord {
  readonly submissions?: readonly KindSubmissions[]
  readonly billedCount: number
  readonly lostCount?: number
  readonly stages: readonly { readonly kind: LookupKind; readonly askedCount: number }[]
}

export function listSubmissions(summary: SubmissionRecord): readonly KindSubmissions[] {
  const { submissions, billedCount, lostCount = 0, stages } = summary
  return (
    submissions ?? [
      {
        kind: 'resolution',
        submittedCount: billedCount + lostCount,
        billedCount,
        uncertainCount: lostCount,
      },
      ...stages.map(({ kind, askedCount }) => ({
        kind,
        submittedCount: askedCount,
        billedCount: askedCount,
        uncertainCount: 0,
      })),
    ]
  )
}

export interface BilledCount {
  readonly count: number
  /** Fewer may be billed: the service bills a domain, or a record, only at its first request by anyone. */
  readonly isMost: boolean
}

/** Counts the billed submissions of kinds that cost something: lookups, domains, and kinds in `priced`. */
export function countBilled(
  submissions: readonly Omit<KindSubmissions, 'submittedCount'>[],
  priced: Readonly<Record<string, unknown>> = {},
): BilledCount & Pick<KindSubmissions, 'uncertainCount'> {
  const billed = submissions.filter(
    ({ kind }) => firstKinds.some((one) => one === kind) || Object.hasOwn(priced, kind),
  )
  return {
    count: billed.reduce((sum, { billedCount }) => sum + billedCount, 0),
    uncertainCount: billed.reduce((sum, { uncertainCount }) => sum + uncertainCount, 0),
    isMost: billed.some(({ kind, billedCount }) => kind !== 'resolution' && billedCount > 0),
  }
}

/** Formats `24`, or `at most 24`. */
export const formatBilledCount = ({ count, isMost }: BilledCount): string =>
  `${isMost ? 'at most ' : ''}${formatCount(count)}`

export const sumSubmitted = (submissions: readonly Pick<KindSubmissions, 'submittedCount'>[]): number =>
  submissions.reduce((sum, { submittedCount }) => sum + submittedCount, 0)

/** Parses an amount; null with a sign, exponent, separators or over six decimals, or above `unitsMax`. */
export function parseAmountMicros(text: string, unitsMax: number): Micros | null {
  const [, units, decimals = ''] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? []
  if (units === undefined) return null
  const micros = Number(units) * microsPerUnit + Number(decimals.padEnd(decimalsMax, '0'))
  return micros > unitsMax * microsPerUnit ? null : micros
}

/** Converts an amount of money from a JSON number to millionths of the currency unit; `null` if it is not valid. */
export function parseNumberMicros(amount: number, unitsMax: number): Micros | null {
  return parseAmountMicros(String(amount), unitsMax)
}

/** Returns the exact cost of `count` lookups. */
export const calculateCostMicros = (count: number, price: Micros): bigint => BigInt(count) * BigInt(price)

type CountAtPrice = readonly [count: number, price: Micros]

/** Returns the cost of the first `count` lookups of a list. */
export function calculateFirst(count: number, [first, ...others]: readonly CountAtPrice[]): bigint {
  if (first === undefined) return 0n
  const taken = Math.min(count, first[0])
  return calculateCostMicros(taken, first[1]) + calculateFirst(count - taken, others)
}

/** Converts an amount that was calculated in millionths. */
export const toMicros = (units: number): Micros => Math.round(units * microsPerUnit)

/** Returns units of the currency, rounded once. */
export const toUnits = (micros: bigint | Micros): number => Number(micros) / microsPerUnit

/** Returns the cost of a run so far. */
export function calculateMoney(
  { currency, byKind }: Prices,
  kinds: readonly Omit<KindSubmissions, 'submittedCount'>[],
): Money {
  let [cost, uncertainCost] = [0n, 0n]
  const priced: Record<string, { count: number; unitPrice: number }> = {}
  for (const { kind, billedCount, uncertainCount } of kinds) {
    const price = byKind[kind]
    if (price === undefined) continue
    cost += calculateCostMicros(billedCount, price)
    uncertainCost += calculateCostMicros(uncertainCount, price)
    priced[kind] = { count: billedCount, unitPrice: toUnits(price) }
  }
  return {
    currency,
    cost: toUnits(cost),
    uncertainCost: toUnits(uncertainCost),
    isBilledAtMost: isUpperBound(priced),
    byKind: priced,
  }
}

/** Formats `EUR 1,204.50` with the decimals of the currency, or more for very small amounts. */
export function formatAmount(units: number, currency: string | null): string {
  const format = createFormat(currency)
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2
  return units > 0 && units < 10 ** -decimals
    ? formatPrice(units, currency)
    : replaceHardSpaces(format.format(units))
}

/** Formats a price with all its decimals: `EUR 0.0125`. */
export function formatPrice(units: number, currency: string | null): string {
  return replaceHardSpaces(createFormat(currency, { maximumFractionDigits: decimalsMax }).format(units))
}

const createFormat = (currency: string | null, more: Intl.NumberFormatOptions = {}): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', {
    ...(currency === null
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { style: 'currency', currency, currencyDisplay: 'code' }),
    ...more,
  })

/** Replaces the non-breaking space between code and amount. */
const replaceHardSpaces = (text: string): string => text.replace(/\u00a0/g, ' ')

/** Formats `EUR 12.50`; `at most EUR 12.50` if some of it may not have been billed. */
export function formatCost({ currency, cost, byKind }: Pick<Money, 'currency' | 'cost' | 'byKind'>): string {
  return `${isUpperBound(byKind) ? 'at most ' : ''}${formatAmount(cost, currency)}`
}

/** Whether fewer may be billed: the service may bill a domain, a record or a hierarchy only once for all. */
const isUpperBound = (byKind: Money['byKind']): boolean =>
  Object.entries(byKind).some(
    ([kind, { count, unitPrice }]) => kind !== 'resolution' && count * unitPrice > 0,
  )

/** Formats `EUR 12.50, and EUR 0.10 that may have been billed`. */
export function formatMoney(money: Money): string {
  const { currency, uncertainCost } = money
  const also = `, and ${formatAmount(uncertainCost, currency)} that may have been billed`
  return `${formatCost(money)}${uncertainCost === 0 ? '' : also}`
}
