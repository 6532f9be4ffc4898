import { describe, expect, test } from 'vitest'
import { at, canary, companiesCsv, createPlace, quickConfig, type CliPlace } from '../support/cli.js'
import {
  startForeignService,
  type ForeignService,
  type ForeignServiceOptions,
} from '../support/foreign-service.js'

const lookupCount = 40
const names = Array.from({ length: lookupCount }, (_, index) => `Company ${index}`)
const command = ['companies.csv', '-o', 'out.csv', '--basis', 'none']
const unitPrice = 0.05
const submitConcurrency = 4

interface Context {
  readonly onTestFinished: NonNullable<Parameters<typeof createPlace>[0]>
}

async function prepared(
  { onTestFinished }: Context,
  billing: object = { unitPrice, currency: 'EUR' },
  options: ForeignServiceOptions = {},
): Promise<{ place: CliPlace; service: ForeignService; options: ReturnType<typeof at> }> {
  const place = createPlace(onTestFinished)
  place.write('companies.csv', companiesCsv(names))
  const limits = { ...quickConfig.limits, submitPerMinute: 2_400, submitConcurrency }
  place.write('pipeline.config.json', JSON.stringify({ ...quickConfig, limits, billing }))
  const service = await startForeignService({ apiKey: canary, ...options })
  onTestFinished(() => service.close())
  return { place, service, options: at(service) }
}

async function untilBilled(service: ForeignService, count: number): Promise<void> {
  while (service.runs.length <= count) await new Promise((resolve) => setTimeout(resolve, 5))
}

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('--max-cost', () => {
  test.concurrent(
    'is kept over kills: what the service billed never exceeds it, and the same command goes on',
    async (context) => {
      const { place, service, options } = await prepared(context)
      const bounded = [...command, '--max-cost', '1']
      for (const killedAt of [5, 11]) {
        const running = place.start(bounded, options)
        await untilBilled(service, killedAt)
        running.child.kill('SIGKILL')
        await running.ended
        expect(service.runs.length).toBeLessThanOrEqual(20)
      }
      const { code, stderr } = await place.run(bounded, options)
      expect([code, stderr]).toEqual([8, expect.stringContaining('error COST_MAX_REACHED: ')])
      expect(stderr).toContain('one lookup more could cost more than --max-cost EUR 1.00')
      expect(service.runs.length).toBeLessThanOrEqual(20)
      // What was in flight at a kill may not have been billed, and counts.
      expect(service.runs.length).toBeGreaterThanOrEqual(20 - 2 * submitConcurrency)
      const billed = service.runs.length
      // A budget of its own is enough for the rest; rows whose submission a kill cut off stay uncertain.
      expect([0, 3]).toContain((await place.run(bounded, options)).code)
      expect(service.runs.length - billed).toBeLessThanOrEqual(20)
      expect(new Set(service.runs.map(({ query }) => query.name)).size).toBe(service.runs.length)
    },
  )

  test.concurrent('that is too little for one lookup submits nothing', async (context) => {
    const { place, service, options } = await prepared(context)
    const { code, stderr } = await place.run([...command, '--max-cost', '0.049999'], options)
    expect([code, stderr]).toEqual([8, expect.stringContaining('--max-cost EUR 0.05')])
    expect(service.requests).toEqual([])
  })

  test.concurrent('counts what may have been billed', async (context) => {
    const faults: ForeignServiceOptions['faults'] = ({ method }) =>
      method === 'POST' ? 'accept_then_reset' : undefined
    const { place, service, options } = await prepared(context, { unitPrice }, { faults })
    const { code, stdout } = await place.run([...command, '--max-cost', '0.1', '--json'], options)
    expect([code, service.runs.length]).toEqual([8, 2])
    expect(linesOf(stdout).find(({ type }) => type === 'finished')).toMatchObject({
      summary: { money: { currency: null, cost: 0, uncertainCost: 0.1 }, uncertainCount: 2 },
      stopped: { code: 'COST_MAX_REACHED' },
    })
  })

  test.concurrent('without a price, and what is no amount, stop before anything', async (context) => {
    const { place, service, options } = await prepared(context, {})
    const without = await place.run([...command, '--max-cost', '1'], options)
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining('error BILLING_PRICE_MISSING: '),
    ])
    const onCost = await place.run([...command, '--fail-on', 'cost>1'], options)
    expect([onCost.code, onCost.stderr]).toEqual([
      2,
      expect.stringContaining('error BILLING_PRICE_MISSING: '),
    ])
    for (const amount of ['-1', '1e3', 'EUR 5', '0.0000001', '', '1,5'])
      expect((await place.run([...command, `--max-cost=${amount}`], options)).code).toBe(2)
    expect(service.requests).toEqual([])
  })
})

describe('amounts', () => {
  test.concurrent('stand in plan, progress and summary, in words and in JSON', async (context) => {
    const { place, options } = await prepared(context)
    const plan = await place.run(['plan', ...command], options)
    expect(plan.stdout).toContain('Cost: 40 lookups, each billed once: EUR 2.00\n')
    const bounded = await place.run(['plan', ...command, '--max-cost', '1.5'], options)
    expect(bounded.stdout).toContain('each billed once: EUR 1.50 (--max-cost)\n')
    const domains = await place.run(['plan', ...command, '--with', 'domain'], options)
    expect(domains.stdout).toContain(
      'Cost: 40 lookups and at most 40 domains, each billed once: EUR 2.00, at most EUR 4.00\n',
    )
    const asJson = await place.run(['plan', ...command, '--with', 'domain', '--json'], options)
    expect(linesOf(asJson.stdout)[0]).toMatchObject({
      cost: { currency: 'EUR', amount: 2, amountMax: 4, costMax: null },
    })
    const run = await place.run([...command, '--json', '--log-level', 'debug'], options)
    const money = {
      currency: 'EUR',
      cost: 2,
      uncertainCost: 0,
      byKind: { resolution: { count: 40, unitPrice } },
    }
    const lines = linesOf(run.stdout)
    expect(lines.find(({ type }) => type === 'finished')).toMatchObject({ summary: { money } })
    expect(lines.filter(({ type }) => type === 'progress').at(-1)).toMatchObject({ progress: { money } })
    expect(run.stderr).toMatch(/^ {2}cost {6}EUR 2\.00 {3}\(40 lookups at EUR 0\.05\)$/m)
    expect(run.stderr).toMatch(/ · EUR 2\.00 · /)
    const again = await place.run(command, options)
    expect(again.stderr).toMatch(/^ {2}cost {6}EUR 0\.00$/m)
    const runs = await place.run(['runs'], options)
    expect(runs.stdout.match(/ EUR [\d.]+ /g)).toEqual([' EUR 0.00 ', ' EUR 2.00 '])
  })

  test.concurrent('have the decimals of their currency', async (context) => {
    const { place, options } = await prepared(context, { unitPrice: 7.5, currency: 'JPY' })
    expect((await place.run([...command, '--limit', '3'], options)).stderr).toMatch(
      /^ {2}cost {6}JPY 23 {3}\(3 lookups at JPY 7\.5\)$/m,
    )
    expect((await place.run(['runs'], options)).stdout).toContain(' JPY 23 ')
    const plain = await prepared(context, { unitPrice: 0.001 })
    await plain.place.run([...command, '--limit', '3'], plain.options)
    const { stdout } = await plain.place.run(['runs'], plain.options)
    expect([stdout.includes(' 0.003 '), stdout.includes('null')]).toEqual([true, false])
  })

  test.concurrent(
    'are not shown without a price, nor where the embedded service answers',
    async (context) => {
      const { place, options } = await prepared(context, { currency: 'EUR' })
      const unpriced = await place.run([...command, '--limit', '2'], options)
      expect(unpriced.stderr).not.toMatch(/EUR|^ {2}cost/m)
      const free = createPlace(context.onTestFinished)
      free.write('companies.csv', companiesCsv(['Acme']))
      free.write('pipeline.config.json', JSON.stringify({ billing: { unitPrice, currency: 'EUR' } }))
      const run = await free.run([...command, '--max-cost', '0', '--json'])
      expect(run.code).toBe(0)
      expect(linesOf(run.stdout).find(({ type }) => type === 'finished')).toMatchObject({
        summary: { money: null },
      })
      expect((await free.run(['plan', ...command])).stdout).toContain('nothing: the embedded service is free')
    },
  )

  test.concurrent.for([
    { unitPrice: -1 },
    { unitPrice: '0.05' },
    { unitPrice: 1e-7 },
    { currency: 'euro' },
    { prices: 1 },
  ])('a config with %j is refused', async (billing, context) => {
    const { place, options } = await prepared(context, billing)
    const { code, stderr } = await place.run(command, options)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/error CONFIG_INVALID: .*billing/)])
  })
})
