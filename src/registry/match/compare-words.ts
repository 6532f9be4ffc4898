import wordTables from '../reference/word-classes.json' with { type: 'json' }
import { calculateDistance } from '../../core/word-forms.js'
import { unknownLetter } from '../normalize/clean-text.js'
import {
  getOrCompute,
  nativeWords,
  isLightWord,
  isNumberWord,
  isTradeAnywhere,
} from '../normalize/normalize-name.js'
import { hasOtherScript, rateSound, soundRateMin } from '../normalize/sounds.js'
import { joiningWords } from './text-pieces.js'

export type NameWordClass = 'telling' | 'generic' | 'light' | 'number'

/** The class of a word of a registered name. */
export function classifyNameWord(word: string): NameWordClass {
  if (isNumberWord(word)) return 'number'
  if (isLightWord(word) || joiningWords.has(word)) return 'light'
  return isTradeAnywhere(word) ? 'generic' : 'telling'
}

/**
 * How a word of a text stands for a word of a name. `same`: otherwise written, as numbers, umlauts and plurals are.
 * `plural`: one is the plural. `related`: a bank and its holding. `abbreviated`: the same first letter, the others in order. `cut`: its beginning.
 * `misread`: as scans confuse letters. `unknown_letter`: a lost letter. `misspelled`: one or two letters differ.
 */
export const wordMatchKinds = [
  'equal',
  'same',
  'plural',
  'related',
  'abbreviated',
  'cut',
  'misread',
  'unknown_letter',
  'misspelled',
  'joined',
] as const
export type WordMatchKind = (typeof wordMatchKinds)[number]

export interface WordMatch {
  readonly kind: WordMatchKind
  /** Cost in the alignment. */
  readonly cost: number
  /** The first letter differs. */
  readonly isFirstChanged: boolean
  /** Share of the letters of the longer word that the other has, 0 to 1. */
  readonly share: number
  /** A usual word with one letter wrong: no other is meant. */
  readonly isUsual?: boolean
  /** Two letters are swapped, one is doubled or single, or "ks" is "x": hardly another name. */
  readonly isSlip?: boolean
  /** The words are compared by their sound. */
  readonly isSound?: boolean
}

const of = (kind: WordMatchKind, cost: number, share = 1, isFirstChanged = false): WordMatch => ({
  kind,
  cost,
  isFirstChanged,
  share,
})

const [equal, plural, related] = [of('equal', 0), of('plural', 0.25), of('related', 0.5)]
export const sameMatch = of('same', 0.1)
/** Two names of a country; "IN" is Indiana too, other codes are read as a country. */
export const [countryMatch, stateCodeMatch] = [of('joined', 0.3), of('abbreviated', 0.6, 0.6)]

const readPairs = (pairs: string): (readonly [string, string])[] =>
  pairs.split(/\s+/).map((pair) => pair.split('=') as [string, string])

const { tens: tensTable, units: unitsTable, others: otherNumbers } = wordTables.numbers
const [tens, units] = [readPairs(tensTable), readPairs(unitsTable)]
const numberWords = new Map([
  ...units,
  ...readPairs(otherNumbers),
  ...tens.map(([word, ten]) => [word, `${ten}0`] as const),
  ...tens.flatMap(([word, ten]) => units.map(([unit, digit]) => [word + unit, ten + digit] as const)),
])

/** The digits of a number, also of one in words: "44" for "fortyfour", "21" for "21st". */
const readNumber = (word: string): string | undefined =>
  numberWords.get(word) ?? /^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1]

/** The digits of a number of two words, "forty four", "dua belas"; `undefined` for other words. */
export const joinNumber = (first: string | undefined, second: string): string | undefined =>
  first === undefined ? undefined : numberWords.get(first + second)

const hasDigit = /\d/
/** Number words of two languages are two words: "SEI" is no "Six". */
const english = new Set([...units, ...tens].map(([word]) => word))
const areEnglish = (a: string, b: string) => englishWords.has(a) && englishWords.has(b)
const areOfOne = (a: string, b: string) => hasDigit.test(a + b) || (english.has(a) && english.has(b))

/** Lists how names write a number: "21", "21st". */
export const listNumberSpellings = (digits: string): string[] =>
  ['', 'st', 'nd', 'rd', 'th'].map((ending) => digits + ending)

/** True if two words are the number of a third: "forty four" and "44". */
export function isNumberOfTwo(first: string | undefined, second: string, word: string): boolean {
  const { number = word } = readFacts(word)
  return hasDigit.test(number) && joinNumber(first, second) === number
}

/** Words of the same meaning in two languages, and other spellings that no rule finds. */
const synonyms = new Map(readPairs(wordTables.synonyms.join(' ')))
export const findSynonym = (word: string): string | undefined => synonyms.get(word)

/** The spelling that is compared with a word of a name: "St" is "Saint" or "Street", "Fin" may be "Finance", and "21" in "21-4" the year 2021. */
export function findSpelling(
  { text, folded }: { readonly text: string; readonly folded: string },
  next: string | undefined,
  name: string,
): string {
  if (findSynonym(folded) === name) return folded
  // "Fin." is short for "Finance" too, "Eng." for "English".
  if (text !== name && folded.length > 2 && text.length > folded.length && name.startsWith(folded))
    return folded
  return name === `20${text}` && /^\d{1,2}$/.test(next ?? '') ? name : text
}

/** Parts of the world, which groups name their companies after, in the main languages. */
const areaNames = wordTables.areas.map((line) => new Set(line.split(' ')))

/** Numbers of groups by word: words for "brothers", short and long; a bank and its holding, or one word of a trade in two languages. Before a colon: English words, compared by letters. */
const [brothers, relatedWords] = [wordTables.brothers, wordTables.related].map(
  (groups) => new Map(groups.flatMap((words, at) => words.split(/:? /).map((word) => [word, at] as const))),
)
const englishWords = new Set(
  wordTables.related.flatMap((line) => line.split(':').slice(0, -1).join(' ').split(' ')),
)
/** `getWord`: most words have no relation, so the other one is only made if there may be one. */
export function isRelated(word: string, getWord: () => string): boolean {
  const group = relatedWords?.get(word)
  return group !== undefined && relatedWords?.get(getWord()) === group
}

/** "ue" for "ü", "ü" written as "u", except at the end of a word and in short words; "dj" for "đ", "Mc" for "Mac", and British spellings. */
const closeSpelling = (word: string): string =>
  /[aou]e|aa|dj|^mac.{3}|..our|isation/.test(word)
    ? word
        .replace(/(?<![aeoq])(?!aero)([aou])e(?=.)/g, word.length < 5 ? '$&' : '$1')
        .replace(/^aa(?=[bdfgk-nr-tv])|aa(?=rd|ge|r?s|l?b|[dl]?$)/g, 'a')
        .replace(/dj/g, 'd')
        .replace(/^mac(?=.{3})/, 'mc')
        .replace(/(?<=..)our(?=s?$)/, 'or')
        .replace(/isation/, 'ization')
    : word

/** Letters that scans and typists confuse have one shape. */
const shapes = readPairs('0=o 1=i l=i |=i 5=s 8=b 6=g rn=m ii=u vv=w cl=d')
const toShape = (word: string): string =>
  shapes.reduce((shape, [letters, other]) => shape.replaceAll(letters, other), word)

/** The consonants, without repetitions: abbreviated words have only these. */
export const toSkeleton = (word: string): string =>
  word.charAt(0) +
  word
    .slice(1)
    .replace(/[aeiouy]/g, '')
    .replace(/(.)\1+/g, '$1')

/** True if the letters of `short` are in `long`, in order. */
export function isSubsequence(short: string, long: string): boolean {
  let at = 0
  for (let index = 0; index < long.length && at < short.length; index++) if (long[index] === short[at]) at++
  return at === short.length
}

/** Facts of a word that comparisons need; `short` has "x" for "ks". */
const listFacts = (word: string) => ({
  number: readNumber(word),
  isNumber: isNumberWord(word),
  hasDigit: hasDigit.test(word),
  brothers: brothers?.get(word),
  related: relatedWords?.get(word),
  synonym: synonyms.get(word),
  native: nativeWords.get(word),
  isArea: areaNames.some((words) => words.has(word)),
  close: closeSpelling(word),
  shape: toShape(word),
  short: word.replaceAll('ks', 'x'),
})

/** Names share words: to list the facts of each again would take most of the time of a comparison. */
const knownFacts = new Map<string, ReturnType<typeof listFacts>>()
const readFacts = (word: string) => getOrCompute(knownFacts, 20_000, word, listFacts)

/** A usual word with one letter wrong. */
export const usualMatch: WordMatch = { ...of('misspelled', 0.6, 0.9), isUsual: true }

/** Compares a word of a text with a word of a name; `null` if they are different words. `isLast`: the text ends with it. `isLatin`: an "s" may be a plural. */
export function compareWords(text: string, name: string, isLast = false, isLatin = true): WordMatch | null {
  if (text === name) return equal
  if (text === '' || name === '') return null
  const [asked, held] = [readFacts(text), readFacts(name)]
  const { number } = asked
  if (number === undefined ? held.number === text : (held.number ?? name) === number && areOfOne(text, name))
    return sameMatch
  // Numbers are equal or different, and so are letters.
  if (asked.isNumber && held.isNumber) return null
  if (asked.brothers !== undefined && asked.brothers === held.brothers) return sameMatch
  if (asked.synonym === name) return of('abbreviated', 0.3, 0.6)
  if (asked.close === held.close) return sameMatch
  if (asked.isArea && areaNames.some((words) => words.has(text) && words.has(name))) return sameMatch
  if (asked.related !== undefined && asked.related === held.related && !areEnglish(text, name)) return related
  if (held.native === text || asked.native === name) return sameMatch
  if (text.includes(unknownLetter)) return compareUnknown(text, name)
  if (isLatin && isPlural(text, name)) return plural
  return (
    (asked.shape === held.shape ? compareShapes(text, asked.hasDigit !== held.hasDigit) : null) ??
    compareAbbreviation(text, name, isLast) ??
    compareSpelling(text, name, asked.short, held.short) ??
    compareSkeletons(text, name)
  )
}

const pluralEnds: Readonly<Record<string, string>> = { ao: 'oes', il: 'eis', y: 'ies' }
const toOtherPlural = (word: string): string =>
  word.replace(/(?<=[aeo])l$|il$|ao$|y$/, (end) => pluralEnds[end] ?? 'is')
function isPlural(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= 4 && [`${short}s`, `${short}es`, toOtherPlural(short)].includes(long)
}

/** More lost letters leave too much open, and their pattern would take exponential time. */
const lostLettersMax = 4

function compareUnknown(text: string, name: string): WordMatch | null {
  if (text.split(unknownLetter).length - 1 > lostLettersMax) return null
  const letters = new RegExp(`^${text.split(unknownLetter).map(escapeLetters).join('.{1,2}')}$`)
  const known = text.replaceAll(unknownLetter, '').length
  if (known < 2) return null
  if (letters.test(name)) return of('unknown_letter', 0.3, known / name.length)
  const loose = new RegExp(`^${text.split(unknownLetter).map(escapeLetters).join('.{0,4}')}$`)
  return known >= 4 && loose.test(name) ? of('unknown_letter', 0.6, known / name.length) : null
}

const escapeLetters = (text: string): string => text.replace(/[^a-z0-9]/g, '')

const [shapeCharsMin, runOnCharsMin] = [6, 20]

/** For words of one shape; `isDigit`: only one has a digit. */
function compareShapes(text: string, isDigit: boolean): WordMatch | null {
  // Without a digit, short ones are two words: "Barn" and "Bam".
  if (text.length < (isDigit ? 3 : shapeCharsMin) || (!isDigit && !/[lmuwd]|rn|ii|vv|cl/.test(text)))
    return null
  return of('misread', 0.4)
}

function compareAbbreviation(text: string, name: string, isLast: boolean): WordMatch | null {
  if (text.charAt(0) !== name.charAt(0) || name.length - text.length < 1) return null
  if (hasDigit.test(text) || hasDigit.test(name)) return null
  // A name without spaces is one long word: 北京 is no short form of 北京星河远航餐饮管理.
  if (name.length > runOnCharsMin && name.length > 3 * text.length) return null
  // "Tchnlgs" is short for the plural of "technology".
  if (/[^s]s$/.test(text) && toSkeleton(text.slice(0, -1)) === toSkeleton(name)) text = text.slice(0, -1)
  const share = text.length / name.length
  // The end of "OBEROE" is that of "Oberösterreich".
  const isBeginning = name.startsWith(text) || (isLast && name.startsWith(text.replace(/(?<=[aou])e$/, '')))
  if (isBeginning && isLast) return of('cut', 0.4 + 0.5 * (1 - share), share)
  if (name.length - text.length < 2 || text.length < (isBeginning ? 2 : 3) || !isSubsequence(text, name))
    return null
  const endsAlike = text.at(-1) === name.at(-1)
  const isSkeleton = toSkeleton(text) === toSkeleton(name)
  if (!isBeginning && !endsAlike && !isSkeleton && !(share > 0.45 && text.length > 3)) return null
  if (!isBeginning && !isSkeleton && share < 0.72 && !dropsVowels(text, name)) return null
  return of('abbreviated', 0.5 + 0.8 * (1 - share) + (isBeginning || endsAlike ? 0 : 0.3), share)
}

/** Between its beginning and its end, a form that is much shorter has no vowels, or a piece of the word: "Intnat" is short for "international", "Drem" not for "Devvstream". */
function dropsVowels(short: string, word: string): boolean {
  let [from, end] = [0, short.length]
  while (short[from] === word[from]) from++
  while (end > from && short[end - 1] === word[word.length - short.length + end - 1]) end--
  const middle = short.slice(from, end)
  return !/[aeiou]/.test(middle) || (middle.length > 2 && word.includes(middle))
}

const latinRateMin = 0.92
const toLiquids = (word: string): string => word.replace(/(.)\1/g, '$1').replace(/[^lr]/g, '')
const areAsHeard = (spoken: string, name: string) =>
  Math.min(spoken.length, name.length) > 3 &&
  Math.abs(spoken.length - name.length) < 4 &&
  toLiquids(spoken) === toLiquids(name)

const tellsLiquids = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\P{L}]*$/u
/** Compares a word as heard, or of another script, with a word of a name, by their sound. `native`: the text as given. */
export function compareSound(spoken: string, name: string, native: string): WordMatch | null {
  const rate = rateSound(spoken, name)
  if (rate < (hasOtherScript(native) ? soundRateMin : latinRateMin)) return null
  if (tellsLiquids.test(native) && !areAsHeard(spoken, name)) return null
  return { ...of('misspelled', 0.4 + 3 * (1 - rate), rate), isSlip: rate > 0.94, isSound: true }
}

function compareSpelling(text: string, name: string, one: string, other: string): WordMatch | null {
  const shorter = Math.min(text.length, name.length)
  const isShort = shorter < 4 && (text.length + name.length < 7 || text.charAt(0) !== name.charAt(0))
  if (shorter < 3 || isShort) return null
  const distance = calculateDistance(one, other, 2)
  if (distance > 2 || (distance === 2 && shorter < 8)) return null
  const isFirstChanged = text.charAt(0) !== name.charAt(0)
  if (distance === 0 || (distance === 1 && shorter > 4 && isSlip(one, other)))
    return { ...of('misspelled', 0.7 + (shorter <= 5 ? 0.4 : 0), 0.9, isFirstChanged), isSlip: true }
  const cost = (distance === 1 ? 0.9 : 1.6) + (shorter <= 5 ? 0.8 : 0) + (isFirstChanged ? 0.9 : 0)
  return of('misspelled', cost, 1 - distance / Math.max(text.length, name.length), isFirstChanged)
}

/** The words differ in one place. Short ones, as Kis and Kiss, are two names. */
function isSlip(a: string, b: string): boolean {
  if (a.length === b.length) {
    let at = 0
    while (a[at] === b[at]) at++
    return a[at] === b[at + 1] && a[at + 1] === b[at]
  }
  const single = (word: string) => word.replace(/(.)\1/g, '$1')
  return single(a) === single(b)
}

function compareSkeletons(text: string, name: string): WordMatch | null {
  if (text.charAt(0) !== name.charAt(0) || Math.min(text.length, name.length) < 5) return null
  if (Math.abs(text.length - name.length) > 4 || toSkeleton(text) !== toSkeleton(name)) return null
  // Other vowels are of another word.
  if (!isSubsequence(text, name) && calculateDistance(text, name, 3) > 3) return null
  const share = Math.min(text.length, name.length) / Math.max(text.length, name.length)
  return of('abbreviated', 0.7, share)
}

/** Words for "and" in the languages of a country. */
export const andWords = new Map(
  Object.entries(wordTables.and_words).map(([word, codes]) => [word, codes.split(' ')]),
)
