import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readShippedFile, getShippedEdition, shippedPath, shippedSettings } from './edition.js'
import { codeFolder } from '../platform/installed-package.js'
import { importCsvText } from './import/import-csv.js'
import { openRegistry, type WritableRegistry } from './registry.js'

/** Day on which the file was last checked. The date of the file itself is the day of its installation. */
const checkedAtMs = Date.UTC(2026, 10, 20)

/** Opens the shipped registry from the build's store or, without one, in memory. Errors: REGISTRY_NOT_FOUND. */
export function openShippedRegistry(): WritableRegistry {
  const registry = openShippedStore() ?? importShipped(openRegistry(':memory:'))
  return { ...registry, info: () => ({ ...registry.info(), path: shippedPath }) }
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

/** Returns `null` if the store does not exist or cannot be opened in place. */
function openShippedStore(): WritableRegistry | null {
  const path = getShippedStorePath()
  try {
    return existsSync(path) ? openRegistry(path, { readonly: true }) : null
  } catch {
    return null
  }
}
