import { formatCount, plural } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { decodeLegacy, decodeWindows1252 } from './decode.js'
import { dosNames, encodingNames, isMultiByte, type LegacyEncoding } from '../../core/file-formats.js'
import { findEastAsian, suggestConversion, type ForeignLine, type LineSurvey } from './survey.js'
import languages from './languages.json' with { type: 'json' }
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The text of a file in one encoding. */
export interface Reading {
  readonly encoding: LegacyEncoding
  /** Up to three cells with non-ASCII letters, first those that differ in other encodings. */
  readonly excerpts: readonly string[]
}

export type Judgement =
  | { readonly kind: 'sure'; readonly reading: Reading }
  /** Possible readings, most likely first. Identical readings are listed once. */
  | { readonly kind: 'unsure'; readonly readings: readonly Reading[] }

const limits = { excerptsMax: 3, excerptCharsMax: 60, readingsMax: 4 } as const

/**
 * Number of distinct words with non-ASCII letters for which a guess is trusted over equally plausible readings.
 * Measured on lists of companies: with fewer words, 5 % of the guesses between Latin encodings were wrong; other
 * scripts were distinguished from three words on.
 */
const wordsEnough = { latin: 20, other: 8 } as const

/** Encodings compared with the guess, most common first. */
const candidates =
  `windows-1252 windows-1250 windows-1254 windows-1257 iso-8859-2 iso-8859-15 macintosh windows-1251 koi8-r iso-8859-5
  windows-1253 shift_jis gbk big5 euc-kr euc-jp windows-1255 windows-1256 iso-8859-6 windows-874`.split(
    /\s+/,
  ) as readonly LegacyEncoding[]

/**
 * Returns whether a detector's guess is reliable: it reads like names, and all other plausible encodings give the same
 * text, or there is enough text for the detector.
 */
export function judgeGuess(sample: Buffer, guess: string): Judgement {
  const first = createReading(sample, guess)
  const eastAsian = isMultiByte(guess) || first?.isPlausible !== true ? findEastAsian(sample) : null
  const own = eastAsian === null ? first : createReading(sample, eastAsian)
  const isEastAsian = eastAsian !== null && own?.isPlausible === true
  const others = candidates.flatMap((encoding) => {
    const isRuledOut = encoding === own?.encoding || (isEastAsian && isMultiByte(encoding))
    const other = isRuledOut ? null : createReading(sample, encoding)
    return other?.isPlausible === true ? [other] : []
  })
  const told = isEastAsian ? [] : others.filter((other) => isTold(other, own)).slice(0, 1)
  const guessed = own?.isPlausible === true ? [own] : []
  const [best, ...rest] = [...new Set([...told, ...guessed, ...others])]
  if (best === undefined || told.length + guessed.length === 0)
    return createUnsure(withDos(sample, own === null ? others : [...others, own]))
  const rivals = rest.filter((other) => isRival(best, other))
  const open = withDos(sample, [best, ...rivals])
  if (rivals.length > 0 || open[0] !== best) return createUnsure(open)
  const usual = rest.find(({ encoding, text }) => encoding === 'windows-1252' && text === best.text)
  const { encoding } = usual ?? best
  return { kind: 'sure', reading: { encoding, excerpts: selectExcerpts(best, rest) } }
}

/** Adds the readings in encodings of DOS, which no detector knows: first those that alone have a place or a legal form. */
function withDos(sample: Buffer, readings: readonly WholeReading[]): readonly WholeReading[] {
  const hasPlace = ({ words }: WholeReading) => [...words].some(isPlaceOrForm)
  const dos = dosNames.flatMap((encoding) => createReading(sample, encoding) ?? [])
  const fitting = dos.filter(({ text, isPlausible }) => isPlausible && isOfOneLanguage(text))
  const told = readings.some(hasPlace) ? [] : fitting.filter(hasPlace)
  return [...told, ...readings, ...fitting.filter((one) => !told.includes(one))]
}

/** Names of places, legal forms and headers tell the encoding where a detector is wrong. None knows macintosh: it stays doubted. */
const isTold = ({ encoding, words }: WholeReading, guess: WholeReading | null): boolean =>
  encoding !== 'macintosh' && [...words].some(isPlaceOrForm) && ![...(guess?.words ?? [])].some(isKnown)

interface WholeReading {
  readonly encoding: LegacyEncoding
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly isPlausible: boolean
}

/** Returns `null` if the encoding gives control characters, which no list has: `\u008aKODA` for `ŠKODA`. */
function createReading(sample: Buffer, name: string): WholeReading | null {
  if (!isLegacy(name)) return null
  const text = decodeLegacy(sample, name)
  if (text === null || /[\x80-\x9f]/.test(text)) return null
  return {
    encoding: name,
    text,
    words: new Set(listNonAsciiWords(text)),
    isPlausible: isPlausible(name === 'shift_jis' ? writeOwnCharacters(text) : text),
  }
}

/** Shift JIS has codes for characters that users draw. Few are in a text: the bytes of other encodings give many. */
const writeOwnCharacters = (text: string): string =>
  text.split(own).length - 1 <= text.split(usual).length * ownShareMax ? text.replace(own, '〓') : text
const [own, usual, ownShareMax] = [/[\ue000-\ue757]/g, /[\u3000-\u9fff]/, 0.1] as const

function isLegacy(name: string): name is LegacyEncoding {
  return (encodingNames as readonly string[]).includes(name) && !name.startsWith('utf-')
}

const mixtures: readonly string[] = encodingNames.filter((name) => name.startsWith('utf-8+'))

/** Returns whether the text of `other` is as likely where it differs. */
function isRival(own: WholeReading, other: WholeReading): boolean {
  const here = [...own.words].filter((word) => !other.words.has(word))
  const there = [...other.words].filter((word) => !own.words.has(word))
  if (here.length === 0) return false
  if (here.some(isPlaceOrForm) && !there.some(isKnown)) return false
  const isLatin = /\p{Script=Latin}/u.test(here.join('').replace(/\p{ASCII}/gu, ''))
  const isText = isLatin && own.words.size >= textWordsMin
  if (isText && here.some(isKnown) && !there.some(isKnown)) return false
  const isHungarian = other.encoding === 'windows-1250' && here.every((word) => /[õûÕÛ]/.test(word))
  const isOwnSure = isText && isOfOneLanguage(own.text)
  if (isOwnSure && hasMixedLine(other)) return false
  // A wrong encoding turns the letters of one language into those of several: "Bærum, Tromsø" into "Bćrum, Tromsř".
  if (isOwnSure && !isHungarian && areEvidence(here) && !isOfOneLanguage(other.text)) return false
  if (isText && hasMixedLine(own) && !hasMixedLine(other)) return true
  if (nameWords.test(own.text) && !nameWords.test(other.text)) return false
  if (own.words.size < (isLatin ? wordsEnough.latin : wordsEnough.other)) return true
  if (isHungarian) return true
  return isTwin(own, other) && here.filter(isOddWord).length > there.filter(isOddWord).length
}

/** Fewer words may have any letters. */
const textWordsMin = 3

/** Letters beyond ASCII in names of one language, in lower case. */
const alphabets: readonly string[] = Object.values(languages.letters)

/** Whether all letters of a Latin text are those of one language. */
function isOfOneLanguage(text: string): boolean {
  const letters = [...new Set(text.toLowerCase().match(/(?![ªº\p{ASCII}])\p{Script=Latin}/gu))]
  return alphabets.some((alphabet) => letters.every((letter) => alphabet.includes(letter)))
}

/** Whether no language has all letters of one of the lines. Lines of different languages are usual. */
const hasMixedLine = ({ text }: WholeReading): boolean =>
  text.split(/[\r\n]+/).some((line) => !isOfOneLanguage(line))

/** Whether the words that differ are evidence: several of them, or a well-known one. One word differs by chance: "Rîga", "Rīga". */
const areEvidence = (words: readonly string[]): boolean => words.length > 2 || words.some(isKnown)

/** Words and ends of words that a wrong encoding has only by chance: "à", "Immobilière". */
const isKnown = (word: string): boolean => knownWords.has(toLetters(word)) || knownEnds.test(toLetters(word))
const isPlaceOrForm = (word: string): boolean => placesAndForms.has(toLetters(word))
const toLetters = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{M}]/gu, '')
const toWords = (lines: readonly string[]) => new Set(lines.flatMap((line) => line.split(' ')))
const placesAndForms = toWords([...languages.places_and_forms, ...languages.headers])
const knownWords = new Set([...toWords(languages.words), ...placesAndForms])
const knownEnds = /.(?:ières?|ièmes?|ères?|[çs]ão|ções|iões|[iert]tà|ietà)$/u

/** Words of East Asian names; a wrong encoding has them only by chance. */
const nameWords = /公司|有限|集[团團]|股份|株式[会會]社|[银銀]行|주식회사|유한회사/

/** Detectors do not know macintosh, and confuse encodings of the same letters. */
function isTwin(own: WholeReading, other: WholeReading): boolean {
  const names = [own.encoding, other.encoding]
  return (
    names.includes('macintosh') || twins.some((pair) => pair.every((encoding) => names.includes(encoding)))
  )
}

const twins: readonly (readonly LegacyEncoding[])[] = [
  ['iso-8859-2', 'windows-1250'],
  ['iso-8859-15', 'windows-1252'],
  ['iso-8859-7', 'windows-1253'],
]

function createUnsure(readings: readonly WholeReading[]): Judgement {
  const different = readings.filter(({ text }, at) => readings.findIndex((one) => one.text === text) === at)
  // The first of each script comes before the second of any.
  const inScript = scripts.map((script) => different.filter(({ words }) => script.test([...words].join(''))))
  const firsts = new Set(inScript.flatMap(([first]) => first ?? []))
  const ordered = different.toSorted((one, other) => Number(firsts.has(other)) - Number(firsts.has(one)))
  return {
    kind: 'unsure',
    readings: ordered.map((reading) => ({
      encoding: reading.encoding,
      excerpts: selectExcerpts(reading, readings),
    })),
  }
}

function selectExcerpts(own: WholeReading, others: readonly WholeReading[]): string[] {
  const cells = [...new Set(own.text.split(/[\r\n,;|\t"]+/))]
    .map((cell) => cell.trim())
    .filter((cell) => /[^\p{ASCII}]/u.test(cell) && cell.length <= limits.excerptCharsMax)
  const isDistinctive = (cell: string) => others.some(({ text }) => !text.includes(cell))
  // Names are known by sight, remarks are not.
  const rank = (cell: string) => (isDistinctive(cell) ? 0 : 2) + (/^\p{Lu}\p{Ll}/u.test(cell) ? 0 : 1)
  return cells.sort((one, other) => rank(one) - rank(other)).slice(0, limits.excerptsMax)
}

/** Share of words with non-ASCII letters that may look odd in a correct reading. */
const oddShareMax = 0.08

/** Returns whether text reads like names: a wrong encoding puts symbols, foreign letters and capitals inside words. */
function isPlausible(text: string): boolean {
  const words = listNonAsciiWords(text)
  return words.filter(isOddWord).length <= words.length * oddShareMax
}

const listNonAsciiWords = (text: string): string[] =>
  text.split(/[\s,;|"()[\]{}<>/]+/).filter((word) => /[^\p{ASCII}]/u.test(word))

function isOddWord(word: string): boolean {
  return (
    // Names contain no isolated diacritics and no symbols that keyboards lack.
    /[\p{Cc}\p{Co}\p{Cn}¤¦¨¸\u02c6-\u02dd]/u.test(word) ||
    signInside.test(word) ||
    capitalInside.test(word) ||
    eastAsianBesideLatin.test(word) ||
    /\p{Script=Hangul}\p{Script=Han}|\p{Script=Han}\p{Script=Hangul}/u.test(word) ||
    scripts.filter((script) => script.test(word)).length > 1
  )
}

/** Letters may be joined by full-width symbols of East Asia, apostrophes, hyphens and middle dots. */
const signInside = /\p{L}[^\p{ASCII}\p{L}\p{M}\p{Nd}’‘–—·´\u3000-\u30ff\uff00-\uff65]+\p{L}/u
const capitalInside =
  /\p{Ll}(?=[^\p{ASCII}])\p{Lu}|\p{L}(?=[^\p{ASCII}])\p{Lu}\p{Ll}|\p{Lu}(?=[^\p{ASCII}ßªº])\p{Ll}\p{Lu}/u
/** Not next to lower-case letters, and not alone between capitals. */
const eastAsianBesideLatin = /[a-z][\u2e80-\uffdc]|[\u2e80-\uffdc][a-z]|[A-Z][\u2e80-\uffdc][A-Z]/

/** Scripts that do not mix within a word; Hebrew, Arabic and Thai with their marks. */
const scripts =
  String.raw`\p{Script=Latin} \p{Script=Cyrillic} \p{Script=Greek} [\u0591-\u05f4] [\u0600-\u06ff] [\u0e00-\u0e7f]
  \p{Script=Hangul} [\p{Script=Hiragana}\p{Script=Katakana}]`
    .split(/\s+/)
    .map((pattern) => new RegExp(pattern, 'u'))

/** `guess`: the encoding of the other lines. */
export function createMixedEncodingsError(label: string, survey: LineSurvey, guess: string): UserError {
  const { utf8Count, foreignCount, foreignLines } = survey
  const [first] = foreignLines
  const isAlone = isMultiByte(guess) && isLegacy(guess)
  const other = isLegacy(guess) && (isAlone || mixtures.includes(`utf-8+${guess}`)) ? guess : 'windows-1252'
  const reads =
    first === undefined ? '' : `; as ${other}, line ${first.line} has "${getExcerpt(first, other)}"`
  return new UserError(
    'INPUT_ENCODING_MIXED',
    `${label} is UTF-8 in ${plural(utf8Count, 'line')} with letters beyond ASCII and not in ${formatCount(foreignCount)}: ${formatLines(survey)}${reads}`,
    {
      hint: isAlone
        ? `these lines seem to be ${other}: split the file where the encoding changes, and pass the parts as several files, each with the header`
        : `fix these lines, or pass --encoding utf-8+${other} to read only these as ${other} and the others as UTF-8; --encoding latin1, or another one, applies to the whole file`,
    },
  )
}

export function createUnsureEncodingError(
  label: string,
  survey: LineSurvey,
  readings: readonly Reading[],
): UserError {
  const shown = readings.slice(0, limits.readingsMax)
  const choices = shown.map(({ encoding, excerpts }) => `${encoding}: ${formatQuoted(excerpts)}`)
  const fits = choices.length > 1 ? ', and its text fits several encodings' : ''
  const found =
    choices.length === 0
      ? ', and no other encoding could be detected'
      : `${fits}. It may be ${choices.join('; ')}`
  const fitting = shown.map(({ encoding }) => encoding)
  return new UserError('INPUT_ENCODING_UNSURE', `${label} is not UTF-8 (${formatLines(survey)})${found}`, {
    hint: suggestConversion(survey.sample, fitting),
    cause: readings.map(({ encoding }) => encoding),
  })
}

export function guessNotice(label: string, { encoding, excerpts }: Reading): string {
  return `${label}: not UTF-8, detected ${encoding}: it has ${formatQuoted(excerpts)}. If these cells look wrong, pass --encoding`
}

function formatLines({ foreignCount, foreignLines }: LineSurvey): string {
  const numbers = foreignLines.map(({ line }) => String(line))
  const more = foreignCount > numbers.length ? ', …' : ''
  return `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}${more}`
}

/** Returns the cell with the first non-ASCII letter. */
function getExcerpt({ bytes }: ForeignLine, encoding: LegacyEncoding): string {
  const text = encoding === 'windows-1252' ? null : decodeLegacy(bytes, encoding)
  const cells = (text ?? decodeWindows1252(bytes)).split(/[,;|\t"]+/)
  return (cells.find((cell) => listNonAsciiWords(cell).length > 0) ?? '')
    .trim()
    .slice(0, limits.excerptCharsMax)
}

const formatQuoted = (excerpts: readonly string[]): string => excerpts.map((text) => `"${text}"`).join(', ')

/** The used part of WebAssembly, which the types of Node lack. */
interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Exports of chardetng-wasm. Its own JavaScript imports the .wasm file, which Node 20 does not support. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  encodingdetector_new(): number
  encodingdetector_feed(detector: number, at: number, length: number, isLast: number): number
  encodingdetector_guess(place: number, detector: number, at: number, length: number, allowUtf8: number): void
  __wbg_encodingdetector_free(detector: number): void
  __wbindgen_add_to_stack_pointer(bytes: number): number
  __wbindgen_malloc(bytes: number): number
}

let loaded: Exports | null = null

function load(): Exports {
  const require = createRequire(import.meta.url)
  const path = require.resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm')
  const __wbindgen_throw = () => {
    throw new Error('chardetng failed')
  }
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly
  const { exports } = new Instance(new Module(readFileSync(path)), {
    './chardetng_wasm_bg.js': { __wbindgen_throw },
  })
  return (loaded = exports as Exports)
}

/** Returns the most likely encoding, in lower case, of a sample that is not UTF-8. */
export function guessEncoding(sample: Buffer): string {
  const wasm = loaded ?? load()
  const detector = wasm.encodingdetector_new()
  const place = wasm.__wbindgen_add_to_stack_pointer(-16)
  try {
    // The detector takes ownership of the bytes and frees them.
    const at = wasm.__wbindgen_malloc(sample.length)
    new Uint8Array(wasm.memory.buffer).set(sample, at)
    wasm.encodingdetector_feed(detector, at, sample.length, 1)
    wasm.encodingdetector_guess(place, detector, 0, 0, 0)
    const view = new DataView(wasm.memory.buffer)
    const nameAt = view.getUint32(place, true)
    const nameBytes = view.getUint32(place + 4, true)
    return Buffer.from(wasm.memory.buffer, nameAt, nameBytes).toString('latin1').toLowerCase()
  } finally {
    wasm.__wbindgen_add_to_stack_pointer(16)
    wasm.__wbg_encodingdetector_free(detector)
  }
}
