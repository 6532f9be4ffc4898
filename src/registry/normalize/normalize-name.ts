import anyAscii from 'any-ascii'
import { matchLimits } from '../model/limits.js'
import table from '../reference/word-classes.json' with { type: 'json' }
import romanized from '../reference/romanized-letters.json' with { type: 'json' }
import placeNames from '../reference/place-names.json' with { type: 'json' }
import { listUninflected, readCaseEndings } from '../../core/word-forms.js'
import { getAsianWords, parseWords, writeAlike } from './unspaced-names.js'

/** Words without meaning for a name: "Procter & Gamble", "Procter and Gamble", "Procter Gamble". */
const joiningWords = new Set(['and', 'the', 'und', 'et', 'og', 'och'])

/** Spellings of the same word; no synonyms. */
const abbreviations = new Map<string, string>(
  Object.entries(table.abbreviations).flatMap(([word, list]) =>
    list.split(' ').map((short) => [short, word]),
  ),
)

/** Phrases that are one word, in order of length. */
const phrases: readonly (readonly [words: readonly string[], one: string])[] = (
  [
    ['united states of america', 'us'],
    ['united states', 'us'],
    ['united kingdom', 'uk'],
    ['great britain', 'uk'],
    ['football club', 'fc'],
    ['cricket club', 'cc'],
    ['rugby football club', 'rfc'],
    ['federal credit union', 'fcu'],
    ['credit union', 'cu'],
    ['co operative', 'cooperative'],
    ['health care', 'healthcare'],
    ['data base', 'database'],
    ['f lli', 'fratelli'],
    ['kampuni ya', 'kampuni'],
    ['kampani ya', 'kampuni'],
    ['kumpanya ng', 'kumpanya'],
  ] as const
).map(([words, one]) => [words.split(' '), one] as const)
const phraseStarts = new Set(phrases.map(([[first]]) => first))

const romanNumerals = new Set('ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi'.split(' '))

/** Larger numerals of fund series ("CCXLIX"); those without an x are often words. */
const longNumeral = /^(?=[clvi]*x)(?=[clxvi]{3})c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/

/** True for text with a character beyond printable ASCII. */
export const hasOtherThanAscii = /[^ -~]/

/**
 * Folds text to lower-case ASCII: NFKC, transliterated, apostrophes removed, initials joined ("J. P." is "jp"),
 * everything else except letters and digits as a single space. Accepts any string.
 */
export function foldText(text: string, charsMax: number = matchLimits.nameCharsMax): string {
  return foldMarks(text, charsMax)
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}

/** Returns the words of a folded text, with runs of single letters joined that no comma divides: see `splitWords`. */
export const foldWords = (text: string): string[] =>
  foldMarks(text, matchLimits.nameCharsMax)
    .split(/,(?=\s)/)
    .flatMap((part) => joinLetters(part.match(/[a-z0-9]+/g) ?? []))

/** Does the steps of folding but the last: what is no letter or digit still divides the words. */
function foldMarks(text: string, charsMax: number): string {
  const start = text.slice(0, charsMax)
  const plain = hasOtherThanAscii.test(start) ? toAscii(writeAlike(start)) : start.toLowerCase()
  return hasMark.test(plain)
    ? plain
        .replace(/['`]/g, '')
        .replace(/&|\+/g, ' and ')
        .replace(/\b(?:[a-z]\.){2,}(?:[a-z]\b)?/g, (initials) => `${initials.replaceAll('.', '')} `)
    : plain
}

/** Most texts need only the last step of `foldText`. */
const hasMark = /['`&+.]/

/** Splits a folded text into words and joins runs of single letters: "a g" is "ag", "s p a" is "spa". */
export const splitWords = (folded: string): string[] => joinLetters(folded.split(' '))

function joinLetters(parts: readonly string[]): string[] {
  const words: string[] = []
  let run = ''
  for (const word of parts) {
    if (word.length === 1 && word >= 'a' && word <= 'z') {
      run += word
      continue
    }
    if (run !== '') words.push(run)
    run = ''
    if (word !== '') words.push(word)
  }
  if (run !== '') words.push(run)
  return words
}

/** Words that have a short form, and these forms. */
export const shortenedWords: readonly string[] = [...abbreviations].flat()

const longForms = new Set(abbreviations.values())
export const hasShortForm = (word: string): boolean => longForms.has(word)

/** Returns the spelling of a word that is compared. */
export const toCanonicalWord = (word: string): string => abbreviations.get(word) ?? word

/** "Corp II" and "Corp 2" are equal. Single letters and numerals at the start are often words. */
const arabicNumerals = new Map(
  'ii iii iv vi vii viii ix xi xii xiii xiv xv xvi'
    .split(' ')
    .map((numeral, at) => [numeral, String([2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16][at])] as const),
)

const numberLabels = new Set(table.number_labels.split(' '))
const labelledNumber = /^(?:no|nr)(?=\d)/

/** Replaces phrases, and numerals after the first word, with the word that is compared. "No. 7", "N° 7" and "No7" are "7". */
export function toCanonicalWords(words: readonly string[]): string[] {
  const canonical: string[] = []
  for (let at = 0; at < words.length;) {
    const word = (words[at] ?? '').replace(labelledNumber, '')
    if (numberLabels.has(word) && /^\d+[a-z]?$/.test(words[at + 1] ?? '')) {
      at++
      continue
    }
    const phrase = phraseStarts.has(word)
      ? phrases.find(([parts]) => parts.every((part, index) => words[at + index] === part))
      : undefined
    const placed = at > 0 ? arabicNumerals.get(word) : longHeads.get(word)
    canonical.push(phrase?.[1] ?? placed ?? toCanonicalWord(word))
    at += phrase?.[0].length ?? 1
  }
  return canonical
}

export const isJoiningWord = (word: string): boolean => joiningWords.has(word)

/** Removes joining words, unless no word would remain ("The The" stays). */
export function removeJoiningWords(words: readonly string[]): string[] {
  const kept = words.filter((word) => !isJoiningWord(word))
  return kept.length > 0 ? kept : [...words]
}

/** True for a number of a series: names with different numbers are different entities. */
export function isNumberWord(word: string): boolean {
  return (
    (hasDigit.test(word) && !digitAsWord.test(word)) ||
    (numeralLetters.test(word) && (romanNumerals.has(word) || longNumeral.test(word)))
  )
}

const hasDigit = /\d/
/** "Vets4Pets": a digit for a word between words. */
const digitAsWord = /^[a-z]{3,}\d[a-z]{3,}$/
/** Nearly no word has only these: one test instead of two. */
const numeralLetters = /^[clvxi]+$/

const listWords = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '))

/** Words for a trade, a shape or a place; not distinctive on their own. */
const genericWords = new Set(listWords(table.generic))

/** Trade words that users omit from well-known names, in addition to the generic ones. */
const tradeWords = new Set(listWords(table.common_trades))

/** Words that are often added to a company's name or dropped. */
const lightWords = new Set(listWords(table.light))
/** Words that say no more than "company" in front of a name. */
const headWords = new Set(listWords(table.heads))
export const isHeadWord = (word: string): boolean => headWords.has(word)
/** Words for a company only next to a form, with their countries: "SC" of Romania. `kind`: words that say which company, "trgovačko". */
export const headsBesideForm = new Map(
  table.heads_beside_form.flatMap(([countries = '', words = '']) =>
    words.split(' ').map((word) => [word, countries] as const),
  ),
)
/** In another place, "ste" is a suite. */
const longHeads = new Map(Object.entries(table.short_heads))

const { places, trades } = getAsianWords()
const toAscii = (text: string): string => anyAscii(text).toLowerCase()

/** Scripts with vowels and spaces, whose folded words are hardly those of others. */
const alphabetic = ['Cyrillic', 'Greek', 'Georgian', 'Armenian'] as const
/** Words of names in other scripts as they are folded, with their English ones: "jishu" and "tekhnologii" are "technology", "dongjing" is "tokyo". */
export const nativeWords: ReadonlyMap<string, string> = new Map(
  [...places, ...trades, ...parseWords(alphabetic.flatMap((script) => romanized.words[script]))].flatMap(
    ([native, english]) =>
      isJoiningWord(english) || english === 'of'
        ? []
        : [[foldText(native), toCanonicalWord(english)] as const],
  ),
)
for (const [native, english] of trades)
  (lightWords.has(english) ? lightWords : genericWords).add(toAscii(native))

/** Words for companies that only serve their group: "Larkmoor Services (UK) Ltd" of "Larkmoor plc". */
const inHouseWords = new Set(listWords(table.in_house))

/** True if a word marks a company that serves its group and no other word is distinctive. */
export function isInHouseName(words: readonly string[]): boolean {
  return (
    words.some((word) => inHouseWords.has(word)) &&
    words.every((word) => inHouseWords.has(word) || lightWords.has(word))
  )
}

export const isGenericWord = (word: string): boolean => genericWords.has(word)

export const isLightWord = (word: string): boolean => lightWords.has(word)

/** True for a word of a trade. */
function isTradeWord(word: string): boolean {
  return genericWords.has(word) || tradeWords.has(word)
}

export const isSimpleWord = (word: string): boolean => isTradeWord(word) || lightWords.has(word)

/** Countries whose capital "I" has the small letter "ı". */
export const writesDotless = (country: string): boolean => country === 'TR' || country === 'AZ'

/** Writes "ı" for their capital "I". Without "İ" or other letters of theirs, a name may have those of English: "TURKIYE". */
export const writeDotless = (written: string, capitals: string): string =>
  written.replace(/\p{L}+/gu, (word, at: number) => {
    const own = capitals.slice(at, at + word.length)
    const isNative = capitals.includes('İ') || (/[ŞĞÇ]/.test(own) && !/[EÖÜƏ]/.test(own))
    const isForeign = own.endsWith('ING') || isSimpleWord(own.toLowerCase())
    return isNative && !isForeign
      ? word.replace(/i/g, (i, index: number) => (own[index] === 'I' ? 'ı' : i))
      : word
  })

/** Least letters of a stem, and of the parts of a compound. */
const stemCharsMin = 5
const partCharsMin = 3

/** Languages write one word with many endings: "transports", "stolarska" and "stolarski". */
export function toStem(word: string): string {
  const stem = word.replace(/(?:[aeiouy]+[hjms]?|s)$/, '')
  return stem.length >= stemCharsMin ? stem : word
}

const byCountry = <Rules>(table: Readonly<Record<string, string>>, read: (rules: string) => Rules) =>
  new Map(
    Object.entries(table).flatMap(([countries, rules]) =>
      countries.split(' ').map((country) => [country, read(rules)] as const),
    ),
  )
const townCases = byCountry(placeNames.town_cases, (rules) => readCaseEndings([rules], (ending) => ending))
const townHeads = byCountry(placeNames.town_heads, (rules) =>
  rules.split('|').map((rule) => {
    const [words = '', short = ''] = rule.split('=')
    return [new RegExp(`^(?:${words.replaceAll(' ', '|')})(?=.{4})`), short] as const
  }),
)

/** Lists the keys that a town may have if it is stated in a case, or with its first word in short: ΒΟΛΟΥ of Βόλος, Ν. Σμύρνη. */
export function listTownBases(key: string, country: string): string[] {
  const [cases, heads = []] = [townCases.get(country), townHeads.get(country)]
  if (cases === undefined) return [key]
  const found = heads.find(([head]) => head.test(key))
  const short = found === undefined ? key : key.replace(...found)
  return [short, ...listUninflected(short, cases)]
}

/** Writes the town of a company in its name as a text has it: "w Ostrołęce" is "Ostrołęka". */
export function writeTownAs(
  asked: readonly { readonly text: string }[],
  tokens: readonly string[],
  { cityKey, countryCode }: { readonly cityKey: string; readonly countryCode: string },
): readonly string[] {
  if (cityKey === '' || !townCases.has(countryCode)) return tokens
  const isAsked = (word: string) => asked.some(({ text }) => text === word)
  const isTown = (base: string) => base.length > 3 && cityKey.includes(base) && isAsked(base)
  const written = tokens.map((token) =>
    isAsked(token) ? token : (listTownBases(token, countryCode).find(isTown) ?? token),
  )
  return written.every((token, at) => token === tokens[at]) ? tokens : written
}

const withoutVowels = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const listTrades = (except = ''): string[] =>
  Object.entries(table.trades).flatMap(([list, lines]) =>
    except.includes(list)
      ? []
      : lines.flatMap((line) => {
          const words = foldWords(line)
          // In Latin letters, a short one may be any other: العامة and المها are both "lmh".
          return withoutVowels.test(line) ? words.filter(isLong) : words
        }),
  )

let [tradeStems, tradesAnywhere]: (ReadonlySet<string> | null)[] = [null, null]

/** The words of trades and shapes of Arabic and Hebrew, also written as one with an article or a short word: للمقاولات. */
const listNativeTrades = (): string[] =>
  parseWords([...romanized.words.Arabic, ...romanized.words.Hebrew]).flatMap(([native, english]) =>
    isTradeWord(toCanonicalWord(english))
      ? ['', 'ال', 'لل', 'ل', 'وال', 'ה'].map((prefix) => foldText(prefix + native)).filter(isLong)
      : [],
  )
const isLong = (word: string): boolean => word.length > 3

/** True for a word of a trade as one of the main languages writes it: "logistik", "panaderia". */
export const isTradeAnywhere = (word: string): boolean =>
  isTradeWord(word) ||
  (tradesAnywhere ??= new Set([...listTrades('english kinship'), ...listNativeTrades()])).has(word)

/** True for a word of a trade in one of the main languages, also as a compound: "menuiserie", "Elektrohandel". */
export function namesTrade(word: string): boolean {
  const stems = (tradeStems ??= new Set(listTrades().flatMap((one) => [one, toStem(one)])))
  const isKnown = (part: string) => isTradeWord(part) || stems.has(part) || stems.has(toStem(part))
  if (isKnown(word)) return true
  for (let at = partCharsMin; at <= word.length - partCharsMin; at++)
    if (isKnown(word.slice(0, at)) && isKnown(word.slice(at))) return true
  return false
}

/**
 * Returns the cached value of a key, or computes it. The cache is emptied when it has `countMax` values, which is cheaper
 * than the removal of the oldest ones.
 */
export function getOrCompute<Key, Value extends object | string | number | null>(
  cache: Map<Key, Value>,
  countMax: number,
  key: Key,
  compute: (key: Key) => Value,
): Value {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const value = compute(key)
  if (cache.size >= countMax) cache.clear()
  cache.set(key, value)
  return value
}

/** The first of `count` positions for which `isBefore` is false; it must be true exactly up to some position. */
export function lowerBound(count: number, isBefore: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
