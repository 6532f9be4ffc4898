import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createServiceClient } from '../../src/client/client.js'
import { openShared } from '../../src/pipeline/checkpoint/postgres/open-database.js'
import type { RunOrder, RunServices } from '../../src/pipeline/order.js'
import { collectParts, type Collected } from '../../src/pipeline/output/collect.js'
import { runPipeline } from '../../src/pipeline/run.js'
import type { RunSummary } from '../../src/pipeline/history/run-summary.js'
import type { Partition } from '../../src/core/partition.js'
import { parsePostgresUrl } from '../../src/core/server-addresses.js'
import { systemClock, systemRandom } from '../../src/platform/clock.js'
import { connectPostgres } from '../../src/platform/postgres/connect.js'
import type { Postgres } from '../../src/platform/postgres/postgres.js'
import type { SharedPostgres } from './postgres-server.js'
import { TrueService } from './true-service.js'
import { buildOrder, buildServices } from './run-order.js'

/** A run of one part, or of all rows, as texts alone, so that another process can be given it. */
export interface PartRun {
  readonly folder: string
  /** Of the database in which parts are published. */
  readonly url: string
  readonly job: string
  readonly partition: Partition | null
  /** Names in the folder. */
  readonly inputs: readonly string[]
  readonly output: string
  /** Each process that runs at one time has a file of its own; null: that of the database. */
  readonly checkpoint: string | null
  readonly columns?: readonly string[]
}

export interface RanPart {
  readonly summary: RunSummary
  readonly notices: readonly string[]
}

/** The whole pipeline over real files, with the parts published in a real database. */
export async function runPart(
  run: PartRun,
  postgres: Postgres,
  more: Partial<RunServices> = {},
): Promise<RanPart> {
  const notices: string[] = []
  const summary = await runPipeline(toOrder(run), {
    ...toServices(postgres),
    observe: (event) => {
      if (event.type === 'notice') notices.push(event.text)
    },
    ...more,
  })
  return { summary, notices }
}

const scope = 'https://service.test'

function toOrder(run: PartRun): RunOrder {
  const path = (name: string) => join(run.folder, name)
  mkdirSync(path('.enrich'), { recursive: true })
  const limits = {
    submissionsPerWindow: null,
    pollsPerWindow: null,
    windowMs: 60_000,
    inFlightRunsMax: 100,
    submitConcurrency: 8,
  }
  const files = {
    inputs: run.inputs.map(path),
    output: path(run.output),
    checkpoint: path(`.enrich/${run.checkpoint ?? ''}.sqlite`),
    spoolFolder: path('.enrich'),
  }
  const order = buildOrder(
    files,
    { limits, polling: { firstAfterMs: 0, intervalMs: 1, deadlineMs: 600_000 } },
    { source: { columns: { name: 'company_name' } } },
  )
  const { source, target, store, reporting } = order
  return {
    ...order,
    source: {
      ...source,
      part: run.partition === null ? null : { job: run.job, partition: run.partition },
    },
    target: { ...target, output: { ...target.output, columns: run.columns } },
    store: { ...store, sharedUrl: run.checkpoint === null ? run.url : null },
    // A run of all rows is no part of the job.
    reporting: {
      ...reporting,
      history: { ...reporting.history, job: run.partition === null ? `${run.job}, all rows` : run.job },
    },
  }
}

function toServices(postgres: Postgres): RunServices {
  const options = { apiKey: 'key', baseUrl: scope, userAgent: 'parts', connectionsMax: 1 }
  return {
    ...buildServices(scope, () => createServiceClient(options, agreeable)),
    wrapBackend: (backend) => ({ ...backend, parts: databaseOf(postgres) }),
  }
}

/** Knows every company by its run id: whichever process asks gets the same. */
const agreeable = new TrueService({
  legalNameOf: (name) => `${name} "Trading",\nLtd`,
  runIdOf: (name) => `run_${Buffer.from(name).toString('hex')}`,
  nameOf: (runId) => Buffer.from(runId.replace('run_', ''), 'hex').toString('utf8'),
})

export const connectTo = (url: string): Postgres =>
  connectPostgres(parsePostgresUrl(url), { environment: {} })

export const databaseOf = (postgres: Postgres) => ({ postgres, explain: (error: unknown) => error })

/** A database of its own on a server that is durable, with the tables of a checkpoint. */
export async function makeDatabase(server: SharedPostgres, name: string): Promise<string> {
  const url = server.createDatabase(name)
  const made = await openShared(url, { clock: systemClock, random: systemRandom, environment: {} })
  await made.close()
  return url
}

export const collectJob = (
  postgres: Postgres,
  job: string,
  output: string | null = null,
  baseUrl: string | null = null,
): Promise<Collected> =>
  collectParts({
    database: databaseOf(postgres),
    clock: systemClock,
    job,
    baseUrl,
    output: output === null ? null : { path: output },
  })
