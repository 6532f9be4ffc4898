import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { simulate, type WorldOptions } from './simulate.js'

/**
 * Seeds that once broke a promise, of the code or of the code with a fault put in on purpose. One that
 * fails in `npm run simulate` is added here, and stays.
 */
const keptSeeds = JSON.parse(
  readFileSync(new URL('../../fixtures/simulation/kept-seeds.json', import.meta.url), 'utf8'),
) as number[]

/** The same of worlds in which what follows from answers is asked too, and what goes wrong there besides. */
const keptStageSeeds = JSON.parse(
  readFileSync(new URL('../../fixtures/simulation/kept-stage-seeds.json', import.meta.url), 'utf8'),
) as (WorldOptions & { seed: number })[]

describe('nobody pays twice and no row is lost, whatever is killed, cut off or answered strangely', () => {
  test.each(keptSeeds)('in the world of kept seed %i', async (seed) => {
    await expect(simulate(seed)).resolves.toMatchObject({ seed })
  })

  test.each(keptStageSeeds)('with stages, in the world of kept seed $seed', async ({ seed, ...options }) => {
    await expect(simulate(seed, { ...options, stages: true })).resolves.toMatchObject({ seed })
  })

  test('in the worlds of the first twenty seeds', async () => {
    let crashes = 0
    for (let seed = 1; seed <= 20; seed++) crashes += (await simulate(seed)).crashes
    // Worlds in which nobody dies would prove nothing.
    expect(crashes).toBeGreaterThan(6)
  })

  test('where answers are sent to whom they do not belong: none is written there, and all get their own', async () => {
    let swapped = 0
    for (let seed = 1; seed <= 20; seed++) {
      swapped += (await simulate(seed, { mixedUp: true, webhooks: seed % 4 === 0 })).swapped
    }
    // Worlds in which nothing is swapped would prove nothing.
    expect(swapped).toBeGreaterThan(50)
  })

  test('one seed is one world: it comes out the same each time', async () => {
    for (const seed of [17, 19]) expect(await simulate(seed)).toEqual(await simulate(seed))
  })
})
