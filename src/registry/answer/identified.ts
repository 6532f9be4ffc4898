import { quoteName } from '../../core/text.js'
import { classifySite, toRootDomain } from '../../core/domain-name.js'
import {
  findCourt,
  findOffice,
  formatCourtNumber,
  formatOfficeNumber,
  parseCourtNumber,
  readOfficeNumber,
} from '../../core/numbers/court-numbers.js'
import { formatLabel, statedKinds, type StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import type { Resolution } from '../../contract/result.js'
import {
  readQueryIdentifiers,
  readToldIdentifiers,
  type QueryIdentifiers,
  decideIdentified,
  isLegalName,
  withPlaceDoubt,
  type FoundIdentifier,
  type IdentifiedDecision,
  type WrongIdentifier,
} from './identifier-decision.js'
import { listOwners, type DomainDeps } from './domains.js'
import { getPrimary } from './entity-record.js'
import {
  buildIdentifiedAnswer,
  findConflict,
  hasWrongDigits,
  type MatchedIdentifier,
} from './identified-answer.js'
import {
  answerByName,
  answerDomain,
  answerOtherCompany,
  NameJudge,
  type QueryName,
} from './name-with-identifiers.js'
import { readQuery, type NameMatch, type NameQuery, type ResolveDeps } from './resolve.js'
import type { CandidateName } from '../match/candidate.js'
import { comparePlaceWithHint, isConflict } from '../match/place-agreement.js'
import { isKnownOffice, type Place } from '../match/place-readings.js'
import { parseLocation } from '../match/parse-location.js'
import type { WholeRegister } from '../edition.js'
import type { IdentifierFinder, IdentifierHolder } from '../store/identifier-index.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** Lookups of registrations by identifier. */
export interface HolderDeps {
  readonly findByIdentifier: IdentifierFinder
  readonly domains: DomainDeps
}

/** Dependencies for queries that may contain identifiers. */
export interface IdentifiedDeps extends ResolveDeps, HolderDeps {
  /** Returns all names of a company, by its number. */
  readonly namesOf: (entityNumber: number) => CandidateName[]
  /** Returns the registers of which a whole edition is loaded. */
  readonly registers: () => readonly WholeRegister[]
}

export interface FoundHolders extends FoundIdentifier {
  readonly holders: readonly IdentifierHolder[]
}

/** The identifiers of a query, and its name without them. */
interface ReadQuery extends QueryName {
  readonly found: readonly FoundHolders[]
  readonly missing: readonly StatedIdentifier[]
  readonly wrong: readonly WrongIdentifier[]
}

/** A matched query with identifiers. */
export interface IdentifiedQuery {
  readonly asked: ReadQuery
  readonly judge: NameJudge
  /** The company of the identifiers. */
  readonly decision: IdentifiedDecision
  /** The domain if the query is only a website and is resolved as such; otherwise `null`. */
  readonly domain: string | null
  /** The identifiers in the context are of a company that the name does not find. */
  readonly isOfAnother: boolean
  answer(): Resolution
}

/** Matches a query by the identifiers in its name; `null` if it has none. */
export const matchIdentified = (query: NameQuery, deps: IdentifiedDeps, read?: QueryIdentifiers) =>
  matchStated(query, read ?? readQueryIdentifiers(query.name, query.location), deps)

/**
 * Matches a query by its name and the identifiers in its context; `null` if it has none. The context never changes what is
 * searched: it chooses between companies that the name finds, or makes the answer doubtful.
 */
export function matchTold(query: NameQuery, deps: IdentifiedDeps): IdentifiedQuery | null {
  const told = readToldIdentifiers(query.context)
  if (told === null) return null
  const identified = matchStated({ ...query, context: told.context }, { ...told, name: query.name }, deps)
  if (!identified?.asked.match) return null
  const { judge, decision, asked } = identified
  const isOfDecision = ({ evidence }: NameMatch['ranked'][number]) =>
    decision.kind !== 'unknown' && evidence.comparison.candidate.entityNumber === decision.entityNumber
  if (decision.kind === 'unknown' || judge.matchName().ranked.some(isOfDecision)) return identified
  return { ...identified, isOfAnother: true, answer: () => answerOtherCompany(asked, judge, deps) }
}

function matchStated(query: NameQuery, read: QueryIdentifiers, deps: IdentifiedDeps): IdentifiedQuery | null {
  const { name, identifiers, wrong } = read
  const [first, ...others] = identifiers
  if (first === undefined && wrong.length === 0) return null
  const asked = findIdentified(query, read, deps)
  const [judge, hasName] = [new NameJudge(asked, deps), asked.match !== null]
  const grade = (number: number) => judge.gradeName(number)
  const choose = (numbers: readonly number[]) => findLikeliest(numbers, asked, judge, deps)
  const isAlike = (number: number) => judge.compareWithCompany(number).kind !== 'foreign'
  const decided = hasName
    ? decideIdentified(asked.found, grade, choose, isAlike)
    : decideIdentified(asked.found, null)
  const decision: IdentifiedDecision = isLegalNameOfAnother(decided, judge)
    ? { kind: 'unknown' }
    : compareOthers(decided, asked, deps)
  const isWebsite = name === null && first?.kind === 'website' && others.length + wrong.length === 0
  const makeAnswer = () => {
    if (isWebsite) return answerDomain({ ...query, name: first.value }, deps)
    if (decision.kind === 'unknown') return answerByName(asked, judge, deps)
    return buildAnswer(asked, decision, judge, deps)
  }
  let made: Resolution | null = null
  return {
    asked,
    judge,
    decision,
    domain: isWebsite ? first.value : null,
    isOfAnother: false,
    answer: () => (made ??= makeAnswer()),
  }
}

/** True if only a website decides, but the name is exactly the legal name of another company. */
function isLegalNameOfAnother(decision: IdentifiedDecision, judge: NameJudge): boolean {
  if (decision.kind !== 'one') return false
  if (decision.by.some(({ identifier }) => identifier.kind !== 'website')) return false
  const agreement = judge.compareWithCompany(decision.entityNumber)
  if (agreement.kind === 'foreign' || isLegalName(agreement.comparison)) return false
  const { entityNumber = decision.entityNumber } = judge.findLegalNameMatch() ?? {}
  return entityNumber !== decision.entityNumber
}

/** Compares the other identifiers of the query with the company that some of them mean. One with an error decides nothing. */
function compareOthers(
  decision: IdentifiedDecision,
  { found, missing }: ReadQuery,
  deps: IdentifiedDeps,
): IdentifiedDecision {
  if (decision.kind !== 'one') return decision
  const { entityNumber, by } = decision
  const elsewhere = found.filter(({ entityNumbers }) => !entityNumbers.includes(entityNumber))
  if (elsewhere.length + missing.length === 0) return decision
  const lacked = [
    ...elsewhere.map(({ identifier }) => identifier),
    ...missing.filter((one) => !hasWrongDigits(one)),
  ]
  const conflict = findConflict(lacked, readEntity(entityNumber, deps).legalEntities, deps.registers)
  return conflict === null ? decision : { kind: 'identifier_differs', entityNumber, by, conflict }
}

function findIdentified(
  query: NameQuery,
  { name, identifiers, wrong }: QueryIdentifiers,
  deps: IdentifiedDeps,
): ReadQuery {
  const match = name === null ? null : readQuery({ name, location: query.location }, deps.vocabulary())
  const ordered = [...identifiers].sort((a, b) => statedKinds.indexOf(a.kind) - statedKinds.indexOf(b.kind))
  const all = ordered.map((one) => findStated(one, query.location, deps))
  const registered = all.filter(({ identifier }) => identifier.kind !== 'website')
  const companies = registered.flatMap(({ entityNumbers }) => entityNumbers)
  const found = all
    .filter(({ holders }) => holders.length > 0)
    .map((one) => (one.identifier.kind === 'website' ? withOwned(one, companies, deps) : one))
  const missing = all.filter(({ holders }) => holders.length === 0).map(({ identifier }) => identifier)
  return { query, name: match === null ? null : name, match, found, missing, wrong }
}

/** Finds the companies with an identifier. The town of the query tells a court or office that is not stated, which is a weak sign. */
function findStated(one: StatedIdentifier, location: string | null, deps: IdentifiedDeps): FoundHolders {
  const country = one.place?.slice(0, 2).toLowerCase() ?? ''
  const stated = readOfficeNumber(country, one.value)
  const entry = stated === null ? parseCourtNumber(one.value) : null
  const isUnknown = stated !== null && stated.office !== null && !isKnownOffice(country, stated.office)
  const local = isUnknown && findHolders(one, deps).length === 0 ? { ...stated, office: null } : stated
  const isOpen = one.kind === 'registration_id' && (local?.office === null || entry?.court === null)
  const writeTown = (town: string) => {
    const office = local === null ? findCourt(town.replace(/\d+/g, ' ')) : findOffice(town)
    if (office === null) return []
    if (local !== null) return formatOfficeNumber({ ...local, office })
    return entry === null ? [] : formatCourtNumber({ ...entry, court: office })
  }
  const there = (isOpen ? (location ?? '') : '')
    .split(',')
    .flatMap(writeTown)
    .map((value) => findHolders({ ...one, value }, deps))
    .map((holders) => holders.filter(({ isPlaced }) => local === null || isPlaced))
    .find((holders) => holders.length > 0)
  const read = local === null || local === stated ? one : { ...one, value: formatOfficeNumber(local) }
  const all = findHolders(read, deps)
  if (there === undefined) return toFound(read, all)
  return { ...toFound(read, there), isSure: false, elsewhere: all.map(({ entityNumber }) => entityNumber) }
}

/** Finds the one of a group's companies that name and place identify; without a place, their common owner. */
function findLikeliest(
  entityNumbers: readonly number[],
  { query }: QueryName,
  judge: NameJudge,
  { domains }: IdentifiedDeps,
): number | null {
  const certain = judge.findCertainName()?.entityNumber ?? null
  if (certain !== null && entityNumbers.includes(certain)) return certain
  if (query.location !== null) return null
  const isOwner = (owner: number) =>
    entityNumbers.every((one) => one === owner || listOwners(one, domains.ownerships).has(owner))
  const [owner, ...others] = entityNumbers.filter(isOwner)
  return others.length === 0 ? (owner ?? null) : null
}

function toFound(identifier: StatedIdentifier, holders: readonly IdentifierHolder[]): FoundHolders {
  const placed = holders.filter(({ isPlaced }) => isPlaced)
  const those = placed.length > 0 ? placed : holders
  return {
    identifier,
    holders: those,
    entityNumbers: [...new Set(those.map(({ entityNumber }) => entityNumber))],
    // Pakistan: a tax number has the form of one in the register.
    isSure: placed.some(({ value: own }) => !identifier.value.startsWith('NTN ') || !/^\d{7}$/.test(own)),
  }
}

/**
 * Returns registrations with an identifier. A page of a domain identifies no company: it may be hosted by another one.
 */
export function findHolders(
  identifier: StatedIdentifier,
  { findByIdentifier, domains }: HolderDeps,
): IdentifierHolder[] {
  const { kind, value } = identifier
  if (kind !== 'website') return findByIdentifier({ ...identifier, kind })
  return domains
    .findByDomain(value)
    .filter(({ website }) => toRootDomain(website) === value && classifySite(website) !== 'page')
    .map((holder) => ({ ...holder, value, isPlaced: true }))
}

/** A group has one website: subsidiaries of its company agree with it. */
function withOwned(
  website: FoundHolders,
  companies: readonly number[],
  { domains }: IdentifiedDeps,
): FoundHolders {
  const owners = new Set(website.entityNumbers)
  const owned = companies.filter((number) =>
    [...listOwners(number, domains.ownerships)].some((owner) => owners.has(owner)),
  )
  return { ...website, entityNumbers: [...new Set([...website.entityNumbers, ...owned])] }
}

function buildAnswer(
  asked: ReadQuery,
  decision: Exclude<IdentifiedDecision, { kind: 'unknown' }>,
  judge: NameJudge,
  deps: IdentifiedDeps,
): Resolution {
  const [{ query, name, match, found, missing, wrong }, { entityNumber }] = [asked, decision]
  const stored = readEntity(entityNumber, deps)
  const borne = listMatchedIdentifiers(stored, entityNumber, found)
  const registration = borne[0]?.registration ?? getPrimary(stored)
  const agreement = match === null ? null : judge.compareWithCompany(entityNumber)
  const held = findPlace(entityNumber, registration, deps)
  const hint = held === undefined ? null : parseLocation(query.location)
  const place = held === undefined ? 'none' : comparePlaceWithHint(hint, held)
  return buildIdentifiedAnswer({
    decision: isConflict(place) ? withPlaceDoubt(decision) : decision,
    stored,
    registration,
    borne,
    missing,
    wrong,
    name,
    comparison: agreement === null || agreement.kind === 'foreign' ? null : agreement.comparison,
    nameConfidence:
      decision.kind === 'one' && decision.doubt === 'of_group' ? judge.rate(entityNumber) : null,
    otherName: decision.kind === 'name_disagrees' ? (judge.findCertainName()?.name ?? null) : null,
    place,
    hint,
    others: listOthers(decision, found, deps),
  })
}

/** Returns the place of a registration, prepared for comparison. */
export function findPlace(
  entityNumber: number,
  { number }: StoredLegalEntity,
  { namesOf }: Pick<IdentifiedDeps, 'namesOf'>,
): Place | undefined {
  return namesOf(entityNumber).find(({ legalEntityNumber }) => legalEntityNumber === number)?.place
}

function readEntity(entityNumber: number, { reader }: IdentifiedDeps): StoredEntity {
  const stored = reader.entityByNumber(entityNumber)
  if (stored === null) throw new Error('an identifier in the index belongs to no registration')
  return stored
}

/** Returns the query's identifiers that a company has, the strongest first. */
export function listMatchedIdentifiers(
  stored: StoredEntity,
  entityNumber: number,
  found: readonly FoundHolders[],
): MatchedIdentifier[] {
  return found.flatMap(({ identifier, holders }) => {
    const holder = holders.find((one) => one.entityNumber === entityNumber)
    if (holder === undefined) return []
    const registration =
      stored.legalEntities.find(({ number }) => number === holder.legalEntityNumber) ?? getPrimary(stored)
    return [{ identifier, value: holder.value, registration }]
  })
}

const othersNamedMax = 3

function listOthers(
  decision: IdentifiedDecision,
  found: readonly FoundHolders[],
  deps: IdentifiedDeps,
): string[] {
  const formatName = (number: number) => {
    const stored = deps.reader.outlineByNumber(number)
    return stored === null ? 'one that is not held' : quoteName(getPrimary(stored).legalName)
  }
  if ('others' in decision) {
    const named = decision.others.slice(0, othersNamedMax).map(formatName)
    return decision.others.length > othersNamedMax ? [...named, 'and more'] : named
  }
  if (decision.kind !== 'identifiers_disagree') return []
  return found.flatMap(({ identifier, entityNumbers: [first] }) =>
    first === undefined ? [] : [`${formatLabel(identifier)} is that of ${formatName(first)}`],
  )
}
