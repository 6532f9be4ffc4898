import * as z from 'zod'
import {
  formatAmount,
  parseNumberMicros,
  parseAmountMicros,
  toUnits,
  type CostLimit,
  type Micros,
  type Prices,
} from '../core/money.js'
import { option, type Parsed, type FilledOf } from './option.js'
import { UserError } from '../core/errors.js'
import { formatCount } from '../core/text.js'

/** Upper bounds of a price and of a budget. */
const moneyLimits = { priceUnitsMax: 1_000_000, costUnitsMax: 1_000_000_000 } as const

const amount = (unitsMax: number) =>
  z.number().refine((value) => parseNumberMicros(value, unitsMax) !== null, {
    error: 'an amount of at most six decimals, like 0.05',
  })
const price = () => amount(moneyLimits.priceUnitsMax)

const stagePrice = (of: string, unset: string, example: number) =>
  option({ schema: () => price().describe(`The price of ${of}.`), unset, example })

/** The service may bill a stage whose price is unknown to `enrich`. */
const notCounted = 'none; not counted in the cost'

/** Prices, used to show and limit costs. The embedded service bills nothing. */
export const billing = {
  unitPrice: option({
    schema: () => price().describe('The price of a lookup, which is a submission that the service accepts.'),
    manual:
      'At most six decimals. Without a price, no costs are shown. See [Prices](docs/manual/money-and-limits.md#prices).',
    example: 0.05,
  }),
  currency: option({
    schema: () =>
      z
        .string()
        .regex(/^[A-Z]{3}$/, { error: 'a code of ISO 4217: three capital letters, like EUR' })
        .describe('The ISO 4217 code of the currency of all prices.'),
    unset: 'none; amounts are plain numbers',
    example: 'EUR',
  }),
  stagePrices: {
    entity: stagePrice('the first read of a record', notCounted, 0),
    hierarchy: stagePrice('a request for the ownership of a company', notCounted, 0.2),
    domain: stagePrice('a request about a domain', '`billing.unitPrice`', 0.05),
  },
}

/** `--max-cost`. */
export const costMax = option({
  schema: () =>
    amount(moneyLimits.costUnitsMax).describe('Stop before the total cost can exceed this amount.'),
  flag: {
    names: '--max-cost <amount>',
    group: 'asking',
    help: 'stop before the cost of the job can exceed this; once it is used up, the next run has a new budget',
    parse: parseAmount,
  },
  manual:
    'Requires `billing.unitPrice`. The amount is in `billing.currency`. Includes all stages. The budget belongs to the job, as with ' +
    '`--max-lookups`. See [Budgets](docs/manual/money-and-limits.md#budgets).',
  example: 25,
})

function parseAmount(text: string): Parsed<number> {
  return parseAmountMicros(text, moneyLimits.costUnitsMax) === null
    ? {
        fault: `It must be an amount from 0 to ${formatCount(moneyLimits.costUnitsMax)} of at most six decimals, like 0.5.`,
      }
    : { value: Number(text.trim()) }
}

/** Returns `null` without a price of a lookup. A domain request costs as much, unless its price is configured. */
export function resolvePrices({ unitPrice, currency, stagePrices }: FilledOf<typeof billing>): Prices | null {
  if (unitPrice === undefined) return null
  const { entity, hierarchy, domain = unitPrice } = stagePrices
  const stated = { resolution: unitPrice, entity, hierarchy, domain }
  const byKind = Object.entries(stated).flatMap(([kind, price]) =>
    price === undefined ? [] : [[kind, convertToMicros(price, moneyLimits.priceUnitsMax)] as const],
  )
  return { currency: currency ?? null, byKind: Object.fromEntries(byKind) }
}

/** Returns `null` without a limit. */
export function resolveCostLimit(costMax: number | undefined, prices: Prices | null): CostLimit | null {
  if (costMax === undefined || prices === null) return null
  return { prices, costMaxMicros: convertToMicros(costMax, moneyLimits.costUnitsMax) }
}

/** Converts an amount that the schema has validated. */
function convertToMicros(amount: number, unitsMax: number): Micros {
  const micros = parseNumberMicros(amount, unitsMax)
  if (micros === null) throw new Error(`${amount} is not an amount`)
  return micros
}

/** Creates the error for a setting or command (`what`) that needs a price. */
export function createPriceMissing(what: string): UserError {
  return new UserError('BILLING_PRICE_MISSING', `${what} needs the price of a lookup`, {
    hint: 'set billing.unitPrice in the config, like {"billing":{"unitPrice":0.05,"currency":"EUR"}}',
  })
}

/** Amounts of lookups and of money; `null`: unlimited. */
export interface Allowance {
  readonly lookups: number | null
  readonly costMicros: Micros | null
}

/** Limits what the runs of a server spend together: a run reserves its whole budget before it starts. */
export class SpendingCap {
  #left: Allowance

  constructor(max: Allowance) {
    this.#left = max
  }

  /** The amounts that the next run may reserve. */
  get left(): Allowance {
    const clamp = (amount: number | null) => (amount === null ? null : Math.max(0, amount))
    return { lookups: clamp(this.#left.lookups), costMicros: clamp(this.#left.costMicros) }
  }

  /** Reserves amounts; `null` reserves all that is left. Throws RUN_BUDGET_EXCEEDED. */
  reserve(asked: Allowance, currency: string | null): Allowance {
    const { lookups, costMicros } = this.left
    const granted = { lookups: asked.lookups ?? lookups, costMicros: asked.costMicros ?? costMicros }
    if (lookups !== null && (granted.lookups ?? 0) > lookups) throw createExceededError(`${lookups} lookups`)
    if (costMicros !== null && (granted.costMicros ?? 0) > costMicros)
      throw createExceededError(formatAmount(toUnits(costMicros), currency))
    this.#change(granted, -1)
    return granted
  }

  /** Replaces a reservation by what was billed or may have been. Without a call, all of it counts as spent. */
  settle(granted: Allowance, spent: Allowance): void {
    this.#change(granted, 1)
    this.#change(spent, -1)
  }

  #change(by: Allowance, sign: 1 | -1): void {
    const { lookups, costMicros } = this.#left
    this.#left = {
      lookups: lookups === null ? null : lookups + sign * (by.lookups ?? 0),
      costMicros: costMicros === null ? null : costMicros + sign * (by.costMicros ?? 0),
    }
  }
}

const createExceededError = (left: string): UserError =>
  new UserError(
    'RUN_BUDGET_EXCEEDED',
    `the budget exceeds what runs of this server may still spend: ${left}`,
    {
      hint: 'pass a smaller budget; the user sets the limit of all runs when the server starts',
    },
  )
