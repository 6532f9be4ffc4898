import type { Handlers } from './mount.js'
import { internalError } from './refusal.js'

const notYet = (): never => {
  throw internalError()
}

/** Routes whose handlers are still being written. */
export const notYetHandlers: Omit<
  Handlers,
  | 'kickoffRun'
  | 'kickoffJob'
  | 'pollRun'
  | 'pollJob'
  | 'readEntity'
  | 'readEntityV1'
  | 'readDomainV1'
  | 'readDomain'
  | 'requestDomain'
  | 'report'
  | 'search'
  | 'streamResolution'
  | 'submitResolution'
  | 'pollResolution'
> = {
  readHierarchy: notYet,
  readUltimateParent: notYet,
  requestHierarchy: notYet,
  mcp: notYet,
}
