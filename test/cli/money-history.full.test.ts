import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/pipeline/history/run-summary.js'
import { renderLiveBody, LiveRun } from '../../src/report/live/live-page.js'
import { at, canary, companiesCsv, createPlace, quickConfig } from '../support/cli.js'
import { startStrangeService, type Fault, type StrangeService } from '../support/strange-service.js'
import { createSeededFractions } from '../../src/platform/clock.js'
import { readJsonLines } from '../support/json-lines.js'

/** More by the environment: MONEY_SEEDS=200 MONEY_FIRST_SEED=1. */
const seedCount = Number(process.env['MONEY_SEEDS'] ?? 1)
const firstSeed = Number(process.env['MONEY_FIRST_SEED'] ?? 1)

const lookupCount = 24
const names = Array.from({ length: lookupCount }, (_, index) => `Company ${index}`)
const command = ['companies.csv', '-o', 'out.csv', '--basis', 'none', '--json']
const unitPrice = 0.05
const submitConcurrency = 3

const acts = [
  'whole',
  'budget',
  'lookups',
  'partial',
  'killed',
  'terminated',
  'credit',
  'lossy',
  'refused',
] as const
type Act = (typeof acts)[number]

const cents = (units: number): number => Math.round(units * 100)
const priceCents = cents(unitPrice)
const euros = (amount: number): string => `EUR ${(amount / 100).toFixed(2)}`

const plainSpaces = (text: string): string => text.replace(/\u00a0/g, ' ')

interface Json extends Record<string, unknown> {
  readonly type: string
}
const linesOf = (stdout: string) => readJsonLines<Json>(stdout)

interface RunLine {
  readonly number: number
  readonly record: { readonly money: { readonly cost: number; readonly uncertainCost: number } }
}
interface Totals {
  readonly submittedCount: number
  readonly billedCount: number
  readonly uncertainCount: number
  readonly costs: readonly {
    readonly currency: string
    readonly cost: number
    readonly lookupCount: number
  }[]
}
interface Plan {
  readonly cost: { readonly amount: number }
  readonly plan: { readonly submit: number }
}

/** A service whose faults and whose observer can be exchanged between runs. */
async function startService(): Promise<{
  service: StrangeService
  set: (fault: (() => Fault | undefined) | null, onAccepted?: (count: number) => void) => void
  close: () => Promise<void>
}> {
  let faultNow: (() => Fault | undefined) | null = null
  let accepted: (count: number) => void = () => undefined
  const service = await startStrangeService({
    apiKey: canary,
    runTakes: { polls: 1 },
    faults: ({ method }) => (method === 'POST' ? faultNow?.() : undefined),
    accepted: (_, { runs }) => {
      accepted(runs.length)
    },
  })
  return {
    service,
    set: (fault, onAccepted = () => undefined) => {
      faultNow = fault
      accepted = onAccepted
    },
    close: () => service.close(),
  }
}

test.concurrent.each(Array.from({ length: seedCount }, (_, index) => firstSeed + index))(
  'The service, the list of runs, the report, the plan, the live page and the metrics agree on money (seed %i)',
  async (seed) => {
    const fraction = createSeededFractions(seed * 7_919)
    const pick = (count: number) => Math.floor(fraction() * count)
    const cleanups: (() => void | Promise<void>)[] = []
    const place = createPlace((cleanup) => cleanups.push(cleanup as () => void))
    const { service, set, close } = await startService()
    try {
      place.write('companies.csv', companiesCsv(names))
      const limits = { ...quickConfig.limits, submitConcurrency }
      const billing = { unitPrice, currency: 'EUR' }
      place.write('pipeline.config.json', JSON.stringify({ ...quickConfig, limits, billing }))
      const options = at(service)
      const history: Act[] = []

      const perform = async (act: Act): Promise<void> => {
        history.push(act)
        const before = service.runs.length
        const some = 1 + pick(8)
        const flags: Partial<Record<Act, readonly string[]>> = {
          budget: ['--max-cost', String((some * priceCents) / 100)],
          lookups: ['--max-lookups', String(some)],
          partial: ['--partial', '--max-cost', String((some * priceCents + 4) / 100)],
        }
        const isSignalled = act === 'killed' || act === 'terminated'
        const env = act === 'refused' ? { ...options.env, ENRICH_API_KEY: 'wrong-key' } : options.env
        let lost = 0
        const faults: Partial<Record<Act, () => Fault | undefined>> = {
          credit: () => (service.runs.length >= before + some ? { status: 402, body: {} } : undefined),
          lossy: () => (lost++ < 1 ? 'accept_then_reset' : undefined),
        }
        const running = place.start([...command, '--metrics-file', 'run.prom', ...(flags[act] ?? [])], {
          env: env ?? {},
        })
        set(faults[act] ?? null, (count) => {
          if (isSignalled && count === before + some)
            running.child.kill(act === 'killed' ? 'SIGKILL' : 'SIGTERM')
        })
        const { stdout, code } = await running.ended
        set(null)
        const told = `${history.join(', ')} (exit ${code ?? 'by a signal'})`
        await checkRuns(told, { events: linesOf(stdout), billed: service.runs.length - before, code })
      }

      const runs = async () => {
        const lines = linesOf((await place.run(['runs', '--json'])).stdout)
        const list = lines.filter(({ type }) => type === 'run') as unknown as RunLine[]
        return { list, totals: lines.at(-1) as unknown as Totals }
      }

      /** The list of runs against the service; the last run against its metrics and its live page. */
      const checkRuns = async (
        told: string,
        { events, billed, code }: { events: Json[]; billed: number; code: number | null },
      ) => {
        const { list, totals } = await runs()
        const all = service.runs.length
        expect(totals.billedCount, told).toBeLessThanOrEqual(all)
        expect(totals.billedCount + totals.uncertainCount, told).toBeGreaterThanOrEqual(all)
        expect(totals.submittedCount, told).toBe(totals.billedCount + totals.uncertainCount)
        const [total] = totals.costs
        expect([cents(total?.cost ?? 0), total?.lookupCount], told).toEqual([
          totals.billedCount * priceCents,
          totals.billedCount,
        ])
        const sum = list.reduce((cost, { record }) => cost + cents(record.money.cost), 0)
        expect(sum, told).toBe(cents(total?.cost ?? 0))
        const [last] = list
        const cost = cents(last?.record.money.cost ?? 0)
        const costMax = cost + cents(last?.record.money.uncertainCost ?? 0)
        expect([cost <= billed * priceCents, billed * priceCents <= costMax], told).toEqual([true, true])
        // A process that is killed says nothing of its end.
        if (code === null) return
        const metric = (name: string) =>
          Number(new RegExp(`^enrich_run_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(place.read('run.prom'))?.[1])
        expect([cents(metric('cost')), cents(metric('uncertain_cost'))], told).toEqual([cost, costMax - cost])
        const live = new LiveRun({ command: 'enrich', startedAtMs: 0, nowMs: () => 0 })
        for (const event of events) if (event.type !== 'finished') live.observe(event as unknown as RunEvent)
        const shown = /<dt>Cost so far<\/dt>\s*<dd>([^<]*)<\/dd>/.exec(
          plainSpaces(String(renderLiveBody(live.getData()))),
        )?.[1]
        expect(shown, told).toBe(euros(cost))
      }

      /** The report of the newest run against the list; the plan against what the next run is billed. */
      const checkAll = async () => {
        const { list, totals } = await runs()
        const report = await place.run(['report', String(list[0]?.number), '-o', '-'])
        const told = history.join(', ')
        expect(/([A-Z]{3} [\d.,]+) in all/.exec(plainSpaces(report.stdout))?.[1], told).toBe(
          euros(totals.billedCount * priceCents),
        )
        const { stdout } = await place.run(['plan', ...command, '--max-cost', '0.10'], options)
        const plan = linesOf(stdout)[0] as unknown as Plan
        expect(plan.plan.submit + totals.submittedCount, told).toBe(lookupCount)
        expect(cents(plan.cost.amount), told).toBe(plan.plan.submit * priceCents)
        const before = service.runs.length
        await perform('whole')
        expect((service.runs.length - before) * priceCents, told).toBe(cents(plan.cost.amount))
      }

      for (let step = 0; step < 3; step++) await perform(acts[1 + pick(acts.length - 1)] ?? 'whole')
      await checkAll()
    } finally {
      await close()
      for (const cleanup of cleanups) await cleanup()
    }
  },
  180_000,
)
