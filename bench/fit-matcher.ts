import { findCandidateNames, readQuery } from '../src/registry/answer/resolve.js'
import { areAlike } from '../src/registry/match/other-names.js'
import { featureNames } from '../src/registry/match/features.js'
import {
  boundLogOdds as boundMatch,
  computeDecisionFeatures,
  decisionFeatureNames as names,
  fittedCoefficients,
} from '../src/registry/match/model.js'
import { scoreCompanies } from '../src/registry/match/rank.js'
import { openRegistry } from '../src/registry/registry.js'
import { toFitId, type FirstScores, type FitCandidate, type FitMatcher } from './fit-data.js'

/** The matcher of the product, as bench/fit-features.ts and bench/fit-align.ts read it. */
export const candidateFeatureNames: readonly string[] = featureNames
export const decisionFeatureNames: readonly string[] = names

const companiesMax = 24

const pick = (names: string, sign: 1 | -1) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, sign] as const)

/** What speaks for a company, and what against it, whatever a list says; and what no list tells. */
const signs = Object.fromEntries([
  ...pick(
    `kindExact fullName found foundForm foundFormOneWord foundApart completed 
    formSameNext formOfPlace rarity rarest onlyBeginningThere onlyListedBeginning
    onlyCompleted ownsRarest ownsRarestPart postal city region country registeredThere placedWhole listed listedWhole
    listedRare lei fuzzyPlaced missingPlaced missingListed ownPlace`,
    1,
  ),
  ...pick(
    `otherName formerName missingWeight missingGeneric missingLight missingNumber
    missingConflict missingFuzzy bothMore
    tellingBefore tellingBeforeWeight tellingInside genericBefore
    genericInside genericBehind genericBeforeForm lightBefore lightBehind placeBefore letterLeft letterBefore cutWord
    misspelled misspelledFirst misspelledShort misspelledKnown misspelledAll 
    abbreviatedRarity related plural unknownLetter misread fuzzyConflict fuzzyOneWord numbersDiffer
    numbersDifferRarity oneOfSeries siblingNumber formSoftConflict formHardConflict formConflictExact formForeign
    formForeignExact unstatedPartnership oneWordPart
    noTelling betterPlaced beginningsMissing completions besideSeries family 
    noPlaceKnown townAbroad otherCountry conflictPart conflictRarity otherTown noTown
    noAddress tailDiffers`,
    -1,
  ),
])
const fixed = {
  // Of two that fit as well, the one that has ended is meant less often: one that lives is accepted beside it.
  inactive: -1.5,
  // Its register no longer names it.
  removed: -1.2,
  // The caller says so: two words in common outweigh a difference of place.
  context: 1,
  // A place is given to tell namesakes apart; the few queries that have two of them leave it open.
  betterPlaced: -1,
  // Names made of registered ones cannot tell that a group's name alone seldom means the company that works for it.
  inHouse: -1.2,
  // A list that cuts names may mean either; few of the queries have both.
  besideSeries: -3,
  acronymPlaced: 1,
  // A slip in a name of one word is likely in the very town; no made-up name has a town.
  fuzzyOneWordPlaced: 2.5,
  // Who states a legal form states the name: a word more is another company's of the group.
  missingFormStated: -5,
  // A group's companies are called by their countries, and few of the queries have their names.
  missingCountry: -4,
  // What stands in brackets in a full name tells which of a group's companies it is; few queries have such a name.
  tellingInsideForm: -4,
  tellingBeforeForm: -3,
  embedded: -3,
  fuzzyBoth: -2,
  // No list has short names that are beginnings.
  oneWordShort: -2,
  // "Spicer" and "Spicers" are two names, and few of the queries have both.
  pluralOneWord: -4,
  cutOneWord: -1,
  // Of two companies that begin alike, the one in the town of the query is meant rather than one in another state.
  otherInTownOnly: -2,
  genericPart: -1,
  // In a registry of few companies no rival says that others may well bear such a name.
  genericUnplaced: -2.5,
  // Of companies of one name, the listed one is meant more often: few queries have two of them.
  listedWhole: 0.58,
  // The foundation, the club or the pension fund of a company is another body.
  bodyLeft: -5,
  // The text after "care of" is the host of the address.
  guest: -5,
  // A text with another company and its form may mean that one.
  companyLeft: -6,
  // Few of the queries have a country that is not the company's.
  countryLeft: -4.5,
}
const withFixed = (names: readonly string[]) => {
  const known = new Set(names)
  const of = <Value>(values: Record<string, Value>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)))
  return { signs: of(signs), fixed: of(fixed) }
}
export const candidateBounds = withFixed(featureNames)
export const decisionBounds = {
  ...withFixed(names),
  fixed: {
    context: 0,
    score: 1,
    listed: 0.7,
    missingFormStated: -5,
    missingCountry: -1.5,
    tellingBeforeForm: -1.5,
    tellingInsideForm: -1.5,
    bodyLeft: -1.5,
    guest: -3,
    companyLeft: -4,
    countryLeft: -1,
    embedded: -1.5,
    fuzzyBoth: -1,
    oneWordShort: -1,
    oneWordPart: -2.2,
    formForeignExact: -3,
  },
}

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
        const twin = companies
          .slice(0, at)
          .findIndex((other) =>
            areAlike(other.evidence.comparison.candidate, company.evidence.comparison.candidate),
          )
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

export function buildDecisionFeatures(features: Float32Array, scores: FirstScores): number[] {
  const values = computeDecisionFeatures(features, scores.first, [])
  const known: Partial<Record<(typeof names)[number], number>> = {
    gap: Math.min(9, scores.first - Math.max(-5, scores.rival)),
    rival: Math.max(-5, scores.rival),
    nearRivals: Math.min(5, scores.countNear),
    others: scores.logSumOthers,
    gapToOthers: scores.first - scores.logSumOthers,
  }
  return names.map((name, at) => known[name] ?? values[at] ?? 0)
}
export const candidateBias = 'always'
export const decisionBias = 'start'

export const boundLogOdds = (
  logOdds: number,
  { first, logSumOthers }: FirstScores,
  features: Float32Array,
): number => boundMatch(logOdds, { features, score: first, others: logSumOthers })
