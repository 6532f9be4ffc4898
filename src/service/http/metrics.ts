import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Awaitable } from '../../platform/sql-program.js'
import { mountPage } from './mount.js'

/** Counts are read from the stores on demand, never kept in memory. */
export interface MeasuredStores {
  runCount(): Awaitable<{ readonly pending: number; readonly completed: number; readonly failed: number }>
  /** Returns events by state, without states that have none. */
  eventCount(): Awaitable<Readonly<Record<string, number>>>
  /** Returns the reason why no new work is accepted; `null` if it is. */
  problem?(): string | null
}

/**
 * Mounts `/metrics` for Prometheus and `/healthz` for container orchestrators. They need no key and show no name, key
 * or id: only route patterns, statuses and counts.
 */
export function mountMetrics(app: FastifyInstance, stores: MeasuredStores): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'enrich_http_requests_total',
    help: 'Requests answered, by route and status',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'enrich_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  })
  addGauge(registry, 'enrich_runs', 'Runs stored, by status', 'status', async () => ({
    ...(await stores.runCount()),
  }))
  addGauge(registry, 'enrich_webhook_events', 'Webhook events stored, by state', 'state', () =>
    stores.eventCount(),
  )

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    requests.inc({ route, method: request.method, status: String(reply.statusCode) })
    seconds.observe({ route }, reply.elapsedTime / 1_000)
    done()
  })
  mountPage(app, '/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
  mountPage(app, '/healthz', async (_request, reply) => {
    // Reads the store, so that a service without its disk or database is not healthy.
    const { pending } = await stores.runCount()
    const problem = stores.problem?.() ?? null
    return reply
      .code(problem === null ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ status: problem ?? 'ok', pending_runs: pending }))
  })
}

function addGauge(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  count: () => Awaitable<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      for (const [value, number] of Object.entries(await count())) this.set({ [label]: value }, number)
    },
  })
}
