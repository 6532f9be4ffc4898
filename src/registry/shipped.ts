import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../core/errors.js'
import { importCsvText } from './import/import-csv.js'
import { openRegistry, type Registry } from './registry.js'

/** The same two steps up from `src/registry` and from `dist/registry`. */
const shippedPath = fileURLToPath(new URL('../../fixtures/registry/companies.csv', import.meta.url))

/** The day the file was last checked: a file's own date is the day of its installation. */
const checkedAtMs = Date.UTC(2026, 10, 20)

/** The small registry that ships with the package, read into memory. Errors: REGISTRY_NOT_FOUND. */
export function openShippedRegistry(): Registry {
  if (!existsSync(shippedPath)) {
    throw new UserError(
      'REGISTRY_NOT_FOUND',
      'the registry that ships with enrich is missing from this installation',
      {
        hint: 'install the package again, or name a registry of your own with --registry',
      },
    )
  }
  const registry = openRegistry(':memory:')
  importCsvText(registry, readFileSync(shippedPath), {
    fileName: 'companies.csv',
    fileDateMs: checkedAtMs,
    sourceName: 'shipped',
  })
  return { ...registry, info: () => ({ ...registry.info(), path: shippedPath }) }
}
