import type { FastifyInstance } from 'fastify'
import type { ListenAddress } from '../core/listen-address.js'
import { systemClock, type Clock } from '../platform/clock.js'
import { closeWithin, httpUrl, listen } from '../platform/listening.js'
import { systemRandom, type Random } from '../platform/random.js'
import type { Sqlite } from '../platform/sqlite.js'
import { storeAccounts, storedCallers, type AccountOptions } from './accounts/accounts.js'
import { createCredit } from './accounts/credit.js'
import { createRateLimiter, unlimited } from './accounts/limits/rate-limiter.js'
import type { EventCount } from './deliveries/event-store.js'
import {
  assertLocalWebhooksStayLocal,
  createWebhooks,
  type WebhookOptions,
  type Webhooks,
} from './deliveries/webhooks.js'
import { noFaults, withFaults, type Faults } from './faults.js'
import { createApp, watchRequests } from './http/app.js'
import { mountRoutes, type Handlers } from './http/mount.js'
import type { Knowledge } from './knowledge.js'
import { limits } from './limits.js'
import { createBuilds, type Builds } from './records/builds/builds.js'
import { entityCompiler, entityEventData } from './records/builds/entity-build.js'
import { domainCompiler, domainEventData } from './records/domains/domain-build.js'
import { noDomainLists, type DomainLists } from './records/domains/domain-lists.js'
import type { WebsiteCheck } from './records/domains/website-check.js'
import { hierarchyCompiler } from './records/hierarchies/hierarchy.js'
import { mcpHandlers } from './routes/mcp.js'
import { hierarchyHandlers } from './routes/v1/hierarchy.js'
import { domainHandlersV1, entityHandlersV1 } from './routes/v1/records.js'
import { reportHandlers } from './routes/v1/report.js'
import { createHeldStreams, type HeldStreams } from './routes/v2/held-streams.js'
import { resolutionHandlers } from './routes/v2/resolutions.js'
import { searchHandlers } from './routes/v2/search.js'
import { domainHandlers, entityHandlers } from './routes/v3/records.js'
import { kickoffHandlers, pollHandlers } from './routes/v3/runs.js'
import { createJournal } from './runs/journal.js'
import { startResearcher, type Researcher } from './runs/researcher.js'
import { createRunStore, type LedgerEntry, type RunCount, type RunStore } from './runs/run-store.js'
import { openStorage } from './storage/storage.js'

export type { Knowledge } from './knowledge.js'

export interface ServiceOptions extends WebhookOptions {
  readonly knowledge: Knowledge
  /** Holds `service.sqlite`; null keeps everything in memory. */
  readonly dataFolder: string | null
  /** Port 0 is any free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Stored by their hash; accounts of earlier starts stay. */
  readonly accounts: readonly AccountOptions[]
  /** Whether the interface's limits a minute hold. */
  readonly rateLimits: 'spec' | 'none'
  /** How long a run takes, evenly spread; default 0 to 0. */
  readonly researchMs?: { readonly min: number; readonly max: number }
  /** How long the build of a record or a hierarchy takes, evenly spread; default 0 to 0. */
  readonly buildMs?: { readonly min: number; readonly max: number }
  /** What is known of domains beside the knowledge; nothing if left out. */
  readonly domainLists?: DomainLists
  /** Asks the websites of domains; left out, none is asked. */
  readonly checkWebsite?: WebsiteCheck
  /** Whether `/docs`, `/openapi.json`, `/metrics` and `/healthz` are there; default true. They ask for no key. */
  readonly pages?: boolean
  /** What is to go wrong, for rehearsals; nothing if left out. */
  readonly faults?: Faults
  /** Said in the documents. */
  readonly version?: string
  readonly clock?: Clock
  readonly random?: Random
  /** One line for what an operator should see: a failed run, an internal error. Never a key. */
  readonly log?: (line: string) => void
}

export interface RunningService {
  readonly url: string
  readonly host: string
  readonly port: number
  runCount(): RunCount
  eventCount(): EventCount
  /** The units billed to an account, oldest first. */
  ledger(account: string): LedgerEntry[]
  /** Ends requests in flight and research, then closes the data; a second call waits for the first. */
  close(): Promise<void>
}

/**
 * Serves the interface over HTTP. What it acknowledged is durable, and goes on after a restart on the same
 * data folder. Throws LISTEN_FAILED, SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID, API_KEY_INVALID, and
 * USAGE_INVALID where local webhooks are allowed to a service that listens beyond this machine.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { clock = systemClock, random = systemRandom, faults = noFaults } = options
  const knowledge = withFaults(options.knowledge, faults)
  const log = (line: string) => options.log?.(line.replace(/\s*\n\s*/g, ' '))
  const researchMs = options.researchMs ?? { min: 0, max: 0 }
  assertLocalWebhooksStayLocal(options, options.listen.host)
  const storage = openStorage(options, clock, log)
  const { database } = storage
  try {
    storeAccounts(database, options.accounts, clock.nowMs())
    const streams = createHeldStreams(clock)
    const webhooks = createWebhooks(options, { database, clock, random, log, faults })
    const store = createRunStore(database, [webhooks.onRunEnded, streams.onEnded])
    store.bringForward(clock.nowMs() + researchMs.max)
    const callers = storedCallers(database)
    const app = createApp(callers, { clock, random, log })
    if (options.pages ?? true)
      await mountPages(app, { version: options.version ?? 'unknown', store, webhooks })
    const isBusy = watchRequests(app, clock)
    const onStored = webhooks.outbox.wake
    const researcher = startResearcher({ store, knowledge, clock, log, isBusy, onStored })
    const limiter = options.rateLimits === 'spec' ? createRateLimiter(clock, storage.windows) : unlimited
    const deps = { database, knowledge, store, clock, random, log, isBusy, streams, webhooks, researcher }
    const builds = openBuilds(options, deps)
    mountRoutes(app, createHandlers(options, { ...deps, builds }), { callers, limiter, random, faults })

    const end = async () => {
      streams.close()
      await closeWithin(app, limits.closeGraceMs, clock)
      await Promise.all([researcher.stop(), builds.stop()])
      await webhooks.stop()
      storage.close()
    }
    const hint = 'choose another address, or port 0 for any free port'
    const bound = await listen(app, options.listen, { hint }).catch(async (error: unknown) => {
      await Promise.all([researcher.stop(), builds.stop()])
      throw error
    })
    webhooks.start()
    let ended: Promise<void> | undefined
    return {
      ...bound,
      url: reachableUrl(bound),
      runCount: () => store.count(),
      eventCount: webhooks.eventCount,
      ledger: (account) => store.ledger(account),
      close: () => (ended ??= end()),
    }
  } catch (error) {
    storage.close()
    throw error
  }
}

/** A service that listens on every address is reached on this machine's own. */
function reachableUrl({ host, port }: Readonly<ListenAddress>): string {
  const loopbacks: Partial<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return httpUrl({ host: loopbacks[host] ?? host, port })
}

interface Deps {
  readonly database: Sqlite
  readonly knowledge: Knowledge
  readonly store: RunStore
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
  readonly isBusy: () => boolean
  readonly streams: HeldStreams
  readonly webhooks: Webhooks
  readonly researcher: Researcher
}

/** What each kind of record is compiled from, and what its events carry. */
function openBuilds(options: ServiceOptions, deps: Deps): Builds {
  const { knowledge } = deps
  const { domainLists: lists = noDomainLists, checkWebsite = null } = options
  return createBuilds({
    ...deps,
    buildMs: options.buildMs ?? { min: 0, max: 0 },
    outbox: deps.webhooks.outbox,
    edition: () => knowledge.edition?.() ?? null,
    compilers: {
      entity: entityCompiler(knowledge),
      domain: domainCompiler({ knowledge, lists, checkWebsite }),
      hierarchy: hierarchyCompiler(knowledge),
    },
    eventData: { entity: entityEventData(knowledge), domain: domainEventData },
  })
}

function createHandlers(options: ServiceOptions, deps: Deps & { readonly builds: Builds }): Handlers {
  const { knowledge, store, builds, clock, webhooks, database } = deps
  const credit = createCredit(database, clock)
  const records = { ...deps, gate: webhooks.gate }
  const researchMs = options.researchMs ?? { min: 0, max: 0 }
  const submission = { ...deps, journal: createJournal(store), credit, researchMs }
  return {
    ...kickoffHandlers({ ...submission, gate: webhooks.gate }),
    ...pollHandlers(store, builds),
    ...entityHandlers(records),
    ...entityHandlersV1(knowledge, builds),
    ...domainHandlers({ ...records, credit }),
    ...domainHandlersV1(builds),
    ...searchHandlers(knowledge, clock),
    ...resolutionHandlers(submission),
    ...reportHandlers(database, clock),
    ...hierarchyHandlers(knowledge, builds),
    ...mcpHandlers(deps),
  }
}

/** Loaded when they are wanted: the service inside a run has no pages. */
async function mountPages(
  app: FastifyInstance,
  { version, store, webhooks }: { version: string; store: RunStore; webhooks: Webhooks },
): Promise<void> {
  const [{ mountDocs }, { mountMetrics }] = await Promise.all([
    import('./docs/mount-docs.js'),
    import('./http/metrics.js'),
  ])
  mountDocs(app, version)
  mountMetrics(app, { runCount: () => store.count(), eventCount: () => ({ ...webhooks.eventCount() }) })
}
