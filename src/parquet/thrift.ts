/** Values of Thrift's compact protocol, the encoding of Parquet footers; unknown fields are kept. */
export type Thrift = boolean | number | Uint8Array | ThriftList | ThriftStruct

export interface ThriftList {
  readonly elementType: number
  readonly items: Thrift[]
}
interface ThriftField {
  readonly type: number
  value: Thrift
}
/** Fields by id, in their original order. */
export type ThriftStruct = Map<number, ThriftField>

const types = {
  true: 1,
  false: 2,
  byte: 3,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  struct: 12,
} as const

export function isThriftList(value: Thrift | undefined): value is ThriftList {
  return typeof value === 'object' && 'items' in value
}

/** Throws for invalid Thrift and for numbers beyond 2^53. */
export function readThrift(bytes: Buffer): ThriftStruct {
  return new ThriftReader(bytes).readStruct()
}

class ThriftReader {
  private at = 0
  constructor(private readonly bytes: Buffer) {}

  readStruct(): ThriftStruct {
    const fields: ThriftStruct = new Map()
    let id = 0
    for (;;) {
      const head = this.byte()
      if (head === 0) return fields
      id = head >> 4 === 0 ? this.readInteger() : id + (head >> 4)
      const type = head & 15
      fields.set(id, { type, value: type <= types.false ? type === types.true : this.value(type) })
    }
  }

  private value(type: number): Thrift {
    switch (type) {
      case types.struct:
        return this.readStruct()
      case types.list:
      case types.set:
        return this.readList()
      case types.binary:
        return this.take(this.readVarint())
      case types.double:
        return this.take(8)
      case types.byte:
      case types.true:
      case types.false:
        return this.byte()
      default:
        if (type <= types.i64) return this.readInteger()
        throw new Error(`Thrift type ${type} is unknown`)
    }
  }

  private readList(): ThriftList {
    const head = this.byte()
    const elementType = head & 15
    const count = head >> 4 === 15 ? this.readVarint() : head >> 4
    return { elementType, items: Array.from({ length: count }, () => this.value(elementType)) }
  }

  private byte(): number {
    return this.bytes.readUInt8(this.at++)
  }

  private take(count: number): Buffer {
    if (this.at + count > this.bytes.length) throw new Error('the Thrift ends too early')
    this.at += count
    return this.bytes.subarray(this.at - count, this.at)
  }

  private readVarint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 127) * scale
      if (!Number.isSafeInteger(value)) throw new Error('a number in the Thrift is beyond 2^53')
      if (byte < 128) return value
    }
  }

  /** Zigzag: the sign is the lowest bit. */
  private readInteger(): number {
    const value = this.readVarint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}

/**
 * Encodes a struct in the compact protocol of Thrift, as Parquet footers need it. `afterId`: id of the preceding
 * field, if the struct is the rest of another one.
 */
export function writeThrift(struct: ThriftStruct, afterId = 0): Buffer {
  const writer = new ThriftWriter()
  writer.writeStruct(struct, afterId)
  return writer.written()
}

class ThriftWriter {
  private bytes = Buffer.allocUnsafe(64 * 1024)
  private length = 0

  written(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  writeStruct(fields: ThriftStruct, afterId = 0): void {
    let last = afterId
    for (const [id, { type, value }] of fields) {
      const written = typeof value === 'boolean' ? (value ? types.true : types.false) : type
      const step = id - last
      if (step > 0 && step < 16) this.writeByte((step << 4) | written)
      else {
        this.writeByte(written)
        this.writeInteger(id)
      }
      if (typeof value !== 'boolean') this.value(type, value)
      last = id
    }
    this.writeByte(0)
  }

  private value(type: number, value: Thrift): void {
    if (typeof value === 'number') {
      if (type <= types.byte) this.writeByte(value)
      else this.writeInteger(value)
    } else if (value instanceof Uint8Array) {
      if (type === types.binary) this.writeVarint(value.length)
      this.writeBytes(value)
    } else if (isThriftList(value)) this.writeList(value)
    else if (typeof value === 'object') this.writeStruct(value)
  }

  private writeList({ elementType, items }: ThriftList): void {
    this.writeByte((Math.min(items.length, 15) << 4) | elementType)
    if (items.length >= 15) this.writeVarint(items.length)
    for (const item of items) this.value(elementType, item)
  }

  private writeByte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  private writeBytes(value: Uint8Array): void {
    this.reserve(value.length)
    this.bytes.set(value, this.length)
    this.length += value.length
  }

  private writeVarint(value: number): void {
    let left = value
    for (; left >= 128; left = Math.floor(left / 128)) this.writeByte((left % 128) | 128)
    this.writeByte(left)
  }

  private writeInteger(value: number): void {
    this.writeVarint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}
