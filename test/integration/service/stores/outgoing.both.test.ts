import { expect, test } from 'vitest'
import type { CallId, RunId } from '../../../../src/contract/enums.js'
import type { DueEvent } from '../../../../src/service/deliveries/event-store.js'
import { toLane } from '../../../../src/service/deliveries/outbox.js'
import { describeServiceData, type TestData } from '../../../support/service-data.js'
import { askFor, dueOf, endOf, endRuns, webhookUrl } from './outgoing-support.js'

const waiterOf = ({ alice }: TestData, runId: string) => ({
  accountNumber: alice.accountNumber,
  runId: runId as RunId,
  callId: 'req_1' as CallId,
  webhookUrl,
})

const built = (buildNumber: number, result = '"made"') => ({
  buildNumber,
  edition: 'first',
  outcome: { ok: true as const, result },
})
const failed = (buildNumber: number) => ({
  buildNumber,
  edition: 'first',
  outcome: { ok: false as const, failure: 'the source is closed' },
})

describeServiceData('events and builds', (make) => {
  test('events of a lane come the first due first, without those under way, and no more than wanted', async () => {
    const data = await make()
    await endRuns(data, 4)
    const { events } = data.stores.outgoing
    const lanes = await events.lanes()
    expect(lanes.map(({ lane }) => lane)).toEqual([toLane(data.alice.accountNumber, webhookUrl)])
    expect(events.getHolder(lanes[0]?.lane ?? '')).toBe('here')
    const all = await dueOf(data)
    expect(all.events).toHaveLength(4)
    expect(all.nextDueAtMs).toBe(Infinity)
    expect(all.events[0]).toMatchObject({ attemptCount: 0, webhookUrl, type: 'entity_resolution.completed' })
    const [first, second, third] = all.events.map(({ eventNumber }) => eventNumber)
    const some = await dueOf(data, 1, new Set([first ?? 0]))
    expect(some.events.map(({ eventNumber }) => eventNumber)).toEqual([second])
    expect(some.nextDueAtMs).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(third).toBeGreaterThan(second ?? Infinity)
  })

  test('an attempt that failed is made again later; the last one, and a delivery, are the end', async () => {
    const data = await make()
    await endRuns(data, 3)
    const { events } = data.stores.outgoing
    const [again, delivered, exhausted] = (await dueOf(data)).events as [DueEvent, DueEvent, DueEvent]
    const ends = [endOf(again, 'again'), endOf(delivered, 'delivered'), endOf(exhausted, 'exhausted')]
    await events.end(ends)
    // What is not known to be stored is stored again.
    await events.end(ends)
    expect(await events.count()).toEqual({ waiting: 1, delivered: 1, exhausted: 1 })
    const left = await dueOf(data)
    expect(left.events).toEqual([])
    expect(left.nextDueAtMs).toBeGreaterThan(Date.now() + 50_000)
    await events.limitDueTimes(Date.now())
    expect((await dueOf(data)).events).toMatchObject([
      { eventId: again.eventId, attemptCount: 1, body: again.body },
    ])
  })

  test('the first who asks begins a build, and is charged for it; those after find it', async () => {
    const data = await make({ creditUnits: 1 })
    const { builds } = data.stores
    const asked = askFor('domain', 'acme.example', { chargedAccountNumber: data.alice.accountNumber })
    const first = await builds.ask(asked)
    expect(first).toMatchObject({ hasBegun: true, build: { state: 'building', subject: 'acme.example' } })
    expect(await builds.ask(asked)).toEqual({ ...first, hasBegun: false })
    expect(await data.book.summary('alice', Date.now())).toMatchObject({ creditUnits: 0, chargedUnits: 1 })
    const [due] = await builds.due(Date.now() + 1_000, 10)
    expect(due).toEqual(first.build)
    await builds.end([built(first.build.buildNumber)], Date.now())
    expect(await builds.read('domain', 'acme.example')).toMatchObject({ state: 'complete', result: '"made"' })
    expect(await builds.due(Date.now() + 1_000, 10)).toEqual([])
  })

  test('a build that is not due yet says when it is, and is brought forward', async () => {
    const { stores } = await make()
    await stores.builds.ask(askFor('entity', 'siq_1', { chooseMs: () => 600_000 }))
    expect(await stores.builds.due(Date.now(), 10)).toEqual([])
    const nextAtMs = (await stores.builds.nextDueAtMs(Date.now())) ?? 0
    expect(nextAtMs).toBeGreaterThan(Date.now() + 500_000)
    await stores.builds.limitDueTimes(Date.now())
    expect(await stores.builds.due(Date.now() + 1_000, 10)).toHaveLength(1)
  })

  test('who waits for a build gets one event at its end, and its object stays to be polled', async () => {
    const data = await make()
    const { builds, outgoing } = data.stores
    const { alice } = data
    const asked = askFor('entity', 'siq_1', { waiter: waiterOf(data, 'run_1') })
    const { build } = await builds.ask(asked)
    expect(await builds.objectOf(alice.accountNumber, 'run_1' as RunId)).toBeNull()
    await builds.due(Date.now() + 1_000, 10)
    await builds.end([built(build.buildNumber)], Date.now())
    await builds.end([built(build.buildNumber, '"another"')], Date.now())
    const [event, ...others] = (await dueOf(data)).events
    expect(others).toEqual([])
    expect(event).toMatchObject({ type: 'entity.completed', accountNumber: alice.accountNumber })
    const object = await builds.objectOf(alice.accountNumber, 'run_1' as RunId)
    expect(JSON.parse(object ?? '')).toEqual({ run_id: 'run_1', status: 'COMPLETED', data: {} })
    expect(await builds.read('entity', 'siq_1')).toMatchObject({ result: '"made"', edition: 'first' })
    expect(await builds.objectOf(alice.accountNumber + 1, 'run_1' as RunId)).toBeUndefined()
    // Of a record that is there, nobody waits for anything.
    await builds.ask(askFor('entity', 'siq_1', { waiter: waiterOf(data, 'run_2') }))
    expect(await builds.objectOf(alice.accountNumber, 'run_2' as RunId)).toBeUndefined()
    expect(await outgoing.events.count()).toEqual({ waiting: 1, delivered: 0, exhausted: 0 })
  })

  test('a build that failed is told of at once, and a refresh that failed leaves what was there', async () => {
    const data = await make()
    const { builds } = data.stores
    const { build } = await builds.ask(askFor('domain', 'acme.example'))
    await builds.due(Date.now() + 1_000, 10)
    await builds.end([failed(build.buildNumber)], Date.now())
    expect(await builds.read('domain', 'acme.example')).toMatchObject({
      state: 'failed',
      failure: 'the source is closed',
      result: null,
      updatedAtMs: null,
    })
    await builds.ask(askFor('domain', 'acme.example', { waiter: waiterOf(data, 'run_1') }))
    expect((await dueOf(data)).events).toMatchObject([{ type: 'domain_intelligence.failed' }])

    const other = await builds.ask(askFor('entity', 'siq_1'))
    await builds.due(Date.now() + 1_000, 10)
    await builds.end([built(other.build.buildNumber)], Date.now())
    const refreshed = await builds.ask(askFor('entity', 'siq_1', { chooseStep: () => 'refresh' }))
    expect(refreshed.build).toMatchObject({ state: 'refreshing', result: '"made"' })
    await builds.due(Date.now() + 1_000, 10)
    await builds.end([failed(other.build.buildNumber)], Date.now())
    expect(await builds.read('entity', 'siq_1')).toMatchObject({
      state: 'complete',
      result: '"made"',
      failure: 'the source is closed',
    })
  })

  test('a report is kept', async () => {
    const { stores, alice } = await make()
    await stores.reports.keep(alice.accountNumber, 'req_1' as CallId, '{"wrong":true}')
  })
})
