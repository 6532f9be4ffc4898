import type { EntityRecord, ResultEntity } from '../../src/contract/entity.js'
import type { EntityId, LegalEntityId } from '../../src/contract/enums.js'
import type { Candidate, Resolution } from '../../src/contract/result.js'
import { nothingFound, unknownClassification, unknownProfiles } from '../../src/contract/unknown.js'
import type { DomainFacts, Knowledge, LikelyCompanies } from '../../src/service/knowledge.js'

/** What a name is answered with: parts of a resolution, or an error that is thrown. */
type FakeAnswer = Partial<Resolution> | Error

export interface FakeKnowledgeOptions {
  /** By the exact name; any other name is a no_match. */
  readonly answers?: Readonly<Record<string, FakeAnswer>>
  readonly entities?: readonly EntityRecord[]
  /** From the merged id to the canonical one. */
  readonly merged?: Readonly<Record<string, string>>
  /** Default: nothing is found. */
  readonly search?: Knowledge['search']
  /** What a name may mean, by the exact name; any other may mean nothing. */
  readonly likely?: Readonly<Record<string, LikelyCompanies | Error>>
  /** Default: nothing is suggested. */
  readonly suggest?: Knowledge['suggest']
  /** Default: no company is known. */
  readonly ownership?: Knowledge['ownership']
  /** What a root domain is answered with; any other is a no_match. */
  readonly domains?: Readonly<Record<string, FakeAnswer>>
  readonly domainFacts?: Readonly<Record<string, Partial<DomainFacts>>>
  readonly edition?: () => string
}

export interface FakeKnowledge extends Knowledge {
  /** The names and domains asked for, in order. */
  readonly asked: string[]
}

export function fakeKnowledge(options: FakeKnowledgeOptions = {}): FakeKnowledge {
  const answers = new Map(Object.entries(options.answers ?? {}))
  const records = new Map((options.entities ?? []).map((record) => [record.id, record]))
  const merged = new Map(Object.entries(options.merged ?? {}))
  const domains = new Map(Object.entries(options.domains ?? {}))
  const asked: string[] = []
  return {
    asked,
    resolve: ({ name }) => {
      asked.push(name)
      const answer = answers.get(name)
      if (answer instanceof Error) throw answer
      return { ...noMatch, ...answer }
    },
    entity: (id) => {
      let canonical: string = id
      for (let next = merged.get(canonical); next !== undefined; next = merged.get(canonical))
        canonical = next
      const record = records.get(canonical as EntityId)
      if (record === undefined) return null
      return { record, mergedInto: canonical === id ? null : (canonical as EntityId) }
    },
    likelyCompanies: ({ name }) => {
      asked.push(name)
      const likely = new Map(Object.entries(options.likely ?? {})).get(name)
      if (likely instanceof Error) throw likely
      return likely ?? { companies: [], isMatched: false }
    },
    suggest: options.suggest ?? (() => []),
    search: options.search ?? (() => ({ results: [], totalCount: 0 })),
    ownership: options.ownership ?? (() => null),
    resolveDomain: (domain) => {
      asked.push(domain)
      const answer = domains.get(domain)
      if (answer instanceof Error) throw answer
      return { ...noMatch, ...answer }
    },
    domainFacts: (domain) => ({
      trancoRank: null,
      isDisposable: null,
      aliases: [],
      ...options.domainFacts?.[domain],
    }),
    ...(options.edition === undefined ? {} : { edition: options.edition }),
  }
}

export const noMatch: Resolution = { status: 'no_match', ...nothingFound }

/** A guess of which little is known. */
export const sampleCandidate: Candidate = {
  name: 'Acme',
  legal_name: null,
  jurisdiction: null,
  status: null,
  description: null,
  primary_address: { full_address: null, state_code: null, country_code: 'GB' },
}

export function sampleEntity(parts: Partial<ResultEntity> = {}): ResultEntity {
  return {
    id: 'siq_acme' as EntityId,
    display_name: 'Acme',
    legal_name: 'Acme Trading Limited',
    status: 'active',
    description: null,
    website: 'https://acme.example',
    headquarters: {
      address: {
        street_address: '1 High Street',
        street_number: null,
        sub_premise: null,
        city: 'Leeds',
        state: null,
        state_code: null,
        postal_code: 'LS1 1AA',
        country: 'United Kingdom',
        country_code: 'GB',
        formatted_address: '1 High Street, Leeds LS1 1AA, United Kingdom',
      },
    },
    primary_legal_entity: {
      id: 'le_acme' as LegalEntityId,
      jurisdiction: 'gb',
      country_code: 'GB',
      state_code: null,
      registration_authority: {
        id: 1,
        code: 'RA000585',
        name: 'Companies Register',
        organization: 'Companies House',
        jurisdiction: 'gb',
        country_code: 'GB',
        website: null,
      },
    },
    identifiers: [
      { type: 'registration_id', value: '00000001', jurisdiction: 'GB' },
      { type: 'lei', value: '549300EXAMPLE0000001', jurisdiction: null },
    ],
    matching_branch: null,
    facets: { sector: 'private', legal_form: null },
    industry: {
      schemes: { sic: [{ code: '5099', label: 'Durable goods', is_primary: true, confidence: 70 }] },
    },
    parent_entity: null,
    ...parts,
  }
}

/** A match of `entity` with a basis of two fields, one of them without a citation. */
export function matchOf(entity: ResultEntity = sampleEntity(), parts: Partial<Resolution> = {}): Resolution {
  return {
    ...noMatch,
    status: 'matched',
    match_confidence: 95,
    type: 'business',
    subtype: 'incorporated_entity',
    entity,
    factors: [{ code: 'name_close_match', type: 'strength', description: 'the names agree', impact: 'high' }],
    basis: [
      {
        field: 'legal_name',
        confidence: 'high',
        reasoning: 'the register holds this name',
        citations: [
          {
            url: 'https://register.example/00000001',
            excerpt: 'ACME TRADING LIMITED',
            source_type: 'government_registry',
            authority_tier: 1,
          },
        ],
      },
      { field: 'identifiers.0.value', confidence: 'medium', reasoning: null, citations: [] },
    ],
    ...parts,
  }
}

/** The record of an entity, of which nothing but its identity is known. */
export function sampleRecord(entity: ResultEntity = sampleEntity()): EntityRecord {
  return {
    ...entity,
    type: 'business',
    subtype: 'incorporated_entity',
    attributes: {
      description: null,
      website: null,
      domain: null,
      employee_count: null,
      employee_range: null,
      revenue: null,
      revenue_range: null,
      founding_date: null,
      stock_ticker: null,
      exchange: null,
      is_public: null,
      market_cap: null,
      funding_total_usd: null,
      funding_rounds_count: null,
    },
    classification: unknownClassification,
    operational_presence: [],
    social_profiles: unknownProfiles,
  }
}

/** A record of which much is known. */
export function fullRecord(parts: Partial<EntityRecord> = {}): EntityRecord {
  const code = (digits: string, isPrimary: boolean, confidence: number) => ({
    code: digits,
    label: `Trade ${digits}`,
    is_primary: isPrimary,
    confidence,
  })
  return {
    ...sampleRecord(),
    industry: {
      schemes: { naics_2022: [code('423', true, 90), code('42', false, 40)], sic: [code('5099', true, 70)] },
    },
    attributes: {
      description: 'Sells anvils.',
      website: 'https://acme.example',
      domain: 'acme.example',
      employee_count: 120,
      employee_range: '51-200',
      revenue: 5_000_000,
      revenue_range: '1M-10M',
      founding_date: '1949-09-17',
      stock_ticker: null,
      exchange: null,
      is_public: false,
      market_cap: null,
      funding_total_usd: 0,
      funding_rounds_count: 0,
    },
    classification: {
      sector: 'Trade',
      industry: 'Wholesale',
      sub_industry: null,
      business_tags: ['anvils'],
      market_segments: ['b2b'],
      revenue_models: ['usage_based'],
      products_services: ['anvils', 'rockets'],
    },
    operational_presence: [
      {
        id: 'op_acme_gb' as EntityRecord['operational_presence'][number]['id'],
        country_code: 'GB',
        country: 'United Kingdom',
        count: 3,
        is_home_jurisdiction: true,
      },
    ],
    social_profiles: { ...unknownProfiles, linkedin: { handle: 'acme' } },
    ...parts,
  }
}
