import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  calculateCostMicros,
  formatAmount,
  formatPrice,
  parseNumberMicros,
  calculateMoney,
  formatMoney,
  parseAmountMicros,
  toUnits,
} from '../../../src/core/money.js'
import { formatSpending, planSpending } from '../../../src/core/planned-spending.js'
import { forAll } from '../../support/properties.js'

describe('an amount', () => {
  test.each<[string, number | null]>([
    ['0', 0],
    ['0.05', 50_000],
    [' 12.5 ', 12_500_000],
    ['0.000001', 1],
    ['1000000', 1_000_000_000_000],
    ['1000000.000001', null],
    ['0.0000001', null],
    ['1e3', null],
    ['-1', null],
    ['+1', null],
    ['1,5', null],
    ['.5', null],
    ['5.', null],
    ['', null],
    ['Infinity', null],
    ['١', null],
  ])('%j is %s millionths', (text, micros) => {
    expect(parseAmountMicros(text, 1_000_000)).toBe(micros)
  })

  test('every number of at most six decimals is read without drift', () => {
    forAll(100, [fc.integer({ min: 0, max: 1_000_000_000_000 })], (micros) => {
      expect(parseNumberMicros(micros / 1_000_000, 1_000_000)).toBe(micros)
    })
  })

  test.each([Number.NaN, Infinity, -1, 1e-7, 1e21])('%s is none', (number) => {
    expect(parseNumberMicros(number, 1_000_000)).toBeNull()
  })
})

test('A plan and the summary of its run write the same cost in the same words', () => {
  const anyCount = fc.integer({ min: 0, max: 5_000 })
  const anyPrice = fc.constantFrom(0, 1, 50_000, 7_500_000)
  forAll(200, [anyCount, anyCount, anyPrice, anyPrice], (byName, byDomain, resolution, domain) => {
    fc.pre(byName + byDomain > 0)
    const prices = { currency: 'EUR', byKind: { resolution, domain } }
    const spending = planSpending(
      { byName, byDomain, stages: [] },
      { prices, lookupsMax: null, cost: null, spent: null },
    )
    const toCounts = (billedCount: number) => ({ billedCount, uncertainCount: 0 })
    const money = calculateMoney(prices, [
      { kind: 'resolution', ...toCounts(byName) },
      { kind: 'domain', ...toCounts(byDomain) },
    ])
    expect(formatSpending(spending)).toMatch(new RegExp(`^${formatMoney(money).replace('.', '\\.')} for `))
  })
})

describe('sums', () => {
  test('a million lookups cost a million times the price, to the millionth', () => {
    forAll(100, [fc.nat(10_000_000), fc.integer({ min: 0, max: 1_000_000_000_000 })], (count, price) => {
      const whole = calculateCostMicros(count, price)
      expect(whole).toBe(BigInt(count) * BigInt(price))
      expect(calculateCostMicros(count + 1, price) - whole).toBe(BigInt(price))
    })
    // 0.1 + 0.2, as binary fractions are added, is none of this.
    expect(toUnits(calculateCostMicros(3, 100_000))).toBe(0.3)
    expect(toUnits(calculateCostMicros(1_000_001, 70_000))).toBe(70_000.07)
  })

  test('kinds without a price are left out, and what is uncertain is counted apart', () => {
    const prices = { currency: 'EUR', byKind: { resolution: 50_000, domain: 10_000 } }
    const kinds = [
      { kind: 'resolution', billedCount: 7, uncertainCount: 2 },
      { kind: 'entity', billedCount: 100, uncertainCount: 100 },
      { kind: 'domain', billedCount: 3, uncertainCount: 0 },
    ] as const
    expect(calculateMoney(prices, kinds)).toEqual({
      currency: 'EUR',
      cost: 0.38,
      uncertainCost: 0.1,
      isBilledAtMost: true,
      byKind: { resolution: { count: 7, unitPrice: 0.05 }, domain: { count: 3, unitPrice: 0.01 } },
    })
  })
})

describe('in words', () => {
  test.each<[number, string | null, string]>([
    [1_204.5, 'EUR', 'EUR 1,204.50'],
    [1_204.5, 'JPY', 'JPY 1,205'],
    [1.2345, 'KWD', 'KWD 1.235'],
    [0, 'USD', 'USD 0.00'],
    [0.004, 'USD', 'USD 0.004'],
    [0.000001, 'EUR', 'EUR 0.000001'],
    [0.5, 'JPY', 'JPY 0.5'],
    [12.5, null, '12.50'],
    [3, 'XYZ', 'XYZ 3.00'],
  ])('%d of %s is %s', (units, currency, text) => {
    expect(formatAmount(units, currency)).toBe(text)
  })

  test.each<[number, string | null, string]>([
    [7.5, 'JPY', 'JPY 7.5'],
    [0.0125, 'EUR', 'EUR 0.0125'],
    [12, 'EUR', 'EUR 12.00'],
    [0.05, null, '0.05'],
  ])('a price of %d of %s is shown whole: %s', (units, currency, text) => {
    expect(formatPrice(units, currency)).toBe(text)
  })

  test('what may have been billed is said beside what was', () => {
    const money = { currency: 'EUR', cost: 12.5, uncertainCost: 0, byKind: {} }
    expect(formatMoney(money)).toBe('EUR 12.50')
    expect(formatMoney({ ...money, uncertainCost: 0.1 })).toBe(
      'EUR 12.50, and EUR 0.10 that may have been billed',
    )
  })

  test.each(['domain', 'entity', 'hierarchy'])(
    'a cost with requests of kind %s is an upper bound',
    (kind) => {
      const byKind = { resolution: { count: 5, unitPrice: 1 }, [kind]: { count: 1, unitPrice: 0.5 } }
      expect(formatMoney({ currency: 'EUR', cost: 5.5, uncertainCost: 0, byKind })).toBe('at most EUR 5.50')
    },
  )
})

test.each([
  ['resolution', false],
  ['domain', true],
] as const)('Money tells whether its cost is an upper bound: %s', (kind, isBilledAtMost) => {
  const money = calculateMoney({ currency: 'EUR', byKind: { [kind]: 50_000 } }, [
    { kind, billedCount: 2, uncertainCount: 0 },
  ])
  expect(money).toMatchObject({ cost: 0.1, isBilledAtMost })
})

describe('a stop by a number of lookups', () => {
  const count = () => fc.nat(30)
  const price = () => fc.nat(100_000)

  test('tells the most that its lookups can cost, whatever the prices and the order of the rows', () => {
    forAll(
      200,
      [count(), count(), fc.nat(40), price(), price()],
      (byName, byDomain, lookupsMax, name, domain) => {
        const prices = { currency: 'EUR', byKind: { resolution: name, domain } }
        const { stop } = planSpending(
          { byName, byDomain, stages: [] },
          { prices, lookupsMax, cost: null, spent: null },
        )
        if (lookupsMax >= byName + byDomain) {
          expect(stop).toBeNull()
          return
        }
        const dearestFirst = [...Array<number>(byName).fill(name), ...Array<number>(byDomain).fill(domain)]
          .sort((one, other) => other - one)
          .slice(0, lookupsMax)
        const amount = toUnits(dearestFirst.reduce((sum, one) => sum + one, 0))
        expect(stop).toMatchObject({ lookupCount: lookupsMax, amount, isMost: byDomain > 0 && domain > 0 })
      },
    )
  })

  test('has no amount only if one is unknown, and is the only stop if it costs less than --max-cost', () => {
    const prices = { currency: 'EUR', byKind: { resolution: 50_000, domain: 20_000, hierarchy: 200_000 } }
    const plan = (atMost: number | null, costMaxMicros: number | null) =>
      formatSpending(
        planSpending(
          { byName: 2, byDomain: 3, stages: [{ kind: 'hierarchy', certain: 0, atMost }] },
          {
            prices,
            lookupsMax: 2,
            cost: costMaxMicros === null ? null : { prices, costMaxMicros },
            spent: null,
          },
        ),
      ).split('; ')[1]
    expect([plan(0, null), plan(1, null), plan(null, null)]).toEqual([
      'this run stops after 2 (at most EUR 0.10)',
      'this run stops after 2 (at most EUR 0.30)',
      'this run stops after 2',
    ])
    expect([plan(0, 100_000), plan(0, 90_000)]).toEqual([
      'this run stops after 2 (at most EUR 0.10)',
      'this run stops after 2 lookups of rows, or before it costs more than EUR 0.09',
    ])
  })
})
