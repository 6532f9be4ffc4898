import { existsSync } from 'node:fs'
import { defaultPaths } from '../config/options.js'
import { systemRandom } from '../platform/random.js'
import { knowledgeOf } from './registry-adapter.js'
import type { WholeClient } from '../client/client.js'
import type { Connection } from '../pipeline/run.js'
import { openRegistry, type Registry } from '../registry/registry.js'
import { openShippedRegistry } from '../registry/shipped.js'
import { version } from '../platform/version.js'

/** The registry named, else the project's own if there is one, else the small one that ships with the package. */
export function chooseRegistry(path: string | null): { registry: Registry; label: string } {
  if (path !== null) return { registry: openRegistry(path, { readonly: true }), label: path }
  if (existsSync(defaultPaths.registry)) {
    return { registry: openRegistry(defaultPaths.registry, { readonly: true }), label: defaultPaths.registry }
  }
  return { registry: openShippedRegistry(), label: 'the small registry that ships with the package' }
}

/**
 * Whose answers the embedded service's are: those of one edition of one registry. Another edition may know
 * more, so its answers are asked for anew; that costs nothing here.
 */
export function embeddedScope(registry: Registry): string {
  return `embedded:${registry.info().edition}`
}

/** The embedded service keeps its runs beside the checkpoint that knows their ids. */
export function embeddedDataFolder(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.service`
}

/** A connection by which every route can be called, the pipeline's among them. */
export interface WholeConnection extends Connection {
  client: WholeClient
}

export interface EmbeddedOptions {
  registryPath: string | null
  checkpointPath: string
  connectionsMax: number
  notice: (text: string) => void
}

/** Starts the service in this process, on a free loopback port, and connects to it over HTTP. */
export async function connectEmbedded(options: EmbeddedOptions): Promise<WholeConnection> {
  const { registry, label } = chooseRegistry(options.registryPath)
  try {
    const apiKey = systemRandom.id('embedded_')
    // Loaded when they are needed: a run against a hosted service, and commands that only look, start without.
    const { startService } = await import('../service/service.js')
    const { createServiceClient } = await import('../client/client.js')
    const service = await startService({
      knowledge: knowledgeOf(registry),
      dataFolder: embeddedDataFolder(options.checkpointPath),
      listen: { host: '127.0.0.1', port: 0 },
      accounts: [{ name: 'embedded', apiKey }],
      limits: 'none',
      pages: false,
      log: options.notice,
    })
    const { entityCount } = registry.info()
    options.notice(
      `Embedded service, answering from ${label} (${entityCount.toLocaleString('en-US')} entities). ` +
        'A hosted service: --base-url and ENRICH_API_KEY. Your own data: enrich registry import.',
    )
    const client = createServiceClient({
      baseUrl: service.url,
      apiKey,
      userAgent: `enrich/${version}`,
      connectionsMax: options.connectionsMax,
    })
    return {
      service: 'embedded',
      scope: embeddedScope(registry),
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
