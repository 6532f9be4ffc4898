import { readRegistry, type Registry } from '../registry/read-registry.js'
import { findRegistryPath } from './embedded-scope.js'

export { findRegistryPath } from './embedded-scope.js'

/** Opens the named registry, otherwise that of the project if it exists, otherwise the demo registry. */
export function chooseRegistry(named: string | null): ChosenRegistry {
  const path = findRegistryPath(named)
  return { registry: readRegistry(path), path, label: path ?? 'the demo registry' }
}

interface ChosenRegistry {
  readonly registry: Registry
  /** `null` for the demo registry. */
  readonly path: string | null
  readonly label: string
}
