import { UserError } from '../../core/errors.js'
import type { ByteSource } from '../bytes.js'
import { tableLimits } from '../limits-and-errors.js'
import { isMultiByte, type Encoding, type LegacyEncoding } from '../../core/file-formats.js'
import { isLegacyText } from './decode.js'
import { isMixture, isUtf8Throughout, classifyLines } from './survey.js'

export interface DetectedEncoding {
  readonly encoding: Encoding
  readonly bomBytes: number
  /** Notice for the user before the text is read; `null` if nothing was guessed. */
  readonly notice: string | null
}

/**
 * Detects the encoding of a file; `null` for an empty file. A byte order mark is skipped in any case. Without one, the
 * file is UTF-8 if all of it is valid and not by chance, UTF-16 by its NUL bytes, ISO-2022-JP by its escape sequences, or else an
 * encoding on which a detector and the look of the names agree. A guess has a notice. Throws INPUT_ENCODING_UNSURE if they disagree,
 * INPUT_ENCODING_MIXED, INPUT_NUL_BYTE, and INPUT_ENCODING_WRONG for encodings that are not read, and if the file begins with letters in
 * UTF-8, or escape sequences, and the encoding given is another.
 */
export async function detectEncoding(
  file: ByteSource,
  given: Encoding | undefined,
): Promise<DetectedEncoding | null> {
  const { head, isUtf8, hasLetters, hasChance, escape } = await isUtf8Throughout(
    file,
    tableLimits.encodingHeadBytes,
    given !== undefined,
  )
  if (isUtf32(head)) throw createUnreadError(file.label, 'UTF-32')
  const bom = detectByteOrderMark(head)
  const bomBytes = bom?.bomBytes ?? 0
  if (head.length === bomBytes) return null
  const sevenBit = hasLetters || bom !== null ? null : findSevenBit(head.toString('latin1'), escape)
  if (given !== undefined) {
    if (sevenBit !== null && given !== sevenBit && !given.startsWith('utf-'))
      throw createOtherError(file.label, sevenBit, given)
    if (isUtf8 && bom === null && isSingleByte(given) && hasLetters && !isLegacyText(head, given))
      throw createOtherError(file.label, 'UTF-8', given)
    const isMarked = bom?.encoding === given || (bom?.encoding === 'utf-8' && given.startsWith('utf-8'))
    return { encoding: given, bomBytes: isMarked ? bomBytes : 0, notice: null }
  }
  if (bom !== null && bom.encoding !== 'utf-8') {
    return { ...bom, notice: `${file.label}: read as ${bom.encoding}` }
  }
  const wide = detectUtf16(head)
  if (wide !== null) {
    return {
      encoding: wide,
      bomBytes: 0,
      notice: `${file.label}: read as ${wide}, detected by its NUL bytes`,
    }
  }
  if (sevenBit !== null) {
    if (sevenBit !== 'iso-2022-jp') throw createUnreadError(file.label, sevenBit)
    const notice = `${file.label}: read as ${sevenBit}, detected by its escape sequences`
    return { encoding: sevenBit, bomBytes: 0, notice }
  }
  const utf8 = { encoding: 'utf-8' as const, bomBytes, notice: null }
  if (isUtf8 && (!hasChance || bom !== null)) return utf8
  return (await guess(file, bomBytes > 0)) ?? utf8
}

/** Returns `null` for a file whose lines are all UTF-8. */
async function guess(file: ByteSource, isMarkedUtf8: boolean): Promise<DetectedEncoding | null> {
  // Loaded only if needed.
  const judge = await import('./guess-encoding.js')
  const survey = await classifyLines(file)
  if (survey.foreignCount === 0) return null
  const name = judge.guessEncoding(survey.sample)
  const judgement = judge.judgeGuess(survey.sample, name)
  const likely = judgement.kind === 'sure' ? judgement.reading : judgement.readings[0]
  const other = likely?.encoding ?? name
  if (isMarkedUtf8 || isMixture(survey, other))
    throw judge.createMixedEncodingsError(file.label, survey, other)
  if (judgement.kind === 'unsure')
    throw judge.createUnsureEncodingError(file.label, survey, judgement.readings)
  const { reading } = judgement
  return { encoding: reading.encoding, bomBytes: 0, notice: judge.guessNotice(file.label, reading) }
}

/** Letters of such an encoding are nearly never valid UTF-8; "Ã³" is a letter of UTF-8. */
const isSingleByte = (encoding: Encoding): encoding is LegacyEncoding =>
  !encoding.startsWith('utf-') && !isMultiByte(encoding)

const createOtherError = (label: string, name: string, given: Encoding): UserError =>
  new UserError(
    'INPUT_ENCODING_WRONG',
    `${label} is ${name}: read as ${given}, its letters beyond ASCII would be wrong`,
    { hint: 'leave out --encoding and the setting input.encoding' },
  )

const createUnreadError = (label: string, name: string): UserError =>
  new UserError('INPUT_ENCODING_WRONG', `${label} is ${name}, which is not supported`, {
    hint: `save it as UTF-8, such as with iconv -f ${name} -t UTF-8 FILE > NEW; if it is not ${name}, pass --encoding`,
  })

/** Returns the encoding of a text of ASCII bytes that stand for other letters; `null` for ASCII. `escape`: its first escape sequence. */
function findSevenBit(head: string, escape: string | null): string | null {
  if (escape !== null)
    return /\)C/.test(escape) ? 'ISO-2022-KR' : /\)/.test(escape) ? 'ISO-2022-CN' : 'iso-2022-jp'
  if (/~\{(?:[!-w][!-~])+~\}/.test(head)) return 'HZ'
  const words = [...head.matchAll(/\+([A-Za-z\d+/]{3,})(-?)/g)]
  return words.length >= utf7WordsMin && words.every(([, word = '']) => isUtf7Word(word)) ? 'UTF-7' : null
}

/** One word of ASCII may have the form of others by chance. */
const utf7WordsMin = 2

/** Whether a word of Base64 is text beyond ASCII, in whole characters. Digits alone are a phone number. */
function isUtf7Word(word: string): boolean {
  const bytes = Buffer.from(word, 'base64')
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  const text = new TextDecoder('utf-16be').decode(whole)
  const isText = /^[^\p{C}\ufffd]+$/u.test(text) && /(?!\p{ASCII})\p{L}/u.test(text)
  return isText && /\D/.test(word) && whole.toString('base64').startsWith(word)
}

/** Detects the byte order mark, or two NULs in every character of the first ones. */
function isUtf32(head: Buffer): boolean {
  if (head.length < 8) return false
  if (head.readUInt32LE(0) === 0xfeff || head.readUInt32BE(0) === 0xfeff) return true
  const starts = Array.from({ length: Math.floor(Math.min(head.length, 4_096) / 4) }, (_, at) => at * 4)
  const isBig = starts.every((at) => head.readUInt16BE(at) === 0 && head.readUInt16BE(at + 2) !== 0)
  return isBig || starts.every((at) => head.readUInt16LE(at + 2) === 0 && head.readUInt16LE(at) !== 0)
}

function detectByteOrderMark(head: Buffer): { encoding: Encoding; bomBytes: number } | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', bomBytes: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 }
  return null
}

/** Latin text in UTF-16 has a NUL in every second byte. */
function detectUtf16(bytes: Buffer): Encoding | null {
  const pairs = Math.floor(bytes.length / 2)
  if (pairs < 2) return null
  let evenNuls = 0
  let oddNuls = 0
  for (let index = 0; index + 1 < bytes.length; index += 2) {
    if (bytes[index] === 0) evenNuls++
    if (bytes[index + 1] === 0) oddNuls++
  }
  if (oddNuls > pairs * 0.4 && evenNuls < pairs * 0.05) return 'utf-16le'
  if (evenNuls > pairs * 0.4 && oddNuls < pairs * 0.05) return 'utf-16be'
  return null
}
