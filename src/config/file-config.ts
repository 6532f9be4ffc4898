import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { describeFault } from '../contract/errors.js'
import { UserError } from '../core/errors.js'
import { listOptions, buildSchema, getValueAt, type ConfigOf } from './option.js'
import { options } from './options.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** pipeline.config.json; every key is optional. */
export type FileConfig = ConfigOf<typeof options>

const originKey = Symbol('origin')

/** A config that was merged from a file and flags. Errors name its origin. */
/** Settings of a config file by the flags that would override them. */
type ConfigOrigin = Readonly<Record<string, string>>

type MergedConfig = FileConfig & { readonly [originKey]?: ConfigOrigin }

export const getOrigin = (config: FileConfig): ConfigOrigin | undefined => (config as MergedConfig)[originKey]

const withOrigin = (config: FileConfig, origin: ConfigOrigin | undefined): MergedConfig =>
  origin === undefined ? config : { ...config, [originKey]: origin }

/** Builds the JSON Schema of pipeline.config.json for editors and validators; `npm run build` writes it to a file. */
export const buildJsonSchema = (): object => ({
  title: 'pipeline.config.json of enrich',
  ...z.toJSONSchema(buildSchema(options), { io: 'input' }),
})

/** Validates a config from a file, flags or code, and keeps its origin. Throws CONFIG_INVALID with the name of the key. */
export function parseConfig(value: unknown, origin: string): FileConfig {
  // Most often it is empty, and zod is slow.
  if (isPlain(value) && Object.keys(value).length === 0) return {}
  const parsed = buildSchema(options, value).safeParse(value, { jitless: true })
  if (parsed.success) return withOrigin(parsed.data, getOrigin(value as FileConfig))
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  const what =
    issue?.code === 'unrecognized_keys'
      ? `unknown key ${issue.keys.map((key) => JSON.stringify(where === '' ? key : `${where}.${key}`)).join(', ')}`
      : describeFault(parsed.error, value, (path) => (path === '' ? 'the whole' : JSON.stringify(path)))
  throw new UserError('CONFIG_INVALID', `${origin}: ${what}`, { hint: findHint(origin, what) })
}

function findHint(origin: string, what: string): string {
  if (origin === 'the command line') return 'enrich --help lists every flag'
  if (/^unknown key .*"webhook\.[^"]*(key|secret)"/i.test(what))
    return 'the signing secret goes into ENRICH_WEBHOOK_SECRET: a config is copied and committed'
  if (/^unknown key .*(key|token|secret|password)"/i.test(what))
    return 'the API key goes into ENRICH_API_KEY or ENRICH_API_KEY_FILE: a config is copied and committed'
  // The key may be known in another part of the config.
  const [, last = ''] = /^unknown key "(?:[^"]*\.)?([^".]+)"$/.exec(what) ?? []
  const known = listOptions(options).map(({ path }) => path.join('.'))
  const meant = known.filter((path) => path.split('.').at(-1)?.toLowerCase() === last.toLowerCase())
  const guess = meant.length === 0 ? '' : `did you mean ${meant.map((path) => `"${path}"`).join(' or ')}? `
  return `${guess}pipeline.config.example.json shows every key`
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
      cause: removeExcerpt(error),
    })
  }
  return parseConfig(value, path)
}

/** Removes the quoted part of the file from a parser's message: it may contain an API key. */
function removeExcerpt(error: unknown): string {
  return error instanceof Error ? error.message.replace(/,? *(\.\.\.)?".*$/su, '') : 'not JSON'
}

/** Reads the config keys set by the environment. An empty variable counts as unset. */
export function readEnvironmentConfig(environment: Environment): FileConfig {
  const given = listOptions(options).map(({ path, option: { variable } }) => ({
    path,
    value: variable === undefined || environment[variable] === '' ? undefined : environment[variable],
  }))
  return parseConfig(buildNested(given), 'the environment')
}

/** Builds an object from values by path; omits undefined values. */
export function buildNested(values: readonly { path: readonly string[]; value: unknown }[]): object {
  const root: Record<string, unknown> = {}
  for (const { path, value } of values) {
    if (value === undefined) continue
    let group = root
    for (const key of path.slice(0, -1)) group = (group[key] ??= {}) as Record<string, unknown>
    group[path.at(-1) ?? ''] = value
  }
  return root
}

/** Merges flags over the config file at `path`, and notes which flags have their value from the file. */
export function mergeOverFile(path: string, flags: FileConfig): FileConfig {
  const file = readConfigFile(path)
  const origins = listOptions(options).flatMap(({ path: key, option: { flag } }) => {
    const name = /--[a-z-]+/.exec(flag?.names ?? '')?.[0]
    const isOfFile = getValueAt(file, key) !== undefined && getValueAt(flags, key) === undefined
    return isOfFile && name !== undefined ? [[name, `${key.join('.')} in ${path}`] as const] : []
  })
  return withOrigin(mergeConfigs(file, flags), Object.fromEntries(origins))
}

/** Merges key by key; `over` wins, and lists are replaced. */
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
