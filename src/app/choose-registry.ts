import { openRegistry, type Registry } from '../registry/registry.js'
import { openShippedRegistry } from '../registry/shipped.js'
import { registryPathOf } from './embedded-scope.js'

/** The registry named, else the project's own if there is one, else the small one that ships with the package. */
export function chooseRegistry(named: string | null): ChosenRegistry {
  const path = registryPathOf(named)
  return path === null
    ? { registry: openShippedRegistry(), path, label: 'the small registry that ships with the package' }
    : { registry: openRegistry(path, { readonly: true }), path, label: path }
}

interface ChosenRegistry {
  readonly registry: Registry
  /** Null: the one that ships with the package. */
  readonly path: string | null
  readonly label: string
}
