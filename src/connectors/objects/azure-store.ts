import { randomBytes } from 'node:crypto'
import type { StoreReply } from './http-client.js'
import { encodeKey, encodeQuery } from './object-address.js'
import {
  findContentType,
  readInfo,
  toBody,
  UploadGone,
  type FileSlice,
  type ObjectInfo,
  type ReadableStore,
  type ResumePoint,
  type Upload,
  type WritableStore,
} from './object-store.js'
import { StoreFailure, type Patience, type StoreClient } from './store-client.js'
import { createUnexpectedError, withExplanation, type Operation } from './store-errors.js'
import { findChild, findText, parseXml } from './xml.js'

/** A container of Azure Blob Storage. URLs are relative to the container. */
export class AzureStore implements ReadableStore, WritableStore {
  constructor(
    readonly client: StoreClient,
    private readonly use: 'input' | 'output',
  ) {}

  buildLabel(key: string): string {
    return `${this.client.service.label}/${key}`
  }

  async head(key: string): Promise<ObjectInfo | null> {
    const reply = await this.#open('HEAD', key, {}, [200])
    reply?.discard()
    return reply === null ? null : readInfo(reply)
  }

  async get(key: string, resume: ResumePoint | null, patience: Patience): Promise<StoreReply | null> {
    const headers: Record<string, string> =
      resume === null ? {} : { range: `bytes=${resume.byteCount}-`, 'if-match': resume.etag }
    return this.#open('GET', key, headers, [200, 206, 412, 416], patience)
  }

  async *list(prefix: string, countMax = 5_000): AsyncGenerator<string> {
    let marker: string | null = null
    do {
      const query: string = encodeQuery({
        restype: 'container',
        comp: 'list',
        maxresults: String(countMax),
        prefix,
        ...(marker === null ? {} : { marker }),
      })
      const { text } = await this.#explain('list', this.client.service.label, () =>
        this.client.call({ method: 'GET', url: `/?${query}`, headers: {} }, { expected: [200] }),
      )
      const root = parseXml(text)
      if (root?.name !== 'EnumerationResults') throw createUnexpectedError(this.client, this.use)
      for (const blob of findChild(root, 'Blobs')?.children ?? []) {
        const key = findText(blob, 'Name')
        if (blob.name !== 'Blob' || key === null) continue
        yield findChild(blob, 'Name')?.attributes['Encoded'] === 'true' ? decodeURIComponent(key) : key
      }
      const next = findText(root, 'NextMarker')
      marker = next === marker ? null : next
    } while (marker !== null)
  }

  async put(key: string, content: FileSlice): Promise<void> {
    const { md5 } = await content.digests
    const headers = {
      'content-md5': md5,
      'content-type': findContentType(key),
      'x-ms-blob-type': 'BlockBlob',
    }
    await this.#write(key, {}, headers, content)
  }

  async remove(key: string): Promise<void> {
    await this.#explain('delete', this.buildLabel(key), () =>
      this.client.call(
        { method: 'DELETE', url: `/${encodeKey(key)}`, headers: {} },
        { expected: [202, 404], isCleanup: true },
      ),
    )
  }

  /** Blocks are numbered under a random name, so that runs at the same time do not mix theirs. */
  startUpload(key: string): Promise<Upload> {
    const mark = randomBytes(8).toString('hex')
    return Promise.resolve({
      put: async (partNumber, content) => {
        const id = Buffer.from(`${mark}-${String(partNumber).padStart(6, '0')}`).toString('base64')
        const { md5 } = await content.digests
        await this.#write(key, { comp: 'block', blockid: id }, { 'content-md5': md5 }, content)
        return id
      },
      // Repeating it has the same result.
      complete: async (tags) => {
        const ids = tags.map((id) => `<Latest>${id}</Latest>`).join('')
        const body = toBody(`<?xml version="1.0" encoding="utf-8"?><BlockList>${ids}</BlockList>`)
        const headers = {
          'content-type': 'application/xml',
          'x-ms-blob-content-type': findContentType(key),
        }
        await this.#write(key, { comp: 'blocklist' }, headers, body)
      },
      // Azure has no such request: it removes blocks after a week, or when the blob is written.
      abort: () => Promise.resolve(),
    })
  }

  removeUnfinished(): Promise<void> {
    return Promise.resolve()
  }

  async #write(
    key: string,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    body: Parameters<StoreClient['call']>[0]['body'] & {},
  ): Promise<void> {
    const text = encodeQuery(query)
    const url = `/${encodeKey(key)}${text === '' ? '' : `?${text}`}`
    await this.#explain('write', this.buildLabel(key), async () => {
      try {
        await this.client.call({ method: 'PUT', url, headers, body }, { expected: [201] })
      } catch (error) {
        if (error instanceof StoreFailure && error.code === 'InvalidBlockList') {
          throw new UploadGone('another process wrote the blob')
        }
        throw error
      }
    })
  }

  async #open(
    method: 'GET' | 'HEAD',
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply | null> {
    return this.#explain('read', this.buildLabel(key), async () => {
      try {
        return await this.client.send(
          { method, url: `/${encodeKey(key)}`, headers },
          { expected, ...(patience === undefined ? {} : { patience }) },
          (reply) => Promise.resolve(reply),
        )
      } catch (error) {
        const isMissing = error instanceof StoreFailure && error.status === 404
        if (isMissing && error.code !== 'ContainerNotFound') return null
        throw error
      }
    })
  }

  #explain<Result>(operation: Operation, label: string, action: () => Promise<Result>): Promise<Result> {
    return withExplanation(this.client, { operation, label, use: this.use }, action)
  }
}
