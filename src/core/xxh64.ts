/** A 64-bit number as two halves; JavaScript's own 64-bit integers are ten times slower here. */
interface Word {
  low: number
  high: number
}

const word = (high: number, low: number): Word => ({ low: low | 0, high: high | 0 })
const copy = ({ high, low }: Word): Word => word(high, low)
const prime1 = word(0x9e3779b1, 0x85ebca87)
const prime2 = word(0xc2b2ae3d, 0x27d4eb4f)
const prime3 = word(0x165667b1, 0x9e3779f9)
const prime4 = word(0x85ebca77, 0xc2b2ae63)
const prime5 = word(0x27d4eb2f, 0x165667c5)

function add(into: Word, low: number, high: number): void {
  const sum = (into.low >>> 0) + (low >>> 0)
  into.high = (into.high + high + (sum > 0xffffffff ? 1 : 0)) | 0
  into.low = sum | 0
}

function multiply(into: Word, by: Word): void {
  const a0 = into.low & 0xffff
  const a1 = into.low >>> 16
  const b0 = by.low & 0xffff
  const b1 = by.low >>> 16
  // Each 16-bit product and its carries fit 32 bits unsigned.
  const first = Math.imul(a0, b0)
  const second = (Math.imul(a1, b0) + (first >>> 16)) >>> 0
  const third = (Math.imul(a0, b1) + (second & 0xffff)) >>> 0
  const high = Math.imul(a1, b1) + (second >>> 16) + (third >>> 16)
  into.high = (high + Math.imul(into.low, by.high) + Math.imul(into.high, by.low)) | 0
  into.low = (third << 16) | (first & 0xffff)
}

function rotateLeft(into: Word, bits: number): void {
  const { low, high } = into
  // Every rotation here is by less than 32 bits.
  into.low = (low << bits) | (high >>> (32 - bits))
  into.high = (high << bits) | (low >>> (32 - bits))
}

function xorShift(into: Word, bits: number): void {
  const { low, high } = into
  if (bits >= 32) {
    into.low ^= high >>> (bits - 32)
  } else {
    into.low ^= (low >>> bits) | (high << (32 - bits))
    into.high ^= high >>> bits
  }
}

/** Used by one round at a time: allocating it anew would be most of the work. */
const scratch = word(0, 0)

function round(lane: Word, low: number, high: number): void {
  scratch.low = low
  scratch.high = high
  multiply(scratch, prime2)
  add(lane, scratch.low, scratch.high)
  rotateLeft(lane, 31)
  multiply(lane, prime1)
}

/** XXH64 with seed 0 of bytes that come in pieces; zstd checks its frames by the lower half of it. */
export class Xxh64 {
  private readonly lanes: readonly [Word, Word, Word, Word]
  private readonly pending = new Uint8Array(32)
  private pendingBytes = 0
  private bytes = 0

  constructor() {
    const first = copy(prime1)
    add(first, prime2.low, prime2.high)
    const last = word(0, 0)
    add(last, ~prime1.low, ~prime1.high)
    add(last, 1, 0)
    this.lanes = [first, copy(prime2), word(0, 0), last]
  }

  update(bytes: Uint8Array): void {
    this.bytes += bytes.length
    let at = 0
    if (this.pendingBytes > 0) {
      at = Math.min(32 - this.pendingBytes, bytes.length)
      this.pending.set(bytes.subarray(0, at), this.pendingBytes)
      this.pendingBytes += at
      if (this.pendingBytes < 32) return
      this.stripe(this.pending, 0)
      this.pendingBytes = 0
    }
    for (; at + 32 <= bytes.length; at += 32) this.stripe(bytes, at)
    this.pending.set(bytes.subarray(at))
    this.pendingBytes = bytes.length - at
  }

  /** The lower 32 bits, unsigned. */
  low32(): number {
    const hash = this.bytes >= 32 ? this.merged() : copy(prime5)
    add(hash, this.bytes | 0, Math.floor(this.bytes / 2 ** 32))
    this.tail(hash)
    xorShift(hash, 33)
    multiply(hash, prime2)
    xorShift(hash, 29)
    multiply(hash, prime3)
    xorShift(hash, 32)
    return hash.low >>> 0
  }

  private stripe(bytes: Uint8Array, at: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 32)
    const [first, second, third, fourth] = this.lanes
    round(first, view.getInt32(0, true), view.getInt32(4, true))
    round(second, view.getInt32(8, true), view.getInt32(12, true))
    round(third, view.getInt32(16, true), view.getInt32(20, true))
    round(fourth, view.getInt32(24, true), view.getInt32(28, true))
  }

  private merged(): Word {
    const hash = word(0, 0)
    for (const [index, bits] of [1, 7, 12, 18].entries()) {
      const lane = copy(this.lanes[index] ?? prime5)
      rotateLeft(lane, bits)
      add(hash, lane.low, lane.high)
    }
    for (const lane of this.lanes) {
      mix(hash, lane.low, lane.high)
      multiply(hash, prime1)
      add(hash, prime4.low, prime4.high)
    }
    return hash
  }

  private tail(hash: Word): void {
    const bytes = this.pending.subarray(0, this.pendingBytes)
    let at = 0
    for (; at + 8 <= bytes.length; at += 8) {
      mix(hash, int32(bytes, at), int32(bytes, at + 4))
      rotateLeft(hash, 27)
      multiply(hash, prime1)
      add(hash, prime4.low, prime4.high)
    }
    if (at + 4 <= bytes.length) {
      const input = word(0, int32(bytes, at))
      multiply(input, prime1)
      xor(hash, input)
      rotateLeft(hash, 23)
      multiply(hash, prime2)
      add(hash, prime3.low, prime3.high)
      at += 4
    }
    for (const byte of bytes.subarray(at)) {
      const input = word(0, byte)
      multiply(input, prime5)
      xor(hash, input)
      rotateLeft(hash, 11)
      multiply(hash, prime1)
    }
  }
}

function mix(hash: Word, low: number, high: number): void {
  const lane = word(0, 0)
  round(lane, low, high)
  xor(hash, lane)
}

function xor(into: Word, by: Word): void {
  into.low ^= by.low
  into.high ^= by.high
}

function int32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  )
}
