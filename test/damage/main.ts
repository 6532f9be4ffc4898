import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Chance } from '../simulation/chance.js'
import { enrichInProcess } from './in-process.js'
import { enrich, makeStates, startMeteredService, type State } from './states.js'
import { BrokenPromise, namesOf, oneTrial, type Tried } from './trial.js'

/**
 * `npm run damage -- --trials 2000 --seed 1`: checkpoints that were killed at some moment, then flipped, cut, rolled
 * back or copied; the real command goes on with each, does what its errors say, and is judged by what the service
 * charged and by what it wrote. `--only N` is one trial alone; `--fast` runs the commands within this process, so that
 * many more can be tried. Needs `npm run build`.
 */
const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    only: { type: 'string' },
    fast: { type: 'boolean', default: false },
  },
})
const first = Number(values.only ?? values.seed)
const count = values.only === undefined ? Number(values.trials) : 1
const laneCount = count === 1 || values.fast ? 1 : Number(values.lanes)
const base = mkdtempSync(join(tmpdir(), 'enrich-damage-'))
const startedAtMs = performance.now()
const tried: Tried[] = []
const broken: string[] = []
try {
  await Promise.all(Array.from({ length: laneCount }, (_, index) => lane(index)))
} finally {
  rmSync(base, { recursive: true, force: true })
}
report()
process.exitCode = broken.length === 0 ? 0 : 1

/** A service and states of its own, and every so-manyeth trial. The states of a lane are the same for every seed. */
async function lane(index: number): Promise<void> {
  const folder = join(base, `lane-${index}`)
  const service = await startMeteredService()
  try {
    const jobs: State[][] = []
    for (let job = 0; job < 6; job++) {
      const place = join(folder, `job-${job}`)
      mkdirSync(place, { recursive: true })
      jobs.push(await makeStates(place, service, namesOf(15 + job * 12), 4, new Chance(job)))
    }
    for (let seed = first + index; seed < first + count; seed += laneCount) {
      await oneTrial(seed, jobs, service, folder, values.fast ? enrichInProcess : enrich).then(
        (one) => tried.push(one),
        (error: unknown) => {
          if (!(error instanceof BrokenPromise)) throw error
          broken.push(error.message)
          process.stderr.write(`BROKEN ${error.message}\n`)
        },
      )
      if (tried.length % 100 === 0) process.stderr.write(`${tried.length} trials\n`)
    }
  } finally {
    await service.close()
  }
}

function report(): void {
  const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1)
  const outcomes = new Map<string, number>()
  for (const { outcome } of tried) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const told = tried.reduce((sum, { billedTwiceTold }) => sum + billedTwiceTold, 0)
  for (const { seed, story, outcome } of tried)
    if (outcome === 'stuck' || outcome === 'refused' || count === 1)
      process.stdout.write(`${seed} ${outcome}: ${story.join(' | ')}\n`)
  process.stdout.write(
    `${tried.length + broken.length} trials in ${minutes} minutes: ${[...outcomes].map(([name, number]) => `${number} ${name}`).join(', ')}\n` +
      `${broken.length} broken promises; ${told} lookups billed again after --accept-rollback\n`,
  )
}
