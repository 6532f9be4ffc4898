import {
  type StatedIdentifier,
  readContextIdentifiers,
  readIdentifiers,
  type NameWithIdentifiers,
} from '../../core/numbers/stated-identifiers.js'
import { findNumberKind, haveOneShape, toCanonicalIdentifier } from '../../core/identifiers.js'
import {
  areDifferentEntries,
  findCodedCountry,
  parseCourtNumber,
  findUniqueForm,
  hasLocalOffices,
  readOfficeNumber,
} from '../../core/numbers/court-numbers.js'
import {
  hasSerialLetters,
  listNestedNumbers,
  toContainedNumber,
  withBrackets,
} from '../../core/numbers/number-forms.js'
import {
  closeNumber,
  findNumberForm,
  hasPlainForm,
  isSiteNumber,
  removePrefix,
  toCompanyNumber,
  writeUsual,
} from '../../core/numbers/national-numbers.js'
import { compareYears, readLabelledNumber, writeLatin } from '../../core/numbers/registry-suffix.js'
import { classifyNameWord } from '../match/compare-words.js'
import { isCountryWord, areOfOtherTowns } from '../match/place-readings.js'
import type { CandidateName } from '../match/candidate.js'
import type { NameComparison } from '../match/compare-names.js'
import type { LeftoverWords, LeftWord } from '../match/left-words.js'
import { parseLocation } from '../match/parse-location.js'
import type { TextWord } from '../match/query-text.js'
import { getUsualCount } from '../match/word-classes.js'
import { dropZeros } from '../model/identifiers.js'
import { haveOtherTrades, isInOtherScript } from '../normalize/native-scripts.js'
import { namesTrade } from '../normalize/normalize-name.js'
import { toPlaceKey } from '../normalize/places.js'

/** An identifier of a query, and the companies that have it. */
export interface FoundIdentifier {
  readonly identifier: StatedIdentifier
  /** Without duplicates, most likely first. */
  readonly entityNumbers: readonly number[]
  /** Unambiguous: register or exchange is stated. */
  readonly isSure: boolean
  /** All companies with the number, if the town of the query tells its court. */
  readonly elsewhere?: readonly number[]
}
type AllFound = readonly FoundIdentifier[]

/** How well a name fits a company; higher is better. `open`: undecided, counted in favour of the company. */
const nameGrades = { foreign: 0, open: 1, same: 2, exact: 3 } as const
export type NameGrade = keyof typeof nameGrades
export type Doubt = 'unplaced' | 'elsewhere' | 'of_group'

interface DecidedCompany {
  readonly entityNumber: number
  /** The identifiers that identify it, the strongest first. */
  readonly by: readonly FoundIdentifier[]
}

/**
 * The company meant by a query with identifiers. `unknown`: no register has them, or only ambiguous ones fit, of a company of another name.
 * `named_elsewhere`: it is in the town given, and others with the number have the name. `doubt`: only an ambiguous one fits, without a name
 * (`unplaced`) or at another place (`elsewhere`), or only the website, and the name may be that of another company of the group (`of_group`).
 */
export type IdentifiedDecision =
  | { readonly kind: 'unknown' }
  | (DecidedCompany & { readonly kind: 'one'; readonly doubt: Doubt | null })
  | (DecidedCompany & { readonly kind: 'name_disagrees' | 'identifiers_disagree' })
  /** An identifier means the company, and another one of the query cannot be its own. */
  | (DecidedCompany & { readonly kind: 'identifier_differs'; readonly conflict: IdentifierConflict })
  | (DecidedCompany & { readonly kind: 'several' | 'named_elsewhere'; readonly others: readonly number[] })

/**
 * Decides which company the identifiers of a query mean, given the companies found by each. `found`: the strongest
 * first. `gradeName`: grades the name for a company; `null` without a name. `chooseBest`: chooses between companies
 * that fit identifiers and name; `null` if undecided. `isAlike`: whether the name is similar, also if it is that of another company.
 */
export function decideIdentified(
  found: AllFound,
  gradeName: ((entityNumber: number) => NameGrade) | null,
  chooseBest: (entityNumbers: readonly number[]) => number | null = () => null,
  isAlike: (entityNumber: number) => boolean = () => true,
): IdentifiedDecision {
  const isAgreeing = (number: number) => gradeName !== null && gradeName(number) !== 'foreign'
  const sure = found.filter(({ isSure }) => isSure)
  const by = sure.length === 0 ? found : withAgreeing(sure, found)
  const common = intersectCompanies(by)
  const [entityNumber, ...others] = gradeName === null ? common : pickBestNamed(common, gradeName)
  if (entityNumber === undefined) {
    const all = [...new Set(by.flatMap(({ entityNumbers }) => entityNumbers))]
    const [first, second] = all.filter(isAgreeing)
    const candidate = first !== undefined && second === undefined ? first : all[0]
    if (candidate === undefined) return { kind: 'unknown' }
    return { kind: 'identifiers_disagree', entityNumber: candidate, by }
  }
  const isNamed = (one: number) => gradeName?.(one) === 'exact'
  const named = by.flatMap(({ elsewhere = [] }) => elsewhere.filter(isNamed))
  if (sure.length === 0 && named.length > 0 && !isNamed(entityNumber) && isAlike(entityNumber))
    return { kind: 'named_elsewhere', entityNumber, others: named, by }
  const isForeign = gradeName !== null && !isAgreeing(entityNumber)
  if (isForeign && sure.length === 0) return { kind: 'unknown' }
  const likeliest = others.length === 0 || isForeign ? null : chooseBest([entityNumber, ...others])
  const isShared = by.every(({ identifier }) => identifier.kind === 'website')
  const findDoubt = (one: number) => (isShared && gradeName?.(one) === 'open' ? 'of_group' : null)
  if (likeliest !== null) return { kind: 'one', entityNumber: likeliest, by, doubt: findDoubt(likeliest) }
  if (others.length > 0) return { kind: 'several', entityNumber, others, by }
  if (isForeign) return { kind: 'name_disagrees', entityNumber, by }
  const isUnplaced = sure.length === 0 && gradeName === null
  return { kind: 'one', entityNumber, by, doubt: isUnplaced ? 'unplaced' : findDoubt(entityNumber) }
}

/** Doubts a company found only by ambiguous identifiers, if its place contradicts that of the query. */
export const withPlaceDoubt = <Decision extends IdentifiedDecision>(decision: Decision): Decision =>
  decision.kind === 'one' && decision.by.every(({ isSure }) => !isSure)
    ? { ...decision, doubt: 'elsewhere' }
    : decision

/** Drops ambiguous identifiers that contradict unambiguous ones. */
function withAgreeing(sure: AllFound, found: AllFound): FoundIdentifier[] {
  const common = new Set(intersectCompanies(sure))
  return found.filter(({ isSure, entityNumbers }) => isSure || entityNumbers.some((one) => common.has(one)))
}

function intersectCompanies([first, ...others]: AllFound): number[] {
  return (first?.entityNumbers ?? []).filter((number) =>
    others.every(({ entityNumbers }) => entityNumbers.includes(number)),
  )
}

/** Keeps the companies that the name fits best. */
function pickBestNamed(entityNumbers: readonly number[], gradeName: (number: number) => NameGrade): number[] {
  const gradeMax = Math.max(...entityNumbers.map((number) => nameGrades[gradeName(number)]))
  return entityNumbers.filter((number) => nameGrades[gradeName(number)] === gradeMax)
}

/** A text in the place of an identifier: wrong check digits, too many digits. */
export interface WrongIdentifier extends StatedIdentifier {
  readonly reason: string
}

export interface QueryIdentifiers extends NameWithIdentifiers {
  readonly wrong: readonly WrongIdentifier[]
}

/** A query by name, and the identifiers in its context. */
export interface ToldIdentifiers extends Omit<QueryIdentifiers, 'name'> {
  /** The context without them; `null` if nothing remains. */
  readonly context: string | null
}

/** Text that is no name: letters and digits after a label, or the form of an LEI. */
const forms = [
  { type: 'lei', pattern: /^(?:LEI\s*[:#]?\s+)?([A-Z0-9]{18}\d{2})$/i },
  { type: 'cik', pattern: /^CIK\s*[:#]?\s+(\d[\d\s]{0,30})$/i },
  { type: 'ein', pattern: /^EIN\s*[:#]?\s+(\d[\d\s-]{0,30})$/i },
] as const

/** Reads the labelled identifiers in a context, where others may be any number, including invalid ones; `null` if it has none. */
export function readToldIdentifiers(text: string | null): ToldIdentifiers | null {
  const { text: rest, identifiers } = readContextIdentifiers(text)
  const parts = rest === null ? [] : rest.split(',').map((part) => part.trim())
  const isWrong = (part: string) => /^(?:LEI|CIK|EIN)\b/i.test(part) && findWrong(part) !== null
  const wrong = parts.filter(isWrong).flatMap((part) => findWrong(part) ?? [])
  if (identifiers.length + wrong.length === 0) return null
  return { identifiers, wrong, context: parts.filter((part) => !isWrong(part)).join(', ') || null }
}

/** Reads the identifiers in a name, including invalid ones, which are not part of it either. `location`: that of the row. */
export function readQueryIdentifiers(text: string, location: string | null = null): QueryIdentifiers {
  const read = readIdentifiers(text)
  if (read.identifiers.length > 0) return { ...read, wrong: [] }
  const trimmed = text.trim()
  const [, name = null, bracket] = withBrackets.exec(trimmed) ?? []
  const parts = (bracket ?? trimmed).split(',').map((part) => part.trim())
  const wrong = parts.flatMap((part) => findWrong(part) ?? [])
  const others = parts.filter((part) => findWrong(part) === null)
  const rest = readIdentifiers(others.join(', '))
  if (wrong.length === 0 || (others.length > 0 && rest.identifiers.length !== others.length))
    return { ...(readLabelledNumber(text, () => parseLocation(location)?.countries) ?? read), wrong: [] }
  return { name, identifiers: rest.identifiers, wrong }
}

/** True if a query is resolved by identifiers instead of by name. */
export function hasIdentifiers(query: { readonly name: string; readonly context: string | null }): boolean {
  const { identifiers, wrong } = readQueryIdentifiers(query.name)
  return identifiers.length + wrong.length > 0 || readToldIdentifiers(query.context) !== null
}

function findWrong(part: string): WrongIdentifier | null {
  for (const { type, pattern } of forms) {
    const value = pattern.exec(part)?.[1]
    const canonical = value === undefined ? null : toCanonicalIdentifier(type, value)
    if (value !== undefined && canonical !== null && 'reason' in canonical)
      return { kind: type, value: value.toUpperCase(), place: null, reason: canonical.reason }
  }
  return null
}

/** Why an identifier of the query is not that of a company: a code of the interface, and a sentence. */
export interface IdentifierConflict {
  readonly code: 'identifier_mismatch' | 'identifier_not_found'
  readonly text: string
}

/**
 * Whether two numbers in a country are of one kind and differ: a company has one of them at most. `HRB 501` and a tax
 * number may be of one company. So may an ACN and an ABN that contains it, or the ABN of a trust, which contains none.
 * `isPlaced`: both are known to be of this country.
 */
export function areDifferentNumbers(country: string, held: string, told: string, isPlaced: boolean): boolean {
  const [one, other] = [writeUsual(country, held), writeUsual(country, told)]
  if (told.includes(' / '))
    return told.split(' / ').every((part) => areDifferentNumbers(country, held, part, isPlaced))
  const [ours = null, theirs = null] = country === 'de' ? [one, other].map(parseCourtNumber) : []
  if (ours !== null && theirs !== null) return areDifferentEntries(ours, theirs)
  const [own, their] = [readOfficeNumber(country, one), readOfficeNumber(country, other)]
  const bare = !own === !their ? null : own ? other : one
  if (bare !== null && findUniqueForm(country, closeNumber(bare)) >= 0) return false
  if (own && their && (own.office ?? their.office) !== null) {
    const isElsewhere = areOfOtherTowns(country, own.office, their.office)
    return isElsewhere || areDifferentNumbers(country, own.number, their.number, isPlaced)
  }
  if (compareYears(one, other) !== null) return false
  if (listNestedNumbers(country, one).includes(closeNumber(other))) return false
  if (listNestedNumbers(country, other).includes(closeNumber(one))) return false
  const [prefix = null] = [one, other].flatMap((text) => drawnNumber.exec(text)?.[1]?.toUpperCase() ?? [])
  const a = toComparedNumber(country, writeLatin(one), prefix)
  const b = toComparedNumber(country, writeLatin(other), prefix)
  const [inOne, inOther] = [toContainedNumber(country, one), toContainedNumber(country, other)]
  const isOneKind = a.kind === b.kind && (inOne === null) === (inOther === null)
  const isContained = (inOne ?? inOther) !== null
  if (!isOneKind) return isContained && areDifferentNumbers(country, inOne ?? one, inOther ?? other, isPlaced)
  if (isSameNumber(a.number, b.number)) return false
  if (a.isOneRegister && (isPlaced || a.kind.startsWith('form '))) return true
  return haveOneShape([one, a.number], [other, b.number])
}

/** Lists omit letters behind the digits: `HRB 501` for `HRB 501 B`. */
const isSameNumber = (one: string, other: string): boolean =>
  one === other || one.replace(lettersBehind, '') === other || other.replace(lettersBehind, '') === one
const lettersBehind = /(?<=\d)[A-Z]+$/
interface ComparedNumber {
  /** Without punctuation; of a country without forms, without leading zeros too. */
  readonly number: string
  /** The form, or the letters before the digits. */
  readonly kind: string
  readonly isOneRegister: boolean
}

/** Letters of a register, and letters and digits drawn at random: `PVT-AB12C3`. */
const drawnNumber = /^\s*([A-Z]{2,5})\s?[/-]\s?(?=[A-Z\d]*[A-Z][A-Z\d]*\d)[A-Z\d]{5,}\s*$/i

function toComparedNumber(country: string, text: string, drawn: string | null): ComparedNumber {
  const closed = closeNumber(toCompanyNumber(country, text) ?? text)
  const form = findNumberForm(country, closed)
  if (hasSerialLetters(country, closed)) return { number: closed, kind: 'form serial', isOneRegister: true }
  const kind = findNumberKind(country, closeNumber(text)) ?? findNumberKind(country, closed)
  if (kind !== null) return { number: closed, kind: `form ${kind}`, isOneRegister: true }
  if (isSiteNumber(country, text)) return { number: closed, kind: `other ${closed}`, isOneRegister: false }
  if (form === undefined) {
    const bare = removePrefix(country, closed)
    // A VAT number of another length than the numbers of the register.
    if (bare !== closed && [closed, bare].every((one) => hasPlainForm(country, one) === false))
      return { number: closed, kind: 'tax', isOneRegister: false }
    const isDrawn = drawn !== null && closed.startsWith(drawn) && /[A-Z]/.test(closed.slice(drawn.length))
    if (isDrawn) return { number: closed, kind: `letters drawn ${drawn}`, isOneRegister: true }
    const isAny = ['gb', 'us'].includes(country) || findCodedCountry(text) !== null
    const letters = isAny ? 'any' : (/^[A-Z]*/.exec(closed)?.[0] ?? '')
    return { number: dropZeros(country, closed), kind: `letters ${letters}`, isOneRegister: letters !== '' }
  }
  // A branch in Brazil has the first eight digits of its company.
  const number = country === 'br' ? closed.slice(0, 8) : closed
  return { number, kind: form === null ? `other ${number}` : `form ${form}`, isOneRegister: form !== null }
}

/** Words in that many of 100,000 names tell little. */
const usualCountMin = 80
/** A word of that weight in the registry is as usual there, as a region's name is. */
const sharedWeightMin = Math.log(100_000 / usualCountMin)

/**
 * True if a text and a name each have words that the other lacks, and state two trades, or have no telling word in common: only
 * a trade, a place or a usual word. "Menuiserie Atlas" is not "Menuiserie Benjelloun et Fils".
 */
export function namesAnother(comparison: NameComparison): boolean {
  const { alignment, candidate, left, queryLeftover, nameLeftover: missing } = comparison
  const missingWords = alignment.missing.map((at) => candidate.tokens[at] ?? '')
  // A word that a column has cut off is the beginning of one of the name.
  const isOther = ({ word, role }: LeftWord) =>
    role === 'cut' && !missingWords.some((one) => one.startsWith(word.text))
  const hard = queryLeftover.hard + left.filter(isOther).length
  // Initials of several words are rarely those of another name.
  const areInitials = alignment.pairs.some((one) => one.nameCount > 1 && one.match.kind === 'abbreviated')
  if (areInitials || hard + queryLeftover.soft === 0 || missing.hard + missing.soft === 0) return false
  const own = left.flatMap(({ word, role }) => (role === null ? toTradeWord(word) : []))
  const all = comparison.text.words.flatMap(toTradeWord)
  if (haveOtherTrades({ own, all }, { own: missingWords, all: candidate.tokens })) return true
  const words = alignment.pairs.flatMap(({ nameAt, nameCount }) =>
    candidate.tokens.slice(nameAt, nameAt + nameCount),
  )
  const telling = words.filter((word) => isTelling(word, candidate))
  const isShared = comparison.sharedCount === 1 && comparison.rarestWeight < sharedWeightMin
  if (hard > 0 && missing.hard > 0)
    return isShared || telling.every((word) => getUsualCount(word) >= usualCountMin)
  return telling.length === 0 && words.filter((word) => classifyNameWord(word) !== 'light').length <= 1
}

const toTradeWord = ({ text, wordClass }: TextWord): string[] =>
  wordClass === 'telling' || wordClass === 'generic' ? [text] : []

/** True for a word that tells a company apart: no trade, country, or town of the company. */
const isTelling = (word: string, { place }: CandidateName): boolean =>
  classifyNameWord(word) === 'telling' &&
  !isCountryWord(word) &&
  word !== toPlaceKey(place.cityKey) &&
  !namesTrade(word)

/** The same words and the same kind of legal form: "Norvane Public Limited Company" is Norvane plc. */
export const isLegalName = ({ matchType, isPart, form, isFormStated }: NameComparison): boolean =>
  matchType === 'exact' && !isPart && form === 'same' && isFormStated

/** "Larkmoor Foods Ltd" is more specific than "Larkmoor plc"; "Larkmoor" is less specific than "Larkmoor Foods Ltd". */
export function hasMoreWords(comparison: NameComparison): boolean {
  const { matchType, numbersAgree, queryLeftover } = comparison
  if (matchType === 'acronym' || matchType === 'completed') return false
  return !numbersAgree || (countDistinctive(queryLeftover) > 0 && !isSetApart(comparison))
}

/** The whole name, with its legal form if there is one, is apart from the other words: "Larkmoor Foods - Tulsa Plant". */
const isSetApart = ({ matchType, isApartBefore, isApartBehind, statedForm, isFormNext }: NameComparison) =>
  matchType === 'exact' && isApartBefore && isApartBehind && (statedForm === null || isFormNext)
export const countDistinctive = ({ hard, soft, number }: LeftoverWords): number => hard + soft + number

/** Names the place that an identifier does not state: a number has a court or a state, a symbol an exchange. */
export function nameMissingPlace({ kind, place }: StatedIdentifier): string {
  if (kind !== 'registration_id') return 'exchange'
  if (place === null) return 'country'
  return hasLocalOffices(place.slice(0, 2)) ? 'court' : 'register, state or year'
}

export const describeOtherName = (name: string, names: readonly string[]): string =>
  isInOtherScript(name, names) ? 'is in another script' : 'is no name of it'
