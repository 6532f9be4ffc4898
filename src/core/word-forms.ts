import headerWords from './headers.json' with { type: 'json' }

/** Character codes of a word. */
type Codes = Uint8Array | Uint16Array

function toCodes(word: string): Codes {
  const codes = new Uint16Array(word.length)
  for (let index = 0; index < word.length; index++) codes[index] = word.charCodeAt(index)
  return codes
}

/** Returns the Damerau-Levenshtein distance (a swap counts one), or `distanceMax + 1` if it is larger. */
export function calculateDistance(a: string, b: string, distanceMax: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > distanceMax) return distanceMax + 1
  const [lettersOfA, lettersOfB] = [collectLetters(a), collectLetters(b)]
  // Each error removes at most one letter, and adds at most one.
  if (countBits(lettersOfA & ~lettersOfB) > distanceMax) return distanceMax + 1
  if (countBits(lettersOfB & ~lettersOfA) > distanceMax) return distanceMax + 1
  return calculateCodesDistance(toCodes(a), toCodes(b), distanceMax)
}

/** The letters of a word as bits; letters whose codes differ by a multiple of 32 share a bit. */
function collectLetters(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31)
  return letters
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Rows of the distance table, reused because thousands of words are compared per query. */
let rows = [new Int32Array(64), new Int32Array(64), new Int32Array(64)] as const

function calculateCodesDistance(a: Codes, b: Codes, distanceMax: number): number {
  if (Math.abs(a.length - b.length) > distanceMax) return distanceMax + 1
  if (b.length >= rows[0].length) {
    rows = [new Int32Array(b.length + 1), new Int32Array(b.length + 1), new Int32Array(b.length + 1)]
  }
  let [beforePrevious, previous, current] = rows
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    current[0] = i
    let rowMin = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) cost = Math.min(cost, at(beforePrevious, j - 2) + 1)
      current[j] = cost
      if (cost < rowMin) rowMin = cost
    }
    if (rowMin > distanceMax) return distanceMax + 1
    const spare = beforePrevious
    beforePrevious = previous
    previous = current
    current = spare
  }
  return Math.min(at(previous, b.length), distanceMax + 1)
}

function at(row: Int32Array, index: number): number {
  return row[index] ?? 0
}

/** Longest word that fits into the bits of a number. */
const bitsMax = 31

/**
 * Returns a function for the same distance from one word to words of one-byte letters. It computes a column at once
 * with bit operations (Hyyrö 2003), about twenty times as fast as `calculateCodesDistance`.
 */
export function createDistance(word: string, distanceMax: number): (other: Uint8Array) => number {
  const charCount = word.length
  const codes = toCodes(word)
  if (charCount === 0 || charCount > bitsMax || codes.some((code) => code > 255))
    return (other) => calculateCodesDistance(codes, other, distanceMax)
  const places = new Int32Array(256)
  for (const [index, code] of codes.entries()) places[code] = (places[code] ?? 0) | (1 << index)
  const lastBit = 1 << (charCount - 1)
  return (other) => {
    let [positive, negative, diagonal, matchesBefore] = [-1, 0, 0, 0]
    let distance = charCount
    for (let index = 0; index < other.length; index++) {
      const matches = places[other[index] ?? 0] ?? 0
      const swapped = ((~diagonal & matches) << 1) & matchesBefore
      diagonal = (((matches & positive) + positive) ^ positive) | matches | negative | swapped
      const up = negative | ~(diagonal | positive)
      const down = diagonal & positive
      if ((up & lastBit) !== 0) distance++
      else if ((down & lastBit) !== 0) distance--
      // Each remaining letter can undo one error.
      if (distance - (other.length - index - 1) > distanceMax) return distanceMax + 1
      const shifted = (up << 1) | 1
      positive = (down << 1) | ~(diagonal | shifted)
      negative = shifted & diagonal
      matchesBefore = matches
    }
    return Math.min(distance, distanceMax + 1)
  }
}

/** `rests`: the other letters of the key, with and without a preposition at their end. */
type Split = Readonly<{ word: string; rests: readonly string[] }>

/** More letters than any word has. */
export const wordCharsMax = 40

/** Lists the words at the start or end of a key, the longest first. */
export function listSplits(key: string, isWord: (text: string) => boolean): Split[] {
  const splits: Split[] = []
  for (let length = Math.min(key.length - 1, wordCharsMax); length > 0; length--) {
    const start = key.slice(0, length)
    const end = key.slice(-length)
    const front = key.slice(0, -length)
    if (isWord(start)) splits.push({ word: start, rests: [key.slice(length)] })
    if (isWord(end))
      splits.push({ word: end, rests: [front, ...prepositions.map((one) => front.replace(one, ''))] })
  }
  return splits
}

/** The second is not known to version 0.2.0. */
const prepositions = [
  /(?:de|di|da|do|of|del|della|dela|van|for)$/,
  /(?:du|des|der|dell|delle|dello|dos|das|na|ofthe)$/,
]

/** Whether words are those of a name, some cut short: the start of a single word, in several any letters in their order. */
export const isAbbreviated = (
  words: readonly { readonly letters: string; readonly isCut: boolean }[],
  name: readonly string[],
): boolean =>
  words.every(({ letters, isCut }, at) => {
    const word = name[at] ?? ''
    if (!isCut) return word === letters
    return words.length === 1 ? word.startsWith(letters) : isShortened(letters, word)
  })

/** Whether letters begin like a word and are in it, in their order. */
function isShortened(letters: string, word: string): boolean {
  let at = 0
  for (const letter of word) if (letter === letters[at]) at++
  return word[0] === letters[0] && at === letters.length
}

/** An ending that words have in a case, and the one that it replaces. */
type CaseEnding = Readonly<{ form: string; base: string }>

/** Reads rules like `ia>ii,ią|o>a`: endings of words, and those that they have in other cases. */
export const readCaseEndings = (rules: readonly string[], fold: (text: string) => string): CaseEnding[] =>
  rules
    .join('|')
    .split('|')
    .flatMap((rule) => {
      const [base = '', forms = ''] = rule.split('>')
      return forms.split(',').map((form) => ({ form: fold(form), base: fold(base) }))
    })

/** Lists the words that a word may be in a case. */
export const listUninflected = (word: string, endings: readonly CaseEnding[]): string[] =>
  endings.flatMap(({ form, base }) =>
    form !== base && word.endsWith(form) ? [word.slice(0, word.length - form.length) + base] : [],
  )

/** Whether a text is one of the words in a case: with up to `addedMax` letters more, without its last vowel: `kupca` for `kupac`. */
export const isInflected = (text: string, words: ReadonlySet<string>, addedMax: number): boolean =>
  words.has(text) ||
  (inflecting.test(text) &&
    [...words].some((word) => {
      const stem = addedMax < 2 ? word : word.replace(/[eaе]([cц])ь?$|[aeiouyаеиіийоуыья]$/u, '$1')
      const added = text.length - word.length
      return (
        word.length >= inflectedCharsMin &&
        (text.startsWith(stem) || text.startsWith(word)) &&
        added >= -1 &&
        added <= addedMax
      )
    }))

const inflecting = /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Georgian}\p{sc=Armenian}]/u
/** Shorter words are the start of too many others. */
const inflectedCharsMin = 5

const { words: ofPersons, companies } = headerWords.naturalPersons
/** Words for a natural person, whose numbers are not those of companies: `cá nhân`, `individual`, `физлицо`. */
export const personWords = ofPersons.replaceAll(' ', String.raw`[\s_.-]{1,3}`)
const [personWord, companyWord] = [new RegExp(personWords, 'giu'), new RegExp(companies, 'iu')]

/** Returns a header without its words for a natural person; `null` without one, or with a word for a company. */
export function cutPersonWords(header: string): string | null {
  const apart = header.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  const rest = apart.replace(personWord, ' ')
  return rest === apart || companyWord.test(rest) ? null : rest
}
