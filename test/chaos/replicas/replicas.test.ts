import { describe, expect, test } from 'vitest'
import { findPostgres } from '../../support/postgres-server.js'
import { runServiceChaos, type ServiceChaos } from './service-chaos.js'

const programs = findPostgres()

/** `npm run chaos:replicas` has thousands. */
const small = {
  ...{ replicas: 3, asks: 400, polls: 130, refusedRate: 0, waits: false },
  ...{ kills: 0, stops: 0, crashes: 0, cuts: 0 },
}

const faultsOf = ({ charges, runs, events, limits, balance, broken }: ServiceChaos) => ({
  ...{ charges, runs, events, limits, balance, broken },
})
const none = { charges: [], runs: [], events: [], limits: [], balance: [], broken: [] }

describe.skipIf(programs === null)('three replicas under load', () => {
  test('one is killed and started again: one charge, one result and one event a run', async () => {
    const round = await runServiceChaos(programs ?? '', { ...small, seed: 1, kills: 1 })
    expect(faultsOf(round)).toEqual(none)
    expect(round.done.kill).toBe(1)
    const { accepted = 0, unknown = 0, events = 0, failedOfV2 = 0, inFlightMax = 0 } = round.figures
    expect(accepted).toBeGreaterThan(300)
    expect(unknown).toBeLessThan(100)
    expect(events).toBeGreaterThan(200)
    expect(failedOfV2).toBeGreaterThan(0)
    // Of one account to one host, over all replicas.
    expect(inFlightMax).toBeLessThanOrEqual(16)
    expect(round.statuses['poll 429']).toBeGreaterThan(0)
  }, 180_000)

  test('PostgreSQL crashes under them: the same', async () => {
    const round = await runServiceChaos(programs ?? '', { ...small, seed: 2, asks: 200, crashes: 1 })
    expect(faultsOf(round)).toEqual(none)
    expect(round.done.crash).toBe(1)
  }, 180_000)
})
