import { formWords } from '../normalize/legal-forms.js'
import { hasOtherScript } from '../normalize/sounds.js'
import { countTrade } from '../reference/industry-codes.js'
import { isFormAlone } from '../reference/registers.js'
import { areWrittenAlike, findWritings, type Writings } from './other-writings.js'
import { isHeadWord, toCanonicalWord } from '../normalize/normalize-name.js'
import wordTables from '../reference/word-classes.json' with { type: 'json' }
import type { CandidateName } from './candidate.js'
import {
  classifyNameWord,
  compareSound,
  compareWords,
  findSpelling,
  isNumberOfTwo,
  isRelated,
  sameMatch,
  usualMatch,
  type WordMatch,
} from './compare-words.js'
import { compareCountries, findCountryAtEnd, type CountryAtEnd } from './place-readings.js'
import type { QueryText, TextWord } from './query-text.js'
import { countInitials, isAcronym } from './text-pieces.js'
import type { Vocabulary } from './vocabulary.js'
import type { WordClass } from './word-classes.js'

/** A text, prepared for its alignment with many names. */
export interface AlignedText {
  readonly text: QueryText
  /** Cost of each word if it is no word of the name. */
  readonly costs: Float64Array
  /** The sum of the costs of the words before each place. */
  readonly costBefore: Float64Array
  /** Rarity of each word. */
  readonly weights: Float64Array
  readonly vocabulary: Vocabulary
  readonly matches: Map<string, readonly (WordMatch | null)[]>
  readonly country: CountryAtEnd | null
  /** Only for a name in another script. */
  readonly writings?: Writings
  /** The name is in Latin letters, and `writings` are of the text's. */
  readonly isInLatin?: boolean
}

/** Costs of words that are no words of the name; telling words cost by their rarity, except behind "d/b/a". */
const classCosts: Readonly<Record<WordClass, number>> = wordTables.costs

export function prepareText(text: QueryText, vocabulary: Vocabulary): AlignedText {
  const count = text.words.length
  const costs = new Float64Array(count)
  const costBefore = new Float64Array(count + 1)
  const weights = new Float64Array(count)
  const mark = text.words.findIndex(({ wordClass }) => wordClass === 'mark')
  for (const [at, { text: word, wordClass }] of text.words.entries()) {
    weights[at] = vocabulary.weight(word)
    const isRated = wordClass === 'telling' && (mark <= 0 || at < mark)
    costs[at] = isRated ? 1.2 + 0.22 * (weights[at] ?? 0) : classCosts[wordClass]
    costBefore[at + 1] = (costBefore[at] ?? 0) + (costs[at] ?? 0)
  }
  const country = findCountryAtEnd(
    text.words.map(({ folded }) => folded),
    text.words.findLastIndex(({ wordClass }) => wordClass !== 'form') + 1,
  )
  return { text, costs, costBefore, weights, vocabulary, matches: new Map(), country }
}

/** Words of a text that stand for words of a name. */
export interface WordPair {
  readonly textAt: number
  readonly textCount: number
  readonly nameAt: number
  readonly nameCount: number
  readonly match: WordMatch
}

/** A name found in a text. */
export interface NameAlignment {
  /** Lower is closer; about the negative log of the likelihood. */
  readonly cost: number
  /** Part of the cost for words that the text lacks. */
  readonly missingCost: number
  /** In the order of the text. */
  readonly pairs: readonly WordPair[]
  /** The words from `start` to before `end` are the name; others are before or behind it. */
  readonly start: number
  readonly end: number
  /** Words of the name that the text lacks. */
  readonly missing: readonly number[]
  /** Words of the text between those of the name. */
  readonly inside: readonly number[]
  /** Words in common have another order. */
  readonly isReordered: boolean
}

const missingCosts = { number: 2.2, light: 0.5, generic: 0.8 } as const
function getMissingCost(word: string, vocabulary: Vocabulary): number {
  const wordClass = classifyNameWord(word)
  return wordClass === 'telling' ? 0.9 + 0.28 * vocabulary.weight(word) : missingCosts[wordClass]
}

const joinedMatch: WordMatch = { kind: 'joined', cost: 0.3, isFirstChanged: false, share: 1 }
const joinedWordsMax = 4
/** "BCC" for "Banca di Credito Cooperativo", within a name. */
const initialsMatch: WordMatch = { kind: 'abbreviated', cost: 1, isFirstChanged: false, share: 0.2 }
const insideCost = 0.5
let cells = new Float64Array(1024)
let steps = new Int8Array(1024)
/** Steps of the table. Joins: 10 and the number of words of the name, or 20 and that of the text; initials: 30 or 40. */
const [missingStep, pairStep, insideStep] = [1, 2, 3]
/** Two words with the space in another place: "OXB RIDGERE" for "Oxbridge Re". */
const shiftedSpace = 9
const [nameJoin, textJoin, nameInitials, textInitials] = [10, 20, 30, 40]
/** From here on, a country: its words in the name and in the text, up to three each. */
const countryStep = 60
/** The words that a step takes: of the name, and of the text. */
function countStep(step: number): readonly [nameCount: number, textCount: number] {
  const count = step % 10
  if (step >= countryStep) return [Math.floor(count / 3) + 1, (count % 3) + 1]
  if (step < nameJoin) return step === shiftedSpace ? [2, 2] : [1, 1]
  return [nameJoin, nameInitials].includes(step - count) ? [count, 1] : [1, count]
}
const matchOfStep = (step: number, country: WordMatch | null): WordMatch =>
  step >= countryStep ? (country ?? joinedMatch) : step > nameInitials ? initialsMatch : joinedMatch

/** Compares the countries at the ends of the text and the name. */
function compareEnds({ text, country }: AlignedText, { tokens }: CandidateName) {
  const own = country === null ? null : findCountryAtEnd(tokens)
  const match = country && own && compareCountries([country, text.words.map(({ folded }) => folded)], own)
  const step = !match ? 0 : countryStep + (own.count - 1) * 3 + country.count - 1
  return { step, row: tokens.length, column: country?.end ?? 0, match: match ?? null }
}

/**
 * Finds the words of a name in a text, wherever they stand, at the least cost: a dynamic programme over the words of
 * both, in their order. Words in another order are paired afterwards.
 */
export function alignName(prepared: AlignedText, name: CandidateName): NameAlignment {
  const { text, costs, costBefore } = prepared
  const [textCount, nameCount] = [text.words.length, name.tokens.length]
  const width = textCount + 1
  if (cells.length < (nameCount + 1) * width) {
    cells = new Float64Array((nameCount + 1) * width * 2)
    steps = new Int8Array((nameCount + 1) * width * 2)
  }
  for (let at = 0; at <= textCount; at++) cells[at] = costBefore[at] ?? 0
  const ends = compareEnds(prepared, name)
  const { name: held, place } = name
  const writings = findWritings(text.native, held, place.countryCode || place.jurisdictionCountry)
  if (writings !== null)
    prepared = { ...prepared, writings, isInLatin: !hasOtherScript(held), matches: new Map() }
  for (let row = 1; row <= nameCount; row++) {
    const word = name.tokens[row - 1] ?? ''
    const matches = compareWithText(prepared, word)
    const missingCost = getMissingCost(word, prepared.vocabulary)
    for (let column = 0; column <= textCount; column++) {
      const cell = row * width + column
      let least = (cells[cell - width] ?? 0) + missingCost
      let step = missingStep
      if (column > 0) {
        const match = matches[column - 1]
        if (match) {
          const cost = (cells[cell - width - 1] ?? 0) + match.cost
          if (cost < least) [least, step] = [cost, pairStep]
        }
        const wordClass = text.words[column - 1]?.wordClass
        const skipped =
          (cells[cell - 1] ?? 0) + (costs[column - 1] ?? 0) + (wordClass === 'stop' ? 0.05 : insideCost)
        if (skipped < least) [least, step] = [skipped, insideStep]
        const isCountry = row === ends.row && column === ends.column && ends.step > 0
        const joined = isCountry ? ends.step : findJoin(prepared, name, row, column)
        if (joined !== 0) {
          const [nameWords, textWords] = countStep(joined)
          const cost =
            (cells[cell - nameWords * width - textWords] ?? 0) + matchOfStep(joined, ends.match).cost
          if (cost < least) [least, step] = [cost, joined]
        }
      }
      cells[cell] = least
      steps[cell] = step
    }
  }
  let [end, cost] = [0, Infinity]
  for (let at = 0; at <= textCount; at++) {
    const whole = (cells[nameCount * width + at] ?? 0) + (costBefore[textCount] ?? 0) - (costBefore[at] ?? 0)
    if (whole < cost - 1e-9) [end, cost] = [at, whole]
  }
  return traceBack(prepared, name, { end, cost, country: ends.match })
}

/** "Twenty one" is 21, a savings bank a Sparkasse, and "Hi-Tech", read as "Hi Technology", "Hitech". */
const areOne = (first: string | undefined, second: string, one: string): boolean =>
  isNumberOfTwo(first, second, one) ||
  (first !== undefined && isRelated(one, () => first + second)) ||
  (first !== undefined && one.startsWith(first) && toCanonicalWord(one.slice(first.length)) === second)

/** Returns the step of a join that ends at this cell, or 0: one word of the text for several of the name, or the reverse. */
function findJoin({ text }: AlignedText, { tokens }: CandidateName, row: number, column: number): number {
  const { text: word = '', folded = '', wordClass: kind } = text.words[column - 1] ?? {}
  const name = tokens[row - 1] ?? ''
  if (word.length > name.length && word.endsWith(name)) {
    let joined = name
    for (let count = 2; count <= Math.min(joinedWordsMax, row) && joined.length < word.length; count++) {
      joined = (tokens[row - count] ?? '') + joined
      if (joined === word) return nameJoin + count
    }
  }
  if (name.length > folded.length && name.endsWith(folded)) {
    let joined = folded
    for (let count = 2; count <= Math.min(joinedWordsMax, column) && joined.length < name.length; count++) {
      const part = text.words[column - count]
      joined = (part?.text === 'and' ? '' : (part?.folded ?? '')) + joined
      if (joined === name) return textJoin + count
    }
  }
  if (isShifted(text.words[column - 2]?.folded ?? '', word, tokens[row - 2] ?? '', name)) return shiftedSpace
  if (areOne(text.words[column - 2]?.text, word, name)) return textJoin + 2
  if (areOne(tokens[row - 2], name, word)) return nameJoin + 2
  const ofTrade = countTrade(word, row, (at) => tokens[at])
  if (ofTrade > 0) return nameJoin + ofTrade
  const ofName = kind === 'place' || kind === 'form' ? 0 : countInitials(word, row, (at) => tokens[at])
  if (ofName > 0 && ofName < tokens.length) return nameInitials + ofName
  const ofText = kind === 'form' ? 0 : countInitials(name, column, (at) => text.words[at]?.text)
  return ofText > 0 ? textInitials + ofText : 0
}

const isGuess = (match: WordMatch | null) => match?.kind === 'abbreviated' || match?.kind === 'cut'

function isShifted(first: string, second: string, held: string, next: string): boolean {
  const count = first.length + second.length
  if (first === '' || held === '' || first === held || count !== held.length + next.length) return false
  // Fewer letters in two words may be those of two others by chance.
  return count > 6 && first + second === held + next
}

function compareWithText({ text, matches, writings, isInLatin }: AlignedText, name: string) {
  const known = matches.get(name)
  if (known !== undefined) return known
  const isNative = hasOtherScript(text.native)
  const last = text.words.length - 1
  const isHeard = !isNative || isInLatin === true
  const isForm = ({ text: word }: TextWord) => formWords.has(word) || isFormAlone(word)
  const formsAt = text.words.findLastIndex((word) => word.wordClass !== 'form' && !isForm(word)) + 1
  const found = text.words.map((word, at) => {
    const { wordClass, usual } = word
    if (wordClass === 'percent') return null
    const spelled = findSpelling(word, text.words[at + 1]?.text, name)
    const match = compareWords(spelled, name, at === last, !isNative || text.how !== null)
    // "Ve" joins words in Turkish, and is no short "Velmora".
    if (/^(?:stop|description)$/.test(wordClass) && at < last && isGuess(match)) return null
    // "SA" is a form, and no short "Sabié". A column may cut "Income" to "Inc", and "Corp. SL" has another form.
    const isShort = at < last && word.text.length > 3 && name.startsWith(word.text)
    const isCut = text.cut !== 'nowhere' || at < formsAt || isShort || !isForm(word)
    if (!isCut && isGuess(match) && classifyNameWord(name) === 'telling') return null
    if (match?.kind !== 'equal' && writings && areWrittenAlike(word.text, name, writings)) return sameMatch
    if (match?.kind !== 'equal' && isHeard) {
      const mayBeSound = word.isSpoken && (isNative || (match === null && usual === null))
      const sound = mayBeSound ? compareSound(word.folded, name, text.native) : null
      if (sound !== null && sound.cost < (match?.cost ?? Infinity)) return sound
    }
    return usual === name && (match === null || match.kind === 'misspelled') ? usualMatch : match
  })
  matches.set(name, found)
  return found
}

function traceBack(
  prepared: AlignedText,
  name: CandidateName,
  { end, cost, country }: { end: number; cost: number; country: WordMatch | null },
): NameAlignment {
  const width = prepared.text.words.length + 1
  const pairs: WordPair[] = []
  const missing: number[] = []
  const inside: number[] = []
  let [row, column] = [name.tokens.length, end]
  while (row > 0) {
    const step = steps[row * width + column] ?? missingStep
    if (step === missingStep) missing.push(--row)
    else if (step === insideStep) inside.push(--column)
    else {
      const [nameCount, textCount] = countStep(step)
      row -= nameCount
      column -= textCount
      const match =
        step === pairStep
          ? prepared.matches.get(name.tokens[row] ?? '')?.[column]
          : matchOfStep(step, country)
      pairs.push({ textAt: column, textCount, nameAt: row, nameCount, match: match ?? joinedMatch })
    }
  }
  pairs.reverse()
  const moved = findMoved(prepared, name, missing.reverse(), pairs)
  const all = moved.length === 0 ? pairs : [...pairs, ...moved].sort((a, b) => a.textAt - b.textAt)
  const [first, last] = [all[0], all.at(-1)]
  const [start, stop] =
    first === undefined || last === undefined ? [0, 0] : [first.textAt, last.textAt + last.textCount]
  const used = new Set(
    all.flatMap(({ textAt, textCount }) => Array.from({ length: textCount }, (_, more) => textAt + more)),
  )
  const sumMissing = (places: readonly number[]) =>
    places.reduce((sum, at) => sum + getMissingCost(name.tokens[at] ?? '', prepared.vocabulary), 0)
  const head = missing.filter((at) => at === 0 && isNamedWithout(name.tokens, all))
  return {
    cost: cost - moved.length * 0.5 - sumMissing(head),
    missingCost: sumMissing(missing) - sumMissing(head),
    pairs: all,
    start,
    end: stop,
    missing: missing.filter((at) => !head.includes(at) && !moved.some(({ nameAt }) => nameAt === at)),
    inside: Array.from({ length: Math.max(0, stop - start) }, (_, more) => start + more).filter(
      (at) => !used.has(at),
    ),
    isReordered: moved.length > 0,
  }
}

/**
 * True if a name begins with a word such as "société", or with its own acronym, "LNB - Larkmoor Norvane Bank", and the text has
 * several telling words of what follows.
 */
const isNamedWithout = ([head = '', ...tokens]: readonly string[], pairs: readonly WordPair[]): boolean =>
  (isHeadWord(head) || isAcronym(head, tokens)) &&
  pairs.every(({ nameAt }) => nameAt > 0) &&
  pairs.filter(({ nameAt }) => classifyNameWord(tokens[nameAt - 1] ?? '') === 'telling').length >= 2

/** Pairs missing words with the same words elsewhere in the text: "Bank of Larkmoor" and "Larkmoor Bank". */
function findMoved(
  { matches }: AlignedText,
  { tokens }: CandidateName,
  missing: readonly number[],
  pairs: readonly WordPair[],
): WordPair[] {
  if (missing.length === 0 || pairs.length === 0) return []
  const used = new Set(
    pairs.flatMap(({ textAt, textCount }) => Array.from({ length: textCount }, (_, more) => textAt + more)),
  )
  const moved: WordPair[] = []
  for (const nameAt of missing) {
    const found = matches.get(tokens[nameAt] ?? '') ?? []
    const textAt = found.findIndex((match, at) => !used.has(at) && match !== null && isSameWord(match))
    const match = found[textAt]
    if (!match) continue
    used.add(textAt)
    moved.push({ textAt, textCount: 1, nameAt, nameCount: 1, match })
  }
  return moved
}

const isSameWord = ({ kind }: WordMatch): boolean => kind === 'equal' || kind === 'same' || kind === 'plural'
