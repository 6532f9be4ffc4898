import { isUtf8 } from 'node:buffer'

/** The length without a character that is cut off at the end. */
export function completeUtf8Length(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Cuts chunks so that each ends with a whole character. */
export class Utf8Cutter {
  #rest = Buffer.alloc(0)

  /** `whole` is null where `bytes`, this chunk with what was left of the one before, are not UTF-8. */
  push(chunk: Buffer): { whole: Buffer | null; bytes: Buffer } {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const length = completeUtf8Length(bytes)
    const whole = bytes.subarray(0, length)
    if (!isUtf8(whole)) return { whole: null, bytes }
    this.#rest = Buffer.from(bytes.subarray(length))
    return { whole, bytes }
  }

  /** Whether a character was left half. */
  get isCut(): boolean {
    return this.#rest.length > 0
  }
}
