import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { storeAccounts } from '../src/service/accounts/accounts.js'
import { openDatabase } from '../src/service/storage/database.js'
import { createCallId, createRunIds } from '../src/service/ids.js'
import { createRunStore, type NewRun } from '../src/service/runs/run-store.js'
import { systemRandom } from '../src/platform/random.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'

export const apiKey = 'bench-key-of-the-service'
const root = fileURLToPath(new URL('..', import.meta.url))
export const agent = new Agent({ connections: 64 })

interface Served {
  readonly url: string
  stop(): Promise<void>
}

/** `enrich serve` as users start it, over the fixtures' registry unless told otherwise. Needs `npm run build`. */
export async function serve(dataFolder: string, flags: readonly string[] = []): Promise<Served> {
  const main = join(root, 'dist/cli/main.js')
  const child: ChildProcess = spawn(
    process.execPath,
    [main, 'serve', '--listen', '127.0.0.1:0', '--limits', 'none', '--data', dataFolder, ...flags],
    { cwd: dataFolder, env: { PATH: process.env['PATH'], ENRICH_SERVE_API_KEY: apiKey } },
  )
  let said = ''
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk)
    const url = /at (http:\/\/[\d.:]+)/.exec(said)?.[1]
    if (url !== undefined) {
      return {
        url,
        stop: async () => {
          child.kill()
          await once(child, 'close')
        },
      }
    }
  }
  throw new Error(`the service did not start: ${said}`)
}

/** Milliseconds from asking to the last byte, at an even rate that waits for no answer. */
export async function latencies(
  url: string,
  perSecond: number,
  seconds: number,
  ask: (at: number) => { method: 'GET' | 'POST'; path: string; body?: string },
): Promise<number[]> {
  const answers: Promise<number>[] = []
  const startedAtMs = performance.now()
  for (let at = 0; at < perSecond * seconds; at++) {
    const dueInMs = startedAtMs + (at * 1000) / perSecond - performance.now()
    if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs))
    const { method, path, body } = ask(at)
    const headers = { apikey: apiKey, 'content-type': 'application/json' }
    const askedAtMs = performance.now()
    answers.push(
      request(url + path, { method, headers, body: body ?? null, dispatcher: agent }).then(async (reply) => {
        await reply.body.dump()
        if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode}`)
        return performance.now() - askedAtMs
      }),
    )
  }
  return (await Promise.all(answers)).sort((a, b) => a - b)
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
export const spread = (sorted: readonly number[]): string =>
  `p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p99 ${percentile(sorted, 0.99).toFixed(1)} ms`

const names = (): string[] =>
  readFileSync(join(root, 'fixtures/registry/companies.csv'), 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => /^[^,]*,"?([^",]{3,60})/.exec(line)?.[1] ?? [])

/** Search under load, slow sockets, and a million stored runs; each on `enrich serve` in a process of its own. */
export async function reportService(say: Say, storedRuns = 1_000_000): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-service-'))
  try {
    const known = names()
    const search = (at: number) => ({
      method: 'GET' as const,
      path: `/v2/search?name=${encodeURIComponent(known[at % known.length] ?? 'Siemens')}`,
    })
    const empty = await serve(folder)
    await latencies(empty.url, 50, 1, search)
    const searches = await latencies(empty.url, 200, 10, search)
    const bare = await bareLatencies(200, 10)
    say(
      `  search, 200 a second for 10 s: ${spread(searches)}; a server of Node.js that says nothing ${spread(bare)}: ` +
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
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The least that the same requests take here: a server in this process that does nothing with them. */
async function bareLatencies(perSecond: number, seconds: number): Promise<number[]> {
  const server = createServer((_, reply) => reply.end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = () => ({ method: 'GET' as const, path: '/' })
  try {
    await latencies(url, 50, 1, ask)
    return await latencies(url, perSecond, seconds, ask)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** 2,000 sockets that send a byte every three seconds, while others ask 50 times a second. */
async function reportSlowSockets(
  say: Say,
  url: string,
  search: Parameters<typeof latencies>[3],
): Promise<void> {
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
  const kickoffs = await latencies(url, 100, 5, (at) => ({
    method: 'POST',
    path: '/v3/entity-resolution/async',
    body: JSON.stringify({ name: `Acme ${at}`, include: 'basis' }),
  }))
  const reply = await request(`${url}/v3/entity-resolution/async`, {
    method: 'POST',
    headers: { apikey: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Siemens AG' }),
  })
  const { run_id: runId } = (await reply.body.json()) as { run_id: string }
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
