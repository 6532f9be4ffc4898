import { createServer, request as sendRequest } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntityRecord } from '../../src/contract/entity.js'
import type { EntityId } from '../../src/contract/enums.js'
import { createServiceClient } from '../../src/client/client.js'
import type { RunOrder, RunServices } from '../../src/pipeline/order.js'
import { stageKinds, type LookupKind, type StageKind } from '../../src/core/lookup-state.js'
import type { CostLimit } from '../../src/core/money.js'
import { runPipeline } from '../../src/pipeline/run.js'
import { createDefaultStages } from '../../src/pipeline/scheduler/scheduling.js'
import type { RunSummary } from '../../src/pipeline/history/run-summary.js'
import { startService, type RunningService, type ServiceOptions } from '../../src/service/service.js'
import { fakeKnowledge, matchOf, sampleEntity, sampleRecord, type FakeKnowledge } from './fake-knowledge.js'
import { keys } from './keys.js'
import { listenOnLoopback } from './loopback-server.js'
import { ownershipOf } from './ownerships.js'
import { buildOrder, buildServices } from './run-order.js'

/** Where every name is that of a company, some of them share one, and each company has a website and an owner. */
export function companyWorld(nameCount: number, companyCount: number): FakeKnowledge {
  const idOf = (index: number) => `siq_company${index}` as EntityId
  const entityOf = (index: number) =>
    sampleEntity({
      id: idOf(index),
      display_name: `Company ${index}`,
      website: `https://www.company${index}.com`,
    })
  const answers = Object.fromEntries(
    Array.from({ length: nameCount }, (_, index) => [
      `Company ${index}`,
      matchOf(entityOf(index % companyCount)),
    ]),
  )
  const entities = Array.from({ length: companyCount }, (_, index): EntityRecord => {
    const record = sampleRecord(entityOf(index))
    return { ...record, attributes: { ...record.attributes, employee_count: index } }
  })
  return fakeKnowledge({
    answers,
    entities,
    ownership: (id) => ownershipOf(id, [`owner > ${id} 75`]),
    domains: Object.fromEntries(
      Array.from({ length: companyCount }, (_, index) => [`company${index}.com`, matchOf(entityOf(index))]),
    ),
  })
}

export function writeCompanies(folder: string, nameCount: number): void {
  mkdirSync(folder, { recursive: true })
  const rows = Array.from({ length: nameCount }, (_, index) => `Company ${index},Leeds`)
  writeFileSync(join(folder, 'companies.csv'), `company_name,city\n${rows.join('\n')}\n`)
}

/** A run over `companies.csv` in a folder, with all stages unless told otherwise. */
export function runStages(
  folder: string,
  baseUrl: string,
  parts: Partial<RunServices> & {
    store?: Partial<RunOrder['store']>
    requests?: Partial<RunOrder['requests']>
    asked?: readonly StageKind[]
    lookupsMaxOf?: Partial<Record<LookupKind, number>>
    cost?: CostLimit
  } = {},
): Promise<RunSummary> {
  const { asked = stageKinds, lookupsMaxOf = {}, cost, store, requests, ...services } = parts
  const limits = {
    submissionsPerWindow: 60_000,
    pollsPerWindow: 60_000,
    windowMs: 60_000,
    inFlightRunsMax: 2_000,
    submitConcurrency: 8,
  }
  const polling = { firstAfterMs: 0, intervalMs: 20, deadlineMs: 300_000 }
  const stages = createDefaultStages({ limits, polling }, asked)
  const quick = (kind: StageKind) => ({
    ...stages.kinds[kind],
    limits: { submissionsPerWindow: 60_000, pollsPerWindow: 60_000 },
    lookupsMax: lookupsMaxOf[kind] ?? null,
  })
  const files = {
    inputs: [join(folder, 'companies.csv')],
    output: join(folder, 'out.csv'),
    checkpoint: join(folder, 'checkpoint.sqlite'),
    spoolFolder: folder,
  }
  const scheduling = {
    limits,
    polling,
    lookupsMax: lookupsMaxOf.resolution ?? null,
    ...(cost === undefined ? {} : { cost }),
  }
  const { store: ownStore, ...order } = buildOrder(files, scheduling, {
    requests: {
      stages: {
        asked,
        kinds: { entity: quick('entity'), hierarchy: quick('hierarchy'), domain: quick('domain') },
      },
      ...requests,
    },
  })
  const createClient = () =>
    createServiceClient({ baseUrl, apiKey: keys.alice, userAgent: 'stages', connectionsMax: 32 })
  return runPipeline(
    { ...order, store: { ...ownStore, ...store } },
    { ...buildServices(baseUrl, createClient), ...services },
  )
}

/** A service of this world, without limits, for `alice`, behind a tap. Close the tap before the service. */
export async function serveCompanies(
  knowledge: FakeKnowledge,
  options: Partial<ServiceOptions> = {},
): Promise<{ service: RunningService; tap: Tap }> {
  const service = await startService({
    knowledge,
    dataFolder: null,
    listen: { host: '127.0.0.1', port: 0 },
    accounts: [{ name: 'alice', apiKey: keys.alice }],
    rateLimits: 'none',
    pages: false,
    log: () => undefined,
    ...options,
  })
  return { service, tap: await tapService(service.url) }
}

export interface Tap {
  readonly url: string
  /** Requests that began something, as the service got them: `POST <what>`, with how often. */
  readonly begun: ReadonlyMap<string, number>
  /** When these requests came, in milliseconds of the system clock. */
  readonly begunAtMs: ReadonlyMap<string, readonly number[]>
  /** Reads of records of companies, first ones and polls. */
  entityReadCount(): number
  close(): Promise<void>
}

/** Stands in front of a service, hands everything on, and counts what begins something. */
export async function tapService(target: string): Promise<Tap> {
  const begun = new Map<string, number>()
  const begunAtMs = new Map<string, number[]>()
  let entityReadCount = 0
  const note = (method: string, path: string, body: string) => {
    if (path.startsWith('/v3/entities/')) entityReadCount++
    if (method !== 'POST') return
    const asked = body === '' ? {} : (JSON.parse(body) as { name?: string; domain?: string })
    const what = `${path} ${asked.domain ?? asked.name ?? ''}`.trim()
    begun.set(what, (begun.get(what) ?? 0) + 1)
    begunAtMs.set(what, [...(begunAtMs.get(what) ?? []), Date.now()])
  }
  const server = createServer((incoming, reply) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      note(incoming.method ?? '', incoming.url ?? '', body.toString())
      const outgoing = sendRequest(
        `${target}${incoming.url ?? ''}`,
        { method: incoming.method ?? 'GET', headers: { ...incoming.headers, host: new URL(target).host } },
        (answer) => {
          reply.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.on('error', () => reply.destroy())
          answer.pipe(reply)
        },
      )
      outgoing.on('error', () => reply.destroy())
      outgoing.end(body)
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    begun,
    begunAtMs,
    entityReadCount: () => entityReadCount,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => {
          resolve()
        })
      }),
  }
}
