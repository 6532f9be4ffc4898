import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Chance } from '../simulation/chance.js'
import { listenOnLoopback } from './loopback-server.js'

/**
 * A hosted service that bills each submission, then answers late, or not at all; some it refuses, and some never arrive.
 * Says its port on standard output. `GET /ledger` is what it billed. After `GET /hold/80`,
 * the 80th run and later ones do not end before `GET /release`. After `GET /late/3000`, each submission is answered three
 * seconds after it is billed. The arguments are the seed, and addresses to listen at besides 127.0.0.1.
 */
const chance = new Chance(Number(process.argv[2]))

interface Billed {
  readonly name: string
  readonly customId: string
  readonly runId: string
  readonly number: number
  readonly atMs: number
  /** By `atMs`'s clock. */
  readonly doneAtMs: number
}

const ledger: Billed[] = []
const byRun = new Map<string, Billed>()
let heldFrom = Infinity
let lateMs: number | null = null
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const createOne = () =>
  createServer((request, response) => {
    void answer(request, response).catch(() => request.socket.destroy())
  })
const port = await listenOnLoopback(createOne())
for (const address of process.argv.slice(3))
  await new Promise<void>((resolve) => createOne().listen(port, address, resolve))
process.stdout.write(`${port}\n`)

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const reply = (status: number, json: object, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
  }
  if (request.url === '/ledger') reply(200, ledger)
  else if (request.url?.startsWith('/hold/') === true) {
    heldFrom = Number(request.url.slice('/hold/'.length))
    reply(200, { heldFrom })
  } else if (request.url?.startsWith('/late/') === true) {
    lateMs = Number(request.url.slice('/late/'.length))
    reply(200, { lateMs })
  } else if (request.url === '/release') {
    heldFrom = Infinity
    reply(200, {})
  } else if (request.method === 'POST') await submitted(body, request, reply)
  else {
    const runId = decodeURIComponent(/\/v3\/runs\/([^?]+)/.exec(request.url ?? '')?.[1] ?? '')
    const run = byRun.get(runId)
    if (run === undefined) reply(404, { error: { type: 'not_found', message: 'no such run' } })
    else if (performance.now() < run.doneAtMs || run.number >= heldFrom)
      reply(200, { status: 'RUNNING', run_id: runId, custom_id: run.customId })
    else reply(200, completed(run))
  }
}

async function submitted(
  body: string,
  request: IncomingMessage,
  reply: (status: number, json: object, headers?: Record<string, string>) => void,
): Promise<void> {
  const { name, custom_id: customId } = JSON.parse(body) as { name: string; custom_id: string }
  await pause(chance.whole(0, 150))
  const luck = chance.fraction()
  if (luck < 0.004) {
    reply(429, { error: { type: 'rate_limited', message: 'too many' } }, { 'retry-after': '1' })
  } else if (luck < 0.008) reply(503, { error: { type: 'unavailable', message: 'not now' } })
  else if (luck < 0.012) request.socket.destroy()
  else {
    const atMs = performance.now()
    const number = ledger.length + 1
    const runId = `run_${number}`
    const billed = { name, customId, runId, number, atMs, doneAtMs: atMs + chance.whole(50, 900) }
    ledger.push(billed)
    byRun.set(runId, billed)
    await pause(lateMs ?? chance.whole(50, 350))
    if (luck < 0.022) request.socket.destroy()
    else reply(202, { status: 'PENDING', run_id: runId, custom_id: customId })
  }
}

function completed({ name, customId, runId }: Billed) {
  return {
    status: 'COMPLETED',
    run_id: runId,
    custom_id: customId,
    data: {
      status: 'matched',
      match_confidence: 97,
      query: { name },
      entity: { id: `siq_${Buffer.from(name).toString('hex')}`, legal_name: `${name} Holdings GmbH` },
      metadata: { resolved_at: '2026-01-02T03:04:05.678Z', from_cache: false, query: { name } },
    },
  }
}
