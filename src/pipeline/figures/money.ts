import type { LookupKind } from '../lookups/lookup-kind.js'

/** Millionths of a unit of a currency, whole: sums of prices lose nothing, whatever their number. */
export type Micros = number

const microsPerUnit = 1_000_000
const decimalsMax = 6

/** What lookups cost; kinds without a price are free as far as anybody knows. */
export interface Prices {
  /** ISO 4217; null: amounts are shown as plain numbers. */
  readonly currency: string | null
  readonly byKind: Readonly<Partial<Record<LookupKind, Micros>>>
}

/** What all kinds of lookups of one job may cost together. */
export interface CostLimit {
  readonly prices: Prices
  readonly costMaxMicros: Micros
}

/** What a run cost, as far as its prices are known. Amounts are in units of the currency. */
export interface Money {
  /** ISO 4217; null where prices have none. */
  readonly currency: string | null
  /**
   * Billed by this run, all kinds of lookups together. What a webhook proves to have been billed is counted by the run
   * that learns of it.
   */
  readonly cost: number
  /** Besides, what may have been billed: submissions whose answer was lost. */
  readonly uncertainCost: number
  /** By kind of lookup; those without a price are left out. */
  readonly byKind: Readonly<Record<string, { readonly count: number; readonly unitPrice: number }>>
}

/** Submissions of one kind. */
export interface BilledCounts {
  readonly kind: LookupKind
  readonly billedCount: number
  /** Those whose answer was lost: they may have been billed. */
  readonly uncertainCount: number
}

/** Null where it is no amount of at most six decimals, or one above `unitsMax`. No sign, no exponent, no grouping. */
export function parseAmountMicros(text: string, unitsMax: number): Micros | null {
  const [, units, decimals = ''] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? []
  if (units === undefined) return null
  const micros = Number(units) * microsPerUnit + Number(decimals.padEnd(decimalsMax, '0'))
  return micros > unitsMax * microsPerUnit ? null : micros
}

/** As `parseAmountMicros`, of a number as JSON has it. */
export function microsOfNumber(amount: number, unitsMax: number): Micros | null {
  return parseAmountMicros(String(amount), unitsMax)
}

/** What so many lookups cost; exact. */
export const costMicros = (count: number, price: Micros): bigint => BigInt(count) * BigInt(price)

/** Of an amount that was counted in millionths once. */
export const microsOfUnits = (units: number): Micros => Math.round(units * microsPerUnit)

/** In units of the currency, rounded once. */
export const unitsOf = (micros: bigint | Micros): number => Number(micros) / microsPerUnit

/** What a run cost, or has cost so far. */
export function moneyOf({ currency, byKind }: Prices, kinds: readonly BilledCounts[]): Money {
  let [cost, uncertainCost] = [0n, 0n]
  const priced: Record<string, { count: number; unitPrice: number }> = {}
  for (const { kind, billedCount, uncertainCount } of kinds) {
    const price = byKind[kind]
    if (price === undefined) continue
    cost += costMicros(billedCount, price)
    uncertainCost += costMicros(uncertainCount, price)
    priced[kind] = { count: billedCount, unitPrice: unitsOf(price) }
  }
  return { currency, cost: unitsOf(cost), uncertainCost: unitsOf(uncertainCost), byKind: priced }
}

/** `EUR 1,204.50`, with as many decimals as the currency has; with more where these would show nothing of it. */
export function formatAmount(units: number, currency: string | null): string {
  const format = formatOf(currency)
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2
  return units > 0 && units < 10 ** -decimals ? formatPrice(units, currency) : spaced(format.format(units))
}

/** The same of a price, which is shown whole: `EUR 0.0125`. */
export function formatPrice(units: number, currency: string | null): string {
  return spaced(formatOf(currency, { maximumFractionDigits: decimalsMax }).format(units))
}

const formatOf = (currency: string | null, more: Intl.NumberFormatOptions = {}): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', {
    ...(currency === null
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { style: 'currency', currency, currencyDisplay: 'code' }),
    ...more,
  })

/** What separates a code from its amount is a space that does not break. */
const spaced = (text: string): string => text.replace(/\u00a0/g, ' ')

/** `EUR 12.50, and EUR 0.10 that may have been billed` */
export function moneyText({
  currency,
  cost,
  uncertainCost,
}: Pick<Money, 'currency' | 'cost' | 'uncertainCost'>): string {
  const billed = formatAmount(cost, currency)
  return uncertainCost === 0
    ? billed
    : `${billed}, and ${formatAmount(uncertainCost, currency)} that may have been billed`
}
