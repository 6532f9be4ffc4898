import { UserError } from '../core/errors.js'
import { microsOfNumber, type CostLimit, type Micros, type Prices } from '../pipeline/rules/money.js'
import type { FilledOf } from './option.js'
import { moneyLimits, type billing } from './options-of-money.js'

/** Null without a price of a lookup. A request about a domain is billed like one, unless it has a price of its own. */
export function pricesOf({ unitPrice, currency, stagePrices }: FilledOf<typeof billing>): Prices | null {
  if (unitPrice === undefined) return null
  const { entity, hierarchy, domain = unitPrice } = stagePrices
  const stated = { resolution: unitPrice, entity, hierarchy, domain }
  const byKind = Object.entries(stated).flatMap(([kind, price]) =>
    price === undefined ? [] : [[kind, microsOf(price, moneyLimits.priceUnitsMax)] as const],
  )
  return { currency: currency ?? null, byKind: Object.fromEntries(byKind) }
}

/** Null without a bound. */
export function costLimitOf(costMax: number | undefined, prices: Prices | null): CostLimit | null {
  if (costMax === undefined || prices === null) return null
  return { prices, costMaxMicros: microsOf(costMax, moneyLimits.costUnitsMax) }
}

/** The schema has judged it. */
function microsOf(amount: number, unitsMax: number): Micros {
  const micros = microsOfNumber(amount, unitsMax)
  if (micros === null) throw new Error(`${amount} is no amount`)
  return micros
}

/** `what` cannot be judged without a price. */
export function priceMissing(what: string): UserError {
  return new UserError('BILLING_PRICE_MISSING', `${what} needs the price of a lookup`, {
    hint: 'set billing.unitPrice in the config, like {"billing":{"unitPrice":0.05,"currency":"EUR"}}',
  })
}
