import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Chance } from '../simulation/chance.js'
import { enrich, makeStates, startMeteredService, type MeteredService, type State } from './states.js'
import { namesOf, oneTrial } from './trial.js'
import { makeFolder } from '../support/temporary-folder.js'

/** Injuries of every kind, and seeds that broke a promise once; `npm run damage` tries thousands. */
const seeds = [...Array.from({ length: 12 }, (_, index) => index + 1), 325, 407]
/** The rest of a second is the start of a process: a few at a time. */
const atOnce = 2

const base = makeFolder()
const lanes: { service: MeteredService; jobs: State[][]; folder: string }[] = []
beforeAll(async () => {
  for (let index = 0; index < atOnce; index++) {
    const folder = join(base, `lane-${index}`)
    mkdirSync(join(folder, 'job'), { recursive: true })
    const service = await startMeteredService()
    const states = await makeStates(join(folder, 'job'), service, namesOf(24), 2, new Chance(5))
    lanes.push({ service, jobs: [states], folder })
  }
}, 120_000)
afterAll(async () => {
  await Promise.all(lanes.map(({ service }) => service.close()))
})

test('whatever becomes of its files, nothing is billed twice untold, no wrong answer is written, and no command breaks', async () => {
  const left = seeds.values()
  const tried = await Promise.all(
    lanes.map(async ({ service, jobs, folder }) => {
      const outcomes: string[] = []
      for (const seed of left) outcomes.push((await oneTrial(seed, jobs, service, folder, enrich)).outcome)
      return outcomes
    }),
  )
  expect(tried.flat()).toHaveLength(seeds.length)
  // Trials that none of the injuries touches would prove nothing.
  expect(tried.flat().filter((outcome) => outcome === 'finished in the end').length).toBeGreaterThan(5)
}, 300_000)
