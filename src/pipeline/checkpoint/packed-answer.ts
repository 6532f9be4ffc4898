import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { firstDictionary } from './answer-dictionary.js'

/** An answer as its row holds it: the line and the body are one text, so what stands in both is kept once. */
export interface PackedAnswer {
  /** The number of the dictionary that it was compressed with; 0: as it came. */
  packing: number
  lineBytes: number
  bodyBytes: number
  packed: Buffer
}

/** Of a row, as a packed answer. */
export const packedColumns = 'packing, line_bytes AS lineBytes, body_bytes AS bodyBytes, packed'

/** By the number that rows bear; see `answer-dictionary.ts`. */
const dictionaries: readonly (Buffer | null)[] = [null, Buffer.from(firstDictionary)]
const newestPacking = dictionaries.length - 1

/** A tenth smaller than at level 1 for a twentieth more time; beyond it, time grows faster than room shrinks. */
const compressionLevel = 3

/** What is larger is kept as it came, so nothing is ever unpacked to more. */
const unpackedBytesMax = 32 * 2 ** 20

export function packAnswer(line: string, body: string): PackedAnswer {
  const text = Buffer.from(line + body)
  const lineBytes = Buffer.byteLength(line)
  const sizes = { lineBytes, bodyBytes: text.length - lineBytes }
  const dictionary = dictionaries[newestPacking]
  if (text.length > unpackedBytesMax || !dictionary) return { packing: 0, ...sizes, packed: text }
  const packed = deflateRawSync(text, { level: compressionLevel, dictionary })
  return { packing: newestPacking, ...sizes, packed }
}

/** As UTF-8. */
export const unpackLineBytes = (answer: PackedAnswer): Buffer => unpack(answer).subarray(0, answer.lineBytes)

export const unpackLine = (answer: PackedAnswer): string => unpackLineBytes(answer).toString()

export const unpackBody = (answer: PackedAnswer): string => unpack(answer).toString('utf8', answer.lineBytes)

/** Of `packed`: enough for the beginning of a line. */
export const packedHeadBytes = 160

/**
 * The beginning of the line, of the first `packedHeadBytes` of what is packed: a tenth of the time that all of it takes.
 * Empty where that is too little.
 */
export function unpackLineHead(packing: number, head: Buffer): string {
  const dictionary = dictionaries[packing]
  if (!dictionary) return head.toString('latin1')
  try {
    const options = { dictionary, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 1_024 }
    return inflateRawSync(head, options).toString('latin1', 0, packedHeadBytes)
  } catch {
    return ''
  }
}

export function unpacks(answer: PackedAnswer): boolean {
  try {
    unpack(answer)
    return true
  } catch (error) {
    if (error instanceof UnpackableError) return false
    throw error
  }
}

/** A row that no version wrote; its checksum may be right. */
export class UnpackableError extends Error {}

/** Never more than what the row says, and never more than what is ever packed. Throws UnpackableError. */
function unpack({ packing, lineBytes, bodyBytes, packed }: PackedAnswer): Buffer {
  const size = lineBytes + bodyBytes
  const dictionary = dictionaries[packing]
  if (dictionary === undefined || !Buffer.isBuffer(packed) || lineBytes < 0 || bodyBytes < 0)
    throw impossible(packing, size)
  if (dictionary === null ? packed.length !== size : size > unpackedBytesMax) throw impossible(packing, size)
  if (dictionary === null) return packed
  let text: Buffer
  try {
    text = inflateRawSync(packed, {
      dictionary,
      maxOutputLength: Math.max(1, size),
      // One more than is needed: what ends a text is seen without a second piece.
      chunkSize: Math.max(constants.Z_MIN_CHUNK, size + 1),
    })
  } catch (error) {
    throw impossible(packing, size, error)
  }
  if (text.length !== size) throw impossible(packing, size)
  return text
}

const impossible = (packing: number, size: number, cause?: unknown) =>
  new UnpackableError(`an answer of packing ${packing} does not unpack to ${size} bytes`, { cause })
