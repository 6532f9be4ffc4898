import { writeFileSync } from 'node:fs'
import { identify } from '../../src/core/lookup-identity.js'
import { calculateResolutionKey, buildStageLookup } from '../../src/pipeline/checkpoint/lookup.js'
import type { Decision } from '../../src/core/decisions.js'
import { formatDecisionLine, decisionsHeader } from '../../src/pipeline/decisions/decision-lines.js'

const hexOf = (key: Uint8Array): string => Buffer.from(key).toString('hex')

/** The key of what a row asks by its name. */
function lookupOf(name: string, city: string): string {
  const asked = identify(name, [city], [])
  if (asked.kind === 'invalid') throw new Error(asked.reason)
  return hexOf(calculateResolutionKey(asked.lookup))
}

export const domainLookupOf = (domain: string): string => hexOf(buildStageLookup('domain', domain).key)

/** A verdict on a row, for the company `siq_acme` unless told otherwise. */
export const decided = (name: string, city: string, changes: Partial<Decision> = {}): Decision => ({
  lookup: lookupOf(name, city),
  name,
  location: city,
  verdict: 'accepted',
  entityId: 'siq_acme',
  entityName: 'ACME SE',
  decidedBy: 'Ada',
  decidedAtMs: Date.UTC(2026, 10, 20, 9, 30),
  note: null,
  service: null,
  ...changes,
})

/** The verdict that a row is no company that is known. */
export const decidedNone = (name: string, city: string): Decision =>
  decided(name, city, { verdict: 'none', entityId: null, entityName: null })

export function writeDecisions(path: string, decisions: readonly Decision[]): void {
  writeFileSync(path, decisionsHeader + decisions.map(formatDecisionLine).join(''))
}
