/**
 * A service for bench/loopback.ts, in a process of its own: kickoff and poll of v3 with their limits, counted in
 * calendar minutes, and runs of one to five minutes; all in hurried time. Argument: a `LoopbackWorld` as JSON.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { rateLimitHeaders, rateLimits } from '../src/contract/limits.js'
import type { KickoffBody } from '../src/contract/result.js'
import { Chance } from '../test/simulation/chance.js'
import { finishedRun, lightAnswer } from './answers.js'
import { hurry } from './hurry.js'
import type { LoopbackWorld, ServerFigures } from './loopback.js'

interface Run {
  readonly asked: KickoffBody
  readonly doneAtMs: number
}
interface Reply {
  readonly status: number
  readonly body: unknown
}

const world = JSON.parse(process.argv[2] ?? '') as LoopbackWorld
hurry(world.factor, world.startedAtMs)
const chance = new Chance(1)
const runs = new Map<string, Run>()
const windowMs = rateLimits.windowSeconds * 1000
const windows = { kickoff: { minute: 0, usedCount: 0 }, poll: { minute: 0, usedCount: 0 } }
const figures: ServerFigures = { requests: 0, limited: 0 }

function kickoff(body: string): Reply {
  const asked = JSON.parse(body) as KickoffBody
  const runId = chance.id('run_')
  const runMs = chance.whole(world.runMsMin, world.runMsMax)
  runs.set(runId, { asked, doneAtMs: Date.now() + runMs })
  return { status: 202, body: { status: 'pending', run_id: runId, custom_id: asked.custom_id } }
}

function poll(runId: string): Reply {
  const run = runs.get(runId)
  if (run === undefined)
    return { status: 404, body: { error: { type: 'not_found', message: 'no such run' } } }
  const customId = run.asked.custom_id ?? ''
  if (Date.now() < run.doneAtMs) {
    return { status: 202, body: { run_id: runId, custom_id: customId, status: 'PENDING', data: null } }
  }
  const [city = '', region = '', country = ''] = (run.asked.location ?? '').split(', ')
  const ids = { runId, customId, resolvedAt: new Date(run.doneAtMs).toISOString() }
  return {
    status: 200,
    body: finishedRun(ids, { name: run.asked.name, city, region, country }, lightAnswer, chance),
  }
}

async function answer(request: IncomingMessage): Promise<Reply & { headers: Record<string, string> }> {
  const isKickoff = request.method === 'POST'
  const body = await text(request)
  const route = isKickoff ? 'kickoff' : 'poll'
  const perMinute = isKickoff ? rateLimits.submissionsPerMinute : rateLimits.pollsPerMinute
  const nowMs = Date.now()
  const minute = Math.floor(nowMs / windowMs)
  if (windows[route].minute !== minute) windows[route] = { minute, usedCount: 0 }
  const window = windows[route]
  const isAllowed = window.usedCount < perMinute
  if (isAllowed) window.usedCount++
  figures.requests++
  const headers = {
    'content-type': 'application/json',
    [rateLimitHeaders.limit]: String(perMinute),
    [rateLimitHeaders.remaining]: String(perMinute - window.usedCount),
    [rateLimitHeaders.resetSeconds]: String(Math.ceil(((minute + 1) * windowMs - nowMs) / 1000)),
  }
  if (!isAllowed) {
    figures.limited++
    return {
      status: 429,
      headers,
      body: { error: { type: 'rate_limit_exceeded', message: 'the minute is full' } },
    }
  }
  const runId = /^\/v3\/runs\/([^?]+)/.exec(request.url ?? '')?.[1] ?? ''
  return { headers, ...(isKickoff ? kickoff(body) : poll(decodeURIComponent(runId))) }
}

const server = createServer((request, response) => {
  void answer(request).then(({ status, headers, body }) => {
    response.writeHead(status, headers)
    response.end(JSON.stringify(body))
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
// Asked for its figures, it is no longer needed.
process.once('message', () => {
  process.send?.(figures, () => {
    process.exit()
  })
})
