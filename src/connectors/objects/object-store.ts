import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { RequestBody, StoreReply } from './http-client.js'
import type { Patience, StoreClient } from './store-client.js'

export interface ObjectInfo {
  readonly byteCount: number | null
  readonly etag: string | null
  readonly modifiedAtMs: number | null
}

/** Continues a download behind its first bytes, if the object still has this ETag. */
export interface ResumePoint {
  readonly byteCount: number
  readonly etag: string
}

/** Returns the headers of a request for the rest of an object. */
export const buildRangeHeaders = (resume: ResumePoint | null): Record<string, string> =>
  resume === null ? {} : { range: `bytes=${resume.byteCount}-`, 'if-match': resume.etag }

/** Objects that can be read. */
export interface ReadableStore {
  readonly client: StoreClient
  /** Returns the address of an object, for messages. */
  buildLabel(key: string): string
  /** Null if the object does not exist. Throws ACCESS_DENIED and INPUT_NOT_FOUND for the container. */
  head(key: string): Promise<ObjectInfo | null>
  /** Returns a reply with status 200, 206, 412 or 416, whose body is not read yet; null if the object does not exist. */
  get(key: string, resume: ResumePoint | null, patience: Patience): Promise<StoreReply | null>
  /** Yields keys, sorted; null for a store without lists. */
  readonly list: ((prefix: string, countMax?: number) => AsyncGenerator<string>) | null
}

/** Objects that can be written. */
export interface WritableStore {
  readonly client: StoreClient
  buildLabel(key: string): string
  put(key: string, content: FileSlice): Promise<void>
  remove(key: string): Promise<void>
  /** Starts an upload in parts. */
  startUpload(key: string): Promise<Upload>
  /** Removes the parts of unfinished uploads to this key. Does nothing if the store refuses to list them. */
  removeUnfinished(key: string): Promise<void>
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

/** Wraps a text as a body. */
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

/** Reads the facts of an object from the headers of a reply. */
export function readInfo({ headers }: StoreReply): ObjectInfo {
  const modifiedAtMs = Date.parse(headers['last-modified'] ?? '')
  const [, total] = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  const length = headers['content-range'] === undefined ? headers['content-length'] : total
  return {
    byteCount: length === undefined ? null : Number(length),
    etag: headers['etag'] ?? null,
    modifiedAtMs: Number.isNaN(modifiedAtMs) ? null : modifiedAtMs,
  }
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
