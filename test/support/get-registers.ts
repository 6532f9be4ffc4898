import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getRegisters, type GetOutcome, type GetProgress } from '../../src/registry/load.js'
import { openRegistry } from '../../src/registry/registry.js'
import { hurriedClock } from './hurried-clock.js'
import type { PublisherServer } from './publishers.js'
import { temporaryFolder } from './registry.js'

type Order = Parameters<typeof getRegisters>[0]
type Services = Parameters<typeof getRegisters>[1]

/** An empty machine with stand-ins of the publishers. */
export function createGetPlace(publishers: PublisherServer, folder = temporaryFolder()) {
  const registryPath = join(folder, 'registry.sqlite')
  const progress: GetProgress[] = []
  const get = (
    names: readonly string[],
    { order = {}, services = {} }: { order?: Partial<Order>; services?: Partial<Services> } = {},
  ): Promise<readonly GetOutcome[]> =>
    getRegisters(
      { registryPath, names, countries: null, from: [], isRefresh: false, ...order },
      {
        environment: {},
        clock: hurriedClock(100),
        signal: new AbortController().signal,
        contact: 'Test test@example.com',
        mirror: publishers.address,
        accepts: () => Promise.resolve(false),
        onProgress: (step) => progress.push(step),
        onDone: () => undefined,
        ...services,
      },
    )
  return {
    folder,
    registryPath,
    progress,
    get,
    /** Names of the companies that the registry lists. */
    names(): string[] {
      if (!existsSync(registryPath)) return []
      const registry = openRegistry(registryPath, { readonly: true })
      try {
        return registry.database
          .prepare<[], string>(
            'SELECT legal_name FROM legal_entities WHERE removed_from_source = 0 ORDER BY legal_name',
          )
          .pluck()
          .all()
      } finally {
        registry.close()
      }
    },
    /** Files that are neither the registry nor what the next command needs. */
    leftovers: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
        (name) => !/^registry\.sqlite(-registers(\/(editions\.json|lock|lock\.json))?)?$/.test(name),
      ),
  }
}
