import { utimesSync } from 'node:fs'
import { describe, expect, test, type TestContext } from 'vitest'
import { startService } from '../../src/service/service.js'
import { at, canary, companiesCsv, createPlace, quickConfig } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import type { StrangeService, StrangeServiceOptions } from '../support/strange-service.js'
import { companyWorld } from '../support/stage-job.js'
import { readJsonLines } from '../support/json-lines.js'

const lookupCount = 40
const names = Array.from({ length: lookupCount }, (_, index) => `Company ${index}`)
const command = ['companies.csv', '-o', 'out.csv', '--basis', 'none']
const unitPrice = 0.05
const submitConcurrency = 4

const prepared = (
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  billing: object = { unitPrice, currency: 'EUR' },
  options: StrangeServiceOptions = {},
) => {
  const limits = { ...quickConfig.limits, submitPerMinute: 2_400, submitConcurrency }
  return createHostedPlace(names, { ...options, config: { limits, billing } }, onTestFinished)
}

async function untilBilled(service: StrangeService, count: number): Promise<void> {
  while (service.runs.length <= count) await new Promise((resolve) => setTimeout(resolve, 5))
}

const linesOf = (stdout: string) => readJsonLines(stdout)

describe('--max-cost', () => {
  test.concurrent(
    'is kept over kills: what the service billed never exceeds it, and the same command goes on',
    async (context) => {
      const { place, service, hosted: options } = await prepared(context)
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
      expect(stderr).toContain('the next lookup could exceed --max-cost EUR 1.00')
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
    const { place, service, hosted: options } = await prepared(context)
    const { code, stderr } = await place.run([...command, '--max-cost', '0.049999'], options)
    expect([code, stderr]).toEqual([8, expect.stringContaining('--max-cost EUR 0.05')])
    expect(service.requests).toEqual([])
  })

  test.concurrent('counts what may have been billed', async (context) => {
    const faults: StrangeServiceOptions['faults'] = ({ method }) =>
      method === 'POST' ? 'accept_then_reset' : undefined
    const { place, service, hosted: options } = await prepared(context, { unitPrice }, { faults })
    const { code, stdout } = await place.run([...command, '--max-cost', '0.1', '--json'], options)
    expect([code, service.runs.length]).toEqual([8, 2])
    expect(linesOf(stdout).find(({ type }) => type === 'finished')).toMatchObject({
      summary: { money: { currency: null, cost: 0, uncertainCost: 0.1 }, uncertainCount: 2 },
      stopped: { code: 'COST_MAX_REACHED' },
    })
  })

  test.concurrent('without a price, and what is no amount, stop before anything', async (context) => {
    const { place, service, hosted: options } = await prepared(context, {})
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

describe('a budget', () => {
  test.concurrent(
    'is told apart from the whole cost by plan and by run, before anything is submitted',
    async (context) => {
      const { place, service, hosted: options } = await prepared(context)
      const costOf = async (...flags: string[]) => {
        const { stdout } = await place.run(['plan', ...command, ...flags], options)
        return /^Cost: (.*)$/m.exec(stdout)?.[1]
      }
      expect(await costOf('--max-cost', '0.5')).toBe(
        'EUR 2.00 for 40 lookups; this run stops after 10 (EUR 0.50)',
      )
      expect(await costOf('--max-lookups', '7')).toBe(
        'EUR 2.00 for 40 lookups; this run stops after 7 (EUR 0.35)',
      )
      expect(await costOf('--max-lookups', '7', '--max-cost', '0.29')).toBe(
        'EUR 2.00 for 40 lookups; this run stops after 5 (EUR 0.25)',
      )
      expect(await costOf('--max-lookups', '40', '--max-cost', '2')).toBe(
        'EUR 2.00 for 40 lookups, each billed once',
      )
      expect(await costOf('--with', 'domain', '--max-cost', '3')).toBe(
        'EUR 2.00 for 40 lookups, at most EUR 4.00 with the lookups that follow from the answers; this run stops before it costs more than EUR 3.00',
      )
      expect(await costOf('--with', 'domain', '--max-cost', '3', '--max-lookups', '7')).toBe(
        'EUR 2.00 for 40 lookups, at most EUR 4.00 with the lookups that follow from the answers; this run stops after 7 (at most EUR 2.35)',
      )
      const asJson = await place.run(['plan', ...command, '--max-cost', '0.5', '--json'], options)
      expect(linesOf(asJson.stdout)[0]).toMatchObject({
        billedMax: 10,
        cost: { currency: 'EUR', amount: 2, amountMax: 2, costMax: 0.5 },
        budgetStop: { lookupCount: 10, amount: 0.5 },
      })
      expect(service.requests).toEqual([])
      const run = await place.run([...command, '--max-cost', '0.5'], options)
      expect(run.stderr).toMatch(
        /40 to submit\nCost: EUR 2\.00 for 40 lookups; this run stops after 10 \(EUR 0\.50\)\n/,
      )
      // What is answered by now costs nothing more.
      expect(await costOf('--max-cost', '0.5')).toBe(
        'EUR 1.50 for 30 lookups; this run stops after 10 (EUR 0.50)',
      )
    },
  )

  test.concurrent(
    'that is used up is told with what is left, and the same command starts a new one',
    async (context) => {
      const { place, service, hosted: options } = await prepared(context)
      const bounded = [...command, '--max-cost', '0.5']
      const told = async () => (await place.run(bounded, options)).stderr
      const first = await told()
      expect(first).toContain(
        'error COST_MAX_REACHED: the next lookup could exceed --max-cost EUR 0.50: EUR 0.50 of this budget is spent, all by this run; 30 lookups (EUR 1.50) are left to pay for\n  hint: the same command resumes with a new budget of EUR 0.50\n',
      )
      const running = place.start(bounded, options)
      await untilBilled(service, 15)
      running.child.kill('SIGTERM')
      await running.ended
      const ofSecond = service.runs.length - 10
      const plan = await place.run(['plan', ...bounded], options)
      const spent = `EUR ${(ofSecond * unitPrice).toFixed(2)}`
      expect(plan.stdout).toContain(`since an interrupted run spent ${spent} of the same budget`)
      // It was interrupted: what is counted is this budget, and not the one before it.
      const third = await told()
      expect(service.runs.length).toBe(20)
      expect(third).toContain(
        `EUR 0.50 of this budget is spent, EUR ${(0.5 - ofSecond * unitPrice).toFixed(2)} of it by this run; 20 lookups (EUR 1.00) are left to pay for`,
      )
      const lookups = await place.run([...command, '--max-lookups', '4'], options)
      expect(lookups.stderr).toContain(
        '--max-lookups 4 is reached: 4 lookups (EUR 0.20) of this budget are spent, all by this run; 16 lookups (EUR 0.80) are left to pay for\n  hint: the same command resumes with a new budget of 4 lookups\n',
      )
      const runs = await place.run(['runs'], options)
      expect(runs.stdout).toMatch(/\nTotal: 4 runs, 24 submitted, 24 billed, EUR 1\.20\n$/)
      const report = await place.run(['report', '4', '-o', '-'], options)
      expect(report.stdout.replaceAll('\u00a0', ' ')).toContain('EUR 1.20 in all')
    },
  )

  test.concurrent.for([
    [
      '--max-cost',
      /^No more lookups are submitted: the next lookup could exceed --max-cost EUR 0\.25; 35 lookups are left for another run\. The run waits for the answers to 5 lookups that are running \(COST_MAX_REACHED\)\.$/m,
    ],
    [
      '--max-lookups',
      /^No more lookups are submitted: --max-lookups 5 is reached; 35 lookups are left for another run\./m,
    ],
    [
      '402',
      /^No more lookups are submitted: the account's credit is used up: .* The run waits for the answers to 5 lookups/m,
    ],
  ] as const)(
    '%s is reported when it ends the submissions, while answers are waited for',
    async ([what, words], context) => {
      const faults: StrangeServiceOptions['faults'] = ({ method }) =>
        what === '402' && method === 'POST' && prepare.service.runs.length >= 5
          ? { status: 402, body: {} }
          : undefined
      const prepare = await prepared(context, undefined, { faults, runTakes: { ms: 3_600_000 } })
      const flags = what === '402' ? [] : [what, what === '--max-cost' ? '0.25' : '5']
      const running = prepare.place.start([...command, ...flags, '--json'], prepare.hosted)
      await running.sees(words)
      running.child.kill('SIGINT')
      const { stdout, code } = await running.ended
      expect(code).toBe(130)
      const { progress } = linesOf(stdout)
        .filter(({ type }) => type === 'progress')
        .at(-1) as { progress: Record<string, unknown> }
      expect(progress).toMatchObject({ toSubmit: 0, heldBack: 35, running: 5 })
    },
  )
})

describe('amounts', () => {
  test.concurrent('stand in plan, progress and summary, in words and in JSON', async (context) => {
    const { place, hosted: options } = await prepared(context)
    const plan = await place.run(['plan', ...command], options)
    expect(plan.stdout).toContain('Cost: EUR 2.00 for 40 lookups, each billed once\n')
    const bounded = await place.run(['plan', ...command, '--max-cost', '1.5'], options)
    expect(bounded.stdout).toContain('Cost: EUR 2.00 for 40 lookups; this run stops after 30 (EUR 1.50)\n')
    const domains = await place.run(['plan', ...command, '--with', 'domain'], options)
    expect(domains.stdout).toContain(
      'Cost: EUR 2.00 for 40 lookups, at most EUR 4.00 with the lookups that follow from the answers, each billed once\n',
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

  test.concurrent('of lost submissions that are reconciled count in the total', async (context) => {
    let lostCount = 0
    const faults: StrangeServiceOptions['faults'] = ({ method }) =>
      method === 'POST' && lostCount++ < 2 ? 'accept_then_reset' : undefined
    const { place, service, hosted: options } = await prepared(context, undefined, { faults })
    const readTotal = async () => /^Total: .*$/m.exec((await place.run(['runs'], options)).stdout)?.[0]
    expect((await place.run(command, options)).code).toBe(3)
    expect(await readTotal()).toContain('40 submitted, 38 billed, EUR 1.90; 2 more may have been billed')
    const [lost] = service.runs
    place.write('ledger.csv', `custom_id,run_id\n${lost?.customId ?? ''},${lost?.runId ?? ''}\n`)
    await place.run(['reconcile', 'ledger.csv'], options)
    expect(await readTotal()).toContain('40 submitted, 39 billed, EUR 1.95; 1 more may have been billed')
    const others = service.runs.map((one) => `${one.customId ?? ''},${one.runId}\n`).join('')
    place.write('ledger.csv', `custom_id,run_id\n${others}`)
    await place.run(['reconcile', 'ledger.csv'], options)
    await place.run(command, options)
    expect(await readTotal()).toBe('Total: 2 runs, 40 submitted, 40 billed, EUR 2.00')
  })

  test.concurrent('stay uncertain by a complete list that is dated in the future', async (context) => {
    let lostCount = 0
    const faults: StrangeServiceOptions['faults'] = ({ method }) =>
      method === 'POST' && lostCount++ < 2 ? 'accept_then_reset' : undefined
    const { place, service, hosted: options } = await prepared(context, undefined, { faults })
    expect((await place.run(command, options)).code).toBe(3)
    place.write('ledger.csv', 'custom_id,run_id\n')
    const complete = ['reconcile', 'ledger.csv', '--complete']
    const date = (aheadMs: number) => {
      const seconds = (Date.now() + aheadMs) / 1_000
      utimesSync(place.path('ledger.csv'), seconds, seconds)
    }
    for (const aheadMs of [6 * 60_000, 86_400_000, 400 * 86_400_000]) {
      date(aheadMs)
      const { code, stderr } = await place.run(complete, options)
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('error LEDGER_INVALID: ledger.csv is dated in the future: it proves nothing'),
      ])
      // Without --complete, its date proves nothing anyway.
      expect((await place.run(['reconcile', 'ledger.csv'], options)).stderr).not.toContain('LEDGER_INVALID')
    }
    await place.run(command, options)
    expect(service.runs).toHaveLength(40)
    // The clocks of two machines differ by this much.
    date(60_000)
    expect((await place.run(complete, options)).stderr).not.toContain('LEDGER_INVALID')
    await place.run(command, options)
    expect(service.runs).toHaveLength(42)
  })

  test.concurrent('have the decimals of their currency', async (context) => {
    const { place, hosted: options } = await prepared(context, { unitPrice: 7.5, currency: 'JPY' })
    expect((await place.run([...command, '--limit', '3'], options)).stderr).toMatch(
      /^ {2}cost {6}JPY 23 {3}\(3 lookups at JPY 7\.5\)$/m,
    )
    expect((await place.run(['runs'], options)).stdout).toContain(' JPY 23 ')
    const plain = await prepared(context, { unitPrice: 0.001 })
    await plain.place.run([...command, '--limit', '3'], plain.hosted)
    const { stdout } = await plain.place.run(['runs'], plain.hosted)
    expect([stdout.includes(' 0.003 '), stdout.includes('null')]).toEqual([true, false])
  })

  test.concurrent(
    'are not shown without a price, nor where the embedded service answers',
    async (context) => {
      const { place, hosted: options } = await prepared(context, { currency: 'EUR' })
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

  test.concurrent('do not include stages without a price, and say so', async (context) => {
    const { place } = await prepared(context, { unitPrice, currency: 'EUR', stagePrices: { entity: 0.1 } })
    place.write('companies.csv', companiesCsv(['Company 0', 'Company 1']))
    const service = await startService({
      knowledge: companyWorld(2, 2),
      dataFolder: null,
      listen: { host: '127.0.0.1', port: 0 },
      accounts: [{ name: 'alice', apiKey: canary }],
      rateLimits: 'none',
      pages: false,
      log: () => undefined,
    })
    context.onTestFinished(() => service.close())
    const options = at({ baseUrl: service.url })
    const planOf = async (stages: string) =>
      (await place.run(['plan', ...command, '--with', stages], options)).stdout
    expect(await planOf('hierarchy')).toContain(
      'Cost: EUR 0.10 for 2 lookups, each billed once; hierarchy has no price and is not counted\n',
    )
    expect(await planOf('entity')).not.toContain('not counted')
    const run = await place.run([...command, '--with', 'entity,hierarchy'], options)
    expect(run.stderr).toMatch(/^Cost: .*; hierarchy has no price and is not counted$/m)
    expect(run.stderr).toMatch(/^ {2}entity {4}2 companies · 2 submitted, at most 2 billed · complete 2$/m)
    expect(run.stderr).toMatch(
      /^ {2}hierarchy 2 companies · 2 submitted, not counted in the cost · completed 2$/m,
    )
    expect(run.stderr).toMatch(/^ {2}cost {6}at most EUR 0\.30 /m)
    const known = createPlace(context.onTestFinished)
    known.write('companies.csv', companiesCsv(['Company 0']))
    known.write('pipeline.config.json', JSON.stringify({ ...quickConfig, billing: { unitPrice } }))
    await known.run(command, options)
    expect((await known.run(['plan', ...command, '--with', 'hierarchy'], options)).stdout).toContain(
      'Cost: unknown: hierarchy has no price and is not counted\n',
    )
  })

  test.concurrent.for([
    { unitPrice: -1 },
    { unitPrice: '0.05' },
    { unitPrice: 1e-7 },
    { currency: 'euro' },
    { prices: 1 },
  ])('a config with %j is refused', async (billing, context) => {
    const { place, hosted: options } = await prepared(context, billing)
    const { code, stderr } = await place.run(command, options)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/error CONFIG_INVALID: .*billing/)])
  })
})
