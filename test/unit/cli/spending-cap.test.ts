import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpendingCap, type Allowance } from '../../../src/config/billing.js'
import { forAll } from '../../support/properties.js'

const amount = fc.integer({ min: 0, max: 40 })
const asked = fc.record({ lookups: fc.option(amount), costMicros: fc.option(amount) })
/** A run reserves, or one of the active runs ends with a share of its budget spent, or without known spending. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), asked }),
  fc.record({
    kind: fc.constant('end' as const),
    at: fc.nat(),
    share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  }),
)

describe('the limit of all runs', () => {
  test('holds for every order of runs that start, end and fail', () => {
    forAll(100, [amount, amount, fc.array(step, { maxLength: 40 })], (lookups, costMicros, steps) => {
      const cap = new SpendingCap({ lookups, costMicros })
      const active: Allowance[] = []
      const spent = { lookups: 0, costMicros: 0 }
      const spend = (granted: Allowance, share: number): Allowance => {
        const own = {
          lookups: Math.floor((granted.lookups ?? 0) * share),
          costMicros: Math.floor((granted.costMicros ?? 0) * share),
        }
        spent.lookups += own.lookups
        spent.costMicros += own.costMicros
        return own
      }
      for (const one of steps) {
        if (one.kind === 'reserve') {
          try {
            active.push(cap.reserve(one.asked, null))
          } catch (error) {
            expect(error).toMatchObject({ code: 'RUN_BUDGET_EXCEEDED' })
          }
          continue
        }
        const [granted] = active.splice(one.at % Math.max(1, active.length), 1)
        if (granted === undefined) continue
        const own = spend(granted, one.share ?? 1)
        if (one.share !== null) cap.settle(granted, own)
      }
      // The worst: every active run spends its whole budget.
      for (const granted of active) spend(granted, 1)
      expect(spent.lookups).toBeLessThanOrEqual(lookups)
      expect(spent.costMicros).toBeLessThanOrEqual(costMicros)
      expect(cap.left.lookups).toBeLessThanOrEqual(lookups - spent.lookups)
    })
  })

  test('without a limit nothing is refused, and a limit of one kind does not limit the other', () => {
    const cap = new SpendingCap({ lookups: null, costMicros: 5 })
    expect(cap.reserve({ lookups: 1_000, costMicros: 2 }, null)).toEqual({ lookups: 1_000, costMicros: 2 })
    expect(cap.left).toEqual({ lookups: null, costMicros: 3 })
    expect(cap.reserve({ lookups: null, costMicros: null }, null)).toEqual({ lookups: null, costMicros: 3 })
    expect(() => cap.reserve({ lookups: null, costMicros: 1 }, 'EUR')).toThrow('EUR 0.00')
  })

  test('a run that needed less gives the rest back', () => {
    const cap = new SpendingCap({ lookups: 10, costMicros: null })
    const granted = cap.reserve({ lookups: 8, costMicros: null }, null)
    expect(() => cap.reserve({ lookups: 3, costMicros: null }, null)).toThrow('2 lookups')
    cap.settle(granted, { lookups: 3, costMicros: 0 })
    expect(cap.left.lookups).toBe(7)
  })
})
