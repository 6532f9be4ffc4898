import type { TransportLimits } from '../client/transport.js'
import { parseConfig, type Environment, type FileConfig } from '../config/file-config.js'
import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { hostedCandidates, connectEmbedded, filesInUse, type WholeConnection } from './service-connection.js'
import { inputOptions } from './inspect-input.js'
import type { RunEvent } from '../pipeline/events.js'
import type { WebhookOptions } from '../pipeline/inbox/webhooks.js'
import type { SharedPlace } from '../pipeline/checkpoint/postgres/shared-run.js'
import type { PipelineDeps } from '../pipeline/deps.js'
import { runPipeline } from '../pipeline/run.js'
import { reportOfRun, watchedRun } from './run-report.js'
import type { RunSummary } from '../pipeline/summary.js'
import { systemClock, type Clock } from '../platform/clock.js'
import { explainSystemFailure } from '../platform/system-limits.js'
import { systemRandom, type Random } from '../platform/random.js'
import { resolveApiKey, resolveSettings, resolveWebhookKeys, type Settings } from '../config/settings.js'
import { version } from '../platform/installed-package.js'
import { resolvePartition } from '../config/partition.js'
import { isOfChanges } from '../pipeline/figures/alarms.js'
import { splitOutputPath, type Partition } from '../pipeline/lookups/partition.js'

/**
 * Which part of which job a process has; null: its job has no parts. Throws PARTITION_INVALID, PARTITION_UNCLEAR, and
 * PARTITION_UNSUPPORTED where parts could not be told from each other, or would not be all rows together.
 */
function partOfJob(
  { job, input, output, checkpoint, alarms }: Settings,
  environment: Environment,
  askAgain: readonly string[],
): { readonly job: string; readonly partition: Partition } | null {
  const partition = resolvePartition(job.partition ?? undefined, environment)
  if (partition === null) return null
  if (job.name === null) {
    throw unsupported(
      '--partition without --job',
      'parts belong to a job that is named: --job nightly-2026-01-31',
    )
  }
  if (!isPostgresUrl(checkpoint.path)) {
    throw unsupported(
      '--partition with a checkpoint of one process',
      'parts share what was asked and who published what: pass --checkpoint postgres://user@host:5432/database',
    )
  }
  if (input.paths?.includes('-') === true)
    throw unsupported('--partition with standard input', 'name files that every process can read')
  if (input.limit !== undefined)
    throw unsupported('--partition with --limit', 'run a pilot without --partition, under another --job')
  if (askAgain.length > 0) {
    throw unsupported(
      'retry with --partition',
      'retry all rows without --partition, under another --job; then run the parts under a new --job',
    )
  }
  assertHasParts(output)
  assertComparesNothing(output, alarms)
  return { job: job.name, partition }
}

function assertHasParts({ path, partial = false }: Settings['output']): void {
  if (path === '-') throw unsupported('--partition to standard output', 'pass -o with a file')
  if (path !== undefined && splitOutputPath(path).extension === '') {
    throw unsupported(
      `--partition with an output whose name tells no format (${path})`,
      'pass -o with a name like out.parquet, out.csv or out.ndjson.gz',
    )
  }
  if (partial)
    throw unsupported('--partition with --partial', 'a part is published once, and whole: leave it out')
}

/** Rows move between the parts of a job from one to the next: what a part published is compared with nothing. */
function assertComparesNothing(
  { changes, report }: Settings['output'],
  { conditions }: Settings['alarms'],
): void {
  const hint = 'the rows of parts are not remembered from one job to the next: leave it out'
  if (changes !== undefined) throw unsupported('--partition with --changes', hint)
  if (report !== undefined) throw unsupported('--partition with --report', hint)
  if (conditions.some(isOfChanges)) throw unsupported('--partition with --fail-on of changes', hint)
}

const unsupported = (what: string, hint: string): UserError =>
  new UserError('PARTITION_UNSUPPORTED', `${what} is not possible`, { hint })

export interface EnrichOptions {
  /** Aborted: nothing new is submitted, what is in flight is saved, and the summary says `interrupted`. */
  signal?: AbortSignal
  /** Where ENRICH_API_KEY, ENRICH_API_KEY_FILE, ENRICH_BASE_URL and ENRICH_WEBHOOK_SECRET are read; `process.env` if left out. */
  environment?: Environment
  /** Lookups whose last outcome is among these are asked again: `enrich retry`. */
  askAgain?: readonly string[]
  /** The config file that the config came from, if it came from one: no output is written over it. */
  configPath?: string
  /** Goes on although the checkpoint is older than its head says, or a copy: what was lost may be billed again. */
  acceptRollback?: boolean
  /** What the run is remembered to have been started by, without anything secret; `library` if left out. */
  command?: string
  stdin?: NodeJS.ReadableStream
  stdout?: NodeJS.WritableStream
  /** Time and chance, for rehearsals and tests; the system's if left out. */
  clock?: Clock
  random?: Random
  /** What one answer of a hosted service may take, in time, bytes and depth; generous if left out. */
  answerBounds?: Partial<TransportLimits>
}

/** A run that goes on: its events as they come, and its summary when it has ended. */
export interface EnrichRun extends AsyncIterable<RunEvent> {
  /**
   * Rejects with a `UserError` for whatever is wrong with the input, the output, the config or the
   * checkpoint, and with the signal's reason when it aborts while the input is still being read.
   */
  readonly summary: Promise<RunSummary>
}

/**
 * Enriches a file of company names: what the command line does, from code. `config` has the keys of
 * pipeline.config.json. Calling it again with the same config resumes.
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
  const settings = resolveSettings(parseConfig(config, 'the config'), environment)
  const { clock = systemClock, command = 'library' } = options
  const watch = { address: settings.watch, checkpointPath: settings.checkpoint.path, command, clock }
  return watchedRun({ ...watch, observe }, (observer) =>
    runPipeline(pipelineDeps({ settings, environment, options, observe: observer, clock, command })),
  )
}

interface RunCall {
  readonly settings: Settings
  readonly environment: Environment
  readonly options: EnrichOptions
  readonly observe: (event: RunEvent) => void
  readonly clock: Clock
  readonly command: string
}

function pipelineDeps({ settings, environment, options, observe, clock, command }: RunCall): PipelineDeps {
  return {
    source: {
      input: inputOptions(settings, options.stdin),
      columns: settings.input.columns,
      identifierUse: settings.identifierUse,
      dedupe: settings.input.dedupe,
      rowKey: settings.input.rowKey ?? null,
      groupBy: settings.reportBy,
      part: partOfJob(settings, environment, options.askAgain ?? []),
    },
    target: {
      output: settings.output,
      changesPath: settings.output.changes ?? null,
      metadata: metadataOf(settings),
      ...(options.stdout === undefined ? {} : { stdout: options.stdout }),
      ownFiles: filesInUse(settings, options.configPath ?? null, environment),
    },
    store: {
      checkpoint: settings.checkpoint,
      shared: sharedPlace(settings, environment),
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
      stages: settings.stages,
      askAgain: options.askAgain ?? [],
      onLost: settings.onLost,
      doubtThreshold: settings.review.threshold,
      prices: settings.prices,
      webhooks: webhookOptions(settings, environment, observe),
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
      report: settings.output.report === undefined ? null : reportOfRun(settings.output.report),
    },
    connect: () => connectTo(settings, environment, observe, options.answerBounds),
    observe,
    interrupt: options.signal ?? new AbortController().signal,
    clock,
    random: options.random ?? systemRandom,
  }
}

/** Metadata of a Parquet output. */
function metadataOf({ input, checkpoint }: Settings): Readonly<Record<string, string>> {
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

/** Null where the checkpoint is a file. */
function sharedPlace({ checkpoint, service }: Settings, environment: Environment): SharedPlace | null {
  if (!isPostgresUrl(checkpoint.path)) return null
  const apiKey = () => (service.baseUrl === null ? null : resolveApiKey(environment).reveal())
  return { url: checkpoint.path, environment, apiKey }
}

/** Throws WEBHOOK_* and USAGE_INVALID. The embedded service sends none: it answers within moments. */
function webhookOptions(
  { webhook: { url, listen }, service }: Settings,
  environment: Environment,
  observe: (event: RunEvent) => void,
): WebhookOptions {
  if (url === null && listen !== null) {
    throw new UserError('USAGE_INVALID', '--webhook-listen without --webhook-url', {
      hint: 'the service has to be told the public address that leads there; enrich receive listens without a run',
    })
  }
  if (url === null || service.baseUrl === null) {
    if (url !== null)
      observe({ type: 'notice', text: 'The embedded service sends no webhooks: it is polled.' })
    return { url: null, receiver: null }
  }
  return { url, receiver: listen === null ? null : { listen, keys: resolveWebhookKeys(environment) } }
}

/** Loaded when it is needed: what is wrong with an input or a config is reported without it. */
const loadClient = () => import('../client/client.js')

/**
 * Connects to the hosted service of the settings, or starts the embedded one. Throws API_KEY_* and what opening
 * a registry or the service's data throws.
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
    connectionsMax: settings.limits.submitConcurrency + 16,
    limits: answerBounds,
  })
  const { windowMs } = settings.limits
  return {
    service: 'hosted',
    scope: baseUrl,
    client,
    candidates: hostedCandidates({ client, clock: systemClock, windowMs }),
    close: () => client.close(),
  }
}

/** Unread events beyond this are dropped, oldest first: nobody has to read them for a run to go on. */
const unreadMax = 1_000

/** Events pushed from one side, read from the other. */
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
