import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeFolder } from '../platform/native-package.js'
import { getShippedEdition, readShippedFile, shippedPath, shippedSettings } from './edition.js'
import { importCsvText } from './import/import-csv.js'
import { openRegistry, type Registry, type WritableRegistry } from './registry.js'
import { requireCompanies } from './store/open-store.js'

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

/** Day on which the file was last checked. The date of the file itself is the day of its installation. */
const checkedAtMs = Date.UTC(2026, 10, 20)

/** Opens the shipped registry from the build's store or, without one, in memory. Errors: REGISTRY_NOT_FOUND. */
export function openShippedRegistry(): WritableRegistry {
  const registry = openShippedStore() ?? importShipped(openRegistry(':memory:'))
  return {
    ...registry,
    info: () => ({ ...registry.info(), path: shippedPath }),
    requireCompanies: () => {
      requireCompanies(registry.database, null)
    },
  }
}

/** Imports the shipped file into an empty registry. */
export function importShipped(registry: WritableRegistry): WritableRegistry {
  importCsvText(registry, readShippedFile(), {
    ...shippedSettings,
    fileName: 'companies.csv',
    fileDateMs: checkedAtMs,
    // A fixed time makes two builds of one commit identical.
    importedAtMs: checkedAtMs,
    sourceName: 'shipped',
  })
  return registry
}

/** Returns the path of the store that the build creates, which contains its edition. Errors: REGISTRY_NOT_FOUND. */
export const getShippedStorePath = (): string =>
  fileURLToPath(new URL(`registry/shipped-${getShippedEdition()}.sqlite`, codeFolder))

/** Imports the shipped file once, during the build, so that commands need not. Removes the stores of earlier builds. */
export function writeShippedStore(): void {
  const path = getShippedStorePath()
  const folder = dirname(path)
  for (const name of readdirSync(folder)) if (/^shipped-.*\.sqlite/.test(name)) rmSync(join(folder, name))
  importShipped(openRegistry(path, { staging: true })).close()
}

/** Returns `null` if the store does not exist or cannot be opened in place. */
function openShippedStore(): WritableRegistry | null {
  const path = getShippedStorePath()
  try {
    return existsSync(path) ? openRegistry(path, { readonly: true }) : null
  } catch {
    return null
  }
}
