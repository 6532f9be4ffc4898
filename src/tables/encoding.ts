import { isUtf8 } from 'node:buffer'
import { unreachable, UserError } from '../core/errors.js'
import { tableLimits } from './limits.js'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'

export interface DetectedEncoding {
  readonly encoding: Encoding
  readonly bomBytes: number
  readonly how: 'given' | 'bom' | 'pattern' | 'valid' | 'fallback'
}

/** How the text of a file is coded, by its first bytes. A byte order mark is skipped whatever was given. */
export function detectEncoding(
  sample: Buffer,
  isWholeFile: boolean,
  given: Encoding | undefined,
): DetectedEncoding {
  const bom = byteOrderMark(sample)
  if (given !== undefined) {
    return { encoding: given, bomBytes: bom?.encoding === given ? bom.bomBytes : 0, how: 'given' }
  }
  if (bom !== null) return { ...bom, how: 'bom' }
  const wide = utf16Pattern(sample)
  if (wide !== null) return { encoding: wide, bomBytes: 0, how: 'pattern' }
  const whole = isWholeFile ? sample : sample.subarray(0, completeUtf8Length(sample))
  return isUtf8(whole)
    ? { encoding: 'utf-8', bomBytes: 0, how: 'valid' }
    : { encoding: 'latin1', bomBytes: 0, how: 'fallback' }
}

function byteOrderMark(sample: Buffer): { encoding: Encoding; bomBytes: number } | null {
  if (sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf)
    return { encoding: 'utf-8', bomBytes: 3 }
  if (sample[0] === 0xff && sample[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 }
  if (sample[0] === 0xfe && sample[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 }
  return null
}

/** Mostly Latin text in UTF-16 has a NUL in every second byte. */
function utf16Pattern(sample: Buffer): Encoding | null {
  const bytes = sample.subarray(0, 4096)
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

/** The length without a character that is cut off at the end. */
function completeUtf8Length(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** What 0x80 to 0x9f mean in windows-1252, which is what files called Latin-1 are in practice. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function decodeLatin1(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => windows1252.charAt(char.charCodeAt(0) - 0x80))
}

/** Turns chunks of a file into chunks of valid UTF-8, each ending with a whole character. */
interface Recoder {
  readonly push: (chunk: Buffer) => Buffer
  readonly end: () => Buffer
}

/** Makes the error for text that is wrong; `valid` is what came before it since the last chunk. */
type Wrong = (valid: Buffer, cause?: unknown) => UserError

function recoder(encoding: Encoding, wrong: Wrong): Recoder {
  switch (encoding) {
    case 'utf-8':
      return utf8Recoder(wrong)
    case 'latin1':
      return { push: (chunk) => Buffer.from(decodeLatin1(chunk), 'utf8'), end: () => Buffer.alloc(0) }
    case 'utf-16le':
    case 'utf-16be':
      return utf16Recoder(encoding, wrong)
    default:
      return unreachable(encoding)
  }
}

function utf8Recoder(wrong: Wrong): Recoder {
  let rest = Buffer.alloc(0)
  return {
    push: (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const length = completeUtf8Length(bytes)
      const whole = bytes.subarray(0, length)
      if (!isUtf8(whole)) throw wrong(validStart(whole))
      rest = Buffer.from(bytes.subarray(length))
      return whole
    },
    end: () => {
      if (rest.length > 0) throw wrong(Buffer.alloc(0))
      return rest
    },
  }
}

/** The longest start of `bytes` that is valid UTF-8. */
function validStart(bytes: Buffer): Buffer {
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2)
    const start = bytes.subarray(0, middle)
    if (isUtf8(start.subarray(0, completeUtf8Length(start)))) valid = middle
    else invalid = middle
  }
  return bytes.subarray(0, valid)
}

function utf16Recoder(encoding: 'utf-16le' | 'utf-16be', wrong: Wrong): Recoder {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  const decode = (chunk: Buffer | undefined, stream: boolean) => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream }), 'utf8')
    } catch (error) {
      throw wrong(Buffer.alloc(0), error)
    }
  }
  return { push: (chunk) => decode(chunk, true), end: () => decode(undefined, false) }
}

/** Where in a text a chunk begins, for messages: lines end with LF, CRLF or CR. */
class LineCounter {
  lines = 1
  private lastWasCr = false

  /** Counts a chunk's line ends, and returns where its first NUL is, or -1. */
  count(chunk: Buffer): number {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === 10) {
        if (!this.lastWasCr) this.lines++
      } else if (byte === 13) this.lines++
      else if (byte === 0) return index
      this.lastWasCr = byte === 13
    }
    return -1
  }
}

/**
 * The text of a file as chunks of valid UTF-8 without a byte order mark, each ending with a whole character.
 * Throws INPUT_NUL_BYTE and INPUT_ENCODING_WRONG, with the line.
 */
export async function* decodeText(
  chunks: AsyncIterable<Buffer>,
  detected: DetectedEncoding,
  label: string,
): AsyncGenerator<Buffer> {
  const lines = new LineCounter()
  const { push, end } = recoder(detected.encoding, (valid, cause) => {
    lines.count(valid)
    return wrongEncoding(detected.encoding, `${label}, at or after line ${lines.lines}`, cause)
  })
  const check = (chunk: Buffer) => {
    if (lines.count(chunk) !== -1) throw nulByte(label, lines.lines)
    return chunk
  }
  let bomBytes = detected.bomBytes
  for await (const chunk of chunks) {
    const skipped = Math.min(bomBytes, chunk.length)
    bomBytes -= skipped
    const text = check(push(skipped === 0 ? chunk : chunk.subarray(skipped)))
    if (text.length > 0) yield text
  }
  const last = check(end())
  if (last.length > 0) yield last
}

function wrongEncoding(encoding: Encoding, where: string, cause: unknown): UserError {
  return new UserError('INPUT_ENCODING_WRONG', `text that is not valid ${encoding} in ${where}`, {
    hint:
      encoding === 'utf-8'
        ? 'if it is Latin-1 (Excel on Windows), pass --encoding latin1'
        : 'pass --encoding',
    cause,
  })
}

function nulByte(label: string, line: number): UserError {
  return new UserError('INPUT_NUL_BYTE', `a NUL byte in ${label}, on line ${line}`, {
    hint: 'is it UTF-16 (pass --encoding utf-16le or utf-16be), or no text at all? A spreadsheet has to be saved as CSV first, and a Parquet file be called .parquet',
  })
}

/** The first bytes of a stream, up to the sample size, and whether that is all there is. */
export async function sampleOf(chunks: AsyncIterable<Buffer>): Promise<{ sample: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    parts.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes >= tableLimits.encodingSampleBytes) {
      return { sample: Buffer.concat(parts).subarray(0, tableLimits.encodingSampleBytes), isWhole: false }
    }
  }
  return { sample: Buffer.concat(parts), isWhole: true }
}
