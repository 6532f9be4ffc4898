import type { StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import { entityId, legalEntityId, type EntityId, type LegalEntityId } from '../../contract/enums.js'
import { splitJurisdiction, getPrimary } from './entity-record.js'
import type { CandidateName, FormAgreement } from '../match/candidate.js'
import { readSearchText, toCompanyCandidate, type CompanyCandidate } from './candidates.js'
import { prepareText } from '../match/align-name.js'
import type { MatchQuery } from '../match/rank.js'
import { findCountryCode, findCountryName } from '../../core/countries.js'
import { findRegionCode } from '../normalize/places.js'
import { compareNames, type MatchType, type NameComparison } from '../match/compare-names.js'
import { findHolders, type HolderDeps } from './identified.js'
import { findCandidateNames, readQuery, type ResolveDeps } from './resolve.js'
import { getStatus } from './registration-facts.js'
import type { RegistrationOutline, StoredEntity, StoreReader } from '../store/reader.js'
import { parseName } from '../normalize/parsed-name.js'
import type { NameBeginning, NameBeginningFinder, WordSearch } from '../store/name-index.js'

const matchPoints: Readonly<Partial<Record<MatchType, number>>> = { exact: 93, completed: 88, acronym: 74 }
const formPoints: Readonly<Record<FormAgreement, number>> = {
  same: 2,
  unknown: 0,
  unstated_partnership: -3,
  soft_conflict: -4,
  hard_conflict: -14,
  foreign: -14,
}
const kindPoints = { legal: 0, other: -1, former: -2 } as const
const inactivePoints = -3
const closenessMin = 30
/**
 * Scores the similarity of a name to the search text, 0 to 100, by the names alone; `null` below the minimum. The
 * model, not this score, decides which company a query means.
 */
function scoreCloseness({
  matchType,
  text,
  isPart,
  candidate,
  similarity,
  textShare,
  firstAgrees,
  form,
}: NameComparison): number | null {
  const likeness = isPart
    ? 90 - (2 - similarity - textShare) * 75
    : (matchPoints[matchType] ?? 93 - (1 - similarity) * 75)
  if (likeness < closenessMin) return null
  const points =
    likeness +
    formPoints[form] +
    kindPoints[candidate.kind] +
    (text.fullKey === candidate.fullKey ? 1 : 0) +
    (candidate.active ? 0 : inactivePoints) +
    (firstAgrees ? 0 : -4)
  return Math.max(0, Math.min(100, points))
}

export interface SearchQuery {
  readonly name: string
  /** ISO 3166-1, two or three letters, any case. */
  readonly countryCode?: string
  /** ISO 3166-2, with or without the country ("US-DE", "DE"), any case. */
  readonly regionCode?: string
  readonly limit: number
}

/** A registration found, as in the interface's "Search result (v2)". */
export interface SearchHit {
  readonly id: LegalEntityId
  readonly entityId: EntityId
  /** The name in use; several companies may share it. */
  readonly name: string
  readonly legalName: string
  readonly status: string | null
  readonly isBranch: boolean
  readonly jurisdiction: {
    readonly country: string | null
    readonly countryCode: string | null
    /** Lower case, `us_de`. */
    readonly jurisdictionCode: string | null
  }
  readonly city: string | null
  /** Similarity of the name, 0 to 100. */
  readonly score: number
}

export interface SearchPage {
  /** Closest names first; ties in the order of import. */
  readonly hits: SearchHit[]
  /** Number of registrations before the limit, among the names that the index returns for one query. */
  readonly totalCount: number
}

export type SearchDeps = ResolveDeps &
  HolderDeps & {
    readonly isBranch: (legalEntityNumber: number) => boolean
    readonly namesOf: (entityNumber: number) => CandidateName[]
    readonly findByWords: WordSearch
  }

/** Finds registrations by name and place; those with an identifier in the name come first. */
export function searchNames(query: SearchQuery, deps: SearchDeps): SearchPage {
  const { name, identifiers } = readSearchText(query.name)
  const bearers = findBearers(identifiers, deps)
  // "BIC Holdings" has the form of an identifier, but may be a name.
  const text = bearers.length > 0 ? name : (name ?? query.name)
  const asked = text === null ? null : readQuery({ name: text, location: null }, deps.vocabulary())
  const numbers = new Set(bearers.map(({ candidate }) => candidate.legalEntityNumber))
  const others = asked === null ? [] : pickClosestNames(asked, deps)
  const wanted = parseWantedPlace(query)
  const found = keepOnePerRegistration(
    [
      ...bearers,
      ...others
        .filter(({ candidate }) => !numbers.has(candidate.legalEntityNumber))
        .sort(
          (a, b) =>
            b.points - a.points ||
            Number(b.candidate.prominence.tickers !== '') - Number(a.candidate.prominence.tickers !== '') ||
            a.candidate.entityNumber - b.candidate.entityNumber ||
            a.candidate.legalEntityNumber - b.candidate.legalEntityNumber,
        ),
    ].filter(({ candidate }) => isWanted(candidate, wanted)),
  )
  const hits = found.slice(0, query.limit).flatMap(({ candidate, points }) => {
    const stored = deps.reader.outlineByNumber(candidate.entityNumber)
    const registration = stored?.legalEntities.find(({ number }) => number === candidate.legalEntityNumber)
    if (!stored || !registration) return []
    return [toHit(stored, registration, points, isBranchRegistration(registration, stored, deps))]
  })
  return { hits, totalCount: found.length }
}

interface CloseName {
  readonly candidate: CandidateName
  readonly points: number
}

const bearerPoints = 100
/** For a name with all words of the text: listed companies are what most searches mean. */
const wordPoints = {
  beginning: 76,
  contained: 60,
  partOfLastWord: -8,
  hasLei: 2,
  listed: { legal: 10, other: 5, former: 0 },
  kind: { legal: 0, other: -4, former: -10 },
  moreWordsMax: 6,
} as const

function findBearers(identifiers: readonly StatedIdentifier[], deps: SearchDeps): CloseName[] {
  const bearers = new Map<number, CloseName>()
  for (const identifier of identifiers)
    for (const { entityNumber, legalEntityNumber } of findHolders(identifier, deps)) {
      if (bearers.has(legalEntityNumber)) continue
      const candidate = deps
        .namesOf(entityNumber)
        .find((name) => name.legalEntityNumber === legalEntityNumber)
      if (candidate !== undefined) bearers.set(legalEntityNumber, { candidate, points: bearerPoints })
    }
  return [...bearers.values()]
}

/** Finds the closest name of each registration: similar names, and names with the words of the text. */
function pickClosestNames(asked: MatchQuery, deps: SearchDeps): CloseName[] {
  const vocabulary = deps.vocabulary()
  const closest = new Map<number, CloseName>()
  const keep = (candidate: CandidateName, points: number | null) => {
    const known = closest.get(candidate.legalEntityNumber)
    if (points !== null && (known === undefined || points > known.points))
      closest.set(candidate.legalEntityNumber, { candidate, points })
  }
  const names = findCandidateNames(asked, deps)
  for (const text of asked.texts) {
    const prepared = prepareText(text, vocabulary)
    for (const candidate of names) {
      const comparison = compareNames(prepared, candidate, asked)
      keep(candidate, comparison === null ? null : scoreCloseness(comparison))
    }
  }
  const tokens = (asked.texts[0]?.words ?? [])
    .filter(({ wordClass }) => wordClass !== 'stop' && wordClass !== 'form')
    .map((word) => word.text)
  for (const candidate of deps.findByWords(tokens, vocabulary)) keep(candidate, scoreWords(tokens, candidate))
  return [...closest.values()]
}

/** Scores a name that has all words of the text; shorter names get more. */
function scoreWords(words: readonly string[], { tokens, kind, active, prominence }: CandidateName): number {
  const isBeginning = tokens.join(' ').startsWith(words.join(' '))
  return (
    (isBeginning ? wordPoints.beginning : wordPoints.contained) +
    (tokens.includes(words.at(-1) ?? '') ? 0 : wordPoints.partOfLastWord) +
    (prominence.tickers !== '' ? wordPoints.listed[kind] : 0) +
    (prominence.hasLei ? wordPoints.hasLei : 0) +
    wordPoints.kind[kind] +
    (active ? 0 : inactivePoints) -
    Math.min(wordPoints.moreWordsMax, Math.max(0, tokens.length - words.length))
  )
}

/** Removes registrations that were stated before: of one company, with one name, in one jurisdiction, if stated. */
function keepOnePerRegistration(found: readonly CloseName[]): CloseName[] {
  const kept = new Map<string, string[]>()
  return found.filter(({ candidate: { entityNumber, coreKey, jurisdiction, place } }) => {
    const [key, home] = [`${entityNumber} ${coreKey}`, jurisdiction ?? place.countryCode.toLowerCase()]
    const homes = kept.get(key) ?? []
    kept.set(key, [...homes, home])
    return !homes.some((other) => home === other || home === '' || other === '')
  })
}

/** True according to the registers, or if the company's primary registration is in another jurisdiction. */
function isBranchRegistration(
  registration: RegistrationOutline,
  stored: StoredEntity<RegistrationOutline>,
  deps: SearchDeps,
): boolean {
  const home = getPrimary(stored).jurisdiction
  const { jurisdiction } = registration
  const isForeign = home !== null && jurisdiction !== null && !isWithin(jurisdiction, home)
  return isForeign || deps.isBranch(registration.number)
}

/** "us" and "us_de" do not contradict each other: one source is only more precise. */
const isWithin = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}_`) || other.startsWith(`${one}_`)

interface WantedPlace {
  readonly countryCode: string | null
  readonly regionCode: string | null
}

/** An unknown code finds nothing instead of everything. */
function parseWantedPlace({ countryCode, regionCode }: SearchQuery): WantedPlace {
  const country =
    countryCode === undefined ? null : (findCountryCode(countryCode) ?? countryCode.toUpperCase())
  if (regionCode === undefined) return { countryCode: country, regionCode: null }
  const region = regionCode.toUpperCase()
  return { countryCode: country, regionCode: findRegionCode(country, region) ?? region }
}

function isWanted({ place, jurisdiction }: CandidateName, wanted: WantedPlace): boolean {
  const countries = [jurisdiction?.slice(0, 2).toUpperCase(), place.countryCode]
  if (wanted.countryCode !== null && !countries.includes(wanted.countryCode)) return false
  if (wanted.regionCode === null) return true
  return [place.jurisdictionRegion, place.regionCode].some(
    (code) => code !== '' && (code === wanted.regionCode || code.slice(3) === wanted.regionCode),
  )
}

function toHit(
  stored: StoredEntity<RegistrationOutline>,
  registration: RegistrationOutline,
  points: number,
  isBranch: boolean,
): SearchHit {
  const countryCode =
    splitJurisdiction(registration.jurisdiction).countryCode ?? registration.address.countryCode
  return {
    id: legalEntityId.parse(registration.id),
    entityId: entityId.parse(stored.id),
    name: registration.displayName,
    legalName: registration.legalName,
    status: getStatus(registration),
    isBranch,
    jurisdiction: {
      country: countryCode === null ? null : findCountryName(countryCode),
      countryCode,
      jurisdictionCode: registration.jurisdiction ?? countryCode?.toLowerCase() ?? null,
    },
    city: registration.address.city,
    score: Math.max(0, Math.min(100, Math.round(points))),
  }
}

const hitsPerCompany = 3

/** Finds companies, each by its closest registration, without evidence. */
export function searchCompanies(query: SearchQuery, deps: SearchDeps): CompanyCandidate[] {
  const { hits } = searchNames({ ...query, limit: query.limit * hitsPerCompany }, deps)
  const seen = new Set<string>()
  const closest = hits.filter(({ entityId }) => !seen.has(entityId) && seen.add(entityId))
  return closest.slice(0, query.limit).flatMap(({ id, entityId }) => {
    const stored = deps.reader.entityById(entityId)
    const registration = stored?.legalEntities.find((one) => one.id === id)
    return stored && registration
      ? [toCompanyCandidate(stored, registration, { confidence: null, evidence: [] })]
      : []
  })
}

/** A suggestion for typed text. */
export interface SuggestedCompany {
  readonly id: EntityId
  /** The name with this beginning; `null` if found by id or identifier. */
  readonly name: string | null
}

interface SuggestDeps extends HolderDeps {
  readonly findBeginnings: NameBeginningFinder
  readonly reader: StoreReader
}

const namesReadMax = 300

/**
 * Suggests companies with the text as id or identifier, then those with a name that begins with it: exact name first,
 * then active, present name, listed, with LEI, alphabetical.
 */
export function suggestCompanies(
  prefix: string,
  countMax: number,
  deps: SuggestDeps,
): readonly SuggestedCompany[] {
  const { fullKey } = parseName(prefix)
  const beginnings = fullKey === '' ? [] : deps.findBeginnings(fullKey, namesReadMax)
  const ranked = beginnings
    .map((beginning) => ({ beginning, rank: rankBeginning(beginning, fullKey) }))
    .sort((a, b) => b.rank - a.rank)
  const found = new Map<number, string | null>()
  for (const number of findByText(prefix.trim(), deps)) found.set(number, null)
  for (const { beginning } of ranked)
    if (!found.has(beginning.entityNumber)) found.set(beginning.entityNumber, beginning.name)
  return [...found].slice(0, countMax).flatMap(([number, name]) => {
    const stored = deps.reader.outlineByNumber(number)
    return stored === null ? [] : [{ id: entityId.parse(stored.id), name }]
  })
}

/** Sorting is stable: names of equal rank stay in alphabetical order. */
function rankBeginning({ fullKey, kind, isActive, isListed, hasLei }: NameBeginning, asked: string): number {
  return [fullKey === asked, isActive, kind !== 'former', isListed, hasLei].reduce(
    (rank, holds) => 2 * rank + Number(holds),
    0,
  )
}

/** Finds companies whose id or identifier the text is. */
function findByText(text: string, deps: SuggestDeps): number[] {
  const { reader } = deps
  if (entityId.safeParse(text).success) {
    const number = reader.entityNumber(reader.findMergeTarget(text) ?? text)
    return number === null ? [] : [number]
  }
  return readSearchText(text)
    .identifiers.flatMap((identifier) => findHolders(identifier, deps))
    .map(({ entityNumber }) => entityNumber)
}
