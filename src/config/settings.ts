import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { defaults, embeddedDefaults, fileConfig, hostedDefaults, type FileConfig } from './file-config.js'
import { isLoopback, parseBaseUrl } from '../core/base-url.js'
import { parseDurationMs } from '../core/duration.js'
import { UserError } from '../core/errors.js'
import { parseListenAddress, type ListenAddress } from '../core/listen-address.js'
import { assertLocalPath } from '../core/local-path.js'
import type { ServerErrorMeaning } from '../pipeline/rules/outcome.js'
import type { PollingPace } from '../pipeline/rules/polling.js'
import { Secret } from '../core/secret.js'
import { parseWebhookSecrets, type WebhookKeys } from '../core/webhook-signature.js'
import { parseWebhookUrl } from '../core/webhook-url.js'
import type { SchedulerLimits } from '../pipeline/scheduler/scheduler.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** One frozen value: flags over environment over file over defaults, checked and in plain units. */
export interface Settings {
  readonly input: Omit<NonNullable<FileConfig['input']>, 'columns' | 'dedupe'> & {
    readonly columns: NonNullable<NonNullable<FileConfig['input']>['columns']>
    readonly dedupe: boolean
  }
  readonly output: NonNullable<FileConfig['output']> & { readonly prefix: string }
  readonly checkpoint: { readonly path: string; readonly maxAgeMs: number | null }
  readonly service: { readonly baseUrl: string | null; readonly registryPath: string | null }
  readonly budget: { readonly lookupsMax: number | null; readonly durationMsMax: number | null }
  readonly onLost: 'hold' | 'resubmit'
  readonly serverErrorMeans: ServerErrorMeaning
  readonly limits: SchedulerLimits
  readonly polling: PollingPace
  readonly webhook: { readonly url: string | null; readonly listen: Readonly<ListenAddress> | null }
}

/** Checks a config from anywhere (a file, flags, code). Throws CONFIG_INVALID, which names the key. */
export function parseConfig(value: unknown, origin: string): FileConfig {
  const parsed = fileConfig.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const where = issue?.path.join('.') ?? ''
  const what =
    issue?.code === 'unrecognized_keys'
      ? `unknown key ${issue.keys.map((key) => JSON.stringify(where === '' ? key : `${where}.${key}`)).join(', ')}`
      : `${where === '' ? 'the whole' : JSON.stringify(where)}: ${issue?.message ?? 'invalid'}`
  throw new UserError('CONFIG_INVALID', `${origin}: ${what}`, {
    hint: hintOf(origin, what),
    cause: z.prettifyError(parsed.error),
  })
}

function hintOf(origin: string, what: string): string {
  if (origin === 'the command line') return 'enrich --help lists every flag'
  if (/^unknown key .*"webhook\.[^"]*(key|secret)"/i.test(what))
    return 'the signing secret goes into ENRICH_WEBHOOK_SECRET: a config is copied and committed'
  return /^unknown key .*(key|token|secret|password)"/i.test(what)
    ? 'the API key goes into ENRICH_API_KEY or ENRICH_API_KEY_FILE: a config is copied and committed'
    : 'pipeline.config.example.json shows every key'
}

/** Reads a config file. Throws CONFIG_NOT_FOUND, CONFIG_NOT_JSON, CONFIG_INVALID. */
export function readConfigFile(path: string): FileConfig {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError('CONFIG_NOT_FOUND', `the config ${path} cannot be read`, {
      hint: 'check the path given with --config',
      cause: error,
    })
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new UserError('CONFIG_NOT_JSON', `the config ${path} is not JSON`, {
      hint: 'comments and trailing commas are not JSON; pipeline.config.example.json is an example',
      cause: withoutExcerpt(error),
    })
  }
  return parseConfig(value, path)
}

/** What the parser says without the piece of the file it quotes: somebody may have put the API key there. */
function withoutExcerpt(error: unknown): string {
  return error instanceof Error ? error.message.replace(/,? *(\.\.\.)?".*$/su, '') : 'not JSON'
}

/** The environment's share of the config, between the file and the flags. An empty variable is an unset one. */
export function environmentConfig(environment: Environment): FileConfig {
  const baseUrl = environment['ENRICH_BASE_URL']
  return baseUrl === undefined || baseUrl === '' ? {} : { service: { baseUrl } }
}

/** `over` wins key by key; lists are replaced, not joined. */
export function mergeConfigs(under: FileConfig, over: FileConfig): FileConfig {
  const merged: Record<string, unknown> = { ...under }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const below = merged[key]
    merged[key] = isPlain(value) && isPlain(below) ? mergeConfigs(below, value as FileConfig) : value
  }
  return merged
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Settles what is left open. `config` is already merged from flags, environment and file. */
export function resolveSettings(config: FileConfig, environment: Environment): Settings {
  const baseUrlText = config.service?.baseUrl ?? environmentConfig(environment).service?.baseUrl
  const baseUrl = baseUrlText === undefined ? null : parseBaseUrl(baseUrlText)
  const base = baseUrl === null ? embeddedDefaults : hostedDefaults
  const { limits = {}, polling = {}, webhook = {} } = config
  assertLocalPaths(config)
  const settings: Settings = {
    input: {
      ...config.input,
      columns: config.input?.columns ?? {},
      dedupe: config.input?.dedupe ?? true,
    },
    output: { ...config.output, prefix: config.output?.prefix ?? defaults.prefix },
    checkpoint: {
      path: config.checkpoint?.path ?? defaults.checkpointPath,
      maxAgeMs: durationMs(config.checkpoint?.maxAge),
    },
    service: { baseUrl, registryPath: config.service?.registry ?? null },
    budget: {
      lookupsMax: config.budget?.lookupsMax ?? null,
      durationMsMax: durationMs(config.budget?.durationMax),
    },
    onLost: config.submission?.onLost ?? 'hold',
    serverErrorMeans: config.submission?.onServerError === 'resubmit' ? 'not_created' : 'unknown',
    limits: {
      submissionsPerWindow: limits.submitPerMinute ?? base.limits.submitPerMinute,
      pollsPerWindow: limits.pollPerMinute ?? base.limits.pollPerMinute,
      windowMs: (limits.windowSeconds ?? base.limits.windowSeconds) * 1000,
      inFlightRunsMax: limits.inFlightRunsMax ?? base.limits.inFlightRunsMax,
      submitConcurrency: limits.submitConcurrency ?? base.limits.submitConcurrency,
    },
    polling: {
      firstAfterMs: (polling.firstAfterSeconds ?? base.polling.firstAfterSeconds) * 1000,
      intervalMs: (polling.intervalSeconds ?? base.polling.intervalSeconds) * 1000,
      deadlineMs: (polling.deadlineMinutes ?? base.polling.deadlineMinutes) * 60_000,
    },
    webhook: {
      url: isUnset(webhook.url) ? null : parseWebhookUrl(webhook.url, isLocal(baseUrl)),
      listen: isUnset(webhook.listen) ? null : parseListenAddress(webhook.listen),
    },
  }
  return deepFreeze(settings)
}

function assertLocalPaths({ input, output, checkpoint, service }: FileConfig): void {
  for (const path of input?.paths ?? []) assertLocalPath(path, 'input')
  if (output?.path !== undefined) assertLocalPath(output.path, 'output')
  if (checkpoint?.path !== undefined) assertLocalPath(checkpoint.path, 'checkpoint')
  if (service?.registry !== undefined) assertLocalPath(service.registry, 'registry')
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
