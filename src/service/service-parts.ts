import { systemClock, type Clock, systemRandom, type Random } from '../platform/clock.js'
import type { Deferrable } from '../platform/sql-program.js'
import { type WebhookGate, type WebhookOptions, Webhooks } from './deliveries/webhooks.js'
import { unguarded, type EditionGuard, guardDueWork, guardHandlers } from './edition-guard.js'
import { noFaults, withFaults, type Faults } from './faults.js'
import type { Handlers } from './http/mount.js'
import type { Knowledge } from './knowledge.js'
import { createWaiterEndings, withFailures, type BuildKind, type Compiler } from './records/builds/build.js'
import { createBuilds, type Builds } from './records/builds/builds.js'
import { createEntityCompiler, createEntityEventData } from './records/builds/entity-build.js'
import { createDomainCompiler, buildDomainEventData } from './records/domains/domain-build.js'
import { noDomainLists, type DomainLists } from './records/domains/domain-lists.js'
import type { WebsiteCheck } from './records/domains/website-check.js'
import { createHierarchyCompiler } from './records/hierarchy.js'
import { createMcpHandlers } from './routes/mcp.js'
import {
  createHierarchyHandlers,
  createDomainHandlersV1,
  createEntityHandlersV1,
  createReportHandlers,
} from './routes/v1.js'
import { HeldStreams, createResolutionHandlers, createSearchHandlers } from './routes/v2.js'
import {
  createDomainHandlers,
  createEntityHandlers,
  createKickoffHandlers,
  createPollHandlers,
} from './routes/v3.js'
import { HeldPolls } from './runs/polls.js'
import { withAnswerCache } from './runs/run-outcome.js'
import type { AnyRunStore } from './runs/run-store.js'
import { followEnds } from './runs/postgres/run-store.js'
import { Researcher } from './runs/researcher.js'
import type { OpenData, Stores } from './stores.js'

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

const noTime = { min: 0, max: 0 }

/** Opens all parts of the service except its entry points. `end` closes the data, and so does an error thrown here. */
export function openParts<Runs extends AnyRunStore>(
  options: PartsOptions,
  { storage, isInProcess, createStores }: OpenData<Runs>,
  isBusy: () => boolean,
  guard: EditionGuard = unguarded,
) {
  const { clock = systemClock, random = systemRandom, faults = noFaults } = options
  // A caller in this process sends each query once, and its answers must not depend on the order of queries.
  const cached = isInProcess ? options.knowledge : withAnswerCache(options.knowledge, clock)
  const knowledge = withFaults(cached, faults)
  const log = toOneLineLog(options.log)
  try {
    const streams = new HeldStreams(clock)
    const held = isInProcess ? new HeldPolls(clock) : null
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
    const webhooks = new Webhooks(options, { ...stores, clock, log, faults })
    const researcher = new Researcher({
      store: guardDueWork(store, guard),
      knowledge,
      clock,
      log,
      isBusy,
      onStored: webhooks.outbox.wake,
    })
    const follower =
      storage.kind === 'shared' ? followEnds({ postgres: storage.postgres, clock, log, streams }) : null
    const { min, max } = options.buildMs ?? noTime
    const builds = createBuilds({
      ...stores.outgoing,
      store: guardDueWork(stores.builds, guard),
      clock,
      buildMs: {
        choose: (kind) => Math.round(min + random.fraction() * (max - min)) + faults.buildDelayMs(kind),
        max: max + faults.buildDelayMsMax,
      },
      compilers: withFailures(createCompilers(knowledge, options), faults.isBuildFailing),
      edition: () => knowledge.edition?.() ?? null,
      held,
      log,
      isBusy,
    })
    const { gate } = webhooks
    const deps = { stores, knowledge, builds, gate, researcher, streams, held, clock, random, log }
    const handlers = guardHandlers(createHandlers(deps, options.researchMs), guard)
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

function createCompilers(knowledge: Knowledge, options: PartsOptions): Readonly<Record<BuildKind, Compiler>> {
  const { domainLists: lists = noDomainLists, checkWebsite = null } = options
  return {
    entity: createEntityCompiler(knowledge),
    domain: createDomainCompiler({ knowledge, lists, checkWebsite }),
    hierarchy: createHierarchyCompiler(knowledge),
  }
}

interface HandlersDeps {
  readonly stores: Pick<Stores<AnyRunStore>, 'credit' | 'journal' | 'runs' | 'reports'>
  readonly knowledge: Knowledge
  readonly builds: Deferrable<Builds>
  readonly gate: WebhookGate
  readonly researcher: Researcher
  readonly streams: HeldStreams
  /** `null` if polls are answered at once; runs are then durable and billed. */
  readonly held: HeldPolls | null
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
}

function createHandlers(deps: HandlersDeps, researchMs = noTime): Handlers {
  const { knowledge, builds, held, clock } = deps
  const { credit, journal, runs, reports } = deps.stores
  const submission = { ...deps, credit, journal, researchMs }
  return {
    ...createKickoffHandlers(submission),
    ...createPollHandlers(runs, builds, held),
    ...createEntityHandlers(deps),
    ...createEntityHandlersV1(knowledge, builds),
    ...createDomainHandlers({ ...deps, credit }),
    ...createDomainHandlersV1(builds),
    ...createSearchHandlers(knowledge, clock),
    ...createResolutionHandlers({ ...submission, store: runs }),
    ...createReportHandlers(reports),
    ...createHierarchyHandlers(knowledge, builds),
    ...createMcpHandlers(deps),
  }
}
