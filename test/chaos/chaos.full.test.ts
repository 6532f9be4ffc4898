import { describe, expect, test } from 'vitest'
import { findPostgres } from '../support/postgres-server.js'
import { runChaos, type ChaosOptions } from './chaos.js'

const programs = findPostgres()

/** `npm run chaos` has thousands. */
const small: ChaosOptions = {
  seed: 1,
  lookups: 70,
  workers: 3,
  slices: 'same',
  lookupsMax: 1_000,
  givesBack: false,
  kills: 2,
  stops: 1,
  crashes: 1,
  cuts: 1,
  failovers: 0,
  linkCuts: 0,
  replication: null,
}

const undisturbed = { kills: 0, stops: 0, crashes: 0, cuts: 0 }

// Each waits for its processes most of the time.
describe.skipIf(programs === null)(
  'processes on one checkpoint that are killed and stopped',
  { concurrent: true },
  () => {
    test.each<[title: string, options: Partial<ChaosOptions>]>([
      ['Processes that are killed and stopped', {}],
      ['Four jobs with the same lookups that start at once', { ...undisturbed, workers: 4 }],
    ])(
      '%s bill nothing twice, lose nothing, keep the budget, and write every row',
      async (_, options) => {
        const chosen = { ...small, ...options }
        const { doubled, lost, undone, budget, rows, broken, done, figures } = await runChaos(
          programs ?? '',
          chosen,
        )
        expect([doubled, lost, undone, budget, rows, broken]).toEqual([[], [], [], [], [], []])
        const { kills, stops, crashes, cuts } = chosen
        expect(done).toEqual({ kill: kills, stop: stops, crash: crashes, cut: cuts, failover: 0, linkCut: 0 })
        expect(figures.answered + figures.uncertain).toBe(small.lookups)
        // What is uncertain is what was in flight.
        expect(figures.answered).toBeGreaterThan(figures.uncertain)
      },
      300_000,
    )

    test('bill twice, where what the dead may have submitted is given to others: the judge finds it', async () => {
      const { doubled } = await runChaos(programs ?? '', {
        ...small,
        ...undisturbed,
        workers: 2,
        kills: 2,
        givesBack: true,
      })
      expect(doubled).not.toEqual([])
    }, 300_000)
  },
)
