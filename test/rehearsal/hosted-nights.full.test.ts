import { expect, it, onTestFinished } from 'vitest'
import { createPlace } from '../support/cli.js'
import { startStrangeService } from '../support/strange-service.js'
import { Dice } from './dice.js'
import { HostedWorld } from './hosted.js'
import { expectedChanges, RowList } from './list-of-rows.js'
import { runNight, touchOutputs, writeList } from './nights.js'

const nightCount = 4
const seeds = (process.env['REHEARSAL_SEEDS'] ?? '1').split(',').map(Number)

/** Four nights of a hosted service, each of which asks anew. */
async function rehearse(seed: number): Promise<void> {
  const dice = new Dice(1_000 + seed)
  const isKeyed = seed % 2 === 0
  const world = new HostedWorld(25)
  const answers = world.answers()
  const entities = world.entities()
  const service = await startStrangeService({
    answers,
    entities,
    faults: world.faults,
    runTakes: { polls: 1 },
  })
  onTestFinished(() => service.close())
  const place = createPlace()
  place.write(
    'pipeline.config.json',
    JSON.stringify({
      polling: { firstAfterSeconds: 0, intervalSeconds: 0.1 },
      limits: { submitPerMinute: 100_000, pollPerMinute: 100_000 },
    }),
  )
  const list = new RowList(dice.some(world.firms, 18))
  const env = { ENRICH_BASE_URL: service.baseUrl, ENRICH_API_KEY: service.apiKey }
  for (let night = 0; night < nightCount; night++) {
    const before = list.rows
    const wereAsked = new Set(before.map(({ firm }) => firm))
    const firmChanges = night === 0 ? [] : world.edit(dice)
    Object.assign(answers, world.answers())
    Object.assign(entities, world.entities())
    if (night > 0) list.edit(dice, world.firms)
    writeList(place, list.rows, (firm) => world.asked(firm))
    const args = ['--max-age', '1s', '--resubmit-uncertain', ...(isKeyed ? ['--row-key', 'key'] : [])]
    // Answers of the night before are too old by now; those of a killed command of this night need not be.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const told = await runNight({ place, args, dice, env, diesAnywhere: false })
    const expected = night === 0 ? [] : expectedChanges(before, list.rows, firmChanges, isKeyed)
    expect([`seed ${seed}, night ${night}`, ...told]).toEqual([`seed ${seed}, night ${night}`, ...expected])
    expect(wereAsked.size).toBeGreaterThan(0)
    touchOutputs(place, dice)
  }
}

it.each(seeds)(
  'Over four nights, each change of a service that loses answers is reported once; seed %s',
  rehearse,
  300_000,
)
