import { quoteName } from '../../core/text.js'
import { calculateDistance } from '../../core/word-forms.js'
import { type Resolution, matchedConfidenceMin, type Candidate } from '../../contract/result.js'
import { parseSeveralNames, type CandidateName } from '../match/candidate.js'
import {
  combineMatches,
  decide,
  noRanking,
  rankCompanies,
  type MatchDecision,
  type MatchQuery,
  type RankedCompany,
  type Ranking,
} from '../match/rank.js'
import { fittedCoefficients, type Coefficients } from '../match/model.js'
import { removeProcedure, spellOutShortForms, unknownLetter } from '../normalize/clean-text.js'
import { listCountryWords } from '../match/left-words.js'
import { parseLocation } from '../match/parse-location.js'
import { foldText } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { divideTranslation, findAround, removeRemarks } from '../match/around-name.js'
import { findCountryWords } from '../match/place-readings.js'
import { findNamedField, listTownInitials, writeCountryLetters } from '../match/named-field.js'
import { readText } from '../match/query-text.js'
import { readNativeName } from '../normalize/native-scripts.js'
import { change, getWritings } from '../match/other-writings.js'
import { writeInOneScript } from '../normalize/parsed-name.js'
import { findSicLabel } from '../reference/industry-codes.js'
import romanized from '../reference/romanized-letters.json' with { type: 'json' }
import type { Vocabulary } from '../match/vocabulary.js'
import type { CandidateFinder } from '../store/blocking.js'
import type { StoredEntity, StoreReader, StoredLegalEntity } from '../store/reader.js'
import { buildBasis } from './basis.js'
import { formatAddress, getStatus } from './registration-facts.js'
import { getPrimary, buildResultEntity } from './entity-record.js'
import { listLikelyCompanies } from './evidence-texts.js'
import { listActions, buildFactors, createLimitation, describeNames } from './factors.js'
import { listReasons, type Match } from './reasons.js'
import { findRegionCode } from '../normalize/places.js'

/** Builds an answer without a match. `closest`: the most similar name, and what speaks most against it. */
export const buildEmptyAnswer = (
  status: 'no_match' | 'not_found',
  closest: { readonly name: string; readonly against: string | null } | null = null,
): Resolution => {
  if (closest === null) return buildUnmatched(status, 'No registration has this name or one close to it.')
  const held = `The closest name held is ${quoteName(closest.name)}`
  return buildUnmatched(
    status,
    `${held}${closest.against === null ? ': the names differ too much.' : `. ${closest.against}`}`,
  )
}

function buildUnmatched(status: 'no_match' | 'not_found', nothing: string): Resolution {
  const isNamed = status === 'no_match'
  const text = isNamed ? nothing : 'The name holds too few letters or digits to look for.'
  return {
    status,
    match_confidence: 0,
    type: null,
    subtype: null,
    entity: null,
    candidate: null,
    factors: [createLimitation(isNamed ? 'no_legal_entity_confirmed' : 'name_too_generic', text, 'high')],
    actions: [
      { code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' },
      ...(isNamed ? [{ code: 'verify_address', description: 'Check the place of the company.' }] : []),
    ],
    merged_into: null,
    basis: [],
    classification: null,
  }
}

/** Builds the interface's answer for a decision ("v3 job result"). */
function buildAnswer(
  match: Match,
  stored: StoredEntity,
  registration: StoredLegalEntity,
  reader: StoreReader,
  isTownGiven: boolean,
): Resolution {
  const find = (one: CandidateName) => findRegistration(reader, one)?.registration ?? null
  const shared = {
    match_confidence: match.confidence,
    type: registration.type,
    subtype: registration.subtype,
    factors: buildFactors(match, stored, registration, find),
    actions: listActions(match, registration, isTownGiven),
    merged_into: null,
    classification: classifyAnswer(match),
  }
  if (match.kind === 'candidate') {
    return {
      ...shared,
      status: 'inconclusive',
      entity: null,
      candidate: toCandidate(registration),
      basis: [],
    }
  }
  const entity = buildResultEntity(stored, registration)
  return {
    ...shared,
    status: match.confidence >= matchedConfidenceMin ? 'matched' : 'partial_match',
    entity,
    candidate: null,
    basis: buildBasis(entity, getPrimary(stored), stored),
  }
}

export function toCandidate(registration: StoredLegalEntity): Candidate {
  const { address } = registration
  const stateCode = address.region === null ? null : findRegionCode(address.countryCode, address.region)
  return {
    name: registration.displayName,
    legal_name: registration.legalName,
    jurisdiction: registration.jurisdiction,
    status: getStatus(registration),
    description: null,
    primary_address: {
      full_address: formatAddress(address),
      state_code: stateCode,
      country_code: address.countryCode,
    },
  }
}

function classifyAnswer(match: Match): string {
  const { contextCount, siblings } = match.best.evidence
  // A name of several companies stays ambiguous if only the context distinguishes them.
  const isToldByContext = contextCount > 0 && siblings.exactCount > 1
  if (match.rivals.length > 0 || isToldByContext) return 'ambiguous'
  return match.best.evidence.comparison.isGeneric ? 'generic' : 'specific'
}

/** Dependencies for answering queries. */
export interface ResolveDeps {
  readonly find: CandidateFinder['find']
  readonly vocabulary: () => Vocabulary
  readonly reader: StoreReader
}

/** A query to the registry. */
export interface NameQuery {
  readonly name: string
  readonly location: string | null
  readonly context: string | null
}

/** The decision, and every company found, most likely first. */
export interface NameMatch extends Ranking {
  /** The name has enough letters or digits for a search. */
  readonly isReadable: boolean
  /** The query names a town or a postal code. */
  readonly isTownGiven: boolean
  readonly decision: MatchDecision
}

/** Matches name and place. `coefficients` allows experiments; `isLeftOut` excludes companies. */
export function matchName(
  query: NameQuery,
  deps: ResolveDeps,
  coefficients: Coefficients = fittedCoefficients,
  isLeftOut?: (candidate: CandidateName) => boolean,
): NameMatch {
  // Each call looks whether the file has changed.
  const vocabulary = deps.vocabulary()
  const searched = { find: deps.find, vocabulary: () => vocabulary }
  const asked = readQuery(query, vocabulary)
  if (asked === null)
    return { isReadable: false, isTownGiven: false, decision: { kind: 'none' }, ...noRanking }
  const isTownGiven = asked.hint?.namesTown === true
  const names = findCandidateNames(asked, searched, isLeftOut)
  const several = findCompanyNames(query.name, asked, names, searched)
  if (several.length > 1) {
    const matches = several.map((name) => matchName({ ...query, name }, deps, coefficients, isLeftOut))
    return { isReadable: true, isTownGiven, ...combineMatches(matches, several) }
  }
  const rank = (contextCount?: (candidate: CandidateName) => number) =>
    rankCompanies(asked, names, vocabulary, contextCount, coefficients)
  let ranking = rank()
  if (query.context !== null && ranking.ranked.length > 1) {
    // Reading a company's facts costs more than comparing its name: only likely companies are read.
    const counts = new Map(
      ranking.ranked
        .slice(0, contextCompaniesMax)
        .map(({ evidence: { comparison } }) => comparison.candidate)
        .map((candidate) => [
          candidate.entityNumber,
          countContextWords(query.context, candidate, deps.reader),
        ]),
    )
    ranking = rank(({ entityNumber }) => counts.get(entityNumber) ?? 0)
  }
  return { isReadable: true, isTownGiven, decision: decide(ranking), ...ranking }
}

const contextCompaniesMax = 12

/** Splits a text that names several companies; empty for one name, or if the whole text is a stored name. */
function findCompanyNames(
  name: string,
  { texts: [whole] }: MatchQuery,
  found: readonly CandidateName[],
  deps: Pick<ResolveDeps, 'find' | 'vocabulary'>,
): readonly string[] {
  const several = parseSeveralNames(removeRemarks(name))
  if (several === null || found.some(({ fullKey }) => fullKey === whole?.fullKey)) return []
  if (divideTranslation(name) !== null) return []
  const asked = several.names.map((part) => readQuery({ name: part, location: null }, deps.vocabulary()))
  const keys = asked.map((one) => one?.texts[0]?.coreKey)
  // "NORVANE / Norvane Inc." is one name.
  if (new Set(keys).size === 1) return []
  const find = (one: MatchQuery) => deps.find(one.texts, deps.vocabulary(), one.writings)
  const isHeld = (one: MatchQuery | null, at: number) =>
    one !== null && find(one).some(({ coreKey }) => coreKey === keys[at])
  return several.areStated || asked.every(isHeld) ? several.names : []
}

/** Returns `null` for a name without letters and digits. */
export function readQuery(
  { name: written, location }: Pick<NameQuery, 'name' | 'location'>,
  vocabulary: Vocabulary,
): MatchQuery | null {
  const given = writeInOneScript(written)
  const field = findNamedField(given)
  const bare = removeProcedure(removeRemarks(field))
  const around = findAround(given, bare)
  const hint = parseLocation(location)
  // "T-Mobile" in the US is "T-Mobile US".
  const countries = hint === null || hint.isTownWithDe ? [] : [...hint.countries]
  const names = (divideTranslation(bare) ?? [bare]).map((part) => spellOutShortForms(part, countries))
  const stated = foldText(location ?? '', matchLimits.locationCharsMax).split(' ')
  const placeWords = new Set([...stated, ...findCountryWords(bare, countries)])
  const isArabic = countries.some((code) => romanized.countries.Arabic.includes(code))
  const facts = {
    placeWords,
    isSpoken: isArabic || vocabulary.mayBeHeard(bare),
    isWord: (word: string) => vocabulary.countNames(word) > 0,
    isNearWord: (word: string) =>
      vocabulary.findSpellings(word).some((near) => calculateDistance(word, near, 1) === 1) ||
      (word.includes(unknownLetter) && vocabulary.findExpansions(word).length > 0),
  }
  const initials = listTownInitials(location ?? '')
  const readName = (name: string, at: number) => {
    const readings = [...readNativeName(name), ...writeCountryLetters(name, countries)]
    const native = readings.map(({ text, how }) => readText(text, facts, { how, native: name }))
    const rest = [around, names[1 - at] ?? ''].filter(Boolean).join(' ')
    return [readText(name, facts), ...native].flatMap((text) =>
      text === null ? [] : rest === '' ? [text] : [change(text, { around: rest })],
    )
  }
  // The whole may be a name too, and so may a word for an addressee in front.
  const isFrontCut = !field.trimStart().startsWith(bare.slice(0, 4))
  const whole = field.length < given.length || isFrontCut ? readText(given, facts) : null
  const undivided = names.length === 1 ? null : readText(bare, facts)
  const read = names.map(readName)
  const first = read.flatMap(([one]) => one ?? [])
  const others = [undivided, ...read.flatMap(([, ...more]) => more), whole].flatMap((text) => text ?? [])
  const texts = [...first, ...others]
  const words = texts.map((text) => text.words.map((word) => word.text).join(' '))
  if (texts.length === 0) return null
  return {
    texts: texts.filter((_, at) => words.indexOf(words[at] ?? '') === at).slice(0, matchLimits.textsMax),
    hint,
    writings: (countries.length === 0 ? [''] : countries).flatMap((country) => getWritings(country)),
    placeWords: new Set([...placeWords, ...countries.flatMap(listCountryWords), ...initials]),
  }
}

/** Returns candidate names, except signs like "&". `isLeftOut`: candidates that a measurement excludes. */
export function findCandidateNames(
  { texts, writings }: MatchQuery,
  { find, vocabulary }: Pick<ResolveDeps, 'find' | 'vocabulary'>,
  isLeftOut: (candidate: CandidateName) => boolean = () => false,
): CandidateName[] {
  return find(texts, vocabulary(), writings).filter(
    (candidate) => /[\p{L}\p{N}]/u.test(candidate.name) && !isLeftOut(candidate),
  )
}

/** Builds the answer of a match from the stored company. */
export function answerFor(match: NameMatch, deps: ResolveDeps): Resolution {
  const { isReadable, isTownGiven, decision } = match
  if (decision.kind === 'none') {
    if (decision.names !== undefined)
      return buildUnmatched(
        'no_match',
        `${describeNames(decision.names)} No registration has one of these names.`,
      )
    const [closest] = listLikelyCompanies(match)
    const held = closest && {
      name: closest.evidence.comparison.candidate.name,
      against: findObjection(closest, match, deps),
    }
    return buildEmptyAnswer(isReadable ? 'no_match' : 'not_found', held)
  }
  const found = findRegistration(deps.reader, decision.best.evidence.comparison.candidate)
  if (found === null) throw new Error('a name in the index belongs to no registration')
  return buildAnswer(decision, found.stored, found.registration, deps.reader, isTownGiven)
}

/** Returns what speaks most against a company, or `null`. */
function findObjection(best: RankedCompany, match: NameMatch, { reader }: ResolveDeps): string | null {
  const found = findRegistration(reader, best.evidence.comparison.candidate)
  const asked = { ...match, kind: 'candidate', best, rivals: [], confidence: 0 } as const
  const reasons = found === null ? [] : listReasons(asked, found.registration)
  const [first, second] = ['high', 'medium', 'low'].flatMap((impact) =>
    reasons.filter((one) => one.type === 'limitation' && one.impact === impact),
  )
  const others = second === undefined || second.impact === 'low' ? '' : ` ${second.description ?? ''}`
  return first === undefined ? null : `${first.description ?? ''}${others}`
}

/** Reads the company and the registration of a name; `null` if either is missing. */
export function findRegistration(
  reader: StoreReader,
  { entityNumber, legalEntityNumber }: CandidateName,
): { stored: StoredEntity; registration: StoredLegalEntity } | null {
  const stored = reader.entityByNumber(entityNumber)
  const registration = stored?.legalEntities.find(({ number }) => number === legalEntityNumber)
  return stored && registration ? { stored, registration } : null
}

/** Counts distinctive context words among the company's facts, apart from its name. */
function countContextWords(context: string | null, candidate: CandidateName, reader: StoreReader): number {
  const stored = reader.entityByNumber(candidate.entityNumber)
  if (!stored) return 0
  const told = new Set(foldText(context ?? '', matchLimits.contextCharsMax).split(' '))
  const name = new Set(candidate.tokens)
  return [...listFactWords(stored)].filter((word) => word.length >= 3 && !name.has(word) && told.has(word))
    .length
}

function listFactWords(stored: StoredEntity): Set<string> {
  const texts = stored.legalEntities.flatMap((registration) => [
    registration.website?.replace(/^\w+:\/\/(?:www\.)?/, '') ?? '',
    registration.sic === null ? '' : (findSicLabel(registration.sic) ?? ''),
    registration.address.city ?? '',
    registration.address.region ?? '',
    registration.parentName ?? '',
    ...registration.names.map(({ name }) => name),
    ...registration.identifiers.map(({ value }) => value),
  ])
  return new Set(texts.flatMap((text) => foldText(text).split(' ')))
}
