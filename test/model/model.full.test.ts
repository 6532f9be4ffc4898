import { describe, expect, test } from 'vitest'
import { checkAll } from './check.js'
import { plantedErrors } from './errors.js'
import { realRules } from './world.js'

describe('every interleaving of two processes on a shared checkpoint', () => {
  test.each([
    { list: 'three', faults: 1, budget: 3, statesMin: 50_000 },
    { list: 'three', faults: 0, budget: 2, statesMin: 300 },
    { list: 'one', faults: 2, budget: 3, statesMin: 50_000 },
  ] as const)('keeps the promises: %o', ({ statesMin, ...limits }) => {
    const { stateCount, depth, isWhole, broken } = checkAll(limits)
    process.stdout.write(`${stateCount} states, depth ${depth}: ${JSON.stringify(limits)}\n`)
    expect(broken).toBeNull()
    expect(isWhole).toBe(true)
    expect(stateCount).toBeGreaterThan(statesMin)
  })

  test.each(plantedErrors)('finds a planted error: $name', ({ rules, limits, breaks }) => {
    const { broken } = checkAll({ list: 'one', faults: 2, budget: 3, ...limits }, { ...realRules, ...rules })
    expect(broken?.promise).toMatch(breaks)
    process.stdout.write(`${broken?.promise}:\n${broken?.trace.map((line) => `  ${line}\n`).join('')}`)
  })
})
