import { quoteName } from '../../core/text.js'
import { formatLabel, type StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import { type Action, type Factor, type Resolution, matchedConfidenceMin } from '../../contract/result.js'
import {
  toCandidate,
  buildEmptyAnswer,
  answerFor,
  matchName,
  type NameMatch,
  type ResolveDeps,
  type NameQuery,
} from './resolve.js'
import {
  countDistinctive,
  hasMoreWords,
  isLegalName,
  nameMissingPlace,
  namesAnother,
  type FoundIdentifier,
  type NameGrade,
  type WrongIdentifier,
} from './identifier-decision.js'
import type { Impact } from './reasons.js'
import { getPrimary } from './entity-record.js'
import { findUnreadCompany } from './candidates.js'
import { resolveDomain, type DomainDeps } from './domains.js'
import { createLimitation, createNameFactor } from './factors.js'
import {
  checkIdentifier,
  disagreeingConfidence,
  createMissingFactor,
  listWrongFactors,
  findConflict,
  hasWrongDigits,
} from './identified-answer.js'
import type { WholeRegister } from '../edition.js'
import type { StoredLegalEntity } from '../store/reader.js'
import type { CandidateName } from '../match/candidate.js'
import { leaveOutAnd } from '../match/left-words.js'
import { isConflict } from '../match/place-agreement.js'
import { type NameComparison, compareNames } from '../match/compare-names.js'
import { prepareText } from '../match/align-name.js'
import type { MatchQuery } from '../match/rank.js'
import { findGroupDifference } from '../match/siblings.js'
import type { Vocabulary } from '../match/vocabulary.js'

/**
 * How a name fits a company found by an identifier. `same`: one of its names, or no sign of another company. `open`:
 * similar, with further words or numbers: the text may name another company. `foreign`: no similarity.
 */
type NameAgreement =
  { readonly kind: 'same' | 'open'; readonly comparison: NameComparison } | { readonly kind: 'foreign' }

/** Threshold for similar names: users' spellings are above it, random companies below. Less of a name with trades and owners is compared. */
const [similarityMin, shareMin] = [0.43, 0.1]

/** Higher is better; the best of all names represents the company. */
const typeRank = {
  exact: 5,
  completed: 4,
  acronym: 3,
  prefix: 2,
  near: 0,
} as const satisfies Record<NameComparison['matchType'], number>
const kindRank = { legal: 2, other: 1, former: 0 } as const

/** Compares the name of a query with every name of a company. */
export function judgeAgreement(
  { texts, placeWords }: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
): NameAgreement {
  let best: NameComparison | null = null
  for (const text of texts) {
    for (const name of names) {
      const [read, held] = leaveOutAnd(text, name)
      const comparison = compareNames(prepareText(read, vocabulary), held, { placeWords, shareMin })
      if (comparison !== null && isAlike(comparison) && (best === null || isBetter(comparison, best)))
        best = comparison
    }
  }
  if (best === null) return { kind: 'foreign' }
  return { kind: hasMoreWords(best) ? 'open' : 'same', comparison: best }
}

function isAlike(comparison: NameComparison): boolean {
  const { matchType, similarity, queryLeftover, sharedTelling } = comparison
  if (namesAnother(comparison)) return false
  const isShort = sharedTelling > 0 && countDistinctive(queryLeftover) === 0
  return matchType !== 'near' || similarity >= similarityMin || isShort
}

function isBetter(one: NameComparison, other: NameComparison): boolean {
  const difference =
    typeRank[one.matchType] - typeRank[other.matchType] ||
    Number(differsInGroup(other)) - Number(differsInGroup(one)) ||
    one.similarity - other.similarity
  return (difference || kindRank[one.candidate.kind] - kindRank[other.candidate.kind]) > 0
}

const differsInGroup = (one: NameComparison) => hasMoreWords(one) || findGroupDifference(one) !== null

/** A query, and its name without identifiers. */
export interface QueryName {
  readonly query: NameQuery
  /** `null` if no usable text remains. */
  readonly name: string | null
  readonly match: MatchQuery | null
}

interface NameJudgeDeps extends ResolveDeps {
  readonly namesOf: (entityNumber: number) => CandidateName[]
}

/** Compares the query's name with companies on demand. */
export class NameJudge {
  readonly #agreements = new Map<number, NameAgreement>()
  #match: NameMatch | null = null

  constructor(
    private readonly asked: QueryName & { readonly found?: readonly FoundIdentifier[] },
    private readonly deps: NameJudgeDeps,
  ) {}

  matchName(): NameMatch {
    const { query, name } = this.asked
    return (this.#match ??= matchName({ ...query, name: name ?? '' }, this.deps))
  }

  compareWithCompany(entityNumber: number): NameAgreement {
    const { match } = this.asked
    const known = this.#agreements.get(entityNumber)
    if (known !== undefined || match === null) return known ?? { kind: 'foreign' }
    const agreement = judgeAgreement(match, this.deps.namesOf(entityNumber), this.deps.vocabulary())
    this.#agreements.set(entityNumber, agreement)
    return agreement
  }

  gradeName(entityNumber: number): NameGrade {
    const agreement = this.compareWithCompany(entityNumber)
    if (agreement.kind === 'foreign') return this.rate(entityNumber) === null ? 'foreign' : 'open'
    const { kind, comparison } = agreement
    const difference = findGroupDifference(comparison)
    const isSame = kind === 'same' && difference === null
    if (isSame && comparison.matchType === 'exact') return 'exact'
    // A website is often that of a group.
    const isWebsite = this.asked.found?.every(({ identifier }) => identifier.kind === 'website') ?? false
    const certain = isSame && isWebsite ? null : this.findCertainName(isSame)
    if (isSame && certain === null) return 'same'
    if (certain === null && kind === 'open' && this.#isOther(entityNumber)) return 'foreign'
    if (certain === null || (kind === 'same' && difference === 'form')) return 'open'
    if (certain.entityNumber !== entityNumber) return 'foreign'
    return difference === null ? 'same' : 'open'
  }

  /** True if another company is likelier, and has all words of the name in some spelling. */
  #isOther(entityNumber: number): boolean {
    const best = this.matchName().ranked[0]?.evidence.comparison
    return best !== undefined && best.candidate.entityNumber !== entityNumber && !hasMoreWords(best)
  }

  /** Returns the confidence of the name alone in this company; `null` if it finds another, or has no telling word of it. */
  rate(entityNumber: number): number | null {
    const { decision } = this.matchName()
    const comparison = decision.kind === 'none' ? null : decision.best.evidence.comparison
    const isFound = comparison?.candidate.entityNumber === entityNumber && !namesAnother(comparison)
    return isFound && decision.kind !== 'none' ? decision.confidence : null
  }

  /** Returns the company that the name alone identifies. `isWhole`: only one with exactly this name. */
  findCertainName(isWhole = false): CandidateName | null {
    const { decision } = this.matchName()
    if (decision.kind !== 'entity' || decision.confidence < matchedConfidenceMin) return null
    const { candidate, matchType, isPart } = decision.best.evidence.comparison
    return isWhole && (matchType !== 'exact' || isPart) ? null : candidate
  }

  /** Returns the likeliest company with this legal name and form, in any spelling, unless at another place. */
  findLegalNameMatch(): CandidateName | null {
    const found = this.matchName().ranked.find(
      ({ evidence: { comparison, place } }) =>
        isLegalName(comparison) && comparison.candidate.kind === 'legal' && !isConflict(place),
    )
    return found?.evidence.comparison.candidate ?? null
  }
}

interface UnmatchedIdentifiers extends QueryName {
  /** Identifiers of companies with other names: websites, and identifiers without register. */
  readonly found: readonly FoundIdentifier[]
  readonly missing: readonly StatedIdentifier[]
  readonly wrong: readonly WrongIdentifier[]
}

/**
 * Answers a query by its name if the identifiers identify no company. Never more confident than the name, and less if
 * an identifier belongs to another company; no match if it cannot be that of the company with this name.
 */
export function answerByName(
  asked: UnmatchedIdentifiers,
  judge: Pick<NameJudge, 'matchName'>,
  deps: ResolveDeps & { readonly registers: () => readonly WholeRegister[] },
): Resolution {
  const identifiers = [...asked.found.map(({ identifier }) => identifier), ...asked.missing]
  if (asked.name === null)
    return answerWholeText(asked, deps) ?? buildNoHolderAnswer(identifiers, asked.wrong)
  const match = judge.matchName()
  const best = match.decision.kind === 'none' ? null : match.decision.best.evidence.comparison.candidate
  const registrations =
    best === null ? [] : (deps.reader.entityByNumber(best.entityNumber)?.legalEntities ?? [])
  const unread = match.decision.kind === 'none' ? findUnreadCompany(asked.name, asked.found, deps) : null
  const listFactors = (impact: Impact) => [
    ...asked.found.map((one) => createOtherNameFactor(one, deps)),
    ...asked.missing.map((one) => createMissingFactor(one, impact, registrations)),
    ...asked.wrong.flatMap((one) => listWrongFactors(one, 'medium', registrations)),
  ]
  const answer = answerFor(match, deps)
  if (unread !== null) {
    const text = `The name is in another script than ${quoteName(unread.legalName)}, and is not compared.`
    const factors = [...listFactors('high'), createLimitation('identifier_name_mismatch', text, 'medium')]
    return {
      ...toNamesakeAnswer({ ...answer, factors, actions: [checkIdentifier, giveName] }, unread),
      match_confidence: disagreeingConfidence,
    }
  }
  const beside: Resolution = {
    ...answer,
    match_confidence: Math.min(answer.match_confidence, asked.found.length > 0 ? 90 : 100),
    factors: [...answer.factors, ...listFactors('medium')],
    actions: [...answer.actions, checkIdentifier],
  }
  const registration = findMatched(match, deps)
  if (registration === undefined) return beside
  const conflict = findConflict([...identifiers, ...asked.wrong], registrations, deps.registers)
  // The company has no number or website to compare with: registers lack most of them.
  const isOpen = asked.found.length + asked.wrong.length === 0 && !asked.missing.some(hasWrongDigits)
  if (conflict === null)
    return isOpen ? { ...answer, factors: [...answer.factors, ...listFactors('low')] } : beside
  return toNamesakeAnswer(
    { ...beside, factors: [createLimitation(conflict.code, conflict.text, 'high'), ...beside.factors] },
    registration,
  )
}

/** Returns the registration of the answered name; `undefined` if no company is answered. */
function findMatched({ decision }: NameMatch, { reader }: ResolveDeps): StoredLegalEntity | undefined {
  if (decision.kind === 'none') return undefined
  const { entityNumber, legalEntityNumber } = decision.best.evidence.comparison.candidate
  const stored = reader.entityByNumber(entityNumber)
  return stored?.legalEntities.find(({ number }) => number === legalEntityNumber)
}

/** Answers a query by its name, and doubts the answer: the identifiers are of a company that the name does not find. */
export function answerOtherCompany(
  { found }: Pick<UnmatchedIdentifiers, 'found'>,
  judge: Pick<NameJudge, 'matchName'>,
  deps: ResolveDeps,
): Resolution {
  const match = judge.matchName()
  const answer = answerFor(match, deps)
  const factors = found.map((one) => createOtherNameFactor(one, deps, 'high'))
  const actions = [...answer.actions, checkIdentifier]
  const doubted = { ...answer, factors: [...factors, ...answer.factors], actions }
  const registration = findMatched(match, deps)
  return registration === undefined ? doubted : toNamesakeAnswer(doubted, registration)
}

/** "BIC Holdings" has the form of an identifier, but may be a name. */
function answerWholeText({ query, wrong }: UnmatchedIdentifiers, deps: ResolveDeps): Resolution | null {
  if (wrong.length > 0) return null
  const match = matchName(query, deps)
  const [best] = match.decision.kind === 'entity' ? [match.decision.best] : []
  return best?.evidence.comparison.matchType === 'exact' ? answerFor(match, deps) : null
}

function createOtherNameFactor(
  { identifier, entityNumbers: [first], isSure }: FoundIdentifier,
  { reader }: ResolveDeps,
  impact: Impact = 'medium',
): Factor {
  const stored = first === undefined ? null : reader.outlineByNumber(first)
  const unplaced = isSure ? '' : `, of which no ${nameMissingPlace(identifier)} is known,`
  const text = `${formatLabel(identifier)}${unplaced} is that of ${stored === null ? 'another name' : quoteName(getPrimary(stored).legalName)}.`
  return createLimitation('identifier_name_mismatch', text, impact)
}

/** Returns no match: the identifier cannot be that of the company of this name, which may be a namesake. */
function toNamesakeAnswer(answer: Resolution, registration: StoredLegalEntity): Resolution {
  return {
    ...answer,
    status: 'inconclusive',
    match_confidence: Math.min(answer.match_confidence, disagreeingConfidence),
    entity: null,
    candidate: toCandidate(registration),
    basis: [],
  }
}

const giveName: Action = {
  code: 'provide_full_legal_name',
  description: 'Give the full legal name as registered.',
}

/** Answers a query without a name whose identifiers are unknown or invalid. */
function buildNoHolderAnswer(
  identifiers: readonly StatedIdentifier[],
  wrong: readonly WrongIdentifier[],
): Resolution {
  return {
    ...buildEmptyAnswer(identifiers.length === 0 ? 'not_found' : 'no_match'),
    factors: [
      ...identifiers.map((identifier) => createMissingFactor(identifier, 'high', [])),
      ...wrong.flatMap((one) => listWrongFactors(one, 'high', [])),
    ],
    actions: [checkIdentifier, giveName],
  }
}

/**
 * Finds the company with a registrable domain. If no registration states it, a company with its name is a candidate:
 * "larkmoor.com" may be that of Larkmoor Ltd. A name of several words, or the town of the row, makes it the answer.
 */
export function answerDomain(
  query: NameQuery,
  deps: ResolveDeps & { readonly domains: DomainDeps },
): Resolution {
  const answer = resolveDomain(query.name, deps.domains)
  const match = answer.status === 'no_match' ? matchDomainName(query, deps) : null
  const registration = match === null ? undefined : findMatched(match, deps)
  if (match === null || match.decision.kind === 'none' || registration === undefined) return answer
  const { comparison, place } = match.decision.best.evidence
  const isSure = comparison.candidate.tokens.length > 1 || /^(?:postal|city)$/.test(place)
  const text = `No register in this registry states a website under ${query.name}, but ${quoteName(registration.legalName)} has its name.`
  const named = answerFor(match, deps)
  const own = createLimitation('website_official_status', text, 'medium')
  const unnamed = createLimitation('no_legal_entity_confirmed', text, 'high')
  return {
    ...(isSure ? named : toNamesakeAnswer(named, registration)),
    match_confidence: Math.min(named.match_confidence, isSure ? 85 : 49),
    factors: isSure ? [...named.factors, own] : [unnamed, createNameFactor(comparison, registration)],
  }
}

/** Matches a domain as a name; `null` unless a company has exactly this name. */
export function matchDomainName(query: NameQuery, deps: ResolveDeps): NameMatch | null {
  const match = matchName(query, deps)
  return match.ranked[0]?.evidence.comparison.matchType === 'exact' ? match : null
}
