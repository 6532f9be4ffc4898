import { existsSync } from 'node:fs'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { defaults, type FileConfig } from '../config/file-config.js'
import { parseDurationMs } from '../core/duration.js'
import { parseListenAddress } from '../core/listen-address.js'
import {
  environmentConfig,
  mergeConfigs,
  parseConfig,
  readConfigFile,
  type Environment,
} from '../config/settings.js'
import { encodingNames } from '../tables/encodings/names.js'

/** What commander gives for the flags below. */
export interface ConfigFlags {
  config?: string
  output?: string
  format?: string
  inputFormat?: string
  delimiter?: string
  encoding?: string
  nameColumn?: string
  locationColumns?: string[]
  contextColumns?: string[]
  checkpoint?: string
  maxAge?: string
  baseUrl?: string
  registry?: string
  limit?: number
  maxLookups?: number
  maxDuration?: string
  dedupe?: boolean
  basis?: string
  columns?: string[]
  prefix?: string
  partial?: boolean
  bom?: boolean
  resubmitUncertain?: boolean
  webhookUrl?: string
  webhookListen?: string
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function listOfSome(text: string): string[] {
  const names = list(text)
  if (names.length === 0) throw new InvalidArgumentError('It must name at least one.')
  return names
}

function wholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

function rowLimit(text: string): number {
  const limit = wholeNumber(text)
  if (limit === 0) throw new InvalidArgumentError('It must be 1 or more.')
  return limit
}

function duration(text: string): string {
  if (parseDurationMs(text) === null)
    throw new InvalidArgumentError('It must be a number and s, m, h or d, like 30d.')
  return text
}

function delimiter(text: string): string {
  const character = text === '\\t' || text === 'tab' ? '\t' : text
  if (character.length !== 1) throw new InvalidArgumentError('It must be one character, or tab.')
  return character
}

function listenAddress(text: string): string {
  if (parseListenAddress(text) === null)
    throw new InvalidArgumentError('host:port is needed, like 127.0.0.1:8788.')
  return text
}

const formats = ['csv', 'parquet', 'ndjson']

const groups = {
  config: [
    new Option('-c, --config <path>', `the config file (default: ${defaults.configPath} if it exists)`),
  ],
  input: [
    new Option('--name-column <name>', 'the column with company names (default: found by its header)'),
    new Option('--location-columns <a,b>', 'columns joined into the location (default: found)').argParser(
      list,
    ),
    new Option('--context-columns <a,b>', 'columns joined into the context').argParser(list),
    new Option('--input-format <format>', 'needed for standard input (default: by extension)').choices(
      formats,
    ),
    new Option('--delimiter <char>', 'of a CSV input, or tab (default: found)').argParser(delimiter),
    new Option('--encoding <name>', 'of a CSV or NDJSON input (default: found)').choices(encodingNames),
    new Option('--limit <n>', 'only the first n rows: a pilot').argParser(rowLimit),
    new Option('--no-dedupe', 'rows that ask the same are each asked, and each billed'),
  ],
  checkpoint: [
    new Option('--checkpoint <path>', `what was asked and answered (default: ${defaults.checkpointPath})`),
  ],
  service: [
    new Option(
      '--base-url <url>',
      'of a hosted service (default: the embedded service; env: ENRICH_BASE_URL)',
    ),
    new Option(
      '--registry <path>',
      `what the embedded service answers from (default: ${defaults.registryPath} if it exists)`,
    ),
  ],
  asking: [
    new Option('--max-age <duration>', 'ask again when an answer is older, like 30d').argParser(duration),
    new Option('--max-lookups <n>', 'stop before submitting more than n').argParser(wholeNumber),
    new Option('--max-duration <duration>', 'stop after this long, like 6h').argParser(duration),
    new Option('--resubmit-uncertain', 'submit again what may have been billed already'),
  ],
  webhook: [
    new Option(
      '--webhook-url <url>',
      'public https address that answers are sent to (default: they are polled)',
    ),
    new Option(
      '--webhook-listen <host:port>',
      'where they are taken, behind that address (default: by enrich receive)',
    ).argParser(listenAddress),
  ],
  output: [
    new Option('-o, --output <path>', 'the file to write: .csv, .parquet or .ndjson; - for standard output'),
    new Option('--format <format>', 'needed for standard output (default: by extension)').choices(formats),
    new Option('--basis <where>', 'where the sources of each field go (default: auto)').choices([
      'auto',
      'inline',
      'file',
      'none',
    ]),
    new Option('--columns <a,b>', 'the added columns wanted (default: all)').argParser(listOfSome),
    new Option('--bom', 'a byte order mark in front of CSV, for spreadsheets'),
    new Option('--prefix <text>', `in front of the added columns (default: ${defaults.prefix})`),
  ],
  partial: [new Option('--partial', 'write the output also when the run stops early')],
} as const

/** Adds groups of flags to a command; each flag is also a key of pipeline.config.json. */
export function addConfigFlags(command: Command, names: readonly (keyof typeof groups)[]): Command {
  for (const name of names) for (const option of groups[name]) command.addOption(option)
  return command
}

/** The config file in use, or null. */
export function configPathOf(flags: ConfigFlags): string | null {
  return flags.config ?? (existsSync(defaults.configPath) ? defaults.configPath : null)
}

/** Flags over the environment over the config file. Throws CONFIG_*. */
export function configOf(
  inputs: readonly string[],
  flags: ConfigFlags,
  environment: Environment,
): FileConfig {
  const path = configPathOf(flags)
  const file = path === null ? {} : readConfigFile(path)
  const asked = parseConfig(fromFlags(inputs, flags), 'the command line')
  return mergeConfigs(mergeConfigs(file, environmentConfig(environment)), asked)
}

function fromFlags(inputs: readonly string[], flags: ConfigFlags): unknown {
  return dropUnset({
    input: {
      paths: inputs.length === 0 ? undefined : [...inputs],
      format: flags.inputFormat,
      delimiter: flags.delimiter,
      encoding: flags.encoding,
      columns: { name: flags.nameColumn, location: flags.locationColumns, context: flags.contextColumns },
      limit: flags.limit,
      // Commander gives true where --no-dedupe was not passed: the config file decides then.
      dedupe: flags.dedupe === false ? false : undefined,
    },
    output: {
      path: flags.output,
      format: flags.format,
      basis: flags.basis,
      columns: flags.columns,
      prefix: flags.prefix,
      partial: flags.partial,
      bom: flags.bom,
    },
    checkpoint: { path: flags.checkpoint, maxAge: flags.maxAge },
    service: { baseUrl: flags.baseUrl, registry: flags.registry },
    budget: { lookupsMax: flags.maxLookups, durationMax: flags.maxDuration },
    submission: { onLost: flags.resubmitUncertain === true ? 'resubmit' : undefined },
    webhook: { url: flags.webhookUrl, listen: flags.webhookListen },
  })
}

function dropUnset(value: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) {
      const inner = dropUnset(member)
      if (Object.keys(inner).length > 0) kept[key] = inner
    } else kept[key] = member
  }
  return kept
}
