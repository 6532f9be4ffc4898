import * as z from 'zod'
import {
  microsOfNumber,
  parseAmountMicros,
  type CostLimit,
  type Micros,
  type Prices,
} from '../pipeline/figures/money.js'
import { option, type Parsed, type FilledOf } from './option.js'
import { UserError } from '../core/errors.js'

/** Far beyond what anybody pays for a lookup, and for a job. */
const moneyLimits = { priceUnitsMax: 1_000_000, costUnitsMax: 1_000_000_000 } as const

const amount = (unitsMax: number) =>
  z.number().refine((value) => microsOfNumber(value, unitsMax) !== null, {
    error: 'an amount of at most six decimals, like 0.05',
  })
const price = () => amount(moneyLimits.priceUnitsMax)

const stagePrice = (of: string, unset: string, example: number) =>
  option({ schema: () => price().describe(`What ${of} costs.`), unset, example })

/** What a lookup costs, so that amounts can be shown and bounded. The embedded service is free, whatever stands here. */
export const billing = {
  unitPrice: option({
    schema: () => price().describe('What a lookup costs: a submission that the service accepts.'),
    manual: 'At most six decimals. Without it, no amounts are shown. See [Money](nightly-jobs.md#money).',
    example: 0.05,
  }),
  currency: option({
    schema: () =>
      z
        .string()
        .regex(/^[A-Z]{3}$/, { error: 'a code of ISO 4217: three capital letters, like EUR' })
        .describe('The currency of all prices, by its code of ISO 4217.'),
    unset: 'amounts are plain numbers',
    example: 'EUR',
  }),
  stagePrices: {
    entity: stagePrice('the first read of a record', 'free', 0),
    hierarchy: stagePrice('a request for the owners of a company', 'free', 0.2),
    domain: stagePrice('a request about a domain', 'as a lookup', 0.05),
  },
}

/** `--max-cost`. */
export const costMax = option({
  schema: () =>
    amount(moneyLimits.costUnitsMax).describe('Submit nothing that could cost more than this, all together.'),
  flag: {
    names: '--max-cost <amount>',
    group: 'asking',
    help: 'stop before all lookups together could cost more; the same command again has a new budget',
    parse: parseAmount,
  },
  manual:
    'In the unit of `billing.unitPrice`, which it needs. It counts as `--max-lookups` does, over all stages together. ' +
    'See [Budgets](nightly-jobs.md#budgets).',
  example: 25,
})

function parseAmount(text: string): Parsed<number> {
  return parseAmountMicros(text, moneyLimits.costUnitsMax) === null
    ? { fault: 'It must be an amount of at most six decimals, like 25 or 0.5.' }
    : { value: Number(text.trim()) }
}

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
