import { describe, expect, test } from 'vitest'
import { findPostgres } from '../../support/postgres-server.js'
import { judge, type Evidence, type StoredRun } from './judge.js'
import { runServiceChaos, type ServiceChaos } from './service-chaos.js'

const programs = findPostgres()

/** `npm run chaos:replicas` has thousands. */
const small = {
  replicas: 3,
  asks: 400,
  polls: 130,
  refusedRate: 0,
  waits: false,
  kills: 0,
  stops: 0,
  crashes: 0,
  cuts: 0,
}

const faultsOf = ({ charges, runs, events, limits, balance, broken }: ServiceChaos) => ({
  charges,
  runs,
  events,
  limits,
  balance,
  broken,
})
const none = { charges: [], runs: [], events: [], limits: [], balance: [], broken: [] }

describe('the judge', () => {
  const run: StoredRun = {
    name: 'Acme',
    runId: 'run_1',
    requestId: null,
    surface: 'v3',
    status: 'COMPLETED',
    charges: 1,
    refunds: 0,
    results: 1,
    eventIds: ['evt_1'],
    deliveredCount: 1,
  }
  const delivery = { runId: 'run_1', eventIds: ['evt_1', 'evt_1'], bodyHash: 'a', isSigned: true }
  const evidence: Evidence = {
    runs: [run],
    fates: [{ asked: { kind: 'run', name: 'Acme' }, fate: 'accepted', id: 'run_1' }],
    deliveries: [delivery, delivery],
    calls: [],
    balance: { charges: 1, refunds: 0, usedCharges: 1, usedRefunds: 0 },
    creditAtFirst: 10,
    creditAtLast: 9,
  }
  const brokenBy = (changes: Partial<Evidence>) =>
    Object.entries(judge({ ...evidence, ...changes })).flatMap(([kind, lines]) =>
      lines.length > 0 ? [kind] : [],
    )
  const call = { route: 'poll', sentAtMs: 60_000, answeredAtMs: 60_001 }

  test.each<[string, Partial<Evidence>, string[]]>([
    ['nothing wrong, and an event that came twice', {}, []],
    ['two charges', { runs: [{ ...run, charges: 2 }] }, ['charges']],
    ['a refund that is not due', { runs: [{ ...run, refunds: 1 }] }, ['charges']],
    ['a run without a result', { runs: [{ ...run, results: 0 }] }, ['runs']],
    ['a run that was accepted and is not there', { runs: [], deliveries: [] }, ['runs', 'balance']],
    [
      'a run that was refused and is there',
      { fates: evidence.fates.map((fate) => ({ ...fate, fate: 'refused' })) },
      ['runs'],
    ],
    ['two events', { runs: [{ ...run, eventIds: ['evt_1', 'evt_2'] }] }, ['events']],
    ['an event that never came', { deliveries: [] }, ['events']],
    [
      'an event that came under another id',
      { deliveries: [delivery, { ...delivery, eventIds: ['evt_2', 'evt_2'] }] },
      ['events'],
    ],
    [
      'an event that came with other bytes',
      { deliveries: [delivery, { ...delivery, bodyHash: 'b' }] },
      ['events'],
    ],
    ['as many calls as a minute has', { calls: Array.from({ length: 100 }, () => call) }, []],
    ['one call more', { calls: Array.from({ length: 101 }, () => call) }, ['limits']],
    ['a balance that is not the ledger', { creditAtLast: 10 }, ['balance']],
  ])('finds %s', (_what, changes, kinds) => {
    expect(brokenBy(changes)).toEqual(kinds)
  })
})

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
