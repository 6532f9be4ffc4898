import { copyFileSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { at, canary, createPlace, quickConfig, writeConfig, type CliPlace } from '../support/cli.js'
import { strangeMatch, startStrangeService } from '../support/strange-service.js'
import { readBilled, readCells, writeOwnWorld } from '../support/own-register.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { serve } from '../support/served.js'
import { rowsOfCsv } from '../support/tables.js'
import { freePort } from '../support/loopback-server.js'
import { eventOf, newSecret, send } from '../support/webhook-sender.js'

const programs = findPostgres()
const first = ['--first', 'own.sqlite', '--check-sample', '30%']
const stages = ['--with', 'entity']

describe.skipIf(programs === null)('an own registry answers first, with a checkpoint on PostgreSQL', () => {
  let server: SharedPostgres
  let databaseCount = 0
  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
  }, 60_000)
  afterAll(() => server.stop())

  const createDatabase = () => server.createDatabase(`first_${++databaseCount}`)

  /** The same input and registry in two folders, as on two machines. */
  async function openPlaces() {
    const place = createPlace()
    writeConfig(place, quickConfig)
    const world = await writeOwnWorld(place, 40)
    const other = createPlace()
    for (const name of ['companies.csv', 'own.sqlite', 'pipeline.config.json'])
      copyFileSync(place.path(name), other.path(name))
    const service = await serve(place, 0)
    const run = async (where: CliPlace, output: string, ...flags: string[]) => {
      const args = ['companies.csv', '-o', output, ...first, ...flags, '--json', '--quiet']
      const { code, stdout, stderr } = await where.run(args, at(service))
      expect([code, stderr]).toEqual([0, ''])
      const events = stdout.trimEnd().split('\n')
      return (JSON.parse(events.at(-1) ?? '{}') as { summary: { billedCount: number; first: object } })
        .summary
    }
    return { place, other, world, service, run }
  }

  test('writes what a run with a file writes, exports it, and submits nothing the second night', async () => {
    const { place, other, world, service, run } = await openPlaces()
    const shared = ['--checkpoint', createDatabase()]
    const ofFile = await run(place, 'file.csv', ...stages)
    const billed = await readBilled(service)
    expect(billed.filter((name) => !world.known.includes(name))).toEqual(world.unknown)
    expect(billed.length).toBeGreaterThan(world.unknown.length)
    const summary = await run(place, 'out.csv', ...shared, ...stages)
    expect(summary).toMatchObject({ billedCount: ofFile.billedCount, first: ofFile.first })
    expect(readCells(place)).toEqual(readCells(place, 'file.csv'))
    const written = place.read('out.csv')

    const again = await run(other, 'out.csv', ...shared, ...stages)
    expect(again).toMatchObject({ billedCount: 0, first: ofFile.first })
    expect(other.read('out.csv') === written).toBe(true)
    expect(await readBilled(service)).toEqual([...billed, ...billed].toSorted())
    const exported = await other.run(
      ['export', 'companies.csv', '-o', 'exported.csv', ...first, ...shared, ...stages],
      at(service),
    )
    expect([exported.code, exported.stderr]).toEqual([0, expect.anything()])
    expect(other.read('exported.csv') === written).toBe(true)
    const plan = await other.run(
      ['plan', 'companies.csv', ...first, ...shared, ...stages, '--json'],
      at(service),
    )
    expect(JSON.parse(plan.stdout)).toMatchObject({ plan: { submit: 0 }, stages: [{ plan: { submit: 0 } }] })
  }, 120_000)

  test('two processes of one job pay each lookup once, and their parts are the output of a run with a file', async () => {
    const { place, world, service, run } = await openPlaces()
    // Both parts have all names.
    const names = [...world.names, ...world.names]
    place.write('companies.csv', `company_name\n${names.join('\n')}\n`)
    await run(place, 'file.csv')
    const paid = await readBilled(service)
    const job = ['--checkpoint', createDatabase(), '--job', 'first']
    const both = await Promise.all(
      [1, 2].map((part) => run(place, 'out.csv', ...job, '--partition', `${part}/2`)),
    )
    expect(both.reduce((sum, { billedCount }) => sum + billedCount, 0)).toBe(paid.length)
    expect(await readBilled(service)).toEqual([...paid, ...paid].toSorted())
    const collected = await place.run(['collect', ...job, '-o', 'all.csv'])
    expect([collected.code, collected.stderr]).toEqual([0, expect.anything()])
    expect(readCells(place, 'all.csv')).toEqual(readCells(place, 'file.csv'))
    expect(readCells(place, 'all.csv').map((row) => row['company_name'])).toEqual(names)
  }, 120_000)

  test('a reviewer decides a row by a file: the decision stands above both sides', async () => {
    const { place, other, world, service, run } = await openPlaces()
    const shared = ['--checkpoint', createDatabase()]
    await run(place, 'out.csv', ...shared)
    const review = ['review', 'companies.csv', ...first, ...shared, '--reviewer', 'Ann']
    const exported = await other.run([...review, '--export', 'todo.csv'], at(service))
    expect([exported.code, exported.stderr]).toEqual([0, expect.anything()])
    const todo = rowsOfCsv(other.read('todo.csv'))
    const [chosen = '', ...others] = todo.map((row) => row['name'] ?? '')
    expect([chosen, ...others].filter((name) => !world.unknown.includes(name))).toEqual([])
    const filled = todo.map((row) => ({ ...row, verdict: row['name'] === chosen ? 'none' : '' }))
    other.write('todo.csv', stringify(filled, { header: true }))
    const imported = await other.run([...review, '--import', 'todo.csv'], at(service))
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('1 lookup decided')])
    expect((await run(place, 'out.csv', ...shared)).billedCount).toBe(0)
    const decided = readCells(place).filter((row) => row['enrich_decision'] !== '')
    expect(decided).toMatchObject([{ company_name: chosen, enrich_decision: 'none', enrich_answered_by: '' }])
  }, 120_000)

  test('webhooks bring the answers of the rest and of the sample', async () => {
    const { place, world } = await openPlaces()
    const secret = newSecret()
    const target = `http://127.0.0.1:${await freePort()}/enrich`
    const service = await startStrangeService({
      apiKey: canary,
      answers: Object.fromEntries(world.unknown.map((name) => [name, strangeMatch(name)])),
      runTakes: { polls: Infinity },
      accepted: (run, one) => {
        void send(target, eventOf(one.finished(run)), { secrets: [secret] })
      },
    })
    onTestFinished(() => service.close())
    const hooks = ['--webhook-url', 'https://hooks.example.com/enrich', '--webhook-listen']
    const flags = [...first, '--checkpoint', createDatabase(), ...hooks, new URL(target).host]
    const { code, stderr } = await place.run(['companies.csv', '-o', 'out.csv', ...flags], {
      env: { ENRICH_BASE_URL: service.baseUrl, ENRICH_WEBHOOK_SECRET: secret },
    })
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${service.runs.length} webhooks`)])
    const asked = service.runs.map(({ query }) => query.name)
    expect(asked.filter((name) => !world.known.includes(name)).toSorted()).toEqual(world.unknown)
    expect([new Set(asked).size, asked.length > world.unknown.length]).toEqual([asked.length, true])
    expect(service.requests.filter(({ method }) => method === 'GET')).toEqual([])
    expect(readCells(place).map((row) => row['enrich_answered_by']?.split(':')[0])).toEqual(
      world.names.map((name) => (world.known.includes(name) ? 'registry' : 'http')),
    )
  }, 120_000)
})
