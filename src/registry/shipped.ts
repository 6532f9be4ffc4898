import { readShippedFile, shippedPath, shippedSettings } from './edition.js'
import { importCsvText } from './import/import-csv.js'
import { openRegistry, type WritableRegistry } from './registry.js'

/** The day the file was last checked: a file's own date is the day of its installation. */
const checkedAtMs = Date.UTC(2026, 10, 20)

/** The small registry that ships with the package, read into memory. Errors: REGISTRY_NOT_FOUND. */
export function openShippedRegistry(): WritableRegistry {
  const content = readShippedFile()
  const registry = openRegistry(':memory:')
  importCsvText(registry, content, {
    ...shippedSettings,
    fileName: 'companies.csv',
    fileDateMs: checkedAtMs,
    sourceName: 'shipped',
  })
  return { ...registry, info: () => ({ ...registry.info(), path: shippedPath }) }
}
