import { openRegistry, type Registry } from '../registry/registry.js'
import { openShippedRegistry } from '../registry/shipped.js'
import { findRegistryPath } from './embedded-scope.js'

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
