import { countryCodes } from '../../core/countries.js'
import { findRegionCodes, toCityKey, toPlaceKey } from '../normalize/places.js'
import type { AlignedText, NameAlignment } from './align-name.js'
import { andWords, classifyNameWord } from './compare-words.js'
import { isCountryWord, type LocationHint } from './place-readings.js'
import { findFormInFront, statesForm, type CandidateName } from './candidate.js'
import type { QueryText, TextWord } from './query-text.js'
import { findOtherNames } from './around-name.js'
import { countHeads } from './named-field.js'
import { hasTown, isConflict, type PlaceAgreement } from './place-agreement.js'
import { isOfSecurity, type WordClass } from './word-classes.js'
import { hasWord } from '../normalize/own-letters.js'
import { foldText, getOrCompute, hasShortForm, isJoiningWord } from '../normalize/normalize-name.js'
import { cutOwnBrand, isOwnBrand, parseName } from '../normalize/parsed-name.js'
import { branches, change, leaveOutTrade, type KeyedText } from './other-writings.js'
import { joiningWords } from './text-pieces.js'

/** Numbers of words that one side lacks, by kind. */
export interface LeftoverWords {
  /** "Group", "Holdings": often added to a name or dropped. */
  readonly light: number
  /** Words of a trade or a shape: "Software", "Foods". */
  readonly soft: number
  readonly number: number
  /** Words of the place in the query, or of the company's place. */
  readonly place: number
  /** Countries that are not in the query; they are also counted in another field. */
  readonly country: number
  /** All other words that tell companies apart. */
  readonly hard: number
  /** Weight of the hard ones. */
  readonly hardWeight: number
}

export type Position = 'before' | 'inside' | 'behind'

/** A word of the text that is no word of the name. */
export interface LeftWord {
  readonly word: TextWord
  readonly at: number
  readonly position: Position
  /**
   * `place`: of the company's place, or of that in the query. `repeated`: the name has it as well. `ticker`: of its shares.
   * `series`: a number behind the name, as siblings of a series have. `cut`: the beginning of a word at the end of a column.
   */
  readonly role: 'place' | 'repeated' | 'ticker' | 'series' | 'cut' | null
}

export const noWords = { light: 0, soft: 0, number: 0, place: 0, country: 0, hard: 0, hardWeight: 0 }

export type GetNames = (one: CandidateName) => readonly CandidateName[]

export function listLeft(
  { text }: AlignedText,
  candidate: CandidateName,
  { start, end }: NameAlignment,
  inPairs: ReadonlySet<number>,
  { placeWords, getOthers = () => [] }: { placeWords: ReadonlySet<string>; getOthers?: GetNames },
): LeftWord[] {
  const left: LeftWord[] = []
  const isOfOther = findOtherNames(text.words, { start, end }, candidate, getOthers(candidate))
  const isHead = start > 0 && start <= countHeads(text, candidate.place, inPairs.size)
  // The purpose behind the form is in the whole name, and not in its words.
  const ownEnd = text.fullKey === candidate.fullKey ? text.words.length : isHead ? start : 0
  const formEnd =
    ownEnd || (start === 0 ? 0 : Math.min(start, findFormInFront(text.words, candidate)?.count ?? 0))
  const mark = text.words.findIndex(({ wordClass }, at) => at >= end && /^(?:former|mark)$/.test(wordClass))
  for (const [at, read] of text.words.entries()) {
    if (inPairs.has(at)) continue
    // Behind "formerly" and "d/b/a", all words are of another name.
    const isBehind = mark >= 0 && at > mark && read.wordClass === 'generic'
    const word = isBehind ? change(read, { wordClass: 'telling' }) : read
    const position: Position = at < start ? 'before' : at >= end ? 'behind' : 'inside'
    const facts = { text, candidate, end, at, placeWords, inPairs }
    const isSaid = at < formEnd || isOfOther(word, at)
    left.push({ word, at, position, role: isSaid ? 'repeated' : findRole(word, facts) })
  }
  return left.map((one, at) =>
    one.role === null && isInTown(one, [left[at - 1], left[at + 1]], candidate)
      ? { word: one.word, at: one.at, position: one.position, role: 'place' }
      : one,
  )
}

/** A short word of a town, next to another word of it: "Wals bei Salzburg", "New York". */
function isInTown(
  { word, at }: LeftWord,
  [before, next]: readonly [LeftWord | undefined, LeftWord | undefined],
  { place: { cityKey } }: CandidateName,
): boolean {
  const isNext = (other: LeftWord | undefined, by: number) => other?.role === 'place' && other.at === at + by
  return (
    (isNext(before, -1) && cityKey.includes((before?.word.text ?? '') + word.text)) ||
    (isNext(next, 1) && cityKey.includes(word.text + (next?.word.text ?? '')))
  )
}

interface RoleFacts {
  readonly text: QueryText
  readonly candidate: CandidateName
  readonly end: number
  readonly at: number
  readonly placeWords: ReadonlySet<string>
  readonly inPairs: ReadonlySet<number>
}

const isBrand = (brand: TextWord | undefined, words: readonly string[]) =>
  brand?.wordClass === 'telling' && isOwnBrand(brand.text, words)
const seriesNumber =
  /^(?:[1-9]|1\d|20)(?:st|nd|rd|th)?$|^[ivx]$|^(?:two|three|four|five|six|seven|eight|nine|ten)$/
function findRole(word: TextWord, facts: RoleFacts): LeftWord['role'] {
  const [{ wordClass }, { text, candidate, end, at, placeWords, inPairs }] = [word, facts]
  if (wordClass === 'form' || isOfSecurity(wordClass)) return null
  const [previous, next] = [text.words[at - 1], text.words[at + 1]]
  const [isBehindForm, isBeforeForm] = [previous, next].map((one) => one?.wordClass === 'form')
  const isLast = next === undefined
  const isBehindName = at >= end && (at === end || inPairs.has(at - 1) || isBehindForm)
  // No numerals: a small letter behind a form ("s.r.o. v likvidaci", "в Черкасах"), the number of a house ("12 High Street", "No. 9 Jalan").
  const isLetter = !isLast && (isBehindForm ? /^[ivxв]$/ : /^в$/).test(word.written)
  const isHouse =
    isBehindForm && (wordClass === 'place' || /^n/i.test(word.written) || /^\d/.test(next?.text ?? ''))
  // Numbers of a security are coupons and dates, but not Roman ones and those in front of the form.
  const isCoupon = text.isSecurity && !isBeforeForm && !/^[IVX]{2,}$/.test(word.written)
  const isNumber = isBehindName && !isLetter && !isHouse && !isCoupon && seriesNumber.test(word.text)
  // In brackets it is a part of the name only in front of the form: "Larkmoor (No. 5) Ltd".
  if (isNumber && !(isBeforeForm ? /[^)([]/ : /[^)]/).test(word.separator)) return 'series'
  const before = text.words.slice(0, at).map(({ text: one }) => one)
  if (isLast && at > end && isBrand(word, before)) return 'repeated'
  const isInFront = at === text.words.length - 2 && isBrand(next, [...before, word.text])
  if ((isLast || isInFront || at === 0) && statesForm(word, candidate)) return 'repeated'
  if (wordClass !== 'number' && hasWord(candidate, word)) return 'repeated'
  if (inPairs.size > 0 && isTicker(word, candidate)) return 'ticker'
  const isCutToken = (token: string) => token.length > word.text.length && token.startsWith(word.text)
  if (isLast && at >= candidate.tokens.length && candidate.tokens.some(isCutToken)) return 'repeated'
  if (word.text.length > 1 && (placeWords.has(word.text) || isOfPlace(word, candidate))) return 'place'
  const isCut = isLast && text.charCount >= 28 && text.charCount <= 42 && word.text.length <= 9
  return isCut && /^(?:telling|letter)$/.test(wordClass) ? 'cut' : null
}

/** Tickers of one letter are initials, and words in small letters are words. */
const isTicker = ({ written, folded }: TextWord, { prominence }: CandidateName): boolean =>
  /^[A-Z\d]{2,6}$/.test(written) && prominence.tickers.split(' ').includes(folded)

/** Keys of places are without spaces: a word of three letters may be inside another. */
function isOfPlace(asked: TextWord, { place }: CandidateName): boolean {
  const { text: word, written } = asked
  const { cityKey, postalKey, regionCode, jurisdictionRegion } = place
  const keys = townKeys.get(asked) ?? new Set([toCityKey(written), word])
  townKeys.set(asked, keys)
  const isTown = hasTown(keys, place)
  if (cityKey !== '' && (isTown || (word.length > 3 && toPlaceKey(cityKey).includes(word)))) return true
  if (postalKey !== '' && postalKey.startsWith(word) && /\d/.test(word)) return true
  return [regionCode, jurisdictionRegion].some((code) => code !== '' && isRegion(asked, code))
}
const townKeys = new WeakMap<TextWord, ReadonlySet<string>>()
const regionsOfWord = new WeakMap<TextWord, readonly string[]>() // "tx" and "texas" of US-TX.
function isRegion(word: TextWord, code: string): boolean {
  const codes = regionsOfWord.get(word) ?? (word.text.length > 4 ? findRegionCodes(word.text) : [])
  regionsOfWord.set(word, codes)
  return code.slice(3).toLowerCase() === word.text || codes.includes(code)
}

/** Classes of words that other companies' names have. */
const leftKind: Readonly<Partial<Record<WordClass, 'light' | 'soft' | 'number' | 'place' | 'hard'>>> = {
  telling: 'hard',
  body: 'hard',
  generic: 'soft',
  light: 'light',
  number: 'number',
  place: 'place',
  letter: 'hard',
}

export function countLeft(
  left: readonly LeftWord[],
  { weights }: AlignedText,
  placeWords: ReadonlySet<string>,
): LeftoverWords {
  const count = { ...noWords }
  for (const { word, at, role } of left) {
    const kind = role === 'place' ? 'place' : role === 'series' ? 'number' : leftKind[word.wordClass]
    if (kind === undefined || role === 'cut') continue
    count[kind]++
    if (kind === 'hard') count.hardWeight += weights[at] ?? 0
    if (isCountryWord(word.text) && !placeWords.has(word.text)) count.country++
  }
  return count
}

export function countMissing(
  words: readonly string[],
  { vocabulary }: AlignedText,
  placeWords: ReadonlySet<string>,
): LeftoverWords {
  const count = { ...noWords }
  for (const word of words) {
    if (isCountryWord(word) && !placeWords.has(word)) count.country++
    const wordClass = classifyNameWord(word)
    if (wordClass === 'number') count.number++
    else if (placeWords.has(word)) count.place++
    else if (wordClass === 'light') count.light++
    else if (wordClass === 'generic') count.soft++
    else {
      count.hard++
      count.hardWeight += vocabulary.weight(word)
    }
  }
  return count
}

const countryWords = new Map<string, readonly string[]>()

/** Lists the names of a country that are one word, as names of companies have them: `usa`, `deutschland`. */
export const listCountryWords = (code: string): readonly string[] =>
  getOrCompute(countryWords, 300, code, () =>
    [...countryCodes].flatMap(([name, one]) =>
      one === code && /^(?:uk|us|usa|uae|[a-z]{4,})$/.test(name) ? [name] : [],
    ),
  )

/** Adds the company's country if its name has a letter for it, unless another place is stated: "(U)" says little in Uganda. */
export function addOwnCountry(words: ReadonlySet<string>, { name, place }: CandidateName) {
  if (!/\([A-Z][a-z]?\)/.test(name)) return words
  const own = listCountryWords(place.countryCode || place.jurisdictionCountry)
  return ['', place.cityKey, ...own].some((word) => words.has(word)) ? new Set([...words, ...own]) : words
}

/** True if a text has more or less of a house number than a name. */
export const isOtherHouse = (left: readonly LeftWord[], missing: readonly string[]): boolean =>
  missing.concat(left.map(({ word }) => word.text)).some((one) => /\d|^.$/.test(one))

/** A word that is compared in a long form is written as in the name: "Technologies" is not "Tech". */
export function isWrittenAlike(
  { words }: QueryText,
  { pairs }: NameAlignment,
  { tokens, name }: CandidateName,
): boolean {
  const shortened = pairs.filter(({ nameAt }) => hasShortForm(tokens[nameAt] ?? ''))
  if (shortened.length === 0) return true
  const written = new Set(foldText(name).split(' '))
  return shortened.every(({ textAt }) => written.has(words[textAt]?.folded ?? ''))
}

const weak = /^(?:stop|form|place)$/
/** Only joining words, forms and places of the text are words of the name: "SA de CV" is not "MB C V", "MTN Ghana" not "Ghana Oil". */
export const isJoiningOnly = ({ words }: QueryText, { pairs }: NameAlignment): boolean =>
  pairs.length > 0 &&
  pairs.every(({ textAt, textCount }) => textCount === 1 && weak.test(words[textAt]?.wordClass ?? '')) &&
  words.some(({ wordClass }) => !weak.test(wordClass))

/** True for "and" between two words, in a language of the country or where the other text has one too. A letter is often an initial. */
function isAnd(words: readonly string[], at: number, { place }: CandidateName, other: string): boolean {
  const [before = '', word = '', next = ''] = [words[at - 1], words[at], words[at + 1]]
  const codes = andWords.get(word)
  if (codes === undefined || Math.min(before.length, next.length) < (word.length === 1 ? 3 : 2)) return false
  if (codes.includes(place.countryCode || place.jurisdictionCountry)) return true
  const others = foldText(other).split(' ')
  const isAlike = (one: string, from: number) =>
    (isJoiningWord(one) || andWords.has(one)) && others[from - 1] === before && others[from + 1] === next
  return others.some(isAlike)
}

/** Adds nothing to a name that says it before: "de Commerce et Transport", "de Commerce et de Transport". */
function isRepeated(words: readonly string[], at: number, asked: readonly string[]): boolean {
  const word = words[at] ?? ''
  const next = asked.indexOf(words[at + 1] ?? '')
  return (
    joiningWords.has(word) &&
    words.indexOf(word) < at &&
    asked.includes(word) &&
    isJoiningWord(asked[next - 1] ?? '')
  )
}

/** Leaves out a brand that only the name has, behind its form: "Larkmoor Norvane S.A. LANOSA". */
function leaveOutBrand(
  asked: readonly string[],
  candidate: CandidateName,
  others: ReadonlySet<string>,
): CandidateName {
  const { formClass, name, tokens } = candidate
  if (formClass !== null || asked.includes(tokens.at(-1) ?? '')) return candidate
  const rest = cutOwnBrand(name)
  if (rest === name) return candidate
  const parsed = parseName(rest)
  // Another company has the name without it.
  if (others.has(parsed.fullKey)) return candidate
  const { tokens: kept, coreKey, fullKey, formClass: stated } = parsed
  return change(candidate, { tokens: kept, coreKey, fullKey, formClass: stated })
}

/** Leaves out the "and" that only a text or only a name has: "və", "i" and "&" are one word, which a register may omit. */
export function leaveOutAnd<Text extends KeyedText & { readonly given: string }>(
  whole: Text,
  held: CandidateName,
  others: ReadonlySet<string> = new Set(),
): readonly [Text, CandidateName] {
  const [text, named] = leaveOutTrade(whole, held, others)
  const asked = text.words.map(({ text: word }) => word)
  const candidate = leaveOutBrand(asked, named, others)
  const { tokens, coreKey, fullKey } = candidate
  const kept = tokens.filter(
    (word, at) =>
      (asked.includes(word) || !isAnd(tokens, at, candidate, text.given)) && !isRepeated(tokens, at, asked),
  )
  const isOnlyAsked = (at: number) =>
    !tokens.includes(asked[at] ?? '') && isAnd(asked, at, candidate, candidate.name)
  const isChanged = text.fullKey !== fullKey && asked.some((_, at) => isOnlyAsked(at))
  return [
    isChanged
      ? change(text, {
          coreKey: cutFrom(text.coreKey, asked, isOnlyAsked),
          fullKey: cutFrom(text.fullKey, asked, isOnlyAsked),
          words: text.words.map((word, at) => (isOnlyAsked(at) ? change(word, { wordClass: 'stop' }) : word)),
        })
      : text,
    kept.length === tokens.length
      ? candidate
      : change(candidate, {
          tokens: kept,
          coreKey: coreKey.replace(tokens.join(''), kept.join('')),
          fullKey: fullKey.replace(tokens.join(''), kept.join('')),
        }),
  ]
}

/** Cuts words from a key, where the words next to them show their place. */
const cutFrom = (key: string, words: readonly string[], isCut: (at: number) => boolean): string =>
  words.reduce((rest, word, at) => {
    const [before = '', next = ''] = [words[at - 1], words[at + 1]]
    return isCut(at) ? rest.replace(before + word + next, before + next) : rest
  }, key)

/** A branch may be anywhere: its place does not contradict a company whose form is one of other countries only. */
export function placeBranch(
  { left, statedForm }: { left: readonly LeftWord[]; statedForm: { countries: readonly string[] } | null },
  place: PlaceAgreement,
  hint: LocationHint | null,
): PlaceAgreement {
  const isBranch = left.some(({ word }) => word.wordClass === 'site' && branches.has(word.text))
  const isForeign =
    statedForm?.countries.length && !statedForm.countries.some((code) => hint?.countries.has(code))
  return isBranch && isForeign && isConflict(place) ? 'none' : place
}
