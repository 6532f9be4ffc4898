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
  | 'report'
  | 'search'
  | 'streamResolution'
  | 'submitResolution'
  | 'pollResolution'
> = {
  readEntityV1: notYet,
  readDomainV1: notYet,
  readDomain: notYet,
  requestDomain: notYet,
  readHierarchy: notYet,
  readUltimateParent: notYet,
  requestHierarchy: notYet,
  mcp: notYet,
}
