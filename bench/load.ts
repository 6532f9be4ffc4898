import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { getErrorText } from '../src/core/errors.js'
import { storeAccounts } from '../src/service/accounts/accounts.js'
import { openDatabase } from '../src/service/storage/database.js'
import { Chance } from '../test/simulation/chance.js'
import { kickoffPath, percentile, readProcess, serve, watchOwnCpu } from './service.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'
import { makeRegistry, namesIn } from './threads.js'

/** `runsAtOnce` are the runs that each caller starts at once; it waits for all of them. */
const moderate = { callers: 2, runsAtOnce: 1, pauseMs: 100, connections: 4 }
const flooding: typeof moderate = { callers: 8, runsAtOnce: 100, pauseMs: 0, connections: 32 }
const moderateCount = 9
const spreadMax = 0.2
const sampleEveryMs = 5_000

/** Mixed load by nine equal accounts and one that floods the service. Needs `npm run build`. */
export async function reportLoad(
  say: Say,
  {
    registryPath,
    flags,
    minutes,
  }: { registryPath: string | null; flags: readonly string[]; minutes: number },
): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-load-'))
  const path = registryPath ?? (await makeRegistry(folder))
  const allNames = namesIn(path, 64_000)
  const keys = Array.from({ length: moderateCount + 1 }, (_, at) => `bench-key-${at}`)
  const database = openDatabase(folder)
  const options = keys.map((apiKey, at) => ({ name: `account-${at}`, apiKey }))
  storeAccounts(database, options, Date.now())
  database.close()
  const eventIds = new Set<unknown>()
  const receiver = createServer((delivery, reply) => {
    eventIds.add(delivery.headers['webhook-id'])
    delivery.resume().on('end', () => reply.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`
  const served = await serve(folder, ['--registry', path, '--allow-local-webhooks', ...flags])
  try {
    const client = watchOwnCpu()
    const before = readProcess(served.pid)
    const megabytes = [before.megabytes]
    const sampling = setInterval(() => megabytes.push(readProcess(served.pid).megabytes), sampleEveryMs)
    const deps = { url: served.url, webhookUrl, deadlineMs: performance.now() + minutes * 60_000 }
    const accounts = keys.map((apiKey, first) => {
      const isFlood = first === moderateCount
      // The flood has names of its own: the service answers a name faster if another account has just asked for it.
      const names = allNames.filter((_, at) => at % 2 === Number(isFlood))
      return new Account({ ...deps, apiKey, names, first, habit: isFlood ? flooding : moderate })
    })
    await Promise.all(accounts.map((account) => account.run()))
    clearInterval(sampling)
    const clientShare = client()
    const after = readProcess(served.pid)
    const serviceShare = (after.cpuSeconds - before.cpuSeconds) / (minutes * 0.6)
    const sum = (count: (account: Account) => number) => accounts.reduce((n, one) => n + count(one), 0)
    const webhooks = sum(({ webhookCount }) => webhookCount)
    for (let waits = 0; waits < 300 && eventIds.size !== webhooks; waits++) await sleep(100)
    const errors = accounts.flatMap((account) => account.errors)
    const kinds = errors.length === 0 ? '' : ` (${[...new Set(errors)].slice(0, 10).join(', ')})`
    say(
      `  ${errors.length} errors${kinds} in ${grouped(sum(({ requestCount }) => requestCount))} requests; ` +
        `${grouped(eventIds.size)} of ${grouped(webhooks)} webhooks delivered; ${clientShare}, service ${serviceShare.toFixed(0)} %`,
    )
    const marks = megabytes.filter((_, at) => at % (60_000 / sampleEveryMs) === 0)
    const slope = findSlope(megabytes.slice(megabytes.length >> 1)) * (60_000 / sampleEveryMs)
    say(
      `  memory at each minute, MB: ${marks.map(grouped).join(' ')}; at most ${grouped(after.peakMegabytes)}; ` +
        `${slope.toFixed(2)} MB a minute in the last half`,
    )
    reportFairness(say, accounts, minutes)
  } finally {
    await served.stop()
    receiver.closeAllConnections()
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function reportFairness(say: Say, accounts: readonly Account[], minutes: number): void {
  const figures = accounts.map(({ waitsMs }, at) => {
    const sorted = [...waitsMs].sort((a, b) => a - b)
    const perSecond = sorted.length / (minutes * 60)
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)]
    say(
      `  ${at < moderateCount ? `account ${at + 1}` : 'the flood'}: ${perSecond.toFixed(2)} runs a second, ` +
        `from kickoff to end p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    )
    return { perSecond, p50 }
  })
  const spreadOf = (figure: keyof (typeof figures)[number]) => {
    const values = figures.slice(0, moderateCount).map((one) => one[figure])
    return Math.max(...values) / Math.min(...values) - 1
  }
  const [runs, times] = [spreadOf('perSecond'), spreadOf('p50')]
  say(
    `  spread of the equal accounts: runs ${ratio(runs)}, median times ${ratio(times)}; ` +
      `${ratio(Math.max(runs, times) / spreadMax)} of the limit of ${spreadMax}`,
  )
}

/** Growth from one sample to the next, by least squares. */
function findSlope(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2
  const product = samples.reduce((total, value, at) => total + (at - middle) * value, 0)
  return product / samples.reduce((total, _, at) => total + (at - middle) ** 2, 0)
}

interface AccountDeps {
  readonly url: string
  readonly webhookUrl: string
  readonly apiKey: string
  readonly names: readonly string[]
  /** Place of the first name. Each account takes every eleventh, so that all have names from the whole registry. */
  readonly first: number
  readonly habit: typeof moderate
  readonly deadlineMs: number
}

interface RunReply {
  readonly run_id: string
  readonly status: string
  readonly data: { readonly entity: { readonly id: string } | null } | null
}

/** The callers of one account, with connections of their own. */
class Account {
  /** Milliseconds from the kickoff to the poll that returned the end. */
  readonly waitsMs: number[] = []
  /** Includes every status from 400: the service runs without limits, and all ids exist. */
  readonly errors: string[] = []
  requestCount = 0
  webhookCount = 0
  readonly #deps: AccountDeps
  readonly #chance: Chance
  readonly #agent: Agent
  #at: number

  constructor(deps: AccountDeps) {
    this.#deps = deps
    this.#at = deps.first
    this.#chance = new Chance(this.#at)
    this.#agent = new Agent({ connections: deps.habit.connections })
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#deps.habit.callers }, () => this.#call()))
    await this.#agent.close()
  }

  async #call(): Promise<void> {
    const { habit, deadlineMs } = this.#deps
    const { runsAtOnce, pauseMs } = habit
    for (let round = 0; performance.now() < deadlineMs; round++) {
      const runs = await Promise.all(Array.from({ length: runsAtOnce }, () => this.#start()))
      // The last run of an account ends last: the others need one poll each.
      const last = runs.pop()
      const entityId = last && (await this.#poll(last))
      await Promise.all(runs.flatMap((run) => (run === null ? [] : [this.#poll(run)])))
      if (round % 2 === 0) await this.#send('GET', `/v2/search?name=${encodeURIComponent(this.#nextName())}`)
      if (round % 5 === 0 && entityId !== undefined) await this.#send('GET', `/v3/entities/${entityId}`)
      await sleep(pauseMs * (0.5 + this.#chance.fraction()))
    }
  }

  #nextName(): string {
    const { names } = this.#deps
    this.#at += 11
    return names[this.#at % names.length] ?? ''
  }

  async #start(): Promise<{ id: string; fromMs: number } | null> {
    const webhook = this.#chance.happens(0.1) ? { webhook_url: this.#deps.webhookUrl } : {}
    const body = JSON.stringify({ name: this.#nextName(), include: 'basis', ...webhook })
    const fromMs = performance.now()
    const reply = await this.#send('POST', kickoffPath, body)
    if (reply !== null && 'webhook_url' in webhook) this.webhookCount++
    return reply && { id: reply.run_id, fromMs }
  }

  /** Polls until the run has ended. Returns the id of the matched company. */
  async #poll({ id, fromMs }: { id: string; fromMs: number }): Promise<string | undefined> {
    for (;;) {
      const reply = await this.#send('GET', `/v3/runs/${id}?include=basis`)
      const nowMs = performance.now()
      if (reply?.status === 'PENDING') {
        // Random, so that medians are not multiples of the interval.
        await sleep(20 + 20 * this.#chance.fraction())
        continue
      }
      if (reply !== null && nowMs < this.#deps.deadlineMs) this.waitsMs.push(nowMs - fromMs)
      if (reply !== null && reply.status !== 'COMPLETED') this.errors.push(`run ${reply.status}`)
      return reply?.data?.entity?.id
    }
  }

  async #send(method: 'GET' | 'POST', path: string, body: string | null = null): Promise<RunReply | null> {
    const { url, apiKey } = this.#deps
    const headers = { apikey: apiKey, 'content-type': 'application/json' }
    this.requestCount++
    try {
      const reply = await request(url + path, { method, headers, body, dispatcher: this.#agent })
      const value = (await reply.body.json()) as RunReply
      if (reply.statusCode < 400) return value
      this.errors.push(`${method} ${path.replace(/[?].*|[^/]{20,}/g, '')}: ${reply.statusCode}`)
    } catch (error) {
      this.errors.push(getErrorText(error))
    }
    return null
  }
}
