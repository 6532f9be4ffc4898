import { createTemporaryFolder, removeStaleFolders } from '../platform/files.js'
import type { TransportLimits } from '../client/transport.js'
import { parseConfig, type Environment, type FileConfig } from '../config/file-config.js'
import { createConnectors } from '../connectors/connectors.js'
import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import {
  connectEmbedded,
  findServiceProxy,
  listFilesInUse,
  type WholeConnection,
} from './service-connection.js'
import { createHostedCandidates } from './hosted-candidates.js'
import { buildInputOptions, type AskFirst } from './inspect-input.js'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  answerFirstForPlan,
  runPipeline,
  type FirstRegistry,
  type RunOrder,
  type RunServices,
} from '../pipeline/run.js'
import type { RunEvent, RunSummary } from '../pipeline/history/run-figures.js'
import { notifyOfFailedStart, renderRunReport, runWithLivePage } from './run-report.js'
import { systemClock, type Clock, systemRandom, type Random } from '../platform/clock.js'
import { explainSystemFailure } from '../platform/system-limits.js'
import { resolveApiKey, resolveSettings, resolveWebhookKeys, type Settings } from '../config/settings.js'
import { version } from '../platform/native-package.js'

/** Options of `enrich`. Members with `internal` are not in the declarations of the package. */
export interface EnrichOptions {
  /** After an abort nothing new is submitted, requests in flight are saved, and the summary has `interrupted`. */
  signal?: AbortSignal
  /** Source of ENRICH_API_KEY, ENRICH_API_KEY_FILE, ENRICH_BASE_URL and ENRICH_WEBHOOK_SECRET; defaults to `process.env`. */
  environment?: Environment
  /** Lookups with these outcomes are submitted again, like `enrich retry`. */
  askAgain?: readonly string[]
  /** Continues with an older or copied checkpoint; lost lookups may be billed again. */
  acceptRollback?: boolean
  /** Command recorded in the history, without secrets; defaults to `library`. */
  command?: string
  /** @internal Path of the file that the config was read from. No output overwrites it. */
  configPath?: string
  /** @internal Defaults to standard input of the process. */
  stdin?: NodeJS.ReadableStream
  /** @internal Defaults to standard output of the process. */
  stdout?: NodeJS.WritableStream
  /** @internal Defaults to the clock of the system. */
  clock?: Clock
  /** @internal Defaults to random numbers of the system. */
  random?: Random
  /** @internal Limits of a response of a hosted service, in time, bytes and depth; the defaults are generous. */
  answerBounds?: Partial<TransportLimits>
}

/** An active run: an iterable of its events, with its summary at the end. */
export interface EnrichRun extends AsyncIterable<RunEvent> {
  /**
   * Rejects with a `UserError` if the input, the output, the config or the checkpoint is invalid, and with the signal's
   * reason if it aborts while the input is read.
   */
  readonly summary: Promise<RunSummary>
}

/**
 * Enriches a file of company names, like the command line. `config` has the keys of pipeline.config.json. Calling it again
 * with the same config resumes.
 */
export function enrich(config: FileConfig, options: EnrichOptions = {}): EnrichRun {
  const stream = new EventStream<RunEvent>()
  const summary = run(config, options, (event) => {
    stream.push(event)
  })
    .catch((error: unknown) => {
      throw explainSystemFailure(error)
    })
    .finally(() => {
      stream.end()
    })
  // A caller that only reads the events gets the error at their end, not as an unhandled rejection.
  summary.catch(() => undefined)
  return { summary, [Symbol.asyncIterator]: () => stream.read() }
}

async function run(
  config: FileConfig,
  options: EnrichOptions,
  observe: (event: RunEvent) => void,
): Promise<RunSummary> {
  const environment = options.environment ?? process.env
  const parsed = parseConfig(config, 'the config')
  const { clock = systemClock, command = 'library' } = options
  const progress = { isStarted: false }
  try {
    const settings = resolveSettings(parsed, environment)
    const watch = { address: settings.watch, checkpointPath: settings.checkpoint.path, command, clock }
    return await runWithLivePage({ ...watch, observe }, async (observer) => {
      const call = { settings, environment, options, observe: observer, clock, command }
      const [services, order] = [buildServices(call), await buildOrder(call)]
      removeStaleFolders()
      progress.isStarted = true
      return runPipeline(order, services)
    })
  } catch (error) {
    const { signal: interrupt = new AbortController().signal } = options
    if (!progress.isStarted)
      await notifyOfFailedStart(parsed, { environment, observe, clock, interrupt }, error)
    throw error
  }
}

interface RunCall {
  readonly settings: Settings
  readonly environment: Environment
  readonly options: EnrichOptions
  readonly observe: (event: RunEvent) => void
  readonly clock: Clock
  readonly command: string
}

async function buildOrder({ settings, environment, options, observe, command }: RunCall): Promise<RunOrder> {
  const parts = settings.job.partition === null ? null : await import('./resolve-part.js')
  return {
    source: {
      input: buildInputOptions(settings),
      columns: settings.input.columns,
      identifierUse: settings.identifierUse,
      dedupe: settings.input.dedupe,
      rowKey: settings.input.rowKey ?? null,
      groupBy: settings.reportBy,
      part: parts?.resolvePart(settings, environment, options.askAgain ?? []) ?? null,
    },
    target: {
      output: settings.output,
      changesPath: settings.output.changes ?? null,
      metadata: buildMetadata(settings),
      ownFiles: listFilesInUse(settings, options.configPath ?? null, environment),
    },
    store: {
      checkpoint: settings.checkpoint,
      sharedUrl: isPostgresUrl(settings.checkpoint.path) ? settings.checkpoint.path : null,
      acceptRollback: options.acceptRollback ?? false,
      decisions: settings.decisions,
    },
    requests: {
      scheduling: {
        limits: settings.limits,
        polling: settings.polling,
        serverErrorMeans: settings.serverErrorMeans,
        ...settings.budget,
      },
      first: buildFirst(settings),
      stages: settings.stages,
      askAgain: options.askAgain ?? [],
      onLost: settings.onLost,
      acceptsDoubtful: settings.input.acceptDoubtful,
      doubtThreshold: settings.review.threshold,
      prices: settings.prices,
      webhooks: buildWebhookOptions(settings, environment, observe),
    },
    reporting: {
      history: {
        program: version,
        command,
        settings: settings.asConfigured,
        job: settings.job.name,
        runsMax: settings.history.keep,
      },
      ending: { ...settings.alarms, metricsPath: settings.metricsPath },
      reportPath: settings.output.report ?? null,
    },
  }
}

function buildServices({ settings, environment, options, observe, clock }: RunCall): RunServices {
  const { service } = settings
  const { stdin, stdout } = options
  return {
    clock,
    random: options.random ?? systemRandom,
    observe,
    interrupt: options.signal ?? new AbortController().signal,
    connect: (side) =>
      side === 'registry'
        ? connectFirst(settings, observe)
        : connectTo(settings, environment, observe, options.answerBounds),
    connectors: createConnectors({
      environment,
      signal: options.signal,
      notice: (text) => {
        observe({ type: 'notice', text, isWarning: true })
      },
    }),
    streams: { ...(stdin === undefined ? {} : { stdin }), ...(stdout === undefined ? {} : { stdout }) },
    access: {
      environment,
      apiKey: () => (service.baseUrl === null ? null : resolveApiKey(environment).reveal()),
    },
    renderReport: renderRunReport,
  }
}

/** The own registry of `--first`; its settings are those of a run on the embedded service. */
function buildFirst({ first }: Settings): FirstRegistry | null {
  if (first === null) return null
  const { accept, prefer, sample, stages } = first
  const { limits, polling, serverErrorMeans } = resolveSettings({}, {})
  const scheduling = { limits, polling, serverErrorMeans, lookupsMax: null, durationMsMax: null }
  return { accept, prefer, sample, stages, scheduling }
}

function connectFirst(
  { first, service }: Settings,
  observe: (event: RunEvent) => void,
): Promise<WholeConnection> {
  if (first === null) throw new Error('no registry answers first')
  return connectEmbedded({
    registryPath: first.registryPath,
    inFlightRunsMax: resolveSettings({}, {}).limits.inFlightRunsMax,
    matchers: service.matchers,
    answersFirst: true,
    notice: (text) => {
      observe({ type: 'notice', text })
    },
  })
}

/** Calls `answerFirst` in a temporary checkpoint, for a plan; `closeLater` removes it. */
export const askFirst: AskFirst = async ({ settings, environment, signal }, asked, closeLater) => {
  const folder = createTemporaryFolder()
  closeLater(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const checkpoint = { path: join(folder, 'checkpoint.sqlite'), maxAgeMs: settings.checkpoint.maxAgeMs }
  const call = {
    settings: { ...settings, checkpoint },
    environment,
    options: { signal },
    observe: () => undefined,
    clock: systemClock,
    command: 'plan',
  }
  return answerFirstForPlan(await buildOrder(call), buildServices(call), asked, closeLater)
}

/** Metadata of a Parquet output. */
function buildMetadata({ input, checkpoint }: Settings): Readonly<Record<string, string>> {
  return {
    'enrich.version': version,
    'enrich.input': (input.paths ?? []).join(', '),
    'enrich.settings': JSON.stringify({
      columns: input.columns,
      dedupe: input.dedupe,
      maxAgeMs: checkpoint.maxAgeMs,
    }),
  }
}

/** Throws WEBHOOK_* and USAGE_INVALID. The embedded service sends no webhooks. */
function buildWebhookOptions(
  { webhook: { url, listen }, service }: Settings,
  environment: Environment,
  observe: (event: RunEvent) => void,
): RunOrder['requests']['webhooks'] {
  if (url === null && listen !== null) {
    throw new UserError('USAGE_INVALID', '--webhook-listen without --webhook-url', {
      hint: 'pass the public URL that leads to this address as --webhook-url; enrich receive listens without a run',
    })
  }
  if (url === null || service.baseUrl === null) {
    if (url !== null)
      observe({ type: 'notice', text: 'The embedded service sends no webhooks; its answers are polled.' })
    return { url: null, receiver: null }
  }
  return { url, receiver: listen === null ? null : { listen, keys: resolveWebhookKeys(environment) } }
}

/** Imported late, so that errors of the input and the config are reported sooner. */
const loadClient = () => import('../client/client.js')

/**
 * Connects to the hosted service of the settings, or starts the embedded one. Throws API_KEY_* and REGISTRY_*.
 */
export async function connectTo(
  settings: Settings,
  environment: Environment,
  observe: (event: RunEvent) => void,
  answerBounds: Partial<TransportLimits> = {},
): Promise<WholeConnection> {
  const { baseUrl, registryPath, matchers } = settings.service
  if (baseUrl === null) {
    return connectEmbedded({
      registryPath,
      inFlightRunsMax: settings.limits.inFlightRunsMax,
      matchers,
      doubtThreshold: settings.review.threshold,
      notice: (text) => {
        observe({ type: 'notice', text })
      },
    })
  }
  const client = (await loadClient()).createServiceClient({
    baseUrl,
    apiKey: resolveApiKey(environment).reveal(),
    userAgent: `enrich/${version}`,
    proxy: await findServiceProxy(baseUrl, environment),
    connectionsMax: settings.limits.submitConcurrency + 16,
    limits: answerBounds,
  })
  const { windowMs } = settings.limits
  return {
    service: 'hosted',
    scope: baseUrl,
    client,
    candidates: createHostedCandidates({ client, clock: systemClock, windowMs }),
    close: () => client.close(),
  }
}

/** Maximum number of unread events; the oldest are dropped, because a caller need not read them. */
const unreadMax = 1_000

/** A queue of events with an async reader. */
class EventStream<Event> {
  readonly #unread: Event[] = []
  #isEnded = false
  #wake: (() => void) | null = null

  push(event: Event): void {
    this.#unread.push(event)
    if (this.#unread.length > unreadMax) this.#unread.shift()
    this.#wake?.()
  }

  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  async *read(): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const event = this.#unread.shift()
      if (event !== undefined) yield event
      else if (this.#isEnded) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
