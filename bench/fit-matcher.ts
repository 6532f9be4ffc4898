import { findCandidateNames, readQuery } from '../src/registry/answer/resolve.js'
import { featureNames } from '../src/registry/match/features.js'
import {
  computeDecisionFeatures,
  decisionFeatureNames as names,
  fittedCoefficients,
} from '../src/registry/match/model.js'
import { isAlike, scoreCompanies } from '../src/registry/match/rank.js'
import { openRegistry } from '../src/registry/registry.js'
import { toFitId, type FirstScores, type FitCandidate, type FitMatcher, type FitQuery } from './fit-data.js'

/** The matcher of the product, as bench/fit-features.ts and bench/fit-align.ts read it. */
export const candidateFeatureNames: readonly string[] = featureNames
export const decisionFeatureNames: readonly string[] = names

const companiesMax = 24

export function openFitMatcher(registryPath: string): FitMatcher {
  const { resolveDeps } = openRegistry(registryPath, { readonly: true })
  const known = new Map<number, { id: string; ids: readonly string[] }>()
  const readIds = (entityNumber: number) => {
    const before = known.get(entityNumber)
    if (before !== undefined) return before
    const stored = resolveDeps.reader.entityByNumber(entityNumber)
    if (stored === null) throw new Error(`no company ${entityNumber}`)
    const ids = stored.legalEntities
      .flatMap(({ identifiers }) => identifiers)
      .map(({ type, value, jurisdiction }) => toFitId(type, value, jurisdiction ?? ''))
      .filter((id) => id !== null)
    const read = { id: stored.id, ids: [stored.id, ...ids] }
    known.set(entityNumber, read)
    return read
  }
  return {
    listFitCandidates(query) {
      const { leftOut } = query
      const location = [query.city, query.region, query.postcode, query.country]
        .filter((part) => part !== '')
        .join(', ')
      const asked = readQuery(
        { name: query.name, location: location === '' ? null : location },
        resolveDeps.vocabulary(),
      )
      if (asked === null) return []
      const isLeftOut = ({ entityNumber }: { entityNumber: number }) =>
        leftOut.size > 0 && readIds(entityNumber).ids.some((id) => leftOut.has(id))
      const found = findCandidateNames(asked, resolveDeps, isLeftOut)
      const companies = scoreCompanies(
        asked,
        found,
        resolveDeps.vocabulary(),
        () => 0,
        fittedCoefficients,
      ).slice(0, companiesMax)
      const groups: number[] = []
      return companies.map((company, at): FitCandidate => {
        const twin = companies.slice(0, at).findIndex((other) => isAlike(other, company))
        groups.push(twin < 0 ? at : (groups[twin] ?? at))
        const { candidate } = company.evidence.comparison
        const { id, ids } = readIds(candidate.entityNumber)
        return {
          id,
          ids,
          sameAs: String(groups[at]),
          features: Float32Array.from(company.features),
          name: candidate.name,
        }
      })
    },
  }
}

export function buildDecisionFeatures(
  features: Float32Array,
  scores: FirstScores,
  _query: FitQuery,
): number[] {
  const values = computeDecisionFeatures(features, scores.first, [])
  const known: Partial<Record<(typeof names)[number], number>> = {
    gap: Math.min(9, scores.first - scores.rival),
    rival: scores.rival,
    nearRivals: Math.min(5, scores.countNear),
    others: scores.logSumOthers,
    gapToOthers: scores.first - scores.logSumOthers,
  }
  return names.map((name, at) => known[name] ?? values[at] ?? 0)
}
