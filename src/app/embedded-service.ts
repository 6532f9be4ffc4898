import { defaultPaths } from '../config/options.js'
import { systemRandom } from '../platform/random.js'
import { embeddedScope, registryPathOf } from './embedded-scope.js'
import { knowledgeOf } from './registry-adapter.js'
import type { WholeClient } from '../client/client.js'
import type { Connection } from '../pipeline/deps.js'
import { openRegistry, type Registry } from '../registry/registry.js'
import { openShippedRegistry } from '../registry/shipped.js'
import { version } from '../platform/version.js'
import { assertCheckpointApart, checkpointFiles, registryFiles, type OwnFile } from '../pipeline/own-files.js'
import type { Settings } from '../config/settings.js'

/** The registry named, else the project's own if there is one, else the small one that ships with the package. */
export function chooseRegistry(named: string | null): { registry: Registry; label: string } {
  const path = registryPathOf(named)
  if (path !== null) return { registry: openRegistry(path, { readonly: true }), label: path }
  return { registry: openShippedRegistry(), label: 'the small registry that ships with the package' }
}

/** The embedded service keeps its runs beside the checkpoint that knows their ids. */
function embeddedDataFolder(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.service`
}

/** A connection by which every route can be called, the pipeline's among them. */
export interface WholeConnection extends Connection {
  client: WholeClient
}

export interface EmbeddedDeps {
  registryPath: string | null
  checkpointPath: string
  connectionsMax: number
  notice: (text: string) => void
}

/** Starts the service in this process, on a free loopback port, and connects to it over HTTP. */
export async function connectEmbedded(deps: EmbeddedDeps): Promise<WholeConnection> {
  const { registry, label } = chooseRegistry(deps.registryPath)
  try {
    const apiKey = systemRandom.id('embedded_')
    // Loaded when they are needed: a run against a hosted service, and commands that only look, start without.
    const { startService } = await import('../service/service.js')
    const { createServiceClient } = await import('../client/client.js')
    const service = await startService({
      knowledge: knowledgeOf(registry),
      dataFolder: embeddedDataFolder(deps.checkpointPath),
      listen: { host: '127.0.0.1', port: 0 },
      accounts: [{ name: 'embedded', apiKey }],
      rateLimits: 'none',
      pages: false,
      log: deps.notice,
    })
    const { entityCount } = registry.info()
    deps.notice(
      `Embedded service, answering from ${label} (${entityCount.toLocaleString('en-US')} entities). ` +
        'A hosted service: --base-url and ENRICH_API_KEY. Your own data: enrich registry import.',
    )
    const client = createServiceClient({
      baseUrl: service.url,
      apiKey,
      userAgent: `enrich/${version}`,
      connectionsMax: deps.connectionsMax,
    })
    return {
      service: 'embedded',
      scope: embeddedScope(registry.edition()),
      client,
      close: async () => {
        await client.close()
        await service.close()
        registry.close()
      },
    }
  } catch (error) {
    registry.close()
    throw error
  }
}

/** What people decided about rows; read and written by name, in the folder that commands run in. */
const decisionsPath = 'enrich.decisions.csv'

/**
 * Every file of ours that a run with these settings has in use, or that another command in this folder may have.
 * Throws CHECKPOINT_INVALID where the checkpoint is one of the others.
 */
export function filesInUse(settings: Settings, configPath: string | null): readonly OwnFile[] {
  const checkpointPath = settings.checkpoint.path
  const others: readonly OwnFile[] = [
    ...registryFiles(settings.service.registryPath ?? defaultPaths.registry),
    { path: configPath ?? defaultPaths.config, what: 'the config' },
    { path: decisionsPath, what: 'the decisions' },
  ]
  assertCheckpointApart(checkpointPath, others)
  return [
    ...checkpointFiles(checkpointPath),
    ...others,
    { path: embeddedDataFolder(checkpointPath), what: "the embedded service's data", isFolder: true },
    { path: defaultPaths.serviceData, what: "the service's data", isFolder: true },
  ]
}
