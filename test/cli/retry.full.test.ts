import { describe, expect, onTestFinished, test } from 'vitest'
import { startService } from '../../src/service/service.js'
import { setTimeout } from 'node:timers/promises'
import {
  at,
  canary,
  companiesCsv,
  createPlace,
  quickConfig,
  writeConfig,
  type CliPlace,
} from '../support/cli.js'
import { findPostgres, sharedPostgres } from '../support/postgres-server.js'
import { serve } from '../support/served.js'
import { companyWorld, tapService } from '../support/stage-job.js'
import { rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

interface StageSummary {
  readonly kind: string
  readonly askedCount: number
  readonly cachedCount: number
}
interface Summary {
  readonly billedCount: number
  readonly cachedCount: number
  readonly stages: readonly StageSummary[]
}

/** Runs a command with `--json`, and gives its exit code and summary. */
async function summaryOf(place: CliPlace, args: readonly string[], baseUrl: string) {
  const { code, stdout, stderr } = await place.run([...args, '--json', '--quiet'], at({ baseUrl }))
  const events = readJsonLines<{ type: string; summary?: Summary }>(stdout)
  const summary = events.find(({ type }) => type === 'finished')?.summary
  if (summary === undefined) throw new Error(`no summary: ${stderr}`)
  const asked = Object.fromEntries(summary.stages.map(({ kind, askedCount }) => [kind, askedCount]))
  return { code, billedCount: summary.billedCount, cachedCount: summary.cachedCount, asked }
}

const column = (place: CliPlace, name: string) => rowsOfCsv(place.read('out.csv')).map((row) => row[name])

describe('retry asks again, at a service that bills', () => {
  test('for what came to the outcomes named, of names and of the chosen stages, and for nothing else', async () => {
    const place = createPlace()
    writeConfig(place)
    place.write('companies.csv', 'company_name\nApple Inc.\nMicrosoft Corporation\nZzqx Vrbnk Ltd\n')
    const service = await serve(place, 0)
    /** What the service has charged by its own books: for names, and in all. */
    const charged = () =>
      service.read((database) => {
        const sum = (where: string) =>
          database
            .prepare<[], number>(`SELECT count(*) FROM ledger WHERE kind = 'charge' ${where}`)
            .pluck()
            .get()
        return { names: sum('AND run_number IS NOT NULL'), all: sum('') }
      })
    const stages = ['--with', 'entity,hierarchy,domain']
    const files = ['companies.csv', '-o', 'out.csv']
    const first = await summaryOf(place, [...files, ...stages], service.baseUrl)
    expect(first).toEqual({
      code: 0,
      billedCount: 3,
      cachedCount: 0,
      asked: { entity: 2, hierarchy: 2, domain: 2 },
    })
    expect(column(place, 'enrich_status')).toEqual(['matched', 'matched', 'no_match'])
    expect(column(place, 'enrich_domain_status')).toEqual(['matched', 'matched', ''])
    expect(await charged()).toEqual({ names: 3, all: 5 })
    const whole = place.read('out.csv')

    // Of names alone, where no stage is asked.
    const retry = ['retry', ...files, '--status']
    const unmatched = await summaryOf(place, [...retry, 'no_match'], service.baseUrl)
    expect(unmatched).toEqual({ code: 0, billedCount: 1, cachedCount: 2, asked: {} })

    // Matched: two names, and two domains, which this service has built and gives again for nothing.
    const matched = await summaryOf(place, [...retry, 'matched', ...stages], service.baseUrl)
    expect(matched).toEqual({
      code: 0,
      billedCount: 2,
      cachedCount: 1,
      asked: { entity: 0, hierarchy: 0, domain: 2 },
    })
    expect(await charged()).toEqual({ names: 6, all: 8 })
    const withoutRuns = (text: string) =>
      text.replace(/run_\w+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|,(true|false)\b/g, '')
    expect(withoutRuns(place.read('out.csv'))).toBe(withoutRuns(whole))

    // And what nobody came to is asked of nobody.
    const failed = await summaryOf(place, [...retry, 'failed,error', ...stages], service.baseUrl)
    expect(failed).toEqual({
      code: 0,
      billedCount: 0,
      cachedCount: 3,
      asked: { entity: 0, hierarchy: 0, domain: 0 },
    })
    expect(await charged()).toEqual({ names: 6, all: 8 })
  })

  const programs = findPostgres()
  const endings = ['--max-lookups', 'SIGKILL', 'SIGTERM'] as const
  const stores = ['a file', ...(programs === null ? [] : ['PostgreSQL'])]

  test.each(stores.flatMap((store) => endings.map((end) => [store, end] as const)))(
    'in %s, a retry ended by %s is continued by the same command, and a run in between submits nothing',
    async (store, end) => {
      const place = createPlace()
      const names = Array.from({ length: 30 }, (_, index) => `Company ${index}`)
      place.write('companies.csv', companiesCsv(names))
      writeConfig(place, {
        ...quickConfig,
        limits: { ...quickConfig.limits, submitPerMinute: 1_200, submitConcurrency: 1 },
      })
      const service = await serve(place, 0.2)
      const countBilled = () =>
        service.read((database) =>
          database
            .prepare<[], { name: string; count: number }>(
              'SELECT name, count(*) AS count FROM ledger JOIN runs USING (run_number) GROUP BY name',
            )
            .all(),
        )
      const checkpoint =
        store === 'a file'
          ? []
          : [
              '--checkpoint',
              (await sharedPostgres(programs ?? '')).createDatabase(
                `retry_${end.replace(/\W/g, '').toLowerCase()}`,
              ),
            ]
      const files = ['companies.csv', '-o', 'out.csv', ...checkpoint]
      expect((await place.run(files, at(service))).code).toBe(0)
      const retry = ['retry', ...files, '--status', 'no_match,inconclusive', '--resubmit-uncertain']
      const first = place.start(end === '--max-lookups' ? [...retry, end, '12'] : retry, at(service))
      if (end !== '--max-lookups') {
        await first.sees(/to submit/)
        await setTimeout(1_000)
        first.child.kill(end)
      }
      await first.ended
      const plain = await summaryOf(place, files, service.baseUrl)
      expect(plain.billedCount).toBe(0)
      const rest = await place.run(
        [
          'retry',
          'companies.csv',
          '--status',
          'inconclusive,no_match',
          '-o',
          'out.csv',
          '--resubmit-uncertain',
          ...checkpoint,
        ],
        at(service),
      )
      expect(rest.stderr).toContain('Continuing the retry of ')
      const billed = await countBilled()
      expect(billed.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
      // At a kill, one submission is in flight: its response is lost, and --resubmit-uncertain pays for it again.
      const twice = billed.filter(({ count }) => count === 2).length
      expect(twice).toBeGreaterThanOrEqual(end === 'SIGKILL' ? 29 : 30)
      expect(billed.every(({ count }) => count <= (end === 'SIGKILL' ? 3 : 2))).toBe(true)
      const anew = await place.run([...retry, '--max-lookups', '1'], at(service))
      expect(anew.stderr).toContain('this is a new one')
    },
  )

  test('for research that failed, which costs nothing: the names of its rows are not asked', async () => {
    const place = createPlace()
    writeConfig(place)
    place.write('companies.csv', companiesCsv(['Company 0', 'Company 1', 'Company 2']))
    const world = companyWorld(3, 3)
    let isBroken = true
    const service = await startService({
      knowledge: {
        ...world,
        ownership: (id) => (isBroken && id === 'siq_company1' ? null : world.ownership(id)),
      },
      dataFolder: null,
      listen: { host: '127.0.0.1', port: 0 },
      accounts: [{ name: 'alice', apiKey: canary }],
      rateLimits: 'none',
      pages: false,
      log: () => undefined,
    })
    const tap = await tapService(service.url)
    onTestFinished(async () => {
      await tap.close()
      await service.close()
    })
    const files = ['companies.csv', '-o', 'out.csv', '--with', 'hierarchy']
    const first = await place.run(files, at({ baseUrl: tap.url }))
    expect(first.code, first.stderr).toBe(3)
    expect(first.stderr).toContain('hierarchy 3 companies · 3 submitted · completed 2 · 1 failed')
    expect(first.stderr).toContain(
      'next      enrich retry companies.csv -o out.csv --with hierarchy --status failed',
    )
    expect(column(place, 'enrich_hierarchy_status')).toEqual(['completed', 'failed', 'completed'])
    expect(column(place, 'enrich_hierarchy_error')).toEqual([
      '',
      expect.stringContaining('No company of this id is known.'),
      '',
    ])
    expect(column(place, 'enrich_status')).toEqual(['matched', 'matched', 'matched'])

    // The same command keeps to what it knows.
    const again = await summaryOf(place, files, tap.url)
    expect(again).toEqual({ code: 3, billedCount: 0, cachedCount: 3, asked: { hierarchy: 0 } })
    isBroken = false
    const retried = await summaryOf(place, ['retry', ...files, '--status', 'failed'], tap.url)
    expect(retried).toEqual({ code: 0, billedCount: 0, cachedCount: 3, asked: { hierarchy: 1 } })
    expect(column(place, 'enrich_hierarchy_status')).toEqual(['completed', 'completed', 'completed'])
    expect(column(place, 'enrich_hierarchy_error')).toEqual(['', '', ''])
    const begun = [...tap.begun].filter(([what]) => what.includes('hierarchy'))
    expect(Object.fromEntries(begun)).toEqual({
      '/v1/entity/siq_company0/hierarchy': 1,
      '/v1/entity/siq_company1/hierarchy': 2,
      '/v1/entity/siq_company2/hierarchy': 1,
    })
    expect(service.ledger('alice')).toHaveLength(3)
  })
})
