import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rateLimits } from '../../src/contract/limits.js'
import { startProgram } from '../support/child-process.js'
import { keys } from '../support/keys.js'
import { startPostgres, type PostgresServer } from '../support/postgres-server.js'
import { Chance } from '../simulation/chance.js'

export interface LimitsOptions {
  readonly seed: number
  readonly minutes: number
  readonly workers: number
  /** Between two kills of a process; each is started again. */
  readonly killEverySeconds: number
  /** Of requests that the service refuses for a second though its minute is not full. */
  readonly refusedShares: { readonly submissions: number; readonly polls: number }
  readonly say: (line: string) => void
}

/** Of one limit of the service, over the time that was judged. */
interface UseOfLimit {
  readonly perMinute: number
  /** That were taken: those that the service refused are not among them. */
  readonly taken: number
  readonly refused: number
  /** What was taken of all that the limit allows in the time. */
  readonly share: number
  /** The same without the time in which the service had told all to wait. */
  readonly shareOfAllowed: number
  /** What was sent in its turn, of the same: with what the service refused though its minute was not full. */
  readonly sentShareOfAllowed: number
  /** Requests that came, refused or not, in the fullest calendar minute and the fullest span of sixty seconds. */
  readonly mostInMinute: number
  readonly mostInWindow: number
  /** The longest times without a request, in milliseconds, with when they began. */
  readonly gaps: readonly { readonly atMs: number; readonly ms: number }[]
}

export interface LimitsResult {
  readonly submissions: UseOfLimit
  readonly polls: UseOfLimit
  /** Turns that PostgreSQL gave in the time, by the limit they are for, and the distance in milliseconds at the end. */
  readonly turns: Record<string, { given: number; spacingMs: number }>
  readonly kills: number
  /** How commands ended that were not killed. */
  readonly endings: string[]
}

interface Came {
  readonly isSubmission: boolean
  readonly atMs: number
  readonly status: number
}

const windowMs = rateLimits.windowSeconds * 1_000
/** What a refusal by the plan of faults tells everybody to wait. */
const refusedForMs = 1_000
/** The first runs are ready to be polled by then, and the first lookups that a new process wants are written. */
const warmUpMs = 150_000
/** The clocks of machines: one is right, others are minutes off. */
const skewsMs = [300_000, -300_000, 0, 120_000]

const dist = new URL('../../dist/', import.meta.url)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** What is loaded before the command: the clock of its machine. */
const skewed = (skewMs: number) => `
  const { now } = Date
  const Real = Date
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(now() + ${skewMs}) : super(...given) }
    static now() { return now() + ${skewMs} }
  }`

/** Real commands with one key and one input, for minutes; counted by the service. Throws where they run out of work. */
export async function runLimits(programs: string, options: LimitsOptions): Promise<LimitsResult> {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-limits-'))
  const server = await startPostgres(programs)
  const { submissions, polls } = options.refusedShares
  const child = startProgram(
    new URL('../support/limits-service-child.ts', import.meta.url).href,
    join(folder, 'service'),
    String(options.seed),
    String(submissions),
    String(polls),
  )
  const run = new LimitsRun(options, folder, server, await child.nextLine())
  try {
    const figuresUrl = await child.nextLine()
    const { fromMs, toMs, ...done } = await run.run()
    const came = ((await (await fetch(figuresUrl)).json()) as Came[]).sort((a, b) => a.atMs - b.atMs)
    const of = (isSubmission: boolean, perMinute: number) =>
      useOf(
        came.filter((one) => one.isSubmission === isSubmission),
        perMinute,
        [fromMs, toMs],
      )
    return {
      submissions: of(true, rateLimits.submissionsPerMinute),
      polls: of(false, rateLimits.pollsPerMinute),
      ...done,
    }
  } finally {
    await run.end()
    await child.kill()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

class LimitsRun {
  readonly #running = new Map<number, ChildProcess>()
  readonly #endings: string[] = []
  #isOver = false

  constructor(
    private readonly options: LimitsOptions,
    private readonly folder: string,
    private readonly server: PostgresServer,
    private readonly serviceUrl: string,
  ) {
    const { minutes, workers, seed } = options
    const count = Math.ceil((minutes + warmUpMs / windowMs + 2) * rateLimits.submissionsPerMinute)
    const names = Array.from({ length: count }, (_, index) => `Company ${seed}-${index}`)
    for (let worker = 0; worker < workers; worker++) {
      mkdirSync(this.#placeOf(worker))
      writeFileSync(join(this.#placeOf(worker), 'in.csv'), `name\n${names.join('\n')}\n`)
      const config = { limits: { inFlightRunsMax: 50_000 } }
      writeFileSync(join(this.#placeOf(worker), 'pipeline.config.json'), JSON.stringify(config))
    }
  }

  async run(): Promise<Pick<LimitsResult, 'turns' | 'kills' | 'endings'> & { fromMs: number; toMs: number }> {
    const { minutes, workers, killEverySeconds, seed, say } = this.options
    const chance = new Chance(seed)
    for (let worker = 0; worker < workers; worker++) void this.#keepRunning(worker)
    await pause(warmUpMs)
    const fromMs = performance.timeOrigin + performance.now()
    const before = this.#turns()
    say(`  begun; judged for ${minutes} minutes from here on`)
    const toMs = fromMs + minutes * windowMs
    let kills = 0
    for (;;) {
      const leftMs = toMs - (performance.timeOrigin + performance.now())
      await pause(Math.max(0, Math.min(leftMs, killEverySeconds * 1_000)))
      if (leftMs <= killEverySeconds * 1_000) break
      const worker = chance.whole(0, workers - 1)
      say(`  process ${worker} is killed`)
      if (this.#running.get(worker)?.kill('SIGKILL') === true) kills++
    }
    const turns = Object.fromEntries(
      Object.entries(this.#turns()).map(([route, { given, spacingMs }]) => [
        route,
        { given: given - (before[route]?.given ?? 0), spacingMs },
      ]),
    )
    return { fromMs, toMs, turns, kills, endings: this.#endings }
  }

  async end(): Promise<void> {
    this.#isOver = true
    const ended = [...this.#running.values()].map((child) => once(child, 'close'))
    for (const child of this.#running.values()) child.kill('SIGKILL')
    await Promise.all(ended)
  }

  #turns(): LimitsResult['turns'] {
    const lines = this.server.sql('SELECT route, given, spacing_ms FROM enrich.paces').split('\n')
    const rows = lines.map((line) => line.split('|'))
    return Object.fromEntries(
      rows.map(([route = '', given, spacing]) => [
        route,
        { given: Number(given), spacingMs: Number(spacing) },
      ]),
    )
  }

  #placeOf(worker: number): string {
    return join(this.folder, `worker-${worker}`)
  }

  async #keepRunning(worker: number): Promise<void> {
    while (!this.#isOver) {
      const preload = `data:text/javascript,${encodeURIComponent(skewed(skewsMs[worker % skewsMs.length] ?? 0))}`
      const main = fileURLToPath(new URL('cli/main.js', dist))
      const child = spawn(
        process.execPath,
        [
          '--import',
          preload,
          main,
          'in.csv',
          '-o',
          'out.csv',
          '--partial',
          '--quiet',
          '--job',
          'limits',
          '--checkpoint',
          this.server.url(),
        ],
        {
          cwd: this.#placeOf(worker),
          env: {
            PATH: process.env['PATH'],
            TMPDIR: this.#placeOf(worker),
            ENRICH_BASE_URL: this.serviceUrl,
            ENRICH_API_KEY: keys.alice,
          },
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      )
      const killWithParent = () => child.kill('SIGKILL')
      process.once('exit', killWithParent)
      this.#running.set(worker, child)
      let stderr = ''
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      process.off('exit', killWithParent)
      this.#running.delete(worker)
      if (code !== null) this.#endings.push(`exit ${code}: ${stderr.slice(-1_000)}`)
      await pause(1_000)
    }
  }
}

function useOf(came: readonly Came[], perMinute: number, [fromMs, toMs]: [number, number]): UseOfLimit {
  const judged = came.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
  const refused = judged.filter(({ status }) => status === 429)
  const taken = judged.length - refused.length
  const spanMs = toMs - fromMs
  const heldMs = lengthOf(refused.map(({ atMs }) => [atMs, Math.min(atMs + refusedForMs, toMs)]))
  const allowed = (perMinute * (spanMs - heldMs)) / windowMs
  const most = (windows: Iterable<number>) => Math.max(0, ...windows)
  return {
    perMinute,
    taken,
    refused: refused.length,
    share: taken / ((perMinute * spanMs) / windowMs),
    shareOfAllowed: taken / allowed,
    sentShareOfAllowed: judged.length / allowed,
    mostInMinute: most(countsBy(came, ({ atMs }) => Math.floor(atMs / windowMs)).values()),
    mostInWindow: most(rollingCounts(came)),
    gaps: gapsOf(judged, fromMs),
  }
}

/** Of spans that may overlap, in order. */
function lengthOf(spans: readonly (readonly [number, number])[]): number {
  let [length, endMs] = [0, -Infinity]
  for (const [fromMs, toMs] of spans) {
    length += Math.max(0, toMs - Math.max(fromMs, endMs))
    endMs = Math.max(endMs, toMs)
  }
  return length
}

const gapsTold = 8

function gapsOf(judged: readonly Came[], fromMs: number): UseOfLimit['gaps'] {
  return judged
    .map(({ atMs }, index) => {
      const before = judged[index - 1]?.atMs ?? fromMs
      return { atMs: Math.round(before - fromMs), ms: Math.round(atMs - before) }
    })
    .sort((one, other) => other.ms - one.ms)
    .slice(0, gapsTold)
}

function countsBy<Item>(items: readonly Item[], keyOf: (item: Item) => number): Map<number, number> {
  const counts = new Map<number, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** For each request, how many came in the window that it ends. */
function rollingCounts(came: readonly Came[]): number[] {
  let first = 0
  return came.map(({ atMs }, index) => {
    while (atMs - (came[first]?.atMs ?? atMs) >= windowMs) first++
    return index - first + 1
  })
}
