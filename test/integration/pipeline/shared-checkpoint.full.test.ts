import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import { startProgram } from '../../support/child-process.js'
import { strangeMatch, type StrangeService } from '../../support/strange-service.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'

const programs = findPostgres()
const startService = servicesOfTests()

const names = Array.from({ length: 60 }, (_, at) => `Company ${at}`)
/** Every third is not found. */
const answers = Object.fromEntries(
  names.filter((_, at) => at % 3 !== 0).map((name) => [name, strangeMatch(name)]),
)
/** Submissions that a killed process may have had in flight: held, since they may have been billed. */
const atOnceMax = 16
const rows = names.map((name) => `${name},Paris`)

/** What no two services, or runs at different moments, answer alike. */
const ofTheRun = ['enrich_run_id', 'enrich_resolved_at']
const cells = (table: readonly Record<string, string>[]) =>
  table.map((row) => Object.entries(row).filter(([column]) => !ofTheRun.includes(column)))

describe.skipIf(programs === null)('a run over a checkpoint on PostgreSQL', () => {
  let server: SharedPostgres | null = null
  let databaseCount = 0
  let at: Workplace
  let url = ''

  beforeEach(async () => {
    at = createWorkplace()
    at.writeRows(rows)
    server ??= await sharedPostgres(programs ?? '')
    const database = `run${++databaseCount}`
    url = server.createDatabase(database)
  })
  afterAll(() => server?.stop())

  const runOn = (service: StrangeService, path: string, output: string) =>
    at.run(service, { checkpoint: { path }, output: { path: at.path(output) } })

  const namesOf = (service: StrangeService) => service.runs.map(({ query }) => query.name)

  test('writes the cells that one over a file writes, and asks nothing again the next time', async () => {
    const service = await startService({ answers })
    const own = await runOn(service, at.path('own.sqlite'), 'own.csv')
    const shared = await runOn(service, url, 'shared.csv')
    expect(cells(at.readOutput('shared.csv'))).toEqual(cells(at.readOutput('own.csv')))
    expect(shared).toMatchObject({ billedCount: own.billedCount, answeredCount: 60, pendingCount: 0 })
    const again = await runOn(service, url, 'again.csv')
    expect(again).toMatchObject({ billedCount: 0, cachedCount: 60, pendingCount: 0 })
    expect(at.readOutput('again.csv')).toEqual(at.readOutput('shared.csv'))
    expect(service.runs).toHaveLength(120)
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`enrich-${process.pid}-`))).toEqual([])
  })

  test('two at once ask each lookup once, and both write all answers', async () => {
    const service = await startService({ answers })
    const [one, other] = await Promise.all([runOn(service, url, 'one.csv'), runOn(service, url, 'other.csv')])
    expect(namesOf(service).sort()).toEqual([...names].sort())
    expect(one.billedCount + other.billedCount).toBe(60)
    for (const summary of [one, other]) {
      expect(summary.cachedCount + summary.answeredCount).toBe(60)
      expect(summary).toMatchObject({ stop: null, pendingCount: 0, uncertainCount: 0 })
    }
    expect(at.readOutput('one.csv')).toEqual(at.readOutput('other.csv'))
  })

  test('goes on after one that was killed, and submits nothing twice', async () => {
    const service = await startService({ answers, runTakes: { ms: 300 } })
    const child = startProgram(
      new URL('../../support/shared-run-child.ts', import.meta.url).href,
      url,
      service.baseUrl,
      service.apiKey,
      at.path('companies.csv'),
      at.path('killed.csv'),
    )
    while (service.runs.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))
    await child.kill()
    const submitted = service.runs.length
    // Its lease would run out within half a minute.
    const postgres = connectPostgres(parsePostgresUrl(url))
    await postgres.query(`UPDATE enrich.workers SET lease_until = clock_timestamp() - interval '1 second'`)
    await postgres.close()
    const summary = await runOn(service, url, 'out.csv')
    expect(submitted).toBeLessThan(60)
    expect(new Set(namesOf(service)).size).toBe(service.runs.length)
    const { uncertainCount } = summary
    expect(summary).toMatchObject({ stop: null, pendingCount: 0 })
    const answered = at.readOutput('out.csv').filter(({ enrich_run_id: id }) => id !== '')
    expect(answered).toHaveLength(60 - uncertainCount)
  })

  test('submits what a dead process had claimed as soon as its lease is over, not once its own runs are answered', async () => {
    const own = 'Own GmbH'
    const isEverySubmitted = () => service.runs.length > names.length - atOnceMax
    const service = await startService({
      answers: { ...answers, [own]: strangeMatch(own) },
      runTakes: (name) => (name === own ? { polls: isEverySubmitted() ? 0 : Infinity } : { ms: 300 }),
    })
    const child = startProgram(
      new URL('../../support/shared-run-child.ts', import.meta.url).href,
      url,
      service.baseUrl,
      service.apiKey,
      at.path('companies.csv'),
      at.path('killed.csv'),
    )
    while (service.runs.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))
    await child.kill()
    expect(service.runs.length).toBeLessThan(names.length - atOnceMax)
    at.writeRows([...rows, `${own},Paris`])
    const next = runOn(service, url, 'out.csv')
    while (!namesOf(service).includes(own)) await new Promise((resolve) => setTimeout(resolve, 5))
    const postgres = connectPostgres(parsePostgresUrl(url))
    await postgres.query(
      `UPDATE enrich.workers SET lease_until = clock_timestamp() - interval '1 second'
       WHERE worker_id = (SELECT min(worker_id) FROM enrich.workers)`,
    )
    await postgres.close()
    expect(await next).toMatchObject({ stop: null, pendingCount: 0 })
    expect(new Set(namesOf(service)).size).toBe(service.runs.length)
  })

  test('holds what several may spend together', async () => {
    const service = await startService({ answers })
    const bounded = (output: string) =>
      at.run(service, {
        checkpoint: { path: url },
        output: { path: at.path(output) },
        budget: { lookupsMax: 25 },
      })
    const [one, other] = await Promise.all([bounded('one.csv'), bounded('other.csv')])
    expect(service.runs).toHaveLength(25)
    expect([one.stop, other.stop]).toContainEqual({ kind: 'lookups_max', lookupsMax: 25 })
  })
})
