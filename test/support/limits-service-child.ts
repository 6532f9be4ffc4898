import { subscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createFaults, faultPlan } from '../../src/service/faults.js'
import { startService } from '../../src/service/service.js'
import { fakeKnowledge } from './fake-knowledge.js'
import { keys } from './keys.js'
import { listenOnLoopback } from './loopback-server.js'

/**
 * Serves a data folder under the limits of the interface until it is killed; refuses one request in so many though the
 * minute is not full, and researches for half a minute to a minute and a half. Says its address on standard output, then
 * that of a server which gives, as JSON, every request that came: its route, when, and what it was answered with.
 */
const [dataFolder = '', seed = '1', refusedShareOfSubmissions = '0', refusedShareOfPolls = '0'] =
  process.argv.slice(2)

const came: { isSubmission: boolean; atMs: number; status: number }[] = []
const startedAtMs = new WeakMap<IncomingMessage, number>()
subscribe('http.server.request.start', (message) => {
  startedAtMs.set((message as { request: IncomingMessage }).request, performance.now())
})
subscribe('http.server.response.finish', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const atMs = startedAtMs.get(request)
  if (atMs === undefined || request.url?.startsWith('/v3/') !== true) return
  came.push({
    isSubmission: request.method === 'POST',
    atMs: performance.timeOrigin + atMs,
    status: response.statusCode,
  })
})

const service = await startService({
  knowledge: fakeKnowledge(),
  dataFolder,
  listen: { host: '127.0.0.1', port: 0 },
  accounts: [{ name: 'alice', apiKey: keys.alice }],
  rateLimits: 'spec',
  pages: false,
  researchMs: { min: 30_000, max: 90_000 },
  faults: createFaults(
    faultPlan.parse({
      seed: Number(seed),
      requests: [
        { fault: 'limited', rate: Number(refusedShareOfSubmissions), routes: ['kickoffRun'] },
        { fault: 'limited', rate: Number(refusedShareOfPolls), routes: ['pollRun'] },
      ],
    }),
  ),
})
process.stdout.write(`${service.url}\n`)
const figures = createServer((_, response) => response.end(JSON.stringify(came)))
process.stdout.write(`http://127.0.0.1:${await listenOnLoopback(figures)}\n`)
