import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { formatCount, plural } from '../../core/text.js'
import { defaultPaths } from '../../config/options.js'
import { formatColumnLines } from '../../pipeline/input/column-report.js'
import { UserError } from '../../core/errors.js'
import { hasProxyVariable, isPostgresUrl } from '../../core/server-addresses.js'
import { systemClock } from '../../platform/clock.js'
import { systemRandom } from '../../platform/random.js'
import { judgePoll } from '../../pipeline/scheduler/outcome.js'
import { chooseRegistry } from '../../app/choose-registry.js'
import { describeProxies, findServiceProxy } from '../../app/service-connection.js'
import { chooseSpoolFolder, inspectInput } from '../../app/inspect-input.js'
import { diagnoseDamage, findProblem } from '../../pipeline/checkpoint/sqlite/verify.js'
import { openToWrite } from '../../pipeline/checkpoint/sqlite/open-database.js'
import { openCheckpointReader } from '../../pipeline/checkpoint/sqlite/reader.js'
import { resolveApiKey, resolveSettings, resolveWebhookKeys, type Settings } from '../../config/settings.js'
import { version } from '../../platform/native-package.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { resolveOutput } from '../../pipeline/output/output-path.js'
import { tryTable } from '../../pipeline/output/plain-table.js'
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

const reportAsWords =
  (io: CliIo): Report =>
  (name, found) => {
    if (typeof found === 'string') io.out(`ok    ${name.padEnd(11)} ${found}\n`)
    else {
      io.out(`FAIL  ${name.padEnd(11)} ${found.code}: ${found.message}\n`)
      if (found.hint !== undefined) io.out(`      ${' '.repeat(11)} hint: ${found.hint}\n`)
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
    ...(inputs.length === 0 ? {} : { columns: () => checkColumns(settings, io) }),
    ...(settings.output.path === undefined ? {} : { output: () => checkOutputAccess(settings, io) }),
  }
}

/** Describes the columns used, and those that look like a place or an identifier but are not used. */
function checkColumns(settings: Settings, io: CliIo): Promise<string> {
  return inspectInput(
    {
      settings,
      stdin: io.stdin,
      signal: io.interrupt,
      environment: io.environment,
    },
    ({ columns, columnNote }) =>
      Promise.resolve(
        [...formatColumnLines(columns), ...(columnNote === null ? [] : [columnNote])].join(
          `\n${' '.repeat(18)}`,
        ),
      ),
  )
}

/** Writes an empty table under a temporary name to the place of the output, and removes it. */
async function checkOutputAccess(settings: Settings, io: CliIo): Promise<string> {
  const access = { connectors: createCommandConnectors(io), folder: chooseSpoolFolder(settings) }
  // Whether an existing table has the columns for another mode shows only with the output itself.
  const asked = { stages: settings.stages.asked, hasSides: settings.first !== null }
  const request = { ...settings.output, mode: 'replace' } as const
  const { path, format, isPacked, remote, memoryBytes } = resolveOutput(request, asked, access)
  const columns = [{ name: 'company', kind: 'text' }] as const
  // The table of the test has one column.
  const trial = remote === null ? null : ({ ...remote, removedColumns: 'ignore' } as const)
  await tryTable(
    { name: 'output', columns },
    { path, format, isPacked, remote: trial, memoryBytes, bom: false },
  )
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

/** Polls a run that cannot exist: this is free, and the response shows whether the key is accepted. */
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
    const exchange = await client.pollRun('run_doctor', {})
    if (exchange.kind === 'no_reply') {
      throw new UserError('SERVICE_UNREACHABLE', `no answer came from the service: ${exchange.reason}`, {
        hint: `${exchange.hint ?? 'check the network'}; the address is that of --base-url`,
      })
    }
    const verdict = judgePoll(exchange, { runId: 'run_doctor', customId: null, name: null }, Date.now())
    if (verdict.kind === 'refused') {
      throw new UserError('SERVICE_REFUSED', verdict.reason, {
        hint: 'check ENRICH_API_KEY and that the account may use v3',
      })
    }
    if (verdict.kind === 'retry' && exchange.status >= 500) {
      throw new UserError('SERVICE_UNREACHABLE', verdict.reason, {
        hint: 'the service is failing: try again later',
      })
    }
    return `${baseUrl} responds and accepts the key`
  } finally {
    await client.close()
  }
}

function checkCheckpoint({ checkpoint: { path }, service }: Settings, io: CliIo): Promise<string> {
  if (isPostgresUrl(path)) return checkShared(path, io)
  return diagnoseDamage(path, () => Promise.resolve(describeCheckpoint(path, service.baseUrl !== null)))
}

/** Creates the checkpoint if it does not exist, like one in a file. */
async function checkShared(url: string, { environment }: CliIo): Promise<string> {
  const { openShared } = await import('../../pipeline/checkpoint/postgres/open-database.js')
  const shared = await openShared(url, { clock: systemClock, random: systemRandom, environment })
  await shared.close()
  return `${shared.url} is writable and can be shared`
}

function describeCheckpoint(path: string, isBilled: boolean): string {
  const isThere = existsSync(path)
  const problem = findProblem(path, isBilled)
  if (problem !== null) throw problem
  openToWrite(path).close()
  const reader = openCheckpointReader(path, null)
  const scopes = reader?.read('counts') ?? []
  reader?.close()
  const lookups = scopes.reduce(
    (sum, { states }) => sum + Object.values(states).reduce((a, b) => a + b, 0),
    0,
  )
  return `${path} is writable${isThere ? `: ${formatCount(lookups)} lookups` : ' (it was created now)'}`
}
