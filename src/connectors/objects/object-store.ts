import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { RequestBody, StoreReply } from './http-client.js'

/** Facts of an object that a store announces; null if unknown. */
export interface ObjectInfo {
  readonly byteCount: number | null
  readonly etag: string | null
  readonly modifiedAtMs: number | null
  /** Checksums of the stored bytes, fastest first; optional, defaults to none. */
  readonly checksums?: readonly Checksum[]
}

export interface ListedObject {
  readonly key: string
  readonly info: ObjectInfo
}

/** Continues a download behind its first bytes, if the object still has this ETag. */
export interface ResumePoint {
  readonly byteCount: number
  readonly etag: string
}

/** An upload in parts; readers see the object once it is complete. */
export interface Upload {
  /** Returns the tag of the part. Throws UploadGone. Parts are numbered from 1. */
  put(partNumber: number, content: FileSlice): Promise<string>
  /** Throws UploadGone. */
  complete(tags: readonly string[], byteCount: number): Promise<void>
  abort(): Promise<void>
}

/** The store does not know the upload: another run to the same key has removed it. */
export class UploadGone extends Error {}

/** A part of a file. Each attempt to send it reads it again. */
export class FileSlice implements RequestBody {
  #digests: Promise<{ md5: string; sha256: string }> | null = null

  constructor(
    readonly path: string,
    readonly start: number,
    readonly byteCount: number,
  ) {}

  async *open(): AsyncGenerator<Buffer> {
    if (this.byteCount === 0) return
    const { path, start, byteCount } = this
    yield* createReadStream(path, {
      start,
      end: start + byteCount - 1,
      highWaterMark: 256 * 1024,
    }) as AsyncIterable<Buffer>
  }

  /** MD5 in base64, SHA-256 in hexadecimal digits. */
  get digests(): Promise<{ md5: string; sha256: string }> {
    this.#digests ??= this.#digest()
    return this.#digests
  }

  async #digest(): Promise<{ md5: string; sha256: string }> {
    const [md5, sha256] = [createHash('md5'), createHash('sha256')]
    for await (const chunk of this.open()) {
      md5.update(chunk)
      sha256.update(chunk)
    }
    return { md5: md5.digest('base64'), sha256: sha256.digest('hex') }
  }
}

export function toBody(text: string): RequestBody {
  const bytes = Buffer.from(text)
  return {
    byteCount: bytes.length,
    open: async function* () {
      await Promise.resolve()
      yield bytes
    },
  }
}

export function readInfo({ status, headers }: StoreReply): ObjectInfo {
  const modifiedAtMs = Date.parse(headers['last-modified'] ?? '')
  const length = status === 206 ? readRange(headers)?.total : parseCount(headers['content-length'])
  return {
    byteCount: length ?? null,
    etag: headers['etag'] ?? null,
    modifiedAtMs: Number.isNaN(modifiedAtMs) ? null : modifiedAtMs,
    checksums: readChecksums(headers, status === 206),
  }
}

/** Whether a reply is compressed although the name of its object does not say so: sizes do not apply to it. */
export function isCompressedOnTheWay({ headers }: StoreReply, label: string): boolean {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  const isStored = { gzip: /\.gz$/i, 'x-gzip': /\.gz$/i, zstd: /\.zst$/i }[encoding]?.test(label) === true
  return !isStored && encoding !== '' && encoding !== 'identity' && encoding !== 'aws-chunked'
}

/** Returns the facts of an object in a list. The tag is written with or without quotes there. */
export function toListedInfo(size: string | null, tag: string | null): ObjectInfo {
  const etag = tag === null ? null : `"${tag.replaceAll('"', '')}"`
  return { byteCount: parseCount(size ?? undefined) ?? null, etag, modifiedAtMs: null }
}

const parseCount = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

/** Reads the range of a reply in part. `end` is exclusive; `total` is null if the store does not tell it. */
export function readRange(
  headers: StoreReply['headers'],
): { start: number; end: number; total: number | null } | null {
  const [, first, last, total] =
    /^bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec((headers['content-range'] ?? '').trim()) ?? []
  if (first === undefined || last === undefined || total === undefined) return null
  return { start: Number(first), end: Number(last) + 1, total: total === '*' ? null : Number(total) }
}

const contentTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  gz: 'application/gzip',
  zst: 'application/zstd',
}

/** Returns the media type for the extension of a key. */
export const findContentType = (key: string): string =>
  contentTypes[key.slice(key.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

/** A checksum of a whole object. */
export interface Checksum {
  readonly algorithm: Algorithm
  /** In hexadecimal digits. */
  readonly hex: string
}

/** Computes a checksum of bytes that arrive in order. */
export interface Digest {
  update(bytes: Buffer): void
  /** In hexadecimal digits. */
  finish(): string
}

/** Fastest first: the first checksum of an object is verified. */
const algorithms = {
  crc32: { bytes: 4, create: () => createCrc32() },
  sha256: { bytes: 32, create: () => createNodeDigest('sha256') },
  sha1: { bytes: 20, create: () => createNodeDigest('sha1') },
  sha512: { bytes: 64, create: () => createNodeDigest('sha512') },
  md5: { bytes: 16, create: () => createNodeDigest('md5') },
  crc32c: { bytes: 4, create: () => createCrc32c() },
  crc64nvme: { bytes: 8, create: () => createCrc64() },
} as const satisfies Record<string, { bytes: number; create: () => Digest }>
type Algorithm = keyof typeof algorithms

const isAlgorithm = (name: string): name is Algorithm => Object.hasOwn(algorithms, name)

export const createDigest = (algorithm: Algorithm): Digest => algorithms[algorithm].create()

/**
 * Reads the checksums of a whole object that Amazon, Google, Azure and web servers send. `isPart`: the body is a part of
 * the object. Checksums of parts, and values that cannot be read, are ignored.
 */
function readChecksums(headers: StoreReply['headers'], isPart: boolean): readonly Checksum[] {
  const found: Checksum[] = []
  const add = (name: string, base64: string | undefined) => {
    const algorithm = name.toLowerCase().replace('-', '')
    if (base64 === undefined || !isAlgorithm(algorithm)) return
    const bytes = Buffer.from(base64.trim(), 'base64')
    // A checksum of checksums of parts ends with their number: -3.
    if (bytes.length !== algorithms[algorithm].bytes || !/^[A-Za-z0-9+/]+=*$/.test(base64.trim())) return
    found.push({ algorithm, hex: bytes.toString('hex') })
  }
  const addList = (text: string | undefined) => {
    for (const [, name = '', value] of (text ?? '').matchAll(/([\w-]+)\s*=\s*:?([A-Za-z0-9+/]+=*)/g))
      add(name, value)
  }
  const isComposite = headers['x-amz-checksum-type']?.toUpperCase() === 'COMPOSITE'
  for (const name of isComposite ? [] : Object.keys(algorithms)) add(name, headers[`x-amz-checksum-${name}`])
  addList(headers['x-goog-hash'])
  add('md5', headers['x-ms-blob-content-md5'])
  if (!isPart) {
    add('md5', headers['content-md5'])
    addList(headers['content-digest'])
  }
  addList(headers['repr-digest'])
  addList(headers['digest'])
  const order = Object.keys(algorithms)
  return found.sort((a, b) => order.indexOf(a.algorithm) - order.indexOf(b.algorithm))
}

function createNodeDigest(name: string): Digest {
  const hash = createHash(name)
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    finish: () => hash.digest('hex'),
  }
}

const toHex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0')

function createCrc32(): Digest {
  let value = 0
  return {
    update: (bytes) => {
      value = crc32(bytes, value)
    },
    finish: () => toHex(value),
  }
}

function createCrc32c(): Digest {
  const table = Int32Array.from({ length: 256 }, (_, index) => {
    let entry = index
    for (let bit = 0; bit < 8; bit++) entry = entry & 1 ? (entry >>> 1) ^ 0x82f63b78 : entry >>> 1
    return entry
  })
  let value = -1
  return {
    update: (bytes) => {
      let crc = value
      // An iterator takes ten times as long.
      for (let at = 0; at < bytes.length; at++)
        crc = (table[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8)
      value = crc
    },
    finish: () => toHex(~value),
  }
}

/** The polynomial of NVMe, reflected, as two halves: numbers have 53 bits. */
const [crc64High, crc64Low] = [0x9a6c9329, 0xac4bc9b5]

function createCrc64(): Digest {
  const [highs, lows] = [new Int32Array(256), new Int32Array(256)]
  for (let index = 0; index < 256; index++) {
    let [high, low] = [0, index]
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (low & 1) === 1
      low = (low >>> 1) | (high << 31)
      high >>>= 1
      if (isOdd) [high, low] = [high ^ crc64High, low ^ crc64Low]
    }
    highs[index] = high
    lows[index] = low
  }
  const value = { high: -1, low: -1 }
  return {
    update: (bytes) => {
      let { high, low } = value
      for (let at = 0; at < bytes.length; at++) {
        const index = (low ^ (bytes[at] ?? 0)) & 0xff
        low = ((low >>> 8) | (high << 24)) ^ (lows[index] ?? 0)
        high = (high >>> 8) ^ (highs[index] ?? 0)
      }
      Object.assign(value, { high, low })
    },
    finish: () => toHex(~value.high) + toHex(~value.low),
  }
}
