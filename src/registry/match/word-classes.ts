import { nativeWords, isLightWord, isNumberWord, isTradeAnywhere } from '../normalize/normalize-name.js'
import { namesCountry } from '../normalize/unspaced-names.js'
import { findAddress } from './word-runs.js'
import { findRegionCodes, isLargeCity } from '../normalize/places.js'
import table from '../reference/word-classes.json' with { type: 'json' }

/**
 * Meaning of a word of a text that is not part of the company's name. `telling`: possibly another company.
 * `generic`: a trade or a shape. `description`: says what the company is. `body`: a body of its own near a company, such as a foundation. `estate`: that of a bankrupt company. `host`: "care of", before a company that is not asked for. `agent`: "on behalf of", behind one. `light`: often added to names or dropped. `stop`: joins words. `mark`: "d/b/a".
 */
export type WordClass =
  | 'telling'
  | 'generic'
  | 'light'
  | 'form'
  | 'number'
  | 'percent'
  | 'date'
  | 'currency'
  | 'security'
  | 'department'
  | 'description'
  | 'site'
  | 'payment'
  | 'body'
  | 'estate'
  | 'host'
  | 'agent'
  | 'mark'
  | 'former'
  | 'exchange'
  | 'code'
  | 'place'
  | 'letter'
  | 'web'
  | 'stop'

const listWords = (words: readonly string[]): string[] => words.flatMap((line) => line.split(' '))

const toMap = <Key>(lists: Readonly<Record<string, readonly string[]>>, toKey: (name: string) => Key) =>
  new Map(
    Object.entries(lists).flatMap(([name, words]) => listWords(words).map((word) => [word, toKey(name)])),
  )
const toClass = (name: string) => name as WordClass

/** Words that have this meaning wherever they stand. */
export const classOfWord = toMap(table.anywhere, toClass)

/** Words that have this meaning next to a word of `classOfWord`, or apart from the rest of the text. */
const classBesideOthers = toMap(table.beside_others, toClass)

/** True for a word that has another meaning next to others, such as "common" of shares. */
export const hasOtherMeaning = (word: string, kind = /./) => kind.test(classBesideOthers.get(word) ?? '')

/** Words that begin a description of a security: the words and numbers next to them belong to it. */
const bondClasses: ReadonlySet<WordClass> = new Set(['percent', 'date', 'security', 'currency'])
export const isOfSecurity = (wordClass: WordClass): boolean => bondClasses.has(wordClass)

const dateCode = /^\d{1,2}[a-z]{3}\d{2,4}$/

const [shares, kindsOfShares] = [table.shares, table.kinds_of_shares].map(
  (words) => new Set(listWords(words)),
)
/** "Registered Shares", "Conv Notes": words that only together describe a security. */
const isOfShares = (words: readonly string[]): boolean =>
  words.some((word) => shares?.has(word)) && words.some((word) => kindsOfShares?.has(word))

/** A day, a month and a year; or a month and a year. */
const writtenDate = /\b(?:\d{1,2} [a-z]{3,} \d{2,4}|[a-z]{3,} (?:\d{1,2} )?\d{4})\b/
/** At an edge of the text a month and a day or a short year are one too: "Larkmoor 13 Dec". */
const shortDate = new RegExp(`${writtenDate.source}|^(?:\\d{1,2} [a-z]{3,}|[a-z]{3,} \\d{1,2})$`)

/** Classifies a folded word that is no legal form. `placeWords`: words of the place that the query gives. */
export function classifyWord(word: string, placeWords: ReadonlySet<string>): WordClass {
  const listed = classOfWord.get(word)
  if (listed !== undefined) return listed
  if (/^\d+(?:st|nd|rd|th)?$/.test(word)) return 'number'
  if (isNumberWord(word))
    return dateCode.test(word) ? 'date' : /^(?=.*[a-z]).*\d/.test(word) ? 'code' : 'number'
  if (placeWords.has(word)) return 'place'
  if (isLightWord(word)) return 'light'
  if (word.length >= 4 && namesCountry(word)) return 'place'
  if (isTradeAnywhere(word)) return 'generic'
  return word.length === 1 ? 'letter' : 'telling'
}

interface Classified {
  readonly text: string
  readonly wordClass: WordClass
  /** The punctuation before it separates parts of the text. */
  readonly isApart: boolean
}

const kindsOfRuns = listWords(['security date department site payment web former exchange currency']).map(
  toClass,
)

/**
 * Returns the class of each word among the others: "american" describes a security before "depositary", and "plant" a site
 * after a dash, and "hall" or "floor" before a number at the start. Runs of words that may be of one kind have it if one of them surely has, or if the run stands apart at the end.
 */
export function classifyBesideOthers(words: readonly Classified[]): WordClass[] {
  const classes = words.map(({ wordClass }) => wordClass)
  const isApartAt = (at: number) => words[at]?.isApart ?? false
  const address = findAddress(words)
  // The street is the name if nothing else is one: "POS 521 FIFTH AVENUE CORP".
  const isBesideName = words.some(
    (_, at) => address !== null && (at < address.from || at >= address.end) && isOfName(classes[at] ?? ''),
  )
  if (address !== null && isBesideName)
    for (let at = address.from; at < address.end; at++) if (classes[at] !== 'form') classes[at] = 'place'
  for (const kind of kindsOfRuns) {
    const mayBe = (at: number) => {
      const own = [classes[at], classBesideOthers.get(words[at]?.text ?? '')]
      return at < words.length && (own.includes(kind) || isFiller(at, kind))
    }
    const isFiller = (at: number, of: WordClass) =>
      isOfSecurity(of)
        ? ['number', 'percent', 'letter', 'date', 'currency', 'code', 'security'].includes(classes[at] ?? '')
        : (of === 'department' || of === 'site') &&
          ['stop', 'number', 'letter', 'code', 'department', 'site'].includes(classes[at] ?? '')
    for (let from = 0; from < words.length;) {
      if (!mayBe(from)) {
        from++
        continue
      }
      let end = from
      while (end < words.length && mayBe(end) && (end === from || !isApartAt(end) || kind === 'security'))
        end++
      const isSure = classes
        .slice(from, end)
        .some((one) => one === kind || (kind === 'security' && one === 'percent'))
      // An address behind the words separates them from the name too.
      const isSetOff = (from > 0 && (isApartAt(from) || end === address?.from)) || isApartAt(end)
      const isApart = isSetOff && (/^(?:department|site)$/.test(kind) || (kind === 'security' && from === 0))
      const run = words.slice(from, end).map(({ text }) => text)
      const named = run.some((text) => classBesideOthers.get(text) === kind)
      const isShares = kind === 'security' && isOfShares(run)
      const isFirst = kind === 'site' && from === 0 && !classes.includes('form')
      const isNumbered = isFirst && run.some((text, at) => at > 0 && /\d/.test(text))
      const date = isSetOff || from === 0 || end === words.length ? shortDate : writtenDate
      const isDate = kind === 'date' && date.test(run.join(' '))
      if ((isSure || isShares || ((isApart || isDate || isNumbered) && named)) && end - from < words.length)
        for (let at = from; at < end; at++)
          if (classes[at] !== kind && classBesideOthers.get(words[at]?.text ?? '') === kind)
            classes[at] = kind
      from = end
    }
  }
  spreadSites(words, classes)
  return classes
}

const isOfName = (wordClass: string) =>
  !/^(?:form|payment|number|date|currency|percent|stop)$/.test(wordClass)
const isPieceName = (one: string, kind: WordClass) =>
  /^(?:telling|generic|light|letter|number)$/.test(one) || (kind === 'site' && one === 'place')

/** After a sign, the words next to "niederlassung" or "payroll" name the site: "Larkmoor - Niederlassung Ulm", "Niederlassung Deutschland". */
function spreadSites(words: readonly Classified[], classes: WordClass[]): void {
  for (let from = words.findIndex(({ isApart }, at) => at > 0 && isApart); from > 0 && from < words.length;) {
    let end = from + 1
    while (end < words.length && !(words[end]?.isApart ?? false)) end++
    const piece = classes.slice(from, end)
    const last = classBesideOthers.get(words[end - 1]?.text ?? '')
    const kind =
      piece.find((one) => one === 'site' || one === 'department') ??
      (last === 'site' || last === 'department' ? last : undefined)
    if (kind !== undefined && !piece.includes('form'))
      for (let at = from; at < end; at++) if (isPieceName(classes[at] ?? '', kind)) classes[at] = kind
    from = end
  }
}

/** Common words of company names, by occurrences in 100,000 names of American and British registers, each family counted once. */
const counts = toMap(table.by_count, Number)

export const usualWords: readonly string[] = [...counts.keys()]

const { beginnings, endings, of_places: placeEndings } = table.of_many_names
const general = new RegExp(`^(?:${listWords(beginnings).join('|')})(?:${endings.replaceAll(' ', '|')})?$`)

/** True for a word of many names anywhere: "nova", "deutsche", and places with their adjectives, such as "zagrebacka". */
export const isOfManyNames = (word: string): boolean => getUsualCount(word) > 0 || isOfManyPlaces(word)
export const isOfManyPlaces = (word: string): boolean =>
  general.test(word) ||
  ['', ...placeEndings.split(' ')].some((end) => {
    const stem = word.slice(0, word.length - end.length)
    const names = stem.length >= 4 && word.endsWith(end) ? ['', 'a', 'o'].map((vowel) => stem + vowel) : []
    return names.some((name) => isLargeCity(name) || namesCountry(name) || findRegionCodes(name).length > 0)
  })

/** Least count of words for trades and places in East Asia, whose English words may be rare. */
const asianCountMin = 160

/** Number of 100,000 names with a word, about; 0 for rare words. */
export function getUsualCount(word: string): number {
  const english = nativeWords.get(word)
  return Math.max(counts.get(english ?? word) ?? 0, english === undefined ? 0 : asianCountMin)
}
