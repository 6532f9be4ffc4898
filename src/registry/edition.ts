import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../core/errors.js'
import { packageFolder } from '../platform/installed-package.js'
import { derivationVersion } from './model/registry-rows.js'
import { computeEdition } from './store/sources.js'

export const shippedPath = fileURLToPath(new URL('fixtures/registry/companies.csv', packageFolder))

/** Options with which the shipped file is imported. */
export const shippedSettings = { idType: 'id' } as const

/** Reads the file of the small registry that ships with the package. Errors: REGISTRY_NOT_FOUND. */
export function readShippedFile(): Buffer {
  if (existsSync(shippedPath)) return readFileSync(shippedPath)
  throw new UserError(
    'REGISTRY_NOT_FOUND',
    'the registry that ships with enrich is missing from this installation',
    { hint: 'reinstall the package, or pass your own registry with --registry' },
  )
}

/** Returns the edition of the shipped registry. Errors: REGISTRY_NOT_FOUND. */
export function getShippedEdition(): string {
  return computeEdition([
    {
      file_sha256: createHash('sha256').update(readShippedFile()).digest('hex'),
      settings_json: JSON.stringify(shippedSettings),
      derivation: derivationVersion,
      before: null,
    },
  ])
}

/**
 * Reads the edition of a registry without opening the whole registry: it changes if the content changes, and equal
 * content has an equal edition on every machine. `path`: `null` for the demo registry, whose edition needs no database.
 * Throws REGISTRY_NOT_FOUND and REGISTRY_INVALID.
 *
 *     const edition = await readEdition('registry.sqlite')
 */
export async function readEdition(path: string | null): Promise<string> {
  if (path === null) return getShippedEdition()
  const { readStoredEdition } = await import('./store/open-store.js')
  return readStoredEdition(path)
}
