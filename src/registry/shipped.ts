import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readShippedFile, shippedEdition, shippedPath, shippedSettings } from './edition.js'
import { codeFolder } from '../platform/installed-package.js'
import { importCsvText } from './import/import-csv.js'
import { openRegistry, type WritableRegistry } from './registry.js'

/** The day the file was last checked: a file's own date is the day of its installation. */
const checkedAtMs = Date.UTC(2026, 10, 20)

/** The small registry that ships with the package: as the build made it, else read into memory. Errors: REGISTRY_NOT_FOUND. */
export function openShippedRegistry(): WritableRegistry {
  const registry = openMade() ?? importShipped(openRegistry(':memory:'))
  return { ...registry, info: () => ({ ...registry.info(), path: shippedPath }) }
}

/** Into an empty one. */
export function importShipped(registry: WritableRegistry): WritableRegistry {
  importCsvText(registry, readShippedFile(), {
    ...shippedSettings,
    fileName: 'companies.csv',
    fileDateMs: checkedAtMs,
    // Two builds of one commit are the same, byte by byte.
    importedAtMs: checkedAtMs,
    sourceName: 'shipped',
  })
  return registry
}

/** The build makes it, named by what it was made of. Errors: REGISTRY_NOT_FOUND. */
export const madePath = (): string =>
  fileURLToPath(new URL(`registry/shipped-${shippedEdition()}.sqlite`, codeFolder))

/** Null where it was not made, or cannot be opened where it stands. */
function openMade(): WritableRegistry | null {
  const path = madePath()
  try {
    return existsSync(path) ? openRegistry(path, { readonly: true }) : null
  } catch {
    return null
  }
}
