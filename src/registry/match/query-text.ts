import { removeRegistrySuffix } from '../../core/numbers/registry-suffix.js'
import { matchLimits } from '../model/limits.js'
import { cutNativeForms, expandForms, findForms, type StatedForm } from '../normalize/legal-forms.js'
import { unknownLetter } from '../normalize/clean-text.js'
import { foldText, isJoiningWord, toCanonicalWords } from '../normalize/normalize-name.js'
import around from '../reference/around-names.json' with { type: 'json' }
import { divideSite } from '../normalize/unspaced-names.js'
import { boundText } from '../normalize/parsed-name.js'
import { hasOtherScript } from '../normalize/sounds.js'
import {
  countInitials,
  divideJoined,
  findUsual,
  isFormSlip,
  joinSplitWords,
  repairForm,
  repairScan,
  splitPieces,
  type Piece,
  type Separator,
} from './text-pieces.js'
import { findClosedForms } from './named-field.js'
import { findDescriptions } from './around-name.js'
import { findBookings, findCountries, joinLetters } from './word-runs.js'
import {
  classOfWord,
  classifyBesideOthers,
  classifyWord,
  type WordClass,
  isOfSecurity,
} from './word-classes.js'

/** A word of the text of a query. */
export interface TextWord {
  /** Folded, and in the spelling that registered names are compared in. */
  readonly text: string
  /** Folded only: "technologies", which is compared as "technology". */
  readonly folded: string
  readonly written: string
  readonly wordClass: WordClass
  /** The punctuation before it separates parts of the text: a comma, a bracket, a dash between spaces. */
  readonly isApart: boolean
  /** Sign between it and the word before; empty for a space or a point. */
  readonly separator: Separator
  /** Written as one with the word before. */
  readonly isJoined: boolean
  /** A scan has misread it, and it was read as `text`. */
  readonly isRepaired: boolean
  /** The text is in another script, or of a country whose names have many spellings: the word may be the sound of one. */
  readonly isSpoken: boolean
  /** The usual word that is meant, if one letter of it is wrong: "teghnologies". */
  readonly usual: string | null
}

/** The text of a query as a sequence of words, in which registered names are looked for. */
export interface QueryText {
  readonly words: readonly TextWord[]
  /** The words without legal forms and joining words, without spaces. */
  readonly coreKey: string
  /** All words without joining words, without spaces. */
  readonly fullKey: string
  /** The legal forms of the text, in its order. */
  readonly forms: readonly StatedForm[]
  /** The text that was read, with its punctuation. */
  readonly given: string
  /** How the text was read, for a reason: "in Latin letters"; `null` for the text as given. */
  readonly how: string | null
  /** The text of the query in its own script. */
  readonly native: string
  /** Letters in the text as given; the width of a full column. */
  readonly charCount: number
  /** The position at which a column of a usual width may have cut the text. */
  readonly cut: 'anywhere' | 'between_words' | 'nowhere'
  /** The text describes a security: its numbers are coupons and dates. */
  readonly isSecurity: boolean
  /** The state or country that the text ends with, as registers distinguish namesakes: "/DE/", "(WI)"; or empty. */
  readonly tail: string
  /** The rest of the cell around this text, or empty: "ON HOLD". */
  readonly around: string
}

/** "J.P.", "S. p. A.": initials are one word; "S.A. E.S.P." are two, and the "u" of "d.o.o. u stečaju" is no part of it. */
const initials =
  /(?<![\p{L}\p{M}\p{N}])(?:\p{L}\.(?:(?<!\.\p{L}\.)\s)?)+(?:(?:(?<=\.)\p{L}|(?<!\p{Lu}\. |\.\p{Ll}\. )\p{Ll}|\p{Lu})(?![\p{L}\p{M}\p{N}])\.?|\p{L}\.)/gu
const greetings = new RegExp(String.raw`^(?:${around.greetings})(?![\p{L}\p{M}])[\s,]*`, 'iu')
const tradeNames = new RegExp(String.raw`(?<=[\s(\[]|^)(?:${around.trade_names})(?=\s)`, 'giu')
const tradeMarks: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\bd\s?[/.]\s?b\s?[/.]\s?a\b\.?/gi, ' dba '],
  [tradeNames, ' dba '],
  [/\b([fan])(?:\s?\/\s?k\s?\/\s?a\b\.?|(?<=a)lso known as\b|(?<=n)ow known as\b)/gi, ' $1ka '],
  [/\b(?:formerly|previously) known as\b|\bdenumit[aă] anterior(?=\s)/gi, ' fka '],
  [/\bt\/a\b/gi, ' ta '],
  // The estate of a bankrupt company in Iceland.
  [/^þb\.?(?=\s)/i, ' þrotabú '],
  [
    /^(?:in re:?|re:?|c\/o|in the matter of(?: the \w+ of)?|est(?:ate|\.) of|(?:to )?(?:the )?order of|sent on behalf of|shri\.?|smt\.|\(?(?:abt|afd|avd|d[eé]p|oddz?|uff|отд|відд)\.|fa\.|spett(?:\.\s?le|\.|le))(?=\s)/i,
    ' / ',
  ],
  [/(?<=\S )(?:v\.|vs\.?|c\.|[Mm]\/[Ss][.:]?)(?= \S)/g, ' / '],
  [greetings, ' / '],
  // A scan reads "II" as "ll", and "INC" as "lNC"; "AlFarabi" has its article.
  [
    /(?<=\S )(?:ll{1,2}|l[IVX]{1,3})(?![\p{L}\p{M}\p{N}])|(?<=\p{Lu}{2} )l(?![\p{L}\p{M}\p{N}'’])|(?<=\p{Lu})l(?=\p{Lu}(?!\p{Ll}))|(?<!\p{L})l(?=[nm]\p{Ll}{3}|\p{Lu}{2})/gu,
    (found) => found.replaceAll('l', 'I'),
  ],
  // "LY-4864 Larkmoor", "No. 85 Larkmoor": a code of the list.
  [/^(?:([A-Z]{1,3})-|(?:no|nr)\.\s?)(?=\d{2,6}[\s,;:])/i, '$1'],
  [/(?<=[\s([])([A-Z]{1,3})-(?=\d{3,8}\s*(?:$|[)\],;:]))/g, '$1'],
  // "Kd.-Nr. 77120", "Cust No 5512".
  [new RegExp(around.labelled_code, 'giu'), ' id'],
  // "Larkmoor-2": a number of the name.
  [/(?<=\p{L}{3})-(?=\d{1,2}(?![\p{L}\d.,/%-]))/gu, ' '],
  ...Object.entries(around.marks).map(([mark, said]) => [new RegExp(said, 'giu'), ` ${mark} `] as const),
  [/\.(?:co|com|org|ac|net|or)\.[a-z]{2}\b/gi, ' www '],
  [/[\w.+-]{1,64}@(?=[\w-]+\.\w)/g, ' '],
  [/\b(USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|INR|CNY|HKD|SGD|ZAR)(?=\d)/gi, '$1 '],
]
const possessive = /(?<=(\p{L}{3,}))['’]s(?![\p{L}\p{M}])/giu
/** "F_ND": a letter is lost, if a word of registered names has one there. */
const lostSign = /(?<![\p{L}\p{N}_])(?:\p{L}*_\p{L}+|\p{L}{3,}[_?](?=\s))(?![\p{L}\p{N}_])/gu
const apostrophes = /['’‘`´]/g
/** A name or a number and a legal form, or two words, written as one: "SiemensAG", "LarkmoorFoods", "Fund XXIVLP". */
const joinedForm =
  /(?<=\p{Ll}{3})(?=(?:AG|SA|SE|AB|NV|BV|KG|AS|ASA|Oyj|SpA|GmbH|Inc|Corp|PLC|Plc)(?![\p{L}\p{M}\p{N}]))|(?<=[\p{L}\d]{5})(?=(?:[Ll][Tt][Dd]|[Gg][Mm][Bb][Hh]|[Ll]imited|LIMITED|LL[CP]|P(?:vt|VT|ty|TY|te|TE)|Sarl|SARL)(?![\p{L}\p{M}\p{N}]))|(?<=(?<!\p{L})[IVX]{2,8}|\d)(?=(?:L(?:LC|LP|P|td|TD)|I(?:nc|NC))(?![\p{L}\p{M}\p{N}]))/gu

export interface ReadingFacts {
  /** Words of the place that the query gives. */
  readonly placeWords: ReadonlySet<string>
  /** Whether registered names have a word. */
  readonly isWord: (word: string) => boolean
  /** Whether registered names have a word that differs by a letter or two, or has letters that this one has lost. */
  readonly isNearWord: (word: string) => boolean
  readonly isSpoken?: boolean
}

/** Reads a name. Returns `null` without letters and digits. `read`: how it was read from `native`, a name in another script. */
export function readText(
  name: string,
  facts: ReadingFacts,
  read: { how: string; native: string } | null = null,
): QueryText | null {
  const bounded = boundText(name)
  const text = removeRegistrySuffix(bounded)
  const native = read?.native ?? name
  // With the form at its end, a name is whole.
  const isWhole = /\s$/.test(cutNativeForms(boundText(native).trimEnd()).rest)
  const cut = isWhole ? 'nowhere' : detectColumnCut(native)
  const words = readWords(text, facts, cut !== 'nowhere', facts.isSpoken === true || hasOtherScript(native))
  if (words === null) return null
  const { forms, formAt } = words
  const kept = words.words.filter(({ text: word }) => !isJoiningWord(word))
  const all = kept.length > 0 ? kept : words.words
  const core = all.filter((word) => !formAt.has(words.words.indexOf(word)))
  return {
    words: words.words,
    coreKey: (core.length > 0 ? core : all).map((word) => word.text).join(''),
    fullKey: all.map((word) => word.text).join(''),
    forms,
    given: bounded,
    how: read?.how ?? null,
    native,
    charCount: Array.from(native.trim()).length,
    cut,
    isSecurity: words.words.some(({ wordClass }, at) => isOfSecurity(wordClass) && !formAt.has(at)),
    tail: findTail(bounded, text),
    around: '',
  }
}

/** A column that ends at a space loses the space too. */
function detectColumnCut(name: string): QueryText['cut'] {
  const charCount = Array.from(name.trim()).length
  const widths: readonly number[] = matchLimits.cutColumnChars
  if (widths.includes(charCount)) return 'anywhere'
  return widths.includes(charCount + 1) ? 'between_words' : 'nowhere'
}

function readWords(
  text: string,
  facts: ReadingFacts,
  isCut: boolean,
  isSpoken: boolean,
): { words: TextWord[]; forms: StatedForm[]; formAt: ReadonlySet<number> } | null {
  const { placeWords, isWord } = facts
  const native = cutNativeForms(text)
  let plain = expandForms(divideSite(native.rest)).replace(joinedForm, ' ')
  for (const [pattern, mark] of tradeMarks) plain = plain.replace(pattern, mark as string)
  const isKnown = (word: string) => isWord(word) || isWord(toCanonicalWords(['x', word])[1] ?? '')
  // "Larkmoor's" of Larkmoor; but McDonald's.
  plain = plain
    .replace(possessive, (end, word: string) =>
      isKnown(foldText(word)) && !isKnown(foldText(`${word}s`)) ? '' : end,
    )
    .replace(apostrophes, '')
    .replace(lostSign, (found) => {
      const word = found.replace(/[_?]/, unknownLetter)
      return facts.isNearWord(word.toLowerCase()) && !isKnown(foldText(found)) ? word : found
    })
  plain = plain.replace(initials, (found) => `${found.replace(/[.\s]/g, '')} `)
  const isBehindForm = native.form !== null && !/^\s|\s$/.test(native.rest)
  const repaired = splitPieces(plain, isBehindForm).map((piece) => repairScan(piece, isKnown))
  const whole = joinSplitWords(repaired, isWord)
  const pieces = joinLetters(whole.flatMap((piece) => splitJoined(piece, facts, whole.length)))
  const found = joinElisions(pieces, isWord).slice(0, wordsMax)
  if (found.length === 0) return null
  const merged = mergePhrases(found)
  const folded = merged.map(({ text, folded: word = text, isQuoted }, at) =>
    (isQuoted === true && at < merged.length - 1) || (at > 0 && classOfWord.get(text) === 'currency')
      ? ''
      : isWord(text) && (at < merged.length - 1 || !isFormSlip(text))
        ? word
        : repairForm(word, at < merged.length - 1 ? 'before' : isCut ? 'full' : 'last'),
  )
  const isOfPlace = (at: number) => placeWords.has(folded[at] ?? '')
  const described = findDescriptions(merged)
  const booked = findBookings(merged)
  const countries = findCountries(merged.map(({ text, folded }) => folded ?? text))
  const stated = findForms(folded, {
    last: merged.at(-1)?.text ?? '',
    written: native.rest,
    native: native.form,
  })
  const forms = [...stated, ...findClosedForms(merged, folded, stated)].filter(
    // "Reno NV", "Calgary AB": a state.
    ({ at, count, formClass }) =>
      (count !== 1 || !isOfPlace(at) || !isOfPlace(at - 1)) &&
      (!described.has(at) || !/^(?:limited|stock|company)$/.test(formClass)),
  )
  const formAt = new Set(
    forms.flatMap(({ at, count }) => Array.from({ length: count }, (_, more) => at + more)),
  )
  const classifyAt = (piece: Piece, at: number): WordClass => {
    const own = booked.get(at) ?? classify(piece, placeWords)
    if (formAt.has(at)) return 'form'
    if (described.has(at) && !keptClasses.test(own)) return 'description'
    return /^(?:telling|generic|security)$/.test(own) && countries.has(at) ? 'place' : own
  }
  const draft = merged.map((piece, at) => ({ ...piece, wordClass: piece.wordClass ?? classifyAt(piece, at) }))
  const classes = classifyBesideOthers(draft.map((piece) => ({ ...piece, isApart: piece.separator !== '' })))
  const words = draft.map((piece, at) => ({
    text: piece.text,
    folded: piece.folded ?? piece.text,
    written: piece.written,
    separator: piece.separator,
    isApart: piece.separator !== '',
    isJoined: piece.isJoined === true,
    isRepaired: piece.isRepaired === true,
    isSpoken,
    wordClass: namesItself(draft, at) ? ('letter' as const) : (classes[at] ?? piece.wordClass),
    usual: piece.wordClass === 'telling' && !isWord(piece.text) ? findUsual(piece.text) : null,
  }))
  return { words, forms, formAt }
}

/** A body and another name remain what they are in a description. */
const keptClasses = /^(?:body|estate|host|agent|mark|former|department|site|web)$/

/** "C L Larkmoor" has initials, and no "Cl." of shares. */
function classify({ text, folded = text, written }: Piece, placeWords: ReadonlySet<string>): WordClass {
  if (/^\p{L}(?: \p{L})+$/u.test(written)) return 'telling'
  return classifyWord(placeWords.has(folded) ? folded : text, placeWords)
}

/** "American Larkmoor Power (ALP)": initials of the words before or behind. */
function namesItself(pieces: readonly Piece[], at: number): boolean {
  const word = pieces[at]?.text ?? ''
  if (countInitials(word, at, (place) => pieces[place]?.text) > 0) return true
  const behind = pieces.slice(at + 1)
  return behind.some(
    (_, more) => more > 0 && countInitials(word, more + 1, (place) => behind[place]?.text) === more + 1,
  )
}

/** Writes phrases, numerals and abbreviations as registered names are compared: "United States" is "us". */
function mergePhrases(found: readonly Piece[]): Piece[] {
  const merged: Piece[] = []
  for (let at = 0; at < found.length;) {
    const piece = found[at]
    if (piece === undefined) break
    let count = 1
    let text: string | undefined
    for (const length of [4, 3, 2]) {
      const words = found.slice(at, at + length).map((one) => one.text)
      if (words.length < length) continue
      const canonical = toCanonicalWords(words)
      if (canonical.length < words.length && canonical.length === 1) {
        ;[count, text] = [length, canonical[0]]
        break
      }
    }
    // The second word of two: a numeral at the start is a word.
    text ??= at === 0 ? toCanonicalWords([piece.text])[0] : toCanonicalWords(['x', piece.text])[1]
    const written = found.slice(at, at + count).map((one) => one.written)
    const folded = count === 1 ? piece.text : (text ?? piece.text)
    merged.push({ ...piece, text: text ?? piece.text, folded, written: written.join(' ') })
    at += count
  }
  return merged
}

/** A text has more words than a name. */
const wordsMax = matchLimits.tokensMax + 8
/** "COTE D AZUR": registered names have "d'Azur" as one word. */
function joinElisions(found: readonly Piece[], isWord: ReadingFacts['isWord']): Piece[] {
  return found.flatMap((piece, at) => {
    const [before, next] = [found[at - 1], found[at + 1]]
    const isJoined = (letter: Piece | undefined, word: Piece | undefined) =>
      /^[dl]$/.test(letter?.text ?? '') &&
      word?.separator === '' &&
      isWord(`${letter?.text ?? ''}${word.text}`)
    if (isJoined(piece, next)) return []
    if (before === undefined || !isJoined(before, piece)) return [piece]
    return [{ ...piece, text: before.text + piece.text, separator: before.separator }]
  })
}

/** "Ekonomiavdelningen" */
const departmentEnd = /^[a-z]{3,}(?:abteilung|a[vf]deling(?:en)?|avdelning(?:en)?|osasto)$/
const nouns = new Set(around.descriptions.compounds.split('|'))
const [joinedFormCharsMin, joinedWordsMax] = [6, 8]

/** Splits words of registered names that are written as one: "WorldAcceptance", "kidsfirst", "larkmoorfoodsgroup". */
function splitJoined(piece: Piece, facts: ReadingFacts, count: number): Piece[] {
  const { text, written } = piece
  const isOfSentence = count > joinedWordsMax && !/\p{Ll}\p{Lu}/u.test(written)
  if (piece.wordClass !== undefined || text.length < joinedFormCharsMin || isOfSentence) return [piece]
  if (facts.isWord(text) || classOfWord.has(text) || nouns.has(text)) return [piece]
  if (departmentEnd.test(text)) return [{ ...piece, wordClass: 'department' }]
  const words = divideJoined(text, written, facts)
  if (words.length === 1) return [piece]
  let end = 0
  return words.map((word) => {
    const from = end
    end += word.length
    return {
      ...piece,
      text: word,
      written: written.length === text.length ? written.slice(from, end) : word,
      separator: from === 0 ? piece.separator : '',
      isJoined: from > 0,
    }
  })
}

const stateTail = /[(/\\-]\s*([A-Z]{2})\s*[)/\\]?\s*$/
/** Returns the state or country at the end of a text, as registers write it; or nothing. `text`: without it. */
function findTail(bounded: string, text: string): string {
  const cut = bounded.slice(text.length)
  return /[A-Z]{2,}/.exec(cut.toUpperCase())?.[0] ?? stateTail.exec(bounded)?.[1] ?? ''
}
