import { readFileSync } from 'node:fs'
import { isLoopback, parseBaseUrl, parseListenAddress, type ListenAddress } from '../core/server-addresses.js'
import { parseDurationMs } from '../core/time.js'
import { UserError } from '../core/errors.js'
import { assertLocalPath } from '../core/local-path.js'
import { Secret } from '../core/secret.js'
import { parseWebhookSecrets, type WebhookKeys } from '../core/webhook-signature.js'
import { parseWebhookUrl } from '../core/public-url.js'
import type { IdentifierUse } from '../pipeline/lookups/asking-rule.js'
import type { ServerErrorMeaning } from '../pipeline/answers/outcome.js'
import type { PollingPace } from '../pipeline/pace/polling.js'
import type { CostLimit, Prices } from '../pipeline/figures/money.js'
import { stageKinds, type StageKind } from '../pipeline/lookups/lookup-kind.js'
import { defaultStages, type KindOptions, type StageOptions } from '../pipeline/lookups/stage-options.js'
import type { SchedulerLimits } from '../pipeline/scheduler/scheduler.js'
import { resolveAlarms, type AlarmSettings } from './alarm-settings.js'
import { environmentConfig, mergeConfigs, type Environment, type FileConfig } from './file-config.js'
import { fillDefaults, listOptions, valueAt, type FilledOf } from './option.js'
import { defaultPaths, options } from './options.js'
import { costLimitOf, priceMissing, pricesOf } from './billing.js'

type Filled = FilledOf<typeof options>

/** One frozen value: flags over environment over file over defaults, checked and in plain units. */
export interface Settings {
  readonly input: Filled['input']
  readonly output: Filled['output']
  readonly checkpoint: { readonly path: string; readonly maxAgeMs: number | null }
  /** `isNamed`: by the user, so that the file has to be there. */
  readonly decisions: { readonly path: string; readonly isNamed: boolean }
  readonly review: ReviewSettings
  readonly service: {
    readonly baseUrl: string | null
    readonly registryPath: string | null
    /** Null: one less than there are cores. */
    readonly matchers: number | null
  }
  readonly budget: {
    readonly lookupsMax: number | null
    /** Left out where nobody pays. */
    readonly cost?: CostLimit
    readonly durationMsMax: number | null
  }
  /** Null where nobody pays, or no price is known. */
  readonly prices: Prices | null
  readonly identifierUse: IdentifierUse
  readonly onLost: 'hold' | 'resubmit'
  readonly serverErrorMeans: ServerErrorMeaning
  readonly limits: SchedulerLimits
  readonly polling: PollingPace
  readonly stages: StageOptions
  readonly alarms: AlarmSettings
  readonly metricsPath: string | null
  /** The column by whose values a report counts; null: none. */
  readonly reportBy: string | null
  /** Where the live page is served; null: nowhere. */
  readonly watch: Readonly<ListenAddress> | null
  /** Without a name, named by its input. `partition` as it is asked for; null: the job has no parts. */
  readonly job: { readonly name: string | null; readonly partition: string | null }
  readonly history: Filled['history']
  readonly webhook: { readonly url: string | null; readonly listen: Readonly<ListenAddress> | null }
  /**
   * The settings that decide what a run does and costs, by the keys and in the units of the config, defaults included.
   * Without addresses, which may contain a secret, and without input paths, which are recorded elsewhere.
   */
  readonly asConfigured: Readonly<Record<string, unknown>>
}

interface ReviewSettings {
  /** 0 to 100. */
  readonly threshold: number
  /** Null: the system user. */
  readonly reviewer: string | null
  readonly listen: Readonly<ListenAddress>
}

/** Settles what is left open. `config` is already merged from flags, environment and file. */
export function resolveSettings(config: FileConfig, environment: Environment): Settings {
  const whole = mergeConfigs(environmentConfig(environment), config)
  const baseUrl = whole.service?.baseUrl === undefined ? null : parseBaseUrl(whole.service.baseUrl)
  const filled = fillDefaults(options, whole, baseUrl === null ? 'embedded' : 'hosted')
  const { input, output, checkpoint, lookup, service, budget, submission, limits, polling, webhook } = filled
  const prices = pricesOf(filled.billing)
  if (budget.costMax !== undefined && prices === null) throw priceMissing('--max-cost')
  const costLimit = baseUrl === null ? null : costLimitOf(budget.costMax, prices)
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
  return deepFreeze<Settings>({
    input,
    output,
    checkpoint: { path: checkpoint.path, maxAgeMs: durationMs(checkpoint.maxAge) },
    decisions: {
      path: isUnset(filled.decisions.path) ? defaultPaths.decisions : filled.decisions.path,
      isNamed: !isUnset(filled.decisions.path),
    },
    review: reviewSettings(filled.review),
    service: { baseUrl, registryPath: service.registry ?? null, matchers: service.matchers ?? null },
    budget: {
      lookupsMax: budget.lookupsMax ?? null,
      ...(costLimit === null ? {} : { cost: costLimit }),
      durationMsMax: durationMs(budget.durationMax),
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
    stages: stageOptions(filled.stages, stagesAsked(whole), scheduling),
    alarms: resolveAlarms(filled.alarms, baseUrl === null || prices !== null),
    metricsPath: filled.metrics.file ?? null,
    reportBy: filled.report.by ?? null,
    watch: isUnset(filled.watch.listen) ? null : parseListenAddress(filled.watch.listen),
    webhook: {
      url: isUnset(webhook.url) ? null : parseWebhookUrl(webhook.url, isLocal(baseUrl)),
      listen: isUnset(webhook.listen) ? null : parseListenAddress(webhook.listen),
    },
    asConfigured: pickRecorded(filled, stagesAsked(whole)),
  })
}

function pickRecorded(filled: Filled, stages: readonly StageKind[]): Settings['asConfigured'] {
  const { input, output, checkpoint, lookup, submission, limits, polling, budget, billing } = filled
  const { job, history, review, report, alarms } = filled
  return {
    input: { ...input, paths: undefined },
    output,
    lookup,
    submission,
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

function reviewSettings({ threshold, reviewer = '', listen }: Filled['review']): ReviewSettings {
  const address = parseListenAddress(listen)
  if (address === null) throw new Error('the default address of the review page cannot be read')
  return { threshold, reviewer: reviewer.trim() || null, listen: address }
}

/** Those that are named, else those that the config has a key for; in their own order. */
function stagesAsked({ stages = {} }: FileConfig): StageKind[] {
  return stageKinds.filter((kind) => stages.with?.includes(kind) ?? stages[kind] !== undefined)
}

function stageOptions(
  { entity, hierarchy, domain }: Filled['stages'],
  asked: readonly StageKind[],
  scheduling: Pick<Settings, 'limits' | 'polling'>,
): StageOptions {
  const { kinds } = defaultStages(scheduling)
  const of = (
    kind: StageKind,
    {
      maxAge,
      lookupsMax,
    }: { readonly maxAge?: string | undefined; readonly lookupsMax?: number | undefined },
    limits: KindOptions['limits'],
  ): KindOptions => ({ ...kinds[kind], maxAgeMs: durationMs(maxAge), lookupsMax: lookupsMax ?? null, limits })
  const together = (perWindow: number | null) => ({
    submissionsPerWindow: perWindow,
    pollsPerWindow: perWindow,
  })
  return {
    asked,
    kinds: {
      entity: of('entity', entity, together(entity.perMinute)),
      hierarchy: of('hierarchy', hierarchy, {
        submissionsPerWindow: hierarchy.submitPerMinute,
        pollsPerWindow: hierarchy.pollPerMinute,
      }),
      domain: of('domain', domain, together(domain.perMinute)),
    },
  }
}

function assertLocalPaths(config: FileConfig): void {
  for (const { path, option } of listOptions(options)) {
    if (option.path === undefined) continue
    for (const value of [valueAt(config, path)].flat())
      if (typeof value === 'string') assertLocalPath(value, option.path)
  }
}

const isUnset = (text: string | undefined): text is undefined | '' => text === undefined || text === ''

const isLocal = (baseUrl: string | null): boolean => baseUrl !== null && isLoopback(new URL(baseUrl).hostname)

function durationMs(text: string | undefined): number | null {
  return text === undefined ? null : parseDurationMs(text)
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as object)
  }
  return Object.freeze(value)
}

/**
 * The API key of a hosted service, from ENRICH_API_KEY or the file that ENRICH_API_KEY_FILE names.
 * Throws API_KEY_MISSING and API_KEY_INVALID; neither repeats anything of the key.
 */
export function resolveApiKey(environment: Environment): Secret {
  const fromVariable = (environment['ENRICH_API_KEY'] ?? '').trim()
  const key = fromVariable === '' ? readKeyFile(environment['ENRICH_API_KEY_FILE']).trim() : fromVariable
  if (key === '') {
    throw new UserError('API_KEY_MISSING', 'a base URL is set, but no API key', {
      hint: 'set ENRICH_API_KEY, or ENRICH_API_KEY_FILE to a file that holds the key alone',
    })
  }
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
    throw new UserError('API_KEY_INVALID', 'the API key holds characters that a key cannot have', {
      hint: 'check ENRICH_API_KEY for spaces, line ends or quotes inside the key',
    })
  }
  return new Secret(key)
}

/**
 * The signing secrets of webhooks, from ENRICH_WEBHOOK_SECRET: several, separated by spaces, while one is being
 * replaced. Throws WEBHOOK_SECRET_MISSING and WEBHOOK_SECRET_INVALID; neither repeats anything of a secret.
 */
export function resolveWebhookKeys(environment: Environment): WebhookKeys {
  const text = environment['ENRICH_WEBHOOK_SECRET'] ?? ''
  if (text.trim() === '') {
    throw new UserError('WEBHOOK_SECRET_MISSING', 'webhooks are to be received, but no secret is set', {
      hint: "set ENRICH_WEBHOOK_SECRET to the signing secret of the service's settings (whsec_…)",
    })
  }
  return parseWebhookSecrets(text)
}

/** The path is not repeated: people set the variable to the key itself. */
function readKeyFile(path: string | undefined): string {
  if (path === undefined || path === '') return ''
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError('API_KEY_MISSING', 'the file that ENRICH_API_KEY_FILE names cannot be read', {
      hint: 'the variable holds a path; the file holds the key alone and is readable by this user',
      cause: (error as NodeJS.ErrnoException).code,
    })
  }
}
