import { calculateDistance } from '../../core/word-forms.js'
import { isIndustryWord } from '../reference/industry-codes.js'
import { foldWords, namesTrade, toCanonicalWord } from '../normalize/normalize-name.js'
import { isOfUnknownWords } from '../normalize/native-scripts.js'
import { hasOtherScript } from '../normalize/sounds.js'
import { compareMarks } from '../normalize/own-letters.js'
import { isFamilyWord } from '../normalize/unspaced-names.js'
import { andWords, classifyNameWord, isSubsequence, toSkeleton, type WordMatch } from './compare-words.js'
import type { Evidence } from './evidence.js'
import type { WordPair } from './align-name.js'
import type { LeftWord } from './left-words.js'
import type { QueryText } from './query-text.js'

export const isAmong = (left: LeftWord | undefined, classes: string): boolean =>
  (left?.role === null || left?.role === 'cut') && classes.includes(left.word.wordClass)

/** Returns the place of the next word that is more than "of" or "and". */
export function skipJoiningWords({ words }: QueryText, from: number): number {
  const at = words.findIndex(
    ({ wordClass, separator }, at) => at >= from && (wordClass !== 'stop' || separator !== ''),
  )
  return at < 0 ? words.length : at
}

/** Whether a word may be another one, spelled so badly that it was not found: not Dental for Diagnostics, which are known. */
const mayBeWord = (word: string, held = '') =>
  word.charAt(0) === held.charAt(0) &&
  (isSubsequence(word, held) || calculateDistance(word, held, held.length) * 2 <= held.length)

/** True if a word of the text stands where the name has another: "Larkmoor Energy Ltd" and "Larkmoor Capital Ltd". */
export function isReplaced({ left, text, alignment, candidate }: Evidence['comparison']): boolean {
  const { pairs, missing, end } = alignment
  const [{ tokens }, last] = [candidate, pairs.at(-1)?.nameAt ?? -1]
  return missing.some((nameAt) => {
    const before = pairs.findLast((pair) => pair.nameAt < nameAt)
    // The number of a shop does not replace "Group".
    const isLight = classifyNameWord(tokens[nameAt] ?? '') === 'light'
    const classes = `telling generic light body ${isLight ? '' : 'number'}`
    const to = pairs.find((pair) => pair.nameAt > nameAt)?.textAt ?? skipJoiningWords(text, end) + 1
    const isAnother = (one: LeftWord) =>
      before !== undefined &&
      one.at >= before.textAt + before.textCount &&
      one.at < to &&
      one.word.separator === '' &&
      isAmong(one, nameAt < last ? `${classes} department` : classes) &&
      !mayBeWord(one.word.text, tokens[nameAt])
    return left.some(isAnother)
  })
}

/** True if the text has a word of the name only by its sound: it is in another script, or spelled as heard. `isSlip`: counts words of nearly the same sound too. */
export const isBySound = ({ comparison }: Evidence, isSlip = true): boolean => {
  const { alignment, text, candidate } = comparison
  const isHeard = ({ match }: WordPair) =>
    match.kind === 'misspelled' && (match.isSound ?? text.how !== null) && (isSlip || match.isSlip !== true)
  return !hasOtherScript(candidate.name) && alignment.pairs.some(isHeard)
}

/** True if a word is another one of its trade: a group may have a company Larkmoor Steel next to Larkmoor Stahl GmbH. */
export const isTranslated = ({ comparison: { alignment, text, candidate } }: Evidence): boolean =>
  alignment.pairs.some(({ match, textAt, nameAt }) => {
    const [word, held] = [text.words[textAt]?.text ?? '', candidate.tokens[nameAt] ?? '']
    const isLike =
      word.slice(0, 4) === held.slice(0, 4) || calculateDistance(word, held, word.length) * 3 <= word.length
    return match.kind === 'related' && !isLike
  })

const isLoose = (one: WordMatch) => one.isSlip !== true && /^(?:misspelled|abbreviated|cut)$/.test(one.kind)
/** "Mdshires" lacks only vowels of Midshires; few letters without any are initials. */
const lacksVowels = ({ kind }: WordMatch, word: string, held: string) =>
  kind === 'abbreviated' &&
  (word.length > 4 || /[aeiou]/.test(word.slice(1))) &&
  isSubsequence(word, held) &&
  toSkeleton(word) === toSkeleton(held)
const isOfOrFor = ({ words }: QueryText, at: number) => words[at]?.wordClass === 'stop'

/** True if a word of a trade stands for another one, or a word is too short or begins otherwise: Egem and Ege, Hearings and Bearings. In a long word, a letter is a slip: "Petrolium". */
export const isOtherTrade = ({ comparison: { alignment, text, candidate } }: Evidence) =>
  alignment.pairs.some(({ match, textAt, textCount, nameAt, nameCount }) => {
    const [word, held] = [text.words[textAt]?.folded ?? '', candidate.tokens[nameAt] ?? '']
    const isPart = held.startsWith(word) && namesTrade(word) && namesTrade(held.slice(word.length))
    const isSame = held.startsWith(word.slice(0, Math.max(5, word.length - 1))) && !isPart
    if (!isLoose(match) || match.kind === 'cut' || textCount + nameCount > 2) return false
    if (isSame || isOfOrFor(text, textAt) || lacksVowels(match, word, held)) return false
    const isShort = Math.min(word.length, held.length) < 5 && classifyNameWord(held) === 'telling'
    const isOther = match.kind === 'misspelled' && (match.isFirstChanged || isShort)
    const isLong = word.length > 7 && !isIndustryWord(word) && calculateDistance(word, held, 2) < 2
    return isOther || (!isLong && [word, held].every((one) => isIndustryWord(one) || namesTrade(one)))
  })

/** Whether a word tells companies apart: no word of a trade, no "and", and no other that many names have. */
export const tells = (word = '') =>
  /^(?:telling|number)$/.test(classifyNameWord(word)) &&
  ![namesTrade, isIndustryWord, (one: string) => andWords.has(one)].some((is) => is(word))

/** True if no word that tells is in both, only one that is short, begins otherwise, or differs in more than a letter. */
export function isOnlyLike({ comparison: { alignment, text, candidate } }: Evidence): boolean {
  const { tokens } = candidate
  const isTown = (at: number) => tokens[at] === candidate.place.cityKey
  const isOwn = ({ nameAt, match }: WordPair) =>
    tells(tokens[nameAt]) && !(match.kind === 'equal' && isTown(nameAt))
  const own = alignment.pairs.filter(isOwn)
  const isLike = ({ match, textAt, nameAt }: WordPair) => {
    const [word, held] = [text.words[textAt]?.text ?? '', tokens[nameAt] ?? '']
    if (!isLoose(match) || lacksVowels(match, word, held)) return false
    const isShort = Math.min(word.length, held.length) <= 5
    return match.kind !== 'misspelled' || match.isFirstChanged || isShort || match.share < 0.85
  }
  return tokens.length > 1 && own.length > 0 && own.every(isLike) && candidate.prominence.tickers === ''
}

/** Whether a word is more than the beginning or the consonants of one that it may be short for, or lacks its ending: Chukwuma, Solbakk. */
const isWhole = (word: string, held: string): boolean =>
  !isSubsequence(word, held) ||
  (held.startsWith(word)
    ? word.length > 4 && held.length - word.length < 4
    : word.replace(/[^aeiouy]/g, '').length > 2)

/** True if a word that tells has another letter, or only its beginning is in a text that no column cuts: Hikaru and Hikari, Sabz and Sabzine. */
export const isLikeOther = ({ place, comparison: { alignment, text, candidate } }: Evidence) =>
  place !== 'postal' &&
  alignment.pairs.some(({ match, textAt, textCount, nameAt }) => {
    const [word, held] = [text.words[textAt]?.text ?? '', candidate.tokens[nameAt] ?? '']
    if (!isLoose(match) || textCount > 1 || word.length > 9 || !tells(held) || isOfOrFor(text, textAt))
      return false
    if (match.kind === 'abbreviated') return isWhole(word, held)
    return match.kind === 'cut' ? text.cut === 'nowhere' : match.isUsual !== true
  })

/** True if a word that tells has other marks: Kozík and Kožík, Việt Quang and Việt Quảng. */
export function isMarkedOtherwise({ place, comparison: { alignment, text, candidate } }: Evidence): boolean {
  const own = alignment.pairs.map(({ nameAt }) => candidate.tokens[nameAt] ?? '').filter(tells)
  return place !== 'postal' && compareMarks(own, text.native, candidate.name) === 'other'
}

/** True if the text has a word more between those of the name: "Argent Trust Microfinance Bank", "Argent Trust Bank". */
export const isInserted = ({ comparison: { left } }: Evidence) =>
  left.some((one) => {
    const isInside = one.position === 'inside' && one.word.separator === ''
    return isInside && one.word.text.length > 3 && isAmong(one, 'telling generic body')
  })

/** True if the name has a word more between those of the text that tells, or any where few words of the script are known: "Sinar Mas Kencana". */
export const isOmitted = ({ place, comparison: { alignment, text, candidate } }: Evidence) =>
  place !== 'postal' &&
  (isOfUnknownWords(text.native)
    ? alignment.missing.length > 0
    : listOmitted(alignment).some(
        (at) => tells(candidate.tokens[at]) && (candidate.tokens[at] ?? '').length > 2,
      ))

/** True if the name has a word of a trade more between those of the text: "Hardware and Construction Supply". */
export const isTradeOmitted = ({ place, comparison: { alignment, candidate } }: Evidence) =>
  place !== 'postal' &&
  listOmitted(alignment).some((at) => classifyNameWord(candidate.tokens[at] ?? '') !== 'light')

const listOmitted = ({ missing, pairs }: Evidence['comparison']['alignment']) =>
  missing.filter((at) => [1, -1].every((side) => pairs.some((pair) => (pair.nameAt - at) * side > 0)))

/** True if two of a few words that tell have changed places, without a comma: "Jaya Abadi" and "Abadi Jaya" are two companies. */
export function isSwapped({ comparison: { alignment, text, candidate } }: Evidence): boolean {
  const isTelling = (word = '') => tells(word) && !isFamilyWord(word, false)
  const own = alignment.pairs.filter(({ nameAt }) => isTelling(candidate.tokens[nameAt]))
  if (!alignment.isReordered || candidate.prominence.tickers !== '' || own.length > 3) return false
  return own.some(({ nameAt, textAt }, at) => {
    const next = own[at + 1]
    const between = text.words.slice(textAt + 1, (next?.textAt ?? -1) + 1)
    return next !== undefined && next.nameAt < nameAt && !between.some(({ separator }) => separator !== '')
  })
}

/** True if the text is a name, perhaps of a person, that a little-known company continues with "& Sons", "and Company", "Brothers", or begins with "Sons of". */
export function isOfFamily({ comparison: { isTruncated, text, candidate, alignment } }: Evidence): boolean {
  const { name, tokens } = candidate
  const lacks = (word: string) =>
    tokens.includes(word)
      ? alignment.missing.some((at) => tokens[at] === word)
      : !text.words.some((one) => one.text === word || (word === 'company' && /^co/.test(one.folded)))
  // "& Co. KG" is a legal form.
  const isJoined = (before: string | undefined, after = '') =>
    before === 'and' && !/^(?:kg|kgaa|ohg)$/.test(after)
  const isOfFamilyAt = (word: string, at: number, words: readonly string[]) =>
    isFamilyWord(word, isJoined(words[at - 1], words[at + 1])) && lacks(toCanonicalWord(word))
  return !isTruncated && foldWords(name).some(isOfFamilyAt)
}

/** True if the only word of the name has another letter, or is cut, and no place is stated: many other names are as close. `isSlip`: a letter is doubled, or two are swapped. */
export const isUnplacedLike = (
  { place, contextCount, comparison: { alignment, text, candidate } }: Evidence,
  isSlip = false,
) =>
  place === 'none' &&
  contextCount === 0 &&
  candidate.tokens.length === 1 &&
  alignment.pairs.some(({ match }) =>
    isSlip
      ? match.isSlip === true
      : isLoose(match) && match.isUsual !== true && (match.kind !== 'cut' || text.cut === 'nowhere'),
  )
