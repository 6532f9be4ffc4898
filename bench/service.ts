import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { storeAccounts } from '../src/service/accounts/accounts.js'
import { openDatabase } from '../src/service/storage/database.js'
import { createCallId, createRunIds } from '../src/service/runs/run-store.js'
import { createRunStore, type NewRun } from '../src/service/runs/run-store.js'
import { systemRandom } from '../src/platform/clock.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'
import { findHardest, makeRegistry, namesIn } from './threads.js'

const apiKey = 'bench-key-of-the-service'
const root = fileURLToPath(new URL('..', import.meta.url))
const agent = new Agent({ connections: 64 })

interface Served {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** `enrich serve` as users start it, over the fixtures' registry unless told otherwise. Needs `npm run build`. */
export function serve(dataFolder: string, flags: readonly string[] = []): Promise<Served> {
  const main = join(root, 'dist/cli/main.js')
  const always = ['serve', '--listen', '127.0.0.1:0', '--limits', 'none', '--data', dataFolder]
  return startServer([main, ...always, ...flags], dataFolder)
}

/** The least that the same requests take here: a server of Node.js that reads them and returns an empty object. */
function servePlain(): Promise<Served> {
  const code = `const server = require('node:http').createServer((request, reply) => {
    request.resume().on('end', () => reply.end('{}'))
  }).listen(0, '127.0.0.1', () => console.error('at http://127.0.0.1:' + server.address().port))`
  return startServer(['--eval', code], root)
}

async function startServer(args: readonly string[], cwd: string): Promise<Served> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], ENRICH_SERVE_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => {
    child.kill()
  }
  // No server outlives a failed bench.
  process.once('exit', kill)
  const ended = once(child, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = /at (http:\/\/[\d.:]+)[,\s]/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => {
      reject(new Error(`the server ended: ${text}`))
    })
  })
  const stop = async () => {
    kill()
    await ended
    process.off('exit', kill)
  }
  return { url, pid: child.pid ?? 0, stop }
}

/** Memory in MB, and seconds of CPU of all threads until now; NaN if this is not Linux. */
export function readProcess(pid: number): { megabytes: number; peakMegabytes: number; cpuSeconds: number } {
  const read = (name: string) =>
    existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/${name}`, 'utf8') : ''
  const status = read('status')
  const megabytes = (field: string) =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6
  const ticks = read('stat').replace(/.*\) /, '').split(' ')
  return {
    megabytes: megabytes('VmRSS'),
    peakMegabytes: megabytes('VmHWM'),
    cpuSeconds: (Number(ticks[11]) + Number(ticks[12])) / 100,
  }
}

/** Returns a function that returns the share of a core that this process has used since. */
export function watchOwnCpu(): () => string {
  const fromMs = performance.now()
  const from = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(from)
    return `client ${((user + system) / 10 / (performance.now() - fromMs)).toFixed(0)} % of a core`
  }
}

interface Question {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}
type Ask = (at: number) => Question

const searchFor = (name: string): Question => ({
  method: 'GET',
  path: `/v2/search?name=${encodeURIComponent(name)}`,
})
export const kickoffPath = '/v3/entity-resolution/async'
const kickoffFor = (name: string): Question => ({
  method: 'POST',
  path: kickoffPath,
  body: JSON.stringify({ name, include: 'basis' }),
})

/** Milliseconds from the request to the last byte. */
async function send(url: string, { method, path, body = '' }: Question): Promise<number> {
  const headers = { apikey: apiKey, 'content-type': 'application/json' }
  const fromMs = performance.now()
  const options = { method, headers, body: method === 'GET' ? null : body, dispatcher: agent }
  const reply = await request(url + path, options)
  await reply.body.dump()
  if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode}`)
  return performance.now() - fromMs
}

/** Sorted milliseconds of each request, at an even rate that waits for no answer. */
async function latencies(url: string, perSecond: number, seconds: number, ask: Ask): Promise<number[]> {
  const answers: Promise<number>[] = []
  const startedAtMs = performance.now()
  for (let at = 0; at < perSecond * seconds; at++) {
    const dueInMs = startedAtMs + (at * 1000) / perSecond - performance.now()
    if (dueInMs > 0) await sleep(dueInMs)
    answers.push(send(url, ask(at)))
  }
  return (await Promise.all(answers)).sort((a, b) => a - b)
}

/** Requests of callers that each send the next once they have the answer. */
async function asFastAsItGoes(url: string, seconds: number, ask: Ask) {
  const startMs = performance.now()
  const client = watchOwnCpu()
  const tookMs: number[] = []
  let at = 0
  const call = async () => {
    while (performance.now() - startMs < seconds * 1000) tookMs.push(await send(url, ask(at++)))
  }
  await Promise.all(Array.from({ length: callerCount }, call))
  const perSecond = (tookMs.length * 1000) / (performance.now() - startMs)
  return { perSecond, sorted: tookMs.sort((a, b) => a - b), client: client() }
}

const callerCount = 32

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
const spread = (sorted: readonly number[]): string =>
  `p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p99 ${percentile(sorted, 0.99).toFixed(1)} ms`

const names = (): string[] =>
  readFileSync(join(root, 'fixtures/registry/companies.csv'), 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => /^[^,]*,"?([^",]{3,60})/.exec(line)?.[1] ?? [])

export interface ServiceBench {
  /** Registries to answer from; without one, a registry of made-up companies. */
  readonly registryPaths: readonly string[]
  readonly matcherCounts: readonly number[]
  /** Duration of each rate. */
  readonly seconds: number
}

/** Search under load, slow sockets, a million stored runs, and rates; each on `enrich serve` in a process of its own. */
export async function reportService(say: Say, bench: ServiceBench, storedRuns = 1_000_000): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-service-'))
  try {
    const known = names()
    const search = (at: number) => searchFor(known[at % known.length] ?? 'Siemens')
    const [empty, plain] = [await serve(folder), await servePlain()]
    for (const { url } of [empty, plain]) await latencies(url, 50, 1, search)
    const searches = await latencies(empty.url, 200, 10, search)
    const bare = await latencies(plain.url, 200, 10, search)
    await plain.stop()
    say(
      `  search, 200 a second for 10 s: ${spread(searches)}; a plain server ${spread(bare)}: ` +
        `${ratio(percentile(searches, 0.5) / percentile(bare, 0.5))}, ${ratio(percentile(searches, 0.99) / percentile(bare, 0.99))}`,
    )
    await reportSlowSockets(say, empty.url, search)
    const before = await reportRuns(say, empty.url, 'with few stored runs')
    await empty.stop()

    const filledIn = fill(folder, storedRuns)
    const full = await serve(folder)
    const after = await reportRuns(
      say,
      full.url,
      `with ${grouped(storedRuns)} more (stored in ${(filledIn / 1000).toFixed(0)} s)`,
    )
    say(
      `  medians against few: kickoff ${ratio(after.kickoffMs / before.kickoffMs)}, poll ${ratio(after.pollMs / before.pollMs)}`,
    )
    await full.stop()
    await reportRates(say, folder, bench)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function reportRates(say: Say, folder: string, bench: ServiceBench): Promise<void> {
  const paths = bench.registryPaths.length > 0 ? bench.registryPaths : [await makeRegistry(folder)]
  for (const path of paths) {
    const asked = namesIn(path, 32_000)
    const hard = findHardest(path, namesIn(path, 4_000))
    say(
      `  ${basename(path)}: the hardest of its names takes ${hard.ms.toFixed(0)} ms in a search: ${hard.name}`,
    )
    for (const matchers of bench.matcherCounts) {
      const data = mkdtempSync(join(folder, 'data-'))
      const served = await serve(data, ['--registry', path, '--matchers', String(matchers)])
      const plain = await servePlain()
      const { megabytes } = readProcess(served.pid)
      say(`  ${basename(path)}, ${matchers} threads, ${grouped(megabytes)} MB at the start`)
      try {
        await reportRatesOf(say, [served, plain], { asked, hard: hard.name, seconds: bench.seconds })
      } finally {
        await Promise.all([served.stop(), plain.stop()])
      }
    }
  }
}

async function reportRatesOf(
  say: Say,
  [served, plain]: readonly [Served, Served],
  { asked, hard, seconds }: { asked: readonly string[]; hard: string; seconds: number },
): Promise<void> {
  const { url } = served
  let askedCount = 0
  const nextName = () => asked[(askedCount++ * 7) % asked.length] ?? ''
  const search = () => searchFor(nextName())
  const kickoff = () => kickoffFor(nextName())
  for (const server of [served, plain]) await latencies(server.url, 100, 2, search)

  const client = watchOwnCpu()
  const even = await latencies(url, evenPerSecond, seconds, kickoff)
  const clientShare = client()
  const evenPlain = await latencies(plain.url, evenPerSecond, seconds, kickoff)
  say(
    `    ${evenPerSecond} kickoffs with basis a second for ${seconds} s: ${spread(even)} (${ratio(percentile(even, 0.99) / evenMsMax)} ` +
      `of the limit of ${evenMsMax} ms; ${clientShare}); a plain server ${spread(evenPlain)}`,
  )
  const { id: runId } = await finishRun(connectTo(url), nextName())
  const poll = (): Question => ({ method: 'GET', path: `/v3/runs/${runId}?include=basis` })
  for (const [name, ask] of Object.entries({ search, poll, 'kickoff with basis': kickoff })) {
    const fromMs = performance.now()
    const ours = await asFastAsItGoes(url, seconds, ask)
    if (ask === kickoff) await finishRun(connectTo(url), nextName())
    const finishedPerSecond = (ours.sorted.length * 1000) / (performance.now() - fromMs)
    const theirs = await asFastAsItGoes(plain.url, seconds, ask)
    const [p50, p99] = [0.5, 0.99].map((share) =>
      ratio(percentile(ours.sorted, share) / percentile(theirs.sorted, share)),
    )
    say(
      `    ${name}, ${callerCount} callers: ${grouped(ours.perSecond)} a second, ${spread(ours.sorted)} (${ours.client}); ` +
        `a plain server ${grouped(theirs.perSecond)}, ${spread(theirs.sorted)} (${theirs.client}): ` +
        `${ratio(ours.perSecond / theirs.perSecond)}, ${p50 ?? ''}, ${p99 ?? ''}` +
        (ask === kickoff ? `; ${grouped(finishedPerSecond)} runs finished a second` : ''),
    )
  }

  const alone = await latencies(url, 50, seconds, search)
  const endMs = performance.now() + seconds * 1000
  const repeatHard = async () => {
    while (performance.now() < endMs) await send(url, searchFor(hard))
  }
  const [beside] = await Promise.all([latencies(url, 50, seconds, search), repeatHard()])
  say(`    50 searches a second: ${spread(alone)}; next to hard ones: ${spread(beside)}`)
  const [memory, least] = [readProcess(served.pid), readProcess(plain.pid)]
  say(
    `    memory ${grouped(memory.megabytes)} MB, at most ${grouped(memory.peakMegabytes)} MB; a plain server at most ` +
      `${grouped(least.peakMegabytes)} MB: ${ratio(memory.peakMegabytes / least.peakMegabytes)}`,
  )
}

const evenPerSecond = 700
const evenMsMax = 30

export type Get = (path: string, body?: unknown) => Promise<{ status: number; body: unknown }>

/** Requests with an API key; with a body, a POST. Throws on an error of the service. */
export function connectTo(url: string, key = apiKey): Get {
  return async (path, body) => {
    const reply = await request(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { apikey: key, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: agent,
    })
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${await reply.body.text()}`)
    return { status: reply.statusCode, body: await reply.body.json() }
  }
}

/** Starts a run and waits for its end. Research is in order, so the runs before it have ended too. */
export async function finishRun(get: Get, name: string): Promise<{ id: string; reply: unknown }> {
  const { run_id: id } = (await get(kickoffPath, { name, include: 'basis' })).body as { run_id: string }
  for (;;) {
    const { status, body } = await get(`/v3/runs/${id}?include=basis`)
    if (status !== 202) return { id, reply: body }
    await sleep(20)
  }
}

/** 2,000 sockets that send a byte every three seconds, while others ask 50 times a second. */
async function reportSlowSockets(say: Say, url: string, search: Ask): Promise<void> {
  const { hostname, port } = new URL(url)
  const before = await latencies(url, 50, 10, search)
  const startedAtMs = performance.now()
  const closedAfterMs: number[] = []
  const sockets = Array.from({ length: 2_000 }, () => {
    const socket: Socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.once('close', () => closedAfterMs.push(performance.now() - startedAtMs))
    socket.write('GET /v2/search HTTP/1.1\r\nhost: x\r\n')
    const trickle = setInterval(() => socket.write('x'), 3_000)
    socket.once('close', () => {
      clearInterval(trickle)
    })
    return socket
  })
  const others = await latencies(url, 50, 40, search)
  const open = sockets.filter((socket) => !socket.closed)
  for (const socket of open) socket.destroy()
  say(
    `  2,000 sockets that trickle: others ${spread(others)}, without them ${spread(before)}: ` +
      `${ratio(percentile(others, 0.5) / percentile(before, 0.5))}, ${ratio(percentile(others, 0.99) / percentile(before, 0.99))}; ` +
      `${2_000 - open.length} dropped, the last after ${(Math.max(...closedAfterMs) / 1000).toFixed(1)} s`,
  )
}

async function reportRuns(
  say: Say,
  url: string,
  how: string,
): Promise<{ kickoffMs: number; pollMs: number }> {
  const kickoffs = await latencies(url, 100, 5, (at) => kickoffFor(`Acme ${at}`))
  const { id: runId } = await finishRun(connectTo(url), 'Siemens AG')
  const polls = await latencies(url, 100, 5, () => ({ method: 'GET', path: `/v3/runs/${runId}` }))
  say(`  ${how}: kickoff ${spread(kickoffs)}; poll ${spread(polls)}`)
  return { kickoffMs: percentile(kickoffs, 0.5), pollMs: percentile(polls, 0.5) }
}

/** Finished runs, through the service's own store. Milliseconds it took. */
function fill(folder: string, runCount: number): number {
  const startedAtMs = performance.now()
  const database = openDatabase(folder)
  try {
    database.pragma('synchronous = OFF')
    storeAccounts(database, [{ name: 'default', apiKey }], Date.now())
    const store = createRunStore(database)
    const result = JSON.stringify({ status: 'no_match', factors: [], note: 'x'.repeat(400) })
    const outcome = { status: 'COMPLETED', result, basis: null, fault: null } as const
    const batchRuns = 5_000
    for (let done = 0; done < runCount; done += batchRuns) {
      const nowMs = Date.now()
      const runs = Array.from({ length: Math.min(batchRuns, runCount - done) }, (_, at): NewRun => {
        const ids = createRunIds('run', createCallId(systemRandom), systemRandom, nowMs)
        const query = { name: `Stored ${done + at}`, location: null, context: null }
        const rest = { customId: null, surface: 'v3', webhookUrl: null, withBasis: false } as const
        return { accountNumber: 1, ids, query, createdAtMs: nowMs, dueAtMs: nowMs, ...rest }
      })
      store.insert(runs)
      for (let left = runs.length; left > 0;) {
        const due = store.due(nowMs, batchRuns)
        store.finish(
          due.map(({ runNumber }) => ({ runNumber, outcome })),
          nowMs,
        )
        left -= due.length
      }
    }
    return performance.now() - startedAtMs
  } finally {
    database.close()
    // What was written without a sync is on the disk before anybody is measured.
    const file = openSync(join(folder, 'service.sqlite'), 'r+')
    fsyncSync(file)
    closeSync(file)
  }
}
