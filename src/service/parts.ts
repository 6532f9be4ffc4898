import { systemClock, type Clock } from '../platform/clock.js'
import { systemRandom, type Random } from '../platform/random.js'
import type { Sqlite } from '../platform/sqlite.js'
import { remembered, storeAccounts, storedCallers, type AccountOptions } from './accounts/accounts.js'
import { createCredit, freeOfCharge } from './accounts/credit.js'
import { createWebhooks, type WebhookOptions, type Webhooks } from './deliveries/webhooks.js'
import { noFaults, withFaults, type Faults } from './faults.js'
import type { Handlers } from './http/mount.js'
import type { Knowledge } from './knowledge.js'
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
import { createHeldPolls, type HeldPolls } from './runs/held-polls.js'
import { createJournal, directJournal } from './runs/journal.js'
import { createMemoryRunStore } from './runs/memory-run-store.js'
import { startResearcher, type Researcher } from './runs/researcher.js'
import { createRunStore, type RunStore } from './runs/run-store.js'
import { openStorage } from './storage/storage.js'

export interface PartsOptions extends WebhookOptions {
  readonly knowledge: Knowledge
  /** Holds `service.sqlite`; null keeps everything in memory. */
  readonly dataFolder: string | null
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
  /** What is to go wrong, for rehearsals; nothing if left out. */
  readonly faults?: Faults
  readonly clock?: Clock
  readonly random?: Random
  /** One line for what an operator should see: a failed run, an internal error. Never a key. */
  readonly log?: (line: string) => void
}

/** How the service is reached decides how its runs are kept: `runsMax` is that of runs in memory, with held polls. */
interface PartsDeps {
  readonly isBusy: () => boolean
  readonly runsMax?: number
}

/** All of the service but the way in. Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID, API_KEY_INVALID. */
export function openParts(options: PartsOptions, { isBusy, runsMax }: PartsDeps) {
  const { clock = systemClock, random = systemRandom, faults = noFaults } = options
  const knowledge = withFaults(options.knowledge, faults)
  const log = (line: string) => options.log?.(line.replace(/\s*\n\s*/g, ' '))
  const storage = openStorage(options, clock, log)
  const { database, windows } = storage
  try {
    storeAccounts(database, options.accounts, clock.nowMs())
    const streams = createHeldStreams(clock)
    const webhooks = createWebhooks(options, { database, clock, random, log, faults })
    const onEnded = [webhooks.onRunEnded, streams.onEnded]
    const held = runsMax === undefined ? null : createHeldPolls(clock)
    const store =
      runsMax === undefined || held === null
        ? createRunStore(database, onEnded)
        : createMemoryRunStore(runsMax, [...onEnded, held.onEnded])
    store.bringForward(clock.nowMs() + (options.researchMs?.max ?? 0))
    const researcher = startResearcher({
      ...{ store, knowledge, clock, log, isBusy },
      onStored: webhooks.outbox.wake,
    })
    const deps = {
      database,
      knowledge,
      store,
      clock,
      random,
      log,
      isBusy,
      streams,
      webhooks,
      researcher,
      held,
    }
    const builds = openBuilds(options, deps)
    const handlers = createHandlers(options, { ...deps, builds })
    const callers = held === null ? storedCallers(database) : remembered(storedCallers(database))
    const end = async (closeDoor: () => Promise<void> = () => Promise.resolve()) => {
      streams.close()
      held?.close()
      await closeDoor()
      await Promise.all([researcher.stop(), builds.stop()])
      await webhooks.stop()
      storage.close()
    }
    return { callers, handlers, store, webhooks, windows, random, log, end }
  } catch (error) {
    storage.close()
    throw error
  }
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
  /** Null where polls are answered at once, and runs are durable and billed. */
  readonly held: HeldPolls | null
}

/** What each kind of record is compiled from, and what its events carry. */
function openBuilds(options: PartsOptions, deps: Deps): Builds {
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

function createHandlers(options: PartsOptions, deps: Deps & { readonly builds: Builds }): Handlers {
  const { knowledge, store, builds, clock, webhooks, database, held } = deps
  const credit = held === null ? createCredit(database, clock) : freeOfCharge
  const records = { ...deps, gate: webhooks.gate }
  const researchMs = options.researchMs ?? { min: 0, max: 0 }
  const journal = held === null ? createJournal(store) : directJournal(store)
  const submission = { ...deps, journal, credit, researchMs }
  return {
    ...kickoffHandlers({ ...submission, gate: webhooks.gate }),
    ...pollHandlers(store, builds, held),
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
