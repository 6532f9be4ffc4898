import { findFormAt, formWords } from '../normalize/legal-forms.js'
import { boundText } from '../normalize/parsed-name.js'
import { foldText, foldWords, namesTrade } from '../normalize/normalize-name.js'
import { hasOtherScript } from '../normalize/sounds.js'
import { isIndustryWord } from '../reference/industry-codes.js'
import { classOfWord, hasOtherMeaning, isOfManyNames, isOfManyPlaces } from './word-classes.js'
import { isLargeCity } from '../normalize/places.js'
import { findExactCodes } from '../../core/countries.js'
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
/** "d.d." and "d.o.o." have lost their points. */
const initialForm = /[.\p{Lu}]|^(?:[^aeiouy]{2,4}|d[no]o|sro|zoo)$/u
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
  const isForm = (word: DescribedWord) => isFormWord(word) && initialForm.test(word.written)
  if (last === undefined || !isNamed || end <= from || words.slice(1, end).some(isForm)) return 0
  const isOfPlace = (word: DescribedWord) => isSmall(word) && isOfManyPlaces(word.text)
  // "Ljubljanska Larkmoor banka", "le papetier montréalais Larkmoor"
  const isDescribed = isArticle
    ? words.slice(1, end).some((word) => saysKind(word) || isOfManyNames(word.text))
    : saysKind(last) || words.slice(0, end).every(isOfPlace)
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
  const place = first.separator === '(' ? piece.slice(0, -1).map(({ text }) => text) : []
  const isOfPlace = place.length > 0 && (place.every(isOfManyPlaces) || isOfManyPlaces(place.join('')))
  if (isOfKind || (isOfPlace && forms.has(last.text))) return true
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

const [prose, talk] = [around.descriptions.prose, around.descriptions.talk].map(
  (words) => new Set(words.split(' ').map((word) => foldText(word))),
)
/** A sentence has more small words than a name, and little ones that are legal forms elsewhere: "se acordó", "n'a pas". */
const [smallWordsMax, littleWords] = [5, /^(?:se|na|me)$/]
/** The small words of a sentence; next to a name in small letters, those that no name has: "did larkmoor foods ltd pay?" */
function listSaid(words: readonly DescribedWord[]): readonly DescribedWord[] {
  const isForm = (word: DescribedWord) => isFormWord(word) && !littleWords.test(word.text)
  const small = words.filter((word) => isSmall(word) && !isForm(word))
  const said = small.filter(({ text }) => prose?.has(text) || talk?.has(text))
  const isAll = said.length > 1 && said.length === small.length
  if (!isAll && (words.length < 5 || small.length < 3)) return []
  const isOfSmall = !words.some(isNameWord) || words.some((word) => isForm(word) && isSmall(word))
  if (!isOfSmall && (small.length > smallWordsMax || small.some(({ text }) => prose?.has(text)))) return small
  return isOfSmall || isAll || said.length > 2 ? said : []
}

/** Lists the words that describe the company and are no part of its name. */
export function findDescriptions(words: readonly DescribedWord[]): ReadonlySet<number> {
  const found = new Set<number>()
  const add = (from: number, end: number) => {
    for (let at = from; at < end; at++) found.add(at)
  }
  add(0, countInFront(words))
  for (const word of listSaid(words)) found.add(words.indexOf(word))
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
    const kept = words.slice(last === undefined ? first : 0, last && -last)
    rest = removeAddressing(kept.join(' '))
    if (!/[\p{L}\p{N}]{2}/u.test(rest)) return name
  }
  return rest === given ? name : rest
}

const withOthers = new RegExp(`(?:${around.with_others})$`, 'iu')
/** Whether the rest of a cell says that others are meant too: "et al.", "외 3개사". */
export const namesOthers = (rest: string): boolean => withOthers.test(rest)

/** A text and a name, as far as they are compared. */
interface ComparedName {
  readonly contextCount: number
  readonly comparison: Readonly<{
    text: { given: string; words: readonly { folded: string }[]; forms: readonly unknown[] }
    candidate: HeldName & { formClass: string | null; prominence: { tickers: string } }
    alignment: { missing: readonly number[]; start: number; end: number }
    left: readonly { word: LeftText; at: number; role: string | null }[]
    form: string
    statedForm: { formClass: string } | null
  }>
}
type LeftText = Readonly<Record<'folded' | 'wordClass' | 'separator', string>>

const ofPartners = new RegExp(around.partners, 'iu')
/** True if a text without a form says that its firm is no company: "Larkmoor Traders (AOP)", "Larkmoor & Co. (Regd.)". */
function isOfPartners({ comparison: { text, statedForm, candidate } }: ComparedName): boolean {
  const [found = ''] = ofPartners.exec(text.given) ?? []
  const isStated = statedForm !== null && statedForm.formClass !== 'company'
  if (found === '' || isStated || candidate.formClass === 'partnership') return false
  return !foldText(candidate.name).includes(foldText(found))
}

const lists = [around.professions, around.given_names.join(' '), around.name_articles]
const [professions, givenNames, nameArticles] = lists.map((words) => new Set(words.split(' ')))
/** True if only one of two names has "and" between the persons of a firm: "Kamau & Otieno Advocates", "Kamau Otieno Advocates". */
function isUnjoined({ comparison: { text, candidate } }: ComparedName): boolean {
  const [asked, held] = [text.words.map(({ folded }) => folded), foldWords(candidate.name)]
  const lacksAnd = (words: readonly string[], others: readonly string[]) => {
    const at = words.findIndex((word, place) => place > 0 && /^(?:and|na|y|e|et|und)$/.test(word))
    const next = others.indexOf(words[at - 1] ?? '') + 1
    return at > 0 && next > 0 && others[next] === words[at + 1]
  }
  return held.some((word) => professions?.has(word)) && (lacksAnd(held, asked) || lacksAnd(asked, held))
}

/** True for a first name and a name without a form, as persons have: "Muhammad Farooq" for Muhammad Farooq Mills Ltd. */
function isPerson({ contextCount, comparison: { text, alignment, candidate } }: ComparedName): boolean {
  const isName = text.forms.length === 0 && [2, 3].includes(text.words.length)
  const isOpen = contextCount === 0 && alignment.missing.length > 0 && candidate.prominence.tickers === ''
  return isName && isOpen && givenNames?.has(text.words[0]?.folded ?? '') === true
}

/** True if a body has a word more in its name: "Larkmoor Foundation" and Larkmoor Childrens Foundation. */
function isOfOtherBody({ comparison: { alignment, candidate } }: ComparedName): boolean {
  const last = candidate.tokens.length - 1
  const isMore = (at: number) => at > 0 && at < last && (candidate.tokens[at] ?? '').length > 2
  const isBody = classOfWord.get(candidate.tokens[last] ?? '') === 'body'
  return isBody && !alignment.missing.includes(last) && alignment.missing.some(isMore)
}

const isOfForeignTown = ({ comparison: { form, alignment, left } }: ComparedName): boolean =>
  form === 'foreign' &&
  left.some(({ word, role, at }) => role === null && at >= alignment.end && isLargeCity(word.folded))

/** True for another person than the company, or a company with a form and a town of another country: "Larkmoor Bank AG Zurich". */
export const isOfOtherPerson = (one: ComparedName): boolean =>
  [isOfPartners, isUnjoined, isPerson, isOfOtherBody, isOfForeignTown].some((is) => is(one))

/** True if only one of two names begins with an article ("Al-Norvane", "La Norvane"), or ends with a word for a workshop. */
export function isNearlyNamed({ comparison: { text, alignment, candidate, left } }: ComparedName): boolean {
  const begins = (word = '') => nameArticles?.has(word) === true
  const isArticle = alignment.missing.includes(0)
    ? begins(candidate.tokens[0])
    : alignment.start === 1 && begins(text.words[0]?.folded)
  const last = left.at(-1)
  const isLast = last?.at === alignment.end && last.role === null && last.word.separator === ''
  return isArticle || (isLast && /^(?:works|labs?)$/.test(last.word.folded))
}

/** Returns the rest of a cell around a name. */
export function findAround(given: string, name: string): string {
  const rest = given.includes(name) ? given.replace(name, ' ').replace(/\s+/g, ' ') : ''
  const text = rest.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.]{1,9}$/gu, '')
  return text.split('(').length > text.split(')').length ? `${text})` : text
}

/** Two names of a company: a sign between them, or a word for a language. */
const twoNames = [
  /^(.+?)\s?[([\uff08\u3010]([^()[\]\uff08\uff09\u3010\u3011]+)[)\]\uff09\u3011]$/u,
  new RegExp(String.raw`^(.+?)\s?[,;:(–-]\s?(?:${around.translated})[\s:]\s?([^()]+)\)?$`, 'iu'),
  /^(.+?)\s=\s(.+)$/u,
  /^(.+?)\s(?:\/|\||[-–—])\s(.+)$/u,
]
/** The name of today behind a former one: "Larkmoor Supply Co (now Norvane Ltd)". */
const renamed = new RegExp(
  String.raw`^(.+?)\s?[([](?:${around.former.now})[\s:]\s*(["“„«]?[\p{Lu}\p{Lo}\p{N}][^()]*(?:\([^()]*\)[^()]*)?)[)\]]$`,
  'u',
)
const isOneScript = (text: string): boolean => !hasOtherScript(text) || !/\p{Script=Latin}{3}/u.test(text)

/**
 * Divides a text with the name of one company in two scripts or languages, in their order: "三井物産株式会社 (Mitsui & Co., Ltd.)",
 * "Rymättylän Osuuspankki = Rymättylä Cooperative Bank". `null` for other texts.
 */
export function divideTranslation(text: string): readonly [name: string, other: string] | null {
  const given = boundText(text).trim()
  const [, before, now] = renamed.exec(given) ?? []
  if (before !== undefined && now !== undefined && [before, now].every(hasNameWord)) return [now, before]
  for (const [at, pattern] of twoNames.entries()) {
    const [, first = '', second = ''] = pattern.exec(given) ?? []
    const isApart = hasOtherScript(first) !== hasOtherScript(second)
    const areNames = [first, second].every((part) => isOneScript(part) && hasNameWord(part))
    const isTranslated = isApart
      ? areNames
      : at < twoNames.length - 1 && (isTranslation(first, second) || isTranslation(second, first))
    if (isTranslated) return [first, second]
  }
  return null
}

/** Whether a text is the English name: its words are like those of the name, or of a trade, for which the name has no English words. */
function isTranslation(name: string, text: string): boolean {
  const isOfTrade = (word: string) => joining.test(word) || isIndustryWord(word) || namesTrade(word)
  const isWord = (word: string) => !formWords.has(word) || isOfTrade(word)
  const [own, words] = [foldWords(name), foldWords(text).filter(isWord)]
  const stem = (word: string) => word.slice(0, 4)
  const without = (all: readonly string[], others: readonly string[]) =>
    all.filter((word) => word.length < 4 || !others.some((other) => stem(other) === stem(word)))
  const isNative = (word: string) => word.length > 4 && !findFormAt([word], 0)?.countries.includes('GB')
  const [ours, theirs] = [without(own, words).filter(isNative), without(words, own)]
  const isForeign = ours.length > 0 && !ours.some(isIndustryWord)
  return isForeign && theirs.length > 0 && theirs.length < words.length && theirs.every(isOfTrade)
}

/** A registered name of a company. */
type HeldName = Readonly<{ entityNumber: number; name: string; tokens: readonly string[] }>

/** Returns a function that gives the other names of a company, of the names found. */
export function groupNames<Name extends HeldName>(names: readonly Name[]): (one: Name) => readonly Name[] {
  const groups = new Map<number, Name[]>()
  for (const one of names) groups.set(one.entityNumber, [...(groups.get(one.entityNumber) ?? []), one])
  return ({ entityNumber, name }) => (groups.get(entityNumber) ?? []).filter((one) => one.name !== name)
}

/** A word of a text, with its class. */
type ClassedWord = Readonly<{ text: string; wordClass: string; isApart: boolean }>

/**
 * Finds the words of other names of the company in the text, and the few behind a sign or a form that join two whole names in
 * any language: "Quintavelha (ex Larkmoor Foods)", "Larkmoor AB (namnändrat till Quintavelha AB)".
 */
export function findOtherNames(
  words: readonly ClassedWord[],
  { start, end }: { readonly start: number; readonly end: number },
  own: HeldName,
  others: readonly HeldName[],
) {
  const told = new Set<string>()
  const isTelling = (at: number) => words[at]?.wordClass === 'telling' && told.has(words[at].text)
  const begins = ({ tokens: [first = ''] }: HeldName) =>
    !own.tokens.includes(first) &&
    words.some(({ text, wordClass }) => text === first && wordClass === 'telling')
  const begun = others.filter(begins)
  if (begun.length === 0) return () => false
  for (const { tokens } of begun) for (const token of tokens) told.add(token)
  const isWhole = begun.some(({ tokens }) =>
    tokens.every((token) => words.some(({ text }) => text === token)),
  )
  const [first, last] = [
    words.findIndex((_, at) => isTelling(at)),
    words.findLastIndex((_, at) => isTelling(at)),
  ]
  const [from, to] = first >= end ? [end, first] : [last + 1, last < start ? start : 0]
  const between = isWhole && to - from <= joiningWordsMax ? words.slice(from, to) : []
  const isJoined = between.some(({ wordClass, isApart }) => isApart || wordClass === 'form')
  return ({ text, wordClass }: ClassedWord, at: number): boolean => {
    if (isTelling(at) || (isJoined && at >= from && at < to && wordClass !== 'form')) return true
    const isNext = wordClass === 'generic' && (isTelling(at - 1) || isTelling(at + 1))
    return (isNext && told.has(text)) || hasOtherMeaning(text, /former/)
  }
}
const joiningWordsMax = 6

/** Whether a text has more than forms, places, sites, numbers and words of bookings. */
const hasNameWord = (text: string): boolean =>
  hasOtherScript(text)
    ? /\p{L}{2}/u.test(text) && !isLargeCity(text)
    : foldWords(text).some(
        (word) =>
          /^[a-z]{3,}$/.test(word) &&
          !formWords.has(word) &&
          (isIndustryWord(word) || !(classOfWord.has(word) || hasOtherMeaning(word))) &&
          !isLargeCity(word) &&
          findExactCodes(word).length === 0,
      )
