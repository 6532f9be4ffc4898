import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach } from 'vitest'
import {
  enrich,
  type EnrichConfig,
  type EnrichOptions,
  type RunEvent,
  type RunSummary,
} from '../../src/index.js'
import { startStrangeService, type StrangeService, type StrangeServiceOptions } from './strange-service.js'
import { makeFolder } from './temporary-folder.js'

type Row = Record<string, string>

/** What a run must know of a service. */
type Addressed = Pick<StrangeService, 'baseUrl' | 'apiKey'>

/** A folder with an input, and runs of the real pipeline over it against a service of the tests. */
export interface Workplace {
  readonly folder: string
  path(name: string): string
  writeRows(rows: readonly string[], name?: string): void
  run(service: Addressed, config?: EnrichConfig, options?: EnrichOptions): Promise<RunSummary>
  readOutput(name?: string): Row[]
}

/** Fast enough for tests: what is held to limits is tested where the limits are. */
const quick = {
  limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
  polling: { firstAfterSeconds: 0, intervalSeconds: 0.01, deadlineMinutes: 5 },
} as const satisfies EnrichConfig

export function createWorkplace(): Workplace {
  const folder = makeFolder()
  const path = (name: string) => join(folder, name)
  return {
    folder,
    path,
    writeRows: (rows, name = 'companies.csv') => {
      writeFileSync(path(name), `company_name,city\n${rows.join('\n')}\n`)
    },
    run: (service, config = {}, options = {}) => {
      const { input, output, checkpoint, limits, polling, ...rest } = config
      const run = enrich(
        {
          ...rest,
          limits: { ...quick.limits, ...limits },
          polling: { ...quick.polling, ...polling },
          input: { paths: [path('companies.csv')], ...input },
          output: { path: path('out.csv'), ...output },
          checkpoint: { path: path('checkpoint.sqlite'), ...checkpoint },
          service: { baseUrl: service.baseUrl },
        },
        { environment: { ENRICH_API_KEY: service.apiKey }, ...options },
      )
      return run.summary
    },
    readOutput: (name = 'out.csv') => parse(readFileSync(path(name)), { columns: true }),
  }
}

/** Starts services that end with the test; to be called once, at the top of a file. */
export function servicesOfTests(): (options?: StrangeServiceOptions) => Promise<StrangeService> {
  const services: StrangeService[] = []
  afterEach(() => Promise.all(services.splice(0).map((service) => service.close())))
  return async (options = {}) => {
    const service = await startStrangeService(options)
    services.push(service)
    return service
  }
}

export async function eventsOf(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const seen: RunEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}
