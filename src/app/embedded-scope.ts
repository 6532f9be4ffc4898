import { existsSync } from 'node:fs'
import { defaultPaths } from '../config/options.js'
import { readEdition } from '../registry/edition.js'

/** Returns the named path, otherwise that of the project's registry if it exists; `null` for the registry of the package. */
export function findRegistryPath(named: string | null): string | null {
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
  return formatEmbeddedScope(await readEdition(findRegistryPath(named)))
}
