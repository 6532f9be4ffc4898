import { XmlError, XmlReader, type AttributeReader } from '../../tables/xml.js'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { RequestBody, StoreReply } from './http-client.js'

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

/** An element of the root's namespace; names have no prefix. */
export interface XmlElement {
  readonly name: string
  readonly attribute: AttributeReader
  readonly children: readonly XmlElement[]
  /** Own text, without that of the children. */
  readonly text: string
}

const depthMax = 20

/** Parses a short text, such as a reply of a store. Returns `null` if it is invalid, cut off, or declares a document type. */
export function parseXml(text: string): XmlElement | null {
  type Growing = Pick<XmlElement, 'name' | 'attribute'> & { children: XmlElement[]; text: string }
  const root: Growing = { name: '', attribute: () => undefined, children: [], text: '' }
  const open = [root]
  const reader = new XmlReader({
    open(name, attribute) {
      if (open.length > depthMax) throw new XmlError('it is too deep')
      const element: Growing = { name, attribute, children: [], text: '' }
      open.at(-1)?.children.push(element)
      open.push(element)
      return true
    },
    close() {
      open.pop()
    },
    text(piece) {
      const element = open.at(-1)
      if (element !== undefined) element.text += piece
    },
  })
  try {
    reader.write(text)
    reader.close()
  } catch (error) {
    if (error instanceof XmlError) return null
    throw error
  }
  return root.children[0] ?? null
}

export function findChild(element: XmlElement | null, ...names: string[]): XmlElement | null {
  return names.reduce<XmlElement | null>(
    (at, name) => at?.children.find((child) => child.name === name) ?? null,
    element,
  )
}

/** Returns the text at the end of a path of names; null if it is missing or empty. */
export function findText(element: XmlElement | null, ...names: string[]): string | null {
  const text = findChild(element, ...names)?.text ?? ''
  return text === '' ? null : text
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)
