import { randomBytes } from 'node:crypto'
import { BucketStore, toPath } from './bucket-store.js'
import type { RequestBody } from './http-client.js'
import { findContentType, toBody, UploadGone, type FileSlice, type Upload } from './object-store.js'
import { StoreFailure } from './store-client.js'
import { findChild, findText } from './xml.js'

/** A container of Azure Blob Storage. */
export class AzureStore extends BucketStore {
  async *list(prefix: string, countMax = 5_000): AsyncGenerator<string> {
    const parameters = { restype: 'container', comp: 'list', maxresults: String(countMax), prefix }
    for await (const page of this.listPages('EnumerationResults', parameters, (root) => {
      const marker = findText(root, 'NextMarker')
      return marker === null ? null : { marker }
    })) {
      for (const blob of findChild(page, 'Blobs')?.children ?? []) {
        const key = findText(blob, 'Name')
        if (blob.name !== 'Blob' || key === null) continue
        yield findChild(blob, 'Name')?.attributes['Encoded'] === 'true' ? decodeURIComponent(key) : key
      }
    }
  }

  async put(key: string, content: FileSlice): Promise<void> {
    const { md5 } = await content.digests
    const type = { 'content-type': findContentType(key), 'x-ms-blob-type': 'BlockBlob' }
    await this.#write(key, {}, { ...type, 'content-md5': md5 }, content)
  }

  /** Ids of blocks contain a random mark, so that runs at the same time do not mix theirs. */
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
      complete: async (ids) => {
        const list = ids.map((id) => `<Latest>${id}</Latest>`).join('')
        const body = toBody(`<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`)
        const type = findContentType(key)
        const headers = { 'content-type': 'application/xml', 'x-ms-blob-content-type': type }
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
    body: RequestBody,
  ): Promise<void> {
    await this.explain('write', key, async () => {
      try {
        await this.client.call({ method: 'PUT', url: toPath(key, query), headers, body }, { expected: [201] })
      } catch (error) {
        if (!(error instanceof StoreFailure && error.code === 'InvalidBlockList')) throw error
        throw new UploadGone('another process wrote the blob')
      }
    })
  }
}
