import type { RelationshipType } from '../contract/hierarchy.js'
import type { SearchResult } from '../contract/search.js'
import { candidatesMax, type Candidate } from '../core/decisions.js'
import {
  readRegistry,
  type AskedQuery as AskedCompanies,
  type CompanyOwnership,
  type OwnershipLink,
  type Registry,
  type SearchHit,
} from '../registry/read-registry.js'
import type { Resolution } from '../contract/result.js'
import { entityId } from '../contract/enums.js'
import type {
  Knowledge,
  LikelyCompanies,
  Ownership,
  Query,
  SearchRequest,
  SearchResults,
} from '../service/knowledge-provider.js'
import { findRegistryPath } from './inspect-input.js'

export { findRegistryPath } from './inspect-input.js'

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

/** A synchronous `Knowledge`. */
export interface RegistryKnowledge extends Knowledge {
  resolve(query: Query): Resolution
  search(request: SearchRequest): SearchResults
  likelyCompanies(query: Query, countMax: number): LikelyCompanies
  /** Returns the candidates of a query, the likeliest first. */
  candidates(query: Query): readonly Candidate[]
  /** Returns answer and candidates of a query, which is matched once. */
  ask(query: Query): AskedQuery
  /** Runs reads on one snapshot of the registry. */
  atOnce<Answer>(answer: () => Answer): Answer
}

export interface AskedQuery {
  answer(): Resolution
  candidates(): readonly Candidate[]
}

/** Adapts a registry to the interface that the service reads. */
export function createKnowledge(registry: Registry): RegistryKnowledge {
  return {
    edition: () => registry.edition(),
    atOnce: (answer) => registry.atOnce(answer),
    resolve: (query) => registry.resolve(query),
    candidates: (query) => registry.candidates(query, candidatesMax),
    ask: (query) => {
      const asked = registry.ask(query)
      return { answer: () => asked.answer(), candidates: () => asked.candidates(candidatesMax) }
    },
    entity: (id) => registry.entity(id),
    search: ({ name, countryCode, regionCode, limit }) => {
      const { hits, totalCount } = registry.search({
        name,
        limit,
        ...(countryCode === null ? {} : { countryCode }),
        ...(regionCode === null ? {} : { regionCode }),
      })
      return { results: hits.map(toSearchResult), totalCount }
    },
    likelyCompanies: (query, countMax) => toLikelyCompanies(registry.ask(query), countMax),
    suggest: (prefix, countMax) => registry.suggest(prefix, countMax),
    ownership: (id) => {
      const found = registry.ownership(id)
      return found === null ? null : toOwnership(found)
    },
    resolveDomain: (domain) => registry.resolveDomain(domain),
    // The registry has no ranks and no list of mailbox providers.
    domainFacts: (domain) => ({
      trancoRank: null,
      isDisposable: null,
      aliases: registry.domainAliases(domain),
    }),
  }
}

/** Registrations keep their registered names, which distinguish two of the same brand. */
function toSearchResult(hit: SearchHit): SearchResult {
  const { country, countryCode, jurisdictionCode } = hit.jurisdiction
  return {
    id: hit.id,
    entity_id: hit.entityId,
    name: hit.legalName,
    status: hit.status,
    is_branch: hit.isBranch,
    jurisdiction: { country, country_code: countryCode, jurisdiction_code: jurisdictionCode },
  }
}

/** Confidence of a candidate without a score. */
const unknownConfidence = 0

function toLikelyCompanies(asked: AskedCompanies, countMax: number): LikelyCompanies {
  const companies = asked
    .candidates(countMax)
    .map((candidate) => ({
      id: entityId.parse(candidate.entityId),
      confidence: candidate.confidence ?? unknownConfidence,
      evidence: candidate.evidence.flatMap(({ label, weight }) =>
        weight === null ? [] : [{ label, weight }],
      ),
    }))
    .sort((a, b) => b.confidence - a.confidence)
  const { status, entity } = asked.answer()
  return { companies, isMatched: status === 'matched' && entity !== null && entity.id === companies[0]?.id }
}

type Company = CompanyOwnership['companies'][number]

const organizationTypes = {
  business: 'business',
  nonprofit: 'nonprofit',
  government: 'government',
  person: 'individual',
  other: 'business',
  unknown: 'business',
} as const satisfies Record<Company['type'], string>

/** Companies of an answer are identified by their entity ids. */
function toOwnership({ targetId, companies, links, ...found }: CompanyOwnership): Ownership {
  const types = new Map(companies.map(({ id, type }) => [id, type]))
  return {
    targetId,
    ultimateParentId: found.statedUltimateParentId,
    entities: companies.map((company) => ({
      id: company.id,
      name: company.name,
      country_code: company.countryCode,
      jurisdiction: company.jurisdiction,
      organization_type: organizationTypes[company.type],
      // No register states that a company is not traded.
      is_publicly_traded: company.isListed ? true : null,
    })),
    relationships: links.map((link, index) => ({
      id: `r${index + 1}`,
      from: link.ownerId,
      to: link.ownedId,
      relationship_type: toRelationshipType(link, types.get(link.ownerId) === 'government'),
      ownership_percentage: link.percentage,
      established_date: link.fromDate,
    })),
    evidence: found.evidence,
  }
}

/** A parent whose share is unknown is `parent_of`. */
function toRelationshipType({ type, percentage }: OwnershipLink, isGovernment: boolean): RelationshipType {
  if (isGovernment) return 'government_owns'
  // A branch is a part of its company, not another company.
  if (type === 'IS_INTERNATIONAL_BRANCH_OF') return 'owns'
  if (percentage === null) return 'parent_of'
  if (percentage === 50) return 'owns'
  return percentage > 50 ? 'majority_owns' : 'minority_owns'
}
