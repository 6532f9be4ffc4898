import { decodeLegacy } from './decode.js'
import { encodingNames, type LegacyEncoding } from './names.js'
import { isOddWord, isPlausible, wordsBeyondAscii } from './plausible.js'

/** What a file reads as in one encoding. */
export interface Reading {
  readonly encoding: LegacyEncoding
  /** Up to three cells with letters beyond ASCII, those first that other encodings read otherwise. */
  readonly excerpts: readonly string[]
}

export type Judgement =
  | { readonly kind: 'sure'; readonly reading: Reading }
  /** What the file may be, the likeliest first; of those that read alike, one. */
  | { readonly kind: 'unsure'; readonly readings: readonly Reading[] }

const limits = { excerptsMax: 3, excerptCharsMax: 60, readingsMax: 4 } as const

/**
 * Distinct words with letters beyond ASCII from which on a guess stands against readings that are as likely to
 * the eye. Measured on lists of companies: below, one guess in 20 between the Latin encodings was wrong; other
 * scripts were told apart from three words on.
 */
const wordsEnough = { latin: 20, other: 8 } as const

/** Asked besides the guess, the commonest first. */
const candidates: readonly LegacyEncoding[] = [
  'windows-1252',
  'windows-1250',
  'windows-1254',
  'windows-1257',
  'iso-8859-2',
  'iso-8859-15',
  'macintosh',
  'windows-1251',
  'koi8-r',
  'iso-8859-5',
  'windows-1253',
  'shift_jis',
  'gbk',
  'big5',
  'euc-kr',
  'euc-jp',
  'windows-1255',
  'windows-1256',
  'windows-874',
]

/**
 * Whether a detector's guess may be followed. It may where it reads as names do, and everything else that does
 * reads the same, or there is so much text that the detector does not err.
 */
export function judgeGuess(sample: Buffer, guess: string): Judgement {
  const own = readingOf(sample, guess)
  const others = candidates.flatMap((encoding) => {
    const other = encoding === guess ? null : readingOf(sample, encoding)
    return other?.isPlausible === true ? [other] : []
  })
  if (own?.isPlausible !== true) return unsure(own === null ? others : [...others, own])
  const rivals = others.filter((other) => isRival(own, other))
  if (rivals.length > 0) return unsure([own, ...rivals])
  const usual = others.find(({ encoding, text }) => encoding === 'windows-1252' && text === own.text)
  return {
    kind: 'sure',
    reading: { encoding: (usual ?? own).encoding, excerpts: excerptsOf(own, others) },
  }
}

interface WholeReading {
  readonly encoding: LegacyEncoding
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly isPlausible: boolean
}

function readingOf(sample: Buffer, name: string): WholeReading | null {
  if (!isLegacy(name)) return null
  const text = decodeLegacy(sample, name)
  if (text === null) return null
  return {
    encoding: name,
    text,
    words: new Set(wordsBeyondAscii(text)),
    isPlausible: isPlausible(text),
  }
}

function isLegacy(name: string): name is LegacyEncoding {
  return (encodingNames as readonly string[]).includes(name) && !name.startsWith('utf-')
}

/** Whether what reads otherwise in `other` may as well be meant. */
function isRival(own: WholeReading, other: WholeReading): boolean {
  const here = [...own.words].filter((word) => !other.words.has(word))
  const there = [...other.words].filter((word) => !own.words.has(word))
  if (here.length === 0) return false
  const isLatin = /\p{Script=Latin}/u.test(here.join('').replace(/\p{ASCII}/gu, ''))
  if (own.words.size < (isLatin ? wordsEnough.latin : wordsEnough.other)) return true
  if (other.encoding === 'windows-1250' && here.every((word) => /[õûÕÛ]/.test(word))) return true
  return isTwin(own, other) && here.filter(isOddWord).length > there.filter(isOddWord).length
}

/** Detectors do not know macintosh, and err between encodings of the same letters. */
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

function unsure(readings: readonly WholeReading[]): Judgement {
  const texts = readings.map(({ text }) => text)
  const different = readings.filter(({ text }, index) => texts.indexOf(text) === index)
  return {
    kind: 'unsure',
    readings: different.slice(0, limits.readingsMax).map((reading) => ({
      encoding: reading.encoding,
      excerpts: excerptsOf(reading, readings),
    })),
  }
}

function excerptsOf(own: WholeReading, others: readonly WholeReading[]): string[] {
  const cells = [...new Set(own.text.split(/[\r\n,;|\t"]+/))]
    .map((cell) => cell.trim())
    .filter((cell) => /[^\p{ASCII}]/u.test(cell) && cell.length <= limits.excerptCharsMax)
  const isDistinctive = (cell: string) => others.some(({ text }) => !text.includes(cell))
  return [...cells.filter(isDistinctive), ...cells.filter((cell) => !isDistinctive(cell))].slice(
    0,
    limits.excerptsMax,
  )
}
