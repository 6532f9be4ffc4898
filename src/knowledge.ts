import type { Registry, SearchHit } from './registry/registry.js'
import type { SearchResult } from './contract/search.js'
import type { Knowledge } from './service/knowledge.js'

/** A registry in the terms of the service that answers from it. */
export function knowledgeOf(registry: Registry): Knowledge {
  return {
    resolve: (query) => registry.resolve(query),
    entity: (id) => registry.entity(id),
    search: ({ name, countryCode, regionCode, limit }) => {
      const hits = registry.search({
        name,
        limit,
        ...(countryCode === null ? {} : { countryCode }),
        ...(regionCode === null ? {} : { regionCode }),
      })
      return { results: hits.map(resultOf), totalCount: hits.length }
    },
    ownership: () => null,
    resolveDomain: (domain) => registry.resolve({ name: domain, location: null, context: null }),
    domainFacts: () => ({ trancoRank: null, isDisposable: null, aliases: [] }),
  }
}

function resultOf(hit: SearchHit): SearchResult {
  const { country, countryCode, jurisdictionCode } = hit.jurisdiction
  return {
    id: hit.id,
    entity_id: hit.entityId,
    name: hit.name,
    status: hit.status,
    is_branch: hit.isBranch,
    jurisdiction: { country, country_code: countryCode, jurisdiction_code: jurisdictionCode },
  }
}
