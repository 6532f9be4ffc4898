import { domainNameOf } from '../../core/domain-name.js'
import { statedKinds, type StatedIdentifier } from '../../core/stated-identifiers.js'
import type { Resolution } from '../../contract/result.js'
import {
  readAsked,
  type AskedIdentifiers,
  decideIdentified,
  type FoundIdentifier,
  type IdentifiedDecision,
} from './identifier-decision.js'
import { companiesAbove, resolveDomain, type DomainDeps } from './domains.js'
import { primaryOf } from './entity-record.js'
import { identifiedAnswer, labelOf, type BorneIdentifier } from './identified-answer.js'
import {
  answerByName,
  createNameJudge,
  isLegalName,
  type AskedName,
  type NameJudge,
} from './name-with-identifiers.js'
import { readQuery, type NameQuery, type ResolveDeps } from './resolve.js'
import type { CandidateName } from '../match/candidate.js'
import { agreementOf, parseLocation, type Place } from '../match/place-agreement.js'
import { siteFit } from '../model/domain-holder.js'
import type { IdentifierFinder, IdentifierHolder } from '../store/identifier-index.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** Lookups of registrations by identifier. */
export interface HolderDeps {
  readonly bearersOf: IdentifierFinder
  readonly domains: DomainDeps
}

/** Dependencies for queries that may contain identifiers. */
export interface IdentifiedDeps extends ResolveDeps, HolderDeps {
  /** Returns all names of a company, by its number. */
  readonly namesOf: (entityNumber: number) => CandidateName[]
}

export interface Found extends FoundIdentifier {
  readonly holders: readonly IdentifierHolder[]
}

/** The identifiers of a query, and its name without them. */
interface Asked extends AskedName {
  readonly found: readonly Found[]
  readonly missing: readonly StatedIdentifier[]
  readonly wrong: readonly string[]
}

/** A matched query with identifiers. */
export interface IdentifiedQuery {
  readonly asked: Asked
  readonly judge: NameJudge
  /** The company of the identifiers. */
  readonly decision: IdentifiedDecision
  /** The domain if the query is only a website and is resolved as such; otherwise `null`. */
  readonly domain: string | null
  answer(): Resolution
}

/** Matches a query by the identifiers in its name; `null` if it has none. */
export function matchIdentified(query: NameQuery, deps: IdentifiedDeps): IdentifiedQuery | null {
  const read = readAsked(query.name)
  const { name, identifiers, wrong } = read
  const [first, ...others] = identifiers
  if (first === undefined && wrong.length === 0) return null
  const asked = find(query, read, deps)
  const judge = createNameJudge(asked, deps)
  const hasName = asked.match !== null
  const likeliestOf = (numbers: readonly number[]) =>
    hasName ? likeliestAmong(numbers, asked, judge, deps) : null
  const decided = decideIdentified(asked.found, hasName ? judge.gradeOf : null, likeliestOf)
  const decision: IdentifiedDecision = isLegalNameOfAnother(decided, judge) ? { kind: 'unknown' } : decided
  const isWebsite = name === null && first?.kind === 'website' && others.length + wrong.length === 0
  const makeAnswer = () => {
    if (isWebsite) return resolveDomain(first.value, deps.domains)
    if (decision.kind === 'unknown') return answerByName(asked, judge.nameMatch, deps)
    return answerOf(asked, decision, judge, deps)
  }
  let made: Resolution | null = null
  return {
    asked,
    judge,
    decision,
    domain: isWebsite ? first.value : null,
    answer: () => (made ??= makeAnswer()),
  }
}

/** True if only a website decides, but the name is exactly the legal name of another company. */
function isLegalNameOfAnother(decision: IdentifiedDecision, judge: NameJudge): boolean {
  if (decision.kind !== 'one') return false
  const { entityNumber, by } = decision
  if (by.some(({ identifier }) => identifier.kind !== 'website')) return false
  const agreement = judge.agreementOf(entityNumber)
  if (agreement.kind === 'foreign' || isLegalName(agreement.comparison)) return false
  const other = judge.legalNameMatch()
  return other !== null && other.entityNumber !== entityNumber
}

function find(query: NameQuery, { name, identifiers, wrong }: AskedIdentifiers, deps: IdentifiedDeps): Asked {
  const match = name === null ? null : readQuery({ name, location: query.location }, deps.vocabulary())
  const ordered = [...identifiers].sort((a, b) => statedKinds.indexOf(a.kind) - statedKinds.indexOf(b.kind))
  const all = ordered.map((identifier) => foundOf(identifier, holdersOf(identifier, deps)))
  const registered = all.filter(({ identifier }) => identifier.kind !== 'website')
  const companies = registered.flatMap(({ entityNumbers }) => entityNumbers)
  const found = all
    .filter(({ holders }) => holders.length > 0)
    .map((one) => (one.identifier.kind === 'website' ? withOwned(one, companies, deps) : one))
  const missing = all.filter(({ holders }) => holders.length === 0).map(({ identifier }) => identifier)
  return { query, name: match === null ? null : name, match, found, missing, wrong }
}

/** Finds the one of a group's companies that name and place identify; without a place, their common owner. */
function likeliestAmong(
  entityNumbers: readonly number[],
  { query }: AskedName,
  judge: NameJudge,
  { domains }: IdentifiedDeps,
): number | null {
  const certain = judge.certainName()?.entityNumber ?? null
  if (certain !== null && entityNumbers.includes(certain)) return certain
  if (query.location !== null) return null
  const isOwner = (owner: number) =>
    entityNumbers.every((one) => one === owner || companiesAbove(one, domains.ownerships).has(owner))
  const [owner, ...others] = entityNumbers.filter(isOwner)
  return others.length === 0 ? (owner ?? null) : null
}

function foundOf(identifier: StatedIdentifier, holders: readonly IdentifierHolder[]): Found {
  const placed = holders.filter(({ isPlaced }) => isPlaced)
  const those = placed.length > 0 ? placed : holders
  return {
    identifier,
    holders: those,
    entityNumbers: [...new Set(those.map(({ entityNumber }) => entityNumber))],
    isSure: placed.length > 0,
  }
}

/**
 * Returns registrations with an identifier. A page of a domain identifies no company: it may be hosted by another one.
 */
export function holdersOf(
  identifier: StatedIdentifier,
  { bearersOf, domains }: HolderDeps,
): IdentifierHolder[] {
  const { kind, value } = identifier
  if (kind !== 'website') return bearersOf({ ...identifier, kind })
  return domains
    .holdersOf(value)
    .filter(({ website }) => domainNameOf(website) === value && siteFit(website) !== 'page')
    .map((holder) => ({ ...holder, value, isPlaced: true }))
}

/** A group has one website: subsidiaries of its company agree with it. */
function withOwned(website: Found, companies: readonly number[], { domains }: IdentifiedDeps): Found {
  const owners = new Set(website.entityNumbers)
  const owned = companies.filter((number) =>
    [...companiesAbove(number, domains.ownerships)].some((owner) => owners.has(owner)),
  )
  return { ...website, entityNumbers: [...new Set([...website.entityNumbers, ...owned])] }
}

function answerOf(
  asked: Asked,
  decision: Exclude<IdentifiedDecision, { kind: 'unknown' }>,
  judge: NameJudge,
  deps: IdentifiedDeps,
): Resolution {
  const { query, name, match, found, missing, wrong } = asked
  const { entityNumber } = decision
  const stored = entityOf(entityNumber, deps)
  const borne = borneBy(stored, entityNumber, found)
  const registration = borne[0]?.registration ?? primaryOf(stored)
  const agreement = match === null ? null : judge.agreementOf(entityNumber)
  const isForeign = decision.kind === 'name_disagrees'
  const place = placeOf(entityNumber, registration, deps)
  const hint = parseLocation(query.location)
  return identifiedAnswer({
    decision,
    stored,
    registration,
    borne,
    missing,
    wrong,
    name,
    comparison: agreement === null || agreement.kind === 'foreign' ? null : agreement.comparison,
    otherName: isForeign && agreement?.kind === 'open' ? (judge.certainName()?.name ?? null) : null,
    place: hint === null || place === undefined ? null : agreementOf(hint, place),
    others: othersOf(decision, found, deps),
  })
}

/** Returns the place of a registration, prepared for comparison. */
export function placeOf(
  entityNumber: number,
  { number }: StoredLegalEntity,
  { namesOf }: Pick<IdentifiedDeps, 'namesOf'>,
): Place | undefined {
  return namesOf(entityNumber).find(({ legalEntityNumber }) => legalEntityNumber === number)?.place
}

function entityOf(entityNumber: number, { reader }: IdentifiedDeps): StoredEntity {
  const stored = reader.entityByNumber(entityNumber)
  if (stored === null) throw new Error('an identifier in the index belongs to no registration')
  return stored
}

/** Returns the query's identifiers that a company has, the strongest first. */
export function borneBy(
  stored: StoredEntity,
  entityNumber: number,
  found: readonly Found[],
): BorneIdentifier[] {
  return found.flatMap(({ identifier, holders }) => {
    const holder = holders.find((one) => one.entityNumber === entityNumber)
    if (holder === undefined) return []
    const registration =
      stored.legalEntities.find(({ number }) => number === holder.legalEntityNumber) ?? primaryOf(stored)
    return [{ identifier, value: holder.value, registration }]
  })
}

/** Number of other companies in a sentence. */
const othersNamedMax = 3

function othersOf(decision: IdentifiedDecision, found: readonly Found[], deps: IdentifiedDeps): string[] {
  const nameOf = (number: number) => {
    const stored = deps.reader.outlineByNumber(number)
    return stored === null ? 'one that is not held' : `"${primaryOf(stored).legalName}"`
  }
  if (decision.kind === 'several') {
    const named = decision.others.slice(0, othersNamedMax).map(nameOf)
    return decision.others.length > othersNamedMax ? [...named, 'and more'] : named
  }
  if (decision.kind !== 'identifiers_disagree') return []
  return found.flatMap(({ identifier, entityNumbers: [first] }) =>
    first === undefined ? [] : [`${labelOf(identifier)} is that of ${nameOf(first)}`],
  )
}
