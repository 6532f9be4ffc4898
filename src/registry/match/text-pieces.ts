import { calculateDistance } from '../../core/word-forms.js'
import { matchLimits } from '../model/limits.js'
import { unknownLetter } from '../normalize/clean-text.js'
import { formWords } from '../normalize/legal-forms.js'
import { classifyNativeRun, unspaced } from '../normalize/unspaced-names.js'
import { foldText, shortenedWords, toCanonicalWords } from '../normalize/normalize-name.js'
import { isOwnBrand } from '../normalize/parsed-name.js'
import table from '../reference/word-classes.json' with { type: 'json' }
import { classOfWord, usualWords, type WordClass } from './word-classes.js'

/** `-` stands for a dash, not for a hyphen; `/` for any other sign. */
export type Separator = '' | ',' | '(' | ')' | '-' | '/'

const numbers = String.raw`\d{4}-\d\d-\d\d(?!\d)|\d+(?:[.,/:]\d+)+(?:\s?%)?|\d+\s?%`
const thousands = /^\d{1,3}(?:,\d{3})+$/
const pieces = new RegExp(String.raw`(${numbers})|[\p{L}\p{M}\p{N}${unknownLetter}]+|[&+]`, 'gu')
const separatorKinds: readonly (readonly [RegExp, Separator])[] = [
  [/[([]/, '('],
  [/[)\]]/, ')'],
  [/[,;:=]/, ','],
  [/[–—]|\s-|-\s|--/, '-'],
  [/[|"“”„«»‹›/\\*#@•]|<>|\s[·>→⇒]\s|(?![©®™°℠℗№])\p{So}/u, '/'],
]
const quotes = /^\s*["“”„«»]\s*$/
const findSeparator = (gap: string): Separator =>
  gap === '' || gap === ' ' ? '' : (separatorKinds.find(([pattern]) => pattern.test(gap))?.[1] ?? '')
/** A word of a text before it is classified; numbers have their class. */
export interface Piece {
  text: string
  /** The word before it was written as registered names are; forms have it: "reg Gen mbH" is no "general". */
  folded?: string
  written: string
  separator: Separator
  wordClass?: WordClass
  /** The text has no space before it: it is written as one with the word before. */
  isJoined?: boolean
  /** A scan has misread it. */
  isRepaired?: boolean
  /** The first word of a name in quotes behind its form: SIA "AB Larkmoor". */
  isQuoted?: boolean
}

/** `isBehindForm`: the words behind the first are behind a legal form of a script without spaces. */
export function splitPieces(text: string, isBehindForm = false): Piece[] {
  const found: Piece[] = []
  let last = 0
  let separator: Separator = ''
  for (const match of text.matchAll(pieces)) {
    const [written] = match
    const gap = text.slice(last, match.index)
    separator = findSeparator(gap) || separator
    last = match.index + written.length
    // Quotes next to a form separate nothing.
    const isQuoted = quotes.test(gap) && found.length > 0 && found.every((one) => formWords.has(one.text))
    if (isQuoted || (quotes.test(gap) && formWords.has(foldText(written)))) separator = ''
    const add = (word: string, shown: string, wordClass: WordClass | null, isFirst = true) =>
      found.push({
        text: word.slice(0, matchLimits.tokenCharsMax),
        written: shown,
        separator: isFirst ? separator : '',
        ...(wordClass === null ? {} : { wordClass }),
        ...(isQuoted && isFirst ? { isQuoted } : {}),
      })
    if (match[1] !== undefined) {
      const digits = written.replace(/[\s%]/g, '')
      add(thousands.test(digits) ? digits.replaceAll(',', '') : digits, written, readNumber(written))
    } else {
      const folded = foldPiece(written)
      const isNative = found.length > 0 && unspaced.test(written)
      const native = isNative ? classifyNativeRun(written, isBehindForm) : null
      if (native !== null) add(folded.join(''), written, native)
      else
        for (const [at, word] of folded.entries())
          add(word, folded.length === 1 ? written : word, null, at === 0)
      if (folded.length === 0) continue
    }
    separator = ''
  }
  if (found[0] !== undefined && cardService.test(text)) found[0].wordClass = 'payment'
  return found
}

/** "SQ *Larkmoor Foods": the service that took the card. */
const cardService = /^\s*\p{L}{2,3}\s?\*/u

function readNumber(written: string): WordClass {
  if (written.includes('%')) return 'percent'
  if (thousands.test(written)) return 'number'
  if (/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(written)) return 'date'
  if (/^\d{1,2}\/\d{2,4}$/.test(written)) return 'date'
  return /^\d{1,2}[.,]\d{2,5}$/.test(written) ? 'percent' : 'number'
}

/** Keeps letters that an encoding has lost: "M�ller". */
function foldPiece(written: string): string[] {
  if (written === '&' || written === '+') return ['and']
  if (!written.includes(unknownLetter))
    return foldText(written)
      .split(' ')
      .filter((word) => word !== '')
  const word = written
    .split(unknownLetter)
    .map((part) => foldText(part).replaceAll(' ', ''))
    .join(unknownLetter)
  return word.replaceAll(unknownLetter, '') === '' ? [] : [word]
}

/** Words that have no initial in an acronym. */
export const joiningWords = new Set(
  'of de la le les del di da do des du von van der die das den for in on at to a and und et y e'.split(' '),
)
/** Two letters are initials of too many names. */
const [initialsMin, initialsMax] = [3, 6]

/** Returns how many words before `end` have these initials, 0 if others come between; joining words have none. */
export function countInitials(
  initials: string,
  end: number,
  getWord: (at: number) => string | undefined,
): number {
  let left = classOfWord.get(initials) === 'stop' ? 0 : initials.length
  if (left < initialsMin || left > initialsMax || getWord(end - 1)?.charAt(0) !== initials.charAt(left - 1))
    return 0
  let at = end
  while (left > 0 && at > 0 && end - at < 9) {
    const word = getWord(at - 1) ?? ''
    if (word.charAt(0) === initials.charAt(left - 1) && !(joiningWords.has(word) && at < end)) left--
    else if (!joiningWords.has(word)) return 0
    at--
  }
  return left === 0 ? end - at : 0
}

/** True for the initials or the beginnings of the first words: "LNB" or "LARNOBA" of Larkmoor Norvane Bank. */
export const isAcronym = (text: string, words: readonly string[]): boolean =>
  isOwnBrand(text, words) ||
  words.some((_, at) => countInitials(text, at + 1, (place) => words[place]) === at + 1)

/** Returns the word of a list that another is with one letter wrong, missing, swapped or too many; the first of several. */
type FindNear = (word: string) => string | undefined

/** Words of fewer letters have too many others near. */
const nearCharsMin = 6
function createNear(words: Iterable<string>, charsMin: number): FindNear {
  const byKey = new Map<string, string[]>()
  for (const word of words)
    if (word.length >= charsMin)
      for (const key of dropOne(word)) byKey.set(key, [...(byKey.get(key) ?? []), word])
  return (word) => {
    if (word.length < charsMin) return undefined
    for (const key of dropOne(word))
      for (const near of byKey.get(key) ?? []) if (calculateDistance(word, near, 1) === 1) return near
    return undefined
  }
}

/** A word, and the word without each of its letters. */
const dropOne = (word: string): Set<string> =>
  new Set([word, ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))])

const dropVowels = (word: string): string => word.charAt(0) + word.slice(1).replace(/[aeiou]/g, '')

/** Built when the first unknown word is read. */
let tables: { usual: FindNear; form: FindNear; formOfConsonants: ReadonlyMap<string, string> } | undefined

function getTables() {
  const forms = [...formWords].filter((word) => word.length >= nearCharsMin)
  return (tables ??= {
    usual: createNear([...usualWords, ...shortenedWords], nearCharsMin),
    form: createNear(forms, nearCharsMin),
    // The first of two in the table wins.
    formOfConsonants: new Map(forms.map((word) => [dropVowels(word), word] as const).reverse()),
  })
}

/** Returns the usual word of names that an unknown word is with one letter wrong, as names are compared. */
export function findUsual(word: string): string | null {
  const near = getTables().usual(word)
  return near === undefined ? null : (toCanonicalWords(['x', near])[1] ?? null)
}

const listPairs = (pairs: string) => pairs.split(' ').map((pair) => pair.split('=') as [string, string])
const misreadForms = new Map(listPairs('lnc=inc 1nc=inc itd=ltd 1td=ltd gmbl=gmbh'))

/** Where a word stands: at the end of a full column, at the end of another text, or before other words. */
type FormCut = 'full' | 'last' | 'before'
/** A word of fewer letters is not read as the beginning of a form. */
const cutCharsMin: Readonly<Record<FormCut, number>> = { full: 3, last: 4, before: 6 }

/** Returns the word of a legal form that is meant: "Limtied", "LMTD", "lnc", or "Corporatio" at the end of a full column. */
export function repairForm(word: string, cut: FormCut): string {
  const known =
    misreadForms.get(word) ?? findLostForm(word) ?? (cut === 'before' ? undefined : findSlip(word))
  if (known !== undefined) return known
  const whole = word.length < cutCharsMin[cut] ? undefined : cutForms.find((form) => form.startsWith(word))
  if (cut === 'full' && whole !== undefined) return whole
  if (word.length < 4 || formWords.has(word) || isUsual(word)) return word
  const { form, formOfConsonants } = getTables()
  return whole ?? form(word) ?? formOfConsonants.get(word) ?? word
}

/** Forms with a letter twice, or two letters swapped, at the end of a name. */
const slips = new Map([
  ...listPairs('ltdd=ltd lttd=ltd lltd=ltd ldt=ltd incc=inc innc=inc icn=inc gmhb=gmbh gbmh=gmbh gmbhh=gmbh'),
  ...listPairs(
    'lmt=ltd gmmbh=gmbh corpp=corp copr=corp llcc=llc lllc=llc plcc=plc pvtt=pvt pyt=pty srll=srl sral=sarl',
  ),
])
const longForms = ['limited', 'corporation', 'incorporated', 'gesellschaft', 'aktiengesellschaft']

/** True for a form with a wrong letter inside, which a register may have as the word of a name: "Limted". */
export const isFormSlip = (word: string): boolean => longForms.includes(findSlip(word) ?? '')
function findSlip(word: string): string | undefined {
  const isNear = (form: string) =>
    form !== word && form.at(-1) === word.at(-1) && calculateDistance(word, form, 1) === 1
  return slips.get(word) ?? longForms.find((form) => word.startsWith(form.charAt(0)) && isNear(form))
}

/** Returns the one form that is meant if a letter of it is lost: "Limite�", "L�d". */
function findLostForm(word: string): string | undefined {
  if (!word.includes(unknownLetter) || word.length < 3) return undefined
  const letters = new RegExp(`^${word.replaceAll(unknownLetter, '.')}$`)
  const found = [...cutForms, ...attachedForms].filter((form) => letters.test(form))
  return found.length === 1 ? found[0] : undefined
}

/** Long forms whose end a column cuts. */
const cutForms =
  'limited private corporation incorporated company partnership gesellschaft aktiengesellschaft'.split(' ')

/** Shapes that scans confuse with letters. */
const scanned = listPairs('0=o 1=i 1=l 5=s 8=b 6=g ivi=m rn=m vv=w')

/** Reads a word of registered names that a scan has misread, "c0in", "carnbridge", or a year. Short ones need a digit: "barn". */
export function repairScan(piece: Piece, isWord: (word: string) => boolean): Piece {
  const { text, written } = piece
  if (isWord(text)) return piece
  // "Vll" is VII, and "O91O" is 0910.
  const numeral = /^(?=.*[IVX])(?=.*l)[IVXl]{2,5}$/.test(written) ? written.replaceAll('l', 'I') : undefined
  const code = /^(?=(?:.*\d){2})(?=.*[OoIl])[\dOoIl]{3,}$/.test(written) ? text : undefined
  const read = numeral ?? code?.replaceAll('o', '0').replace(/[li]/g, '1')
  if (read !== undefined) return { ...piece, text: read.toLowerCase(), isRepaired: true }
  // "RenaIytix": a capital "I" behind a small letter.
  const small = written.replace(/(?<=\p{Ll})I+/gu, (letters) => 'l'.repeat(letters.length)).toLowerCase()
  if (small !== text && isWord(small)) return { ...piece, text: small, isRepaired: true }
  if (text.length < (/\d/.test(text) ? 4 : 7)) return piece
  let found = new Set([text])
  for (const [shape, letters] of /\D/.test(text) ? scanned : [])
    found = new Set([...found, ...[...found].map((one) => one.replaceAll(shape, letters))])
  const word = [...found].find((one) => one.length > 3 && !/\d/.test(one) && isWord(one))
  return word === undefined ? piece : { ...piece, text: word, isRepaired: true }
}

/** Joins the parts of a usual word or of a form, even with a wrong letter: "LIM ITED", "Tecno logies". */
export function joinSplitWords(found: readonly Piece[], isWord: (word: string) => boolean): Piece[] {
  const joined: Piece[] = []
  for (const piece of found) {
    const last = joined.at(-1)
    const word = (last?.text ?? '') + piece.text
    const isSplit =
      last !== undefined &&
      piece.separator === '' &&
      (isSplitForm(joined.length, last.text, piece) ||
        (word.length >= nearCharsMin &&
          !(isWord(last.text) && isWord(piece.text)) &&
          (formWords.has(word) ||
            isUsual(word) ||
            ([last.text, piece.text].every(isPartOfWord) && !isWord(word) && findUsual(word) !== null))))
    if (isSplit)
      joined[joined.length - 1] = { ...last, text: word, written: `${last.written} ${piece.written}` }
    else joined.push(piece)
  }
  return joined
}

/** "Larkmoor SP A", "Larkmoor L TD": behind a name, two short pieces are a form. */
const isSplitForm = (at: number, head: string, { text, written }: Piece): boolean =>
  at > 1 &&
  head.length < 4 &&
  written.length < 4 &&
  (head + text === 'spa' || attachedForms.includes(head + text))

/** A number or a letter behind a word is no part of it: "Technologies 3". */
const isPartOfWord = (text: string): boolean => /^[a-z]{3,}$/.test(text) && !isUsual(text)

const usual = new Set([...usualWords, ...shortenedWords])
const isUsual = (word: string): boolean => usual.has(word)

/** Forms that are written without a space behind a name: "PACCARINC". */
const attachedForms = table.attached_forms.split(' ')
const attachedHeadMin = 3

/** Returns where a form begins that is written as one with a known word, or -1. */
function findAttachedForm(word: string, isWord: (word: string) => boolean): number {
  const form = attachedForms.find((one) => word.endsWith(one))
  const at = form === undefined ? -1 : word.length - form.length
  const head = word.slice(0, at)
  if (at < attachedHeadMin && !/^(?:uk|us|co)$/.test(head)) return -1
  return formWords.has(head) || isWord(head) || isWord(toCanonicalWords(['x', head])[1] ?? '') ? at : -1
}

/** Divides words of registered names that are written as one; the word alone if they are not known. */
export function divideJoined(
  text: string,
  written: string,
  { isWord, isNearWord }: { isWord: (word: string) => boolean; isNearWord: (word: string) => boolean },
): string[] {
  const inTwo = (at: number) => [text.slice(0, at), text.slice(at)]
  const [, code, head] = /^(\d{4,})[a-z]{4,}$|^([a-z]{4,})\d+$/.exec(text) ?? []
  const glued = (code ?? head ?? '').length
  if (glued > 0 && inTwo(glued).some(isWord)) return inTwo(glued)
  const hump = /^\p{Lu}?[\p{Ll}\ufffd]{2,}(?=\p{Lu}[\p{Ll}\ufffd]{2,}$)/u.exec(written)?.[0].length
  const humps = hump === undefined ? [] : inTwo(hump)
  // "BlackRockk" is one word with a wrong letter.
  if (humps.some(isWord) && (humps.every(isWord) || !isNearWord(text))) return humps
  const form = findAttachedForm(text, isWord)
  if (form > 0) return inTwo(form)
  // Rather a word of a form, or one with a wrong letter, than two words.
  if (formWords.has(text) || isNearWord(text)) return [text]
  const at = text.length < 8 ? [] : Array.from({ length: text.length - 6 }, (_, more) => more + 3)
  const isUsualNearly = (word: string) => isWord(word) || findUsual(word) !== null
  const place =
    at.find((one) => inTwo(one).every(isWord)) ?? at.find((one) => inTwo(one).every(isUsualNearly))
  return place === undefined ? findWords(text, isWord) : inTwo(place)
}

/** Words of fewer letters are found in any text. */
const joinedCharsMin = 12
const shortJoined = new Set(['of', 'de', 'and', 'the', 'la', 'uk', 'us', 'no'])

/** Divides a text into the fewest words of registered names, of five letters each at least on average; a form and a number may follow. */
function findWords(text: string, isWord: (word: string) => boolean): string[] {
  const [, letters = '', digits = ''] = /^([a-z]+)(\d*)$/.exec(text) ?? []
  if (text.length < joinedCharsMin || letters === '') return [text]
  const best: (string[] | undefined)[] = [[]]
  const isKnown = (word: string, end: number) =>
    word.length > 3 ? isWord(word) : shortJoined.has(word) || (end === letters.length && formWords.has(word))
  for (let end = 2; end <= letters.length; end++) {
    for (let from = Math.max(0, end - matchLimits.tokenCharsMax); from <= end - 2; from++) {
      const before = best[from]
      if (before === undefined || before.length + 1 >= (best[end]?.length ?? Infinity)) continue
      const word = letters.slice(from, end)
      if (isKnown(word, end)) best[end] = [...before, word]
    }
  }
  const words = best[letters.length]
  if (words === undefined || words.filter((word) => !formWords.has(word)).length > text.length / 5)
    return [text]
  return digits === '' ? words : [...words, digits]
}
