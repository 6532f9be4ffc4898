import { describe, expect, test } from 'vitest'
import { domainResult, type DomainResult } from '../../../src/contract/domain.js'
import { entityRecord, type EntityRecord } from '../../../src/contract/entity.js'
import { unknownWebsiteStatus } from '../../../src/contract/unknown.js'
import { parseEntityRecord } from '../../../src/service/records/builds/entity-build.js'
import { parseDomainResult } from '../../../src/service/records/domains/domain-build.js'
import { fullRecord, sampleCandidate, sampleRecord } from '../../support/fake-knowledge.js'

/** As they were stored when blocks of which nothing was known were left out. */
const olderRecord = {
  ...sampleRecord(),
  headquarters: null,
  primary_legal_entity: { ...sampleRecord().primary_legal_entity, registration_authority: null },
  facets: null,
  industry: null,
  classification: null,
  social_profiles: { linkedin: { handle: 'acme' } },
}

const olderDomain = {
  status: 'inconclusive',
  confidence: 40,
  type: null,
  subtype: null,
  entity: null,
  candidate: { ...sampleCandidate, primary_address: null },
  factors: [],
  actions: [],
  domain_intelligence: {
    domain: 'acme.example',
    url: null,
    domain_aliases: [],
    description: null,
    tranco_rank: null,
    website_status: unknownWebsiteStatus,
    domain_context: {
      domain_type: null,
      domain_relationship: null,
      domain_purpose: null,
      business_relevance: null,
    },
    is_disposable_email_provider: null,
    industry: null,
    classification: null,
    social_profiles: {},
  },
}

const stored = (value: unknown) => JSON.stringify(value)

describe('a result of an older data folder', () => {
  test('is answered with every block that the interface wants', () => {
    const record: EntityRecord = parseEntityRecord(stored(olderRecord))
    expect(entityRecord.safeParse(record).error).toBeUndefined()
    expect(record).toMatchObject({
      social_profiles: { linkedin: { handle: 'acme' }, facebook: { handle: null } },
    })
    const domain: DomainResult = parseDomainResult(stored(olderDomain))
    expect(domainResult.safeParse(domain).error).toBeUndefined()
    const { id, display_name, legal_name, status, description, website } = olderRecord
    const { headquarters, primary_legal_entity, identifiers, matching_branch } = olderRecord
    const named = { id, display_name, legal_name, status, description, website, identifiers, matching_branch }
    const entity = { ...named, headquarters, primary_legal_entity }
    const resolved = parseDomainResult(stored({ ...olderDomain, candidate: null, entity }))
    expect(domainResult.safeParse(resolved).error).toBeUndefined()
  })

  test('that has them all is answered as it is', () => {
    expect(parseEntityRecord(stored(fullRecord()))).toEqual(fullRecord())
  })
})
