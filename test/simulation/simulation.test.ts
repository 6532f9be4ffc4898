import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Transport } from '../../src/client/transport.js'
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

/** With the time of each request: shows where two worlds of one seed part. */
async function recordWorld(seed: number) {
  const requests: string[] = []
  const sabotage = (transport: Transport): Transport => ({
    exchange: (request) => {
      requests.push(`${Date.now()} ${request.method} ${request.path}`)
      return transport.exchange(request)
    },
    close: () => transport.close(),
  })
  return { requests, ...(await simulate(seed, { sabotage })) }
}

describe('no lookup is paid twice and no row is lost, whatever is killed, cut off or answered strangely', () => {
  test.each(keptSeeds)('in the world of kept seed %i', async (seed) => {
    await expect(simulate(seed)).resolves.toMatchObject({ seed })
  })

  test.each(keptStageSeeds)('with stages, in the world of kept seed $seed', async ({ seed, ...options }) => {
    await expect(simulate(seed, { ...options, stages: true })).resolves.toMatchObject({ seed })
  })

  test('in the worlds of the first ten seeds', async () => {
    let crashes = 0
    for (let seed = 1; seed <= 10; seed++) crashes += (await simulate(seed)).crashes
    // Worlds in which nobody dies would prove nothing.
    expect(crashes).toBeGreaterThan(3)
  })

  test('where answers are sent to whom they do not belong: none is written there, and all get their own', async () => {
    let swapped = 0
    for (let seed = 1; seed <= 9; seed++) {
      swapped += (await simulate(seed, { mixedUp: true, webhooks: seed % 4 === 0 })).swapped
    }
    // Worlds in which nothing is swapped would prove nothing.
    expect(swapped).toBeGreaterThan(25)
  })

  test('an own registry answers first: the service is asked for the rest and the sample, and each name keeps its side', async () => {
    let [crashes, settled, sampled, editions] = [0, 0, 0, 0]
    // In 18 and 37, the sample is given up. In 38, the registry is loaded while runs are in flight.
    const seeds = [1, 4, 7, 18, 37, 38]
    for (const seed of seeds) {
      const world = await simulate(seed, { first: true })
      crashes += world.crashes
      settled += world.settled
      sampled += world.sampled
      editions += world.editions
    }
    expect(crashes).toBeGreaterThan(3)
    expect(settled).toBeGreaterThan(18)
    expect(sampled).toBeGreaterThan(3)
    expect(editions).toBeGreaterThan(2 * seeds.length)
  })

  test('one seed is one world: it comes out the same each time', async () => {
    for (const seed of [17, 19]) expect(await recordWorld(seed)).toEqual(await recordWorld(seed))
  })
})
