import { createHash } from 'node:crypto'
import type { Candidate, Decision } from '../../../src/core/decisions.js'

export const service = 'https://api.example.com'

export const lookupOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32)

export const decisionOf = (name: string, changes: Partial<Decision> = {}): Decision => ({
  lookup: lookupOf(name),
  name,
  location: 'London, GB',
  verdict: 'accepted',
  entityId: `siq_${lookupOf(name).slice(0, 8)}`,
  entityName: `${name.toUpperCase()} LIMITED`,
  decidedBy: 'Ada Lovelace',
  decidedAtMs: Date.UTC(2026, 10, 20, 9, 30),
  note: null,
  service,
  ...changes,
})

export const candidateOf = (name: string): Candidate => ({
  entityId: `siq_${lookupOf(name).slice(0, 8)}`,
  legalEntityId: 'le_1',
  name,
  legalName: null,
  otherNames: [],
  status: 'active',
  place: 'London',
  countryCode: 'GB',
  jurisdiction: 'GB',
  identifiers: [{ type: 'registration_id', value: '00000001' }],
  confidence: 71,
  evidence: [{ label: 'name', text: 'the same name', weight: 3.5 }],
  url: 'https://example.com/00000001',
})
