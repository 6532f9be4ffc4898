import { plural } from '../core/text.js'
import { hasProxyVariable, isPostgresUrl } from '../core/server-addresses.js'
import { defaultPaths } from '../config/options.js'
import { systemRandom } from '../platform/clock.js'
import { formatEmbeddedScope } from './inspect-input.js'
import type { MatcherPool } from './matcher-pool.js'
import type { FullServiceClient } from '../client/client.js'
import type { Connection } from '../pipeline/run.js'
import {
  assertCheckpointApart,
  listCheckpointFiles,
  listRegistryFiles,
  type OwnFile,
  getProposalsPath,
} from '../pipeline/own-files.js'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { fieldLimits } from '../contract/limits.js'
import { getErrorText, UserError } from '../core/errors.js'
import type { CandidateSource } from '../core/decisions.js'
import type { Proxy } from '../platform/outbound/proxy.js'
import type { Registry } from '../registry/read-registry.js'
import { createUnavailable, never } from './hosted-candidates.js'

/** Returns the proxy on the way to the service; null without one. Throws PROXY_INVALID. */
export async function findServiceProxy(baseUrl: string, environment: Environment): Promise<Proxy | null> {
  if (!hasProxyVariable(environment)) return null
  const { findProxy } = await import('../platform/outbound/proxy.js')
  return findProxy(new URL(baseUrl), environment)
}

/** Describes the proxies that the environment names, without users and passwords. Throws PROXY_INVALID. */
export async function describeProxies(baseUrl: string | null, environment: Environment): Promise<string> {
  const { findProxy, findExemption } = await import('../platform/outbound/proxy.js')
  const describe = (proxy: Proxy | null) =>
    proxy === null
      ? 'no proxy'
      : `${proxy.origin} (${proxy.variable}${proxy.hasCredentials ? ', with a user and a password' : ''})`
  const any = { protocol: 'https:', hostname: 'host.invalid', port: '' }
  const general = `stores over https use ${describe(findProxy(any, environment))}`
  if (baseUrl === null) return general
  const url = new URL(baseUrl)
  const exemption = findExemption(url, environment)
  const reason =
    exemption === null
      ? url.protocol === 'http:'
        ? ': plain http stays on this machine'
        : ': only plain http has one'
      : `: ${exemption} lists it`
  const proxy = findProxy(url, environment)
  return `the service uses ${describe(proxy)}${proxy === null ? reason : ''}; ${general}`
}

/** Candidates of the embedded service, which the matcher gathers with each answer. */
function createEmbeddedCandidates(
  matchers: Pick<MatcherPool, 'candidates'>,
  registry: Pick<Registry, 'searchCompanies' | 'company'>,
): CandidateSource {
  const explainFailure = async <Found>(work: () => Promise<Found>, signal = never) => {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      throw error instanceof UserError
        ? error
        : createUnavailable(getErrorText(error), 'try again in a moment', error)
    }
  }
  return {
    isEager: true,
    findCandidates: ({ name, location, context }, signal) =>
      explainFailure(() => matchers.candidates({ name, location, context }), signal),
    search: (text, countryCode, signal) => {
      const limit = fieldLimits.searchResultsMax
      const country = countryCode === null ? {} : { countryCode }
      return explainFailure(
        () => Promise.resolve(registry.searchCompanies({ name: text, limit, ...country })),
        signal,
      )
    },
    company: (entityId, signal) => explainFailure(() => Promise.resolve(registry.company(entityId)), signal),
  }
}

export interface WholeConnection extends Connection {
  client: FullServiceClient
}

export interface EmbeddedDeps {
  registryPath: string | null
  inFlightRunsMax: number
  /** Number of threads that match names; `null`: one for each core. */
  matchers: number | null
  /** Candidates are gathered with answers below this confidence; without it, none are. */
  doubtThreshold?: number
  /** Whether a hosted service answers what this one cannot; defaults to false. */
  answersFirst?: boolean
  notice: (text: string) => void
}

/** Runs kept in addition to those in flight: submissions being sent, and answers being read. */
const runsKeptBeside = 1_000

/** Starts the service in this process, without a socket, and connects to it. */
export async function connectEmbedded(deps: EmbeddedDeps): Promise<WholeConnection> {
  // Imported here, because hosted runs and commands that only read do not need them.
  const { chooseRegistry } = await import('./registry-adapter.js')
  const { registry, path, label } = chooseRegistry(deps.registryPath)
  let matchers: MatcherPool | null = null
  try {
    registry.requireCompanies()
    const apiKey = systemRandom.id('embedded_')
    const { startLocalService } = await import('../service/local-service.js')
    const { createServiceClient } = await import('../client/client.js')
    const { createLocalTransport } = await import('../client/transport.js')
    const { createMatcherPool, countDefaultThreads } = await import('./matcher-pool.js')
    const knowledge = createMatcherPool({
      registry,
      registryPath: path,
      threadCount: deps.matchers ?? countDefaultThreads(),
      start: 'with_work',
      ...(deps.doubtThreshold === undefined ? {} : { doubtThreshold: deps.doubtThreshold }),
      prepares: true,
      log: deps.notice,
    })
    matchers = knowledge
    const service = startLocalService({
      knowledge,
      apiKey,
      runsMax: deps.inFlightRunsMax + runsKeptBeside,
      log: deps.notice,
    })
    const { entityCount, onlyCountry } = registry.info()
    const companies = plural(entityCount, 'company', 'companies')
    deps.notice(
      deps.answersFirst === true
        ? `Own registry ${label} (${companies}); the service gets the lookups that it cannot answer.`
        : `Embedded service with ${label} (${companies}). For a hosted service, set --base-url and ENRICH_API_KEY.` +
            (path === null ? ' To find registers for your list, use enrich registry sources FILE.' : ''),
    )
    const client = createServiceClient({ apiKey }, createLocalTransport(service.answer))
    return {
      service: 'embedded',
      isDemo: path === null,
      onlyCountry: path === null ? null : onlyCountry,
      scope: formatEmbeddedScope(registry.edition()),
      readScope: () => formatEmbeddedScope(registry.edition()),
      client,
      candidates: createEmbeddedCandidates(knowledge, registry),
      prepared: knowledge.prepared,
      close: async () => {
        await client.close()
        await service.close()
        await knowledge.close()
        registry.close()
      },
    }
  } catch (error) {
    await matchers?.close()
    registry.close()
    throw error
  }
}

/**
 * Lists the files of enrich that a run with these settings, or another command in this folder, may use. Throws
 * CHECKPOINT_INVALID if the checkpoint is one of the other files.
 */
export function listFilesInUse(
  settings: Settings,
  configPath: string | null,
  environment: Environment,
): readonly OwnFile[] {
  const checkpointPath = settings.checkpoint.path
  const keyPath = environment['ENRICH_API_KEY_FILE']
  const configPaths = new Set([configPath ?? defaultPaths.config, defaultPaths.config])
  const decisionPaths = new Set([settings.decisions.path, defaultPaths.decisions])
  const others: readonly OwnFile[] = [
    ...listRegistryFiles(settings.service.registryPath ?? defaultPaths.registry),
    ...[...configPaths].map((path) => ({ path, what: 'the config' })),
    ...(keyPath === undefined || keyPath === '' ? [] : [{ path: keyPath, what: 'the file of the API key' }]),
    ...[...decisionPaths].flatMap((path) => [
      { path, what: 'the decisions' },
      { path: getProposalsPath(path), what: 'the proposed decisions' },
    ]),
  ]
  const isFile = !isPostgresUrl(checkpointPath)
  if (isFile) assertCheckpointApart(checkpointPath, others)
  return [
    ...(isFile ? listCheckpointFiles(checkpointPath) : []),
    ...others,
    { path: defaultPaths.serviceData, what: "the service's data", isFolder: true },
  ]
}
