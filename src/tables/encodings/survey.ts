import { isAscii } from 'node:buffer'
import type { ByteSource } from '../bytes.js'
import { hasChanceWord, isUtf8Line } from './decode.js'
import { isMultiByte, type LegacyEncoding } from '../../core/file-formats.js'
import { splitLines, countLineEnds, LineEndCutter, createNulByteError, Utf8Cutter } from './recode.js'

/** A line that is not UTF-8. Lines are counted from 1. */
export interface ForeignLine {
  readonly line: number
  readonly bytes: Buffer
}

/** The lines of a file that have non-ASCII bytes. */
export interface LineSurvey {
  readonly utf8Count: number
  /** Lines of `utf8Count` with a character of three bytes or more, which other encodings do not produce by chance. */
  readonly surelyUtf8Count: number
  readonly foreignCount: number
  readonly foreignLines: readonly ForeignLine[]
  /** Lines that are not UTF-8, up to the size needed for a guess. */
  readonly sample: Buffer
}

const surveyLimits = { foreignLinesKept: 5, sampleBytes: 64 * 1024, sampleLineBytes: 16 * 1024 } as const
const wordBytesMax = 100
// oxlint-disable-next-line no-control-regex -- the sequences begin with ESC
const escapes = /\x1b(?:\$(?:[@AB]|\([@CD]|\)[ACEG])|\([IJ])/

/**
 * Returns the start of a file, whether all of it is UTF-8, whether it has letters beyond ASCII, words that may be valid only by
 * chance, and its first escape sequence of ISO 2022. With `isHeadEnough`, only checks the start.
 */
export async function isUtf8Throughout(
  file: ByteSource,
  headBytes: number,
  isHeadEnough: boolean,
): Promise<{
  head: Buffer
  isUtf8: boolean
  hasLetters: boolean
  hasChance: boolean
  escape: string | null
}> {
  const cutter = new Utf8Cutter()
  let head = Buffer.alloc(0)
  let isWhole = true
  const found = { hasLetters: false, hasChance: false, escape: null as string | null }
  let last = Buffer.alloc(0)
  for await (const chunk of file.bytes()) {
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
    isWhole = isWhole && cutter.push(chunk).whole !== null
    found.hasLetters ||= !isAscii(chunk)
    const joined = Buffer.concat([last, chunk])
    found.hasChance ||= isWhole && found.hasLetters && !isAscii(joined) && hasChanceWord(joined)
    if (joined.includes(0x1b)) found.escape ??= escapes.exec(joined.toString('latin1'))?.[0] ?? null
    last = joined.subarray(-wordBytesMax)
    if (head.length >= headBytes && (isHeadEnough || !isWhole)) break
  }
  return { head, isUtf8: isWhole && !cutter.isCut, ...found }
}

/** Classifies all lines of a file that is not entirely UTF-8. */
export async function classifyLines(file: ByteSource): Promise<LineSurvey> {
  const survey = {
    utf8Count: 0,
    surelyUtf8Count: 0,
    foreignCount: 0,
    foreignLines: [] as ForeignLine[],
    sample: Buffer.alloc(0),
  }
  const sample: Buffer[] = []
  let sampleBytes = 0
  let linesBefore = 0
  const lookAt = (piece: Buffer) => {
    const nulAt = piece.indexOf(0)
    if (nulAt !== -1)
      throw createNulByteError(file.label, linesBefore + countLineEnds(piece.subarray(0, nulAt)) + 1)
    if (!isAscii(piece)) {
      for (const { bytes, index } of splitLines(piece)) {
        if (isAscii(bytes)) continue
        if (isUtf8Line(bytes) && !oddMixture.test(bytes.toString('utf8'))) {
          survey.utf8Count++
          if (bytes.some((byte) => byte >= 0xe0)) survey.surelyUtf8Count++
          continue
        }
        survey.foreignCount++
        const kept = Buffer.from(truncateLine(bytes))
        if (survey.foreignLines.length < surveyLimits.foreignLinesKept) {
          survey.foreignLines.push({ line: linesBefore + index + 1, bytes: kept })
        }
        if (sampleBytes < surveyLimits.sampleBytes) {
          sample.push(kept, newline)
          sampleBytes += kept.length + 1
        }
      }
    }
    linesBefore += countLineEnds(piece)
  }
  const cutter = new LineEndCutter(file.label)
  for await (const chunk of file.bytes()) lookAt(cutter.push(chunk))
  lookAt(cutter.end())
  return { ...survey, sample: Buffer.concat(sample) }
}

const newline = Buffer.from('\n')

/** Letters of two scripts side by side, and marks without a letter: characters of East Asia look so in UTF-8. */
const oddMixture =
  /[\u0370-\u03ff][\u0400-\u07ff]|[\u0400-\u052f][\u0370-\u03ff\u0530-\u07ff]|[\u0530-\u07ff][\u0370-\u052f]|(?<![\p{L}\p{M}])[\u0300-\u036f]/u

/** Cuts a long line after a character that is never half of another one. */
function truncateLine(line: Buffer): Buffer {
  if (line.length <= surveyLimits.sampleLineBytes) return line
  const piece = line.subarray(0, surveyLimits.sampleLineBytes)
  const end = Math.max(...[' ', ',', ';', '"', '\t'].map((sign) => piece.lastIndexOf(sign)))
  return piece.subarray(0, end + 1)
}

/** Two bytes of an encoding that are frequent characters: kana, Hangul and the first level of ideographs. */
const frequentPairs: readonly (readonly [
  LegacyEncoding,
  isFrequent: (lead: number, trail: number) => boolean,
])[] = [
  ['shift_jis', (lead) => lead <= 0x84 || (lead >= 0x87 && lead <= 0x97)],
  [
    'gbk',
    (lead, trail) => trail >= 0xa1 && ((lead >= 0xa1 && lead <= 0xa9) || (lead >= 0xb0 && lead <= 0xd7)),
  ],
  ['big5', (lead) => lead >= 0xa1 && lead <= 0xc6],
  [
    'euc-kr',
    (lead, trail) => trail >= 0xa1 && ((lead >= 0xa1 && lead <= 0xa3) || (lead >= 0xb0 && lead <= 0xc8)),
  ],
  ['euc-jp', (lead) => lead === 0x8e || (lead >= 0xa1 && lead <= 0xa5) || (lead >= 0xb0 && lead <= 0xcf)],
]

/** A wrong encoding of East Asia has more rare characters. */
const frequentShareMin = 0.9
const otherShareMax = 0.7

/** Returns the only encoding of East Asia in which nearly all characters of a text are frequent; `null` if unclear. */
export function findEastAsian(sample: Buffer): LegacyEncoding | null {
  const shares = frequentPairs.map(([encoding, isFrequent]) => ({
    encoding,
    share: calculateFrequentShare(sample, encoding, isFrequent),
  }))
  const [best, next] = shares.sort((one, other) => other.share - one.share)
  return best !== undefined && best.share >= frequentShareMin && (next?.share ?? 0) <= otherShareMax
    ? best.encoding
    : null
}

/** Half-width kana, of one byte, are not counted: bytes of Chinese look like them. */
function calculateFrequentShare(
  sample: Buffer,
  encoding: LegacyEncoding,
  isFrequent: (lead: number, trail: number) => boolean,
): number {
  let [pairCount, frequentCount] = [0, 0]
  for (let at = 0; at < sample.length; at++) {
    const lead = sample[at] ?? 0
    const isKana = encoding === 'shift_jis' && lead >= 0xa0 && lead <= 0xdf
    if (lead < 0x81 || isKana) continue
    pairCount++
    if (isFrequent(lead, sample[++at] ?? 0)) frequentCount++
  }
  return pairCount === 0 ? 0 : frequentCount / pairCount
}

/** Least share of such bytes in text of DOS or of old Macs. Windows has letters above them. */
const lowShareMin = 0.5

/** Text of DOS, or of old Macs: their letters are from 0x80 to 0xAF. */
function isLow(sample: Buffer): boolean {
  const high = sample.filter((byte) => byte >= 0x80)
  return high.filter((byte) => byte < 0xb0).length >= high.length * lowShareMin
}

const ofDos =
  'it may be text of DOS or of an old Mac: try --encoding cp850, cp852, ibm866 or macintosh, or convert it to UTF-8, such as with iconv -f CP437 -t UTF-8 FILE > NEW, and check its names'

/** Says how to read text that several encodings fit, or none. */
export function suggestConversion(sample: Buffer, fitting: readonly string[] = []): string {
  const chosen = `pass the one with correct names: --encoding ${fitting.join(', or ')}`
  if (fitting.length > 0) return isLow(sample) ? `${chosen}; if none has them, ${ofDos}` : chosen
  return isLow(sample)
    ? ofDos
    : 'pass --encoding, such as windows-1252, shift_jis or gb18030, or convert the file to UTF-8'
}

/** Share of East Asian lines that may be valid UTF-8 by chance: short ones with two bytes a character. */
const chanceShareMax = 0.1

/** Returns whether a file mixes lines in UTF-8 with lines in another encoding. */
export function isMixture(survey: LineSurvey, guess: string): boolean {
  if (survey.utf8Count === 0) return false
  const share = survey.utf8Count / (survey.utf8Count + survey.foreignCount)
  return !isMultiByte(guess) || survey.surelyUtf8Count > 0 || share > chanceShareMax
}
