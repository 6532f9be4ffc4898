import { quoteName } from '../../core/text.js'
import type { Resolution } from '../../contract/result.js'
import {
  listCandidatesByName,
  type CompanyCandidate,
  toCompanyCandidate,
  type CompanyEvidence,
} from './candidates.js'
import {
  matchIdentified,
  matchTold,
  type IdentifiedDeps,
  listMatchedIdentifiers,
  findHolders,
  findPlace,
  type IdentifiedQuery,
} from './identified.js'
import { answerFor, matchName, type NameQuery, type NameMatch } from './resolve.js'
import type { StoredEntity, StoreReader, StoredLegalEntity } from '../store/reader.js'
import { listDomainCompanies } from './domains.js'
import { matchDomainName } from './name-with-identifiers.js'
import { getPrimary } from './entity-record.js'
import { describePlace } from './evidence-texts.js'
import { describeName } from './factors.js'
import type { MatchedIdentifier } from './identified-answer.js'
import { formatLabel } from '../../core/numbers/stated-identifiers.js'
import { closeNumber } from '../../core/numbers/national-numbers.js'
import { rateNumber } from '../../core/numbers/number-forms.js'
import { listNumbersInName } from '../match/word-runs.js'
import { comparePlaceWithHint, isConflict } from '../match/place-agreement.js'
import type { IdentifierHolder } from '../store/identifier-index.js'
import { parseLocation } from '../match/parse-location.js'

/** One percent is left for clerical errors in an identifier. */
const bearersConfidence = 99

/**
 * Returns the companies with the query's identifiers, the answered one first, then those that the name may mean. If
 * the identifiers identify no company, those of the name come first.
 */
function listCandidatesByIdentifiers(
  query: IdentifiedQuery,
  deps: IdentifiedDeps,
  countMax: number,
): CompanyCandidate[] {
  const numbers = listIdentifiedCompanies(query, deps).slice(0, countMax)
  const bearers = numbers.flatMap(
    (number, at) =>
      buildIdentifiedCandidate(number, chooseIdentifiedConfidence(query, at, numbers.length), query, deps) ??
      [],
  )
  const match = getNameMatch(query, deps)
  const name = query.asked.name ?? query.asked.query.name
  const named = match === null ? [] : listCandidatesByName(name, match, deps, countMax, new Set(numbers))
  const isNameFirst = bearers.length === 0 || isUnknown(query)
  // Identifiers and name exclude each other, and no name is more certain than the answer, which may have recognized a
  // namesake.
  const confidenceMax = isNameFirst
    ? query.answer().match_confidence || bearersConfidence
    : bearers.reduce((left, bearer) => Math.max(0, left - (bearer.confidence ?? 0)), bearersConfidence)
  const others = named.map((one) => ({ ...one, confidence: Math.min(one.confidence ?? 0, confidenceMax) }))
  return (isNameFirst ? [...others, ...bearers] : [...bearers, ...others]).slice(0, countMax)
}

function listIdentifiedCompanies(
  { asked, decision, domain }: IdentifiedQuery,
  { domains }: IdentifiedDeps,
): number[] {
  if (domain !== null) return listDomainCompanies(domain, domains)
  const all = asked.found.flatMap(({ entityNumbers }) => entityNumbers)
  switch (decision.kind) {
    case 'unknown':
      return [...new Set(all)]
    case 'one':
    case 'name_disagrees':
    case 'identifier_differs':
      return [decision.entityNumber]
    case 'several':
    case 'named_elsewhere':
      return [decision.entityNumber, ...decision.others]
    case 'identifiers_disagree':
      return [...new Set([decision.entityNumber, ...all])]
  }
}

/** The identifiers are not found, or ambiguous and of companies with other names. */
const isUnknown = ({ decision, domain }: IdentifiedQuery) => decision.kind === 'unknown' && domain === null

/** The answer's confidence for the answered company; equal parts if several companies are equally likely. */
function chooseIdentifiedConfidence(query: IdentifiedQuery, at: number, count: number): number | null {
  if (isUnknown(query)) return null
  const { match_confidence: confidence, classification } = query.answer()
  const isOpen = classification === 'ambiguous' || query.decision.kind === 'identifiers_disagree'
  if (isOpen && count > 1) return Math.floor(bearersConfidence / count)
  return at === 0 ? confidence : Math.floor(Math.max(0, bearersConfidence - confidence) / (count - 1))
}

function buildIdentifiedCandidate(
  entityNumber: number,
  confidence: number | null,
  query: IdentifiedQuery,
  deps: IdentifiedDeps,
): CompanyCandidate | null {
  const stored = deps.reader.entityByNumber(entityNumber)
  if (stored === null) return null
  const borne = listMatchedIdentifiers(stored, entityNumber, query.asked.found)
  const registration = borne[0]?.registration ?? getPrimary(stored)
  const evidence = [
    ...listIdentifierEvidence(stored, borne, query),
    ...listNameEvidence(entityNumber, query),
    ...listPlaceEvidence(entityNumber, registration, query, deps),
  ]
  return toCompanyCandidate(stored, registration, { confidence, evidence })
}

function listIdentifierEvidence(
  stored: StoredEntity,
  borne: readonly MatchedIdentifier[],
  { asked, domain }: IdentifiedQuery,
): CompanyEvidence[] {
  const of = (text: string): CompanyEvidence => ({ label: 'identifier', text, weight: null })
  const websites = stored.legalEntities.flatMap(({ website }) => website ?? [])
  if (domain !== null) return [of(`it gives ${websites[0] ?? domain} as its website`)]
  return asked.found.map(({ identifier }) =>
    borne.some((one) => one.identifier === identifier)
      ? of(`it has ${formatLabel(identifier)}`)
      : of(`${formatLabel(identifier)} is that of another company`),
  )
}

function listNameEvidence(entityNumber: number, { asked, judge }: IdentifiedQuery): CompanyEvidence[] {
  if (asked.match === null) return []
  const agreement = judge.compareWithCompany(entityNumber)
  const text =
    agreement.kind === 'foreign'
      ? `${quoteName(asked.name ?? '')} is no name of it`
      : `the ${describeName(agreement.comparison)}`
  return [{ label: 'name', text, weight: null }]
}

function listPlaceEvidence(
  entityNumber: number,
  registration: StoredLegalEntity,
  { asked }: IdentifiedQuery,
  deps: IdentifiedDeps,
): CompanyEvidence[] {
  const hint = parseLocation(asked.query.location)
  const known = findPlace(entityNumber, registration, deps)
  if (hint === null || known === undefined) return []
  const place = comparePlaceWithHint(hint, known)
  return [{ label: 'place', text: describePlace({ place, hint, known }, registration), weight: null }]
}

/** "BIC Holdings" has the form of an identifier, but counts as a name if a company has exactly this name. */
function getNameMatch(
  { asked, judge, decision, domain }: IdentifiedQuery,
  deps: IdentifiedDeps,
): NameMatch | null {
  if (domain !== null) return matchDomainName({ ...asked.query, name: domain }, deps)
  if (asked.name !== null) return judge.matchName()
  if (decision.kind !== 'unknown' || asked.wrong.length > 0) return null
  const match = matchName(asked.query, deps)
  return match.ranked[0]?.evidence.comparison.matchType === 'exact' ? match : null
}

/** A query that was matched once; results are computed on demand. */
export interface MatchedQuery {
  answer(): Resolution
  /** Returns the companies that it may mean, most likely first. */
  candidates(countMax: number): CompanyCandidate[]
}

/** Matches a query by the identifiers in its name, or by name and place; the context chooses between companies. */
export function ask(query: NameQuery, given: IdentifiedDeps): MatchedQuery {
  const deps = { ...given, reader: cacheEntities(given.reader) }
  const identified = matchIdentified(query, deps) ?? matchNumbered(query, deps) ?? matchTold(query, deps)
  if (identified?.isOfAnother === false)
    return {
      answer: () => identified.answer(),
      candidates: (countMax) => listCandidatesByIdentifiers(identified, deps, countMax),
    }
  const match = identified?.judge.matchName() ?? matchName(query, deps)
  return {
    answer: () => identified?.answer() ?? answerFor(match, deps),
    candidates: (countMax) => listCandidatesByName(query.name, match, deps, countMax),
  }
}

/**
 * Matches a name with a number of a registration in it, in front or behind, if the number is that of the company named. A
 * number of another company needs a label, or enough digits that no other number has them by chance.
 */
function matchNumbered(query: NameQuery, deps: IdentifiedDeps): IdentifiedQuery | null {
  for (const { name, identifier, label } of listNumbersInName(query.name)) {
    const holders = findHolders(identifier, deps)
    const isKnown = holders.length > 0 || (label === 'own' && closeNumber(identifier.value).length >= 7)
    if (!isKnown || isInName(identifier.value, query, deps)) continue
    const found = matchIdentified(query, deps, { name, identifiers: [identifier], wrong: [] })
    if (found === null || label === 'own') return found
    const { decision, judge } = found
    const grade = decision.kind === 'one' ? judge.gradeName(decision.entityNumber) : 'foreign'
    if (grade === 'same' || grade === 'exact' || isTelling(identifier.value, holders, query, deps))
      return found
  }
  return null
}

/** Whether the likeliest company has the number in its name: "1234567 Larkmoor Inc.". */
function isInName(number: string, query: NameQuery, deps: IdentifiedDeps): boolean {
  const [best] = matchName(query, deps).ranked
  const words = best?.evidence.comparison.candidate.tokens ?? []
  return words.join('').includes(closeNumber(number).toLowerCase())
}

/** Whether only one company has a number, its place is not another, and digits or check digits exclude chance. */
function isTelling(
  number: string,
  holders: readonly IdentifierHolder[],
  { location }: NameQuery,
  deps: IdentifiedDeps,
): boolean {
  const [holder, ...others] = holders
  const stored = holder === undefined ? null : deps.reader.entityByNumber(holder.entityNumber)
  if (holder === undefined || stored === null) return false
  const registration = stored.legalEntities.find((one) => one.number === holder.legalEntityNumber)
  const known = registration === undefined ? undefined : findPlace(holder.entityNumber, registration, deps)
  const hint = parseLocation(location)
  if (others.some((one) => one.entityNumber !== holder.entityNumber)) return false
  if (hint !== null && known !== undefined && isConflict(comparePlaceWithHint(hint, known))) return false
  const count = closeNumber(number).length
  const country = registration?.jurisdiction?.slice(0, 2) ?? ''
  return count >= 10 || (count >= 8 && rateNumber(country, number) === 3)
}

/** Context, answer and candidates read the same companies, so each is read once per query. */
function cacheEntities(reader: StoreReader): StoreReader {
  const known = new Map<number, StoredEntity | null>()
  return {
    ...reader,
    entityByNumber: (number) => {
      const read = known.get(number)
      if (read !== undefined) return read
      const stored = reader.entityByNumber(number)
      known.set(number, stored)
      return stored
    },
  }
}
