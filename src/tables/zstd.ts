import { Decompress } from 'fzstd'
import xxhash from 'xxhash-wasm'
import { CompressionError, tableLimits } from './limits-and-errors.js'

interface Frame {
  readonly headerBytes: number
  readonly windowBytes: number
  readonly contentBytes: bigint | null
  readonly hasChecksum: boolean
}

/**
 * Decompresses zstd frames as a stream, block by block, so that each step handles at most 128 KiB at any ratio. Throws
 * for truncated input, a wrong content size and a wrong checksum.
 */
export async function* decompressZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = new ByteQueue(source)
  while (await input.has(1)) {
    const magic = (await input.peek(4)).readUInt32LE(0)
    if (magic >>> 4 === 0x184d2a5) {
      await input.skip((await input.peek(8)).readUInt32LE(4) + 8)
      continue
    }
    if (magic !== 0xfd2fb528) throw new CompressionError('it contains bytes that are not zstd')
    yield* decodeFrame(input)
  }
}

async function* decodeFrame(input: ByteQueue): AsyncGenerator<Buffer> {
  const header = await readHeader(input)
  if (header.windowBytes > tableLimits.zstdWindowBytesMax) {
    throw new CompressionError(`it needs a window of ${header.windowBytes} bytes; compress it without --long`)
  }
  let output: Buffer[] = []
  let outputBytes = 0n
  const checksum = header.hasChecksum ? (await xxhash()).create64() : null
  const decoder = new Decompress((chunk) => {
    outputBytes += BigInt(chunk.length)
    checksum?.update(chunk)
    // The decoder reuses its buffers.
    if (chunk.length > 0) output.push(Buffer.from(chunk))
  })
  decoder.push(await input.take(header.headerBytes))
  for (;;) {
    const block = (await input.peek(3)).readUIntLE(0, 3)
    const isLast = (block & 1) === 1
    const blockBytes = 3 + (((block >> 1) & 3) === 1 ? 1 : block >> 3)
    const checksumBytes = isLast && checksum !== null ? 4 : 0
    const bytes = await input.take(blockBytes + checksumBytes)
    decode(decoder, bytes, isLast)
    if (checksumBytes > 0 && BigInt(bytes.readUInt32LE(bytes.length - 4)) !== toLow32(checksum?.digest())) {
      throw new CompressionError('its checksum does not match its content')
    }
    for (const chunk of output) yield chunk
    output = []
    if (isLast) break
  }
  if (header.contentBytes !== null && header.contentBytes !== outputBytes) {
    throw new CompressionError(`it declares ${header.contentBytes} bytes and contains ${outputBytes}`)
  }
}

function decode(decoder: Decompress, bytes: Buffer, isLast: boolean): void {
  try {
    decoder.push(bytes, isLast)
  } catch (error) {
    throw new CompressionError('its data is damaged', { cause: error })
  }
}

/** RFC 8878, section 3.1.1: the checksum is the low half of XXH64. */
function toLow32(hash: bigint | undefined): bigint | undefined {
  return hash === undefined ? undefined : hash & 0xffff_ffffn
}

/** RFC 8878, section 3.1.1.1. */
async function readHeader(input: ByteQueue): Promise<Frame> {
  const descriptor = (await input.peek(5)).readUInt8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeFlag = descriptor >> 6
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  const windowAt = 5
  const sizeAt = windowAt + (isSingleSegment ? 0 : 1) + dictionaryBytes
  const header = await input.peek(sizeAt + sizeBytes)
  if (dictionaryBytes > 0) throw new CompressionError('it needs a dictionary')
  const contentBytes = sizeBytes === 0 ? null : readSize(header, sizeAt, sizeBytes)
  const windowByte = isSingleSegment ? 0 : header.readUInt8(windowAt)
  const windowBase = 2 ** (10 + (windowByte >> 3))
  return {
    headerBytes: sizeAt + sizeBytes,
    windowBytes: isSingleSegment ? Number(contentBytes) : windowBase + (windowBase / 8) * (windowByte & 7),
    contentBytes,
    hasChecksum: (descriptor & 4) !== 0,
  }
}

function readSize(header: Buffer, at: number, bytes: number): bigint {
  if (bytes === 8) return header.readBigUInt64LE(at)
  const size = BigInt(header.readUIntLE(at, bytes))
  return bytes === 2 ? size + 256n : size
}

/** Reads a stream in requested amounts. */
class ByteQueue {
  private buffered: Buffer = Buffer.alloc(0)
  private readonly chunks: AsyncIterator<Buffer>

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]()
  }

  async has(count: number): Promise<boolean> {
    while (this.buffered.length < count) {
      const next = await this.chunks.next()
      if (next.done === true) return false
      this.buffered = this.buffered.length === 0 ? next.value : Buffer.concat([this.buffered, next.value])
    }
    return true
  }

  async peek(count: number): Promise<Buffer> {
    if (!(await this.has(count))) throw new CompressionError('it ends too early')
    return this.buffered.subarray(0, count)
  }

  async take(count: number): Promise<Buffer> {
    const bytes = await this.peek(count)
    this.buffered = this.buffered.subarray(count)
    return bytes
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0;) {
      if (!(await this.has(1))) throw new CompressionError('it ends too early')
      const step = Math.min(left, this.buffered.length)
      this.buffered = this.buffered.subarray(step)
      left -= step
    }
  }
}
