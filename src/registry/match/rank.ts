import { type CandidateName, comparePlaceWithHint, type PlaceAgreement } from './candidate.js'
import { compareNames, type NameComparison } from './compare-names.js'
import { type Evidence, type SiblingCounts, computeQueryFeatures } from './evidence.js'
import { featureNames, computeFeatures, type FeatureName } from './features.js'
import {
  addScores,
  fittedCoefficients,
  computeScore,
  computeShares,
  favorParents,
  scoreUnseen,
  type Coefficients,
} from './model.js'
import type { LocationHint } from './parse-location.js'
import { getDistinctiveCountries } from '../normalize/legal-forms.js'
import type { NameVariant } from '../normalize/name-variants.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import { parseForm } from '../normalize/parsed-name.js'
import type { Vocabulary } from './vocabulary.js'

/** A query prepared for matching. */
export interface MatchQuery {
  /** At least one; the whole name comes first. */
  readonly variants: readonly NameVariant[]
  readonly hint: LocationHint | null
  /** Words of the place in the query. */
  readonly placeWords: ReadonlySet<string>
}

/** A company with its strongest pair of name and variant. */
export interface RankedCompany {
  readonly evidence: Evidence
  readonly features: readonly number[]
  readonly score: number
  /** Probability that this company is meant, including `alike`, 0 to 1. */
  readonly share: number
  /** Names of candidates that are most likely the same company in another register. */
  readonly alike: readonly CandidateName[]
  /** Contribution of another company of its group to the log-odds of the share; usually 0. */
  readonly groupWeight: number
}

export interface Ranking {
  /** Most likely first. */
  readonly ranked: readonly RankedCompany[]
  /** Probability that no company found is meant. */
  readonly noneShare: number
  /** The score that companies are compared with, including `unseenWeight`. */
  readonly noneScore: number
  /** How much companies that a small registry lacks raise `noneScore`, at least 0. */
  readonly unseenWeight: number
}

/**
 * Compares each name with each variant, keeps the best pair of each company, and distributes the probability.
 * `contextCount` returns the number of context words that a company's facts contain.
 */
export function rankCompanies(
  query: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
  contextCount: (candidate: CandidateName) => number = () => 0,
  coefficients: Coefficients = fittedCoefficients,
): Ranking {
  const companies = pickBestOfEach(buildEvidences(query, names, vocabulary, contextCount), coefficients)
  const startScore = computeScore(computeQueryFeatures(toQueryFacts(query, vocabulary)), coefficients.none)
  const noneScore = addScores(startScore, scoreUnseen(companies, vocabulary, coefficients))
  const { shares, noneShare } = computeShares(
    companies.map(({ score }) => score),
    noneScore,
  )
  const ranked = companies
    .map((company, at) => ({ ...company, share: shares[at] ?? 0 }))
    .sort(
      (a, b) =>
        b.share - a.share ||
        Number(b.evidence.comparison.candidate.active) - Number(a.evidence.comparison.candidate.active) ||
        a.evidence.comparison.candidate.entityNumber - b.evidence.comparison.candidate.entityNumber,
    )
  return {
    ranked: favorParents(joinAlike(ranked)),
    noneShare,
    noneScore,
    unseenWeight: noneScore - startScore,
  }
}

export function toQueryFacts({ variants: [whole], hint }: MatchQuery, vocabulary: Vocabulary) {
  return {
    tokens: whole?.tokens ?? [],
    isFormStated: whole !== undefined && whole.formClass !== null && whole.formClass !== 'company',
    isTruncated: whole !== undefined && whole.cut !== 'nowhere',
    hint,
    vocabulary,
  }
}

/** Minimum similarity of a part of a name; below it the part is ignored. */
const partSimilarityMin = 0.8

/** Builds the evidence for each pair of a variant and a name. */
export function buildEvidences(
  { variants, hint, placeWords }: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
  contextCount: (candidate: CandidateName) => number,
): Evidence[] {
  const pairs: Omit<Evidence, 'siblings'>[] = []
  for (const candidate of names) {
    const place = comparePlace(hint, candidate)
    for (const variant of variants) {
      const comparison = compareNames(variant, candidate, vocabulary, placeWords)
      if (comparison === null || isWeakPart(comparison)) continue
      pairs.push({ comparison, place, hint, contextCount: contextCount(candidate) })
    }
  }
  const getSiblings = countSiblings(pairs, vocabulary)
  return pairs.map((pair) => ({ ...pair, siblings: getSiblings(pair) }))
}

/** If the register does not show the country, a rare legal form may: "Larkmoor AB" is Swedish. */
function comparePlace(hint: LocationHint | null, { place, name }: CandidateName): PlaceAgreement {
  const agreement = comparePlaceWithHint(hint, place)
  if (hint === null || agreement !== 'registered_elsewhere') return agreement
  const countries = getDistinctiveCountries(parseForm(name).formCountries)
  const isOfCountry = countries.some((country) => hint.countries.has(country))
  return isOfCountry ? 'form_of_country' : agreement
}

function isWeakPart({ matchType, variant, similarity }: NameComparison): boolean {
  return matchType === 'near' && variant.kind !== 'whole' && similarity < partSimilarityMin
}

/** Higher ranks agree better. */
const placeRank = {
  postal: 4,
  city: 3,
  region: 2,
  country: 1,
  none: 1,
  registered_there: 1,
  registered_elsewhere: 1,
  form_of_country: 1,
  town_abroad: 1,
  region_conflict: 0,
  country_conflict: 0,
} as const satisfies Record<PlaceAgreement, number>

type EvidencePair = Omit<Evidence, 'siblings'>

interface PlacedCompany {
  readonly rank: number
  readonly isListed: boolean
}

/** Counts per variant the companies with this name, with a longer name, and with a name it may be truncated from. */
function countSiblings(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (pair: EvidencePair) => SiblingCounts {
  const exact = new Map<NameVariant, Map<number, number>>()
  const completed = new Map<NameVariant, Set<number>>()
  const series = new Map<NameVariant, Set<number>>()
  const prefix = new Map<NameVariant, Map<number, PlacedCompany>>()
  for (const { comparison, place } of pairs) {
    const { variant, matchType, candidate, isTruncated, isOneOfSeries } = comparison
    if (matchType === 'exact')
      raiseRank(
        getOrCreate(exact, variant, () => new Map<number, number>()),
        candidate,
        placeRank[place],
      )
    if (matchType === 'completed')
      getOrCreate(completed, variant, () => new Set()).add(candidate.entityNumber)
    // A text that ends with a number identifies one member of the series.
    if (isTruncated && isOneOfSeries && !isNumberWord(variant.tokens.at(-1) ?? ''))
      getOrCreate(series, variant, () => new Set()).add(candidate.entityNumber)
    if (matchType !== 'exact' && matchType !== 'prefix') continue
    const companies = getOrCreate(prefix, variant, () => new Map<number, PlacedCompany>())
    const rank = Math.max(companies.get(candidate.entityNumber)?.rank ?? 0, placeRank[place])
    companies.set(candidate.entityNumber, { rank, isListed: candidate.prominence.isListed })
  }
  const ownsWord = createOwnershipCheck(pairs, vocabulary)
  const familyCount = countFamily(pairs)
  const prefixCounts = new Map([...prefix].map(([variant, companies]) => [variant, countPlaced(companies)]))
  return ({ comparison: { variant, candidate, rarestWord }, place }) => {
    const { count = 0, listedCount = 0, countFrom = [] } = prefixCounts.get(variant) ?? {}
    return {
      exactCount: exact.get(variant)?.size ?? 0,
      longerThereCount: countFrom[placeRank.city] ?? 0,
      betterPlacedCount: countBetter(exact.get(variant), candidate, placeRank.region),
      completedCount: completed.get(variant)?.size ?? 0,
      seriesCount: series.get(variant)?.size ?? 0,
      familyCount,
      fewness: vocabulary.fewness,
      prefixCount: Math.max(1, count),
      listedPrefixCount: listedCount,
      placedPrefixCount: countFrom[placeRank[place]] ?? 0,
      ownsRarestWord: rarestWord !== null && ownsWord(candidate.entityNumber, rarestWord),
    }
  }
}

/** Counts the companies, the listed ones, and those with at least each rank of place. */
function countPlaced(companies: ReadonlyMap<number, PlacedCompany>) {
  const placed = [...companies.values()]
  return {
    count: placed.length,
    listedCount: placed.filter(({ isListed }) => isListed).length,
    countFrom: Array.from(
      { length: placeRank.postal + 1 },
      (_, least) => placed.filter(({ rank }) => rank >= least).length,
    ),
  }
}

/** The registration with the best place counts for a company. */
function raiseRank(ranks: Map<number, number>, { entityNumber }: CandidateName, rank: number): void {
  ranks.set(entityNumber, Math.max(ranks.get(entityNumber) ?? 0, rank))
}

/** Counts companies with at least `rankMin` and a better place than this one: sharing a country is not distinctive. */
function countBetter(
  ranks: ReadonlyMap<number, number> = new Map(),
  { entityNumber }: CandidateName,
  rankMin: number,
): number {
  const own = ranks.get(entityNumber) ?? 0
  return [...ranks.values()].filter((rank) => rank >= rankMin && rank > own).length
}

/** Counts companies whose names begin with the first two words of the text, as in a family of funds. */
function countFamily(pairs: readonly EvidencePair[]): number {
  const whole = pairs.find(({ comparison }) => comparison.variant.kind === 'whole')?.comparison.variant
  const [first, second] = whole?.tokens ?? []
  if (first === undefined || second === undefined) return 0
  const members = pairs.filter(
    ({ comparison: { candidate } }) => candidate.tokens[0] === first && candidate.tokens[1] === second,
  )
  return new Set(members.map(({ comparison }) => comparison.candidate.entityNumber)).size
}

/** Returns a check whether one company has all names with a word, as far as they were found. */
function createOwnershipCheck(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (entityNumber: number, word: string) => boolean {
  const names = new Map<number, Set<CandidateName>>()
  for (const { comparison } of pairs)
    getOrCreate(names, comparison.candidate.entityNumber, () => new Set()).add(comparison.candidate)
  return (entityNumber, word) => {
    const total = vocabulary.countNames(word)
    if (vocabulary.estimateCount(word) > ownedNamesMax) return false
    const own = [...(names.get(entityNumber) ?? [])].filter(({ tokens }) => tokens.includes(word))
    return own.length >= total
  }
}

/** A word in more names belongs to several companies. */
const ownedNamesMax = 8

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

type ScoredCompany = Omit<RankedCompany, 'share' | 'alike' | 'groupWeight'>

function pickBestOfEach(evidences: readonly Evidence[], { company }: Coefficients): ScoredCompany[] {
  const best = new Map<number, ScoredCompany>()
  for (const evidence of evidences) {
    const features = computeFeatures(evidence)
    const score = computeScore(features, company)
    const { entityNumber } = evidence.comparison.candidate
    const known = best.get(entityNumber)
    if (known === undefined || score > known.score) best.set(entityNumber, { evidence, features, score })
  }
  return [...best.values()]
}

/** Merges rows that are most likely one company in two registers, and adds up their shares. */
function joinAlike(
  ranked: readonly Omit<RankedCompany, 'alike' | 'groupWeight'>[],
): Omit<RankedCompany, 'groupWeight'>[] {
  const joined: {
    company: Omit<RankedCompany, 'alike' | 'groupWeight'>
    share: number
    alike: CandidateName[]
  }[] = []
  for (const company of ranked) {
    const twin = joined.find((other) => other.alike.length < alikeMax && isAlike(other.company, company))
    if (twin === undefined) joined.push({ company, share: company.share, alike: [] })
    else {
      twin.share += company.share
      twin.alike.push(company.evidence.comparison.candidate)
    }
  }
  return joined
    .map(({ company, share, alike }) => ({ ...company, share, alike }))
    .sort((a, b) => b.share - a.share)
}

const alikeMax = 3

/** The same name in two registers, without a contradiction in form or country. */
function isAlike(a: Pick<RankedCompany, 'evidence'>, b: Pick<RankedCompany, 'evidence'>): boolean {
  const [one, other] = [a.evidence.comparison, b.evidence.comparison]
  if (one.matchType !== 'exact' || other.matchType !== 'exact') return false
  const [left, right] = [one.candidate, other.candidate]
  return (
    left.coreKey === right.coreKey &&
    left.sourceNumber !== right.sourceNumber &&
    (left.formClass === right.formClass || isOpenForm(left) || isOpenForm(right)) &&
    shareCountry(left, right)
  )
}

const isOpenForm = ({ formClass }: CandidateName) => formClass === null || formClass === 'company'

/** Without an address, a register of another country is weak evidence. */
function shareCountry({ place: a }: CandidateName, { place: b }: CandidateName): boolean {
  const countries = (place: typeof a) =>
    [place.countryCode, place.countryCode === '' ? '' : place.jurisdictionCountry].filter(
      (code) => code !== '',
    )
  const [left, right] = [countries(a), countries(b)]
  return left.length === 0 || right.length === 0 || left.some((code) => right.includes(code))
}

const featureAt = new Map(featureNames.map((name, at) => [name, at]))

/** Returns the sum that some features add to the score of a company. */
export function sumContributions(
  { features }: Pick<RankedCompany, 'features'>,
  names: readonly FeatureName[],
  { company }: Coefficients = fittedCoefficients,
): number {
  return names.reduce((sum, name) => {
    const at = featureAt.get(name) ?? -1
    return sum + (features[at] ?? 0) * (company[at] ?? 0)
  }, 0)
}
