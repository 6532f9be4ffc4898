import { isUtf8 } from 'node:buffer'
import { UserError } from '../../core/errors.js'
import { decodeLegacy, decodeWindows1252, hasChanceWord, isUtf8Line } from './decode.js'
import type { Encoding, LegacyEncoding } from '../../core/file-formats.js'
import { tableLimits } from '../limits-and-errors.js'

const lineFeed = 10
const carriageReturn = 13

/**
 * Splits chunks after line ends (LF, CRLF or CR), which in all encodings read by lines are never part of another
 * character. Throws INPUT_RECORD_TOO_LARGE for a line that is too long.
 */
export class LineEndCutter {
  #rest: Buffer[] = []
  #restBytes = 0

  constructor(private readonly label: string) {}

  /** Returns the lines completed by this chunk, as one piece, which may be empty. */
  push(chunk: Buffer): Buffer {
    const end = findWholeLinesEnd(chunk)
    if (end === 0) {
      this.#keep(chunk)
      return Buffer.alloc(0)
    }
    const lines = this.#restBytes === 0 ? chunk.subarray(0, end) : this.#joinRest(chunk.subarray(0, end))
    this.#rest = []
    this.#restBytes = 0
    if (end < chunk.length) this.#keep(chunk.subarray(end))
    return lines
  }

  /** Returns the last line if it has no line end. */
  end(): Buffer {
    return this.#joinRest(Buffer.alloc(0))
  }

  #joinRest(last: Buffer): Buffer {
    return Buffer.concat([...this.#rest, last])
  }

  #keep(piece: Buffer): void {
    this.#rest.push(Buffer.from(piece))
    this.#restBytes += piece.length
    if (this.#restBytes <= tableLimits.recordBytesMax) return
    const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
    throw new UserError('INPUT_RECORD_TOO_LARGE', `a line of more than ${mebibytes} MiB in ${this.label}`, {
      hint: 'check that it is text and has line ends',
    })
  }
}

/** A CR at the very end may be half of a CRLF, so it waits for the next chunk. */
function findWholeLinesEnd(chunk: Buffer): number {
  const feed = chunk.lastIndexOf(lineFeed)
  const back = chunk.lastIndexOf(carriageReturn, -2)
  return Math.max(feed, back === chunk.length - 1 ? -1 : back) + 1
}

interface ByteLine {
  readonly bytes: Buffer
  /** Index in the piece, counted from 0. */
  readonly index: number
}

/** Yields the lines of a piece, without line ends. */
export function* splitLines(piece: Buffer): Generator<ByteLine> {
  let from = 0
  let index = 0
  while (from < piece.length) {
    let end = from
    while (end < piece.length && piece[end] !== lineFeed && piece[end] !== carriageReturn) end++
    yield { bytes: piece.subarray(from, end), index }
    index++
    from = piece[end] === carriageReturn && piece[end + 1] === lineFeed ? end + 2 : end + 1
  }
}

/** Counts line ends; CRLF counts as one. */
export function countLineEnds(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) count++
  for (let at = piece.indexOf(carriageReturn); at !== -1; at = piece.indexOf(carriageReturn, at + 1)) {
    if (piece[at + 1] !== lineFeed) count++
  }
  return count
}

/** Converts chunks of a file to valid UTF-8; each result ends with a whole character. */
interface Recoder {
  readonly push: (chunk: Buffer) => Buffer
  readonly end: () => Buffer
}

/** Creates the error for invalid text. `valid`: the valid part of the current chunk, in any encoding. */
type ErrorFactory = (valid: Buffer, cause?: unknown) => UserError

function createRecoder(encoding: Encoding, label: string, createError: ErrorFactory): Recoder {
  switch (encoding) {
    case 'utf-8':
      return createUtf8Recoder(createError)
    case 'utf-16le':
    case 'utf-16be':
    case 'iso-2022-jp':
      return createStreamRecoder(encoding, createError)
    default:
      return createLineRecoder(label, (lines) =>
        isMixed(encoding)
          ? recodeMixedLines(lines, encoding.replace('utf-8+', '') as LegacyEncoding, createError)
          : recodeLegacyLines(lines, encoding, createError),
      )
  }
}

const isMixed = (encoding: Encoding): encoding is Encoding & `utf-8+${string}` =>
  encoding.startsWith('utf-8+')

function createUtf8Recoder(createError: ErrorFactory): Recoder {
  const cutter = new Utf8Cutter()
  return {
    push: (chunk) => {
      const { whole, bytes } = cutter.push(chunk)
      if (whole === null) throw createError(findValidStart(bytes))
      return whole
    },
    end: () => {
      if (cutter.isCut) throw createError(nothing)
      return nothing
    },
  }
}

const nothing = Buffer.alloc(0)

/** Returns the longest valid UTF-8 at the start of `bytes`. */
function findValidStart(bytes: Buffer): Buffer {
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

function createStreamRecoder(
  encoding: 'utf-16le' | 'utf-16be' | 'iso-2022-jp',
  createError: ErrorFactory,
): Recoder {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  const decode = (chunk: Buffer | undefined, stream: boolean) => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream }), 'utf8')
    } catch (error) {
      throw createError(nothing, error)
    }
  }
  return { push: (chunk) => decode(chunk, true), end: () => decode(undefined, false) }
}

/** Recodes whole lines, so that no character is cut and an invalid line can be named. */
function createLineRecoder(label: string, recode: (lines: Buffer) => Buffer): Recoder {
  const cutter = new LineEndCutter(label)
  return { push: (chunk) => recode(cutter.push(chunk)), end: () => recode(cutter.end()) }
}

function recodeLegacyLines(lines: Buffer, encoding: LegacyEncoding, createError: ErrorFactory): Buffer {
  const text = decodeLegacy(lines, encoding)
  if (text !== null) return Buffer.from(text, 'utf8')
  for (const { bytes } of splitLines(lines)) {
    if (decodeLegacy(bytes, encoding) === null) {
      throw createError(lines.subarray(0, bytes.byteOffset - lines.byteOffset))
    }
  }
  throw createError(nothing)
}

function recodeMixedLines(lines: Buffer, other: LegacyEncoding, createError: ErrorFactory): Buffer {
  if (isUtf8(lines) && !hasChanceWord(lines)) return lines
  const decode = (bytes: Buffer) =>
    other === 'windows-1252' ? decodeWindows1252(bytes) : decodeLegacy(bytes, other)
  const parts: Buffer[] = []
  let at = 0
  for (const { bytes } of splitLines(lines)) {
    const start = bytes.byteOffset - lines.byteOffset
    const end = start + bytes.length
    const isText = isUtf8Line(bytes)
    const text = isText ? null : decode(bytes)
    if (text === null && !isText) throw createError(lines.subarray(0, start))
    parts.push(lines.subarray(at, start), text === null ? bytes : Buffer.from(text, 'utf8'))
    at = end
  }
  return Buffer.concat([...parts, lines.subarray(at)])
}

/** Counts lines for messages. Lines end with LF, CRLF or CR. */
class LineCounter {
  lines = 1
  private lastWasCr = false

  /** Counts line ends up to the first NUL. Returns the index of the NUL, or -1. */
  count(chunk: Buffer): number {
    const nulAt = chunk.indexOf(0)
    const text = nulAt === -1 ? chunk : chunk.subarray(0, nulAt)
    // A CRLF may be split between two chunks.
    this.lines += countLineEnds(text) - (this.lastWasCr && text[0] === 10 ? 1 : 0)
    if (text.length > 0) this.lastWasCr = text.at(-1) === 13
    return nulAt
  }
}

/**
 * Decodes a file to chunks of valid UTF-8 without byte order mark; each ends with a whole character. Throws
 * INPUT_NUL_BYTE and INPUT_ENCODING_WRONG with the line, and INPUT_RECORD_TOO_LARGE.
 */
export async function* decodeText(
  chunks: AsyncIterable<Buffer>,
  { encoding, bomBytes }: { readonly encoding: Encoding; readonly bomBytes: number },
  label: string,
): AsyncGenerator<Buffer> {
  const lines = new LineCounter()
  const { push, end } = createRecoder(encoding, label, (valid, cause) => {
    lines.count(valid)
    const place = /^(?:utf-16|iso-2022)/.test(encoding) ? 'at or after line' : 'on line'
    return createEncodingError(encoding, `${label}, ${place} ${lines.lines}`, cause)
  })
  const check = (chunk: Buffer) => {
    if (lines.count(chunk) !== -1) throw createNulByteError(label, lines.lines, encoding)
    return chunk
  }
  let bomLeft = bomBytes
  for await (const chunk of chunks) {
    const skipped = Math.min(bomLeft, chunk.length)
    bomLeft -= skipped
    const text = check(push(skipped === 0 ? chunk : chunk.subarray(skipped)))
    if (text.length > 0) yield text
  }
  const last = check(end())
  if (last.length > 0) yield last
}

function createEncodingError(encoding: Encoding, where: string, cause: unknown): UserError {
  return new UserError('INPUT_ENCODING_WRONG', `text that is not valid ${encoding} in ${where}`, {
    hint:
      encoding === 'utf-8'
        ? 'if it is Latin-1 (Excel on Windows), pass --encoding latin1; if only some lines are, --encoding utf-8+windows-1252'
        : 'it is truncated or damaged, or has another encoding: pass --encoding',
    cause,
  })
}

export function createNulByteError(label: string, line: number, encoding: Encoding = 'utf-8'): UserError {
  const hint = encoding.startsWith('utf-16')
    ? `the file is read as ${encoding}, and has a NUL character in its text: remove it in the program that writes the file`
    : 'if it is UTF-16, pass --encoding utf-16le or utf-16be; save a spreadsheet as CSV first; name a Parquet file .parquet'
  return new UserError('INPUT_NUL_BYTE', `a NUL byte in ${label}, on line ${line}`, { hint })
}

/** Returns the length without a partial character at the end. */
function completeUtf8Length(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Splits chunks so that each ends with a whole character. */
export class Utf8Cutter {
  #rest = Buffer.alloc(0)

  /** `whole` is `null` if `bytes`, the chunk after the rest of the previous one, are not UTF-8. */
  push(chunk: Buffer): { whole: Buffer | null; bytes: Buffer } {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const length = completeUtf8Length(bytes)
    const whole = bytes.subarray(0, length)
    if (!isUtf8(whole)) return { whole: null, bytes }
    this.#rest = Buffer.from(bytes.subarray(length))
    return { whole, bytes }
  }

  /** Whether a partial character is left. */
  get isCut(): boolean {
    return this.#rest.length > 0
  }
}
