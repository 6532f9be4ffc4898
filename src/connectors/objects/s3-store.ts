import { createHash } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import { ConnectionFault, type StoreReply, type StoreRequest } from './http-client.js'
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
import { escapeXml, findText, parseXml, type XmlElement } from './xml.js'

/** A bucket of a store with the interface of S3. URLs are relative to the bucket. */
export class S3Store implements ReadableStore, WritableStore {
  constructor(
    readonly client: StoreClient,
    private readonly use: 'input' | 'output',
    /** Headers of requests for content; optional. */
    private readonly readHeaders: Readonly<Record<string, string>> = {},
  ) {}

  buildLabel(key: string): string {
    return `${this.client.service.label}/${key}`
  }

  async head(key: string): Promise<ObjectInfo | null> {
    const url = toPath(key)
    try {
      return await this.client.send({ method: 'HEAD', url, headers: {} }, { expected: [200] }, (reply) => {
        reply.discard()
        return Promise.resolve(readInfo(reply))
      })
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
    }
    // Replies to HEAD have no text with the reason, and some stores refuse it.
    const reply = await this.#open(key, { range: 'bytes=0-0' }, [200, 206, 416])
    reply?.discard()
    return reply === null ? null : readInfo(reply)
  }

  async get(key: string, resume: ResumePoint | null, patience: Patience): Promise<StoreReply | null> {
    const headers: Record<string, string> =
      resume === null ? {} : { range: `bytes=${resume.byteCount}-`, 'if-match': resume.etag }
    return this.#open(key, { ...this.readHeaders, ...headers }, [200, 206, 412, 416], patience)
  }

  async *list(prefix: string, countMax = 1_000): AsyncGenerator<string> {
    let token: string | null = null
    do {
      const query: string = encodeQuery({
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(Math.min(1_000, countMax)),
        prefix,
        ...(token === null ? {} : { 'continuation-token': token }),
      })
      const root = await this.#explain('list', this.client.service.label, () =>
        this.#readXml({ method: 'GET', url: `/?${query}`, headers: {} }, 'ListBucketResult'),
      )
      const isEncoded = findText(root, 'EncodingType') === 'url'
      for (const element of root.children) {
        const key = element.name === 'Contents' ? findText(element, 'Key') : null
        if (key !== null) yield isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key
      }
      const next = findText(root, 'IsTruncated') === 'true' ? findText(root, 'NextContinuationToken') : null
      token = next === token ? null : next
    } while (token !== null)
  }

  async put(key: string, content: FileSlice): Promise<void> {
    const headers = { 'content-type': findContentType(key), ...(await buildChecksums(content)) }
    await this.#explain('write', this.buildLabel(key), () =>
      this.client.call({ method: 'PUT', url: toPath(key), headers, body: content }, { expected: [200, 201] }),
    )
  }

  async remove(key: string): Promise<void> {
    await this.#explain('delete', this.buildLabel(key), () =>
      this.client.call(
        { method: 'DELETE', url: toPath(key), headers: {} },
        { expected: [200, 204, 404], isCleanup: true },
      ),
    )
  }

  async startUpload(key: string): Promise<Upload> {
    const headers = { 'content-type': findContentType(key) }
    const root = await this.#explain('write', this.buildLabel(key), () =>
      this.#readXml(
        { method: 'POST', url: toPath(key, { uploads: '' }), headers },
        'InitiateMultipartUploadResult',
      ),
    )
    const uploadId = findText(root, 'UploadId')
    if (uploadId === null) throw createUnexpectedError(this.client, this.use)
    return new S3Upload(this, key, uploadId, (action) => this.#explain('write', this.buildLabel(key), action))
  }

  async removeUnfinished(key: string): Promise<void> {
    const url = `/?${encodeQuery({ uploads: '', prefix: key })}`
    const uploads = await this.#explain('list', this.client.service.label, async () => {
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
        await this.abort(key, uploadId)
      } catch (error) {
        if (!(error instanceof UserError && error.code === 'ACCESS_DENIED')) throw error
        this.client.options.notice(
          `parts of an unfinished upload to ${this.buildLabel(key)} cost storage, and the credentials may not remove them`,
        )
        return
      }
    }
  }

  async abort(key: string, uploadId: string): Promise<void> {
    await this.#explain('delete', this.buildLabel(key), () =>
      this.client.call(
        { method: 'DELETE', url: toPath(key, { uploadId }), headers: {} },
        { expected: [200, 204, 404], isCleanup: true },
      ),
    )
  }

  async #open(
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply | null> {
    return this.#explain('read', this.buildLabel(key), async () => {
      try {
        return await this.client.send(
          { method: 'GET', url: toPath(key), headers },
          { expected, ...(patience === undefined ? {} : { patience }) },
          (reply) => Promise.resolve(reply),
        )
      } catch (error) {
        if (error instanceof StoreFailure && error.status === 404 && error.code !== 'NoSuchBucket')
          return null
        throw error
      }
    })
  }

  async #readXml(request: StoreRequest, name: string): Promise<XmlElement> {
    return this.client.send(request, { expected: [200] }, async (reply) => {
      const root = parseXml(await this.client.http.readText(reply))
      if (root?.name === name) return root
      throw createUnexpectedError(this.client, this.use)
    })
  }

  #explain<Result>(operation: Operation, label: string, action: () => Promise<Result>): Promise<Result> {
    return withExplanation(this.client, { operation, label, use: this.use }, action)
  }
}

class S3Upload implements Upload {
  constructor(
    private readonly store: S3Store,
    private readonly key: string,
    private readonly uploadId: string,
    private readonly explain: <Result>(action: () => Promise<Result>) => Promise<Result>,
  ) {}

  async put(partNumber: number, content: FileSlice): Promise<string> {
    const url = toPath(this.key, { partNumber: String(partNumber), uploadId: this.uploadId })
    const headers = await buildChecksums(content)
    const { reply } = await this.#send(() =>
      this.store.client.call({ method: 'PUT', url, headers, body: content }, { expected: [200] }),
    )
    return reply.headers['etag'] ?? ''
  }

  async complete(tags: readonly string[], byteCount: number): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    )
    const body = toBody(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const { client } = this.store
    const url = toPath(this.key, { uploadId: this.uploadId })
    const headers = { 'content-type': 'application/xml' }
    try {
      await this.#send(() =>
        client.send({ method: 'POST', url, headers, body }, { expected: [200] }, async (reply) => {
          const text = await client.http.readText(reply)
          const root = parseXml(text)
          if (root?.name === 'CompleteMultipartUploadResult') return
          // S3 sends status 200 before it joins the parts, and an error afterwards.
          if (root?.name === 'Error')
            throw new StoreFailure(200, reply.headers, client.service.readFailure(text, reply.headers))
          throw new ConnectionFault('it did not confirm the upload')
        }),
      )
    } catch (error) {
      // A request whose reply was lost may have completed the upload.
      if (!(error instanceof UploadGone) || !(await this.#isComplete(tags, byteCount))) throw error
    }
  }

  async abort(): Promise<void> {
    await this.store.abort(this.key, this.uploadId)
  }

  async #isComplete(tags: readonly string[], byteCount: number): Promise<boolean> {
    const info = await this.store.head(this.key)
    return info?.byteCount === byteCount && info.etag?.replaceAll('"', '') === computeTag(tags)
  }

  async #send<Result>(action: () => Promise<Result>): Promise<Result> {
    return this.explain(async () => {
      try {
        return await action()
      } catch (error) {
        if (error instanceof StoreFailure && error.code === 'NoSuchUpload')
          throw new UploadGone('the upload is gone')
        throw error
      }
    })
  }
}

/** Computes the ETag of an upload from the MD5 tags of its parts. */
function computeTag(tags: readonly string[]): string {
  const digests = tags.map((tag) => Buffer.from(tag.replaceAll('"', ''), 'hex'))
  return `${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${tags.length}`
}

async function buildChecksums(content: FileSlice): Promise<Record<string, string>> {
  const { md5, sha256 } = await content.digests
  return { 'content-md5': md5, 'x-amz-content-sha256': sha256 }
}

function toPath(key: string, query: Readonly<Record<string, string>> = {}): string {
  return `/${encodeKey(key)}${Object.keys(query).length === 0 ? '' : `?${encodeQuery(query)}`}`
}
