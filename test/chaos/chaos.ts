import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePostgresUrl } from '../../src/core/server-addresses.js'
import { sweep } from '../../src/pipeline/checkpoint/postgres/sweep.js'
import { connectPostgres } from '../../src/platform/postgres/connect.js'
import type { Postgres } from '../../src/platform/postgres/postgres.js'
import { startProgram } from '../support/child-process.js'
import { startPostgres, type PostgresServer } from '../support/postgres-server.js'
import { Chance } from '../simulation/chance.js'
import { judge, type Billed, type Judged } from './judge.js'
import { askIfThere, startGivingBack } from './give-back.js'
import { addressOf, links, WorkerNetwork, type Link } from './network.js'
import { startReplicated, type Replication } from './replicated.js'
import { ChaosWorker, times } from './worker.js'

export interface ChaosOptions {
  readonly seed: number
  readonly lookups: number
  readonly workers: number
  readonly kills: number
  /** For longer than a lease. */
  readonly stops: number
  /** Of PostgreSQL. */
  readonly crashes: number
  /** All connections to PostgreSQL, cut at once. */
  readonly cuts: number
  /** All workers have the same lookups, or each overlaps with the next. */
  readonly slices: 'same' | 'overlapping'
  readonly lookupsMax: number
  /** Of the primary, to its standby. */
  readonly failovers: number
  /** Null: the server has no standby. */
  readonly replication: Replication | null
  /** Of one link of one worker, for a second to longer than a lease; each worker has a network of its own where there are any. */
  readonly linkCuts: number
  /**
   * The negative control: what the dead may have submitted is given to others. Answers come late, and each kill is of all
   * workers, so that submissions are in flight at each.
   */
  readonly givesBack: boolean
}

export interface Chaos extends Judged {
  readonly seed: number
  /** What was done, each so many times. */
  readonly done: Record<Fault, number>
  /** How commands ended that were not killed, each so many times. */
  readonly endings: Record<string, number>
  /** Commands that broke, with what they said. */
  readonly broken: string[]
  readonly perSecondMax: number
}

/** From the bill to the answer, in the negative control. */
const lateMs = 3_000
/** Runs that do not end before the last fault: a killed command may have lost some. */
const heldRuns = 40

const faults = ['kill', 'stop', 'crash', 'cut', 'failover', 'linkCut'] as const
type Fault = (typeof faults)[number]

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
/** A command that ends so often is not about to be done. */
const endingsMax = 200
/** A round that takes longer has come to a standstill, which is judged as well: ten minutes for each 2,000 lookups. */
const roundMsMax = (lookups: number) => 600_000 * Math.max(1, lookups / 2_000)

/** What the workers share, at one address. */
export interface ChaosServer extends Pick<PostgresServer, 'sql' | 'crash' | 'startAgain' | 'stop'> {
  url(): string
  failOver?(): Promise<void>
}

/** One job over many processes, PostgreSQL and a service; judged when it is done. `programs` is of `findPostgres`. */
export async function runChaos(programs: string, options: ChaosOptions): Promise<Chaos> {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-chaos-'))
  const { seed, workers, replication, linkCuts } = options
  const networks = Array.from({ length: linkCuts > 0 ? workers : 0 }, (_, index) => new WorkerNetwork(index))
  const server = await (replication === null
    ? startAlone(programs, networks.length > 0)
    : startReplicated(programs, replication))
  const child = startProgram(
    new URL('../support/chaos-service-child.ts', import.meta.url).href,
    String(seed),
    ...(networks.length > 0 ? [addressOf.service] : []),
  )
  const postgres = connectPostgres(parsePostgresUrl(server.url()))
  try {
    return await new ChaosRun(options, folder, server, postgres, await child.nextLine(), networks).run()
  } finally {
    await postgres.close()
    await child.kill()
    await server.stop()
    for (const network of networks) network.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startAlone(programs: string, hasLinks: boolean): Promise<ChaosServer> {
  if (!hasLinks) return startPostgres(programs)
  const { postgres: address } = addressOf
  const server = await startPostgres(programs, { settings: { listen_addresses: `127.0.0.1,${address}` } })
  appendFileSync(join(server.folder, 'data', 'pg_hba.conf'), 'host all all 127.77.0.0/16 trust\n')
  server.sql('SELECT pg_reload_conf()')
  return server
}

class ChaosRun {
  readonly #chance: Chance
  readonly #workers: ChaosWorker[]
  readonly #names: string[]
  readonly #done: Record<Fault, number> = { kill: 0, stop: 0, crash: 0, cut: 0, failover: 0, linkCut: 0 }
  readonly #endings: Record<string, number> = {}
  readonly #broken: string[] = []
  #running = 0
  #isLate = false
  /** Nobody looks at the server while it is being started again. */
  #isServerAway = false

  constructor(
    private readonly options: ChaosOptions,
    folder: string,
    private readonly server: ChaosServer,
    private readonly postgres: Postgres,
    private readonly servicePort: string,
    private readonly networks: readonly WorkerNetwork[],
  ) {
    const { seed, lookups, workers, slices, lookupsMax, givesBack } = options
    this.#chance = new Chance(seed)
    this.#names = Array.from({ length: lookups }, (_, index) => `Company ${seed}-${index}`)
    const share = Math.ceil(lookups / workers)
    this.#workers = Array.from({ length: workers }, (_, index) => {
      const place = join(folder, `worker-${index}`)
      mkdirSync(place)
      const from = index * share
      const twice = [...this.#names, ...this.#names].slice(from, from + 2 * share)
      const names = slices === 'same' ? this.#names : [...new Set(twice)]
      const network = networks[index]
      const at = (link: Link) => (network === undefined ? '127.0.0.1' : addressOf[link])
      const checkpoint = server.url().replace('127.0.0.1', at('postgres'))
      const serviceUrl = `http://${at('service')}:${servicePort}`
      return new ChaosWorker({
        folder: place,
        names,
        checkpoint,
        serviceUrl,
        lookupsMax,
        isUnchecked: givesBack,
        entry: network?.entry ?? [],
      })
    })
  }

  async run(): Promise<Chaos> {
    if (this.options.givesBack) await this.#askService(`late/${lateMs}`)
    const endGivingBack = this.options.givesBack
      ? startGivingBack(this.postgres, () => !this.#isServerAway)
      : () => Promise.resolve()
    const late = setTimeout(() => {
      this.#isLate = true
      this.#broken.push('the round was not done in time')
      for (const worker of this.#workers) worker.kill()
    }, roundMsMax(this.options.lookups))
    const working = Promise.all(this.#workers.map((worker) => this.#untilDone(worker)))
    await Promise.all([working, this.#disturb()])
    clearTimeout(late)
    await endGivingBack()
    // What the last of the dead may have submitted, where nobody was left to wait for it.
    await pause(times.lease + 500)
    await sweep(this.postgres)
    const ledger = (await (await fetch(`http://127.0.0.1:${this.servicePort}/ledger`)).json()) as Billed[]
    const { seed, lookupsMax } = this.options
    const outputs = this.#workers.map(({ outputPath, place }) => ({ path: outputPath, names: place.names }))
    const judged = await judge(this.postgres, { ledger, outputs, names: this.#names, lookupsMax })
    return {
      seed,
      ...judged,
      done: this.#done,
      endings: this.#endings,
      broken: this.#broken,
      perSecondMax: perSecondMaxOf(ledger),
    }
  }

  /** A command that was killed, or says that the same one resumes, is run again. */
  async #untilDone(worker: ChaosWorker): Promise<void> {
    this.#running++
    let accepts = false
    for (let endings = 0; endings < endingsMax && !this.#isLate;) {
      const { code, stderr } = await worker.run(accepts)
      if (code === null) continue
      endings++
      const said = /error ([A-Z_]+):/.exec(stderr)?.[1] ?? ''
      const ending = `${code} ${said}`.trim()
      this.#endings[ending] = (this.#endings[ending] ?? 0) + 1
      // 0 and 3: written. 8: as far as the budget goes.
      if (code === 0 || code === 3 || code === 8) break
      accepts = said === 'CHECKPOINT_SERVER_CHANGED' && this.options.replication !== null
      const isAway = (code === 5 || code === 2) && said.startsWith('CHECKPOINT_')
      if (!isAway && code !== 5) {
        this.#broken.push(`exit ${code}: ${stderr.slice(-2_000)}`)
        break
      }
      await pause(200)
      if (endings === endingsMax - 1) this.#broken.push('a command was never done')
    }
    this.#running--
  }

  /** Spread over the work: each comes when so many lookups are begun. Some work is left until the last one has come. */
  async #disturb(): Promise<void> {
    const { kills, stops, crashes, cuts, failovers, linkCuts, lookups, lookupsMax } = this.options
    const counts = {
      kill: kills,
      stop: stops,
      crash: crashes,
      cut: cuts,
      failover: failovers,
      linkCut: linkCuts,
    }
    const last = Math.min(lookups, lookupsMax) * 0.97
    const planned = faults
      .flatMap((fault) => Array.from({ length: counts[fault] }, () => fault))
      .map((fault) => ({ fault, at: this.#chance.fraction() * last }))
      .sort((one, other) => one.at - other.at)
    const stopped: Promise<void>[] = []
    await this.#askService(`hold/${Math.max(1, Math.floor(planned.at(-1)?.at ?? 1) - heldRuns)}`)
    for (const { fault, at } of planned) {
      while (this.#running > 0 && (await this.#begunCount()) < at) await pause(25)
      if (this.#running === 0) break
      if (await this.#disturbBy(fault, stopped)) this.#done[fault]++
    }
    await this.#askService('release')
    await Promise.all(stopped)
  }

  async #disturbBy(fault: Fault, stopped: Promise<void>[]): Promise<boolean> {
    if (fault === 'crash') {
      this.#isServerAway = true
      await this.server.crash()
      await pause(this.#chance.whole(0, 1_500))
      await this.server.startAgain()
      this.#isServerAway = false
      return true
    }
    if (fault === 'cut') {
      this.server.sql(
        `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      )
      return true
    }
    if (fault === 'failover') {
      await this.server.failOver?.()
      return true
    }
    if (fault === 'linkCut') {
      stopped.push(this.#cutLink())
      return true
    }
    const worker = await this.#pickRunning(fault === 'stop')
    if (worker === null) return false
    if (fault === 'kill') for (const each of this.options.givesBack ? this.#workers : [worker]) each.kill()
    else stopped.push(worker.stopFor(this.#chance.whole(times.lease + 500, times.lease + 3_500)))
    return true
  }

  async #cutLink(): Promise<void> {
    const network = this.#chance.pick(this.networks)
    const link = this.#chance.pick(links)
    network.cut(link, this.#chance.pick(['from', 'to', 'both'] as const))
    await pause(this.#chance.whole(1_000, times.lease + 3_500))
    network.heal(link)
  }

  /** One that is at work; null where all are done. */
  async #pickRunning(awake: boolean): Promise<ChaosWorker | null> {
    while (this.#running > 0) {
      const running = this.#workers.filter(({ isRunning, isStopped }) => isRunning && !(awake && isStopped))
      if (running.length > 0) return this.#chance.pick(running)
      await pause(25)
    }
    return null
  }

  /** Billed or not: what a killed command had not sent yet is never billed. */
  async #begunCount(): Promise<number> {
    const answer = await askIfThere(() =>
      this.postgres.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM enrich.lookups WHERE state <> 'new'`,
      ),
    )
    return answer?.[0]?.count ?? 0
  }

  async #askService(what: string): Promise<void> {
    await (await fetch(`http://127.0.0.1:${this.servicePort}/${what}`)).text()
  }
}

function perSecondMaxOf(ledger: readonly Billed[]): number {
  let [from, most] = [0, 0]
  ledger.forEach(({ atMs }, index) => {
    while (atMs - (ledger[from]?.atMs ?? atMs) >= 1_000) from++
    most = Math.max(most, index - from + 1)
  })
  return most
}
