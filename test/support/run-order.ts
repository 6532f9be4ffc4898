import type { FullServiceClient } from '../../src/client/client.js'
import type { CandidateSource } from '../../src/core/decisions.js'
import type { RunOrder, RunServices } from '../../src/pipeline/order.js'
import { createDefaultStages, type SchedulingOptions } from '../../src/pipeline/scheduler/scheduling.js'
import { systemClock, systemRandom } from '../../src/platform/clock.js'

type Scheduling = Pick<SchedulingOptions, 'limits' | 'polling'> & Partial<SchedulingOptions>

/** Absolute paths. */
export interface RunFiles {
  readonly inputs: readonly string[]
  readonly output: string
  readonly checkpoint: string
  readonly spoolFolder: string
}

/** The order of a run without webhooks and stages; `parts` replaces members. */
export function buildOrder(
  files: RunFiles,
  scheduling: Scheduling,
  parts: { readonly [Part in keyof RunOrder]?: Partial<RunOrder[Part]> } = {},
): RunOrder {
  return {
    source: {
      input: { paths: files.inputs, spoolFolder: files.spoolFolder },
      columns: {},
      identifierUse: 'context',
      dedupe: true,
      ...parts.source,
    },
    target: {
      output: { path: files.output, prefix: 'enrich_' },
      metadata: {},
      ownFiles: [],
      ...parts.target,
    },
    store: { checkpoint: { path: files.checkpoint, maxAgeMs: null }, ...parts.store },
    requests: {
      scheduling: { serverErrorMeans: 'unknown', lookupsMax: null, durationMsMax: null, ...scheduling },
      stages: createDefaultStages(scheduling),
      askAgain: [],
      onLost: 'hold',
      webhooks: { url: null, receiver: null },
      ...parts.requests,
    },
    reporting: {
      history: { job: null, runsMax: 90, program: 'test', command: 'library', settings: {} },
      ...parts.reporting,
    },
  }
}

/** A service that is not asked for candidates. */
const noCandidates: CandidateSource = {
  isEager: false,
  findCandidates: () => Promise.resolve([]),
  search: () => Promise.resolve([]),
  company: () => Promise.resolve(null),
}

/** The services of a run, by the clock and chance of the system. `createClient` is called for each connection. */
export function buildServices(
  scope: string,
  createClient: () => FullServiceClient,
  service: 'hosted' | 'embedded' = 'hosted',
): RunServices {
  return {
    connect: () => {
      const client = createClient()
      return Promise.resolve({
        service,
        scope,
        client,
        candidates: noCandidates,
        close: () => client.close(),
      })
    },
    observe: () => undefined,
    interrupt: new AbortController().signal,
    clock: systemClock,
    random: systemRandom,
  }
}
