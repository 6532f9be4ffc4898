import { systemClock, type Clock } from '../platform/clock.js'
import { systemRandom, type Random } from '../platform/random.js'
import type { Deferrable } from '../core/awaitable.js'
import type { Credit } from './accounts/account-book.js'
import { createWebhooks, type WebhookOptions, type Webhooks, type Outgoing } from './deliveries/webhooks.js'
import { unguarded, type EditionGuard, guardDueWork, guardHandlers } from './edition-guard.js'
import { noFaults, withFaults, type Faults } from './faults.js'
import type { Handlers } from './http/mount.js'
import type { Knowledge } from './knowledge.js'
import { createWaiterEndings } from './records/builds/build.js'
import type { AnyBuildStore } from './records/builds/build-store.js'
import { createBuilds, type Builds } from './records/builds/builds.js'
import { createEntityCompiler, createEntityEventData } from './records/builds/entity-build.js'
import { createDomainCompiler, buildDomainEventData } from './records/domains/domain-build.js'
import { noDomainLists, type DomainLists } from './records/domains/domain-lists.js'
import type { WebsiteCheck } from './records/domains/website-check.js'
import { createHierarchyCompiler } from './records/hierarchy.js'
import type { ReportStore } from './report-store.js'
import { createMcpHandlers } from './routes/mcp.js'
import {
  createHierarchyHandlers,
  createDomainHandlersV1,
  createEntityHandlersV1,
  createReportHandlers,
} from './routes/v1.js'
import {
  createHeldStreams,
  type HeldStreams,
  createResolutionHandlers,
  createSearchHandlers,
} from './routes/v2.js'
import {
  createDomainHandlers,
  createEntityHandlers,
  createKickoffHandlers,
  createPollHandlers,
} from './routes/v3.js'
import { createHeldPolls, type HeldPolls } from './runs/polls.js'
import type { Journal, AnyRunStore } from './runs/run-store.js'
import { followEnds } from './runs/postgres/run-store.js'
import { startResearcher, type Researcher } from './runs/researcher.js'
import type { OpenData } from './stores.js'

export interface PartsOptions extends WebhookOptions {
  readonly knowledge: Knowledge
  /** Duration of a run, evenly distributed; defaults to 0. */
  readonly researchMs?: { readonly min: number; readonly max: number }
  /** Duration of the build of a record or a hierarchy, evenly distributed; defaults to 0. */
  readonly buildMs?: { readonly min: number; readonly max: number }
  /** Facts about domains in addition to the knowledge; optional. */
  readonly domainLists?: DomainLists
  /** Visits the websites of domains; without it, none is visited. */
  readonly checkWebsite?: WebsiteCheck
  /** Injected faults, for rehearsals; optional. */
  readonly faults?: Faults
  readonly clock?: Clock
  readonly random?: Random
  /** Logs one line for the operator, for example a failed run or an internal error. Never contains a key. */
  readonly log?: (line: string) => void
}

/** Opens all parts of the service except its entry points. `end` closes the data, and so does an error thrown here. */
export function openParts<Runs extends AnyRunStore>(
  options: PartsOptions,
  { storage, isInProcess, createStores }: OpenData<Runs>,
  isBusy: () => boolean,
  guard: EditionGuard = unguarded,
) {
  const { clock = systemClock, random = systemRandom, faults = noFaults } = options
  const knowledge = withFaults(options.knowledge, faults)
  const log = toOneLineLog(options.log)
  try {
    const streams = createHeldStreams(clock)
    const held = isInProcess ? createHeldPolls(clock) : null
    const waiting = held === null ? [streams.onEnded] : [streams.onEnded, held.onEnded]
    const stores = createStores({
      waiting,
      clock,
      random,
      lateMs: () => faults.deliveryDelayMs(),
      endingOf: createWaiterEndings({
        entity: createEntityEventData(knowledge),
        domain: buildDomainEventData,
      }),
    })
    const { runs: store, callers, limiter } = stores
    const webhooks = createWebhooks(options, { ...stores, clock, log, faults })
    const researcher = startResearcher({
      store: guardDueWork(store, guard),
      knowledge,
      clock,
      log,
      isBusy,
      onStored: webhooks.outbox.wake,
    })
    const follower =
      storage.kind === 'shared' ? followEnds({ postgres: storage.postgres, clock, log, streams }) : null
    const deps = { ...stores, knowledge, clock, random, log, isBusy }
    const parts = { ...deps, store, streams, webhooks, researcher, held }
    const builds = openBuilds(options, parts, guardDueWork(stores.builds, guard))
    const handlers = guardHandlers(createHandlers(options, { ...parts, builds }), guard)
    const end = async (closeDoor: () => Promise<void> = () => Promise.resolve()) => {
      streams.close()
      held?.close()
      await closeDoor()
      await Promise.all([researcher.stop(), builds.stop(), follower?.stop()])
      await Promise.all([webhooks.stop(), guard.stop()])
      await storage.close()
    }
    return { callers, limiter, handlers, store, webhooks, random, log, end }
  } catch (error) {
    void guard.stop().then(() => storage.close())
    throw error
  }
}

/** Returns a log that joins the lines of a message into one. */
export const toOneLineLog =
  (log: ((line: string) => void) | undefined) =>
  (line: string): void =>
    log?.(line.replace(/\s*\n\s*/g, ' '))

interface Deps {
  readonly outgoing: Outgoing
  readonly reports: Deferrable<ReportStore>
  readonly knowledge: Knowledge
  readonly store: AnyRunStore
  readonly credit: Credit
  readonly journal: Journal
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
  readonly isBusy: () => boolean
  readonly streams: HeldStreams
  readonly webhooks: Webhooks
  readonly researcher: Researcher
  /** `null` if polls are answered at once; runs are then durable and billed. */
  readonly held: HeldPolls | null
}

/** Opens the builds, with a compiler for each kind of record. */
function openBuilds(options: PartsOptions, deps: Deps, store: AnyBuildStore): Deferrable<Builds> {
  const { knowledge } = deps
  const { domainLists: lists = noDomainLists, checkWebsite = null } = options
  return createBuilds({
    ...deps,
    ...deps.outgoing,
    store,
    buildMs: options.buildMs ?? { min: 0, max: 0 },
    edition: () => knowledge.edition?.() ?? null,
    compilers: {
      entity: createEntityCompiler(knowledge),
      domain: createDomainCompiler({ knowledge, lists, checkWebsite }),
      hierarchy: createHierarchyCompiler(knowledge),
    },
  })
}

function createHandlers(
  options: PartsOptions,
  deps: Deps & { readonly builds: Deferrable<Builds> },
): Handlers {
  const { knowledge, store, builds, clock, webhooks, held, credit } = deps
  const records = { ...deps, gate: webhooks.gate }
  const researchMs = options.researchMs ?? { min: 0, max: 0 }
  const submission = { ...deps, researchMs }
  return {
    ...createKickoffHandlers({ ...submission, gate: webhooks.gate }),
    ...createPollHandlers(store, builds, held),
    ...createEntityHandlers(records),
    ...createEntityHandlersV1(knowledge, builds),
    ...createDomainHandlers({ ...records, credit }),
    ...createDomainHandlersV1(builds),
    ...createSearchHandlers(knowledge, clock),
    ...createResolutionHandlers(submission),
    ...createReportHandlers(deps.reports),
    ...createHierarchyHandlers(knowledge, builds),
    ...createMcpHandlers(deps),
  }
}
