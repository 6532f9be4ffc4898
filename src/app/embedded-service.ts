import { formatCount } from '../core/text.js'
import { isPostgresUrl } from '../core/postgres-address.js'
import { defaultPaths } from '../config/options.js'
import { systemRandom } from '../platform/random.js'
import { embeddedCandidates } from './candidate-source.js'
import { embeddedScope } from './embedded-scope.js'
import type { MatcherPool } from './matcher-pool.js'
import type { WholeClient } from '../client/client.js'
import type { Connection } from '../pipeline/deps.js'
import { assertCheckpointApart, checkpointFiles, registryFiles, type OwnFile } from '../pipeline/own-files.js'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'

/** A connection by which every route can be called, the pipeline's among them. */
export interface WholeConnection extends Connection {
  client: WholeClient
}

export interface EmbeddedDeps {
  registryPath: string | null
  /** How many runs the pipeline waits for at one time. */
  inFlightRunsMax: number
  /** Threads that names are matched in, once there are enough; null: one less than there are cores. */
  matchers: number | null
  /** Answers that are less sure than this are doubtful: their candidates are made beside them; none if left out. */
  doubtThreshold?: number
  notice: (text: string) => void
}

/** Beyond those that are waited for: kickoffs that are under way, and answers that are still being read. */
const runsKeptBeside = 1_000

/** Starts the service in this process, without a socket, and connects to it. */
export async function connectEmbedded(deps: EmbeddedDeps): Promise<WholeConnection> {
  // Loaded when they are needed: a run against a hosted service, and commands that only look, start without.
  const { chooseRegistry } = await import('./choose-registry.js')
  const { registry, path, label } = chooseRegistry(deps.registryPath)
  let matchers: MatcherPool | null = null
  try {
    const apiKey = systemRandom.id('embedded_')
    const { startLocalService } = await import('../service/local-service.js')
    const { createServiceClient } = await import('../client/client.js')
    const { createLocalTransport } = await import('../client/transport.js')
    const { createMatcherPool, threadsByDefault } = await import('./matcher-pool.js')
    const knowledge = createMatcherPool({
      registry,
      registryPath: path,
      threadCount: deps.matchers ?? threadsByDefault('a_run'),
      start: 'with_work',
      ...(deps.doubtThreshold === undefined ? {} : { doubtThreshold: deps.doubtThreshold }),
      log: deps.notice,
    })
    matchers = knowledge
    const service = startLocalService({
      knowledge,
      apiKey,
      runsMax: deps.inFlightRunsMax + runsKeptBeside,
      log: deps.notice,
    })
    const { entityCount } = registry.info()
    deps.notice(
      `Embedded service, answering from ${label} (${formatCount(entityCount)} entities). ` +
        'A hosted service: --base-url and ENRICH_API_KEY. Your own data: enrich registry import.',
    )
    const client = createServiceClient({ apiKey }, createLocalTransport(service.answer))
    return {
      service: 'embedded',
      isDemo: path === null,
      scope: embeddedScope(registry.edition()),
      client,
      candidates: embeddedCandidates(knowledge, registry),
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
 * Every file of ours that a run with these settings has in use, or that another command in this folder may have.
 * Throws CHECKPOINT_INVALID where the checkpoint is one of the others.
 */
export function filesInUse(
  settings: Settings,
  configPath: string | null,
  environment: Environment,
): readonly OwnFile[] {
  const checkpointPath = settings.checkpoint.path
  const keyPath = environment['ENRICH_API_KEY_FILE']
  const configPaths = new Set([configPath ?? defaultPaths.config, defaultPaths.config])
  const decisionPaths = new Set([settings.decisions.path, defaultPaths.decisions])
  const others: readonly OwnFile[] = [
    ...registryFiles(settings.service.registryPath ?? defaultPaths.registry),
    ...[...configPaths].map((path) => ({ path, what: 'the config' })),
    ...(keyPath === undefined || keyPath === '' ? [] : [{ path: keyPath, what: 'the file of the API key' }]),
    ...[...decisionPaths].map((path) => ({ path, what: 'the decisions' })),
  ]
  const isFile = !isPostgresUrl(checkpointPath)
  if (isFile) assertCheckpointApart(checkpointPath, others)
  return [
    ...(isFile ? checkpointFiles(checkpointPath) : []),
    ...others,
    { path: defaultPaths.serviceData, what: "the service's data", isFolder: true },
  ]
}
