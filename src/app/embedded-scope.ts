import { existsSync } from 'node:fs'
import { defaultPaths } from '../config/options.js'
import { shippedEdition } from '../registry/edition.js'

/** The registry named, else the project's own if there is one; null for the small one that ships with the package. */
export function registryPathOf(named: string | null): string | null {
  return named ?? (existsSync(defaultPaths.registry) ? defaultPaths.registry : null)
}

/**
 * Whose answers the embedded service's are: those of one edition of one registry. Another edition may know
 * more, so its answers are asked for anew; that costs nothing here.
 */
export function embeddedScope(edition: string): string {
  return `embedded:${edition}`
}

/** The same for a registry that need not be opened to answer. Errors: REGISTRY_NOT_FOUND, REGISTRY_INVALID. */
export async function embeddedScopeOf(named: string | null): Promise<string> {
  const path = registryPathOf(named)
  if (path === null) return embeddedScope(shippedEdition())
  const { readEdition } = await import('../registry/store/open-store.js')
  return embeddedScope(readEdition(path))
}
