import type { StoreReply, StoreRequest } from './http-client.js'
import { encodeKey, encodeQuery } from './object-address.js'
import type { FileSlice, Upload } from './object-store.js'
import { ReadableStore } from './readable-store.js'
import type { StoreFailure } from './store-client.js'
import { type Patience, type StoreClient } from './store-client.js'
import { createUnexpectedError, isContainerMissing } from './store-errors.js'
import { parseXml, type XmlElement } from './xml.js'

/** A store with buckets. URLs are relative to the bucket, and start with a slash. */
export abstract class BucketStore extends ReadableStore {
  override readonly canList = true

  constructor(
    client: StoreClient,
    use: 'input' | 'output',
    /** Headers of requests for objects. */
    private readonly readHeaders: Readonly<Record<string, string>> = {},
  ) {
    super(client, use)
  }

  abstract put(key: string, content: FileSlice): Promise<void>
  /** Starts an upload in parts. */
  abstract startUpload(key: string): Promise<Upload>
  /** Removes the parts of unfinished uploads to this key. Does nothing if the store refuses to list them. */
  abstract removeUnfinished(key: string): Promise<void>

  buildLabel(key: string): string {
    return `${this.client.service.label}/${key}`
  }

  async remove(key: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const request = { method: 'DELETE', url: toPath(key, query), headers: {} } as const
    await this.explain('delete', key, () =>
      this.client.call(request, { expected: [200, 202, 204, 404], isCleanup: true }),
    )
  }

  protected open(
    method: 'GET' | 'HEAD',
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply> {
    const request = { method, url: toPath(key), headers: { ...this.readHeaders, ...headers } }
    return this.client.open(request, { expected, patience })
  }

  protected isMissing(failure: StoreFailure): boolean {
    return failure.status === 404 && !isContainerMissing(failure)
  }

  /** Reads a reply with this root element. `key` is null for requests to the bucket. */
  protected async readXml(
    operation: 'list' | 'write',
    key: string | null,
    name: string,
    request: Omit<StoreRequest, 'headers'> & Partial<StoreRequest>,
  ): Promise<XmlElement> {
    const { text } = await this.explain(operation, key, () =>
      this.client.call({ headers: {}, ...request }, { expected: [200] }),
    )
    const root = parseXml(text)
    if (root?.name !== name) throw createUnexpectedError(this.client, this.use)
    return root
  }

  /** Yields the pages of a list. `readNext` returns the parameters of the next page. */
  protected async *listPages(
    name: string,
    parameters: Readonly<Record<string, string>>,
    readNext: (page: XmlElement) => Readonly<Record<string, string>> | null,
  ): AsyncGenerator<XmlElement> {
    let position = ''
    for (let next: Readonly<Record<string, string>> | null = {}; next !== null;) {
      const url = `/?${encodeQuery({ ...parameters, ...next })}`
      const page = await this.readXml('list', null, name, { method: 'GET', url })
      yield page
      next = readNext(page)
      // A store that repeats a page would never end.
      if (JSON.stringify(next) === position) return
      position = JSON.stringify(next)
    }
  }
}

/** Returns the URL of an object, relative to the bucket. */
export function toPath(key: string, query: Readonly<Record<string, string>> = {}): string {
  return `/${encodeKey(key)}${Object.keys(query).length === 0 ? '' : `?${encodeQuery(query)}`}`
}
