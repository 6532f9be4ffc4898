import { afterAll, beforeAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseWebhookSecrets } from '../../../src/core/webhooks.js'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { startReceiver, type Receiver } from '../../../src/pipeline/receiver.js'
import { openSharedInbox } from '../../../src/pipeline/checkpoint/postgres/inbox-rows.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { startProgram, type Child } from '../../support/child-process.js'
import { strangeMatch, type StrangeRun, type StrangeService } from '../../support/strange-service.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import { freePort } from '../../support/loopback-server.js'
import { eventOf, newSecret, send, type SentEvent } from '../../support/webhook-sender.js'

const programs = findPostgres()
const startService = servicesOfTests()
const secret = newSecret()
const webhook = { url: 'https://hooks.example.com/enrich' }
const system = { clock: systemClock, random: systemRandom }

const names = Array.from({ length: 40 }, (_, at) => `Company ${at}`)
const answers = Object.fromEntries(names.map((name) => [name, strangeMatch(name)]))
/** Nothing is ever finished for who polls. */
const runTakes = { polls: Infinity } as const

describe.skipIf(programs === null)('deliveries to a checkpoint on PostgreSQL', () => {
  let server: PostgresServer
  let databaseCount = 0
  let at: Workplace
  let url = ''
  let database = ''
  /** Closed with the test, the last first. */
  const closes: (() => unknown)[] = []

  beforeAll(async () => {
    server = await startPostgres(programs ?? '')
  })
  beforeEach(() => {
    isOver = false
    at = createWorkplace()
    at.writeRows(names.map((name) => `${name},Paris`))
    database = `inbox${++databaseCount}`
    url = server.createDatabase(database)
  })
  afterEach(async () => {
    isOver = true
    for (const close of closes.splice(0).reverse()) await close()
  })
  afterAll(() => server.stop())

  async function receiving(): Promise<Receiver> {
    const opened = await openShared(url, system)
    closes.push(() => opened.close())
    const inbox = await openSharedInbox({ ...system, database: opened, owner: null })
    closes.push(() => inbox.close())
    const receiver = await startReceiver({
      listen: { host: '127.0.0.1', port: 0 },
      path: null,
      inbox,
      clock: systemClock,
      keys: parseWebhookSecrets(secret),
    })
    closes.push(() => receiver.close())
    return receiver
  }

  let isOver = false
  /** As the service sends: again, until it is acknowledged. */
  const deliver = async (target: () => string, event: SentEvent) => {
    while (!isOver) {
      if ((await send(target(), event, { secrets: [secret] })) === 204) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const runOn = (service: StrangeService, output: string, config = {}) =>
    at.run(service, { checkpoint: { path: url }, output: { path: at.path(output) }, webhook, ...config })
  const asked = (service: StrangeService) => service.runs.map(({ query }) => query.name).sort()
  const states = () =>
    server
      .sql('SELECT state, count(*) FROM enrich.inbox GROUP BY 1 ORDER BY 1', database)
      .replaceAll('\n', ' ')

  test('two receivers and two runs: each answer is taken once, and both runs have all of them', async () => {
    const receivers = await Promise.all([receiving(), receiving()])
    let sent = 0
    const service = await startService({
      answers,
      runTakes,
      accepted: (run, of) => {
        const event = eventOf(of.finished(run))
        for (const { url: target } of sent++ % 2 === 0 ? receivers : receivers.toReversed())
          void send(target, event, { secrets: [secret] })
      },
    })
    const [one, other] = await Promise.all([runOn(service, 'one.csv'), runOn(service, 'other.csv')])
    expect(asked(service)).toEqual([...names].sort())
    expect(one.billedCount + other.billedCount).toBe(40)
    for (const summary of [one, other])
      expect(summary).toMatchObject({ stop: null, pendingCount: 0, uncertainCount: 0, contradictionCount: 0 })
    expect(one.deliveries.taken + other.deliveries.taken).toBe(40)
    expect(at.readOutput('one.csv')).toEqual(at.readOutput('other.csv'))
    expect(states()).toBe('taken|40')
    expect(service.requests.filter(({ path }) => path.startsWith('/v3/runs/'))).toEqual([])
  })

  test('an event of what another living process looks after is left to it', async () => {
    at.writeRows(['Nobody,Paris'], 'other.csv')
    const { url: target } = await receiving()
    const runs: StrangeRun[] = []
    const service = await startService({ answers, runTakes, accepted: (run) => void runs.push(run) })
    const first = runOn(service, 'one.csv')
    while (runs.length < 40) await new Promise((resolve) => setTimeout(resolve, 5))
    const others = runOn(service, 'other-out.csv', { input: { paths: [at.path('other.csv')] } })
    while (runs.length < 41) await new Promise((resolve) => setTimeout(resolve, 5))
    for (const run of runs) await send(target, eventOf(service.finished(run)), { secrets: [secret] })
    expect((await first).deliveries).toMatchObject({ taken: 40, unclaimed: 0, quarantined: 0 })
    expect((await others).deliveries).toMatchObject({ taken: 1, unclaimed: 0, quarantined: 0 })
  })

  test('a lost submission of a dead process is claimed for any process that wants it', async () => {
    const { url: target } = await receiving()
    const service = await startService({
      answers,
      runTakes,
      faults: ({ method }) => (method === 'POST' ? 'accept_then_reset' : undefined),
    })
    at.writeRows(['Company 1,Paris'])
    const lost = await runOn(service, 'lost.csv', { webhook: {} })
    expect(lost).toMatchObject({ uncertainCount: 1 })
    const [run] = service.runs
    await send(target, eventOf(service.finished(run!)), { secrets: [secret] })
    // Another run, which does not want it, claims and answers it.
    at.writeRows(['Elsewhere GmbH,Paris'], 'other.csv')
    const paths = [at.path('other.csv')]
    await runOn(service, 'other-out.csv', { input: { paths }, budget: { lookupsMax: 0 } })
    expect(states()).toBe('taken|1')
    at.writeRows(['Company 1,Paris'])
    const summary = await runOn(service, 'out.csv', { webhook: {} })
    expect(summary).toMatchObject({ billedCount: 0, uncertainCount: 0, pendingCount: 0 })
    expect(service.runs).toHaveLength(1)
  })

  test('while PostgreSQL is away the answer is 503, and the service sends again', async () => {
    const { url: target } = await receiving()
    const event = eventOf({ run_id: 'run_1', status: 'COMPLETED' })
    expect(await send(target, event, { secrets: [secret] })).toBe(204)
    await server.crash()
    const other = eventOf({ run_id: 'run_2', status: 'COMPLETED' })
    expect(await send(target, other, { secrets: [secret] })).toBe(503)
    await server.startAgain()
    expect(await send(target, other, { secrets: [secret] })).toBe(204)
    expect(await send(target, event, { secrets: [secret] })).toBe(204)
    expect(states()).toBe('waiting|2')
  })

  test('receiver and run killed again and again: nothing is lost, nothing billed or settled twice', async () => {
    const port = await freePort()
    const service = await startService({
      answers,
      runTakes,
      accepted: (run, of) => {
        const event = eventOf(of.finished(run))
        // Twice, as after an acknowledgement that was lost.
        void deliver(() => `http://127.0.0.1:${port}`, event).then(() =>
          deliver(() => `http://127.0.0.1:${port}`, event),
        )
      },
    })
    const programOf = (name: string) => new URL(`../../support/${name}.ts`, import.meta.url).href
    const started = (name: string, ...args: string[]): Child => {
      const child = startProgram(programOf(name), ...args)
      closes.push(() => child.kill())
      return child
    }
    const receive = () => started('shared-receiver-child', url, secret, String(port))
    const run = () =>
      started(
        'shared-webhook-child',
        url,
        service.baseUrl,
        service.apiKey,
        at.path('companies.csv'),
        at.path('out.csv'),
      )
    const count = (sql: string) => Number(server.sql(sql, database))
    const until = async (isReached: () => boolean) => {
      // A look starts psql, and nothing else runs here meanwhile.
      while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 100))
    }
    /** The leases of those who were killed end; a renewal of theirs may still be under way on the server. */
    const expire = async () => {
      const others = `datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
      await until(() => count(`SELECT count(*) FROM pg_stat_activity WHERE ${others}`) === 0)
      server.sql(
        `UPDATE enrich.workers SET lease_until = clock_timestamp() - interval '1 second' WHERE NOT is_fenced`,
        database,
      )
    }
    let receiver: Child = receive()
    await receiver.nextLine()
    // Killed once so many are submitted, or so many are settled.
    for (const step of [
      () => service.runs.length >= 8,
      () => count(`SELECT count(*) FROM enrich.inbox`) >= 12,
      () => count(`SELECT count(*) FROM enrich.inbox WHERE state = 'taken'`) >= 20,
    ]) {
      const child = run()
      await until(step)
      await Promise.all([child.kill(), receiver.kill()])
      await expire()
      receiver = receive()
      await receiver.nextLine()
    }
    const last = run()
    await until(
      () =>
        count(`SELECT count(*) FROM enrich.lookups WHERE state IN ('uncertain', 'answered')`) === 40 &&
        states() === `taken|${service.runs.length}`,
    )
    await Promise.all([last.kill(), receiver.kill()])
    await expire()
    expect(new Set(asked(service)).size).toBe(service.runs.length)
    // What was lost on its way to us is claimed by its delivery; what never left is uncertain, and was never made.
    expect(count(`SELECT count(*) FROM enrich.lookups WHERE state = 'answered'`)).toBe(service.runs.length)
    const summary = await runOn(service, 'out.csv', { webhook: {}, polling: { deadlineMinutes: 0.01 } })
    expect(summary).toMatchObject({ billedCount: 0, pendingCount: 0, contradictionCount: 0 })
  })
})
