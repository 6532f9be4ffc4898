import { candidateOf, type CompanyCandidate } from './candidates.js'
import { searchNames, type SearchDeps, type SearchQuery } from './search.js'

/** Registrations of one company may be several hits: so many are looked at for each company wanted. */
const hitsPerCompany = 3

/** The companies that a search finds, each once, by its closest registration; nothing is weighed. */
export function searchCompanies(query: SearchQuery, deps: SearchDeps): CompanyCandidate[] {
  const { hits } = searchNames({ ...query, limit: query.limit * hitsPerCompany }, deps)
  const seen = new Set<string>()
  const closest = hits.filter(({ entityId }) => !seen.has(entityId) && seen.add(entityId))
  return closest.slice(0, query.limit).flatMap(({ id, entityId }) => {
    const stored = deps.reader.entityById(entityId)
    const registration = stored?.legalEntities.find((one) => one.id === id)
    return stored && registration
      ? [candidateOf(stored, registration, { confidence: null, evidence: [] })]
      : []
  })
}
