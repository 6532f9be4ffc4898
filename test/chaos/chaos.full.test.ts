import { describe, expect, test } from 'vitest'
import { findPostgres } from '../support/postgres-server.js'
import { runChaos, type ChaosOptions } from './chaos.js'

const programs = findPostgres()

/** `npm run chaos` has thousands. */
const small: ChaosOptions = {
  seed: 1,
  lookups: 150,
  workers: 3,
  slices: 'same',
  lookupsMax: 1_000,
  givesBack: false,
  kills: 3,
  stops: 1,
  crashes: 1,
  cuts: 1,
  failovers: 0,
  linkCuts: 0,
  replication: null,
}

describe.skipIf(programs === null)('processes on one checkpoint that are killed and stopped', () => {
  test('bill nothing twice, lose nothing, keep the budget, and write every row', async () => {
    const { doubled, lost, undone, budget, rows, broken, done, figures } = await runChaos(
      programs ?? '',
      small,
    )
    expect({ doubled, lost, undone, budget, rows, broken }).toEqual({
      doubled: [],
      lost: [],
      undone: [],
      budget: [],
      rows: [],
      broken: [],
    })
    expect(done).toEqual({ kill: 3, stop: 1, crash: 1, cut: 1, failover: 0, linkCut: 0 })
    expect(figures.answered + figures.uncertain).toBe(150)
    // What is uncertain is what was in flight.
    expect(figures.answered).toBeGreaterThan(figures.uncertain)
  }, 300_000)

  test('bill twice, where what the dead may have submitted is given to others: the judge finds it', async () => {
    const { doubled } = await runChaos(programs ?? '', {
      ...small,
      kills: 2,
      stops: 0,
      crashes: 0,
      cuts: 0,
      givesBack: true,
    })
    expect(doubled).not.toEqual([])
  }, 300_000)
})
