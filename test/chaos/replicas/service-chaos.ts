import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mainPath } from '../../support/cli.js'
import { startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import { Chance } from '../../simulation/chance.js'
import { balanceSql, judge, runsSql, type Balance, type Judged, type StoredRun } from './judge.js'
import { startReceiver } from './receiver.js'
import { claimMs, Replica } from './replica.js'
import { Traffic, type Asked, type Fate, type Kind } from './traffic.js'

export interface ServiceChaosOptions {
  readonly seed: number
  readonly replicas: number
  /** Runs and jobs of v3 with webhooks, and jobs of v2. */
  readonly asks: number
  /** Polls of runs at the end, as fast as they go. */
  readonly polls: number
  readonly kills: number
  /** For longer than a claim. */
  readonly stops: number
  /** Of PostgreSQL. */
  readonly crashes: number
  /** All connections to PostgreSQL, cut at once. */
  readonly cuts: number
  /** How often the receiver refuses a delivery: it comes again after 10 s and more. */
  readonly refusedRate: number
  /** Where a minute is full, its rest is waited for, and what was refused is asked again; else it is given up. */
  readonly waits: boolean
}

export interface ServiceChaos extends Judged {
  readonly seed: number
  readonly done: Record<Fault, number>
  readonly figures: Record<string, number>
  /** Answers by route and status, each so many times. */
  readonly statuses: Record<string, number>
  /** What came to a standstill, or ended as it should not. */
  readonly broken: string[]
}

const faults = ['kill', 'stop', 'crash', 'cut'] as const
type Fault = (typeof faults)[number]

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const apiKey = 'key-of-the-chaos'
const creditAtFirst = 1_000_000
const callersMax = 24
/** What is open for longer has come to a standstill. */
const settleMsMax = 420_000

/** One service of several replicas under load, which are killed and stopped; judged when all has come to its end. */
export async function runServiceChaos(programs: string, options: ServiceChaosOptions): Promise<ServiceChaos> {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-replicas-'))
  const chance = new Chance(options.seed)
  const server = await startPostgres(programs)
  const receiver = await startReceiver(new Chance(options.seed + 1), options.refusedRate)
  const faultsPath = join(folder, 'faults.json')
  writeFileSync(faultsPath, JSON.stringify({ seed: options.seed, runs: { failedRate: 0.1 } }))
  const replicas = Array.from({ length: options.replicas }, (_, index) => {
    const place = join(folder, `replica-${index}`)
    mkdirSync(place)
    return new Replica({ folder: place, databaseUrl: server.url(), apiKey, faultsPath })
  })
  try {
    await Promise.all(replicas.map((replica) => replica.start()))
    return await new ServiceChaosRun(options, { chance, server, receiver, replicas }).run()
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await receiver.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface World {
  readonly chance: Chance
  readonly server: PostgresServer
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>
  readonly replicas: readonly Replica[]
}

class ServiceChaosRun {
  readonly #done: Record<Fault, number> = { kill: 0, stop: 0, crash: 0, cut: 0 }
  readonly #broken: string[] = []
  readonly #fates: Fate[] = []
  readonly #traffic: Traffic
  readonly #asks: Asked[]

  constructor(
    private readonly options: ServiceChaosOptions,
    private readonly world: World,
  ) {
    const { receiver, replicas, chance } = world
    this.#traffic = new Traffic(() => replicas.map(({ url }) => url), apiKey, receiver.url)
    const kinds: readonly Kind[] = ['run', 'run', 'run', 'run', 'run', 'run', 'job', 'v2', 'v2']
    this.#asks = Array.from({ length: options.asks }, (_, index) => ({
      kind: chance.pick(kinds),
      name: `Company ${options.seed}-${index}`,
    }))
  }

  async run(): Promise<ServiceChaos> {
    this.#accounts('set', 'default', '--credit', String(creditAtFirst))
    await Promise.all([this.#askAll(), this.#disturb()])
    await this.#untilSettled()
    await this.#pollSome()
    const { server, receiver, replicas } = this.world
    const runs = JSON.parse(server.sql(runsSql)) as StoredRun[]
    const shown = JSON.parse(this.#accounts('show', 'default', '--json')) as { creditUnits: number }
    for (const replica of replicas) {
      const code = await replica.end()
      if (code !== 0) this.#broken.push(`exit ${String(code)}: ${replica.said.slice(-2_000)}`)
    }
    const judged = judge({
      runs,
      fates: this.#fates,
      deliveries: receiver.deliveries,
      calls: this.#traffic.calls,
      creditAtFirst,
      balance: JSON.parse(server.sql(balanceSql)) as Balance,
      creditAtLast: shown.creditUnits,
    })
    const countOf = (fate: Fate['fate']) => this.#fates.filter((one) => one.fate === fate).length
    return {
      seed: this.options.seed,
      ...judged,
      done: this.#done,
      broken: this.#broken,
      statuses: this.#traffic.statuses,
      figures: {
        accepted: countOf('accepted'),
        refused: countOf('refused'),
        unknown: countOf('unknown'),
        stored: runs.length,
        failedOfV2: runs.filter(({ refunds }) => refunds > 0).length,
        events: runs.filter(({ eventIds }) => eventIds.length > 0).length,
        deliveries: receiver.deliveries.length,
        inFlightMax: receiver.inFlightMax(),
      },
    }
  }

  async #askAll(): Promise<void> {
    let next = 0
    const caller = async () => {
      for (let asked = this.#asks[next++]; asked !== undefined; asked = this.#asks[next++]) {
        this.#fates.push(await this.#traffic.ask(asked, this.options.waits))
      }
    }
    await Promise.all(Array.from({ length: callersMax }, caller))
  }

  /** Spread over the load: each comes when so many have their fate. */
  async #disturb(): Promise<void> {
    const { kills, stops, crashes, cuts } = this.options
    const { chance } = this.world
    const counts = { kill: kills, stop: stops, crash: crashes, cut: cuts }
    const planned = faults
      .flatMap((fault) => Array.from({ length: counts[fault] }, () => fault))
      .map((fault) => ({ fault, at: (0.1 + 0.8 * chance.fraction()) * this.#asks.length }))
      .sort((one, other) => one.at - other.at)
    const mending: Promise<void>[] = []
    for (const { fault, at } of planned) {
      while (this.#fates.length < at) await pause(5)
      if (await this.#disturbBy(fault, mending)) this.#done[fault]++
    }
    await Promise.all(mending)
  }

  async #disturbBy(fault: Fault, mending: Promise<void>[]): Promise<boolean> {
    const { server, replicas, chance } = this.world
    if (fault === 'crash') {
      await server.crash()
      await pause(chance.whole(0, 1_500))
      await server.startAgain()
      return true
    }
    if (fault === 'cut') {
      server.sql(
        `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      )
      return true
    }
    const up = replicas.filter(({ isUp }) => isUp)
    if (up.length === 0) return false
    const replica = chance.pick(up)
    if (fault === 'stop') {
      mending.push(replica.stopFor(chance.whole(claimMs + 500, claimMs + 3_000)))
      return true
    }
    await replica.kill()
    mending.push(pause(chance.whole(200, 2_000)).then(() => replica.start()))
    return true
  }

  /** Until no run is open, and no event. */
  async #untilSettled(): Promise<void> {
    const openSql = `SELECT (SELECT count(*) FROM enrich_service.runs WHERE status = 'PENDING')
      + (SELECT count(*) FROM enrich_service.events WHERE next_attempt_at_ms IS NOT NULL)`
    const fromMs = performance.now()
    while (this.world.server.sql(openSql) !== '0') {
      if (performance.now() - fromMs > settleMsMax) {
        this.#broken.push(`it has come to a standstill: ${this.world.server.sql(openSql)} are open`)
        return
      }
      await pause(200)
    }
  }

  /** What every replica says of runs that were accepted, whoever accepted and ended them. */
  async #pollSome(): Promise<void> {
    const runs = this.#fates.filter(({ asked, fate }) => asked.kind === 'run' && fate === 'accepted')
    await Promise.all(
      runs.slice(0, this.options.polls).map(async ({ asked: { name }, id }) => {
        const body = await this.#traffic.poll(id ?? '')
        if (body === null) return
        const isRight = body['custom_id'] === name && body['run_id'] === id && body['status'] !== 'PENDING'
        if (!isRight) this.#broken.push(`the poll of ${name}: ${JSON.stringify(body).slice(0, 200)}`)
      }),
    )
  }

  #accounts(...args: string[]): string {
    const [action = '', ...rest] = args
    return execFileSync(
      process.execPath,
      [mainPath, 'accounts', action, ...rest, '--data', this.world.server.url()],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    )
  }
}
