import { openRegistry, type Registry } from './registry.js'
import { openShippedRegistry } from './shipped.js'

export type { MatchedQuery as AskedQuery } from './answer/match-query.js'
export type { CompanyOwnership, OwnershipLink } from './answer/ownership.js'
export type { SearchHit } from './answer/search.js'
export { formatLevels } from './linkage/compare-rows.js'
export { apartReasons } from './linkage/join-by-name.js'
export type { LinkageReport } from './linkage/join-registrations.js'
export type { Registry, RegistryInfo } from './registry.js'

/**
 * Opens a registry that answers queries: it resolves names, searches companies and reads their records. `path`: `null`
 * for the demo registry of the package. `cacheKibibytes`: size of the page cache. Throws REGISTRY_NOT_FOUND and
 * REGISTRY_INVALID; an open registry throws neither.
 *
 *     const registry = readRegistry('registry.sqlite')
 *     const { status, entity } = registry.resolve({ name: 'ACME GmbH', location: 'Berlin', context: null })
 *     registry.close()
 */
export function readRegistry(path: string | null, cacheKibibytes?: number): Registry {
  if (path === null) return openShippedRegistry()
  return openRegistry(path, { readonly: true, ...(cacheKibibytes === undefined ? {} : { cacheKibibytes }) })
}
