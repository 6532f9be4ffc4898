import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Numbers as each differs from the one before it: those of rows, or of lookups, are seldom far from each other. */
export function packNumbers(numbers: Uint32Array): Buffer {
  return packDifferences(numbers, (index) => numbers[index - 1] ?? 0)
}

/** Throws where the bytes are not `count` packed numbers. */
export function unpackNumbers(packed: Uint8Array, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  return unpackDifferences(packed, numbers, (index) => numbers[index - 1] ?? 0)
}

/** Numbers as they differ from others, place by place: next to nothing where few do. */
export function packChanges(numbers: Uint32Array, base: Uint32Array): Buffer {
  return packDifferences(numbers, (index) => base[index] ?? 0)
}

export function unpackChanges(packed: Uint8Array, count: number, base: Uint32Array): Uint32Array {
  return unpackDifferences(packed, new Uint32Array(count), (index) => base[index] ?? 0)
}

/** Quick, and within a tenth of what the highest gives: these are small numbers, not text. */
const compressionLevel = 1
/** Of a difference of two numbers of 32 bits: seven bits a byte. */
const differenceBytesMax = 5

function packDifferences(numbers: Uint32Array, expected: (index: number) => number): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * differenceBytesMax)
  let at = 0
  for (let index = 0; index < numbers.length; index++) {
    const difference = (numbers[index] ?? 0) - expected(index)
    // Below zero, the odd ones.
    let rest = difference < 0 ? -2 * difference - 1 : 2 * difference
    while (rest > 127) {
      bytes[at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    bytes[at++] = rest
  }
  return deflateRawSync(bytes.subarray(0, at), { level: compressionLevel })
}

function unpackDifferences(
  packed: Uint8Array,
  numbers: Uint32Array,
  expected: (index: number) => number,
): Uint32Array {
  const bytes = inflateRawSync(packed, { maxOutputLength: Math.max(1, numbers.length * differenceBytesMax) })
  let at = 0
  for (let index = 0; index < numbers.length; index++) {
    let rest = 0
    let unit = 1
    for (let byte = bytes[at++]; ; byte = bytes[at++]) {
      if (byte === undefined) throw new Error('fewer numbers than there should be')
      rest += (byte % 128) * unit
      if (byte < 128) break
      unit *= 128
    }
    numbers[index] = expected(index) + (rest % 2 === 1 ? -(rest + 1) / 2 : rest / 2)
  }
  if (at !== bytes.length) throw new Error('more numbers than there should be')
  return numbers
}
