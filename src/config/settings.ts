import { readFileSync } from 'node:fs'
import {
  isLoopback,
  parseBaseUrl,
  parseListenAddress,
  type ListenAddress,
  parseWebhookUrl,
} from '../core/server-addresses.js'
import { parseDurationMs } from '../core/time.js'
import { UserError } from '../core/errors.js'
import { isAddress } from '../connectors/connectors.js'
import { assertLocalPath, type PathUse, Secret } from '../core/local-path.js'
import { parseWebhookSecrets, type WebhookKeys } from '../core/webhooks.js'
import type { RunOrder } from '../pipeline/run.js'
import { stageKinds, type StageKind } from '../core/lookup-state.js'
import { createDefaultStages } from '../pipeline/scheduler/scheduling.js'
import type { CostLimit, Prices } from '../core/money.js'
import {
  getOrigin,
  mergeConfigs,
  readEnvironmentConfig,
  type Environment,
  type FileConfig,
} from './file-config.js'
import { fillDefaults, getValueAt, listOptions, type FilledOf } from './option.js'
import { defaultPaths, options } from './options.js'
import { resolveFirst, type FirstSettings } from './lookup-options.js'
import { createPriceMissing, resolveCostLimit, resolvePrices } from './billing.js'
import {
  resolveAlarms,
  resolveNotification,
  type AlarmSettings,
  type NotifySettings,
} from './reporting-review-options.js'

type Filled = FilledOf<typeof options>
type Source = RunOrder['source']
type Requests = RunOrder['requests']
type Scheduling = Requests['scheduling']
type KindOptions = Requests['stages']['kinds'][StageKind]

/** The validated settings: flags over environment over file over defaults. Frozen. */
export interface Settings {
  readonly input: Filled['input'] & { readonly columns: Source['columns'] }
  readonly output: Filled['output']
  readonly checkpoint: { readonly path: string; readonly maxAgeMs: number | null }
  /** `isNamed`: set by the user, so that the file must exist. */
  readonly decisions: { readonly path: string; readonly isNamed: boolean }
  readonly review: ReviewSettings
  readonly service: {
    readonly baseUrl: string | null
    readonly registryPath: string | null
    /** `null`: one for each core. */
    readonly matchers: number | null
  }
  /** The own registry that answers first, or `null`. */
  readonly first: FirstSettings | null
  readonly budget: {
    readonly lookupsMax: number | null
    /** Undefined if lookups are free. */
    readonly cost?: CostLimit
    readonly durationMsMax: number | null
  }
  /** `null` if lookups are free or no price is configured. */
  readonly prices: Prices | null
  readonly identifierUse: Source['identifierUse']
  readonly onLost: Requests['onLost']
  readonly serverErrorMeans: Scheduling['serverErrorMeans']
  readonly limits: Scheduling['limits']
  readonly polling: Scheduling['polling']
  readonly stages: Requests['stages']
  readonly alarms: AlarmSettings
  readonly metricsPath: string | null
  /** The column by which a report groups rows, or `null`. */
  readonly reportBy: string | null
  /** Address of the live page, or `null`. */
  readonly watch: Readonly<ListenAddress> | null
  /** `name` defaults to the input. `partition` is the setting, or `null` without partitions. */
  readonly job: { readonly name: string | null; readonly partition: string | null }
  readonly history: Filled['history']
  readonly webhook: { readonly url: string | null; readonly listen: Readonly<ListenAddress> | null }
  /**
   * The settings that affect the result and the cost of a run, with the keys and units of the config and with defaults.
   * URLs are omitted because they may contain a secret, input paths because they are recorded separately.
   */
  readonly asConfigured: Readonly<Record<string, unknown>>
}

interface ReviewSettings {
  /** 0 to 100. */
  readonly threshold: number
  /** `null`: the system user. */
  readonly reviewer: string | null
  readonly listen: Readonly<ListenAddress>
}

/** Adds defaults to a config merged from flags, environment and file, and validates it. */
export function resolveSettings(config: FileConfig, environment: Environment): Settings {
  const whole = mergeConfigs(readEnvironmentConfig(environment), config)
  const baseUrl = whole.service?.baseUrl === undefined ? null : parseBaseUrl(whole.service.baseUrl)
  const filled = fillDefaults(options, whole, baseUrl === null ? 'embedded' : 'hosted')
  const { input, output, checkpoint, lookup, service, budget, submission, limits, polling, webhook } = filled
  const prices = resolvePrices(filled.billing)
  if (budget.costMax !== undefined && prices === null) throw createPriceMissing('--max-cost')
  const costLimit = baseUrl === null ? null : resolveCostLimit(budget.costMax, prices)
  assertLocalPaths(whole)
  const scheduling = {
    limits: {
      submissionsPerWindow: limits.submitPerMinute,
      pollsPerWindow: limits.pollPerMinute,
      windowMs: limits.windowSeconds * 1000,
      inFlightRunsMax: limits.inFlightRunsMax,
      submitConcurrency: limits.submitConcurrency,
    },
    polling: {
      firstAfterMs: polling.firstAfterSeconds * 1000,
      intervalMs: polling.intervalSeconds * 1000,
      deadlineMs: polling.deadlineMinutes * 60_000,
    },
  }
  const origin = getOrigin(config)
  return freezeDeep<Settings>({
    input: {
      ...input,
      columns: { ...input.columns, country: lookup.country, ...(origin === undefined ? {} : { origin }) },
    },
    output,
    checkpoint: { path: checkpoint.path, maxAgeMs: toDurationMs(checkpoint.maxAge) },
    decisions: {
      path: isUnset(filled.decisions.path) ? defaultPaths.decisions : filled.decisions.path,
      isNamed: !isUnset(filled.decisions.path),
    },
    review: resolveReview(filled.review),
    service: { baseUrl, registryPath: service.registry ?? null, matchers: service.matchers ?? null },
    first: resolveFirst(filled.first, whole.first ?? {}, {
      baseUrl,
      registryPath: service.registry ?? defaultPaths.registry,
      doubtThreshold: filled.review.threshold,
    }),
    budget: {
      lookupsMax: budget.lookupsMax ?? null,
      ...(costLimit === null ? {} : { cost: costLimit }),
      durationMsMax: toDurationMs(budget.durationMax),
    },
    prices: baseUrl === null ? null : prices,
    identifierUse: lookup.identifiers,
    onLost: submission.onLost,
    serverErrorMeans: submission.onServerError === 'resubmit' ? 'not_created' : 'unknown',
    ...scheduling,
    job: {
      name: filled.job.name ?? null,
      partition: isUnset(filled.job.partition) ? null : filled.job.partition,
    },
    history: filled.history,
    stages: resolveStages(filled.stages, listStages(whole), scheduling),
    alarms: resolveAlarms(filled.alarms, baseUrl === null || prices !== null),
    metricsPath: filled.metrics.file ?? null,
    reportBy: filled.report.by ?? null,
    watch: isUnset(filled.watch.listen) ? null : parseListenAddress(filled.watch.listen),
    webhook: {
      url: isUnset(webhook.url) ? null : parseWebhookUrl(webhook.url, isLocal(baseUrl)),
      listen: isUnset(webhook.listen) ? null : parseListenAddress(webhook.listen),
    },
    asConfigured: pickRecorded(filled, listStages(whole)),
  })
}

function pickRecorded(filled: Filled, stages: readonly StageKind[]): Settings['asConfigured'] {
  const { input, output, checkpoint, lookup, submission, limits, polling, budget, billing } = filled
  const { job, history, review, report, alarms, first } = filled
  return {
    input: { ...input, paths: undefined },
    output,
    lookup,
    submission,
    ...(first.registry === undefined ? {} : { first }),
    limits,
    polling,
    budget,
    billing,
    job,
    history,
    report,
    checkpoint: { maxAge: checkpoint.maxAge },
    stages: Object.fromEntries([
      ...(stages.length === 0 ? [] : [['with', [...stages]] as const]),
      ...stages.map((stage) => [stage, filled.stages[stage]] as const),
    ]),
    review: { threshold: review.threshold },
    alarms: { failOn: alarms.failOn },
  }
}

function resolveReview({ threshold, reviewer = '', listen }: Filled['review']): ReviewSettings {
  const address = parseListenAddress(listen)
  if (address === null) throw new Error('the default address of the review page cannot be read')
  return { threshold, reviewer: reviewer.trim() || null, listen: address }
}

/** The stages of `with`, otherwise those with a key in the config, in the order of `stageKinds`. */
function listStages({ stages = {} }: FileConfig): StageKind[] {
  return stageKinds.filter((kind) => stages.with?.includes(kind) ?? stages[kind] !== undefined)
}

function resolveStages(
  { entity, hierarchy, domain }: Filled['stages'],
  asked: readonly StageKind[],
  scheduling: Pick<Settings, 'limits' | 'polling'>,
): Requests['stages'] {
  const { kinds } = createDefaultStages(scheduling)
  const of = (
    kind: StageKind,
    {
      maxAge,
      lookupsMax,
    }: { readonly maxAge?: string | undefined; readonly lookupsMax?: number | undefined },
    limits: KindOptions['limits'],
  ): KindOptions => ({
    ...kinds[kind],
    maxAgeMs: toDurationMs(maxAge),
    lookupsMax: lookupsMax ?? null,
    limits,
  })
  const createSharedLimits = (perWindow: number | null) => ({
    submissionsPerWindow: perWindow,
    pollsPerWindow: perWindow,
  })
  return {
    asked,
    kinds: {
      entity: of('entity', entity, createSharedLimits(entity.perMinute)),
      hierarchy: of('hierarchy', hierarchy, {
        submissionsPerWindow: hierarchy.submitPerMinute,
        pollsPerWindow: hierarchy.pollPerMinute,
      }),
      domain: of('domain', domain, createSharedLimits(domain.perMinute)),
    },
  }
}

/** Uses for which a path may be the address of a table or an object. */
const mayBeRemote: ReadonlySet<PathUse> = new Set(['input', 'output'])

function assertLocalPaths(config: FileConfig): void {
  for (const { path, option } of listOptions(options)) {
    if (option.path === undefined) continue
    for (const value of [getValueAt(config, path)].flat())
      // An empty text in a config is no path.
      if (typeof value === 'string' && value !== '' && !(mayBeRemote.has(option.path) && isAddress(value)))
        assertLocalPath(value, option.path)
  }
}

const isUnset = (text: string | undefined): text is undefined | '' => text === undefined || text === ''

const isLocal = (baseUrl: string | null): boolean => baseUrl !== null && isLoopback(new URL(baseUrl).hostname)

function toDurationMs(text: string | undefined): number | null {
  return text === undefined ? null : parseDurationMs(text)
}

function freezeDeep<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freezeDeep(member as object)
  }
  return Object.freeze(value)
}

/**
 * The API key of a hosted service, from ENRICH_API_KEY or the file that ENRICH_API_KEY_FILE names.
 * Throws API_KEY_MISSING and API_KEY_INVALID, never with a part of the key.
 */
export function resolveApiKey(environment: Environment): Secret {
  const fromVariable = (environment['ENRICH_API_KEY'] ?? '').trim()
  const key = fromVariable === '' ? readKeyFile(environment['ENRICH_API_KEY_FILE']).trim() : fromVariable
  if (key === '') {
    throw new UserError('API_KEY_MISSING', 'a base URL is set, but no API key', {
      hint: 'set ENRICH_API_KEY, or ENRICH_API_KEY_FILE to a file that contains only the key',
    })
  }
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
    throw new UserError('API_KEY_INVALID', 'the API key has invalid characters', {
      hint: 'check ENRICH_API_KEY for spaces, line ends or quotes inside the key',
    })
  }
  return new Secret(key)
}

/**
 * The signing secrets of webhooks, from ENRICH_WEBHOOK_SECRET; separated by spaces if there are several. Throws
 * WEBHOOK_SECRET_MISSING and WEBHOOK_SECRET_INVALID, never with a part of a secret.
 */
export function resolveWebhookKeys(environment: Environment): WebhookKeys {
  const text = environment['ENRICH_WEBHOOK_SECRET'] ?? ''
  if (text.trim() === '') {
    throw new UserError('WEBHOOK_SECRET_MISSING', 'receiving webhooks needs a secret, and none is set', {
      hint: "set ENRICH_WEBHOOK_SECRET to the signing secret of the service's settings (whsec_…)",
    })
  }
  return parseWebhookSecrets(text)
}

/** The error does not repeat the path, which may be the key itself by mistake. */
function readKeyFile(path: string | undefined): string {
  if (path === undefined || path === '') return ''
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError('API_KEY_MISSING', 'the file that ENRICH_API_KEY_FILE names cannot be read', {
      hint: 'set the variable to the path of a file that contains only the key and that this user can read',
      cause: (error as NodeJS.ErrnoException).code,
    })
  }
}

/** Returns the notification of a config that may be invalid elsewhere; `null` without a valid URL. Never throws. */
export function findNotification(config: FileConfig, environment: Environment): NotifySettings | null {
  try {
    const whole = mergeConfigs(readEnvironmentConfig(environment), config)
    return resolveNotification(fillDefaults(options, whole, 'hosted').alarms)
  } catch {
    return null
  }
}
