import { InvalidArgumentError, Option, type Command } from 'commander'
import { createNumberParser } from '../../config/option.js'
import { defaultPaths } from '../../config/options.js'
import { getParsedValue } from '../config-flags.js'
import { chooseRegistry } from '../../app/registry-adapter.js'
import {
  isLoopback,
  isPostgresUrl,
  parseListenAddress,
  type ListenAddress,
} from '../../core/server-addresses.js'
import { UserError } from '../../core/errors.js'
import type { ReconciliationAccess, ServiceOptions } from '../../service/service.js'
import { version } from '../../platform/native-package.js'
import { waitForInterrupt, formatJsonLine, type CliIo } from '../terminal/command-io.js'
import { plural } from '../../core/text.js'

interface ServeFlags {
  listen: ListenAddress
  registry?: string
  data: string
  replaceEdition?: string
  limits: 'spec' | 'none'
  researchSeconds: { min: number; max: number }
  faults?: string
  allowLocalWebhooks?: true
  domainRanks?: string
  disposableDomains?: string
  checkWebsites?: true
  matchers?: number
  reconcile?: true | ReconciliationAccess
  reconcileOrigin?: string[]
  json?: true
}

export function fillServeCommand(command: Command, io: CliIo): void {
  command
    .addOption(
      new Option('--listen <host:port>', 'listen address')
        .argParser(parseListen)
        .default({ host: '127.0.0.1', port: 8787 }, '127.0.0.1:8787'),
    )
    .option(
      '--registry <path>',
      'registry to answer from (default: .enrich/registry.sqlite if it exists, else that of the package)',
    )
    .option(
      '--data <where>',
      'store of runs: a folder, or postgres://USER@HOST/DATABASE for several replicas',
      defaultPaths.serviceData,
    )
    .option(
      '--replace-edition <edition>',
      'switch all replicas from this edition to the registry of this one',
    )
    .addOption(
      new Option(
        '--matchers <n>',
        'threads that match names, 0 to 64 (default: one per core, none on one core)',
      ).argParser(parseMatchers),
    )
    .addOption(
      new Option('--limits <which>', 'rate limits: those of the interface, or none')
        .choices(['spec', 'none'])
        .default('spec'),
    )
    .addOption(
      new Option('--research-seconds <min:max>', 'duration of a lookup, and of building a record')
        .argParser(parseRange)
        .default({ min: 0, max: 0 }, '0:0'),
    )
    .option('--domain-ranks <file>', 'traffic ranks of domains: lines of rank,domain, as in the Tranco list')
    .option('--disposable-domains <file>', 'domains of disposable e-mail addresses, one per line')
    .option('--check-websites', 'request the websites of domains over the internet')
    .option('--allow-local-webhooks', 'also deliver webhooks to this machine, with http; for rehearsals')
    .addOption(
      new Option(
        '--reconcile [who]',
        'serve OpenRefine at /reconcile, without a key (local) or with one (key) (default: local on this machine, else key)',
      ).choices(['local', 'key']),
    )
    .addOption(
      new Option(
        '--reconcile-origin <origin...>',
        'origin of web pages that may reconcile, like https://refine.example.com',
      ).argParser(collectOrigin),
    )
    .option('--faults <file>', 'plan of faults to inject; for rehearsals')
    .option('--json', 'write the URL and the log as JSON lines to standard output')
    .action((flags: ServeFlags) => serve(flags, io))
}

async function serve(flags: ServeFlags, io: CliIo): Promise<void> {
  const apiKey = io.environment['ENRICH_SERVE_API_KEY'] ?? ''
  if (apiKey === '') {
    throw new UserError('API_KEY_MISSING', 'the service needs an API key for its callers', {
      hint: 'set ENRICH_SERVE_API_KEY to a long random text',
    })
  }
  const { readFaults, startReplica, startService } = await import('../../service/service.js')
  const faults = flags.faults === undefined ? null : readFaults(flags.faults)
  const { createMatcherPool, countDefaultThreads } = await import('../../app/matcher-pool.js')
  const domains = await loadDomainSources(flags)
  const { min, max } = flags.researchSeconds
  const researchMs = { min: min * 1000, max: max * 1000 }
  const tell = (type: string, value: object) => {
    if (flags.json === true) io.out(formatJsonLine(type, value))
  }
  const log = (line: string) => {
    tell('log', { text: line })
    io.err(`${line}\n`)
  }
  const { registry, path, label } = chooseRegistry(flags.registry ?? null)
  const matchers = createMatcherPool({
    registry,
    registryPath: path,
    threadCount: flags.matchers ?? countDefaultThreads(),
    start: 'at_once',
    log,
  })
  try {
    registry.requireCompanies()
    const options = {
      knowledge: matchers,
      listen: flags.listen,
      accounts: [{ name: 'default', apiKey }],
      rateLimits: flags.limits,
      version,
      ...readReconciliation(flags),
      allowLocalWebhooks: flags.allowLocalWebhooks ?? false,
      ...(faults === null ? {} : { faults }),
      researchMs,
      buildMs: researchMs,
      ...domains,
      log,
    }
    const isShared = isPostgresUrl(flags.data)
    const { replaceEdition: replacesEdition } = flags
    if (replacesEdition !== undefined && !isShared) {
      throw new UserError('USAGE_INVALID', '--replace-edition is for replicas on one database', {
        hint: 'a single service always uses the registry that it is started with',
      })
    }
    const service = isShared
      ? await startReplica({
          ...options,
          ...(replacesEdition === undefined ? {} : { replacesEdition }),
          databaseUrl: flags.data,
          environment: io.environment,
        })
      : await startService({ ...options, dataFolder: flags.data })
    const { entityCount } = registry.info()
    const reconciliationUrl = flags.reconcile === undefined ? null : `${service.url}/reconcile`
    tell('serving', { url: service.url, registry: label, entityCount, reconciliationUrl })
    io.err(
      `Serving at ${service.url}, answering from ${label} (${plural(entityCount, 'company', 'companies')}).\n` +
        (isShared ? 'Further replicas can serve the same data: see docs/manual/serving.md.\n' : '') +
        (isLoopback(flags.listen.host) ? '' : 'It is reachable from other machines: use a TLS proxy.\n') +
        `Use it: ENRICH_BASE_URL=${service.url} ENRICH_API_KEY=… enrich companies.csv -o out.parquet\n`,
    )
    if (reconciliationUrl !== null) io.err(`Reconciliation, for OpenRefine: ${reconciliationUrl}\n`)
    if (faults !== null) io.err('Faults are injected by the plan: errors of this service are intended.\n')
    await waitForInterrupt(io)
    await service.close()
    tell('stopped', {})
  } finally {
    await matchers.close()
    registry.close()
  }
}

/** Throws USAGE_INVALID. */
function readReconciliation({
  reconcile,
  reconcileOrigin: origins = [],
}: ServeFlags): Pick<ServiceOptions, 'reconciliation'> {
  if (reconcile !== undefined)
    return { reconciliation: { access: reconcile === true ? null : reconcile, origins } }
  if (origins.length === 0) return {}
  throw new UserError('USAGE_INVALID', '--reconcile-origin needs --reconcile')
}

/** Loads the optional sources of data about domains. */
async function loadDomainSources(
  flags: ServeFlags,
): Promise<Pick<ServiceOptions, 'domainLists' | 'checkWebsite'>> {
  const { createSystemWebsiteCheck, loadDomainLists } = await import('../../service/service.js')
  const { domainRanks: ranks, disposableDomains: disposable } = flags
  return {
    domainLists: await loadDomainLists({
      ...(ranks === undefined ? {} : { ranks }),
      ...(disposable === undefined ? {} : { disposable }),
    }),
    ...(flags.checkWebsites === true ? { checkWebsite: createSystemWebsiteCheck() } : {}),
  }
}

function parseListen(text: string): ListenAddress {
  const address = parseListenAddress(text)
  if (address === null) throw new InvalidArgumentError('It must be host:port, like 127.0.0.1:8787.')
  return address
}

function collectOrigin(text: string, before: string[] | undefined): string[] {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin) throw new InvalidArgumentError('It must be an origin, like https://refine.example.com.')
  return [...(before ?? []), url.origin]
}

const parseMatchers = (text: string): number => getParsedValue(createNumberParser(0, 64)(text))

function parseRange(text: string): { min: number; max: number } {
  const match = /^(\d{1,5}(?:\.\d+)?)(?::(\d{1,5}(?:\.\d+)?))?$/.exec(text)
  const min = Number(match?.[1])
  const max = Number(match?.[2] ?? match?.[1])
  if (!match || max < min) throw new InvalidArgumentError('It must be seconds, like 60:300.')
  return { min, max }
}
