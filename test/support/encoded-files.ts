import type { Encoding } from '../../src/core/file-formats.js'
import { encodedLists } from './encoded-lists.js'

/** A list of made companies with its bytes in one encoding, a name each. */
export interface EncodedList {
  readonly encoding: Encoding
  readonly names: readonly string[]
  readonly nameBytes: readonly Buffer[]
}

const western = encodedLists[0][1]

/** Every encoding that is read, the Unicode ones by Node itself. */
export const everyEncoding: readonly EncodedList[] = [
  ...encodedLists.map(([encoding, names, base64]) => ({
    encoding,
    names,
    nameBytes: linesOf(Buffer.from(base64, 'base64')),
  })),
  { encoding: 'utf-8', names: western, nameBytes: western.map((name) => Buffer.from(name)) },
]

export function listIn(encoding: Encoding): EncodedList {
  const found = everyEncoding.find((list) => list.encoding === encoding)
  if (found === undefined) throw new Error(`no list is in ${encoding}`)
  return found
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, at))
    from = at + 1
  }
  return [...lines, bytes.subarray(from)]
}

/** A line a name, between what stands before and behind it; no encoding here reads ASCII otherwise. */
export function linesAround(
  nameBytes: readonly Buffer[],
  before: (index: number) => string,
  behind: string,
  header = '',
): Buffer {
  const lines = nameBytes.map((name, index) =>
    Buffer.concat([Buffer.from(before(index)), name, Buffer.from(behind)]),
  )
  return Buffer.concat([Buffer.from(header), ...lines])
}

const blockBytesMax = 100_000

/** A zstd frame whose blocks are stored as they are (RFC 8878, 3.1.1). */
export function zstdStored(content: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0])
  head.writeUInt32LE(content.length, 5)
  const parts: Buffer[] = [head]
  for (let from = 0; from < content.length; from += blockBytesMax) {
    const block = content.subarray(from, from + blockBytesMax)
    const isLast = from + blockBytesMax >= content.length
    const header = Buffer.alloc(3)
    header.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3)
    parts.push(header, block)
  }
  return Buffer.concat(parts)
}
