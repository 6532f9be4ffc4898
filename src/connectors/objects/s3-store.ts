import { createHash } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import { BucketStore, toPath, createUnexpectedError } from './readable-store.js'
import { ConnectionFault } from './http-client.js'
import { encodeQuery } from './object-address.js'
import {
  findContentType,
  toBody,
  toListedInfo,
  UploadGone,
  type FileSlice,
  type ListedObject,
  type Upload,
} from './object-store.js'
import { escapeXml, findText, parseXml } from '../../platform/xml.js'
import { StoreFailure, type FailureFacts } from './store-client.js'

export class S3Store extends BucketStore {
  async *list(prefix: string, countMax = 1_000): AsyncGenerator<ListedObject> {
    const parameters = { 'list-type': '2', 'encoding-type': 'url', 'max-keys': String(countMax), prefix }
    for await (const page of this.listPages('ListBucketResult', parameters, (root) => {
      const token = findText(root, 'IsTruncated') === 'true' ? findText(root, 'NextContinuationToken') : null
      return token === null ? null : { 'continuation-token': token }
    })) {
      const isEncoded = findText(page, 'EncodingType') === 'url'
      for (const element of page.children) {
        const key = element.name === 'Contents' ? findText(element, 'Key') : null
        if (key === null) continue
        yield {
          key: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
          info: toListedInfo(findText(element, 'Size'), findText(element, 'ETag')),
        }
      }
    }
  }

  async put(key: string, content: FileSlice): Promise<void> {
    const headers = { 'content-type': findContentType(key), ...(await buildChecksums(content)) }
    const request = { method: 'PUT', url: toPath(key), headers, body: content } as const
    await this.explain('write', key, () => this.client.call(request, { expected: [200, 201] }))
  }

  async startUpload(key: string): Promise<Upload> {
    const root = await this.readXml('write', key, 'InitiateMultipartUploadResult', {
      method: 'POST',
      url: toPath(key, { uploads: '' }),
      headers: { 'content-type': findContentType(key) },
    })
    const uploadId = findText(root, 'UploadId')
    if (uploadId === null) throw createUnexpectedError(this.client, this.use)
    return {
      put: (partNumber, content) => this.#putPart(key, { partNumber: String(partNumber), uploadId }, content),
      complete: (tags, byteCount) => this.#complete(key, uploadId, tags, byteCount),
      abort: () => this.remove(key, { uploadId }),
    }
  }

  async removeUnfinished(key: string): Promise<void> {
    const url = `/?${encodeQuery({ uploads: '', prefix: key })}`
    const uploads = await this.explain('list', null, async () => {
      try {
        const { text } = await this.client.call({ method: 'GET', url, headers: {} }, { expected: [200] })
        const root = parseXml(text)
        return root?.name === 'ListMultipartUploadsResult' ? root.children : []
      } catch (error) {
        // Some stores have no such list, and some credentials no right to it. Other failures come again with the content.
        if (error instanceof StoreFailure && error.code !== 'NoSuchBucket') return []
        throw error
      }
    })
    for (const element of uploads) {
      const uploadId = element.name === 'Upload' ? findText(element, 'UploadId') : null
      if (uploadId === null || findText(element, 'Key') !== key) continue
      try {
        // Another run that is uploading now starts again.
        await this.remove(key, { uploadId })
      } catch (error) {
        if (!(error instanceof UserError && error.code === 'ACCESS_DENIED')) throw error
        this.client.options.notice(
          `parts of an unfinished upload to ${this.buildLabel(key)} cost storage, and the credentials may not remove them`,
        )
        return
      }
    }
  }

  async #putPart(key: string, query: Readonly<Record<string, string>>, content: FileSlice): Promise<string> {
    const headers = await buildChecksums(content)
    const request = { method: 'PUT', url: toPath(key, query), headers, body: content } as const
    const { reply } = await this.#continueUpload(key, () => this.client.call(request, { expected: [200] }))
    return reply.headers['etag'] ?? ''
  }

  async #complete(key: string, uploadId: string, tags: readonly string[], byteCount: number): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    )
    const request = {
      method: 'POST',
      url: toPath(key, { uploadId }),
      headers: { 'content-type': 'application/xml' },
      body: toBody(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`),
    } as const
    const { client } = this
    try {
      await this.#continueUpload(key, () =>
        client.send(request, { expected: [200] }, async (reply) => {
          const text = await client.http.readText(reply)
          const root = parseXml(text)
          if (root?.name === 'CompleteMultipartUploadResult') return
          // S3 sends status 200 before it joins the parts, and an error afterwards.
          if (root?.name === 'Error') throw new StoreFailure(200, reply.headers, readS3Failure(text))
          throw new ConnectionFault('it did not confirm the upload')
        }),
      )
    } catch (error) {
      if (!(error instanceof UploadGone)) throw error
      // A request whose reply was lost may have completed the upload.
      const info = await this.head(key)
      if (info?.byteCount !== byteCount || info.etag?.replaceAll('"', '') !== computeTag(tags)) throw error
    }
  }

  async #continueUpload<Result>(key: string, action: () => Promise<Result>): Promise<Result> {
    return this.explain('write', key, async () => {
      try {
        return await action()
      } catch (error) {
        if (!(error instanceof StoreFailure && error.code === 'NoSuchUpload')) throw error
        throw new UploadGone('the upload is gone')
      }
    })
  }
}

/** Computes the ETag of an upload from the MD5 tags of its parts. With other tags the upload is sent again. */
function computeTag(tags: readonly string[]): string {
  const digests = tags.map((tag) => Buffer.from(tag.replaceAll('"', ''), 'hex'))
  return `${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${tags.length}`
}

async function buildChecksums(content: FileSlice): Promise<Record<string, string>> {
  const { md5, sha256 } = await content.digests
  return { 'content-md5': md5, 'x-amz-content-sha256': sha256 }
}

/** Reads the error of a store that answers like S3. */
export function readS3Failure(text: string): FailureFacts {
  const root = parseXml(text)
  const find = (name: string) => findText(root, name) ?? findText(root, 'Error', name)
  return { code: toErrorCode(find('Code')), region: find('Region') }
}

/** Returns null for texts that are no error codes: texts of servers are not repeated. */
export const toErrorCode = (text: string | null | undefined): string | null =>
  /^[A-Za-z][A-Za-z0-9.]{0,63}$/.test(text ?? '') ? (text ?? null) : null
