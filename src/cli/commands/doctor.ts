import { checkCheckpointAccess, checkServiceAccess } from '../../pipeline/read-status.js'
import { tryOutputAccess } from '../../pipeline/export-rows.js'
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { formatCount, plural } from '../../core/text.js'
import { defaultPaths } from '../../config/options.js'
import { formatColumnLines } from '../terminal/lookup-text.js'
import { UserError } from '../../core/errors.js'
import { hasProxyVariable, isPostgresUrl } from '../../core/server-addresses.js'
import { chooseRegistry } from '../../app/registry-adapter.js'
import { describeProxies, findServiceProxy } from '../../app/service-connection.js'
import { chooseSpoolFolder, inspectInput } from '../../app/inspect-input.js'
import { resolveApiKey, resolveSettings, resolveWebhookKeys, type Settings } from '../../config/settings.js'
import { version } from '../../platform/native-package.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { createCommandConnectors, formatJsonLine, type CliIo } from '../terminal/command-io.js'

/** Returns a text if the check passes; throws a `UserError` otherwise. */
type Check = () => string | Promise<string>

export function fillDoctorCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['output', 'config', 'input', 'checkpoint', 'service', 'webhook'])
  command.option('--json', 'print one JSON line for each check')
  command.action(async (inputs: string[], flags: ConfigFlags & { json?: boolean }) => {
    const reporter = flags.json === true ? reportAsJson : reportAsWords
    const opened: { settings?: Settings } = {}
    const failure = await runChecks(
      {
        version: () => `enrich ${version} on Node.js ${process.versions.node}`,
        config: () => {
          opened.settings = resolveSettings(readConfig(inputs, flags, io.environment), io.environment)
          return (
            flags.config ??
            (existsSync(defaultPaths.config) ? defaultPaths.config : 'none; all settings have their defaults')
          )
        },
      },
      reporter(io),
    )
    // The other checks need the settings.
    const { settings } = opened
    const laterFailure =
      settings === undefined ? null : await runChecks(buildChecks(settings, inputs, io), reporter(io))
    io.setExitCode((failure ?? laterFailure)?.exitCode ?? 0)
  })
}

/** Receives the result of each check: a text, or the error. */
type Report = (name: string, found: string | UserError) => void

function reportAsWords(io: CliIo): Report {
  /** One cause may let several checks fail: it is printed once. */
  const told = new Map<string, string>()
  return (name, found) => {
    const label = name.padEnd(11)
    if (typeof found === 'string') {
      io.out(`ok    ${label} ${found}\n`)
      return
    }
    const text = `${found.code}: ${found.message}`
    const first = told.get(text)
    if (first === undefined) told.set(text, name)
    io.out(
      `FAIL  ${label} ${first === undefined ? text : `not checked: ${first} fails with ${found.code}`}\n`,
    )
    if (first === undefined && found.hint !== undefined)
      io.out(`      ${' '.repeat(11)} hint: ${found.hint}\n`)
  }
}

const reportAsJson =
  (io: CliIo): Report =>
  (name, found) => {
    const isWell = typeof found === 'string'
    const { code, message, hint } = isWell ? { code: null, message: found, hint: null } : found
    io.out(formatJsonLine('check', { name, isWell, code, message, hint: hint ?? null }))
  }

/** Runs all checks. Returns the first failure, or `null`. */
async function runChecks(checks: Record<string, Check>, report: Report): Promise<UserError | null> {
  let firstFailure: UserError | null = null
  for (const [name, check] of Object.entries(checks)) {
    try {
      report(name, await check())
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      report(name, error)
      firstFailure ??= error
    }
  }
  return firstFailure
}

function buildChecks(settings: Settings, inputs: readonly string[], io: CliIo): Record<string, Check> {
  const { baseUrl } = settings.service
  return {
    ...(baseUrl === null ? { registry: () => checkRegistry(settings) } : { key: () => checkKey(io) }),
    ...(hasProxyVariable(io.environment) ? { proxy: () => describeProxies(baseUrl, io.environment) } : {}),
    ...(baseUrl === null ? {} : { service: () => checkService(baseUrl, io) }),
    checkpoint: () => checkCheckpoint(settings, io),
    ...(settings.webhook.url === null && settings.webhook.listen === null
      ? {}
      : { webhook: () => checkWebhook(settings.webhook, io) }),
    ...(hasInput(settings, inputs) ? { columns: () => checkColumns(settings, io) } : {}),
    ...(settings.output.path === undefined ? {} : { output: () => checkOutputAccess(settings, io) }),
  }
}

/** Whether an input is named; standard input only by an argument, because it may wait for a user. */
const hasInput = ({ input: { paths = [] } }: Settings, inputs: readonly string[]): boolean =>
  inputs.length > 0 || (paths.length > 0 && !paths.includes('-'))

/** Describes the columns used, and those that look like a place or an identifier but are not used. */
function checkColumns(settings: Settings, io: CliIo): Promise<string> {
  return inspectInput(
    {
      settings,
      stdin: io.stdin,
      signal: io.interrupt,
      environment: io.environment,
    },
    ({ columns, notes }) =>
      Promise.resolve(
        [
          ...formatColumnLines(columns),
          ...(notes.columns === null ? [] : [notes.columns]),
          ...notes.doubts.map((doubt) => `doubtful: ${doubt}`),
        ].join(`\n${' '.repeat(18)}`),
      ),
  )
}

/** Writes an empty table under a temporary name to the place of the output, and removes it. */
async function checkOutputAccess(settings: Settings, io: CliIo): Promise<string> {
  const access = { connectors: createCommandConnectors(io), folder: chooseSpoolFolder(settings) }
  const asked = { stages: settings.stages.asked, hasSides: settings.first !== null }
  const path = await tryOutputAccess({ request: settings.output, asked, access })
  return `${path} can be written`
}

/** Only a delivery can show whether the URL leads to this machine; its form was checked with the config. */
function checkWebhook({ url, listen }: Settings['webhook'], io: CliIo): string {
  if (url === null) return `${describeSecrets(io)}; enrich receive would listen on ${formatAddress(listen)}`
  if (listen === null) return `answers are sent to ${url}; enrich receive must receive them there`
  return `${describeSecrets(io)}; answers are sent to ${url}, which must lead to ${formatAddress(listen)}`
}

function describeSecrets(io: CliIo): string {
  const { count } = resolveWebhookKeys(io.environment)
  return count === 1 ? 'a signing secret is set' : `${count} signing secrets are set`
}

const formatAddress = (listen: Settings['webhook']['listen']): string =>
  listen === null ? 'nothing' : `${listen.host}:${listen.port}`

function checkRegistry(settings: Settings): string {
  const { registry, label } = chooseRegistry(settings.service.registryPath)
  try {
    return `the embedded service answers from ${label}: ${plural(registry.info().entityCount, 'company', 'companies')}`
  } finally {
    registry.close()
  }
}

function checkKey(io: CliIo): string {
  return `an API key of ${resolveApiKey(io.environment).reveal().length} characters is set`
}

async function checkService(baseUrl: string, io: CliIo): Promise<string> {
  const { createServiceClient } = await import('../../client/client.js')
  const client = createServiceClient({
    baseUrl,
    apiKey: resolveApiKey(io.environment).reveal(),
    userAgent: `enrich/${version}`,
    proxy: await findServiceProxy(baseUrl, io.environment),
    connectionsMax: 1,
  })
  try {
    await checkServiceAccess(client)
    return `${baseUrl} responds and accepts the key`
  } finally {
    await client.close()
  }
}

async function checkCheckpoint({ checkpoint: { path }, service }: Settings, io: CliIo): Promise<string> {
  const { place, lookupCount } = await checkCheckpointAccess(path, service.baseUrl !== null, io.environment)
  if (isPostgresUrl(path)) return `${place} is writable and can be shared`
  const found = lookupCount === null ? ' (it was created now)' : `: ${formatCount(lookupCount)} lookups`
  return `${place} is writable${found}`
}
