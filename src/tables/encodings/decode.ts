import { TextDecoder } from 'node:util'
import { decodeKorean } from './korean.js'
import type { LegacyEncoding } from './names.js'

const decoders = new Map<string, TextDecoder>()

/** Text of whole characters, or null where bytes are not of the encoding. */
export function decodeLegacy(bytes: Buffer, encoding: LegacyEncoding): string | null {
  try {
    const text = decodeAny(bytes, encoding)
    return allowsControls(encoding) || !/[\x80-\x9f]/.test(text) ? text : null
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
      return decoderOf(encoding).decode(bytes)
  }
}

function decoderOf(encoding: LegacyEncoding): TextDecoder {
  let decoder = decoders.get(encoding)
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    decoders.set(encoding, decoder)
  }
  return decoder
}

/** `TextDecoder` makes control characters of bytes that an encoding leaves out; only ISO 8859 has them itself. */
function allowsControls(encoding: LegacyEncoding): boolean {
  return encoding === 'latin1' || encoding.startsWith('iso-8859-')
}

/** What 0x80 to 0x9f mean; `TextDecoder` of Node 20 makes control characters of them. */
const upperControls = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Total: the five bytes that windows-1252 leaves out are the control characters of ISO 8859-1. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => upperControls.charAt(char.charCodeAt(0) - 0x80))
}
