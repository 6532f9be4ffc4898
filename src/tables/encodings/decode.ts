import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import type { LegacyEncoding } from '../../core/file-formats.js'
import { listWordBytes } from '../bytes.js'
import languages from './languages.json' with { type: 'json' }

const decoders = new Map<string, TextDecoder>()

/** Decodes whole characters; returns `null` if the bytes are not valid in the encoding. */
export function decodeLegacy(bytes: Buffer, encoding: LegacyEncoding): string | null {
  try {
    const text = decodeAny(bytes, encoding)
    return canHaveControls(encoding) || !/[\x80-\x9f]/.test(text) ? text : null
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function decodeAny(bytes: Buffer, encoding: LegacyEncoding): string {
  switch (encoding) {
    case 'latin1':
    case 'iso-8859-1':
    case 'windows-1252':
      return decodeWindows1252(bytes)
    case 'cp850':
    case 'cp852':
      return decodeUpper(bytes, languages.dos[encoding])
    case 'euc-kr':
      return decodeKorean(bytes)
    default:
      return getDecoder(encoding).decode(bytes)
  }
}

function getDecoder(encoding: LegacyEncoding): TextDecoder {
  let decoder = decoders.get(encoding)
  if (decoder === undefined) {
    // As browsers do: GB 18030 is GBK with more characters, which programs write in files called GBK.
    const label = encoding === 'gbk' ? 'gb18030' : encoding
    decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
    decoders.set(encoding, decoder)
  }
  return decoder
}

/** `TextDecoder` maps bytes without a letter to control characters, which no list has; Latin-1 is read as windows-1252. */
function canHaveControls(encoding: LegacyEncoding): boolean {
  return encoding === 'latin1' || encoding === 'iso-8859-1'
}

/** Characters of 0x80 to 0x9f. `TextDecoder` of Node 20 returns control characters for them. */
const upperControls = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Decodes any bytes: five that are undefined in windows-1252 become the control characters of ISO 8859-1. */
export const decodeWindows1252 = (bytes: Buffer): string => decodeUpper(bytes, upperControls)

/** Decodes ISO 8859-1, with other characters for the first bytes from 0x80 on. */
const decodeUpper = (bytes: Buffer, upper: string): string =>
  bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => upper[char.charCodeAt(0) - 0x80] ?? char)

let koreanDecoder: TextDecoder | undefined

/** Returns the decoder of EUC-KR. Node.js takes 15 ms to make the first, so only files in Korean make it. */
function getKoreanDecoder(): TextDecoder {
  return (koreanDecoder ??= new TextDecoder('euc-kr', { fatal: true }))
}

/**
 * Decodes EUC-KR as used in practice (windows-949). `TextDecoder` of Node 20 only knows KS X 1001 and returns wrong
 * characters for the other syllables. Throws for invalid bytes.
 */
function decodeKorean(bytes: Buffer): string {
  const decoder = getKoreanDecoder()
  let text = ''
  let from = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0
    if (lead < 0x81) continue
    const added = findAddedCharacter(lead, bytes[at + 1] ?? 0)
    if (added !== null) {
      text += decoder.decode(bytes.subarray(from, at)) + added
      from = at + 2
    }
    at++
  }
  return text + decoder.decode(bytes.subarray(from))
}

/** Returns the character of a pair of bytes outside KS X 1001, or `null`. */
function findAddedCharacter(lead: number, trail: number): string | null {
  if (lead === 0xa2) {
    if (trail === 0xe6) return '€'
    if (trail === 0xe7) return '®'
  }
  const place = findExtensionIndex(lead, trail)
  return place === null ? null : (listExtension()[place] ?? null)
}

const [wideRowCells, narrowRowCells, wideRows] = [178, 84, 0x20]

/** Returns the index of a cell in the extension: rows 0x81 to 0xa0 are full; those up to 0xc6 end before KS X 1001. */
function findExtensionIndex(lead: number, trail: number): number | null {
  if (lead > 0xc6) return null
  const isWide = lead < 0xa1
  const cell = toCellIndex(trail, isWide ? 0xfe : 0xa0)
  if (cell === null) return null
  return isWide
    ? (lead - 0x81) * wideRowCells + cell
    : wideRows * wideRowCells + (lead - 0xa1) * narrowRowCells + cell
}

function toCellIndex(trail: number, trailMax: number): number | null {
  if (trail >= 0x41 && trail <= 0x5a) return trail - 0x41
  if (trail >= 0x61 && trail <= 0x7a) return trail - 0x61 + 26
  return trail >= 0x81 && trail <= trailMax ? trail - 0x81 + 52 : null
}

let syllables: readonly string[] | null = null

/** Returns the 8,822 syllables missing from KS X 1001, which fill the extension in Unicode order. */
function listExtension(): readonly string[] {
  if (syllables !== null) return syllables
  const standard = new Set<string>()
  for (let lead = 0xb0; lead <= 0xc8; lead++) {
    for (let trail = 0xa1; trail <= 0xfe; trail++)
      standard.add(getKoreanDecoder().decode(Uint8Array.of(lead, trail)))
  }
  const all = Array.from({ length: 0xd7a4 - 0xac00 }, (_, index) => String.fromCharCode(0xac00 + index))
  return (syllables = all.filter((syllable) => !standard.has(syllable)))
}

const alphabets = Object.values(languages.letters)
const latin = 'windows-1250 iso-8859-2 windows-1252 windows-1257 windows-1254 macintosh'.split(
  ' ',
) as LegacyEncoding[]

/** Whether a line is UTF-8, and not valid by chance: "ÓŁ" of windows-1250 is "ӣ". */
export const isUtf8Line = (line: Buffer): boolean =>
  isUtf8(line) && !(hasChanceWord(line) && latin.some((encoding) => isLegacyText(line, encoding)))

/** Whether valid UTF-8 has a word that reads better in another encoding. */
export const hasChanceWord = (text: Buffer): boolean =>
  listWordBytes(text, oddPair).some(
    (word) => isForeign(word) && latin.some((name) => isBetter(word, name, isForeign)),
  )

/** Whether valid UTF-8 reads well in an encoding, and some of it better than in UTF-8. */
export function isLegacyText(text: Buffer, encoding: LegacyEncoding): boolean {
  const words = listWordBytes(text, /[\x80-\xff]/g)
  const isOdd = (word: Buffer) => isForeign(word) || hasSmall(word)
  return (
    words.every((word) => readName(word, encoding)) && words.some((word) => isBetter(word, encoding, isOdd))
  )
}

/** A character of two bytes next to a Latin letter. */
const oddPair =
  /(?<=[A-Za-z])[\xc6-\xdf][\x80-\xbf](?![\x80-\xff])|(?<![\x80-\xff])[\xc6-\xdf][\x80-\xbf](?=[A-Za-z])/g

const usual = /[\u018f\u0259\u01a0\u01a1\u01af\u01b0\u01cd-\u01dc\u01e6-\u01e9\u0218-\u021b\u02b9-\u02cf]/
const hasCase = /(?=\p{L})[\u0180-\u02b8\u0370-\u052f]/u
const beyondAscii = (bytes: Buffer) =>
  Array.from(bytes.toString('utf8').normalize()).filter((char) => char > '\x7f')

/** Whether a word has letters of other scripts between its Latin ones, if they have small letters, between capitals. */
const isForeign = (word: Buffer): boolean =>
  /[A-Za-z]/.test(word.toString('latin1')) &&
  beyondAscii(word).every(
    (char) => /[\u0180-\u07ff]/.test(char) && /[\p{L}\p{M}\p{Cn}]/u.test(char) && !usual.test(char),
  ) &&
  (hasSmall(word) || !beyondAscii(word).some((char) => hasCase.test(char)))

/** Whether the only small letters of a word are some beyond ASCII. */
const hasSmall = (word: Buffer): boolean =>
  /^[^a-z]*[A-Z][^a-z]*$/.test(word.toString('latin1')) &&
  beyondAscii(word).some((char) => /(?!ß)\p{Ll}/u.test(char))

/** Words of letters, in parts that signs join or end. */
const legacyName = /^[“„«‹–—‘]?(\p{L}+(?:[’–—\xa0]\p{L}+)*)[’”»›®™…\xa0–—]*$/u

/** Returns the text of a word if its letters are those of one language. */
function readName(bytes: Buffer, encoding: LegacyEncoding): string | null {
  const text = decodeLegacy(bytes, encoding)
  const name = text === null ? null : legacyName.exec(text)?.[1]
  const letters = name?.toLowerCase().match(/(?!\p{ASCII})\p{L}/gu) ?? []
  const isWord =
    name?.split(/\P{L}+/u).every((part) => /^(?:[\p{Lu}ß]+|\p{Lu}?\p{Ll}+)$/u.test(part)) === true
  return isWord && alphabets.some((known) => letters.every((letter) => known.includes(letter))) ? text : null
}

function isBetter(word: Buffer, encoding: LegacyEncoding, isOdd: (word: Buffer) => boolean): boolean {
  const text = isOdd(word) ? readName(word, encoding) : null
  // A sign is weaker evidence than a letter: it needs more capitals, and no Greek or Cyrillic.
  return (
    text !== null &&
    (/^\p{L}+$/u.test(text) ||
      (/[A-Z].*[A-Z]/.test(text) && !/(?=\p{L})[\u0370-\u052f]/u.test(word.toString('utf8'))))
  )
}
