import { existsSync } from 'node:fs'
import { defaultPaths } from '../config/options.js'
import { getShippedEdition } from '../registry/edition.js'
import { openRegistry, type Registry } from '../registry/registry.js'
import { openShippedRegistry } from '../registry/shipped.js'

/** Returns the named path, otherwise that of the project's registry if it exists; `null` for the registry of the package. */
function findRegistryPath(named: string | null): string | null {
  return named ?? (existsSync(defaultPaths.registry) ? defaultPaths.registry : null)
}

/**
 * Returns the scope of the answers of the embedded service: one edition of one registry. Another edition may have more
 * companies, so lookups are sent to it again, free of charge.
 */
export function formatEmbeddedScope(edition: string): string {
  return `embedded:${edition}`
}

/** Reads the scope without opening the registry for answers. Throws REGISTRY_NOT_FOUND and REGISTRY_INVALID. */
export async function readEmbeddedScope(named: string | null): Promise<string> {
  const path = findRegistryPath(named)
  if (path === null) return formatEmbeddedScope(getShippedEdition())
  const { readEdition } = await import('../registry/store/open-store.js')
  return formatEmbeddedScope(readEdition(path))
}

/** Opens the named registry, otherwise that of the project if it exists, otherwise the demo registry. */
export function chooseRegistry(named: string | null): ChosenRegistry {
  const path = findRegistryPath(named)
  return path === null
    ? { registry: openShippedRegistry(), path, label: 'the demo registry' }
    : { registry: openRegistry(path, { readonly: true }), path, label: path }
}

interface ChosenRegistry {
  readonly registry: Registry
  /** `null` for the demo registry. */
  readonly path: string | null
  readonly label: string
}
