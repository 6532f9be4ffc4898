import { describe, expect, test } from 'vitest'
import type { LookupKind } from '../../../src/core/lookup-state.js'
import { CostBudget, JobBudget, Reservations } from '../../../src/pipeline/scheduler/budgets.js'

const prices = { currency: 'EUR', byKind: { resolution: 50_000, domain: 20_000, entity: 0 } }

function budgetOf(costMaxMicros: number, spent: [LookupKind, number][] = []) {
  const budget = new CostBudget({ prices, costMaxMicros }, new Map(spent))
  const [resolution, domain] = [budget.of('resolution'), budget.of('domain')]
  if (resolution === null || domain === null) throw new Error('both have a price')
  return { budget, resolution, domain }
}

describe('what all kinds of a job may cost', () => {
  test('is one sum: what one kind takes is not there for another, and a cheaper one may still take', () => {
    const { resolution, domain } = budgetOf(120_000)
    expect([resolution.take(), resolution.take(), resolution.take()]).toEqual([true, true, false])
    expect([domain.take(), domain.take()]).toEqual([true, false])
  })

  test('what earlier processes spent is taken already, by today’s prices', () => {
    const { resolution } = budgetOf(200_000, [
      ['resolution', 1],
      ['domain', 5],
    ])
    expect([resolution.take(), resolution.take()]).toEqual([true, false])
    expect(budgetOf(50_000, [['resolution', 100]]).domain.take()).toBe(false)
  })

  test('what was not billed is there again', () => {
    const { resolution, domain } = budgetOf(50_000)
    expect([resolution.take(), domain.take()]).toEqual([true, false])
    resolution.giveBack()
    expect([domain.take(), domain.take(), domain.take()]).toEqual([true, true, false])
  })

  test('what a poll disproves is given back once, and never what another process took', () => {
    const { domain, resolution } = budgetOf(20_000)
    expect(domain.take()).toBe(true)
    domain.onNotCreated('of an earlier process')
    expect(domain.take()).toBe(false)
    domain.markUncertain('a')
    domain.onNotCreated('a')
    domain.onNotCreated('a')
    expect([domain.take(), domain.take(), resolution.take()]).toEqual([true, false, false])
  })

  test('a kind that costs nothing has no bound in it', () => {
    const { budget } = budgetOf(0)
    expect([budget.of('entity'), budget.of('hierarchy')]).toEqual([null, null])
  })

  test('a budget below one price takes none, says which, and leaves what rows may ask as it was', () => {
    const { resolution } = budgetOf(49_999)
    const jobBudget = new JobBudget(1, 0)
    const reservations = new Reservations({ lookupsMax: null, jobBudget, budget: resolution })
    reservations.begin(0)
    expect(reservations.take(ofRow)).toEqual({ kind: 'cost_max', costMax: 0.049999, currency: 'EUR' })
    expect(jobBudget.take()).toBe(true)
  })

  test('lookups are bounded too: the limit that is reached first stops', () => {
    const { resolution } = budgetOf(200_000)
    const jobBudget = new JobBudget(null, 0)
    const reservations = new Reservations({ lookupsMax: 3, jobBudget, budget: resolution })
    reservations.begin(1)
    expect([reservations.take(ofRow), reservations.take(ofRow)]).toEqual([null, null])
    expect(reservations.take(ofRow)).toEqual({ kind: 'lookups_max', lookupsMax: 3 })
    reservations.giveBack(ofRow)
    expect(reservations.take(ofRow)).toBeNull()
    // Two of four prices are left: a refused reservation took none.
    expect([resolution.take(), resolution.take(), resolution.take()]).toEqual([true, true, false])
  })

  test('where rows may ask nothing more, what follows from answers may, until it costs too much', () => {
    const { resolution } = budgetOf(100_000)
    const jobBudget = new JobBudget(1, 1)
    const reservations = new Reservations({ lookupsMax: null, jobBudget, budget: resolution })
    reservations.begin(0)
    expect(reservations.take(ofRow)).toBe('row_budget_exhausted')
    expect([reservations.take(ofAnswer), reservations.take(ofAnswer)]).toEqual([null, null])
    expect(reservations.take(ofAnswer)).toMatchObject({ kind: 'cost_max' })
    reservations.giveBack(ofAnswer)
    expect([jobBudget.take(), resolution.take()]).toEqual([false, true])
  })
})

const ofRow = { isOfRow: 1 } as const
const ofAnswer = { isOfRow: 0 } as const
