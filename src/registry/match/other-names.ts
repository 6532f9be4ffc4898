import { identifierHeaders, listNumberKeys } from '../../core/header-words.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import {
  countriesOfAdded,
  countriesOfHeader,
  isPlainLabel,
  numberWords,
  taxHeaders,
} from '../../core/identifiers.js'
import { findCourt, formatCourtNumber, parseCourtNumber } from '../../core/numbers/court-numbers.js'
import { readTaxNumber } from '../../core/numbers/national-numbers.js'
import { toStatedIdentifier, type StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import { toHeaderKey, toHeaderKeys } from '../../core/text.js'
import wordTables from '../reference/word-classes.json' with { type: 'json' }
import { andWords } from './word-runs.js'
import { cap, type Evidence, type Feature } from './evidence.js'
import type { NameComparison } from './compare-names.js'
import type { LeftWord } from './left-words.js'
import { hasOtherMeaning, type WordClass } from './word-classes.js'
import { findFormAt } from '../normalize/legal-forms.js'
import { findFormEnd } from '../normalize/native-scripts.js'
import { foldText } from '../normalize/normalize-name.js'
import { listCountryWords } from './left-words.js'
import { isConflict } from './place-agreement.js'
import { placeRank } from './siblings.js'

/** Names and numbers of companies in the text of a query, next to the name that is found. */

/** Number of words of a name directly behind the name found: "Larkmoor Energy Bars by Norvane" for Larkmoor Energy Inc. */
export const countTellingNext = ({ comparison: { left, text, alignment } }: Evidence): number => {
  let count = 0
  for (let at = alignment.end; at < text.words.length && !text.isSecurity; at++) {
    const one = left.find((word) => word.at === at)
    if (one === undefined || one.word.separator !== '' || hasOtherMeaning(one.word.text)) break
    if (one.word.wordClass === 'stop') continue
    const isOfName = one.word.wordClass === 'telling' || one.word.wordClass === 'generic'
    if (!isOfName || (one.role !== null && one.role !== 'cut')) break
    count++
  }
  return cap(count, 3)
}

/** Another company is left over, with its legal form: "Larkmoor Bank Ltd for Norvane Foods Ltd". */
export const isCompanyLeft: Feature = ({ comparison: { left, text, alignment, statedForm } }) =>
  text.forms.some(({ at, formClass }) => {
    const isBehind = at >= alignment.end
    if (formClass === 'company' || at === statedForm?.at || (!isBehind && at >= alignment.start)) return false
    const [from, to] = isBehind ? [alignment.end, at] : [0, alignment.start]
    const between = left.filter((word) => word.at >= from && word.at < to)
    const isTelling = ({ word, role }: LeftWord) => role === null && word.wordClass === 'telling'
    return (
      between.some((word) => word.at < at && isTelling(word)) &&
      !between.some(({ word }) => relationClasses.has(word.wordClass))
    )
  })

/** Words that say what the other name is. */
const relationClasses: ReadonlySet<WordClass> = new Set(['mark', 'former', 'host', 'agent'])

/** Another name is left over behind a sign, with the word for its trade: "Larkmoor Velsor, Norvane Foods". In brackets, it may be a former one. */
export const isNameLeft = ({ comparison: { left, text } }: Evidence): boolean =>
  left.some(({ word, at, position, role }) => {
    const count = text.words.slice(at + 1).findIndex(({ isApart }) => isApart) + 1 || text.words.length
    const classes = text.words.slice(at, at + count).map(({ wordClass }) => wordClass)
    const isName =
      /^telling (?:(?:telling|generic|stop) )*generic$/.test(classes.join(' ')) &&
      (/\p{Lu}/u.test(word.written) || !/\p{Lu}/u.test(text.given))
    return isName && role === null && position === 'behind' && /^[,/]$/.test(word.separator)
  }) && !left.some(({ word }) => relationClasses.has(word.wordClass) || word.separator === '(')

/** True if a telling word or one of a trade is in front of the name, without a sign between them: "Larkmoor Norvane Ltd" for Norvane Ltd. */
export const isNamedOtherwise = ({ comparison: { left, isApartBefore } }: Evidence): boolean => {
  const before = left.filter(({ position, role }) => position === 'before' && role === null)
  const isMarked = before.some(({ word }) => /^(?:former|mark|host|agent)$/.test(word.wordClass))
  return (
    !isApartBefore && !isMarked && before.some(({ word }) => /^(?:telling|generic)$/.test(word.wordClass))
  )
}

/** True if a telling word follows the legal form, without a sign between them: "Larkmoor Ltd Norvane". */
export const isFollowed = ({ comparison: { left, statedForm, text } }: Evidence): boolean => {
  if (statedForm === null || text.isSecurity) return false
  const next = left.find(
    ({ at, position }) => position === 'behind' && at === statedForm.at + statedForm.count,
  )
  if (next === undefined || next.role !== null || next.word.separator !== '') return false
  return /^(?:telling|description)$/.test(next.word.wordClass) && !hasOtherMeaning(next.word.text)
}

const isWholeName = ({ matchType, isPart }: NameComparison): boolean => matchType === 'exact' && !isPart

/**
 * True for a company in the stated town whose name is the text and this town, next to one that has the text as its name and is not
 * known to be there: "Larkmoor (Eldoret) Limited" for "Larkmoor Ltd" in Eldoret.
 */
export function isNamedByTown(
  { comparison, hint, place }: Evidence,
  { comparison: other, place: otherPlace }: Evidence,
): boolean {
  const { alignment, candidate, looseWords, isPart, form } = comparison
  const missing = alignment.missing.map((at) => candidate.tokens[at] ?? '')
  // "Co." is a word of the name in front of a bracket, and else one of its form.
  const town = missing.filter((word) => findFormAt([word], 0)?.formClass !== 'company').join('')
  if (town === '' || hint?.cities.has(town) !== true || looseWords.length > 0 || isPart) return false
  const { cityKey } = candidate.place
  const isThere = place === 'postal' || place === 'city' || (cityKey === '' && !isConflict(place))
  return (
    isThere &&
    !/conflict|foreign/.test(form) &&
    isWholeName(other) &&
    otherPlace !== 'postal' &&
    otherPlace !== 'city'
  )
}

/**
 * True for a company that has the name today, with its country or a word in brackets, next to one that has had it: a group that takes
 * another name leaves its own to a company of it, as Larkmoor Bank Limited did to Larkmoor Bank (Kenya) Limited.
 */
export function isLivingNamesake(
  one: Evidence,
  { comparison: former, place: formerPlace }: Evidence,
): boolean {
  const { alignment, candidate, looseWords, isPart, form } = one.comparison
  if (former.candidate.kind !== 'former' || !isWholeName(former)) return false
  if (candidate.kind === 'former' || !candidate.active || candidate.removed) return false
  const inBrackets = foldText((candidate.name.match(/\([^()]+\)/g) ?? []).join(' ')).split(' ')
  const country = listCountryWords(candidate.place.countryCode || candidate.place.jurisdictionCountry)
  const isAdded = (word: string) => inBrackets.includes(word) || country.includes(word)
  return (
    looseWords.length === 0 &&
    !isPart &&
    !/conflict|foreign/.test(form) &&
    placeRank[one.place] >= placeRank[formerPlace] &&
    alignment.missing.length > 0 &&
    alignment.missing.every((at) => isAdded(candidate.tokens[at] ?? ''))
  )
}

/** Whether a text that is the name and its form has a form of the name's class at the same end; `null` if one of them does not show it. */
export function compareWriting({ comparison }: Evidence): 'same' | 'other' | null {
  const { text, candidate, form, statedForm, isFormStated } = comparison
  if (!isWholeName(comparison) || !isFormStated) return null
  const isOfClass = candidate.formClass === statedForm?.formClass
  if (form === 'same' && !isOfClass && !/^(?:company)?$/.test(candidate.formClass ?? '')) return 'other'
  const [asked, held] = [findFormEnd(text.native), findFormEnd(candidate.name)]
  if (asked === null || held === null) return form === 'same' && isOfClass ? 'same' : null
  return asked === held ? 'same' : 'other'
}

/** True for a company with the form of the text, next to one of its name with another form of its kind: "Company Limited" for "Limited". */
export const isOfStatedForm = (one: Evidence, other: Evidence): boolean =>
  compareWriting(one) === 'same' &&
  compareWriting(other) === 'other' &&
  one.comparison.candidate.coreKey === other.comparison.candidate.coreKey &&
  one.comparison.form === other.comparison.form

const groupWords = new Set(wordTables.group_companies.split(' '))

/** True if others join the company behind its form: "Larkmoor, S.A. y Copropietarios", but not "Larkmoor Inc & Subsidiaries". */
export function isOfSeveral({ comparison: { left, text, alignment, candidate } }: Evidence): boolean {
  const { words } = text
  const country = candidate.place.countryCode || candidate.place.jurisdictionCountry
  const isAnd = (word: string) =>
    /^(?:and|und|et|og|och)$/.test(word) || andWords.get(word)?.includes(country) === true
  const at = words.findIndex((word, index) => index > alignment.end && isAnd(word.text))
  const next = left.find((one) => one.at === at + 1 && (one.role === null || one.role === 'cut'))
  const isOfForm = words.slice(alignment.end, at).every(({ wordClass }) => wordClass === 'form')
  if (at < 0 || !isOfForm || next === undefined || groupWords.has(next.word.folded)) return false
  return /^(?:telling|generic|light|body)$/.test(next.word.wordClass)
}

/** A number in a text with a name. */
export interface NumberInName {
  /** The text without the number and its label. */
  readonly name: string
  readonly identifier: StatedIdentifier
  /** `own`: a name of company numbers is in front of it. `any`: a word that other numbers have too. */
  readonly label: 'own' | 'any' | 'none'
}

/** Companies have short names; a longer text takes long to search. */
const searchedCharsMax = 200
const numberInText =
  /(?<![\p{L}\d])(?:[A-Z]{1,3}-?)?\d(?:[\d\s./-]*\d)?[A-Za-z]?(?![\p{L}\d])|(?<![\p{L}\d])[A-Z][A-Z\d]{7,20}(?![\p{L}\d])/gu
const digitsMin = 5
const bareDigitsMin = 6
const labelWordsMax = 5
const edges = /^[\s,;:()[\]|–-]+|[\s,;:()[\]|–-]+$/gu

const ownLabels = new Set([
  ...toHeaderKeys(...headerWords.labels.numbers),
  ...identifierHeaders.registration_id,
])
const taxLabels = new Set([...taxHeaders, ...toHeaderKeys(...headerWords.others['tax number'])])
const personLabels = new Set(toHeaderKeys(...headerWords.others['number of a person']))

/** Lists what may be numbers of companies in a text, each with the rest of the text as its name. */
export function listNumbersInName(text: string): NumberInName[] {
  if (text.length > searchedCharsMax || !/\d/.test(text)) return []
  const court = readCourtInName(text)
  if (court !== null) return [court]
  return [...text.matchAll(numberInText)].flatMap(({ 0: number, index }) => {
    const digits = number.replace(/\D/g, '').length
    const [front, behind] = [text.slice(0, index), text.slice(index + number.length)]
    const label = findLabel(front)
    const isAtEdge = [front, behind].some((part) => part.replace(edges, '') === '')
    if (label === null || digits < (label.kind === 'none' ? bareDigitsMin : digitsMin)) return []
    if (label.kind === 'none' && !isAtEdge) return []
    const name = joinAround(front.slice(0, label.start), behind)
    const tax = readTaxNumber(number, [])
    const value = tax?.number ?? number.replace(/^[A-Z]{2}(?=\d+$)/, label.kind === 'none' ? '$&' : '')
    const identifier = toStatedIdentifier('registration_id', value, tax?.country.toUpperCase() ?? label.place)
    return identifier === null || !/\p{L}{2}/u.test(name) ? [] : [{ name, identifier, label: label.kind }]
  })
}

const joinAround = (front: string, behind: string): string =>
  [front, behind]
    .map((part) => part.replace(edges, ''))
    .filter((part) => part !== '')
    .join(', ')

interface FoundLabel {
  readonly kind: NumberInName['label']
  readonly start: number
  /** The only country with such a label. */
  readonly place: string | null
}

/** Finds the label at the end of the text in front of a number; `null` if the number is one of a person. */
function findLabel(front: string): FoundLabel | null {
  const starts = [...front.matchAll(/(?<=^|[\s,;:([–-])(?=\p{L})/gu)].map(({ index }) => index)
  for (const start of starts.slice(-labelWordsMax)) {
    const written = front.slice(start).trim()
    const key = toHeaderKey(written)
    if (personLabels.has(key)) return null
    const [place = null, ...others] = new Set(
      [countriesOfHeader, countriesOfAdded].flatMap((known) => known.get(key) ?? []),
    )
    const only = others.length === 0 ? place : null
    // Two letters end many names: `MB` is a form in Lithuania.
    if (key.length < 3 && !/[:.]$/.test(written) && (place === null || written !== written.toUpperCase()))
      continue
    if (place !== null || ownLabels.has(key)) return { kind: 'own', start, place: only }
    const hasNumberWord = written.split(/[^\p{L}]+/u).some((word) => numberWords.has(toHeaderKey(word)))
    const isAny = taxLabels.has(key) || listNumberKeys(written.replace(/:$/, '')).length > 0
    if (isAny || (hasNumberWord && isPlainLabel(written))) return { kind: 'any', start, place: null }
  }
  return { kind: 'none', start: front.length, place: null }
}

const courtNumber = /(?<![\p{L}\d])HR[AB][\s.:-]{0,2}\d{1,6}(?:\s?[A-Z]{1,2}(?![\p{L}\d]))?/u

/** Reads a number of a German register, with its court in front or behind: `Larkmoor GmbH, Amtsgericht München HRB 6684`. */
function readCourtInName(text: string): NumberInName | null {
  const found = courtNumber.exec(text)
  if (found === null) return null
  const [front, behind] = [text.slice(0, found.index), text.slice(found.index + found[0].length)]
  const starts = [...front.matchAll(/(?<=^|[\s,;:([–-])(?=\p{L})/gu)].map(({ index }) => index)
  const ends = [...behind.matchAll(/(?<=\p{L})(?=$|[\s,;:)\]–-])/gu)].map(({ index }) => index)
  const spans = [
    ...starts.slice(-labelWordsMax).map((start) => ({ start, end: 0 })),
    ...ends.slice(0, labelWordsMax).map((end) => ({ start: front.length, end })),
  ]
  const read = ({ start, end }: { start: number; end: number }) =>
    parseCourtNumber(`${front.slice(start)}${found[0]}${behind.slice(0, end)}`)
  const isCourt = (court: string | null | undefined) => typeof court === 'string' && findCourt(court) !== null
  const span = spans.find((one) => isCourt(read(one)?.court)) ?? { start: front.length, end: 0 }
  const number = read(span)
  const name = joinAround(front.slice(0, span.start), behind.slice(span.end))
  const identifier =
    number === null ? null : toStatedIdentifier('registration_id', formatCourtNumber(number), 'DE')
  return identifier === null || !/\p{L}{2}/u.test(name) ? null : { name, identifier, label: 'own' }
}
