import { TextDecoder } from 'node:util'
import type { LegacyEncoding } from '../../core/file-formats.js'

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

/** `TextDecoder` maps undefined bytes to control characters; only ISO 8859 defines these. */
function canHaveControls(encoding: LegacyEncoding): boolean {
  return encoding === 'latin1' || encoding.startsWith('iso-8859-')
}

/** Characters of 0x80 to 0x9f. `TextDecoder` of Node 20 returns control characters for them. */
const upperControls = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Decodes any bytes: five that are undefined in windows-1252 become the control characters of ISO 8859-1. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => upperControls.charAt(char.charCodeAt(0) - 0x80))
}

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

const wideRowCells = 178
const narrowRowCells = 84
const wideRows = 0x20

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
