import type { FastifyInstance } from 'fastify'
import type { Deferrable } from '../platform/sql-program.js'
import type { ListenAddress } from '../core/server-addresses.js'
import { systemClock } from '../platform/clock.js'
import { closeWithin, formatHttpUrl, listen } from '../platform/http-server.js'
import { unlimited } from './accounts/rate-limiter.js'
import type { EventCount } from './deliveries/event-store.js'
import { assertLocalWebhooksStayLocal, type Webhooks } from './deliveries/webhooks.js'
import {
  openEditionGuard,
  calculateServedEdition,
  unguarded,
  type EditionGuard,
  guardKnowledge,
} from './edition-guard.js'
import { noFaults } from './faults.js'
import { createApp, watchRequests } from './http/app.js'
import { mountRoutes } from './http/mount.js'
import { limits } from './limits.js'
import { toOneLineLog, openParts, type PartsOptions } from './service-parts.js'
import { reconciliationPaths } from './reconciliation/manifest.js'
import {
  mountReconciliation,
  settleAccess,
  type ReconciliationAccess,
  type ReconciliationOptions,
} from './reconciliation/mount-reconciliation.js'
import type { AnyRunStore, LedgerEntry, RunCount } from './runs/run-store.js'
import {
  openOwnData,
  openSharedData,
  type OpenData,
  type OwnDataOptions,
  type SharedDataOptions,
} from './stores.js'

export { readFaults } from './faults.js'
export type { ReconciliationAccess } from './reconciliation/mount-reconciliation.js'
export { loadDomainLists } from './records/domains/domain-lists.js'
export { createSystemWebsiteCheck } from './records/domains/website-check.js'

interface ServingOptions extends PartsOptions {
  /** Port 0 selects any free port. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Whether to serve `/docs`, `/openapi.json`, `/metrics` and `/healthz`, which need no key; defaults to `true`. */
  readonly pages?: boolean
  /** Version shown in the documents. */
  readonly version?: string
  /** The Reconciliation Service API at `/reconcile`; not served by default. */
  readonly reconciliation?: ReconciliationSettings
}

export type ServiceOptions = ServingOptions & OwnDataOptions
export type ReplicaOptions = ServingOptions &
  SharedDataOptions & {
    /** The edition that this replica's edition replaces on all replicas; see `openEditionGuard`. */
    readonly replacesEdition?: string
  }

interface ReconciliationSettings {
  /** Defaults (`null`) to no key if the service listens only on this machine, otherwise to a key. */
  readonly access: ReconciliationAccess | null
  /** Origins of web pages on other machines that may call. */
  readonly origins: readonly string[]
}

export interface RunningService {
  readonly url: string
  readonly host: string
  readonly port: number
  runCount(): RunCount
  eventCount(): EventCount
  /** Returns the units billed to an account, oldest first. */
  ledger(account: string): LedgerEntry[]
  /** Ends requests in flight and research, then closes the data. A second call waits for the first. */
  close(): Promise<void>
}

/** One of several services on the same database. Its counts and ledgers are those of all of them. */
export type RunningReplica = Deferrable<RunningService>

/**
 * The door of `enrich serve`: serves the interface over HTTP. All acknowledged work is durable and continues after a
 * restart on the same data folder.
 *
 * ```ts
 * const service = await startService({
 *   knowledge,
 *   listen: { host: '127.0.0.1', port: 0 },
 *   dataFolder: '.enrich/service',
 *   accounts: [{ name: 'default', apiKey }],
 *   rateLimits: 'spec',
 * })
 * await fetch(`${service.url}/v2/search?name=Acme`, { headers: { apikey: apiKey } })
 * await service.close()
 * ```
 *
 * Throws LISTEN_FAILED, SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID, API_KEY_INVALID, and USAGE_INVALID if
 * local webhooks, or reconciliation without a key, are allowed on a service that listens beyond this machine.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  assertMayListen(options)
  // Data in local files is read synchronously, so the counts need no promises.
  return serve(
    options,
    openOwnData({ ...options, log: toOneLineLog(options.log) }),
  ) as Promise<RunningService>
}

/**
 * Starts one of several services on one database: all of them know the work that one has acknowledged, and share
 * limits, credit and accounts. Throws the errors of `startService`, SERVICE_EDITION_DIFFERS, and the codes of a
 * checkpoint on PostgreSQL for an unsuitable URL or server.
 */
export async function startReplica(options: ReplicaOptions): Promise<RunningReplica> {
  assertMayListen(options)
  const log = toOneLineLog(options.log)
  const data = await openSharedData({ ...options, log })
  const { knowledge, domainLists, replacesEdition = null, clock = systemClock } = options
  const { storage } = data
  const edition = () => calculateServedEdition(knowledge.edition?.() ?? null, domainLists?.hash ?? null)
  const guardDeps = { postgres: storage.postgres, edition, replaces: replacesEdition, clock, log }
  const guard = await openEditionGuard(guardDeps).catch(async (error: unknown) => {
    await storage.close()
    throw error
  })
  return serve(options, data, guard)
}

function assertMayListen(options: ServingOptions): void {
  assertLocalWebhooksStayLocal(options, options.listen.host)
  settleReconciliation(options)
}

async function serve<Runs extends AnyRunStore>(
  options: ServingOptions,
  data: OpenData<Runs>,
  guard: EditionGuard = unguarded,
) {
  const { faults = noFaults, clock = systemClock } = options
  const reconciliation = settleReconciliation(options)
  let isBusy = () => false
  const parts = openParts(options, data, () => isBusy(), guard)
  const { store, webhooks, callers, limiter, random, log } = parts
  try {
    await store.limitDueTimes(clock.nowMs() + (options.researchMs?.max ?? 0))
    const guests = reconciliation && { path: reconciliationPaths.endpoint, origins: reconciliation.origins }
    const app = createApp(callers, { clock, random, log, guests })
    const { version = 'unknown' } = options
    const knowledge = guardKnowledge(options.knowledge, guard)
    if (options.pages ?? true) {
      const links = guests === null ? {} : { reconciliation: guests.path }
      await mountPages(app, { version, links, store, webhooks, guard })
    }
    isBusy = watchRequests(app, clock)
    mountRoutes(app, parts.handlers, { callers, limiter, random, faults })
    if (reconciliation !== null) {
      const rateClock = limiter === unlimited ? null : clock
      mountReconciliation(app, { ...reconciliation, knowledge, callers, version, rateClock, log })
    }
    const hint = 'choose another address, or port 0 for any free port'
    const bound = await listen(app, options.listen, { hint })
    webhooks.start()
    let ended: Promise<void> | undefined
    return {
      ...bound,
      url: toReachableUrl(bound),
      runCount: () => store.count() as ReturnType<Runs['count']>,
      eventCount: () => webhooks.countEvents(),
      ledger: (account: string) => store.ledger(account) as ReturnType<Runs['ledger']>,
      close: () => (ended ??= parts.end(() => closeWithin(app, limits.closeGraceMs, clock))),
    }
  } catch (error) {
    await parts.end()
    throw error
  }
}

function settleReconciliation({ reconciliation, listen }: ServingOptions): ReconciliationOptions | null {
  if (reconciliation === undefined) return null
  return { ...reconciliation, access: settleAccess(reconciliation.access, listen.host) }
}

/** A service that listens on every address is reachable at the loopback address. */
function toReachableUrl({ host, port }: Readonly<ListenAddress>): string {
  const loopbacks: Partial<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return formatHttpUrl({ host: loopbacks[host] ?? host, port })
}

interface PagesDeps {
  readonly version: string
  /** Links of the start page. */
  readonly links: Readonly<Record<string, string>>
  readonly store: AnyRunStore
  readonly webhooks: Webhooks
  readonly guard: EditionGuard
}

/** Mounts the pages. They are loaded on demand. */
async function mountPages(
  app: FastifyInstance,
  { version, links, store, webhooks, guard }: PagesDeps,
): Promise<void> {
  const [{ mountDocs }, { mountMetrics }] = await Promise.all([
    import('./docs/mount-docs.js'),
    import('./http/metrics.js'),
  ])
  mountDocs(app, version, links)
  mountMetrics(app, {
    runCount: () => store.count(),
    eventCount: async () => ({ ...(await webhooks.countEvents()) }),
    problem: () => guard.problem(),
  })
}
