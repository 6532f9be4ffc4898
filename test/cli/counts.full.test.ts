import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSeededFractions } from '../../src/platform/clock.js'
import { startService, type RunningService } from '../../src/service/service.js'
import { canary, createPlace, quickConfig, type CliOptions, type CliPlace } from '../support/cli.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { companyWorld } from '../support/stage-job.js'
import { readJsonLines } from '../support/json-lines.js'

const nameCount = 24
const companyCount = 8
/** More by the environment: COUNT_SEEDS=50. */
const seeds = Array.from({ length: Number(process.env['COUNT_SEEDS'] ?? 2) }, (_, index) => index + 1)
const stores = findPostgres() === null ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const)
const acts = ['whole', 'lookups', 'killed', 'terminated', 'domains', 'rows'] as const
const kinds = { lookups: 'resolution', domains: 'domain', records: 'entity', owners: 'hierarchy' } as const
type Counts = Record<string, number>

const toNumber = (text: string | undefined) => Number((text ?? '').replaceAll(',', ''))

/** Reads `133 submissions (130 lookups · 3 domains)`. */
function readSubmissions(text: string): Counts {
  const [, total = '0', inBrackets] = /([\d,]+) submissions?(?: \(([^)]*)\))?/.exec(text) ?? []
  if (inBrackets === undefined) return total === '0' ? {} : { resolution: toNumber(total) }
  const parts = inBrackets.split(' · ').map((part) => /^([\d,]+) (\w+)$/.exec(part) ?? [])
  const counts = parts.map(([, count, noun]) => [kinds[noun as keyof typeof kinds], toNumber(count)] as const)
  expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(toNumber(total))
  return Object.fromEntries(counts)
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0)

const addUp = (all: readonly Counts[]): Counts => {
  const total: Counts = {}
  for (const one of all)
    for (const [kind, count] of Object.entries(one)) total[kind] = (total[kind] ?? 0) + count
  return total
}

interface Scope {
  readonly kind: string
  readonly submissions: number
}
interface Totals {
  readonly submittedCount: number
  readonly billedCount: number
  readonly isBilledAtMost: boolean
  readonly uncertainCount: number
}

const linesOf = (stdout: string) => readJsonLines(stdout)

describe.each(stores)('counts of submissions, with a checkpoint in %s', (store) => {
  let postgres: SharedPostgres | null = null
  beforeAll(async () => {
    if (store === 'postgres') postgres = await sharedPostgres(findPostgres() ?? '')
  }, 60_000)
  afterAll(() => postgres?.stop())

  const startWorld = (): Promise<RunningService> =>
    startService({
      knowledge: companyWorld(nameCount, companyCount),
      dataFolder: null,
      listen: { host: '127.0.0.1', port: 0 },
      accounts: [{ name: 'alice', apiKey: canary }],
      rateLimits: 'none',
      log: () => undefined,
    })

  /** Names, and rows with only a website. */
  const writeList = (place: CliPlace, count: number) => {
    const named = Array.from({ length: count }, (_, index) => `Company ${index},Leeds,`)
    place.write(
      'list.csv',
      ['company_name,city,website', ...named, ',,company1.com', ',,other.com', ''].join('\n'),
    )
  }

  // Of a server, the last one alone.
  test.each(store === 'sqlite' ? seeds.slice(0, -1) : seeds.slice(-1))(
    'are the same in status, runs, runs --run and the report, whatever the history (seed %i)',
    async (seed) => {
      const fraction = createSeededFractions(seed * 7_919)
      const pick = (count: number) => Math.floor(fraction() * count)
      const service = await startWorld()
      const place = createPlace()
      try {
        const url = postgres === null ? null : postgres.createDatabase(`counts_${seed}`)
        const options: CliOptions = { env: { ENRICH_BASE_URL: service.url } }
        const checkpoint = url === null ? {} : { checkpoint: { path: url } }
        place.write('pipeline.config.json', JSON.stringify({ ...quickConfig, ...checkpoint }))
        const history: string[] = []
        const show = (...args: string[]) => place.run(args, options)

        const check = async () => {
          const told = history.join(', ')
          const status = linesOf((await show('status', '--json')).stdout)[0] as unknown as { scopes: Scope[] }
          const inCheckpoint = Object.fromEntries(
            status.scopes
              .filter(({ submissions }) => submissions > 0)
              .map(({ kind, submissions }) => [kind, submissions]),
          )
          expect(readSubmissions((await show('status')).stdout), told).toEqual(inCheckpoint)
          const lines = linesOf((await show('runs', '--json')).stdout)
          const totals = lines.at(-1) as unknown as Totals
          const table = (await show('runs')).stdout
          const ofRuns: Counts[] = []
          for (const { number } of lines.slice(0, -1)) {
            const one = (await show('runs', '--run', String(number))).stdout
            const counts = readSubmissions(/^ {2}counts .*$/m.exec(one)?.[0] ?? '')
            ofRuns.push(counts)
            const row = new RegExp(`^ *${String(number)}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d .*$`, 'm').exec(
              table,
            )?.[0]
            const shown = (row ?? '').trim().split(/ {2,}/)
            expect(shown, told).toContain(String(sum(Object.values(counts))))
          }
          expect(addUp(ofRuns), told).toEqual(inCheckpoint)
          expect(totals.submittedCount, told).toBe(sum(Object.values(inCheckpoint)))
          expect(table, told).toContain(`, ${totals.submittedCount} submitted, `)
          const charged = service.ledger('alice').length
          expect(totals.billedCount + totals.uncertainCount, told).toBeGreaterThanOrEqual(charged)
          expect(totals.isBilledAtMost, told).toBe(
            (inCheckpoint['domain'] ?? 0) > 0 && table.includes('at most'),
          )
          const report = (await show('report', String(lines[0]?.['number']), '-o', '-')).stdout
          const tile = /<dt>Submitted<\/dt>\s*<dd>([^<]*)<\/dd>/.exec(report)?.[1]
          expect(toNumber(tile), told).toBe(sum(Object.values(ofRuns[0] ?? {})))
        }

        for (const act of [...Array.from({ length: 2 }, () => acts[pick(acts.length)] ?? 'whole'), 'whole']) {
          history.push(act)
          writeList(place, act === 'rows' ? 6 : nameCount)
          const before = service.ledger('alice').length
          const some = 1 + pick(6)
          const withStages = act === 'domains' ? [] : ['--with', 'entity,domain']
          const flags = act === 'lookups' ? ['--max-lookups', String(some)] : []
          const running = place.start(['list.csv', '-o', 'out.csv', ...withStages, ...flags], options)
          if (act === 'killed' || act === 'terminated') {
            const isReached = () =>
              service.ledger('alice').length >= before + some || running.child.exitCode !== null
            await expect.poll(isReached, { interval: 1, timeout: 20_000 }).toBe(true)
            running.child.kill(act === 'killed' ? 'SIGKILL' : 'SIGTERM')
          }
          await running.ended
        }
        await check()
      } finally {
        await service.close()
      }
    },
    240_000,
  )

  test('a domain that another customer asked about before is billed "at most": the ledger has nothing', async () => {
    const service = await startWorld()
    const place = createPlace()
    const options: CliOptions = { env: { ENRICH_BASE_URL: service.url } }
    place.write('pipeline.config.json', JSON.stringify(quickConfig))
    place.write('list.csv', 'company_name,website\n,company1.com\n,company2.com\n')
    await place.run(['list.csv', '-o', 'first.csv', '--checkpoint', 'other.sqlite'], options)
    const charged = service.ledger('alice').length
    const { stderr } = await place.run(['list.csv', '-o', 'out.csv'], options)
    expect(service.ledger('alice')).toHaveLength(charged)
    expect(stderr).toContain('2 submitted, at most 2 billed')
    expect(stderr).not.toContain('each billed')
    expect((await place.run(['runs'], options)).stdout).toContain('2 submitted, at most 2 billed')
    await service.close()
  })
})
