import { formatCount, plural } from './text.js'
import type { LookupKind, StageKind } from './lookup-state.js'
import type { CostLimit, Prices } from './money.js'
import { calculateCostMicros, calculateFirst, formatAmount, toUnits } from './money.js'

/** Planned submissions of one kind, after the answers of others. */
interface StageDemand {
  readonly kind: StageKind
  /** Submissions that follow from known answers. */
  readonly certain: number
  /** Maximum, with those that may follow from future answers; `null` if unknown. */
  readonly atMost: number | null
}

/** All submissions of a run without a budget. */
export interface Demand {
  /** Lookups of rows, by name and by domain. */
  readonly byName: number
  readonly byDomain: number
  readonly stages: readonly StageDemand[]
}

export interface SpendingBounds {
  readonly prices: Prices | null
  readonly lookupsMax: number | null
  readonly cost: CostLimit | null
  /** Submissions by earlier processes of the same interrupted job. */
  readonly spent: { readonly byKind: ReadonlyMap<LookupKind, number>; readonly byRows: number } | null
}

/** Cost of a whole input, and the point at which the budget stops a run. Amounts are in units of the currency. */
export interface PlannedSpending {
  /** Lookups by name and by domain that this run would submit without a budget. */
  readonly lookupCount: number
  /** Whether fewer may be billed: the service bills a domain, or a record, only at its first request by anyone. */
  readonly isMost: boolean
  /** Lookups that follow from answers, by kind. */
  readonly stages: readonly StageDemand[]
  /** Stages that may send requests and have no price; the cost does not include them. */
  readonly unpriced: readonly StageKind[]
  /** `null` without a price. */
  readonly cost: {
    /** ISO 4217; `null` if the prices have none. */
    readonly currency: string | null
    /** Certain cost, without a budget. */
    readonly amount: number
    /** Maximum with lookups that may follow from future answers; `null` if unknown. */
    readonly amountMax: number | null
    /** Limit by --max-cost; `null` without it. */
    readonly costMax: number | null
  } | null
  /** The point at which the budget stops this run; `null` if it does not. */
  readonly stop: {
    /** Lookups of rows until the stop; `null` if only the cost, which stages share, stops the run. */
    readonly lookupCount: number | null
    /** Whether the cost of rows and stages together may stop the run first. */
    readonly isByCost: boolean
    /** Maximum cost of this run at its stop; `null` if unknown. */
    readonly amount: number | null
    /** Whether the cost at the stop may be less, since prices differ, or are billed at most once. */
    readonly isMost: boolean
    /** Lookups of rows that earlier processes of an interrupted run submitted with the same budget. */
    readonly spentCount: number
    /** Their cost, with that of the other kinds; `null` without a price. */
    readonly spentAmount: number | null
  } | null
}

export function planSpending(demand: Demand, bounds: SpendingBounds): PlannedSpending {
  const { byName, byDomain, stages } = demand
  const { prices, cost } = bounds
  const getPrice = (kind: LookupKind) => prices?.byKind[kind] ?? 0
  const ofNames = [byName, getPrice('resolution')] as const
  const ofDomains = [byDomain, getPrice('domain')] as const
  const rows = ofNames[1] > ofDomains[1] ? [ofNames, ofDomains] : [ofDomains, ofNames]
  const withStages = (micros: bigint, countOf: (stage: StageDemand) => number) =>
    stages.reduce((sum, stage) => sum + calculateCostMicros(countOf(stage), getPrice(stage.kind)), micros)
  const whole = withStages(calculateFirst(Infinity, rows), ({ certain }) => certain)
  const isOpen = stages.some(({ kind, atMost }) => atMost === null && getPrice(kind) > 0)
  const calculateMost = (rowCount: number) =>
    isOpen ? null : withStages(calculateFirst(rowCount, rows), ({ atMost }) => atMost ?? 0)
  const most = calculateMost(Infinity)
  return {
    lookupCount: byName + byDomain,
    isMost:
      (byDomain > 0 && (prices === null || getPrice('domain') > 0)) ||
      stages.some(({ kind, certain }) => certain > 0 && getPrice(kind) > 0),
    stages,
    unpriced: stages.flatMap(({ kind, atMost }) =>
      atMost === 0 || kind === 'domain' || prices?.byKind[kind] !== undefined ? [] : [kind],
    ),
    cost:
      prices === null
        ? null
        : {
            currency: prices.currency,
            amount: toUnits(whole),
            amountMax: most === null ? null : toUnits(most),
            costMax: cost === null ? null : toUnits(cost.costMaxMicros),
          },
    stop: findStop(demand, bounds, calculateMost),
  }
}

/** `calculateMost`: the maximum cost of these rows with all stages; `null` if unknown. */
function findStop(
  { byName, byDomain, stages }: Demand,
  { prices, lookupsMax, cost, spent }: SpendingBounds,
  calculateMost: (rowCount: number) => bigint | null,
): PlannedSpending['stop'] {
  const getPrice = (kind: LookupKind) => BigInt(prices?.byKind[kind] ?? 0)
  const lookupCount = byName + byDomain
  const spentCount = spent?.byRows ?? 0
  const allowed = Math.min(lookupCount, Math.max(0, (lookupsMax ?? Infinity) - spentCount))
  let spentMicros = 0n
  for (const [kind, count] of spent?.byKind ?? []) spentMicros += BigInt(count) * getPrice(kind)
  // Rows looked up by domain may have another price, and are not submitted in order of price.
  const [namePrice, domainPrice] = [getPrice('resolution'), getPrice('domain')]
  const price = byDomain === 0 || namePrice === domainPrice ? namePrice : byName === 0 ? domainPrice : null
  const isShared = stages.some(({ kind, atMost }) => atMost !== 0 && getPrice(kind) > 0n)
  const isMost = isShared || (byDomain > 0 && domainPrice > 0n)
  const common = { isByCost: false, isMost, spentCount, spentAmount: prices && toUnits(spentMicros) }
  const most = calculateMost(allowed)
  if (cost !== null) {
    const left = BigInt(cost.costMaxMicros) - spentMicros
    const leftMicros = left > 0n ? left : 0n
    if (isShared || price === null) {
      const count = allowed === lookupCount ? null : allowed
      if (most === null || most > leftMicros)
        return { ...common, lookupCount: count, isByCost: true, amount: toUnits(leftMicros) }
    } else if (price > 0n && leftMicros / price < BigInt(allowed)) {
      const count = leftMicros / price
      return { ...common, lookupCount: Number(count), amount: toUnits(count * price) }
    }
  }
  if (allowed === lookupCount) return null
  return { ...common, lookupCount: allowed, amount: prices === null || most === null ? null : toUnits(most) }
}

/** Formats `EUR 15.00 for 300 lookups; this run stops after 100 (EUR 5.00)`. */
export function formatSpending(spending: PlannedSpending): string {
  const { lookupCount, isMost, stages, unpriced, cost, stop } = spending
  const billed = stages.filter(({ kind, atMost }) => kind === 'domain' && atMost !== 0)
  const lookups = lookupCount === 0 ? [] : [plural(lookupCount, 'lookup')]
  const domains = billed.map(({ atMost }) =>
    atMost === null ? 'the domains that follow from answers' : `at most ${plural(atMost, 'domain')}`,
  )
  const nouns = [...lookups, ...domains].join(' and ')
  const uncounted = describeUnpriced(unpriced)
  if (nouns === '' && (cost === null || cost.amountMax === 0))
    return uncounted === '' ? 'nothing: there is nothing to submit' : `unknown: ${uncounted}`
  const whole =
    cost === null
      ? nouns
      : describeAmount(
          cost,
          isMost,
          lookupCount === 0 ? 'the lookups that follow from answers' : lookups.join(''),
        )
  const once = isMost ? ', each billed at most once' : ', each billed once'
  const ending = stop === null ? once : `; ${describeStop(stop, cost)}`
  return `${whole}${ending}${uncounted === '' ? '' : `; ${uncounted}`}`
}

/** Formats `entity and hierarchy have no price and are not counted`; empty without such stages. */
function describeUnpriced(kinds: readonly StageKind[]): string {
  const verbs = kinds.length === 1 ? ['has', 'is'] : ['have', 'are']
  return kinds.length === 0 ? '' : `${kinds.join(' and ')} ${verbs[0]} no price and ${verbs[1]} not counted`
}

function describeAmount(
  { currency, amount, amountMax }: NonNullable<PlannedSpending['cost']>,
  isMost: boolean,
  lookups: string,
): string {
  const least = `${isMost ? 'at most ' : ''}${formatAmount(amount, currency)} for ${lookups}`
  if (amountMax === null) return `${least}, plus the lookups that follow from the answers`
  return amountMax === amount
    ? least
    : `${least}, at most ${formatAmount(amountMax, currency)} with the lookups that follow from the answers`
}

function describeStop(
  { lookupCount, isByCost, amount, isMost, spentCount, spentAmount }: NonNullable<PlannedSpending['stop']>,
  cost: PlannedSpending['cost'],
): string {
  const formatUnits = (units: number) => formatAmount(units, cost?.currency ?? null)
  const spent =
    spentCount === 0 && (spentAmount ?? 0) === 0
      ? ''
      : `, since an interrupted run spent ${spentAmount === null ? plural(spentCount, 'lookup') : formatUnits(spentAmount)} of the same budget`
  const limit = `before it costs more than ${formatUnits(amount ?? 0)}`
  if (lookupCount === null) return `this run stops ${limit}${spent}`
  if (isByCost) return `this run stops after ${plural(lookupCount, 'lookup')} of rows, or ${limit}${spent}`
  const price = amount === null ? '' : ` (${isMost ? 'at most ' : ''}${formatUnits(amount)})`
  return `this run stops after ${formatCount(lookupCount)}${price}${spent}`
}
