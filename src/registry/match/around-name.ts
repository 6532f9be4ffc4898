import { findExactCodes } from '../../core/countries.js'
import { formWords } from '../normalize/legal-forms.js'
import { boundText } from '../normalize/parsed-name.js'
import { foldText } from '../normalize/normalize-name.js'
import { readKind } from '../normalize/streets.js'
import { classOfWord, isOfManyNames } from './word-classes.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }
import {
  isPlainRemark,
  isRemark,
  isOwnSite,
  removeAddressing,
  removePerson,
} from '../normalize/unspaced-names.js'
import around from '../reference/around-names.json' with { type: 'json' }

/** A word of a text, with the sign before it. */
interface DescribedWord {
  /** Folded. */
  readonly text: string
  readonly written: string
  readonly separator: string
}

const hasCapital = ({ written }: DescribedWord): boolean => /\p{Lu}/u.test(written)
const isSmall = (word: DescribedWord): boolean => /^\p{Ll}/u.test(word.written) && !hasCapital(word)
const articles = new Set(around.descriptions.articles.split(' '))
const definite = new Set(around.descriptions.definite.split(' '))
const forms = new Set(around.descriptions.forms.split(' '))
const kinds = new Set(around.descriptions.kinds.flatMap((line) => line.split(' ')))
/** "Provider", "chipmaker", "papetier", "mineradora": who does what a company does. Shorter words are articles in other languages. */
const agent = /^.{3,}(?:[eo]rs?|iers?|eurs?|istes?|dora|tore|trice)$/
const saysKind = ({ text }: DescribedWord): boolean => kinds.has(text) || agent.test(text)
const compound = new RegExp(`^(?:.{3,})?(?:${around.descriptions.compounds})$`)

/** Counts the words at the start that describe the company behind them: "gold miner Larkmoor Inc", "das Bankhaus Larkmoor". */
function countInFront(words: readonly DescribedWord[]): number {
  const [first, second, third] = words
  if (first === undefined || second === undefined) return 0
  const isArticle = isSmall(first) && (definite.has(first.text) || articles.has(first.text))
  // The description may begin with a place or an owner: "Leeds baker Larkmoor", "Norvane's broker Larkmoor", "South Korean broker Larkmoor".
  const isTwoWords = isOfManyNames(first.text) && hasCapital(first) && hasCapital(second)
  const from = isSmall(first) ? 0 : isTwoWords && third !== undefined && isSmall(third) ? 2 : 1
  const noun = isArticle ? words.slice(0, 4).findLastIndex(({ text }) => compound.test(text)) : -1
  const end = noun > 0 ? noun + 1 : words.findIndex((word, at) => at >= from && !isSmall(word))
  const [last, name] = [words[end - 1], words[end]]
  const isName = (word: DescribedWord, at: number) =>
    at >= end && isNameWord(word) && !classOfWord.has(word.text)
  // "larkmoor-foods (T/A Norvane)" has its name in front.
  const isNamed = name !== undefined && hasCapital(name) && name.separator !== '(' && words.some(isName)
  const isForm = (word: DescribedWord) => isFormWord(word) && /[.\p{Lu}]/u.test(word.written)
  if (last === undefined || !isNamed || end <= from || words.slice(1, end).some(isForm)) return 0
  const isOfPlace = ({ text }: DescribedWord) => isOfManyNames(text)
  // "Ljubljanska Larkmoor banka", "le papetier montréalais Larkmoor"
  const isDescribed = isArticle
    ? words.slice(1, end).some((word) => saysKind(word) || isOfPlace(word))
    : saysKind(last) || words.slice(0, end).every((word) => isSmall(word) && isOfPlace(word))
  return isDescribed || noun > 0 ? end : 0
}

const isFormWord = ({ text, written }: DescribedWord): boolean => formWords.has(text) && written !== 'as'
const isNameWord = (word: DescribedWord): boolean => hasCapital(word) && !isFormWord(word)
const joining = /^(?:and|und|et|e|y|og|och|i|of|de|von|a)$/

/**
 * True if a piece behind a comma or a legal form describes the company before it: ", a Delaware corporation", "(Ohio corporation)",
 * ", the London hedge fund", "GmbH Miete". Names have capital letters, so the piece has at most one, of a place or an owner.
 */
function isDescription(piece: readonly DescribedWord[], isBehindForm: boolean): boolean {
  const [first, last] = [piece[0], piece.at(-1)]
  if (first === undefined || last === undefined) return false
  const isSet = first.separator === ',' && piece.length > 1 && !/^s(?:erie|e?r)s?$/.test(piece[1]?.text ?? '')
  const isOfKind = isSet && articles.has(first.text) && (kinds.has(last.text) || forms.has(last.text))
  const isInBrackets = first.separator === '(' && first !== last
  if (isOfKind || (isInBrackets && isOfManyNames(first.text) && forms.has(last.text))) return true
  const isName = isFormWord(last) || (piece.some(isFormWord) && piece.some(hasCapital))
  const isPlain = isSet && isSmall(first) && isSmall(last) && piece.filter(hasCapital).length <= 1
  const isRemark = isBehindForm && piece.every(isSmall)
  return !isName && (isPlain || (isRemark && !joining.test(first.text)))
}

/** A role: "as guarantor", "in its capacity as Lender", 'hereinafter referred to as "Licensee"'. */
const role =
  /^(?:\p{Ll}+ ){0,5}as (?:\S+ ){0,3}?\p{L}{2,}(?:[eo]rs?|ees?|ants?|ents?|ists?|ians?|ary)(?= |$)/u
const countRole = (words: readonly DescribedWord[]): number =>
  role.exec(words.map(({ written }) => written).join(' '))?.[0].split(' ').length ?? 0

const prose = new Set(around.descriptions.prose.split(' ').map((word) => foldText(word)))
/** A sentence has small words that no name has: "Larkmoor Foods lost the contract". */
function isSentence(words: readonly DescribedWord[]): boolean {
  const small = words.filter((word) => isSmall(word) && !isFormWord(word))
  return (
    words.length > 4 &&
    small.length > 2 &&
    words.some(isNameWord) &&
    small.some(({ text }) => prose.has(text))
  )
}

/** Lists the words that describe the company and are no part of its name. */
export function findDescriptions(words: readonly DescribedWord[]): ReadonlySet<number> {
  const found = new Set<number>()
  const add = (from: number, end: number) => {
    for (let at = from; at < end; at++) found.add(at)
  }
  add(0, countInFront(words))
  if (isSentence(words)) for (const [at, word] of words.entries()) if (isSmall(word)) found.add(at)
  for (const [from, { separator }] of words.entries()) {
    const before = words[from - 1]
    const isBehindForm = before !== undefined && isFormWord(before) && hasCapital(before)
    if ((separator === '' && !isBehindForm) || !words.slice(0, from).some(isNameWord)) continue
    add(from, from + countRole(words.slice(from)))
    // A hyphen inside the piece separates nothing: "the hedge-fund manager".
    const end = words.findIndex((word, at) => at > from && !/^-?$/.test(word.separator))
    if (isDescription(words.slice(from, end < 0 ? undefined : end), isBehindForm))
      add(from, end < 0 ? words.length : end)
  }
  return found
}

const marks = '※*★☆→⇒◆●■▲!#|'
const inBrackets = String.raw`[([{<【「]([^()[\]{}<>【】「」]{1,60})[)\]}>】」]`
/** Each has a text that may be a remark: in brackets, behind a sign, or in front of one. */
const besideName = [
  String.raw`\s?${inBrackets}\s?$`,
  String.raw`^\s?${inBrackets}\s?`,
  String.raw`(?:\s?[${marks}]{1,6}|\s[-–—/:]{1,3})\s?([^${marks}]{2,60}?)[${marks}\s]{0,6}$`,
  String.raw`^[${marks}\s]{0,6}([^${marks}]{2,60}?)\s?(?:[${marks}]{1,6}|\s[-–—/]{1,3}\s|:\s)\s?`,
].map((pattern) => new RegExp(pattern, 'u'))
/** Removes what a cell has around a name: remarks of the record, polite endings, the person that a letter is for. */
export function removeRemarks(name: string): string {
  const given = boundText(name).trim()
  let rest = removePerson(given)
  for (let before = ''; before !== rest;) {
    before = rest
    for (const pattern of besideName) {
      const [found, text] = pattern.exec(rest) ?? []
      const others = found === undefined ? '' : rest.replace(found, ' ').trim()
      if (text !== undefined && (isRemark(text) || isOwnSite(text, others))) rest = others
    }
    const words = rest.split(' ')
    const counts = [4, 3, 2, 1].filter((one) => one < words.length)
    const last = counts.find((count) => isPlainRemark(words.slice(-count).join(' ')))
    const first = counts.find((count) => isPlainRemark(words.slice(0, count).join(' ')))
    if ((last ?? first) !== undefined)
      rest = words.slice(last === undefined ? first : 0, last && -last).join(' ')
    rest = removeAddressing(rest)
    if (!/[\p{L}\p{N}]{2}/u.test(rest)) return name
  }
  return rest === given ? name : rest
}

/** Returns the rest of a cell around a name. */
export function findAround(given: string, name: string): string {
  const rest = given.includes(name) ? given.replace(name, ' ').replace(/\s+/g, ' ') : ''
  const text = rest.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.]{1,9}$/gu, '')
  return text.split('(').length > text.split(')').length ? `${text})` : text
}

/** Lists the words of a text that name one of these countries, in any language: "Frankreich", "États-Unis". */
export function findCountryWords(text: string, countries: readonly string[]): string[] {
  if (countries.length === 0) return []
  const words = text.split(/[^\p{L}\p{M}]+/u)
  const isName = (name: string) =>
    name.length > 3 && findExactCodes(name).some((code) => countries.includes(code))
  const isBehind = (at: number) => isName(`${words[at - 1] ?? ''} ${words[at] ?? ''}`)
  return words
    .filter((word, at) => isName(word) || isBehind(at) || isBehind(at + 1))
    .map((word) => foldText(word))
}

/** Lists the countries behind a town, which are not their capitals of that name: "Mazatenango, Guatemala". A city state is. */
export function listBehindTowns(
  parts: readonly string[],
  countries: readonly { readonly key: string; readonly countries: readonly string[] }[],
): string[] {
  const keys = parts.map((part) => foldText(part))
  const isTown = (part: string) =>
    /\p{L}{3}/u.test(part) && !/\d/.test(part) && readKind(part)?.kind !== 'district'
  return countries.flatMap(({ key, countries: codes }) => {
    const at = keys.lastIndexOf(key)
    const isBehind = parts.some(
      (part, index) => index < at && !` ${keys[index] ?? ''} `.includes(` ${key} `) && isTown(part),
    )
    return isBehind && !codes.some((code) => placeNames.cityStates.split(' ').includes(code)) ? [key] : []
  })
}

/** The country of a company, or else the countries that have a place of the name that is stated. */
export interface CompanyCountry {
  readonly country: string | null
  readonly possible: readonly string[]
}

/** Cells of the place of a company, and what their headers say of them. */
export interface CompanyPlace {
  readonly cells: readonly (string | null)[]
  readonly parts?: readonly (string | null)[]
  readonly name: string | null
}
