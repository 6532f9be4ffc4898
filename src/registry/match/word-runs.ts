import { findExactCodes } from '../../core/countries.js'
import { identifierHeaders, listNumberKeys, otherNumberHeaders } from '../../core/header-words.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import {
  countriesOfAdded,
  countriesOfHeader,
  isPlainLabel,
  numberWords,
  taxHeaders,
  otherTaxHeaders,
} from '../../core/identifiers.js'
import { findCourt, formatCourtNumber, parseCourtNumber } from '../../core/numbers/court-numbers.js'
import { readTaxNumber } from '../../core/numbers/national-numbers.js'
import { findStatedCountry, isOfPersonsOnly } from '../../core/numbers/number-forms.js'
import { toStatedIdentifier, type StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import { toHeaderKey, toHeaderKeys } from '../../core/text.js'
import { formWords } from '../normalize/legal-forms.js'
import { foldText, isTradeAnywhere } from '../normalize/normalize-name.js'
import around from '../reference/around-names.json' with { type: 'json' }
import table from '../reference/word-classes.json' with { type: 'json' }

/** A word of a text, folded. */
interface ReadWord {
  readonly text: string
  /** The punctuation before it separates parts of the text. */
  readonly isApart: boolean
}

const toWords = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '))

/** Words of streets whose number is in front: "12 High Street". */
const streetWords = new Set(toWords(table.streets))
/** Words that begin the name of a street whose number is behind it: "Via Roma 22". */
const streetStarts = new Set(toWords(table.street_starts))
/** "Storgatan 47", "Hauptstrasse 3" */
const streetEnd = new RegExp(`^.{2,}(?:${toWords(table.street_ends).join('|')})$`)
/** Words behind the name of a street: "Vaci utca 12". */
const streetsBehind = new Set(toWords(table.streets_behind))

const houseNumber = /^\d{1,4}[a-z]?$/
const anyNumber = /^\d{1,6}[a-z]?$/
/** Words of the name of a street between its first word and its number. */
const streetWordsMax = 4

/** The places of some words among all of a text. */
interface Span {
  readonly from: number
  /** Behind the last. */
  readonly end: number
}

/** Finds a street with its number behind a name. At the start, and without a street's name, it is one: "Legrand 5 SA", "Rue 21". */
function findNumberBehind(words: readonly ReadWord[]): Span | null {
  for (const [number, { text, isApart }] of words.entries()) {
    if (number === 0 || !houseNumber.test(text)) continue
    const before = words[number - 1]?.text ?? ''
    const isNamedBehind = streetsBehind.has(before) && number > 2
    const isOne = number > 1 && streetEnd.test(before)
    const first = Math.max(0, number - 1 - streetWordsMax)
    const at = words.findIndex(
      (word, from) => from >= Math.max(1, first) && from < number - 1 && streetStarts.has(word.text),
    )
    const inOnePart = words.slice(at + 1, number).every((word) => !word.isApart) && !isApart
    if (at >= 0 && inOnePart) return { from: at, end: number + 1 }
    if (isOne || isNamedBehind) return { from: number - (isNamedBehind ? 2 : 1), end: number + 1 }
  }
  return null
}

/**
 * Finds the address in a text. From the number in front of a street on, all is address: "12 High Street, Leeds". A number
 * behind the street ends it, unless the text continues behind a sign: "Via Roma 22, Milano". `null` without one.
 */
export function findAddress(words: readonly ReadWord[]): Span | null {
  const from = words.findIndex(({ text, isApart }, at) => {
    if (at === 0) return false
    if (/^(?:po|p)$/.test(text)) return words.slice(at + 1, at + 3).some((word) => word.text === 'box')
    if (!anyNumber.test(text)) return false
    return words.slice(at + (isApart ? 1 : 2), at + 7).some((word) => streetWords.has(word.text))
  })
  const behind = findNumberBehind(words)
  if (behind === null || (from > 0 && from < behind.from))
    return from > 0 ? { from, end: words.length } : null
  const isToTheEnd = behind.from > 0 && words[behind.end]?.isApart === true
  return isToTheEnd ? { from: behind.from, end: words.length } : behind
}

/** Lists the places of words that name a country in two or three words, in any language: "Vereinigte Staaten". */
export function findCountries(words: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (let from = 0; from < words.length; from++)
    for (const count of [3, 2]) {
      const name = words.slice(from, from + count)
      if (name.length < count || name.join('').length < 7 || findExactCodes(name.join(' ')).length === 0)
        continue
      for (let at = from; at < from + count; at++) found.add(at)
    }
  return found
}

/** A word of a text before it has a class; numbers have theirs. */
interface BookedWord {
  readonly text: string
  readonly folded?: string
  readonly written: string
  readonly separator: string
  readonly wordClass?: string
}

/** Classes of the words around a name in an entry of a ledger. */
type BookedClass = 'payment' | 'date'
/** `sure`: a word of bookings alone; `other`: next to another one or to a number. `filler`: may stand among them. */
type Booked = 'sure' | 'other' | 'number' | 'year' | 'month' | 'filler'

const foldWords = (lines: readonly string[]) =>
  new Set(toWords(lines).flatMap((word) => foldText(word).split(' ')))
let bookings: Readonly<Record<'sure' | 'other', ReadonlySet<string>>> | null = null
const readBookings = () =>
  (bookings ??= {
    sure: foldWords(around.bookings.alone),
    other: foldWords([...around.bookings.with_others, ...table.anywhere.payment]),
  })
const isYear = /^(?:19|20)\d\d$/
const months = new Set(toWords(table.beside_others.date))
const fillers = new Set([...toWords([...table.anywhere.stop, ...table.anywhere.currency]), 'fra', 'fran'])
const named = new Set(
  Object.entries(table.anywhere).flatMap(([name, lines]) =>
    /^(?:department|payment)$/.test(name) ? [] : toWords(lines),
  ),
)

function classifyBooked({ text, folded = text, wordClass }: BookedWord): Booked | null {
  const { sure, other } = readBookings()
  if (sure.has(folded)) return 'sure'
  if (other.has(folded)) return 'other'
  if (months.has(folded)) return 'month'
  if (isYear.test(text)) return 'year'
  if (/^(?:number|date|percent)$/.test(wordClass ?? '') || /^(?=.*\d)[a-z\d]{1,8}$/.test(text))
    return 'number'
  return fillers.has(text) || text.length === 1 || isTradeAnywhere(text) ? 'filler' : null
}

/** A booking has a word of its own, or one of several meanings with another one or a number. */
function isBooking(run: readonly (Booked | null)[], words: readonly BookedWord[]): boolean {
  const others = words.filter((_, at) => run[at] === 'other').map(({ text }) => text)
  // "TT 2019" may begin a name.
  const isLong = others.some((word) => word.length > 2)
  const hasNumber = run.some((one) => one === 'number' || one === 'month' || (one === 'year' && isLong))
  return run.includes('sure') || new Set(others).size > 1 || (others.length > 0 && hasNumber)
}

/** "2024-118", "0091/07", "4500871"; a year alone may be part of a name. */
function isReference(words: readonly BookedWord[], at: number): boolean {
  const [number, next] = [words[at], words[at + 1]]
  if (number?.wordClass === 'percent' || !/^[\d/.-]{4,}$/.test(number?.text ?? '')) return false
  return !isYear.test(number?.text ?? '') || (next?.separator === '-' && /^\d+$/.test(next.text))
}

/** Counts the words of a reference at the start: one word, or two abbreviations, and a number, such as "Lev.fakt. 77120". */
function countReference(words: readonly BookedWord[]): number {
  const at = words.findIndex(({ text }) => /^[^a-z]/.test(text) || named.has(text))
  const isShort = words.slice(0, at).every(({ written }) => /^\p{L}{1,4}$/u.test(written))
  if (at < 1 || at > (isShort ? 2 : 1) || !isReference(words, at)) return 0
  const end = words.findIndex((word, index) => index > at && !/^[\d/.]+$/.test(word.text))
  return end < 0 ? 0 : end
}

/**
 * Finds the words in capitals among others: "Przelew wych. LARKMOOR VELSOR LLC czynsz". The text in front has a word that begins
 * with a small letter, or a number: "Jean LARKMOOR VELSOR" is one name. `null` without a name of two words.
 */
function findCapitals(words: readonly BookedWord[]): Span | null {
  const isUpper = ({ written }: BookedWord) => !/\p{Ll}/u.test(written)
  const from = words.findIndex((word) => isUpper(word) && /\p{L}{2}/u.test(word.written))
  const behind = words.findIndex((word, at) => at > from && !isUpper(word))
  const end = behind < 0 ? words.length : behind
  const own = words.slice(from, end).filter(({ text }) => /^[a-z]{2,}/.test(text) && !formWords.has(text))
  const front = words.slice(0, from)
  const isNamed = front.some(({ text }) => formWords.has(text))
  const isOther = !isNamed && front.some(({ written }) => /^[\p{Ll}\d]/u.test(written))
  const isLong = own.length > 1 && own.some(({ text }) => text.length > 3)
  return from > 0 &&
    isOther &&
    isLong &&
    words.slice(end).every((word) => !isUpper(word) || /\d/.test(word.text))
    ? { from, end }
    : null
}

/**
 * Finds what an entry of a ledger or an account has in front of the name and behind its legal form: "Fact. 2023/0917 Larkmoor
 * SA loyer mars". Numbers among these words keep their meaning.
 */
export function findBookings(words: readonly BookedWord[]): ReadonlyMap<number, BookedClass> {
  const found = new Map<number, BookedClass>()
  const kinds = words.map(classifyBooked)
  const isOfName = (at: number) => kinds[at] === null && !formWords.has(words[at]?.text ?? '')
  const add = (from: number, end: number) => {
    for (let at = from; at < end; at++)
      if (!/^(?:number|year)$/.test(kinds[at] ?? ''))
        found.set(at, kinds[at] === 'month' ? 'date' : 'payment')
  }
  const capitals = findCapitals(words)
  if (capitals !== null) {
    add(0, capitals.from)
    add(capitals.end, words.length)
    return found
  }
  const form = words.findLastIndex(({ text }, at) => at > 0 && formWords.has(text))
  // Behind the words of a booking, any word is of its purpose: "LARKMOOR GMBH FACT 24-009 MGT FEE".
  const known = words.findIndex((_, at) => at > form && kinds[at] === null)
  const behind = form > 0 ? kinds.slice(form + 1, known < 0 ? undefined : known) : []
  const isBehind = isBooking(behind, words.slice(form + 1)) || kinds.slice(form + 1).join() === 'month'
  const isAnchor = (at: number) =>
    /^(?:sure|other|number|year|month)$/.test(kinds[at] ?? '') ||
    /^[-:/]$/.test(words[at + 1]?.separator ?? '')
  const last = kinds.slice(0, Math.max(0, kinds.indexOf(null))).findLastIndex((_, at) => isAnchor(at))
  const front = kinds.slice(0, last + 1)
  const isBooked = isBooking(front, words.slice(0, last + 1)) || (isBehind && front.includes('other'))
  const count = isBooked ? last + 1 : countReference(words)
  if (words.some((_, at) => at >= count && isOfName(at))) add(0, count)
  if (isBehind && words.slice(count, form).some((_, at) => isOfName(count + at))) add(form + 1, words.length)
  return found
}

/** "A G" is "ag"; "T n L" and "T & L" are the same. */
export function joinLetters<Word extends BookedWord>(found: readonly Word[]): Word[] {
  const joined: Word[] = []
  let isRun = false
  for (const [at, piece] of found.entries()) {
    const isLetter = /^[a-z]$/.test(piece.text)
    const last = joined.at(-1)
    const next = found[at + 1]
    if (piece.written === 'n' && last !== undefined && next !== undefined) {
      joined.push({ ...piece, text: 'and' })
      isRun = false
    } else if (isLetter && isRun && last !== undefined && piece.separator === '') {
      joined[joined.length - 1] = {
        ...last,
        text: last.text + piece.text,
        written: `${last.written} ${piece.written}`,
      }
    } else {
      joined.push(piece)
      isRun = isLetter
    }
  }
  return joined
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
  /(?<![\p{L}\d])(?:[A-Z]{1,3}-?)?\d(?:[\d\s./-]*\d)?(?:-?[A-Za-z])?(?![\p{L}\d])|(?<![\p{L}\d])[A-Z][A-Z\d]{7,20}(?![\p{L}\d])/gu
const digitsMin = 5
const bareDigitsMin = 6
const labelWordsMax = 5
const edges = /^[\s,;:()[\]|–-]+|[\s,;:()[\]|–-]+$/gu
const ownLabels = new Set([
  ...toHeaderKeys(...headerWords.labels.numbers),
  ...identifierHeaders.registration_id,
])
const taxLabels = new Set([...taxHeaders, ...otherTaxHeaders])

/** Lists what may be numbers of companies in a text, each with the rest of the text as its name. */
export function listNumbersInName(text: string): NumberInName[] {
  if (text.length > searchedCharsMax || !/\d/.test(text)) return []
  const court = readCourtInName(text)
  if (court !== null) return [court]
  return [...text.matchAll(numberInText)].flatMap(({ 0: number, index }) => {
    const [front, behind] = [text.slice(0, index), text.slice(index + number.length)]
    const label = findLabel(front, number)
    const isAtEdge = [front, behind].some((part) => part.replace(edges, '').replace(otherNumber, '') === '')
    const least = label?.kind === 'none' ? (isAtEdge ? bareDigitsMin : Infinity) : digitsMin
    if (label === null || number.replace(/\D/g, '').length < least) return []
    const name = joinAround(front.slice(0, label.start), behind)
    const place = findStatedCountry(number)?.toUpperCase() ?? label.place
    const own = number.replace(/^[A-Z]{2}(?=\d+$)/, label.kind === 'none' ? '$&' : '')
    const value = readTaxNumber(number, [])?.number ?? own
    const identifier = toStatedIdentifier('registration_id', value, place)
    return identifier === null || !/\p{L}{2}/u.test(name) ? [] : [{ name, identifier, label: label.kind }]
  })
}

/** A number in the same bracket: "[199501030021 (359223-P)]". */
const otherNumber = /^\d[\d-]*(?:-[A-Z])?$|(?<=\S\s*)[([]\d[\d-]*$/u
const joinAround = (front: string, behind: string): string =>
  [front, behind].flatMap((part) => part.replace(edges, '').replace(otherNumber, '').trim() || []).join(', ')

interface FoundLabel {
  readonly kind: NumberInName['label']
  readonly start: number
  /** The only country with such a label. */
  readonly place: string | null
}

/** Finds the label at the end of the text in front of a number; `null` if the number is one of a person or of another list. */
function findLabel(front: string, number: string): FoundLabel | null {
  const starts = [...front.matchAll(/(?<=^|[\s,;:([–-])(?=\p{L})/gu)].map(({ index }) => index)
  for (const start of starts.slice(-labelWordsMax)) {
    const written = front.slice(start).trim()
    const key = toHeaderKey(written)
    const isOther = [key, ...listNumberKeys(written)].some((one) => otherNumberHeaders.has(one))
    if (isOther || isOfPersonsOnly([key], number, null)) return null
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
  const inFront = starts.slice(-labelWordsMax).map((start) => ({ start, end: 0 }))
  const spans = [...inFront, ...ends.slice(0, labelWordsMax).map((end) => ({ start: front.length, end }))]
  const read = ({ start, end }: { start: number; end: number }) =>
    parseCourtNumber(`${front.slice(start)}${found[0]}${behind.slice(0, end)}`)
  const isCourt = (court: string | null | undefined) => typeof court === 'string' && findCourt(court) !== null
  const span = spans.find((one) => isCourt(read(one)?.court)) ?? { start: front.length, end: 0 }
  const number = read(span)
  const name = joinAround(front.slice(0, span.start), behind.slice(span.end))
  const identifier = number && toStatedIdentifier('registration_id', formatCourtNumber(number), 'DE')
  return identifier === null || !/\p{L}{2}/u.test(name) ? null : { name, identifier, label: 'own' }
}
